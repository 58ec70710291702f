// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import io.github.gemmflow.measure.Progress;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Progress as one line with a bar: not before a second has passed, and not more often than a person
 * can read.
 */
final class LiveLine implements Progress {
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int BAR = 24;
  private static final double MIB = 1 << 20;

  private final Consumer<String> show;
  private final LongSupplier clock;
  private long next;

  /**
   * A line.
   *
   * @param show is given what it says whenever that changes
   * @param clock in nanoseconds
   */
  LiveLine(Consumer<String> show, LongSupplier clock) {
    this.show = show;
    this.clock = clock;
    this.next = clock.getAsLong() + SILENT_NANOS;
  }

  @Override
  public synchronized void at(String what, long done, long total, Unit unit) {
    long now = clock.getAsLong();
    if (now - next < 0) {
      return;
    }
    next = now + BETWEEN_NANOS;
    show.accept(line(what, done, total, unit));
  }

  private static String line(String what, long done, long total, Unit unit) {
    int full = total == 0 ? BAR : (int) (BAR * Math.min(done, total) / total);
    String bar = "#".repeat(full) + ".".repeat(BAR - full);
    return "%-28s [%s] %s".formatted(what, bar, count(done, total, unit));
  }

  private static String count(long done, long total, Unit unit) {
    return unit == Unit.BYTES
        ? String.format(Locale.ROOT, "%.0f of %.0f MiB", done / MIB, total / MIB)
        : "%d of %d %s".formatted(done, total, unit.name().toLowerCase(Locale.ROOT));
  }
}
