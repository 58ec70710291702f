// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Version;
import io.github.gemmflow.failure.GemmflowException;
import java.io.IOException;
import java.io.UncheckedIOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;

/** The {@code gemmflow} command. */
@Command(
    name = "gemmflow",
    description = "Linear layers over several processes: rows travel while they are multiplied.",
    mixinStandardHelpOptions = true,
    subcommands = BenchCommand.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Gemmflow {
  Gemmflow() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    CommandLine line = new CommandLine(new Gemmflow());
    line.getCommandSpec().version(Version.TEXT);
    line.getSubcommands().values().forEach(sub -> sub.getCommandSpec().version(Version.TEXT));
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(Gemmflow::explain);
  }

  /** What can be mended by who called needs no stack trace. */
  private static int explain(Exception e, CommandLine line, CommandLine.ParseResult parsed)
      throws Exception {
    boolean foreseen =
        e instanceof IllegalArgumentException
            || e instanceof GemmflowException
            || e instanceof IOException
            || e instanceof UncheckedIOException;
    if (!foreseen) {
      throw e;
    }
    Help.ColorScheme colors = line.getColorScheme();
    line.getErr().println(colors.errorText("gemmflow: " + e.getMessage()));
    return line.getCommandSpec().exitCodeOnExecutionException();
  }
}
