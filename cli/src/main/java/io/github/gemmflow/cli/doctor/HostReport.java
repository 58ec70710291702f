// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.Version;
import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.Status;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Report on a host: by a process that is alone there, or by the first of its ranks for all. */
public final class HostReport {
  /** Ranks that were started together are done together, give or take what cores they share. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Open MPI ends the whole job as soon as a rank ends with an error: others are to print first.
   */
  private static final Duration OTHER_HOSTS = Duration.ofSeconds(5);

  private final Machine machine;
  private final Launcher launcher;
  private final Consumer<Diagnosis> printer;

  private HostReport(Machine machine, Launcher launcher, Consumer<Diagnosis> printer) {
    this.machine = machine;
    this.launcher = launcher;
    this.printer = printer;
  }

  /**
   * Looks at this process and its machine, and returns when what was found is printed, here or by
   * another rank of this host.
   *
   * @param mpirun the name or path of what is to start ranks
   * @param printer called once, or not at all in ranks that another one prints for
   * @return whether nothing stands in the way of this process
   */
  public static boolean make(String mpirun, Consumer<Diagnosis> printer) {
    Machine machine = Machine.current();
    List<Finding> findings = new Doctor(machine, mpirun).examine();
    boolean ready = findings.stream().noneMatch(finding -> finding.status() == Status.PROBLEM);
    new HostReport(machine, Launcher.current(), printer).print(findings, ready);
    return ready;
  }

  private void print(List<Finding> findings, boolean ready) {
    Optional<HostRanks> ranks = HostRanks.of(launcher, machine.environment());
    if (ranks.isEmpty() || ranks.get().count() == 1 || !meet(ranks.get(), findings)) {
      printer.accept(diagnosis(findings, List.of(launcher.rank())));
    }
    if (!ready && ranks.isPresent() && ranks.get().count() < launcher.tasks()) {
      LockSupport.parkNanos(OTHER_HOSTS.toNanos());
    }
  }

  /** Returns whether the findings are printed. */
  private boolean meet(HostRanks ranks, List<Finding> findings) {
    HostMeeting meeting =
        new HostMeeting(
            Path.of(machine.property("java.io.tmpdir")),
            HostMeeting.nameOfJob(machine, ranks),
            ranks);
    try {
      meeting.leave(new RankFindings(launcher.rank(), findings));
      if (ranks.index() > 0) {
        return meeting.awaitEnd(PATIENCE.multipliedBy(2));
      }
      List<RankFindings> all = meeting.collect(PATIENCE);
      printer.accept(
          diagnosis(
              HostSummary.of(all, ranks.count(), PATIENCE),
              all.stream().map(RankFindings::rank).toList()));
      meeting.end();
      return true;
    } catch (IOException e) {
      // Each for itself, then: that more is printed than need be is no reason to print less.
      return false;
    }
  }

  private Diagnosis diagnosis(List<Finding> findings, List<Integer> ranks) {
    String place =
        launcher == Launcher.NONE
            ? machine.host()
            : "%s (%s of %d)"
                .formatted(machine.host(), HostSummary.describe(ranks), launcher.tasks());
    return new Diagnosis("gemmflow %s on %s".formatted(Version.TEXT, place), findings);
  }
}
