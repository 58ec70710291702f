// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.GatherLayout;
import io.github.gemmflow.tuning.Schedule;
import java.util.StringJoiner;

/**
 * Feeder of this rank's own rows of a streamed step into the slots, chunk by chunk, for those who
 * read them there: the other ranks of its host, and along columns itself. The compute lane calls it
 * under its lock, except {@link #feed}.
 */
final class SlotFeeder {
  /** There is nothing to feed now. */
  static final int NONE = -1;

  private final HostPeers peers;
  private final GatherWindow window;
  private final Arrivals arrivals;
  private final Block from = new Block();
  private final Block to = new Block();
  private final long[] fed = new long[Schedule.MAX_PARTS];
  private int parts;
  private boolean busy;

  SlotFeeder(HostPeers peers, GatherWindow window, Arrivals arrivals) {
    this.peers = peers;
    this.window = window;
    this.arrivals = arrivals;
  }

  /** Begins with the rows of a step, which this rank has written. */
  void start(GatherStep step) {
    GatherLayout layout = step.layout();
    boolean isRead = peers.hostRanks() > 1 || layout.plan().problem().isAlongColumns();
    parts = step.storage().hasSlots() && isRead ? layout.plan().parts() : 0;
    busy = false;
    for (int part = 0; part < parts; part++) {
      fed[part] = 0;
    }
    step.setWritten();
    if (parts == 0) {
      arrivals.publishOwn(step);
    }
    peers.send();
    peers.ringHost();
  }

  /** Takes the next chunk to feed, if there is room for one; returns its part or {@link #NONE}. */
  int take(GatherStep step) {
    for (int part = 0; !busy && part < parts; part++) {
      if (isLeft(step, part) && arrivals.hasRoom(step, route(step, part), fed[part])) {
        busy = true;
        return part;
      }
    }
    return NONE;
  }

  private boolean isLeft(GatherStep step, int part) {
    return fed[part] < step.layout().chunks(route(step, part));
  }

  private int route(GatherStep step, int part) {
    return step.layout().route(part, peers.rank());
  }

  private int band(GatherStep step, int part) {
    return step.layout().band(route(step, part));
  }

  /** Copies the chunk that {@link #take} took. One thread at a time does, without the lock. */
  void feed(GatherStep step, int part) {
    int route = route(step, part);
    long chunk = fed[part];
    step.storage()
        .received(to, step, route, chunk)
        .copyFrom(step.ownRows().chunk(from, step.layout(), route, chunk));
    arrivals.publishOwn(step, route, chunk + 1);
  }

  /** Says that the chunk that was taken is fed. */
  void done(int part) {
    fed[part]++;
    busy = false;
    peers.ringHost();
  }

  boolean isDone(GatherStep step) {
    for (int part = 0; part < parts; part++) {
      if (isLeft(step, part)) {
        return false;
      }
    }
    return true;
  }

  /** A number that grows when there is more room to feed. */
  long room(GatherStep step) {
    long sum = 0;
    for (int part = 0; part < parts; part++) {
      sum += window.slots(band(step, part)).filledUpTo();
    }
    return sum;
  }

  /** Which of this rank's rows could not be fed because of whom, for a person. */
  void describe(GatherStep step, GatherDiagnosis diagnosis, StringJoiner text) {
    GatherLayout layout = step.layout();
    for (int part = 0; part < parts; part++) {
      if (isLeft(step, part)) {
        int route = route(step, part);
        text.add(
            "rows %d-%d of rank %d found no room, because %s"
                .formatted(
                    layout.chunkBegin(route, fed[part]),
                    layout.end(route) - 1,
                    peers.rank(),
                    diagnosis.slowReader(layout.band(route))));
      }
    }
  }
}
