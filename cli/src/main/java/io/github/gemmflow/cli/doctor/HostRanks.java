// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.mpi.binding.Launcher;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ranks that a launcher started on this host, as its variables say.
 *
 * @param variable the one that holds the index
 * @param index of this process among them, from 0
 * @param count how many there are
 */
record HostRanks(String variable, int index, int count) {
  /** Nothing if the launcher does not say, or if there is none. */
  static Optional<HostRanks> of(Launcher launcher, Map<String, String> environment) {
    return switch (launcher) {
      case OPEN_MPI ->
          read(
              environment,
              "OMPI_COMM_WORLD_LOCAL_RANK",
              environment.get("OMPI_COMM_WORLD_LOCAL_SIZE"));
      case HYDRA -> read(environment, "MPI_LOCALRANKID", environment.get("MPI_LOCALNRANKS"));
      case SLURM, SLURM_PMI2 -> read(environment, "SLURM_LOCALID", tasksOfSlurmNode(environment));
      case NONE -> Optional.empty();
    };
  }

  private static Optional<HostRanks> read(
      Map<String, String> environment, String variable, @Nullable String count) {
    String index = environment.get(variable);
    return index == null || count == null
        ? Optional.empty()
        : Optional.of(new HostRanks(variable, Integer.parseInt(index), Integer.parseInt(count)));
  }

  /** Slurm lists the tasks of each node of a step, such as {@code 4(x2),3}. */
  private static @Nullable String tasksOfSlurmNode(Map<String, String> environment) {
    String list = environment.get("SLURM_STEP_TASKS_PER_NODE");
    String node = environment.get("SLURM_NODEID");
    if (list == null || node == null) {
      return null;
    }
    int left = Integer.parseInt(node);
    for (String run : list.split(",", -1)) {
      String[] parts = run.split("\\(x|\\)", -1);
      left -= parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
      if (left < 0) {
        return parts[0];
      }
    }
    return null;
  }
}
