// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.plan.NextRun.Soon;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;

/**
 * {@link NextRun} in plain words, to compare it with: every decision looks at all bands, some of
 * them again and again.
 */
final class PlainNextRun {
  private static final int NO_BAND = -1;

  /** The turn of rows that come from other hosts. */
  private static final int OTHER_HOST = 2;

  private final int rank;
  private final long[] ready;
  private final long[] taken;
  private long begin;
  private long end;
  private int runBand;
  private int runIndex;
  private boolean patient;

  PlainNextRun(int rank, int bands) {
    this.rank = rank;
    this.ready = new long[bands];
    this.taken = new long[bands];
  }

  /** Starts a step: no row is ready, none is taken. */
  void reset(GatherLayout step) {
    runIndex = step.bands() - 1;
    for (int band = 0; band < step.bands(); band++) {
      ready[band] = step.bandBegin(band);
      taken[band] = step.bandBegin(band);
    }
  }

  /** Says that a band's rows are there up to, but not including, row {@code upTo} of A. */
  void ready(int band, long upTo) {
    ready[band] = upTo;
  }

  /** The row of A up to which a band's rows have been taken. */
  long taken(int band) {
    return taken[band];
  }

  /** A band of the run that {@link #choose} took; the only one, if rows are streamed. */
  int band() {
    return runBand;
  }

  /** The first row of the run that {@link #choose} took. */
  long begin() {
    return begin;
  }

  /** The row after the last of the run that {@link #choose} took. */
  long end() {
    return end;
  }

  /** Whether {@link #choose} left a worthwhile run alone because of rows that it expects soon. */
  boolean isPatient() {
    return patient;
  }

  /**
   * Takes the next run. A run shorter than {@code worthwhile} is left alone while rows that are yet
   * to come could make it longer; a longer one only if such rows come soon; any run is, if the plan
   * does not overlap.
   *
   * @return whether there is one; if so, {@link #begin} and {@link #end} say which
   */
  boolean choose(GatherLayout step, long worthwhile, Soon soon) {
    patient = false;
    int bestIndex = -1;
    int bestTurn = Integer.MAX_VALUE;
    long bestRows = 0;
    for (int i = 0; i < step.bands(); i++) {
      // Between bands with as many streamed rows it goes round: nobody's sender waits for ever.
      int index = step.plan().isStreamed() ? (runIndex + 1 + i) % step.bands() : i;
      int band = step.bandAt(index);
      long rows = ready[band] - taken[band];
      int turn = turn(step, band);
      boolean better = turn < bestTurn || (turn == bestTurn && rows > bestRows);
      if (rows > 0 && better && isWorthwhile(step, index, worthwhile, soon)) {
        bestIndex = index;
        bestTurn = turn;
        bestRows = rows;
      }
    }
    if (bestIndex < 0) {
      return false;
    }
    runIndex = bestIndex;
    runBand = step.bandAt(bestIndex);
    begin = runBegin(step, bestIndex);
    end = wholeEnd(step, runEnd(step, bestIndex), worthwhile);
    take(step);
    return true;
  }

  /** Whose turn it is: the lowest comes first. */
  private int turn(GatherLayout step, int band) {
    if (step.plan().problem().isAlongColumns()) {
      return step.plan().hosts().count() == 1 ? 0 : OTHER_HOST;
    }
    int shard = step.shard(band);
    if (step.plan().isStreamed()) {
      // Others wait for slots to be emptied, nobody for these rows: they fill the gaps.
      return shard == rank ? 1 : 0;
    }
    Hosts hosts = step.plan().hosts();
    if (shard == rank) {
      return 0;
    }
    return hosts.hostOf(shard) == hosts.hostOf(rank) ? 1 : OTHER_HOST;
  }

  private boolean isWorthwhile(GatherLayout step, int index, long worthwhile, Soon soon) {
    long first = runBegin(step, index);
    long last = runEnd(step, index);
    if (step.plan().isStreamed()) {
      return last - first >= worthwhile || last >= slotEnd(step, step.bandAt(index));
    }
    int below = bandBefore(step, first);
    int above = bandOf(step, last);
    if (below == NO_BAND && above == NO_BAND) {
      return true;
    }
    if (step.plan().overlap() == Overlap.SEQUENTIAL || last - first < worthwhile) {
      return false;
    }
    boolean growsSoon = isSoon(step, below, soon) || isSoon(step, above, soon);
    patient |= growsSoon;
    return !growsSoon;
  }

  private boolean isSoon(GatherLayout step, int band, Soon soon) {
    if (band == NO_BAND || soon == Soon.NOTHING) {
      return false;
    }
    return soon == Soon.ALL || turn(step, band) < OTHER_HOST;
  }

  /** The first row of the longest run of ready rows, none of them taken, through a band. */
  private long runBegin(GatherLayout step, int index) {
    int band = step.bandAt(index);
    long first = taken[band];
    if (step.plan().isStreamed()) {
      return first;
    }
    for (int i = index - 1; i >= 0 && first == step.bandBegin(step.bandAt(i + 1)); i--) {
      int below = step.bandAt(i);
      if (ready[below] < step.bandEnd(below)) {
        break;
      }
      first = taken[below];
    }
    return first;
  }

  private long runEnd(GatherLayout step, int index) {
    int band = step.bandAt(index);
    long last = ready[band];
    if (step.plan().isStreamed()) {
      return Math.min(last, mostEnd(step, band));
    }
    for (int i = index + 1; i < step.bands() && last == step.bandEnd(step.bandAt(i - 1)); i++) {
      int above = step.bandAt(i);
      if (taken[above] > step.bandBegin(above)) {
        break;
      }
      last = ready[above];
    }
    return last;
  }

  /**
   * The row after the last that is taken at once: of a slot, or of own rows if only those are left.
   */
  private long mostEnd(GatherLayout step, int band) {
    Hosts hosts = step.plan().hosts();
    boolean alone = hosts.size(hosts.hostOf(rank)) == 1;
    boolean onlyOwnLeft = alone && !step.plan().problem().isAlongColumns();
    for (int other = 0; other < step.bands(); other++) {
      onlyOwnLeft &= taken[other] == step.bandEnd(other) || step.shard(other) == rank;
    }
    return onlyOwnLeft ? step.bandEnd(band) : slotEnd(step, band);
  }

  /** The row after the last in the slot that the next row of a band lies in. */
  private long slotEnd(GatherLayout step, int band) {
    long slot = step.slot(band, step.bandChunk(band, taken[band]));
    return step.slotBegin(band, slot + 1);
  }

  /** A run that may still grow leaves what is over for the next one: kernels like round heights. */
  private long wholeEnd(GatherLayout step, long last, long worthwhile) {
    long over = (last - begin) % worthwhile;
    boolean mayGrow =
        step.plan().isStreamed() ? last < mostEnd(step, runBand) : bandOf(step, last) != NO_BAND;
    boolean cut = mayGrow && last - begin > worthwhile;
    return cut ? last - over : last;
  }

  /** The band of the row before {@code first}, if that is not taken: then it is not ready yet. */
  private int bandBefore(GatherLayout step, long first) {
    for (int band = 0; band < step.bands(); band++) {
      if (step.bandBegin(band) < first && first <= step.bandEnd(band)) {
        return taken[band] < first ? band : NO_BAND;
      }
    }
    return NO_BAND;
  }

  /** The band of row {@code last}, if that is not taken: then it is not ready yet. */
  private int bandOf(GatherLayout step, long last) {
    for (int band = 0; band < step.bands(); band++) {
      if (step.bandBegin(band) <= last && last < step.bandEnd(band)) {
        return taken[band] <= last ? band : NO_BAND;
      }
    }
    return NO_BAND;
  }

  private void take(GatherLayout step) {
    for (int band = 0; band < step.bands(); band++) {
      if (step.bandBegin(band) < end && step.bandEnd(band) > begin) {
        taken[band] = Math.min(end, step.bandEnd(band));
      }
    }
  }

  /** Whether every row of the step has been taken. */
  boolean allTaken(GatherLayout step) {
    for (int band = 0; band < step.bands(); band++) {
      if (taken[band] < step.bandEnd(band)) {
        return false;
      }
    }
    return true;
  }
}
