// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Overlap;

/**
 * The compute lane's decision: which rows to multiply next. Of gathered rows it takes this rank's
 * own first, then those of ranks that share memory with it, then the band with the most rows ready;
 * and always the longest run of ready rows around them, across borders between shards. Of streamed
 * rows it takes what is ready in one slot, from the band with the most rows ready, and this rank's
 * own when there is nothing else: as many as of a slot, or all when no others are left.
 *
 * <p>A decision looks at bands with rows that are ready and not taken, and at each run of them
 * once, however many bands there are: a step of 4,096 ranks takes thousands of decisions.
 *
 * <p>Holds the state of one step on one rank; not thread-safe.
 */
public final class NextRun {
  /** Which rows are expected in less time than one more run would cost. */
  public enum Soon {
    /** None in particular. */
    NOTHING,

    /** Those of ranks that share memory with this one. */
    OF_THIS_HOST,

    /** All that are missing. */
    ALL
  }

  private static final int NO_PLACE = -1;

  /** The turn of rows that come from other hosts. */
  private static final int OTHER_HOST = 2;

  private final int rank;
  private final ReadyRows rows;
  private long begin;
  private long end;
  private int runBand;
  private int runPlace;
  private boolean patient;

  // The best candidate so far.
  private int bestPlace;
  private int bestTurn;
  private long bestRows;

  /** Whether the run that was found last is worth taking. */
  private boolean foundWorthwhile;

  /**
   * For a group.
   *
   * @param rank whose compute lane it is
   * @param bands the most bands that a step may have
   */
  public NextRun(int rank, int bands) {
    this.rank = rank;
    this.rows = new ReadyRows(bands);
  }

  /** Starts a step: no row is ready, none is taken. */
  public void reset(GatherLayout step) {
    rows.reset(step);
    runPlace = rows.count() - 1;
  }

  /** Says that a band's rows are there up to, but not including, row {@code upTo} of A. */
  public void ready(int band, long upTo) {
    rows.ready(band, upTo);
  }

  /** The row of A up to which a band's rows are there. */
  public long ready(int band) {
    return rows.ready(band);
  }

  /** The row of A up to which a band's rows have been taken. */
  public long taken(int band) {
    return rows.taken(band);
  }

  /** A band of the run that {@link #choose} took; the only one, if rows are streamed. */
  public int band() {
    return runBand;
  }

  /** The first row of the run that {@link #choose} took. */
  public long begin() {
    return begin;
  }

  /** The row after the last of the run that {@link #choose} took. */
  public long end() {
    return end;
  }

  /** Whether {@link #choose} left a worthwhile run alone because of rows that it expects soon. */
  public boolean isPatient() {
    return patient;
  }

  /**
   * Takes the next run. A run shorter than {@code worthwhile} is left alone while rows that are yet
   * to come could make it longer; a longer one only if such rows come soon; any run is, if the plan
   * does not overlap.
   *
   * @return whether there is one; if so, {@link #begin} and {@link #end} say which
   */
  public boolean choose(GatherLayout step, long worthwhile, Soon soon) {
    patient = false;
    bestPlace = NO_PLACE;
    bestTurn = Integer.MAX_VALUE;
    bestRows = 0;
    rows.forgetRun();
    // Between bands with as many streamed rows it goes round: nobody's sender waits for ever.
    int start = step.plan().isStreamed() ? runPlace + 1 : 0;
    for (int at = rows.candidate(start); at >= 0; at = rows.candidate(at + 1)) {
      consider(step, at, worthwhile, soon);
    }
    for (int at = rows.candidate(0); at >= 0 && at < start; at = rows.candidate(at + 1)) {
      consider(step, at, worthwhile, soon);
    }
    if (bestPlace == NO_PLACE) {
      return false;
    }
    runPlace = bestPlace;
    runBand = rows.band(bestPlace);
    if (step.plan().isStreamed()) {
      takeFromSlot(step, worthwhile);
    } else {
      takeRun(worthwhile);
    }
    return true;
  }

  private void consider(GatherLayout step, int at, long worthwhile, Soon soon) {
    long left = rows.left(at);
    int turn = turn(step, rows.band(at));
    boolean better = turn < bestTurn || (turn == bestTurn && left > bestRows);
    if (better && isWorthwhile(step, at, worthwhile, soon)) {
      bestPlace = at;
      bestTurn = turn;
      bestRows = left;
    }
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

  private boolean isWorthwhile(GatherLayout step, int at, long worthwhile, Soon soon) {
    if (step.plan().isStreamed()) {
      int band = rows.band(at);
      return rows.left(at) >= worthwhile || rows.ready(band) >= slotEnd(step, band);
    }
    // Candidates come in ascending order, and those of one run share its fate.
    if (at > rows.runHigh()) {
      rows.findRun(at);
      foundWorthwhile = isFoundWorthwhile(step, worthwhile, soon);
    }
    return foundWorthwhile;
  }

  private boolean isFoundWorthwhile(GatherLayout step, long worthwhile, Soon soon) {
    int below = rows.bandBelow();
    int above = rows.bandAbove();
    if (below == ReadyRows.NO_BAND && above == ReadyRows.NO_BAND) {
      return true;
    }
    if (step.plan().overlap() == Overlap.SEQUENTIAL
        || rows.runEnd() - rows.runBegin() < worthwhile) {
      return false;
    }
    boolean growsSoon = isSoon(step, below, soon) || isSoon(step, above, soon);
    patient |= growsSoon;
    return !growsSoon;
  }

  private boolean isSoon(GatherLayout step, int band, Soon soon) {
    if (band == ReadyRows.NO_BAND || soon == Soon.NOTHING) {
      return false;
    }
    return soon == Soon.ALL || turn(step, band) < OTHER_HOST;
  }

  /** The row after the last in the slot that the next row of a band lies in. */
  private long slotEnd(GatherLayout step, int band) {
    long chunk = step.bandChunk(band, rows.taken(band));
    return step.slotBegin(band, step.slot(band, chunk) + 1);
  }

  private void takeFromSlot(GatherLayout step, long worthwhile) {
    long most = areOnlyOwnLeft(step) ? step.bandEnd(runBand) : slotEnd(step, runBand);
    begin = rows.taken(runBand);
    end = Math.min(rows.ready(runBand), most);
    leaveWhatIsOver(worthwhile, end < most);
    rows.take(runPlace, end);
  }

  /** Whether only this rank's own rows are left, and nobody waits for it to do anything else. */
  private boolean areOnlyOwnLeft(GatherLayout step) {
    Hosts hosts = step.plan().hosts();
    if (step.plan().problem().isAlongColumns() || hosts.size(hosts.hostOf(rank)) > 1) {
      return false;
    }
    long left = 0;
    for (int part = 0; part < step.plan().parts(); part++) {
      int band = step.band(step.route(part, rank));
      left += step.bandEnd(band) - rows.taken(band);
    }
    return rows.takenRows() + left == step.totalRows();
  }

  private void takeRun(long worthwhile) {
    rows.findRun(runPlace);
    begin = rows.runBegin();
    end = rows.runEnd();
    leaveWhatIsOver(worthwhile, rows.bandAbove() != ReadyRows.NO_BAND);
    rows.take(rows.runLow(), end);
  }

  /** A run that may still grow leaves what is over for the next one: kernels like round heights. */
  private void leaveWhatIsOver(long worthwhile, boolean mayGrow) {
    if (mayGrow && end - begin > worthwhile) {
      end -= (end - begin) % worthwhile;
    }
  }

  /** Whether every row of the step has been taken. */
  public boolean allTaken(GatherLayout step) {
    return rows.takenRows() == step.totalRows();
  }
}
