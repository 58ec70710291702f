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
  private final WeightLayout layout;
  private final long inputs;
  private final long outputs;
  private int users = 1;
  private boolean closed;

  /**
   * For kernels.
   *
   * @param layout what the caller said of the matrix that they were packed from
   * @param inputs the rows of B, {@code k}
   * @param outputs the columns of B, {@code n}
   */
  protected PackedWeights(
      Kernel kernel, DType type, WeightLayout layout, long inputs, long outputs) {
    this.kernel = kernel;
    this.type = type;
    this.layout = layout;
    this.inputs = inputs;
    this.outputs = outputs;
  }

  /** The kernel that packed them, and the only one that can use them. */
  public final Kernel kernel() {
    return kernel;
  }

  /** The type that they were packed as, and that rows in a window must have. */
  public final DType type() {
    return type;
  }

  /** For a message about an A whose columns, so many, are not as many as the weights' inputs. */
  public final String explainInputs(long columns) {
    return "the weights have %d inputs (packed %s)%s"
        .formatted(
            inputs,
            layout,
            outputs == columns ? ": did you mean %s?".formatted(layout.other()) : "");
  }

  /** How they were said to lie before they were packed. */
  public final WeightLayout layout() {
    return layout;
  }

  /** The rows of B, {@code k}. */
  public final long inputs() {
    return inputs;
  }

  /** The columns of B, {@code n}. */
  public final long outputs() {
    return outputs;
  }

  /** Prepares {@code C = A x B} for these weights; see {@link Kernel#product}. */
  public Product product(ProductSpec spec) {
    return kernel.product(this, spec);
  }

  /** Use of weights by an operator, which they outlive; closing it twice does nothing. */
  public final class Use implements AutoCloseable {
    private boolean over;

    private Use() {}

    @Override
    public void close() {
      synchronized (PackedWeights.this) {
        if (!over) {
          over = true;
          release();
        }
      }
    }
  }

  /** Keeps the weights until the use is closed. */
  public final synchronized Use use() {
    if (closed) {
      throw new IllegalStateException("the packed weights (" + this + ") are closed");
    }
    users++;
    return new Use();
  }

  private void release() {
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
    return "%d inputs x %d outputs %s, packed %s for %s"
        .formatted(inputs, outputs, type, layout, kernel.name());
  }
}
