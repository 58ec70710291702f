/** The gemmflow command. */
module io.github.gemmflow.cli {
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.engine.mpi;
  requires io.github.gemmflow.kernel.onednn;
  requires io.github.gemmflow.mpi;
  requires info.picocli;
  requires java.management;
  requires static org.jspecify;

  opens io.github.gemmflow.cli to
      info.picocli;
}
