// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.window.Window;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/** What Gemmflow must not leave behind: threads and files. */
final class Leftovers {
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
    try (Stream<java.nio.file.Path> list = Files.list(Window.DEFAULT_DIRECTORY)) {
      return list.map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(Window.PREFIX))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static void assertNone() {
    assertEquals(List.of(), threads());
    assertEquals(List.of(), files());
  }
}
