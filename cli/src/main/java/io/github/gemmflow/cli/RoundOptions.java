// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import picocli.CommandLine.Option;

/** Options for how often something is timed. */
final class RoundOptions {
  @Option(
      names = "--warmup",
      defaultValue = "5",
      paramLabel = "ROUNDS",
      description = "rounds before the measurement (default: ${DEFAULT-VALUE})")
  private int warmup;

  @Option(
      names = "--iterations",
      defaultValue = "21",
      paramLabel = "ROUNDS",
      description = "rounds of the measurement (default: ${DEFAULT-VALUE})")
  private int iterations;

  int warmup() {
    return warmup;
  }

  int iterations() {
    return iterations;
  }
}
