// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.gather;

import io.github.gemmflow.pipeline.step.Diagnosis;
import io.github.gemmflow.pipeline.step.HeaderCheck;
import io.github.gemmflow.pipeline.step.HostPeers;
import io.github.gemmflow.plan.GatherLayout;
import java.util.StringJoiner;

/** Reasons why a rank in a gathering step has nothing to do, and whom it waits for. */
final class GatherDiagnosis {
  /** A list of missing rows that is longer than this is cut short. */
  private static final int LONG_TEXT = 600;

  private final HostPeers peers;
  private final GatherWindow window;
  private final Arrivals arrivals;
  private final HeaderCheck headers;
  private final Diagnosis diagnosis;

  GatherDiagnosis(
      HostPeers peers,
      GatherWindow window,
      Arrivals arrivals,
      HeaderCheck headers,
      Diagnosis diagnosis) {
    this.peers = peers;
    this.window = window;
    this.arrivals = arrivals;
    this.headers = headers;
    this.diagnosis = diagnosis;
  }

  /**
   * Which rows are missing: those that nothing on this host holds up, if there are any, because
   * then the others only wait for them to be read.
   */
  String missingRows(GatherStep step, SlotFeeder feeder) {
    String text = missingRows(step, true);
    if (text.isEmpty()) {
      StringJoiner own = new StringJoiner("; ");
      feeder.describe(step, this, own);
      String others = missingRows(step, false);
      text = own + (own.length() == 0 || others.isEmpty() ? "" : "; ") + others;
    }
    return text + diagnosis.whereToLook();
  }

  private String missingRows(GatherStep step, boolean withRoom) {
    StringJoiner text = new StringJoiner("; ");
    GatherLayout layout = step.layout();
    int more = 0;
    for (int route = 0; route < layout.routes(); route++) {
      boolean begun = headers.isThere(step.open(), layout.shard(route));
      long chunks = arrivals.chunks(step, route);
      if (layout.chunks(route) == 0 || (begun && chunks == layout.chunks(route))) {
        continue;
      }
      boolean isOwn = layout.shard(route) == peers.rank();
      if (arrivals.hasRoom(step, route, chunks) != withRoom || (isOwn && !withRoom)) {
        continue;
      }
      if (text.length() > LONG_TEXT) {
        more++;
      } else {
        text.add(missingRows(step, route, begun));
      }
    }
    return text + (more == 0 ? "" : "; and those of %d more".formatted(more));
  }

  private String missingRows(GatherStep step, int route, boolean begun) {
    GatherLayout layout = step.layout();
    int shard = layout.shard(route);
    long chunks = Math.max(0, arrivals.chunks(step, route));
    boolean allThere = chunks == layout.chunks(route);
    return "rows %d-%d of rank %d %s (%s; %s has %s the step%s)"
        .formatted(
            layout.chunkBegin(route, allThere ? 0 : chunks),
            layout.end(route) - 1,
            shard,
            allThere ? "are not confirmed" : "did not arrive",
            layout.way(peers.host(), route),
            diagnosis.name(shard),
            begun ? "begun" : "not begun",
            allThere || arrivals.hasRoom(step, route, chunks)
                ? ""
                : "; there is no room, because " + slowReader(layout.band(route)));
  }

  /** Who keeps a band's slots from being filled again. */
  String slowReader(int band) {
    return diagnosis.describeReader(window.slots(band).slowReader());
  }

  /** Whether this rank can say who keeps the rows out that it misses. */
  boolean knowsWhoHoldsRoom(GatherStep step) {
    if (!arrivals.areHeldUp(step)) {
      return false;
    }
    GatherLayout layout = step.layout();
    for (int route = 0; route < layout.routes(); route++) {
      if (arrivals.chunks(step, route) < layout.chunks(route)) {
        int reader = window.slots(layout.band(route)).slowReader();
        if (!peers.isNeighboursCommLane(reader)) {
          return true;
        }
      }
    }
    return false;
  }
}
