// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.window.Window;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What Gemmflow must not leave behind: threads, files and mappings of this process. */
public final class Leftovers {
  private static final long PID = ProcessHandle.current().pid();

  private Leftovers() {}

  static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .map(Thread::getName)
        .filter(name -> name.startsWith("gemmflow-"))
        .sorted()
        .toList();
  }

  static List<String> files() {
    try (Stream<Path> list = Files.list(Window.DEFAULT_DIRECTORY)) {
      return list.map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(Window.PREFIX) && name.contains("-" + PID + "-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many windows this process has mapped; 0 where the system does not say. */
  static long mappings() {
    Path maps = Path.of("/proc/self/maps");
    if (!Files.exists(maps)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(maps)) {
      return lines.filter(line -> line.contains("/" + Window.PREFIX)).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void assertNone() {
    assertEquals(List.of(), threads());
    assertEquals(List.of(), files());
    assertEquals(0, mappings(), "windows are still mapped");
  }
}
