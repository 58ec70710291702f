// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.engine.local;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Links of pretended hosts to a network that is never the bottleneck: one for each host, with the
 * same rate in either direction. What the ranks of a host send at the same time waits in line, as
 * does what arrives. Thread-safe.
 */
public final class Links {
  private static final double BITS = 8;

  private final double nanosPerByte;
  private final long latencyNanos;

  /** When a link will have sent, or received, all that is under way; guarded by this. */
  private final long[] sentAt;

  private final long[] receivedAt;
  private final AtomicLongArray received;

  private Links(int hosts, double nanosPerByte, long latencyNanos) {
    this.nanosPerByte = nanosPerByte;
    this.latencyNanos = latencyNanos;
    this.sentAt = new long[hosts];
    this.receivedAt = new long[hosts];
    this.received = new AtomicLongArray(hosts);
    long now = System.nanoTime();
    for (int host = 0; host < hosts; host++) {
      sentAt[host] = now;
      receivedAt[host] = now;
    }
  }

  /** Links on which messages take no time. */
  static Links instant(int hosts) {
    return new Links(hosts, 0, 0);
  }

  /**
   * Links with a rate.
   *
   * @param bitsPerSecond 0 for any number of them
   * @param latency what the first byte takes
   */
  public static Links of(int hosts, double bitsPerSecond, Duration latency) {
    double nanosPerByte = bitsPerSecond == 0 ? 0 : BITS * 1e9 / bitsPerSecond;
    return new Links(hosts, nanosPerByte, latency.toNanos());
  }

  /** Whether messages arrive as soon as they are sent. */
  boolean areInstant() {
    return nanosPerByte == 0 && latencyNanos == 0;
  }

  /** Sends a message; returns when all of it will have arrived, as {@link System#nanoTime}. */
  synchronized long send(int from, int to, long bytes) {
    long now = System.nanoTime();
    if (from == to) {
      return now;
    }
    received.addAndGet(to, bytes);
    long nanos = (long) (bytes * nanosPerByte);
    long begin = latest(now, sentAt[from]);
    sentAt[from] = begin + nanos;
    receivedAt[to] = latest(begin + latencyNanos, receivedAt[to]) + nanos;
    return receivedAt[to];
  }

  private static long latest(long a, long b) {
    return a - b >= 0 ? a : b;
  }

  /** Bytes that were sent to a host by others so far. */
  long received(int host) {
    return received.get(host);
  }

  @Override
  public String toString() {
    if (areInstant()) {
      return "links without delay";
    }
    String rate =
        nanosPerByte == 0
            ? "unlimited rate"
            : String.format(Locale.ROOT, "%.3g Gbit/s", BITS / nanosPerByte);
    return "links of %s and %.3g us".formatted(rate, latencyNanos / 1e3);
  }
}
