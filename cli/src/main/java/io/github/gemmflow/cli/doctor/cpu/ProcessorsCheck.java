// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.measure.Counted;
import java.util.Optional;

/** Check of sockets, cores and SMT, and whether there is a core for each compute thread. */
public final class ProcessorsCheck {
  public static final String NAME = "Processors";

  private static final String THREADS = "gemmflow.threads";

  private ProcessorsCheck() {}

  /**
   * Looks at all processors of the machine.
   *
   * @param allowed the CPUs that this process may run on
   * @param threads of this process that multiply
   */
  public static Finding look(
      Machine machine, Optional<Topology> topology, NumberList allowed, int threads) {
    if (topology.isEmpty()) {
      return Finding.ok(NAME, "unknown: /sys is not mounted");
    }
    int cores = topology.get().coresOf(allowed);
    String text = describe(topology.get());
    // Without SMT a rank that has too few cores says so itself.
    if (cores == 0 || threads <= cores || cores == allowed.size()) {
      return Finding.ok(NAME, text);
    }
    String fix = "-D%s=%d, one thread for each core".formatted(THREADS, cores);
    return Finding.warning(
        NAME,
        "%s. The %d compute threads of this process share the arithmetic units of %s"
            .formatted(text, threads, Counted.of(cores, "core")),
        machine.setting(THREADS).map(made -> "%s; %s".formatted(made.undo(), fix)).orElse(fix));
  }

  private static String describe(Topology topology) {
    String text =
        "%s, %s"
            .formatted(
                Counted.of(topology.sockets(), "socket"),
                Counted.of(topology.cores().size(), "core"));
    return topology.hasSmt()
        ? "%s with SMT: %s".formatted(text, Counted.of(topology.cpus().size(), "CPU"))
        : text + " without SMT";
  }
}
