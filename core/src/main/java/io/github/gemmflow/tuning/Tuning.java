// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import io.github.gemmflow.tuning.cost.CostModel;
import org.jspecify.annotations.Nullable;

/**
 * Choices about an operator that do not change its result.
 *
 * @param schedule how rows travel between hosts; null for a choice by rule
 * @param storage where they lie when they arrive; null for a choice by rule
 * @param overlap whether the first rows are worked on while others are still on their way; null for
 *     a choice by rule; may differ from rank to rank of a gather, unless its storage is chosen by
 *     rule
 * @param chunking how many rows travel together; streamed, no more than fit a slot of the workspace
 * @param slots how many slots a workspace has for each route when rows are streamed; its operators
 *     use what there is
 * @param inFlight how many chunks of one route may be under way between two ranks; 0 for a choice
 *     by rule; may differ from rank to rank
 * @param costs by which the rules choose; the same on all ranks
 * @param sums how sums that all ranks want travel between hosts; null for a choice by rule
 */
public record Tuning(
    @Nullable Schedule schedule,
    @Nullable Storage storage,
    @Nullable Overlap overlap,
    Chunking chunking,
    int slots,
    int inFlight,
    CostModel costs,
    @Nullable SumPath sums) {
  /** Each takes room in a table; more of them only make MPI slower. */
  public static final int MOST_IN_FLIGHT = 1024;

  /**
   * What is used unless something else is chosen: two slots, so that one is filled while the other
   * is read, and costs that nobody measured.
   */
  public static final Tuning DEFAULT =
      new Tuning(null, null, null, Chunking.BY_RULE, 2, 0, CostModel.ASSUMED, null);

  public Tuning {
    if (slots < 1) {
      throw new IllegalArgumentException("a route needs at least 1 slot, not %d".formatted(slots));
    }
    if (inFlight < 0) {
      throw new IllegalArgumentException(
          "%d chunks cannot be in flight: give a positive number, or 0 for a choice by rule"
              .formatted(inFlight));
    }
    if (inFlight > MOST_IN_FLIGHT) {
      throw new IllegalArgumentException(
          "at most %,d chunks of a route can be in flight, not %,d"
              .formatted(MOST_IN_FLIGHT, inFlight));
    }
  }

  /** The same with another schedule; null for a choice by rule. */
  public Tuning withSchedule(@Nullable Schedule value) {
    return new Tuning(value, storage, overlap, chunking, slots, inFlight, costs, sums);
  }

  /** The same with another storage; null for a choice by rule. */
  public Tuning withStorage(@Nullable Storage value) {
    return new Tuning(schedule, value, overlap, chunking, slots, inFlight, costs, sums);
  }

  /** The same with another order of work; null for a choice by rule. */
  public Tuning withOverlap(@Nullable Overlap value) {
    return new Tuning(schedule, storage, value, chunking, slots, inFlight, costs, sums);
  }

  /** Chunks of this many rows; 0 for chunks by bytes. */
  public Tuning withChunkRows(long rows) {
    return withChunking(new Chunking(rows, chunking.bytes()));
  }

  /**
   * Chunks of as many rows as fit this many bytes, and at least one. Large ones are at least eight
   * of a route.
   */
  public Tuning withChunkBytes(long bytes) {
    return withChunking(new Chunking(0, bytes));
  }

  private Tuning withChunking(Chunking value) {
    return new Tuning(schedule, storage, overlap, value, slots, inFlight, costs, sums);
  }

  /** The same with more or fewer slots. */
  public Tuning withSlots(int value) {
    return new Tuning(schedule, storage, overlap, chunking, value, inFlight, costs, sums);
  }

  /** The same with more or fewer chunks in flight. */
  public Tuning withInFlight(int value) {
    return new Tuning(schedule, storage, overlap, chunking, slots, value, costs, sums);
  }

  /** The same with other costs. */
  public Tuning withCosts(CostModel value) {
    return new Tuning(schedule, storage, overlap, chunking, slots, inFlight, value, sums);
  }

  /** The same with another path of sums; null for a choice by rule. */
  public Tuning withSums(@Nullable SumPath value) {
    return new Tuning(schedule, storage, overlap, chunking, slots, inFlight, costs, value);
  }
}
