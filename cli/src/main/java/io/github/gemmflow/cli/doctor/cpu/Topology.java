// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.NumberList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Sockets, cores and NUMA nodes of a machine. A CPU, as Linux counts them, is a hardware thread: a
 * core with SMT is two of them.
 *
 * @param cpus all that are online
 * @param sockets how many there are
 * @param cores the CPUs of each core
 * @param nodes the CPUs of each NUMA node that has any
 */
public record Topology(
    NumberList cpus, int sockets, List<NumberList> cores, SortedMap<Integer, NumberList> nodes) {
  private static final String CPUS = "sys/devices/system/cpu/";
  private static final String NODES = "sys/devices/system/node/";

  /** Nothing where there is no {@code /sys}. */
  public static Optional<Topology> read(Machine machine) {
    return machine.read(CPUS + "online").map(online -> read(machine, NumberList.parse(online)));
  }

  private static Topology read(Machine machine, NumberList cpus) {
    Set<String> sockets = new HashSet<>();
    Set<NumberList> cores = new HashSet<>();
    for (int cpu : cpus.numbers()) {
      String topology = CPUS + "cpu%d/topology/".formatted(cpu);
      sockets.add(machine.read(topology + "physical_package_id").orElse("").strip());
      cores.add(
          machine
              .read(topology + "thread_siblings_list")
              .map(NumberList::parse)
              .orElseGet(() -> new NumberList(List.of(cpu))));
    }
    return new Topology(cpus, sockets.size(), new ArrayList<>(cores), nodes(machine, cpus));
  }

  /** A kernel without NUMA has one node. */
  private static SortedMap<Integer, NumberList> nodes(Machine machine, NumberList cpus) {
    SortedMap<Integer, NumberList> nodes = new TreeMap<>();
    NumberList online = NumberList.parse(machine.read(NODES + "online").orElse(""));
    for (int node : online.numbers()) {
      String file = NODES + "node%d/cpulist".formatted(node);
      NumberList local = NumberList.parse(machine.read(file).orElse("")).in(cpus);
      if (local.size() > 0) {
        nodes.put(node, local);
      }
    }
    if (nodes.isEmpty()) {
      nodes.put(0, cpus);
    }
    return nodes;
  }

  /** How many cores have at least one of these CPUs. */
  public int coresOf(NumberList some) {
    return (int) cores.stream().filter(core -> core.in(some).size() > 0).count();
  }

  /** Whether a core is more than one CPU. */
  public boolean hasSmt() {
    return cores.size() < cpus.size();
  }
}
