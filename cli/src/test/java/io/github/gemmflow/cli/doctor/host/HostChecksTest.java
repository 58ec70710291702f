// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import static io.github.gemmflow.cli.doctor.check.Findings.assertFinding;
import static io.github.gemmflow.cli.doctor.check.Status.OK;
import static io.github.gemmflow.cli.doctor.check.Status.WARNING;

import io.github.gemmflow.cli.doctor.check.FakeMachine;
import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.Status;
import io.github.gemmflow.cli.doctor.host.NetworkInterfaces.Interface;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks of systems, memory and networks that are not at hand. */
class HostChecksTest {
  @TempDir private Path root;

  private Machine machine(Map<String, String> environment) {
    return new Machine(environment, Map.of(), root);
  }

  @ParameterizedTest
  @CsvSource({"Linux, amd64, OK", "Linux, aarch64, WARNING", "Mac OS X, amd64, WARNING"})
  void systems(String name, String processor, Status status) {
    Map<String, String> properties =
        Map.of("os.name", name, "os.version", "6.1", "os.arch", processor);
    Finding finding = SystemCheck.look(new Machine(Map.of(), properties, root));
    assertFinding(status, name + " 6.1, " + processor, status == OK ? "" : "tested on", finding);
  }

  @ParameterizedTest
  @CsvSource({
    "1024, 1024, OK, ''",
    "1024, 10, WARNING, ls -l /dev/shm",
    "64, 64, WARNING, --shm-size=1g",
    "255, 255, WARNING, --shm-size=1g",
    "256, 256, OK, ''"
  })
  void sharedMemory(long total, long free, Status status, String fix) {
    Path directory = Path.of("/dev/shm");
    assertFinding(
        status,
        "has %,d of %,d MiB free".formatted(free, total),
        fix,
        SharedMemoryCheck.judge(directory, "tmpfs", total << 20, free << 20));
  }

  @Test
  void networks() {
    Interface eth0 = new Interface("eth0", "10.0.0.1", 10_000, false);
    Interface ib0 = new Interface("ib0", "10.1.0.1", 0, false);
    Interface docker0 = new Interface("docker0", "172.17.0.1", 0, true);
    Machine free = machine(Map.of());
    assertFinding(WARNING, "on this host only", "ip link", NetworkCheck.look(free, List.of()));
    assertFinding(
        OK,
        "eth0 10.0.0.1 at 10,000 Mbit/s; ib0 10.1.0.1",
        "",
        NetworkCheck.look(free, List.of(eth0, ib0)));
    List<Interface> bridged = List.of(docker0, eth0);
    for (String fix :
        List.of("OMPI_MCA_btl_tcp_if_include=eth0", "UCX_NET_DEVICES=eth0", "FI_TCP_IFACE=eth0")) {
      assertFinding(WARNING, "also try docker0", fix, NetworkCheck.look(free, bridged));
    }
    Machine restricted = machine(Map.of("UCX_NET_DEVICES", "eth0"));
    assertFinding(
        OK, "is restricted to UCX_NET_DEVICES=eth0", "", NetworkCheck.look(restricted, bridged));
  }

  @Test
  void hugePages() throws IOException {
    FakeMachine fake = new FakeMachine(root);
    Path shm = Path.of("/dev/shm");
    assertFinding(OK, "no transparent huge pages", "", HugePagesCheck.look(fake.machine(), shm));
    String enabled = "sys/kernel/mm/transparent_hugepage/enabled";
    fake.put(enabled, "always [madvise] never");
    assertFinding(
        OK,
        "transparent: madvise; in /dev/shm: never; reserved (not used by Gemmflow): none",
        "",
        HugePagesCheck.look(fake.machine(), shm));
    fake.put(enabled, "always madvise [never]")
        .put("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512")
        .put("sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0")
        .put(
            "proc/mounts",
            """
            none / ext4 rw,huge=always 0 0
            tmpfs /dev/shm tmpfs rw,size=1k,huge=within_size 0 0
            tmpfs /dev/shm/other tmpfs rw 0 0""");
    assertFinding(
        WARNING,
        "transparent: never; in /dev/shm: within_size; reserved (not used by Gemmflow): 512 of 2048kB.",
        "echo madvise > /" + enabled,
        HugePagesCheck.look(fake.machine(), shm));
  }

  @Test
  void infiniBand() throws IOException {
    FakeMachine fake = new FakeMachine(root);
    assertFinding(OK, "no adapter", "", InfiniBandCheck.look(fake.machine()));
    String port = "sys/class/infiniband/mlx5_0/ports/1/";
    fake.put(port + "state", "1: DOWN").put(port + "rate", "200 Gb/sec (4X HDR)");
    assertFinding(
        WARNING,
        "mlx5_0 port 1: 1: DOWN, 200 Gb/sec (4X HDR). /dev/infiniband/uverbs* does not exist",
        "docker: --device=/dev/infiniband",
        InfiniBandCheck.look(fake.machine()));
    fake.put("dev/infiniband/uverbs0", "");
    assertFinding(
        WARNING, "No port is active", "subnet manager", InfiniBandCheck.look(fake.machine()));
    String limits = "Max processes 1 1 processes%nMax locked memory         %s   %1$s   bytes";
    fake.put(port + "state", "4: ACTIVE").put("proc/self/limits", limits.formatted("65536"));
    assertFinding(
        WARNING,
        "may lock only 64 KiB of memory",
        "ulimit -l unlimited",
        InfiniBandCheck.look(fake.machine()));
    fake.put("proc/self/limits", limits.formatted("unlimited"));
    assertFinding(
        OK, "mlx5_0 port 1: 4: ACTIVE, 200 Gb/sec", "", InfiniBandCheck.look(fake.machine()));
  }
}
