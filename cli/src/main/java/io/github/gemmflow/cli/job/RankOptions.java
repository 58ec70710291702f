// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import static java.util.stream.Collectors.joining;

import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.measure.Counted;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the number and kind of ranks. */
public final class RankOptions {
  /** Who carries rows between ranks. */
  public enum Engine {
    MPI,
    LOCAL
  }

  private static final int DEFAULT = 2;

  @Option(
      names = {"-n", "--ranks"},
      split = ",",
      paramLabel = "N",
      description = "number of ranks to start, if no launcher has (default: 2; 1 to run a model)")
  private List<Integer> ranks = List.of();

  private int standard = DEFAULT;

  @Option(
      names = "--engine",
      defaultValue = "mpi",
      description = "engine: mpi starts processes, local starts threads (default: mpi)")
  private Engine engine = Engine.MPI;

  @Option(
      names = "--mpirun",
      defaultValue = "mpirun",
      paramLabel = "PROGRAM",
      description = "MPI launcher (default: mpirun)")
  private String mpirun = "mpirun";

  @Option(
      names = "--hosts",
      description =
          "with --engine local: number of simulated hosts, each with consecutive ranks (default: 1)")
  private @Nullable Integer hosts;

  @Option(
      names = "--rate",
      description = "rate of a simulated host's link, for example 1gbit (default: no limit)")
  private @Nullable String rate;

  @Option(
      names = "--latency",
      paramLabel = "TIME",
      description = "latency of a simulated host's link, for example 50us (default: none)")
  private @Nullable String latency;

  /** Whether somebody said how many. */
  boolean isGiven() {
    return !ranks.isEmpty();
  }

  /** The number to start if none was given; two, unless set to 1 or more. */
  public void orElse(int number) {
    standard = number > 0 ? number : DEFAULT;
  }

  /**
   * How many to start.
   *
   * @throws CommandException if that makes no sense
   */
  public int toStart() {
    List<Integer> numbers = allToStart();
    if (numbers.size() != 1) {
      throw new CommandException(
          ExitCode.INPUT,
          "-n %s: this command takes one number; only bench accepts a list".formatted(text()));
    }
    return numbers.getFirst();
  }

  /**
   * How many to start, in one job after the other.
   *
   * @throws CommandException if that makes no sense
   */
  public List<Integer> allToStart() {
    for (int number : ranks) {
      if (number < 1) {
        throw new CommandException(
            ExitCode.INPUT, "%d ranks cannot be started: -n takes 1 or more".formatted(number));
      }
    }
    return ranks.isEmpty() ? List.of(standard) : ranks;
  }

  /** As somebody said it. */
  String text() {
    return ranks.stream().map(String::valueOf).collect(joining(","));
  }

  /** How many of the ranks share the memory of this process. */
  public int inThisProcess() {
    return engine == Engine.LOCAL ? toStart() : 1;
  }

  public Engine engine() {
    return engine;
  }

  /**
   * Ranks as threads, on one host or on simulated ones.
   *
   * @throws CommandException if that makes no sense
   */
  LocalWorld localWorld(int number) {
    int over = hosts == null ? 1 : hosts;
    if (over == 1 && (rate != null || latency != null)) {
      throw new CommandException(
          ExitCode.INPUT, "--rate and --latency apply to links between hosts: add --hosts 2");
    }
    return LocalWorld.onHosts(spread(number, over))
        .links(
            rate == null ? 0 : Units.rate("--rate", rate),
            latency == null ? Duration.ZERO : Units.time("--latency", latency));
  }

  /** Throws if options are for ranks as threads, and ranks are processes. */
  void checkProcesses() {
    if (hosts != null || rate != null || latency != null) {
      throw new CommandException(
          ExitCode.INPUT,
          "--hosts, --rate and --latency simulate hosts, which requires ranks that are threads: add --engine local");
    }
  }

  /** The host of each rank, neighbours together. */
  public static int[] spread(int ranks, int hosts) {
    if (hosts < 1 || ranks < hosts) {
      throw new CommandException(
          ExitCode.INPUT,
          "%s cannot be spread over %s: each host needs at least one"
              .formatted(Counted.of(ranks, "rank"), Counted.of(hosts, "host")));
    }
    return IntStream.range(0, ranks).map(rank -> rank * hosts / ranks).toArray();
  }

  String mpirun() {
    return mpirun;
  }
}
