// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup.pin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Cores that a process may use, ordered by NUMA node: neighbours in this order are near each other.
 * A core is one CPU of Linux, or several with SMT.
 *
 * @param cores the CPUs of each, of those that the process may use
 */
record HostCores(List<BitSet> cores) {
  private static final String CPUS = "sys/devices/system/cpu";
  private static final String NODES = "sys/devices/system/node";

  /**
   * Reads what Linux knows of CPUs; each is a core of its own if it knows nothing.
   *
   * @param root what {@code /sys} is in
   */
  static HostCores read(Path root, BitSet allowed) {
    List<BitSet> ordered = new ArrayList<>();
    BitSet left = (BitSet) allowed.clone();
    for (BitSet node : nodes(root.resolve(NODES))) {
      addCores(ordered, root, left, node);
    }
    addCores(ordered, root, left, allowed);
    return new HostCores(ordered);
  }

  /** Adds the cores of a node that were not added yet, in the order of their first CPUs. */
  private static void addCores(List<BitSet> ordered, Path root, BitSet left, BitSet node) {
    for (int cpu = left.nextSetBit(0); cpu >= 0; cpu = left.nextSetBit(cpu + 1)) {
      if (node.get(cpu)) {
        BitSet core =
            parse(root.resolve(CPUS).resolve("cpu%d/topology/thread_siblings_list".formatted(cpu)));
        core.and(left);
        core.set(cpu);
        left.andNot(core);
        ordered.add(core);
      }
    }
  }

  private static List<BitSet> nodes(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("node\\d+"))
          .sorted(
              Comparator.comparingInt(
                  file -> Integer.parseInt(file.getFileName().toString().substring(4))))
          .map(node -> parse(node.resolve("cpulist")))
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The CPUs of a list as Linux writes it, such as {@code 0-3,8}; none without such a file. */
  private static BitSet parse(Path file) {
    BitSet cpus = new BitSet();
    try {
      String text = Files.readString(file).strip();
      for (String range : text.isEmpty() ? new String[0] : text.split(",", -1)) {
        String[] ends = range.split("-", -1);
        cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
      }
    } catch (IOException e) {
      cpus.clear();
    }
    return cpus;
  }

  /**
   * The CPUs of one of several ranks that may all use these cores: as many whole cores for each as
   * there are, side by side. Where there are more ranks than cores, some share one.
   *
   * @return one CPU of each core first, then those that SMT adds
   */
  List<Integer> share(int index, int ranks) {
    int from = index * cores.size() / ranks;
    int to = Math.max(from + 1, (index + 1) * cores.size() / ranks);
    List<Integer> cpus = new ArrayList<>();
    List<BitSet> own = new ArrayList<>();
    cores.subList(from, to).forEach(core -> own.add((BitSet) core.clone()));
    while (!own.isEmpty()) {
      for (BitSet core : own) {
        int cpu = core.nextSetBit(0);
        cpus.add(cpu);
        core.clear(cpu);
      }
      own.removeIf(BitSet::isEmpty);
    }
    return cpus;
  }
}
