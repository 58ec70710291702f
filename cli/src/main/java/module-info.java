/** The gemmflow command, and what it measures with. */
module io.github.gemmflow.cli {
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.mpi;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.onednn;
  requires io.github.gemmflow.measure;
  requires io.github.gemmflow.json;
  requires io.github.gemmflow.mpi.binding;
  requires info.picocli;
  requires java.logging;
  requires java.management;
  requires jdk.jfr;
  requires tools.jackson.core;
  requires static org.jspecify;

  exports io.github.gemmflow.cli.report;

  opens io.github.gemmflow.cli to
      info.picocli;
}
