// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the operating system counts for this rank. */
public final class Counters {
  private static final Path LINKS = Path.of("/proc/net/dev");
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private Counters() {}

  /** The CPU time, in nanoseconds, of the thread that talks to MPI; 0 if there is none. */
  public static long commThreadNanos() {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("gemmflow-comm")) {
        return THREADS.getThreadCpuTime(thread.threadId());
      }
    }
    return 0;
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
