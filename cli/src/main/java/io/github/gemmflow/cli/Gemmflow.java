// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import io.github.gemmflow.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;

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
    return line.setCaseInsensitiveEnumValuesAllowed(true);
  }
}
