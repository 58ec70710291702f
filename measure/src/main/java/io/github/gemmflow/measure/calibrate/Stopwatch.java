// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import io.github.gemmflow.World;
import io.github.gemmflow.measure.Counters;
import io.github.gemmflow.measure.Meeting;
import io.github.gemmflow.measure.Samples;
import java.util.Arrays;

/** Stopwatch of all ranks of a world: they start together, and agree on what it took. */
final class Stopwatch implements AutoCloseable {
  private final Meeting meeting;
  private final Counters counters;

  /** Made on all ranks. Collective. */
  Stopwatch(World world) {
    this.meeting = new Meeting(world);
    this.counters = new Counters(world.rank());
  }

  /** How long something takes that each rank does for itself, all at the same time. Collective. */
  double eachNanos(Runnable what, int times) {
    what.run();
    meeting.meet();
    return mean(medianNanos(what, times));
  }

  /**
   * How long something takes that all ranks do together: the slowest's time. Collective.
   *
   * @param quantile of the times that is taken
   */
  double togetherNanos(Runnable what, int times, double quantile) {
    double[] slowest = new double[times];
    for (int i = -1; i < times; i++) {
      meeting.meet();
      long begin = System.nanoTime();
      what.run();
      double nanos = (double) System.nanoTime() - begin;
      double most = Arrays.stream(meeting.show(nanos)).mapToDouble(r -> r[0]).max().orElse(0);
      if (i >= 0) {
        slowest[i] = most;
      }
    }
    return Samples.quantile(slowest, quantile);
  }

  /** The CPU time of a rank's communication thread for something, on average. Collective. */
  double commNanos(Runnable what, int times) {
    what.run();
    meeting.meet();
    long before = counters.commThreadNanos();
    for (int i = 0; i < times; i++) {
      what.run();
    }
    return mean((double) (counters.commThreadNanos() - before) / times);
  }

  private static double medianNanos(Runnable what, int times) {
    double[] nanos = new double[times];
    for (int i = 0; i < times; i++) {
      long begin = System.nanoTime();
      what.run();
      nanos[i] = System.nanoTime() - begin;
    }
    return Samples.quantile(nanos, 0.5);
  }

  double mean(double mine) {
    return Arrays.stream(meeting.show(mine)).mapToDouble(r -> r[0]).average().orElse(0);
  }

  @Override
  public void close() {
    meeting.close();
  }
}
