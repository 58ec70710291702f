// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import io.github.gemmflow.system.ranks.BigGather;
import io.github.gemmflow.system.ranks.Contract;
import io.github.gemmflow.system.ranks.Guest;
import io.github.gemmflow.system.ranks.ManyGroups;
import io.github.gemmflow.system.ranks.ManyOperators;
import io.github.gemmflow.system.ranks.ManyRanks;
import io.github.gemmflow.system.ranks.ManySteps;
import io.github.gemmflow.system.ranks.Mix;
import io.github.gemmflow.system.ranks.Operators;
import io.github.gemmflow.system.ranks.RowsEnterOnce;
import io.github.gemmflow.system.ranks.WindowMemory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs tests on real processes and says how many passed. */
@Command(
    name = "system-tests/run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Runs tests on real processes, on this host or on several of the lab.")
public final class Run implements Callable<Integer> {
  /** What can be tested. */
  enum Suite {
    CONTRACT,
    OPERATORS,
    ENTERING,
    MEMORY,
    STEPS,
    OPERATORS_AT_ONCE,
    GUEST,
    BIG,
    MANY_RANKS,
    MIX,
    GROUPS,
    KILL,
    STOP,
    FAULTS,
    FAULTS_WITH_CLEAN_UP
  }

  @Option(names = "--mpi", required = true, description = "${COMPLETION-CANDIDATES}")
  private MpiFamily mpi = MpiFamily.OPENMPI;

  @Option(names = "--ranks", required = true, description = "number of processes")
  private int ranks;

  @Option(
      names = "--hosts",
      defaultValue = "1",
      description = "number of lab hosts (default: 1, this host)")
  private int hosts;

  @Option(
      names = "--pretend",
      description = {
        "hosts of this machine: ranks that share memory only within a host, and between which MPI uses shared memory, as a",
        "stand-in for fast fabrics"
      })
  private boolean pretend;

  @Option(
      names = "--test",
      split = ",",
      description = {
        "${COMPLETION-CANDIDATES}; by default contract and operators:",
        "contract           the contract that every engine keeps",
        "operators          random exact cases of operators",
        "entering           each row enters, each sum leaves each host once (several hosts)",
        "memory             rows are in memory once (one host)",
        "steps              100,000 small steps: nothing leaks",
        "operators_at_once  2,000 operators alive at once",
        "guest              null checks, stack overflows, full collections",
        "big                a gather of more than 2 GiB",
        "many_ranks         start-up, steps, memory and threads of small JVMs, such as 64 on 8 hosts",
        "mix                operators in two groups and broadcasts in a third, all at once",
        "groups             2,100 groups in sequence; MPICH has 2,048 communicators",
        "kill, stop         a rank is lost in the middle of a step",
        "faults             a rank throws, is killed or told to end anywhere (one host)",
        "faults_with_clean_up  the same, with what the launcher does about it"
      })
  private List<Suite> suites = List.of(Suite.CONTRACT, Suite.OPERATORS);

  @Option(names = "--cases", defaultValue = "100", description = "operator cases (default: 100)")
  private int cases;

  @Option(names = "--seed", description = "seed of the first case (default: random)")
  private long seed = new SplittableRandom().nextLong(1L << 40);

  @Option(names = "--trials", defaultValue = "20", description = "lost ranks (default: 20)")
  private int trials;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "duration of mix in seconds (default: 10)")
  private long seconds;

  @Option(
      names = "--pretended-hosts",
      defaultValue = "2",
      description = "number of hosts that the ranks of mix act as (default: 2)")
  private int pretendedHosts;

  @Option(names = "--java", description = "an option for Java, such as -Dgemmflow.idle=spin")
  private List<String> javaOptions = List.of();

  private final PrintWriter out;
  private final Tally tally;

  Run(PrintWriter out) {
    this.out = out;
    tally = new Tally(out);
  }

  public static void main(String[] arguments) {
    System.exit(execute(new PrintWriter(System.out, true, System.out.charset()), arguments));
  }

  /** Runs tests and returns the exit code. */
  static int execute(PrintWriter out, String... arguments) {
    return new CommandLine(new Run(out))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setOut(out)
        .setErr(out)
        .execute(arguments);
  }

  @Override
  public Integer call() {
    out.printf("%s, ranks: %d, hosts: %d, seed %d%n", mpi, ranks, hosts, seed);
    Lab lab = new Lab(hosts, pretend ? Lab.MEMORY : "");
    lab.up();
    try {
      suites.forEach(this::run);
    } finally {
      lab.down();
    }
    out.printf("%d passed, %d failed%n", tally.passed(), tally.failed());
    return tally.failed() == 0 && tally.passed() > 0 ? 0 : 1;
  }

  private void run(Suite suite) {
    switch (suite) {
      case CONTRACT -> tally.count(job(), Contract.class);
      case OPERATORS ->
          tally.count(
              job().patience(Duration.ofMinutes(20)),
              Operators.class,
              Integer.toString(cases),
              Long.toString(seed));
      case ENTERING -> tally.count(job(), RowsEnterOnce.class);
      case MEMORY -> tally.count(job(), WindowMemory.class);
      case STEPS ->
          // A heap that is there from the start, so that what grows is not the heap.
          tally.count(
              job().java(List.of("-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch")),
              ManySteps.class,
              "100000");
      case OPERATORS_AT_ONCE -> tally.count(job(), ManyOperators.class, "2000");
      case GUEST -> {
        // Both compilers, because they check for null in different ways.
        tally.count(job(), Guest.class);
        tally.count(job().java(List.of("-XX:TieredStopAtLevel=1")), Guest.class);
        tally.count(job().modules(), Guest.class);
      }
      case BIG -> tally.count(job(), BigGather.class);
      case MANY_RANKS ->
          tally.count(
              job().small().counted().patience(Duration.ofMinutes(20)),
              ManyRanks.class,
              Long.toString(System.currentTimeMillis()));
      case MIX ->
          tally.count(
              job().patience(Duration.ofSeconds(seconds).plusMinutes(4)),
              Mix.class,
              Long.toString(seconds),
              Integer.toString(pretendedHosts),
              Long.toString(seed));
      case GROUPS -> tally.count(job(), ManyGroups.class, "2100");
      case KILL -> new FaultTrials(mpi, ranks, hosts, "KILL", seed, tally).run(trials);
      case STOP -> new FaultTrials(mpi, ranks, hosts, "STOP", seed, tally).run(trials);
      case FAULTS -> new FaultSoak(mpi, ranks, false, seed, tally).run(trials);
      case FAULTS_WITH_CLEAN_UP -> new FaultSoak(mpi, ranks, true, seed, tally).run(trials);
    }
  }

  private Job job() {
    return new Job(mpi, ranks, hosts).pretendsHosts(pretend).java(javaOptions);
  }
}
