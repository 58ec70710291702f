// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import io.github.gemmflow.tuning.cost.CostModel;
import org.jspecify.annotations.Nullable;

/**
 * Choices about an operator that do not change its result. Immutable: each {@code with} method
 * returns another tuning. Starts from {@link #DEFAULT}, or from {@code Config.builder().tuning()}.
 */
public final class Tuning {
  /** Each takes room in a table; more of them only make MPI slower. */
  public static final int MOST_IN_FLIGHT = 1024;

  /**
   * What is used unless something else is chosen: two slots, so that one is filled while the other
   * is read, and costs that nobody measured.
   */
  public static final Tuning DEFAULT =
      new Tuning(new Choices(null, null, null, Chunking.BY_RULE, 2, 0, CostModel.ASSUMED, null));

  private final Choices choices;

  private record Choices(
      @Nullable Schedule schedule,
      @Nullable Storage storage,
      @Nullable Overlap overlap,
      Chunking chunking,
      int slots,
      int inFlight,
      CostModel costs,
      @Nullable SumPath sums) {
    Choices {
      if (slots < 1) {
        throw new IllegalArgumentException(
            "a route needs at least 1 slot, not %d".formatted(slots));
      }
      if (inFlight < 0) {
        throw new IllegalArgumentException(
            "%d chunks cannot be in flight: give a positive number, or 0 for an automatic choice"
                .formatted(inFlight));
      }
      if (inFlight > MOST_IN_FLIGHT) {
        throw new IllegalArgumentException(
            "at most %,d chunks of a route can be in flight, not %,d"
                .formatted(MOST_IN_FLIGHT, inFlight));
      }
    }
  }

  private Tuning(Choices choices) {
    this.choices = choices;
  }

  /** How rows travel between hosts; null for a choice by rule. */
  public @Nullable Schedule schedule() {
    return choices.schedule;
  }

  /** Where rows are stored when they arrive; null for a choice by rule. */
  public @Nullable Storage storage() {
    return choices.storage;
  }

  /**
   * Whether the first rows are worked on while others are still on their way; null for a choice by
   * rule. May differ from rank to rank of a gather, unless its storage is chosen by rule.
   */
  public @Nullable Overlap overlap() {
    return choices.overlap;
  }

  /** How many rows travel together; streamed, no more than fit a slot of the workspace. */
  public Chunking chunking() {
    return choices.chunking;
  }

  /**
   * How many slots a workspace has for each route when rows are streamed; its operators use what
   * there is.
   */
  public int slots() {
    return choices.slots;
  }

  /**
   * How many chunks of one route may be under way between two ranks; 0 for a choice by rule. May
   * differ from rank to rank.
   */
  public int inFlight() {
    return choices.inFlight;
  }

  /** The costs by which the rules choose; the same on all ranks. */
  public CostModel costs() {
    return choices.costs;
  }

  /** How sums that all ranks want travel between hosts; null for a choice by rule. */
  public @Nullable SumPath sums() {
    return choices.sums;
  }

  /** The same with another schedule; null for a choice by rule. */
  public Tuning withSchedule(@Nullable Schedule value) {
    Choices c = choices;
    return new Tuning(
        new Choices(value, c.storage, c.overlap, c.chunking, c.slots, c.inFlight, c.costs, c.sums));
  }

  /** The same with another storage; null for a choice by rule. */
  public Tuning withStorage(@Nullable Storage value) {
    Choices c = choices;
    return new Tuning(
        new Choices(
            c.schedule, value, c.overlap, c.chunking, c.slots, c.inFlight, c.costs, c.sums));
  }

  /** The same with another order of work; null for a choice by rule. */
  public Tuning withOverlap(@Nullable Overlap value) {
    Choices c = choices;
    return new Tuning(
        new Choices(
            c.schedule, c.storage, value, c.chunking, c.slots, c.inFlight, c.costs, c.sums));
  }

  /** Chunks of this many rows; 0 for chunks by bytes. */
  public Tuning withChunkRows(long rows) {
    return withChunking(new Chunking(rows, chunking().bytes()));
  }

  /**
   * Chunks of as many rows as fit this many bytes, and at least one; 0 for a choice by rule. Large
   * ones are at least eight of a route.
   */
  public Tuning withChunkBytes(long bytes) {
    return withChunking(new Chunking(0, bytes));
  }

  private Tuning withChunking(Chunking value) {
    Choices c = choices;
    return new Tuning(
        new Choices(c.schedule, c.storage, c.overlap, value, c.slots, c.inFlight, c.costs, c.sums));
  }

  /** The same with more or fewer slots. */
  public Tuning withSlots(int value) {
    Choices c = choices;
    return new Tuning(
        new Choices(
            c.schedule, c.storage, c.overlap, c.chunking, value, c.inFlight, c.costs, c.sums));
  }

  /** The same with more or fewer chunks in flight; 0 for a choice by rule. */
  public Tuning withInFlight(int value) {
    Choices c = choices;
    return new Tuning(
        new Choices(c.schedule, c.storage, c.overlap, c.chunking, c.slots, value, c.costs, c.sums));
  }

  /** The same with other costs. */
  public Tuning withCosts(CostModel value) {
    Choices c = choices;
    return new Tuning(
        new Choices(
            c.schedule, c.storage, c.overlap, c.chunking, c.slots, c.inFlight, value, c.sums));
  }

  /** The same with another path of sums; null for a choice by rule. */
  public Tuning withSums(@Nullable SumPath value) {
    Choices c = choices;
    return new Tuning(
        new Choices(
            c.schedule, c.storage, c.overlap, c.chunking, c.slots, c.inFlight, c.costs, value));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Tuning tuning && choices.equals(tuning.choices);
  }

  @Override
  public int hashCode() {
    return choices.hashCode();
  }

  @Override
  public String toString() {
    return choices.toString();
  }
}
