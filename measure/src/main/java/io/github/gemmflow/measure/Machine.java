// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The machine and the program that this process is, as they describe themselves. */
public final class Machine {
  private Machine() {}

  /** What a reader of figures wants to know about where they are from. */
  public static Map<String, Object> describe() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cpu", field(lines("/proc/cpuinfo"), "model name", ':', arch()));
    fields.put("cores", Runtime.getRuntime().availableProcessors());
    fields.put("memoryBytes", memoryBytes(lines("/proc/meminfo")));
    fields.put("os", os(lines("/etc/os-release")));
    fields.put("java", System.getProperty("java.vendor") + " " + Runtime.version());
    fields.put("command", StartCommand.of(ProcessHandle.current()));
    return fields;
  }

  private static String arch() {
    return System.getProperty("os.arch");
  }

  /** MemTotal is in KiB, see proc_meminfo(5); 0 if it is not known. */
  static long memoryBytes(List<String> lines) {
    return Long.parseLong(field(lines, "MemTotal", ':', "0 kB").split(" ", 2)[0]) * 1024;
  }

  /** The distribution, see os-release(5), and its kernel. */
  static String os(List<String> lines) {
    String kernel = System.getProperty("os.name") + " " + System.getProperty("os.version");
    String name = field(lines, "PRETTY_NAME", '=', "").replace("\"", "");
    return "%s%s, %s".formatted(name.isEmpty() ? "" : name + ", ", kernel, arch());
  }

  /** The name by which this host calls itself. */
  public static String hostName() {
    List<String> lines = lines("/proc/sys/kernel/hostname");
    return lines.isEmpty() ? "unknown" : lines.get(0).strip();
  }

  /** What follows the first such key. */
  static String field(List<String> lines, String key, char separator, String otherwise) {
    for (String line : lines) {
      int at = line.indexOf(separator);
      if (at > 0 && line.substring(0, at).strip().equals(key)) {
        return line.substring(at + 1).strip();
      }
    }
    return otherwise;
  }

  /** A file of this system; nothing where it has none. */
  private static List<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file));
    } catch (IOException e) {
      return List.of();
    }
  }
}
