// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

/** Exit codes of the command; listed in its help and in docs/command.md. */
public enum ExitCode {
  /** All is well. */
  GOOD(0),

  /** The answer is no: results differ, or the machine has a problem. */
  NO(1),

  /** Invalid arguments or input file. */
  INPUT(2),

  /** Ranks could not be started, or could not go on together. */
  RANKS(3),

  /** What was not foreseen. */
  ERROR(4);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
