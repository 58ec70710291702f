/** The gemmflow command, and what it measures with. */
module io.github.gemmflow.cli {
  requires transitive io.github.gemmflow.core;
  requires io.github.gemmflow.mpi;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.onednn;
  requires transitive io.github.gemmflow.measure;
  requires io.github.gemmflow.json;
  requires io.github.gemmflow.mpi.binding;
  requires transitive info.picocli;
  requires java.logging;
  requires java.management;
  requires jdk.jfr;
  requires tools.jackson.core;
  requires static org.jspecify;

  exports io.github.gemmflow.cli.job;

  uses io.github.gemmflow.cli.job.Subcommand;

  opens io.github.gemmflow.cli to
      info.picocli;
  opens io.github.gemmflow.cli.job to
      info.picocli;
}
