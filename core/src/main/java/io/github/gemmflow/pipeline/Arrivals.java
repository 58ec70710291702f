// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.StepPlan;

/**
 * What a rank knows of the rows and headers that have come in. A row counts as arrived only when
 * its chunk is complete, and the headers of the rank that holds it and of the rank that brought it
 * here say that they run the same step.
 */
final class Arrivals {
  private static final String SAME_STEPS =
      "All ranks must run the same operators of a workspace in the same order, on the same row counts";

  private final Members members;
  private final Space space;

  Arrivals(Members members, Space space) {
    this.members = members;
    this.space = space;
  }

  /** Says that the rows of this rank's own shard are in the window. */
  void publishOwn(OpenStep step) {
    StepPlan plan = step.plan();
    for (int part = 0; part < plan.plan().parts(); part++) {
      int route = plan.route(part, members.rank());
      publish(step, route, plan.chunks(route));
    }
  }

  /** Says that the first chunks of a route are in the window. */
  void publish(OpenStep step, int route, long chunks) {
    space.arrivals().publish(route, step.base(route) + chunks);
  }

  /** How many chunks of a route are in the window; those of later steps do not count. */
  long chunks(OpenStep step, int route) {
    long arrived = space.arrivals().get(route) - step.base(route);
    return Math.min(arrived, step.plan().chunks(route));
  }

  /** A number that grows whenever something of the step comes in. */
  long progress(OpenStep step) {
    StepPlan plan = step.plan();
    long sum = headersThere(step);
    for (int route = 0; route < plan.routes(); route++) {
      if (plan.chunks(route) > 0) {
        sum += chunks(step, route);
      }
    }
    return sum;
  }

  /** Whether every reader is done with what a chunk of a route would overwrite. */
  boolean hasRoom(OpenStep step, int route, long chunk) {
    StepPlan plan = step.plan();
    int band = plan.band(route);
    return !plan.plan().isStreamed() || space.slots(band).isFree(step.use(band) + chunk);
  }

  /**
   * Whether all rows that are missing lack room, so that they come in only as fast as the slowest
   * reader of this host lets go of slots.
   */
  boolean areHeldUp(OpenStep step) {
    StepPlan plan = step.plan();
    boolean missing = false;
    for (int route = 0; plan.plan().isStreamed() && route < plan.routes(); route++) {
      long chunks = Math.max(0, chunks(step, route));
      if (chunks < plan.chunks(route)) {
        if (hasRoom(step, route, chunks)) {
          return false;
        }
        missing = true;
      }
    }
    return missing;
  }

  /** Whether a rank has not begun the step, or rows of it are not there. */
  boolean isMissing(OpenStep step, int rank) {
    if (!space.headers().isThere(rank, step.number())) {
      return true;
    }
    StepPlan plan = step.plan();
    for (int part = 0; part < plan.plan().parts(); part++) {
      int route = plan.route(part, rank);
      if (chunks(step, route) < plan.chunks(route)) {
        return true;
      }
    }
    return false;
  }

  /** Whether none of the ranks that are missing is on another host. */
  boolean areAllMissingOnThisHost(OpenStep step) {
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (members.domains().of(rank) != members.domain() && isMissing(step, rank)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a rank of this host has not begun the step, and no rank of another host is missing. */
  boolean isHeaderMissingOnlyHere(OpenStep step, int rank) {
    for (int other = 0; other < members.domains().ranks(); other++) {
      if (members.domains().of(other) != members.domain()
          && !space.headers().isThere(other, step.number())) {
        return false;
      }
    }
    return !space.headers().isThere(rank, step.number());
  }

  /** The bytes that are yet to come, of those that this rank receives from other hosts. */
  long bytesToReceive(OpenStep step) {
    StepPlan plan = step.plan();
    long bytes = 0;
    for (int route = 0; route < plan.routes(); route++) {
      boolean remote = members.domains().of(plan.shard(route)) != members.domain();
      if (remote && plan.owner(members.domain(), route) == members.rank()) {
        long firstMissing = plan.chunkBegin(route, Math.max(0, chunks(step, route)));
        bytes += (plan.end(route) - firstMissing) * plan.columnBytes(route);
      }
    }
    return bytes;
  }

  /** How many ranks have entered the step. */
  int headersThere(OpenStep step) {
    int there = 0;
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (space.headers().isThere(rank, step.number())) {
        there++;
      }
    }
    return there;
  }

  /** Tells the compute lane which rows are ready. */
  void update(OpenStep step, NextRun runs) {
    StepPlan plan = step.plan();
    for (int band = 0; band < plan.bands(); band++) {
      if (runs.ready(band) < plan.bandEnd(band)) {
        runs.ready(band, ready(step, band));
      }
    }
  }

  /** Up to which row of A the rows of a band are there, in all columns. */
  private long ready(OpenStep step, int band) {
    StepPlan plan = step.plan();
    if (plan.isReadAtHome(band, members.rank())) {
      return plan.bandEnd(band);
    }
    long ready = plan.bandEnd(band);
    for (int i = 0; i < plan.bandRoutes(); i++) {
      int route = plan.bandRoute(band, i);
      // Who holds the rows says what they are; who brings them in decided where they lie.
      boolean verified =
          verify(step, plan.shard(route)) && verify(step, plan.owner(members.domain(), route));
      long chunks = verified ? chunks(step, route) : 0;
      ready = Math.min(ready, plan.chunkBegin(route, chunks));
    }
    return ready;
  }

  /**
   * Looks whether a rank does in this step what this rank does.
   *
   * @return false if its header is not there yet
   */
  boolean verify(OpenStep step, int rank) {
    if (step.isVerified(rank)) {
      return true;
    }
    Headers headers = space.headers();
    if (!headers.isThere(rank, step.number())) {
      return false;
    }
    long operator = headers.operator(step.number(), rank);
    if (operator != step.operator()) {
      throw disagree(step, "operator", rank, operator, step.operator());
    }
    if (step.isLaid()) {
      verifyRows(step, rank);
      step.setVerified(rank);
    }
    return true;
  }

  private void verifyRows(OpenStep step, int rank) {
    Headers headers = space.headers();
    long rows = headers.rows(step.number(), rank);
    long expected = step.layout().rows(rank);
    if (rows != expected) {
      throw disagree(step, "rows of rank " + rank, rank, rows, expected);
    }
    long counts = headers.counts(step.number(), rank);
    if (counts != Headers.NOT_KNOWN && counts != step.layout().countsHash()) {
      throw new DisagreementException(
          "step %d: rank %d and rank %d were given different row counts. %s"
              .formatted(step.number(), rank, members.rank(), SAME_STEPS));
    }
  }

  private DisagreementException disagree(
      OpenStep step, String field, int rank, long theirs, long mine) {
    return new DisagreementException(
        "step %d: %s: rank %d says %d, rank %d says %d. %s"
            .formatted(step.number(), field, rank, theirs, members.rank(), mine, SAME_STEPS));
  }

  /**
   * Throws if the group has been given up: with the disagreement between two ranks, if there is
   * one, because then that is what broke it.
   */
  void checkWhole(OpenStep step) {
    if (members.isBroken()) {
      verifyAll(step);
      throw members.broken();
    }
  }

  /** Verifies every header of a step that is there. */
  void verifyAll(OpenStep step) {
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      verify(step, rank);
    }
  }

  /** The rows that a rank holds in a step, once its header is there. */
  long rows(OpenStep step, int rank) {
    return space.headers().rows(step.number(), rank);
  }
}
