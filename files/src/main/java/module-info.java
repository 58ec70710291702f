/** Matrices in files. */
module io.github.gemmflow.files {
  requires transitive io.github.gemmflow.core;
  requires tools.jackson.core;
  requires static org.jspecify;

  exports io.github.gemmflow.files;
}
