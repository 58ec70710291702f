// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow;

import io.github.gemmflow.matrix.Matrix;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Something that the ranks of a group do together, step by step. All ranks run the operators of a
 * workspace in the same order.
 *
 * <p>Not thread-safe: a step that begins while another of the workspace is open throws {@link
 * IllegalStateException}.
 */
public abstract sealed class Operator implements AutoCloseable permits Gathering, Summing {
  private static final int CLOSED = -1;

  /** Stands for any thread but the caller's. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> {});

  private final Workspace workspace;
  private final int number;
  private final AtomicLong steps = new AtomicLong();

  /** How many steps are open; {@link #CLOSED} when the operator is. */
  private final AtomicInteger openSteps = new AtomicInteger();

  Operator(Workspace workspace, int number) {
    this.workspace = workspace;
    this.number = number;
  }

  /** Begins a step by calling {@code begin}, unless something is closed. */
  final void beginStep(Runnable begin) {
    // Counted first, so that the operator cannot be closed in the meantime.
    if (openSteps.updateAndGet(open -> open == CLOSED ? CLOSED : open + 1) == CLOSED) {
      throw new IllegalStateException(this + " is closed");
    }
    boolean begun = false;
    try {
      workspace.checkOpen();
      begin.run();
      begun = true;
    } finally {
      if (!begun) {
        openSteps.decrementAndGet();
      }
    }
    steps.incrementAndGet();
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

  /** The number of the operator in its workspace, the same on all ranks. */
  final int number() {
    return number;
  }

  /** Frees what the operator holds; called once. */
  void free() {}

  /** Throws if other threads than the caller's cannot use a matrix. */
  static void checkShared(String what, Matrix matrix) {
    if (!matrix.memory().isAccessibleBy(ANOTHER)) {
      throw new IllegalArgumentException(
          what + " is for one thread only, and others use it: allocate it in Arena.ofShared()");
    }
  }

  /** Throws if a matrix cannot be written; a kernel in native code would not notice. */
  static void checkWritable(String what, Matrix matrix) {
    if (matrix.memory().isReadOnly()) {
      throw new IllegalArgumentException(
          what + " is read-only: allocate a matrix that can be written");
    }
  }

  /** Lets go of weights. Local, not collective. */
  @Override
  public final void close() {
    if (openSteps.compareAndSet(0, CLOSED)) {
      free();
    } else if (openSteps.get() != CLOSED) {
      throw new IllegalStateException("a step of this operator is still open: end it first");
    }
  }
}
