// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Gemmflow against what it runs on. */
@Command(
    name = "benchmarks/compare",
    mixinStandardHelpOptions = true,
    description =
        "Compares Gemmflow with plain MPI and oneDNN, and with what one would use instead.",
    subcommands = {
      KernelBenchmark.class,
      CoresBenchmark.class,
      HostCommand.class,
      NetworkCommand.class
    })
public final class Compare {
  private Compare() {}

  public static void main(String[] arguments) {
    CommandLine line = new CommandLine(new Compare()).setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(arguments));
  }
}
