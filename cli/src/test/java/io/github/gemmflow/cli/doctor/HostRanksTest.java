// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.mpi.binding.Launcher;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostRanksTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          OPEN_MPI   | OMPI_COMM_WORLD_LOCAL_RANK=3 OMPI_COMM_WORLD_LOCAL_SIZE=4           | 4
          HYDRA      | MPI_LOCALRANKID=3 MPI_LOCALNRANKS=5                                 | 5
          SLURM      | SLURM_LOCALID=3 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=6          | 6
          SLURM      | SLURM_LOCALID=3 SLURM_NODEID=1 SLURM_STEP_TASKS_PER_NODE=7(x2),4    | 7
          SLURM_PMI2 | SLURM_LOCALID=3 SLURM_NODEID=2 SLURM_STEP_TASKS_PER_NODE=7(x2),4(x3) | 4
          SLURM      | SLURM_LOCALID=3 SLURM_NODEID=3 SLURM_STEP_TASKS_PER_NODE=7(x2),4,8  | 8
          """)
  void asLaunchersSay(Launcher launcher, String variables, int count) {
    Map<String, String> environment = new HashMap<>();
    String[] settings = variables.split(" ", -1);
    for (String setting : settings) {
      String[] parts = setting.split("=", -1);
      environment.put(parts[0], parts[1]);
    }
    String first = settings[0].substring(0, settings[0].indexOf('='));
    assertEquals(Optional.of(new HostRanks(first, 3, count)), HostRanks.of(launcher, environment));
  }

  @Test
  void unknown() {
    for (Launcher launcher : Launcher.values()) {
      assertEquals(Optional.empty(), HostRanks.of(launcher, Map.of()));
    }
  }
}
