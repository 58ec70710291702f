// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Counters of the operating system for this rank. */
public final class Counters {
  private static final Path LINKS = Path.of("/proc/net/dev");
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final long commThread;

  /**
   * For a rank.
   *
   * @throws IllegalStateException if it has no thread that talks to the engine
   */
  public Counters(int rank) {
    // Where ranks are threads of one process, each has a communication thread with its number.
    Set<String> names = Set.of("gemmflow-comm", "gemmflow-comm-" + rank);
    this.commThread =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> names.contains(thread.getName()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("there is no communication thread"))
            .threadId();
  }

  /** The CPU time, in nanoseconds, of the thread that talks to the engine. */
  public long commThreadNanos() {
    return THREADS.getThreadCpuTime(commThread);
  }

  /** Bytes that have come into this host over all its links but the loopback. */
  public static long bytesIntoHost() {
    try {
      return sumReceived(Files.readAllLines(LINKS));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first number behind a link's name is what it received; see proc_pid_net(5). */
  static long sumReceived(List<String> lines) {
    long sum = 0;
    for (String line : lines) {
      int colon = line.indexOf(':');
      if (colon > 0 && !line.substring(0, colon).strip().equals("lo")) {
        sum += Long.parseLong(line.substring(colon + 1).strip().split(" +", 2)[0]);
      }
    }
    return sum;
  }
}
