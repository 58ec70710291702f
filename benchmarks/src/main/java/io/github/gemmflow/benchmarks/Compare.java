// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Gemmflow against what it runs on. */
@Command(
    name = "benchmarks/compare",
    mixinStandardHelpOptions = true,
    description = "Compares Gemmflow with the engines that it runs on, run bare.",
    subcommands = {KernelBenchmark.class, CoresBenchmark.class})
public final class Compare {
  private Compare() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Compare()).execute(arguments));
  }
}
