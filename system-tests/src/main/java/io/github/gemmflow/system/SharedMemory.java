// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Files of ours in the shared memory of the hosts: those of jobs that are over must go. */
final class SharedMemory {
  private static final Duration LEFT_BEHIND = Duration.ofSeconds(5);

  private final int hosts;
  private final List<String> before;

  /** Remembers what is there now, which is none of the jobs' that come. */
  SharedMemory(int hosts) {
    this.hosts = hosts;
    this.before = names();
  }

  /** Waits a few seconds for what jobs have left to go. */
  void awaitNothingNew(Tally tally) {
    long start = System.nanoTime();
    for (List<String> left = added(); !left.isEmpty(); left = added()) {
      if (System.nanoTime() - start > LEFT_BEHIND.toNanos()) {
        tally.fail("left in /dev/shm: " + left);
        return;
      }
      LockSupport.parkNanos(100_000_000);
    }
  }

  private List<String> added() {
    return names().stream().filter(name -> !before.contains(name)).toList();
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    if (hosts == 1) {
      try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
        files.forEach(file -> names.add(file.getFileName().toString()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } else {
      for (int host = 0; host < hosts; host++) {
        names.addAll(Lab.exec(host, "ls", "/dev/shm").lines());
      }
    }
    return names.stream().filter(name -> name.startsWith("gemmflow-")).toList();
  }
}
