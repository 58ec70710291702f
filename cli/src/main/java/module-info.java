/** The gemmflow command, and what it measures with. */
module io.github.gemmflow.cli {
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.engine.mpi;
  requires io.github.gemmflow.kernel.onednn;
  requires io.github.gemmflow.mpi;
  requires info.picocli;
  requires java.management;
  requires static org.jspecify;

  exports io.github.gemmflow.bench;

  opens io.github.gemmflow.cli to
      info.picocli;
}
