/** Programs to be read and run. */
module io.github.gemmflow.examples {
  requires io.github.gemmflow.cli;
  requires io.github.gemmflow.measure;
  requires io.github.gemmflow.core;
  requires io.github.gemmflow.mpi;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.onednn;
  requires io.github.gemmflow.models;
  requires io.github.gemmflow.text;
  requires info.picocli;
  requires jdk.httpserver;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static org.jspecify;

  opens io.github.gemmflow.examples.command to
      info.picocli;
  opens io.github.gemmflow.examples.encoder to
      info.picocli;
  opens io.github.gemmflow.examples.generate to
      info.picocli;
  opens io.github.gemmflow.examples.prefill to
      info.picocli;
  opens io.github.gemmflow.examples.service to
      info.picocli;
}
