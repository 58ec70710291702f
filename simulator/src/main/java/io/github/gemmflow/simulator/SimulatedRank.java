// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.trace.Span;
import java.util.ArrayList;
import java.util.List;

/** Threads of a rank in virtual time: those that multiply, taken as one, and the one that sends. */
final class SimulatedRank {
  private final EventQueue queue;
  private final boolean recorded;
  private final boolean coreToSpare;
  private final double slowness;
  private final List<Span> spans = new ArrayList<>();

  private boolean working;
  private boolean done;
  private long doneAt;
  private double stolen;
  private double workNanos;
  private double commNanos;
  private double commFreeAt;
  private long waitsSince;
  private long runs;

  SimulatedRank(EventQueue queue, Conditions conditions, int rank, boolean recorded) {
    this.queue = queue;
    this.recorded = recorded;
    this.coreToSpare = conditions.costs().hasCoreToSpare();
    this.slowness = conditions.slowness(rank);
  }

  boolean isWorking() {
    return working;
  }

  boolean isDone() {
    return done;
  }

  /** All its work is done. */
  void finish() {
    done = true;
    doneAt = queue.now();
    noteWait();
  }

  /** When all its work was done. */
  long doneAt() {
    if (!done) {
      throw new IllegalStateException("a rank waits for a missing message: this is a bug");
    }
    return doneAt;
  }

  /** It works on rows for a time; what the communication thread takes meanwhile comes on top. */
  void work(Span.Kind kind, double nanos, long firstRow, long rows, Runnable then) {
    noteWait();
    working = true;
    stolen = 0;
    runs += kind == Span.Kind.WORK ? 1 : 0;
    double wanted = nanos * slowness;
    workNanos += wanted;
    long begin = queue.now();
    queue.at(begin + Math.round(wanted), () -> end(kind, begin, firstRow, rows, then));
  }

  private void end(Span.Kind kind, long begin, long firstRow, long rows, Runnable then) {
    if (stolen >= 1) {
      long late = Math.round(stolen);
      stolen = 0;
      queue.at(queue.now() + late, () -> end(kind, begin, firstRow, rows, then));
      return;
    }
    working = false;
    waitsSince = queue.now();
    if (recorded) {
      spans.add(new Span(kind, 0, begin, queue.now(), firstRow, rows));
    }
    then.run();
  }

  private void noteWait() {
    if (recorded && !working && queue.now() > waitsSince) {
      spans.add(new Span(Span.Kind.WAIT, 0, waitsSince, queue.now(), 0, 0));
    }
  }

  /** Its communication thread has something to do; returns when that is done. */
  double communicate(double nanos) {
    commFreeAt = Math.max((double) queue.now(), commFreeAt) + nanos;
    commNanos += nanos;
    if (!coreToSpare && working) {
      stolen += nanos;
    }
    return commFreeAt;
  }

  void noteArrival(long firstRow, long rows) {
    if (recorded) {
      long now = queue.now();
      spans.add(new Span(Span.Kind.ARRIVAL, Span.COMM, now, now, firstRow, rows));
    }
  }

  double workNanos() {
    return workNanos;
  }

  double commNanos() {
    return commNanos;
  }

  long runs() {
    return runs;
  }

  List<Span> spans() {
    return spans;
  }
}
