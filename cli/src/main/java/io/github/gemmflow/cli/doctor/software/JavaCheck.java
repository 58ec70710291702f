// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.software;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;
import java.util.List;

/** Check of Java, and whether it allows native calls. */
public final class JavaCheck {
  public static final String NAME = "Java";

  private JavaCheck() {}

  /** Looks at modules that make native calls; on the class path they are one without a name. */
  public static Finding look(Machine machine, List<Module> callers) {
    List<String> refused =
        callers.stream()
            .filter(module -> !module.isNativeAccessEnabled())
            .map(module -> module.isNamed() ? module.getName() : "ALL-UNNAMED")
            .distinct()
            .toList();
    return describe(machine, refused);
  }

  static Finding describe(Machine machine, List<String> refused) {
    String text =
        "%s of %s, %s"
            .formatted(
                machine.property("java.version"),
                machine.property("java.vendor"),
                machine.property("java.home"));
    return refused.isEmpty()
        ? Finding.ok(NAME, text + "; native calls are allowed")
        : Finding.warning(
            NAME,
            text + "; native calls are not allowed: Java warns about them, or refuses them",
            "start Java with --enable-native-access=" + String.join(",", refused));
  }
}
