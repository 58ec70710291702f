// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.plan;

/**
 * The compute lane's decision: which rows to multiply next. It takes this rank's own rows first,
 * then those of ranks that share memory with it, then the route with the most rows ready; and
 * always the longest run of ready rows around them, across borders between shards.
 *
 * <p>Holds the state of one step on one rank; not thread-safe.
 */
public final class NextRun {
  private final int rank;
  private final long[] ready;
  private final long[] taken;
  private long begin;
  private long end;

  /**
   * For a group.
   *
   * @param rank whose compute lane it is
   * @param routes the most routes that a step may have
   */
  public NextRun(int rank, int routes) {
    this.rank = rank;
    this.ready = new long[routes];
    this.taken = new long[routes];
  }

  /** Starts a step: no row is ready, none is taken. */
  public void reset(StepPlan step) {
    for (int route = 0; route < step.routes(); route++) {
      ready[route] = step.begin(route);
      taken[route] = step.begin(route);
    }
  }

  /** Says that a route's rows are there up to, but not including, row {@code upTo} of A. */
  public void ready(int route, long upTo) {
    ready[route] = upTo;
  }

  /** The row of A up to which a route's rows are there. */
  public long ready(int route) {
    return ready[route];
  }

  /** The row of A up to which a route's rows have been taken. */
  public long taken(int route) {
    return taken[route];
  }

  /** The first row of the run that {@link #choose} took. */
  public long begin() {
    return begin;
  }

  /** The row after the last of the run that {@link #choose} took. */
  public long end() {
    return end;
  }

  /**
   * Takes the next run. A run shorter than {@code worthwhile} is left alone while rows that are yet
   * to come could make it longer.
   *
   * @return whether there is one; if so, {@link #begin} and {@link #end} say which
   */
  public boolean choose(StepPlan step, long worthwhile) {
    int bestIndex = -1;
    int bestClass = Integer.MAX_VALUE;
    long bestRows = 0;
    for (int index = 0; index < step.routes(); index++) {
      int route = step.routeAt(index);
      long rows = ready[route] - taken[route];
      int nearness = nearness(step, route);
      boolean better = nearness < bestClass || (nearness == bestClass && rows > bestRows);
      if (rows > 0 && better && isWorthwhile(step, index, worthwhile)) {
        bestIndex = index;
        bestClass = nearness;
        bestRows = rows;
      }
    }
    if (bestIndex < 0) {
      return false;
    }
    begin = runBegin(step, bestIndex);
    end = runEnd(step, bestIndex);
    take(step);
    return true;
  }

  private int nearness(StepPlan step, int route) {
    int shard = step.shard(route);
    Domains domains = step.plan().domains();
    if (shard == rank) {
      return 0;
    }
    return domains.of(shard) == domains.of(rank) ? 1 : 2;
  }

  private boolean isWorthwhile(StepPlan step, int index, long worthwhile) {
    long first = runBegin(step, index);
    long last = runEnd(step, index);
    return last - first >= worthwhile || !(canGrowDown(step, first) || canGrowUp(step, last));
  }

  /** The first row of the longest run of ready rows, none of them taken, through a route. */
  private long runBegin(StepPlan step, int index) {
    int route = step.routeAt(index);
    long first = taken[route];
    for (int i = index - 1; i >= 0 && first == step.begin(step.routeAt(i + 1)); i--) {
      int below = step.routeAt(i);
      if (ready[below] < step.end(below)) {
        break;
      }
      first = taken[below];
    }
    return first;
  }

  private long runEnd(StepPlan step, int index) {
    int route = step.routeAt(index);
    long last = ready[route];
    for (int i = index + 1; i < step.routes() && last == step.end(step.routeAt(i - 1)); i++) {
      int above = step.routeAt(i);
      if (taken[above] > step.begin(above)) {
        break;
      }
      last = ready[above];
    }
    return last;
  }

  /** Whether the row before {@code first} exists and is not taken: then it is not ready yet. */
  private boolean canGrowDown(StepPlan step, long first) {
    for (int route = 0; route < step.routes(); route++) {
      if (step.begin(route) < first && first <= step.end(route)) {
        return taken[route] < first;
      }
    }
    return false;
  }

  /** Whether row {@code last} exists and is not taken: then it is not ready yet. */
  private boolean canGrowUp(StepPlan step, long last) {
    for (int route = 0; route < step.routes(); route++) {
      if (step.begin(route) <= last && last < step.end(route)) {
        return taken[route] <= last;
      }
    }
    return false;
  }

  private void take(StepPlan step) {
    for (int route = 0; route < step.routes(); route++) {
      if (step.begin(route) < end && step.end(route) > begin) {
        taken[route] = Math.min(end, step.end(route));
      }
    }
  }

  /** Whether every row of the step has been taken. */
  public boolean allTaken(StepPlan step) {
    for (int route = 0; route < step.routes(); route++) {
      if (taken[route] < step.end(route)) {
        return false;
      }
    }
    return true;
  }
}
