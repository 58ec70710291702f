// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import java.util.BitSet;

/**
 * Rows of a gathering step that are ready and that are taken, band by band, and the runs of rows in
 * between. Bands with rows have places, which count up in the order of their rows in A: what is
 * next to a run is found there, and need not be looked for.
 */
final class ReadyRows {
  static final int NO_BAND = -1;
  private static final int NO_PLACE = -1;

  private final long[] ready;
  private final long[] taken;

  /** The band at each place. */
  private final int[] order;

  /** The first row of each place; after the last, the end of A. */
  private final long[] edge;

  /** The place of each band; none, if it has no rows. */
  private final int[] place;

  /** Places with rows that are ready and not taken. */
  private final BitSet candidates;

  private int count;
  private long takenRows;
  private int runLow;
  private int runHigh;

  ReadyRows(int bands) {
    this.ready = new long[bands];
    this.taken = new long[bands];
    this.order = new int[bands];
    this.edge = new long[bands + 1];
    this.place = new int[bands];
    this.candidates = new BitSet(bands);
  }

  void reset(GatherLayout step) {
    count = 0;
    takenRows = 0;
    candidates.clear();
    for (int index = 0; index < step.bands(); index++) {
      int band = step.bandAt(index);
      ready[band] = step.bandBegin(band);
      taken[band] = step.bandBegin(band);
      boolean hasRows = step.bandBegin(band) < step.bandEnd(band);
      place[band] = hasRows ? count : NO_PLACE;
      if (hasRows) {
        order[count++] = band;
        edge[count] = step.bandEnd(band);
      }
    }
  }

  /** How many places there are. */
  int count() {
    return count;
  }

  int band(int at) {
    return order[at];
  }

  void ready(int band, long upTo) {
    ready[band] = upTo;
    noteCandidate(band);
  }

  private void noteCandidate(int band) {
    if (place[band] != NO_PLACE) {
      candidates.set(place[band], ready[band] > taken[band]);
    }
  }

  long ready(int band) {
    return ready[band];
  }

  long taken(int band) {
    return taken[band];
  }

  long takenRows() {
    return takenRows;
  }

  /** The next place, from one on, with rows that are ready and not taken; negative if none has. */
  int candidate(int from) {
    return candidates.nextSetBit(from);
  }

  /** How many rows of a candidate are ready and not taken. */
  long left(int at) {
    return ready[order[at]] - taken[order[at]];
  }

  /** Finds the longest run of ready rows, none of them taken, through a candidate. */
  void findRun(int at) {
    runLow = at;
    while (runLow > 0 && isUntaken(runLow) && isReady(runLow - 1)) {
      runLow--;
    }
    runHigh = at;
    while (runHigh + 1 < count && isReady(runHigh) && isUntaken(runHigh + 1)) {
      runHigh++;
    }
  }

  void forgetRun() {
    runHigh = NO_PLACE;
  }

  /** The place where the run begins, or the one before it, all of whose rows are taken. */
  int runLow() {
    return runLow;
  }

  /** The place where the run ends, or could go on; below all places, if none was found. */
  int runHigh() {
    return runHigh;
  }

  /** The first row of the run. */
  long runBegin() {
    return taken[order[runLow]];
  }

  /** The row after the last of the run. */
  long runEnd() {
    return ready[order[runHigh]];
  }

  private boolean isUntaken(int at) {
    return taken[order[at]] == edge[at];
  }

  private boolean isReady(int at) {
    return ready[order[at]] == edge[at + 1];
  }

  /** The band of the row before the run, if that is not taken: then it is not ready yet. */
  int bandBelow() {
    if (runLow == 0 || !isUntaken(runLow)) {
      return NO_BAND;
    }
    int below = order[runLow - 1];
    return taken[below] < edge[runLow] ? below : NO_BAND;
  }

  /** The band of the row after the run, if that is not taken: then it is not ready yet. */
  int bandAbove() {
    return isReady(runHigh) ? NO_BAND : order[runHigh];
  }

  /** Takes rows, all of them ready, from a place on. */
  void take(int from, long end) {
    for (int at = from; at < count && edge[at] < end; at++) {
      int band = order[at];
      long upTo = Math.min(end, edge[at + 1]);
      takenRows += upTo - taken[band];
      taken[band] = upTo;
      noteCandidate(band);
    }
  }
}
