// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.management.OperatingSystemMXBean;
import io.github.gemmflow.Group;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Figures of a rank, and of all ranks of its group: the median and the largest of each. */
final class Figures {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static final int MICROS = 1000;
  private static final int KIB = 1024;
  private static final String SEPARATOR = " ";

  private final Map<String, Long> mine = new LinkedHashMap<>();

  void add(String name, long value) {
    mine.put(name, value);
  }

  /** Measures a step: its median, and the processor time that it takes this rank. */
  void time(String name, int steps, int warmUp, Runnable step) {
    for (int i = 0; i < warmUp; i++) {
      step.run();
    }
    long[] nanos = new long[steps];
    long cpu = PROCESS.getProcessCpuTime();
    for (int i = 0; i < steps; i++) {
      long start = System.nanoTime();
      step.run();
      nanos[i] = System.nanoTime() - start;
    }
    cpu = PROCESS.getProcessCpuTime() - cpu;
    Arrays.sort(nanos);
    add(name + ": a step, us", nanos[steps / 2] / MICROS);
    add(name + ": processor time of a step, us", cpu / steps / MICROS);
  }

  /** What this process holds now. */
  void addMemory(long sharedBytes) {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long heap = runtime.totalMemory() - runtime.freeMemory();
    add("heap in use, KiB", heap / KIB);
    add("resident memory, KiB", Self.residentBytes() / KIB);
    add("resident memory, this process's alone, KiB", Self.anonymousBytes() / KIB);
    add("shared memory of the host for rows, KiB", sharedBytes / KIB);
    add("threads", Self.threads());
    add("most requests in flight", CountedMpi.mostInFlight());
  }

  /** Reports the figures of all ranks, on rank 0. Collective. */
  void report(Group group) {
    String text =
        mine.values().stream().map(String::valueOf).collect(Collectors.joining(SEPARATOR));
    long[][] all =
        Arrays.stream(group.allGather(text.getBytes(UTF_8)))
            .map(theirs -> new String(theirs, UTF_8).split(SEPARATOR, -1))
            .map(theirs -> Arrays.stream(theirs).mapToLong(Long::parseLong).toArray())
            .toArray(long[][]::new);
    int index = 0;
    for (String name : mine.keySet()) {
      int at = index++;
      long[] values = Arrays.stream(all).mapToLong(figures -> figures[at]).sorted().toArray();
      if (group.rank() == 0) {
        Report.figure(
            "%d ranks: %s: median %d, most %d"
                .formatted(
                    values.length, name, values[values.length / 2], values[values.length - 1]));
      }
    }
  }
}
