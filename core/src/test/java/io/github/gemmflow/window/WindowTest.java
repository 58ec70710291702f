// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WindowTest {
  private static final int ROUNDS = 20_000;
  private static final long PATIENCE = Duration.ofSeconds(20).toNanos();

  @Test
  void twoMappingsAreOneMemory(@TempDir Path directory) throws IOException {
    String name = Window.name("", Window.newToken());
    Window first = Window.create(directory, name, 5000);
    try (Window second = Window.open(directory, name, 5000)) {
      assertEquals(
          "rw-------",
          PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name))));
      first.unlink();
      assertFalse(Files.exists(directory.resolve(name)));
      first.memory().set(ValueLayout.JAVA_LONG, 4992, 42);
      assertEquals(42, second.memory().get(ValueLayout.JAVA_LONG, 4992));
      first.close();
      assertThrows(IllegalStateException.class, () -> first.memory().get(ValueLayout.JAVA_LONG, 0));
      assertEquals(42, second.memory().get(ValueLayout.JAVA_LONG, 4992));
    }
  }

  @Test
  void whatCannotBeMadeLeavesNothingBehind(@TempDir Path directory) throws IOException {
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> Window.create(directory, "huge", 1L << 60));
    assertTrue(e.toString().contains("-Dgemmflow.window.directory"), e.getMessage());
    try (var files = Files.list(directory)) {
      assertEquals(0, files.count());
    }
    assertThrows(UncheckedIOException.class, () -> Window.open(directory, "absent", 10));
    try (Window window = Window.create(directory, "small", 10)) {
      assertEquals(10, window.memory().byteSize());
      assertThrows(UncheckedIOException.class, () -> Window.open(directory, "small", 11));
    }
  }

  @Test
  void whoIsToldToEndLeavesNothingBehind(@TempDir Path directory) throws Exception {
    Process other = startJava(Holder.class, directory.toString());
    try (BufferedReader said = other.inputReader(UTF_8)) {
      assertEquals("made", said.readLine());
      assertTrue(Files.exists(directory.resolve("window")));
      other.destroy();
      assertTrue(other.waitFor(20, TimeUnit.SECONDS), "the other process does not end");
    }
    assertFalse(Files.exists(directory.resolve("window")));
  }

  /** Makes a window, and is in no hurry to remove its name. */
  static final class Holder {
    public static void main(String[] args) throws IOException {
      try (Window window = Window.create(Path.of(args[0]), "window", 10)) {
        System.out.println("made");
        System.in.read();
        window.unlink();
      }
    }
  }

  /** The file is somebody else's, whatever its name. */
  @Test
  void aFileThatIsThereAlreadyStays(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("gemmflow-there"), "precious");
    assertThrows(
        UncheckedIOException.class, () -> Window.create(directory, "gemmflow-there", 4096));
    assertEquals("precious", Files.readString(file));
  }

  @Test
  void onlyTheFirstReasonCounts(@TempDir Path directory) {
    try (Window window = Window.create(directory, "window", Breakage.bytes(3))) {
      Breakage first = new Breakage(window.memory(), 0);
      Breakage second = new Breakage(window.memory(), 2);
      assertFalse(first.isBroken());
      assertEquals("", first.reason());
      second.tell("rows 3-4 of rank 1 did not arrive; ünicode too");
      first.tell("something else");
      assertTrue(first.isBroken());
      assertEquals("rows 3-4 of rank 1 did not arrive; ünicode too", first.reason());
      new Breakage(window.memory(), 1).tell("x".repeat(100_000));
      assertEquals("rows 3-4 of rank 1 did not arrive; ünicode too", second.reason());
    }
  }

  @Test
  void aConditionNobodyPublishesTimesOut(@TempDir Path directory) {
    try (Window window = Window.create(directory, "window", Bell.bytes(1))) {
      Waiter waiter = new Waiter(new Bell(window.memory(), 0), 5_000);
      long start = System.nanoTime();
      assertFalse(waiter.await(() -> false, 30_000_000));
      assertTrue(System.nanoTime() - start >= 30_000_000);
      assertEquals(1, waiter.sleeps());
      assertTrue(waiter.await(() -> true, 0));
    }
  }

  /** Two processes take turns through counters and bells, and both sleep in between. */
  @Test
  void twoProcessesWakeEachOther(@TempDir Path directory) throws Exception {
    String name = Window.name("", Window.newToken());
    try (Window window = Window.create(directory, name, PingPong.bytes())) {
      Process other =
          startJava(PingPong.class, directory.toString(), name, Integer.toString(ROUNDS));
      PingPong mine = new PingPong(window, 0);
      for (int round = 0; round < ROUNDS; round++) {
        mine.say(round + 1);
        int expected = round + 1;
        assertTrue(
            mine.awaitOther(expected, PATIENCE),
            () -> "the other process said nothing in round " + expected);
      }
      assertTrue(other.waitFor(20, TimeUnit.SECONDS), "the other process does not end");
      String output = new String(other.getInputStream().readAllBytes(), UTF_8);
      assertEquals(0, other.exitValue(), output);
      assertTrue(mine.sleeps() > 0, "nobody slept, so nobody was woken");
    }
  }

  /** One side of the conversation, here or in a process of its own. */
  static final class PingPong {
    private final Counters counters;
    private final Bell otherBell;
    private final Waiter waiter;
    private final int side;

    PingPong(Window window, int side) {
      this.side = side;
      this.counters = new Counters(window.memory(), Bell.bytes(2));
      this.otherBell = new Bell(window.memory(), 1 - side);
      this.waiter = new Waiter(new Bell(window.memory(), side), 0);
    }

    static long bytes() {
      return Bell.bytes(2) + Counters.bytes(2);
    }

    void say(long value) {
      counters.publish(side, value);
      otherBell.ring();
    }

    boolean awaitOther(long value, long nanos) {
      return waiter.await(() -> counters.get(1 - side) >= value, nanos);
    }

    long sleeps() {
      return waiter.sleeps();
    }

    public static void main(String[] args) {
      try (Window window = Window.open(Path.of(args[0]), args[1], bytes())) {
        PingPong other = new PingPong(window, 1);
        int rounds = Integer.parseInt(args[2]);
        for (int round = 0; round < rounds; round++) {
          if (!other.awaitOther(round + 1, PATIENCE)) {
            throw new IllegalStateException("nothing came in round " + round);
          }
          other.say(round + 1);
        }
      }
    }
  }

  private static Process startJava(Class<?> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
