// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.comm.PlannedStep;
import io.github.gemmflow.pipeline.comm.StepKind;
import io.github.gemmflow.tuning.Explanation;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Collective operation of a group, built once and run step by step: a {@link GatherOperator} or a
 * {@link SumOperator}. All ranks run the operators of a workspace in the same order.
 *
 * <p>Not thread-safe: a step that begins while another of the workspace is open throws {@link
 * IllegalStateException}.
 */
public abstract sealed class Operator implements AutoCloseable permits GatherOperator, SumOperator {
  private static final int CLOSED = -1;

  /** Stands for any thread but the caller's. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> {});

  private static final List<String> OUTPUT_NAMES = List.of("output 0", "output 1", "output 2");

  private final Workspace workspace;

  /** The number of the operator in its workspace, the same on all ranks. */
  private final int number;

  private final AtomicLong steps = new AtomicLong();

  /** How many steps are open; {@link #CLOSED} when the operator is. */
  private final AtomicInteger openSteps = new AtomicInteger();

  Operator(Workspace workspace, int number) {
    this.workspace = workspace;
    this.number = number;
  }

  /**
   * One whole step: gives {@code a}, and returns when the outputs hold the result. Collective;
   * blocks, and works in the calling thread. Each rank says only how many rows it gives to a gather
   * ({@code a} has), or gets from a reduce-scatter (the output has); see {@link RowCounts#mine}.
   *
   * @param a what this rank gives
   * @param outputs of an {@link AllGatherMatmul} one matrix for each of its outputs; of an {@link
   *     AllGather} none, or one to copy the rows to; of an operator that sums, one. With several
   *     compute threads, in shared memory
   * @throws IllegalArgumentException if something does not fit. Nothing has happened then, unless
   *     it is the rows of all ranks together that do not fit the output: those are known only when
   *     all ranks have begun the step
   * @throws IllegalStateException if a step of the workspace is open, or something is closed
   * @throws io.github.gemmflow.failure.GemmflowException if not all rows arrived in time, or the
   *     ranks cannot go on together
   */
  public final void run(Matrix a, Matrix... outputs) {
    run(rowsOf(a, outputs), a, outputs);
  }

  /**
   * The same with what this rank knows of the rows of all ranks.
   *
   * @param rows those that each rank gives to a gather, or gets from a sum
   */
  public final void run(RowCounts rows, Matrix a, Matrix... outputs) {
    check(rows, a, outputs, workspace.threads() > 1);
    execute(rows, a, outputs);
  }

  /**
   * Like {@link #run(Matrix, Matrix...)}, but in a thread of the workspace, so outputs are in
   * shared memory. Collective.
   */
  public final RunHandle start(Matrix a, Matrix... outputs) {
    return start(rowsOf(a, outputs), a, outputs);
  }

  /** Like {@link #run(RowCounts, Matrix, Matrix...)}, but in a thread of the workspace. */
  public final RunHandle start(RowCounts rows, Matrix a, Matrix... outputs) {
    check(rows, a, outputs, true);
    return executeInBackground(rows, a, outputs);
  }

  /** What a step is run with if nothing is said about rows. */
  abstract RowCounts rowsOf(Matrix a, Matrix[] outputs);

  /**
   * Throws if something does not fit.
   *
   * @param byOtherThreads whether other threads than the caller's work on the matrices
   */
  abstract void check(RowCounts rows, Matrix a, Matrix[] outputs, boolean byOtherThreads);

  abstract void execute(RowCounts rows, Matrix a, Matrix[] outputs);

  abstract RunHandle executeInBackground(RowCounts rows, Matrix a, Matrix[] outputs);

  /** The columns of what this rank gives. */
  public abstract long inputColumns();

  /** What was decided about how rows travel, and why. */
  public abstract Explanation explain();

  /** Begins a step, unless something is closed. */
  final <S extends PlannedStep> S beginStep(StepKind<S> kind, RowCounts rows) {
    // Counted first, so that the operator cannot be closed in the meantime.
    if (openSteps.updateAndGet(open -> open == CLOSED ? CLOSED : open + 1) == CLOSED) {
      throw new IllegalStateException(this + " is closed");
    }
    boolean begun = false;
    try {
      workspace.checkOpen();
      S step =
          rows.areKnown()
              ? workspace.pipeline().begin(kind, number, rows.all())
              : workspace.pipeline().begin(kind, number, rows.all()[0]);
      begun = true;
      steps.incrementAndGet();
      return step;
    } finally {
      if (!begun) {
        openSteps.decrementAndGet();
      }
    }
  }

  final void stepEnded() {
    openSteps.decrementAndGet();
  }

  /** How many steps were begun. */
  public final long steps() {
    return steps.get();
  }

  final Workspace workspace() {
    return workspace;
  }

  /** Frees what the operator holds; called once. */
  void free() {}

  /** What messages call an output. Steps ask for it even if nothing is wrong, so it is not made. */
  static String outputName(int index) {
    return index < OUTPUT_NAMES.size() ? OUTPUT_NAMES.get(index) : "output " + index;
  }

  /** Throws if other threads than the caller's cannot use a matrix. */
  static void checkShared(String what, Matrix matrix) {
    checkShared(what, matrix.memory());
  }

  /** Throws if other threads than the caller's cannot use memory. */
  static void checkShared(String what, MemorySegment memory) {
    if (!memory.isAccessibleBy(ANOTHER)) {
      throw new IllegalArgumentException(
          what
              + " is confined to one thread, but other threads use it: allocate it in Arena.ofShared()");
    }
  }

  /** Throws if other threads than the caller's cannot use an output. */
  static void checkShared(Matrix[] outputs) {
    for (int i = 0; i < outputs.length; i++) {
      checkShared(outputName(i), outputs[i]);
    }
  }

  /** Throws if an input needs scales that nobody gave. */
  static void checkReals(Matrix a) {
    if (!a.type().isReal()) {
      throw new IllegalArgumentException(
          "the input must be of F32, BF16 or F16, not %s: to pass integers, write them with their scales to Step.input() and inputScales()"
              .formatted(a));
    }
  }

  /** Throws if a matrix cannot be written; a kernel in native code would not notice. */
  static void checkWritable(String what, Matrix matrix) {
    if (matrix.memory().isReadOnly()) {
      throw new IllegalArgumentException(what + " is read-only: allocate a writable matrix");
    }
  }

  /** Lets go of weights. Local, not collective. */
  @Override
  public final void close() {
    closeIfIdle();
    if (openSteps.get() != CLOSED) {
      throw new IllegalStateException("a step of this operator is still open: end it first");
    }
  }

  /** Lets go of weights, unless a step is open, which uses them. */
  final void closeIfIdle() {
    if (openSteps.compareAndSet(0, CLOSED)) {
      workspace.forget(this);
      free();
    }
  }
}
