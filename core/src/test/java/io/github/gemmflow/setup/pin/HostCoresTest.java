// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup.pin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cores of machines that are not at hand. */
class HostCoresTest {
  @TempDir private Path root;

  private void put(String file, String line) throws IOException {
    Path path = root.resolve("sys/devices/system").resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, line + "\n");
  }

  /** Two sockets of 60 cores with SMT, a NUMA node each, numbered as Linux does on x86. */
  private void makeTwoSockets() throws IOException {
    for (int cpu = 0; cpu < 240; cpu++) {
      put(
          "cpu/cpu%d/topology/thread_siblings_list".formatted(cpu),
          "%d,%d".formatted(cpu % 120, cpu % 120 + 120));
    }
    put("node/node0/cpulist", "0-59,120-179");
    put("node/node1/cpulist", "60-119,180-239");
  }

  private static BitSet cpus(int from, int to) {
    BitSet cpus = new BitSet();
    cpus.set(from, to);
    return cpus;
  }

  private static List<Integer> range(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  @Test
  void ranksOfAWholeMachineGetWholeCoresOfANode() throws IOException {
    makeTwoSockets();
    HostCores cores = HostCores.read(root, cpus(0, 240));
    List<Integer> second = cores.share(1, 2);
    assertEquals(range(60, 120), second.subList(0, 60));
    assertEquals(range(180, 240), second.subList(60, 120));
    assertEquals(range(15, 30), cores.share(1, 8).subList(0, 15));
    assertEquals(range(135, 150), cores.share(1, 8).subList(15, 30));
  }

  /** Some machines give even numbers to one node and odd numbers to the other. */
  @Test
  void nodesThatTakeTurns() throws IOException {
    put("node/node0/cpulist", "0,2,4,6");
    put("node/node1/cpulist", "1,3,5,7");
    HostCores cores = HostCores.read(root, cpus(0, 8));
    assertEquals(List.of(0, 2, 4, 6), cores.share(0, 2));
    assertEquals(List.of(1, 3, 5, 7), cores.share(1, 2));
  }

  /** As on many rented machines. */
  @Test
  void siblingsSideBySide() throws IOException {
    for (int cpu = 0; cpu < 8; cpu++) {
      int first = cpu - cpu % 2;
      put(
          "cpu/cpu%d/topology/thread_siblings_list".formatted(cpu),
          "%d-%d".formatted(first, first + 1));
    }
    assertEquals(List.of(0, 2, 1, 3), HostCores.read(root, cpus(0, 8)).share(0, 2));
    // Half of a core is a core, too.
    assertEquals(List.of(3, 4, 6, 5, 7), HostCores.read(root, cpus(3, 8)).share(0, 1));
  }

  @Test
  void unevenShares() {
    HostCores cores = HostCores.read(root, cpus(0, 5));
    assertEquals(List.of(0), cores.share(0, 3));
    assertEquals(List.of(1, 2), cores.share(1, 3));
    assertEquals(List.of(3, 4), cores.share(2, 3));
  }

  @Test
  void moreRanksThanCores() {
    HostCores cores = HostCores.read(root, cpus(0, 2));
    assertEquals(
        List.of(0, 0, 1, 1),
        IntStream.range(0, 4).mapToObj(i -> cores.share(i, 4).getFirst()).toList());
  }
}
