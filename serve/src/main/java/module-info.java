/** Commands that run models: generate, embed, and serve, which answers over HTTP. */
module io.github.gemmflow.serve {
  requires transitive io.github.gemmflow.cli;
  requires io.github.gemmflow.files;
  requires io.github.gemmflow.measure;
  requires io.github.gemmflow.models;
  requires io.github.gemmflow.text;
  requires info.picocli;
  requires jdk.httpserver;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires static org.jspecify;

  provides io.github.gemmflow.cli.job.Subcommand with
      io.github.gemmflow.serve.GenerateCommand,
      io.github.gemmflow.serve.EmbedCommand,
      io.github.gemmflow.serve.ServeCommand;

  opens io.github.gemmflow.serve to
      info.picocli;
}
