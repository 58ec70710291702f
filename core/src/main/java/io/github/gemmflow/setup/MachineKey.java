// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import io.github.gemmflow.kernel.Kernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Key of a kind of machine: costs that were measured on one hold for all of its kind. */
public final class MachineKey {
  private MachineKey() {}

  /** The processor, and what a kernel multiplies with on it. */
  public static String of(Kernel kernel) {
    return "%s, %s, %s".formatted(processor(), kernel.name(), kernel.instructions());
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      // Only Linux has this file.
      return System.getProperty("os.arch");
    }
  }
}
