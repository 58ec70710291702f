// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Files of a machine that is not at hand, below a directory. */
public final class FakeMachine {
  private static final String CPUS = "sys/devices/system/cpu/";
  private static final String NODES = "sys/devices/system/node/";

  private final Path root;

  public FakeMachine(Path root) {
    this.root = root;
  }

  /** Two sockets of 60 cores with SMT, a NUMA node each, numbered as Linux does on x86. */
  public FakeMachine withTwoSocketsOf60Cores() throws IOException {
    put(CPUS + "online", "0-239");
    for (int cpu = 0; cpu < 240; cpu++) {
      int core = cpu % 120;
      put(CPUS + "cpu%d/topology/physical_package_id".formatted(cpu), "" + core / 60);
      put(
          CPUS + "cpu%d/topology/thread_siblings_list".formatted(cpu),
          "%d,%d".formatted(core, core + 120));
    }
    put(NODES + "online", "0-1");
    put(NODES + "node0/cpulist", "0-59,120-179");
    return put(NODES + "node1/cpulist", "60-119,180-239");
  }

  /** A virtual machine of four cores that says little about itself. */
  public FakeMachine withFourCores() throws IOException {
    return put(CPUS + "online", "0-3");
  }

  /** The same governor for some CPUs. */
  public FakeMachine withGovernor(String governor, int from, int to) throws IOException {
    for (int cpu = from; cpu < to; cpu++) {
      put(CPUS + "cpu%d/cpufreq/scaling_governor".formatted(cpu), governor);
    }
    return this;
  }

  /** A file with one line. */
  public FakeMachine put(String path, String line) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, line + "\n");
    return this;
  }

  public Machine machine() {
    return machine(Map.of());
  }

  public Machine machine(Map<String, String> environment) {
    return new Machine(environment, Map.of(), root);
  }
}
