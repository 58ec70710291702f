// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processes of a real browser, and how this one is connected with them. */
@Tag("full")
class DrivenChromiumTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The state of a socket that waits for connections, in /proc/net/tcp. */
  private static final String LISTEN = "0A";

  @TempDir Path directory;

  /** A port would be open to every user of the machine. */
  @Test
  void noPortIsOpen() throws IOException {
    try (DrivenChromium chromium = DrivenChromium.start(Browser.find(null), PATIENCE)) {
      assertEquals(3.0, chromium.devTools().evaluate("1 + 2"));
      Set<String> sockets = new TreeSet<>();
      for (ProcessHandle process : children()) {
        sockets.addAll(socketsOf(process));
      }
      assertFalse(sockets.isEmpty(), "a browser has sockets");
      sockets.retainAll(listening());
      assertEquals(Set.of(), sockets);
    }
  }

  /** As {@code socket:[inode]}. */
  private static Set<String> socketsOf(ProcessHandle process) throws IOException {
    Set<String> sockets = new TreeSet<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/%d/fd".formatted(process.pid())))) {
      for (Path each : open.toList()) {
        String target = Files.readSymbolicLink(each).toString();
        if (target.startsWith("socket:")) {
          sockets.add(target);
        }
      }
    } catch (NoSuchFileException e) {
      return Set.of(); // it has ended, or closes a file
    }
    return sockets;
  }

  private static Set<String> listening() throws IOException {
    Set<String> sockets = new TreeSet<>();
    for (Path table : List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"))) {
      if (Files.exists(table)) {
        Files.readAllLines(table).stream()
            .map(line -> line.strip().split(" +"))
            .filter(fields -> fields[3].equals(LISTEN))
            .forEach(fields -> sockets.add("socket:[%s]".formatted(fields[9])));
      }
    }
    return sockets;
  }

  /** Scripts that start a browser print, and some print nothing of what the browser prints. */
  @ParameterizedTest
  @ValueSource(strings = {"%s \"$@\"", "exec %s \"$@\" 2>/dev/null"})
  void aScriptMayStartIt(String line) throws IOException {
    Path script = script("echo starting\n" + line.formatted(Browser.find(null)));
    Set<ProcessHandle> before = children();
    DrivenChromium chromium = DrivenChromium.start(script.toString(), PATIENCE);
    Set<ProcessHandle> started = children();
    started.removeAll(before);
    assertEquals(3.0, chromium.devTools().evaluate("1 + 2"));
    assertTrue(started.size() > 1, started::toString);
    chromium.close();
    started.retainAll(children());
    assertEquals(Set.of(), started);
    assertTrue(Files.notExists(chromium.profile()));
  }

  @Test
  void itsLastWordsAreTold() throws IOException {
    String script = script("echo starting\necho no display >&2\nexit 3").toString();
    IOException e = assertThrows(IOException.class, () -> DrivenChromium.start(script, PATIENCE));
    assertEquals(script + " did not start: it ended, and said no display", e.getMessage());
  }

  @Test
  void aBrowserThatEndsIsNotWaitedFor() throws IOException {
    Set<ProcessHandle> before = children();
    try (DrivenChromium chromium = DrivenChromium.start(Browser.find(null), PATIENCE)) {
      Set<ProcessHandle> started = children();
      started.removeAll(before);
      started.forEach(ProcessHandle::destroyForcibly);
      IOException e =
          assertThrows(IOException.class, () -> chromium.devTools().evaluate("document.title"));
      String message = String.valueOf(e.getMessage());
      assertTrue(message.startsWith("the browser did not do Runtime.evaluate: it ended"), message);
    }
  }

  private static Set<ProcessHandle> children() {
    return ProcessHandle.current().descendants().collect(Collectors.toSet());
  }

  private Path script(String lines) throws IOException {
    Path script = Files.writeString(directory.resolve("browser"), "#!/bin/sh\n" + lines + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }
}
