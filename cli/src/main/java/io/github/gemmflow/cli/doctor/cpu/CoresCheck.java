// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.mpi.CoreBinding;
import io.github.gemmflow.mpi.binding.Launcher;
import java.util.Optional;

/** Check of the cores that this process may use. */
public final class CoresCheck {
  public static final String NAME = "Cores";

  private CoresCheck() {}

  /**
   * Looks at it from all sides.
   *
   * @param processors how many Java counts, which looks at the limits of containers, too
   */
  public static Finding look(
      Optional<CoreBinding> binding,
      Optional<Topology> topology,
      int processors,
      Launcher launcher) {
    if (binding.isEmpty()) {
      return Finding.ok(NAME, "%d, as Java counts".formatted(processors));
    }
    int allowed = binding.get().allowedCores();
    Optional<String> bound = binding.get().warning("");
    if (bound.isPresent()) {
      return launcher == Launcher.NONE || binding.get().isInherited()
          ? Finding.problem(
              NAME,
              bound.get(),
              "start it without taskset or numactl",
              "give its container more cores (docker: --cpuset-cpus)")
          : Finding.problem(NAME, bound.get(), remedy(topology, launcher));
    }
    String text =
        "this process may run on %d of %d".formatted(allowed, binding.get().onlineCores());
    if (topology.isPresent() && topology.get().hasSmt()) {
      int cores = topology.get().coresOf(NumberList.parse(binding.get().allowed()));
      text += " CPUs, which are " + Counted.of(cores, "core");
    }
    if (processors < allowed) {
      text += ", with the CPU time of %d".formatted(processors);
    }
    return processors == 1 && allowed > 1
        ? Finding.warning(
            NAME,
            text + ": communication and multiplication take turns",
            "raise the CPU limit of its container (docker: --cpus; Kubernetes: resources.limits.cpu)",
            "remove -XX:ActiveProcessorCount")
        : Finding.ok(NAME, text);
  }

  /** Where memory is near or far, a rank is better bound to a node than to nothing. */
  private static String remedy(Optional<Topology> topology, Launcher launcher) {
    return topology
        .filter(known -> known.nodes().size() > 1)
        .map(known -> "start one rank per NUMA node: " + NumaCheck.onePerNode(launcher, known))
        .orElseGet(() -> "give the launcher the option " + launcher.unbind());
  }
}
