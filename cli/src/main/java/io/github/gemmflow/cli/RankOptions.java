// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the number and kind of ranks. */
final class RankOptions {
  /** Who carries rows between ranks. */
  enum Engine {
    MPI,
    LOCAL
  }

  private static final int DEFAULT = 2;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "ranks to start; in a job that runs already they are given (default: 2)")
  private @Nullable Integer ranks;

  @Option(
      names = "--engine",
      defaultValue = "mpi",
      description = "mpi: ranks are processes; local: threads of one (default: mpi)")
  private Engine engine = Engine.MPI;

  @Option(
      names = "--mpirun",
      defaultValue = "mpirun",
      paramLabel = "PROGRAM",
      description = "what starts ranks as processes (default: mpirun)")
  private String mpirun = "mpirun";

  /** Whether somebody said how many. */
  boolean isGiven() {
    return ranks != null;
  }

  /** Takes this number, if none was said and it is one. */
  void orElse(int number) {
    if (ranks == null && number > 0) {
      ranks = number;
    }
  }

  /**
   * How many to start.
   *
   * @throws CommandException if that makes no sense
   */
  int toStart() {
    int number = ranks == null ? DEFAULT : ranks;
    if (number < 1) {
      throw new CommandException(
          ExitCode.INPUT, "%d ranks cannot be started: -n takes 1 or more".formatted(number));
    }
    return number;
  }

  Engine engine() {
    return engine;
  }

  String mpirun() {
    return mpirun;
  }
}
