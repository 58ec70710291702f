// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.system.Job;
import io.github.gemmflow.system.Lab;
import io.github.gemmflow.system.MpiFamily;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Gemmflow's all-gather against {@code MPI_Allgather} or {@code MPI_Allgatherv}, interleaved. */
@Command(
    name = "benchmarks/allgather",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares Gemmflow's all-gather with MPI_Allgather from C, interleaved in one run.",
      "Each round measures bare, in place, bare, copied out, every other one backwards; a ratio is the median",
      "over adjacent pairs, with its bounds at 95 %% confidence; a time is the slowest rank's."
    })
public final class AllGatherBenchmark implements Callable<Integer> {
  @Option(names = "--mpi", required = true, description = "MPI library: ${COMPLETION-CANDIDATES}")
  private MpiFamily mpi = MpiFamily.OPENMPI;

  @Option(names = "--ranks", defaultValue = "2", description = "processes (default: 2)")
  private int ranks;

  @Option(names = "--hosts", defaultValue = "1", description = "hosts of the lab (default: 1)")
  private int hosts;

  @Option(
      names = "--rate",
      defaultValue = "",
      description = {
        "rate of each host's link, each way, or none for no limit; or memory: ranks of this host that act as hosts,",
        "between which MPI uses shared memory, as a stand-in for fast fabrics (default: none, or that",
        "of the hosts that are up)"
      })
  private String rate = "";

  @Option(
      names = "--along",
      defaultValue = "rows",
      description =
          "rows, or columns: against MPI_Allgatherv with a vector type (default: ${DEFAULT-VALUE})")
  private Along along = Along.ROWS;

  /** What is gathered: whole rows of each rank, or a part of each row. */
  enum Along {
    ROWS,
    COLUMNS
  }

  @Option(
      names = "--bytes",
      split = ",",
      defaultValue = "8192,524288,16777216",
      description = "bytes per rank (default: ${DEFAULT-VALUE})")
  private List<Long> sizes = List.of();

  @Option(names = "--rounds", defaultValue = "60", description = "rounds per size (default: 60)")
  private int rounds;

  @Option(
      names = "--limit",
      defaultValue = "1.03",
      description = "limit of the ratio (default: 1.03)")
  private double limit;

  @Option(names = "--java", description = "an option for Java, such as -Dgemmflow.idle=spin")
  private List<String> javaOptions = List.of();

  public static void main(String[] arguments) {
    CommandLine line =
        new CommandLine(new AllGatherBenchmark()).setCaseInsensitiveEnumValuesAllowed(true);
    System.exit(line.execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Lab lab = new Lab(hosts, rate);
    lab.up();
    try (Contest contest = new Contest(ranks)) {
      Job job = new Job(mpi, ranks, hosts).pretendsHosts(lab.isPretended()).java(javaOptions);
      Pipes bares = contest.start("bare", job.command(List.of(bareProgram(), contest.directory())));
      Pipes ours = contest.start(Commands.NAME, job.command(Gatherer.class, contest.directory()));
      System.out.printf(
          "%s, %s on %s, along %s, %d rounds%n",
          mpi,
          Counted.of(ranks, "rank"),
          Counted.of(hosts, "host"),
          along.toString().toLowerCase(Locale.ROOT),
          rounds);
      for (long bytes : sizes) {
        compare(lab, bares, ours, bytes);
      }
    } finally {
      lab.down();
    }
    return 0;
  }

  /** Where the script that runs this puts what it compiles. */
  private String bareProgram() {
    return System.getProperty("gemmflow.benchmarks.programs") + "/allgather." + mpi;
  }

  private void compare(Lab lab, Pipes bares, Pipes ours, long bytes) throws IOException {
    boolean columns = along == Along.COLUMNS;
    String bareName = columns ? "columns" : "bare";
    String prefix = columns ? Gatherer.ALONG_COLUMNS : "";
    int iterations = iterations(bares, bareName, bytes);
    Comparison control = new Comparison("bare again", limit);
    Comparison inPlace = new Comparison("in place", limit);
    Comparison copied = new Comparison("copied out", limit);
    List<Double> commShares = new ArrayList<>();
    List<Double> carried = new ArrayList<>();
    // The JIT needs some thousand steps.
    int warmUp = Math.max(1, rounds / 10);
    for (int round = -warmUp; round < rounds; round++) {
      Pipes.Time[] turns = new Pipes.Time[4];
      long entered = 0;
      for (int place = 0; place < turns.length; place++) {
        // Every other round goes backwards: if the machine becomes slower, that favours nobody.
        int turn = round % 2 == 0 ? place : turns.length - 1 - place;
        long before = lab.bytesIntoFirstHost();
        turns[turn] =
            switch (turn) {
              case 1 -> ours.run(prefix + Gatherer.IN_PLACE, bytes, iterations);
              case 3 -> ours.run(prefix + Gatherer.COPIED, bytes, iterations);
              default -> bares.run(bareName, bytes, iterations);
            };
        entered = turn == 1 ? lab.bytesIntoFirstHost() - before : entered;
      }
      if (round >= 0) {
        inPlace.add(turns[1].nanos(), turns[0].nanos(), iterations);
        copied.add(turns[3].nanos(), turns[2].nanos(), iterations);
        control.add(turns[2].nanos(), turns[0].nanos(), iterations);
        // One more than is measured, with which all ranks begin together.
        carried.add(entered / (enters(bytes) * (iterations + 1.0)));
        commShares.add(100.0 * turns[1].extra() / turns[1].nanos());
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%,d bytes per rank, %d per measurement%n  %-10s %10.1f us   %.3f x itself%s%n  %s%n  %s%n",
        bytes,
        iterations,
        "bare",
        control.rivalMicros(),
        control.ratio(),
        rateReached(bytes, control.rivalMicros()),
        inPlace.line(control),
        copied.line(control));
    System.out.printf(
        Locale.ROOT, "  communication thread %.1f %% of one core%n", Comparison.median(commShares));
    if (lab.hasLinks()) {
      double share = Comparison.median(carried);
      System.out.printf(
          Locale.ROOT,
          "  the link carried %.3f x the rows that had to cross it%s%n",
          share,
          share >= 1 && share <= 1.1 ? "" : ": the figures are void");
    }
  }

  /** The bytes that have to come into each host. */
  private double enters(long bytes) {
    return (double) bytes * (ranks - ranks / hosts);
  }

  /** What comes into each host at once, which may be less than the rate that is set. */
  private String rateReached(long bytes, double micros) {
    return hosts == 1
        ? ""
        : String.format(Locale.ROOT, "; %.2f Gbit/s into each host", enters(bytes) / micros / 125);
  }

  /** Enough for about 20 ms, by the best of a few tries: the first ones meet starting JVMs. */
  private static int iterations(Pipes bares, String name, long bytes) throws IOException {
    long best = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      best = Math.min(best, bares.run(name, bytes, 10).nanos());
    }
    return Math.clamp(200_000_000 / Math.max(1, best), 1, 5000);
  }
}
