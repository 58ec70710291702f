// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Lease;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowConsumer;
import io.github.gemmflow.matrix.RowFormat;
import io.github.gemmflow.matrix.wire.RowWriter;
import io.github.gemmflow.pipeline.Pipeline;
import io.github.gemmflow.pipeline.compute.RowWork;
import io.github.gemmflow.pipeline.compute.TrackedWork;
import io.github.gemmflow.pipeline.gather.PlannedGather;
import org.jspecify.annotations.Nullable;

/**
 * One use of an operator: write the {@link #input}, {@link #run} once, read the results, close. A
 * step that is closed without having run, and one that fails, break the group.
 *
 * <p>What a step hands out may be used until it ends; later use throws {@link
 * IllegalStateException}.
 */
public final class Step implements AutoCloseable {
  private final GatherOperator operator;
  private final Workspace workspace;
  private final Pipeline pipeline;
  private final PlannedGather planned;
  private final RowFormat format;
  private volatile boolean started;
  private volatile boolean complete;
  private volatile boolean ended;
  private volatile @Nullable RunHandle handle;
  private volatile @Nullable TrackedWork tracked;
  private volatile @Nullable IllegalArgumentException refused;

  Step(GatherOperator operator, Workspace workspace, PlannedGather planned) {
    this.operator = operator;
    this.workspace = workspace;
    this.pipeline = workspace.pipeline();
    this.planned = planned;
    this.format = workspace.types().format(operator.columns());
  }

  /** The rows of A over all ranks: those that outputs must have. */
  public long rows() {
    checkOpen();
    return planned.layout().totalRows();
  }

  /** Where this rank's rows start in A. */
  public long firstRow() {
    checkOpen();
    return planned.layout().firstRow(workspace.group().rank());
  }

  /** How the rows travel, for a person to print. */
  public String describe() {
    checkOpen();
    return planned.layout().toString();
  }

  /**
   * Where this rank writes its rows, or its columns of all rows. Gathered rows are read right there
   * by the other ranks of its host. May be used until the step runs. For {@link DType#I8} use
   * {@link #write}, or set {@link #inputScales} of every row, too; where rows travel in another
   * type than that of A, only {@link #write} can be used.
   */
  public Matrix input() {
    return matrix(inputRows(), operator.inputColumns()).under(this::checkInput);
  }

  private Block inputRows() {
    checkInput();
    return planned.input(new Block());
  }

  /** The scales of {@link #input}, of {@link DType#I8}: a column of F32, until the step runs. */
  public Matrix inputScales() {
    return format.scales(inputRows()).under(this::checkInput);
  }

  /**
   * Writes all of this rank's input, converted to the type in which it travels. To {@link DType#I8}
   * each row, or block of a row, is rounded with a scale of its own; see {@link
   * io.github.gemmflow.matrix.wire.Quantizer}.
   *
   * @param a reals of any type
   */
  public void write(Matrix a) {
    RowWriter.checkShape(a, inputRows().rows(), operator.inputColumns());
    write(0, a);
  }

  /** Like {@link #write(Matrix)} for some rows of the input, from one on. */
  public void write(long firstRow, Matrix a) {
    Operator.checkReals(a);
    Block rows = inputRows().rows(firstRow, firstRow + a.rows());
    RowWriter.checkShape(a, rows.rows(), operator.inputColumns());
    workspace.writer().write(a, format, rows);
  }

  /**
   * All rows of A, once the step has run: read-only, because it is where others read too.
   *
   * @throws IllegalStateException if the operator was not asked to keep them
   */
  public Matrix gathered() {
    return gathered(this::checkComplete);
  }

  /** The scales of {@link #gathered}, one for each row, if its type is {@link DType#I8}. */
  public Matrix gatheredScales() {
    return format.scales(gatheredRows(this::checkComplete)).asReadOnly().under(this::checkComplete);
  }

  /**
   * Some rows of A in a step that was started, once {@link RunHandle#awaitRows} has waited for
   * them: read-only.
   *
   * @param first the first of them, as a row of A; row 0 of what is returned
   * @param end the row after the last
   * @throws IllegalStateException if not all of them have arrived, or the operator was not asked to
   *     keep them
   */
  public Matrix gathered(long first, long end) {
    return gathered(() -> checkThere(first, end)).rows(first, end);
  }

  private Matrix gathered(Lease lease) {
    return matrix(gatheredRows(lease), operator.columns()).asReadOnly().under(lease);
  }

  private Block gatheredRows(Lease lease) {
    checkOpen();
    if (!operator.keepsGathered()) {
      throw new IllegalStateException(
          "the operator does not keep the gathered rows: build it with keepGathered()");
    }
    lease.check();
    return planned.gathered(new Block());
  }

  private Matrix matrix(Block rows, long columns) {
    workspace.types().checkInPlace();
    DType type = workspace.type();
    return Matrix.wrap(rows.span(), type, rows.rows(), columns, rows.stride() / type.bytes());
  }

  /**
   * Gives this rank's rows to all ranks and computes the results. Collective; blocks, and works in
   * the calling thread.
   *
   * @param outputs of an {@link AllGatherMatmul} one matrix per weight matrix; of an {@link
   *     AllGather} none, or one to copy the rows to. With several compute threads, in shared memory
   * @throws IllegalArgumentException if an output does not fit; nothing has happened then, and the
   *     step can still run with others
   * @throws io.github.gemmflow.failure.GemmflowException if not all rows arrived in time, or the
   *     ranks cannot go on together
   */
  public void run(Matrix... outputs) {
    run(prepare(outputs, workspace.threads() > 1));
  }

  /**
   * Gives this rank's rows to all ranks, and hands all rows to a consumer, as they arrive: this
   * rank's own first, each row once, from the compute threads. Collective; blocks. What the
   * consumer throws ends the step, and with it the group. Only steps of an {@link AllGather} can be
   * run with it.
   *
   * @throws io.github.gemmflow.failure.GemmflowException if not all rows arrived in time, or the
   *     ranks cannot go on together
   */
  public void run(RowConsumer consumer) {
    run(prepare(consumer));
  }

  /**
   * Like {@link #run(Matrix...)}, but in a thread of the workspace, so outputs are in shared
   * memory. Collective.
   */
  public RunHandle start(Matrix... outputs) {
    return start(prepare(outputs, true), outputs);
  }

  /** Like {@link #run(RowConsumer)}, but in a thread of the workspace. Collective. */
  public RunHandle start(RowConsumer consumer) {
    return start(prepare(consumer));
  }

  private RunHandle start(RowWork work, Matrix... outputs) {
    TrackedWork rows = track(work);
    RunHandle running =
        RunHandle.start(
            workspace.starter(),
            pipeline.waitCheck(),
            new RunHandle.TrackedRows(rows(), rows),
            () -> run(rows),
            () -> {},
            outputs);
    handle = running;
    return running;
  }

  /** Like {@link #start}, and ends the step when it has run. */
  RunHandle startAndEnd(Matrix... outputs) {
    TrackedWork rows = track(prepare(outputs, true));
    return RunHandle.start(
        workspace.starter(),
        pipeline.waitCheck(),
        new RunHandle.TrackedRows(rows(), rows),
        () -> {
          try {
            run(rows);
          } finally {
            end("");
          }
        },
        () -> end(": its matrices were freed"),
        outputs);
  }

  private TrackedWork track(RowWork work) {
    TrackedWork rows = new TrackedWork(work);
    tracked = rows;
    return rows;
  }

  private void run(RowWork work) {
    pipeline.run(operator, () -> planned.run(work));
    complete = true;
  }

  private RowWork prepare(Matrix[] outputs, boolean byOtherThreads) {
    checkOpen();
    try {
      operator.checkOutputs(planned.layout().totalRows(), outputs);
      if (byOtherThreads) {
        Operator.checkShared(outputs);
      }
    } catch (IllegalArgumentException e) {
      refused = e;
      throw e;
    }
    markStarted();
    return operator.work(outputs.clone());
  }

  private RowWork prepare(RowConsumer consumer) {
    checkOpen();
    RowWork work = operator.work(consumer);
    markStarted();
    return work;
  }

  private synchronized void markStarted() {
    if (started) {
      throw new IllegalStateException("a step runs once");
    }
    started = true;
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("the step has ended; begin another");
    }
  }

  private void checkInput() {
    checkOpen();
    if (started) {
      throw new IllegalStateException("the step is running: other ranks are reading its input");
    }
  }

  private void checkComplete() {
    checkOpen();
    if (!complete) {
      throw new IllegalStateException("the step has not run yet");
    }
  }

  private void checkThere(long first, long end) {
    checkOpen();
    TrackedWork rows = tracked;
    if (!complete && (rows == null || !rows.isDone(first, end))) {
      throw new IllegalStateException(
          "not all rows from %d to %d have arrived: wait with awaitRows".formatted(first, end));
    }
  }

  /**
   * Ends the step; waits for it if it was started, and throws what that threw, unless somebody has
   * asked its handle. Not collective.
   *
   * @throws IllegalStateException if another thread runs it, or this thread works on it
   */
  @Override
  public void close() {
    RunHandle running = handle;
    if (running != null) {
      running.awaitQuietly();
    }
    IllegalArgumentException reason = refused;
    if (end(reason == null ? "" : ", after: " + reason.getMessage()) && running != null) {
      running.throwUnseenFailure();
    }
  }

  /** Returns whether it had not ended before. */
  private boolean end(String why) {
    synchronized (this) {
      if (ended) {
        return false;
      }
      // Throws if another thread runs it: then it goes on, with all that it uses.
      pipeline.end(why);
      ended = true;
    }
    operator.stepEnded();
    return true;
  }
}
