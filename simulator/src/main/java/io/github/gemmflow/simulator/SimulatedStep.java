// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.simulator;

import io.github.gemmflow.trace.Span;
import java.util.List;

/**
 * Result of simulating a step.
 *
 * @param nanos when the slowest rank was done
 * @param workNanos how long the busiest rank worked on rows
 * @param commNanos how long the busiest communication thread was busy
 * @param linkNanos how long the busiest link was, one way
 * @param bytesIntoHost the most that came into a host
 * @param messages how many messages there were
 * @param runs the runs or tiles that rank 0 worked on rows in
 * @param spans what the threads of each rank did; empty unless that was recorded
 */
public record SimulatedStep(
    double nanos,
    double workNanos,
    double commNanos,
    double linkNanos,
    long bytesIntoHost,
    long messages,
    long runs,
    List<List<Span>> spans) {
  private static final double MOST_OF_IT = 0.7;

  public SimulatedStep {
    spans = List.copyOf(spans);
  }

  /** What the step spends most of its time with. */
  public enum Limit {
    WORK("the products"),
    LINK("the network's rate"),
    COMM_THREAD("the communication thread"),
    LATENCY("messages and waking up");

    private final String words;

    Limit(String words) {
      this.words = words;
    }

    /** For a person. */
    @Override
    public String toString() {
      return words;
    }
  }

  /** What limits it: what is busy most of the time, or nothing in particular, which is latency. */
  public Limit limit() {
    double most = Math.max(workNanos, Math.max(linkNanos, commNanos));
    if (most < MOST_OF_IT * nanos) {
      return Limit.LATENCY;
    }
    if (most == workNanos) {
      return Limit.WORK;
    }
    return most == linkNanos ? Limit.LINK : Limit.COMM_THREAD;
  }
}
