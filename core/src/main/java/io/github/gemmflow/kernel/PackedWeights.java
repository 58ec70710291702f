// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.DType;

/**
 * Weights in the layout of one kernel, opaque to everybody else. One copy serves any number of
 * operators: it is freed when it is closed and the last operator that uses it is closed too.
 * Thread-safe.
 */
public abstract class PackedWeights implements AutoCloseable {
  private final Kernel kernel;
  private final DType type;
  private final long inputs;
  private final long outputs;
  private int users = 1;
  private boolean closed;

  /**
   * For kernels.
   *
   * @param inputs the rows of B, {@code k}
   * @param outputs the columns of B, {@code n}
   */
  protected PackedWeights(Kernel kernel, DType type, long inputs, long outputs) {
    this.kernel = kernel;
    this.type = type;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** The kernel that packed them, and the only one that can use them. */
  public final Kernel kernel() {
    return kernel;
  }

  /** The type that they were packed from, and that A must have. */
  public final DType type() {
    return type;
  }

  /** The rows of B, {@code k}. */
  public final long inputs() {
    return inputs;
  }

  /** The columns of B, {@code n}. */
  public final long outputs() {
    return outputs;
  }

  /** Keeps the weights for one more user, who calls {@link #release} when done. */
  public final synchronized void retain() {
    if (closed) {
      throw new IllegalStateException("the packed weights (" + this + ") are closed");
    }
    users++;
  }

  /** Undoes one {@link #retain}. */
  public final synchronized void release() {
    users--;
    if (users == 0) {
      free();
    }
  }

  /** No new operator can use the weights; those that do keep them. Closing twice does nothing. */
  @Override
  public final synchronized void close() {
    if (!closed) {
      closed = true;
      release();
    }
  }

  /** Frees what the weights occupy; called once. */
  protected abstract void free();

  @Override
  public String toString() {
    return "%d x %d %s packed for %s".formatted(inputs, outputs, type, kernel.name());
  }
}
