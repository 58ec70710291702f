// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.step;

import io.github.gemmflow.failure.DisagreementException;

/**
 * Check of what the ranks say about a step: all must run the same operator on the same row counts.
 */
public final class HeaderCheck {
  private static final String SAME_STEPS =
      "All ranks must run the same operators of a workspace in the same order, on the same row counts";

  private final HostPeers peers;
  private final StepHeaders headers;

  public HeaderCheck(HostPeers peers, StepHeaders headers) {
    this.peers = peers;
    this.headers = headers;
  }

  /** How many ranks have entered the step. */
  public int headersThere(StepContext step) {
    int there = 0;
    for (int rank = 0; rank < peers.hosts().ranks(); rank++) {
      if (headers.isThere(rank, step.number())) {
        there++;
      }
    }
    return there;
  }

  /** A number that grows with every step that a rank of this host begins. */
  public long begunOnThisHost() {
    long sum = 0;
    for (int i = 0; i < peers.hostRanks(); i++) {
      sum += headers.begun(peers.hostRank(i));
    }
    return sum;
  }

  /** Whether a rank has entered the step. */
  public boolean isThere(StepContext step, int rank) {
    return headers.isThere(rank, step.number());
  }

  /** Whether a rank of this host has not begun the step, and no rank of another host is missing. */
  public boolean isMissingOnlyHere(StepContext step, int rank) {
    for (int other = 0; other < peers.hosts().ranks(); other++) {
      if (peers.hosts().hostOf(other) != peers.host() && !isThere(step, other)) {
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
  public boolean verify(StepContext step, int rank) {
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

  private void verifyRows(StepContext step, int rank) {
    long rows = headers.rows(step.number(), rank);
    long expected = step.layout().rows(rank);
    if (rows != expected) {
      throw disagree(step, "rows of rank " + rank, rank, rows, expected);
    }
    long counts = headers.counts(step.number(), rank);
    if (counts != StepHeaders.NOT_KNOWN && counts != step.layout().countsHash()) {
      throw new DisagreementException(
          "step %d: rank %d and rank %d were given different row counts. %s"
              .formatted(step.number(), rank, peers.rank(), SAME_STEPS));
    }
  }

  private DisagreementException disagree(
      StepContext step, String field, int rank, long theirs, long mine) {
    return new DisagreementException(
        "step %d: %s: rank %d has %d, rank %d has %d. %s"
            .formatted(step.number(), field, rank, theirs, peers.rank(), mine, SAME_STEPS));
  }

  /**
   * Throws if the group has been given up: with the disagreement between two ranks, if there is
   * one, because then that is what broke it.
   */
  public void checkWhole(StepContext step) {
    if (peers.isBroken()) {
      verifyAll(step);
      throw peers.broken();
    }
  }

  /** Verifies every header of a step that is there. */
  public void verifyAll(StepContext step) {
    for (int rank = 0; rank < peers.hosts().ranks(); rank++) {
      verify(step, rank);
    }
  }

  /**
   * Verifies every header that is there of those steps that are laid, unless the group is broken.
   */
  public void verifyLaid(StepContext[] steps) {
    for (StepContext step : steps) {
      if (step.isLaid() && !peers.isBroken()) {
        verifyAll(step);
      }
    }
  }

  /** The rows that a rank holds in a step, once its header is there. */
  public long rows(StepContext step, int rank) {
    return headers.rows(step.number(), rank);
  }
}
