// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.cpu;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.cli.doctor.check.NumberList;
import io.github.gemmflow.measure.Counted;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Check of the cpufreq governors, which choose the clock of each CPU. */
public final class GovernorCheck {
  public static final String NAME = "Governor";

  private static final String CPUS = "sys/devices/system/cpu/";

  private GovernorCheck() {}

  public static Finding look(Machine machine) {
    SortedMap<String, Integer> governors = new TreeMap<>();
    NumberList online = NumberList.parse(machine.read(CPUS + "online").orElse(""));
    for (int cpu : online.numbers()) {
      machine
          .read(CPUS + "cpu%d/cpufreq/scaling_governor".formatted(cpu))
          .ifPresent(governor -> governors.merge(governor.strip(), 1, Integer::sum));
    }
    if (governors.isEmpty()) {
      return Finding.ok(NAME, "none: the hypervisor or the firmware controls the clock");
    }
    String text =
        governors.entrySet().stream()
            .map(entry -> "%s on %s".formatted(entry.getKey(), Counted.of(entry.getValue(), "CPU")))
            .collect(Collectors.joining(", "));
    return governors.containsKey("powersave")
        ? Finding.warning(
            NAME,
            text + ": after each wait a core is slow at first, and all ranks wait for the slowest",
            "cpupower frequency-set -g performance, as root",
            "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor, as root")
        : Finding.ok(NAME, text);
  }
}
