// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.host;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Machine;

/** Check of the operating system. */
public final class SystemCheck {
  public static final String NAME = "System";

  private SystemCheck() {}

  public static Finding look(Machine machine) {
    String system = machine.property("os.name");
    String processor = machine.property("os.arch");
    String text = "%s %s, %s".formatted(system, machine.property("os.version"), processor);
    return system.equals("Linux") && processor.equals("amd64")
        ? Finding.ok(NAME, text)
        : Finding.warning(
            NAME,
            text + ": not tested",
            "Gemmflow is tested on Linux on x86_64",
            "for oneDNN here, put org.bytedeco:dnnl with the classifier of this platform on the class path");
  }
}
