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
  /** Stands for any thread but the caller's. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> {});

  private final Workspace workspace;
  private final int number;
  private final AtomicLong steps = new AtomicLong();
  private final AtomicInteger openSteps = new AtomicInteger();
  private volatile boolean closed;

  Operator(Workspace workspace, int number) {
    this.workspace = workspace;
    this.number = number;
  }

  /** Begins a step by calling {@code begin}, unless something is closed. */
  final void beginStep(Runnable begin) {
    // Counted first, so that the operator cannot be closed in the meantime.
    openSteps.incrementAndGet();
    boolean begun = false;
    try {
      checkOpen();
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

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException(this + " is closed");
    }
    workspace.checkOpen();
  }

  /** Lets go of weights. Local, not collective. */
  @Override
  public final void close() {
    if (openSteps.get() > 0) {
      throw new IllegalStateException("a step of this operator is still open: end it first");
    }
    if (!closed) {
      closed = true;
      free();
    }
  }
}
