// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DisagreementException;
import io.github.gemmflow.plan.NextRun;
import io.github.gemmflow.plan.StepPlan;
import java.util.StringJoiner;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

/**
 * What a rank knows of the rows and headers that have come in. A row counts as arrived only when
 * its chunk is complete and its rank's header says that it runs the same step.
 */
final class Arrivals {
  /** A list of missing rows that is longer than this is cut short. */
  private static final int LONG_TEXT = 600;

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
      int route = part * members.domains().ranks() + members.rank();
      publish(step, route, plan.chunks(route));
    }
    members.ringComm();
    members.ringHost();
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
    for (int route = 0; route < plan.routes(); route++) {
      int shard = plan.shard(route);
      if (runs.ready(route) < plan.end(route) && verify(step, shard)) {
        runs.ready(route, plan.chunkBegin(route, chunks(step, route)));
      }
    }
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
      long rows = headers.rows(step.number(), rank);
      long expected = step.plan().rows(rank);
      if (rows != expected) {
        throw disagree(step, "rows of rank " + rank, rank, rows, expected);
      }
      step.setVerified(rank);
    }
    return true;
  }

  private DisagreementException disagree(
      OpenStep step, String field, int rank, long theirs, long mine) {
    return new DisagreementException(
        "step %d: %s: rank %d says %d, rank %d says %d. All ranks must run the same operators of a workspace in the same order, on the same row counts"
            .formatted(step.number(), field, rank, theirs, members.rank(), mine));
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

  /** Who has not begun the step, for a person. */
  String missingHeaders(OpenStep step) {
    StringJoiner text = new StringJoiner("; ");
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (!space.headers().isThere(rank, step.number())) {
        text.add(name(rank) + " has not begun the step");
      }
    }
    return text + furthestBehind();
  }

  /** Which rows are missing, for a person. */
  String missing(OpenStep step) {
    StringJoiner text = new StringJoiner("; ");
    StepPlan plan = step.plan();
    int more = 0;
    for (int index = 0; index < plan.routes(); index++) {
      int route = plan.routeAt(index);
      int shard = plan.shard(route);
      long chunks = chunks(step, route);
      boolean begun = space.headers().isThere(shard, step.number());
      if (plan.chunks(route) == 0 || (chunks == plan.chunks(route) && begun)) {
        continue;
      }
      if (text.length() > LONG_TEXT) {
        more++;
        continue;
      }
      boolean allThere = chunks == plan.chunks(route);
      text.add(
          "rows %d-%d of rank %d %s (%s%s)"
              .formatted(
                  plan.chunkBegin(route, allThere ? 0 : Math.max(0, chunks)),
                  plan.end(route) - 1,
                  shard,
                  allThere ? "are not confirmed" : "did not arrive",
                  plan.way(members.domain(), route),
                  begun ? "" : "; " + name(shard) + " has not begun the step"));
    }
    return text + (more == 0 ? "" : "; and those of %d more".formatted(more)) + furthestBehind();
  }

  /** A rank, with the rank that brings its headers here, if that is another. */
  private String name(int rank) {
    int domain = members.domain();
    if (members.domains().of(rank) == domain) {
      return "rank " + rank;
    }
    return "rank %d (heard of by rank %d)"
        .formatted(rank, Headers.owner(members.domains(), domain, rank));
  }

  /** Who to look at first: the others may only be waiting for it. */
  private String furthestBehind() {
    IntToLongFunction begun = space.headers()::begun;
    long fewest = fewest(members.domains().ranks(), begun);
    StringJoiner ranks = new StringJoiner(", ");
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (begun.applyAsLong(rank) == fewest) {
        ranks.add(name(rank));
      }
    }
    String where = fewest == 0 ? "no step yet" : "step " + (fewest - 1) + " last";
    return ". Furthest behind: %s, having begun %s%s".formatted(ranks, where, slowTransfers());
  }

  /** The ranks of this host whose comm lanes have finished the fewest steps. */
  private String slowTransfers() {
    if (!members.hasOtherHosts()) {
      return "";
    }
    int domain = members.domain();
    int count = members.domains().size(domain);
    IntToLongFunction finished = i -> space.ring().passed(count + i);
    long fewest = fewest(count, finished);
    StringJoiner ranks = new StringJoiner(", ");
    for (int i = 0; i < count; i++) {
      if (finished.applyAsLong(i) == fewest) {
        ranks.add("rank " + members.domains().member(domain, i));
      }
    }
    return "; with the transfers of %d steps finished: %s".formatted(fewest, ranks);
  }

  private static long fewest(int count, IntToLongFunction value) {
    return IntStream.range(0, count).mapToLong(value).min().orElse(0);
  }
}
