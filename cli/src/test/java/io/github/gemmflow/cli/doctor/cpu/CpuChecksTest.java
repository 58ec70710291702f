// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import static io.github.gemmflow.cli.doctor.check.Findings.assertFinding;
import static io.github.gemmflow.cli.doctor.check.Status.OK;
import static io.github.gemmflow.cli.doctor.check.Status.PROBLEM;
import static io.github.gemmflow.cli.doctor.check.Status.WARNING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.cli.doctor.check.FakeMachine;
import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.cli.doctor.check.Status;
import io.github.gemmflow.mpi.CoreBinding;
import io.github.gemmflow.mpi.binding.Launcher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks of processors that are not at hand. */
class CpuChecksTest {
  private static final NumberList FIRST_NODE = NumberList.parse("0-59,120-179");
  private static final NumberList ALL = NumberList.parse("0-239");

  @TempDir private Path root;
  private FakeMachine large;
  private FakeMachine virtual;

  @BeforeEach
  void fakeMachines() throws IOException {
    large = new FakeMachine(root.resolve("large")).withTwoSocketsOf60Cores();
    virtual = new FakeMachine(root.resolve("virtual")).withFourCores();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0-7 | 8 | NONE     | OK      | may run on 8 of 8               |
          0-7 | 3 | NONE     | OK      | with the CPU time of 3          |
          0-7 | 1 | NONE     | WARNING | with the CPU time of 1          | docker: --cpus
          5   | 1 | NONE     | PROBLEM | bound to core 5, one of 8       | without taskset
          5   | 1 | OPEN_MPI | PROBLEM | bound to core 5, one of 8       | option --bind-to none
          5   | 1 | SLURM    | PROBLEM | bound to core 5, one of 8       | option -c 2
          """)
  void cores(
      String allowed, int processors, Launcher launcher, Status status, String text, String fix) {
    Optional<CoreBinding> binding = Optional.of(new CoreBinding(allowed, "0-7", "0-7"));
    Finding finding = CoresCheck.look(binding, Optional.empty(), processors, launcher);
    assertFinding(status, text, fix == null ? "" : fix, finding);
  }

  @Test
  void coresOfALargeMachine() throws IOException {
    Optional<Topology> topology = Topology.read(large.machine());
    CoreBinding node = new CoreBinding("0-59,120-179", "0-239", "0-239");
    assertFinding(
        OK,
        "may run on 120 of 240 CPUs, which are 60 cores",
        "",
        CoresCheck.look(Optional.of(node), topology, 120, Launcher.OPEN_MPI));
    CoreBinding one = new CoreBinding("5", "0-239", "0-239");
    assertFinding(
        PROBLEM,
        "bound to core 5, one of 240",
        "one rank per NUMA node: mpirun -n 2 --map-by ppr:1:numa --bind-to numa",
        CoresCheck.look(Optional.of(one), topology, 1, Launcher.OPEN_MPI));
  }

  @Test
  void processors() {
    assertEquals(
        Finding.ok("Processors", "2 sockets, 120 cores with SMT: 240 CPUs"),
        ProcessorsCheck.look(large.machine(), Topology.read(large.machine()), FIRST_NODE, 60));
    assertEquals(
        Finding.ok("Processors", "1 socket, 4 cores without SMT"),
        ProcessorsCheck.look(
            virtual.machine(), Topology.read(virtual.machine()), NumberList.parse("0-3"), 8));
    assertFinding(
        OK,
        "unknown: /sys is not mounted",
        "",
        ProcessorsCheck.look(large.machine(), Optional.empty(), FIRST_NODE, 60));
  }

  /** A second thread on a core adds no arithmetic. */
  @Test
  void moreThreadsThanCores() {
    assertFinding(
        WARNING,
        "The 120 compute threads of this process share the arithmetic units of 60 cores",
        "unset GEMMFLOW_THREADS; -Dgemmflow.threads=60, one thread for each core",
        ProcessorsCheck.look(
            large.machine(Map.of("GEMMFLOW_THREADS", "120")),
            Topology.read(large.machine()),
            FIRST_NODE,
            120));
  }

  @ParameterizedTest
  @CsvSource({
    "OPEN_MPI, mpirun -n 2 --map-by ppr:1:numa --bind-to numa",
    "HYDRA, mpirun -n 2 -map-by numa -bind-to numa",
    "SLURM, srun --ntasks-per-node=2 --cpus-per-task=120 --cpu-bind=ldoms",
    "SLURM_PMI2, srun --ntasks-per-node=2 --cpus-per-task=120 --cpu-bind=ldoms"
  })
  void aRankOnTwoNodes(Launcher launcher, String fix) {
    assertFinding(
        WARNING,
        "This process may use 120 of 120 CPUs of node 0 and 120 of 120 CPUs of node 1: this rank reads much",
        fix,
        NumaCheck.look(Topology.read(large.machine()), ALL, launcher));
  }

  @Test
  void nodes() {
    Optional<Topology> topology = Topology.read(large.machine());
    assertFinding(
        OK,
        "2 nodes: node 0 has CPUs 0-59,120-179, node 1 has CPUs 60-119,180-239. This process may use 120 of 120 CPUs of node 0",
        "",
        NumaCheck.look(topology, FIRST_NODE, Launcher.OPEN_MPI));
    assertFinding(
        OK,
        "may use 4 of 120 CPUs of node 1",
        "",
        NumaCheck.look(topology, NumberList.parse("60-63"), Launcher.OPEN_MPI));
    assertFinding(
        OK, "; start one rank per node", "", NumaCheck.look(topology, ALL, Launcher.NONE));
    assertFinding(
        OK,
        "1 node",
        "",
        NumaCheck.look(
            Topology.read(virtual.machine()), NumberList.parse("0-3"), Launcher.OPEN_MPI));
    assertFinding(OK, "not mounted", "", NumaCheck.look(Optional.empty(), ALL, Launcher.OPEN_MPI));
  }

  /** Some nodes have memory only. */
  @Test
  void aNodeWithoutCores() throws IOException {
    large
        .put("sys/devices/system/node/online", "0-2")
        .put("sys/devices/system/node/node2/cpulist", "");
    assertEquals(2, Topology.read(large.machine()).orElseThrow().nodes().size());
  }

  @Test
  void governors() throws IOException {
    assertFinding(OK, "none: the hypervisor", "", GovernorCheck.look(virtual.machine()));
    large.withGovernor("performance", 0, 240);
    assertFinding(OK, "performance on 240 CPUs", "", GovernorCheck.look(large.machine()));
    large.withGovernor("powersave", 239, 240);
    assertFinding(
        WARNING,
        "performance on 239 CPUs, powersave on 1 CPU:",
        "cpupower frequency-set -g performance",
        GovernorCheck.look(large.machine()));
  }
}
