// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.mpi.binding.Launcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Check that the cores of a rank, and so its memory, are on one NUMA node. */
public final class NumaCheck {
  public static final String NAME = "NUMA";

  private NumaCheck() {}

  /**
   * Looks at all nodes.
   *
   * @param allowed the CPUs that this process may run on
   */
  public static Finding look(Optional<Topology> topology, NumberList allowed, Launcher launcher) {
    if (topology.isEmpty()) {
      return Finding.ok(NAME, "unknown: /sys is not mounted");
    }
    if (topology.get().nodes().size() == 1) {
      return Finding.ok(NAME, "1 node: all memory is equally near");
    }
    List<String> mine = new ArrayList<>();
    topology
        .get()
        .nodes()
        .forEach(
            (node, cpus) -> {
              int usable = cpus.in(allowed).size();
              if (usable > 0) {
                mine.add("%d of %d CPUs of node %d".formatted(usable, cpus.size(), node));
              }
            });
    String text =
        "%d nodes: %s. This process may use %s"
            .formatted(
                topology.get().nodes().size(),
                topology.get().nodes().entrySet().stream()
                    .map(node -> "node %d has CPUs %s".formatted(node.getKey(), node.getValue()))
                    .collect(Collectors.joining(", ")),
                String.join(" and ", mine));
    if (mine.size() <= 1) {
      return Finding.ok(NAME, text);
    }
    return launcher == Launcher.NONE
        ? Finding.ok(NAME, text + "; start one rank per node")
        : Finding.warning(
            NAME,
            text + ": this rank reads much of its data from the memory of another node",
            "start one rank per node: " + onePerNode(launcher, topology.get()));
  }

  /** The command that starts a rank on each node, with all of its cores. */
  static String onePerNode(Launcher launcher, Topology topology) {
    int nodes = topology.nodes().size();
    return switch (launcher) {
      case OPEN_MPI ->
          "mpirun -n %d --map-by ppr:1:numa --bind-to numa (-n: nodes of all hosts)"
              .formatted(nodes);
      case HYDRA ->
          "mpirun -n %d -map-by numa -bind-to numa (-n: nodes of all hosts)".formatted(nodes);
      default ->
          "srun --ntasks-per-node=%d --cpus-per-task=%d --cpu-bind=ldoms"
              .formatted(nodes, topology.cpus().size() / nodes);
    };
  }
}
