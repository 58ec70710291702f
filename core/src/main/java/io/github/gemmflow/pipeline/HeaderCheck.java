// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline;

import io.github.gemmflow.failure.DisagreementException;

/**
 * Check of what the ranks say about a step: all must run the same operator on the same row counts.
 */
final class HeaderCheck {
  private static final String SAME_STEPS =
      "All ranks must run the same operators of a workspace in the same order, on the same row counts";

  private final Members members;
  private final Headers headers;

  HeaderCheck(Members members, Headers headers) {
    this.members = members;
    this.headers = headers;
  }

  /** How many ranks have entered the step. */
  int headersThere(OpenStep step) {
    int there = 0;
    for (int rank = 0; rank < members.domains().ranks(); rank++) {
      if (headers.isThere(rank, step.number())) {
        there++;
      }
    }
    return there;
  }

  /** Whether a rank has entered the step. */
  boolean isThere(OpenStep step, int rank) {
    return headers.isThere(rank, step.number());
  }

  /** Whether a rank of this host has not begun the step, and no rank of another host is missing. */
  boolean isMissingOnlyHere(OpenStep step, int rank) {
    for (int other = 0; other < members.domains().ranks(); other++) {
      if (members.domains().of(other) != members.domain() && !isThere(step, other)) {
        return false;
      }
    }
    return !isThere(step, rank);
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
    if (!isThere(step, rank)) {
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
    return headers.rows(step.number(), rank);
  }
}
