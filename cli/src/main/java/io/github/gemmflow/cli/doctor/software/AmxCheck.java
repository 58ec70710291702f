// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import io.github.gemmflow.onednn.OneDnnLibrary;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Check that oneDNN uses AMX, if the CPU has it. */
public final class AmxCheck {
  public static final String NAME = "AMX";

  /** Variables that limit oneDNN's instructions; it looks at them in this order. */
  private static final List<String> LIMITS = List.of("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA");

  private AmxCheck() {}

  /**
   * Looks at the CPU, then at oneDNN, then for reasons.
   *
   * @param library oneDNN, if it could be loaded
   * @param permission asks Linux for it; returns an error number
   */
  public static Finding look(
      Machine machine, @Nullable OneDnnLibrary library, IntSupplier permission) {
    Optional<String> cpu = machine.read("proc/cpuinfo");
    if (cpu.isEmpty()) {
      return Finding.ok(NAME, "unknown: there is no /proc/cpuinfo");
    }
    if (!flags(cpu.get()).containsAll(List.of("amx_tile", "amx_bf16"))) {
      return Finding.ok(NAME, "not available: /proc/cpuinfo lists no AMX");
    }
    if (library == null) {
      return Finding.ok(NAME, "this CPU has it; oneDNN would use it");
    }
    return library.usesAmx()
        ? Finding.ok(NAME, "this CPU has it, and oneDNN uses it")
        : unused(machine, library, permission);
  }

  private static Finding unused(Machine machine, OneDnnLibrary library, IntSupplier permission) {
    String text = "this CPU has it, but oneDNN uses only %s".formatted(library.instructions());
    for (String variable : LIMITS) {
      String value = machine.environment().get(variable);
      if (value != null) {
        return Finding.warning(
            NAME, "%s: %s=%s limits it".formatted(text, variable, value), "unset " + variable);
      }
    }
    int error = permission.getAsInt();
    return error == 0
        ? Finding.warning(
            NAME, text, "name a newer one with -Dgemmflow.onednn.library=/path/to/libdnnl.so.3")
        : Finding.warning(
            NAME,
            "%s: Linux refuses it (arch_prctl ARCH_REQ_XCOMP_PERM: error %d)"
                .formatted(text, error),
            "run Linux 5.16 or newer, under a hypervisor that passes AMX on",
            "let the container's seccomp profile allow arch_prctl");
  }

  private static Set<String> flags(String cpuinfo) {
    return cpuinfo
        .lines()
        .filter(line -> line.startsWith("flags"))
        .limit(1)
        .flatMap(line -> Arrays.stream(line.split("\\s+")))
        .collect(Collectors.toSet());
  }
}
