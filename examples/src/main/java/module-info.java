/** Programs to be read and run. */
module io.github.gemmflow.examples {
  requires io.github.gemmflow.cli;
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.mpi;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.onednn;
  requires info.picocli;
  requires tools.jackson.core;
  requires static org.jspecify;

  opens io.github.gemmflow.examples.llama to
      info.picocli;
}
