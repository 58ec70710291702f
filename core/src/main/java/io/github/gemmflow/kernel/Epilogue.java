// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.matrix.Matrix;

/**
 * Last operations on C while it is in the cache: {@code activation(A x B + bias)}, in F32, before
 * it is rounded to the output's type. Immutable.
 */
public final class Epilogue {
  /** Leaves the product as it is. */
  public static final Epilogue NONE = new Epilogue(new float[0], false, Activation.NONE);

  private final float[] bias;
  private final boolean hasBias;
  private final Activation activation;

  private Epilogue(float[] bias, boolean hasBias, Activation activation) {
    this.bias = bias;
    this.hasBias = hasBias;
    this.activation = activation;
  }

  /** An activation, without bias. */
  public static Epilogue of(Activation activation) {
    return new Epilogue(new float[0], false, activation);
  }

  /** A bias, without activation; see {@link #withBias}. */
  public static Epilogue bias(Matrix values) {
    return NONE.withBias(values);
  }

  /**
   * The same with a bias.
   *
   * @param values one row, with one value for each column of the product; copied
   */
  public Epilogue withBias(Matrix values) {
    if (values.rows() != 1) {
      throw new IllegalArgumentException("a bias is one row, not " + values);
    }
    return new Epilogue(values.toFloats(), true, activation);
  }

  /** What is applied to each element after the bias was added. */
  public Activation activation() {
    return activation;
  }

  public boolean hasBias() {
    return hasBias;
  }

  /** The bias of a column. */
  public float bias(int column) {
    return bias[column];
  }

  /**
   * Applies it to a part of a row.
   *
   * @param values the part
   * @param firstColumn the column of its first value
   */
  public void apply(float[] values, int firstColumn, int count) {
    if (hasBias) {
      for (int i = 0; i < count; i++) {
        values[i] += bias[firstColumn + i];
      }
    }
    if (activation != Activation.NONE) {
      for (int i = 0; i < count; i++) {
        values[i] = activation.apply(values[i]);
      }
    }
  }

  /** Throws if there is a bias that does not fit a product with so many columns. */
  public void check(long columns) {
    if (hasBias && bias.length != columns) {
      throw new IllegalArgumentException(
          "a bias of %d values does not fit a product with %d columns"
              .formatted(bias.length, columns));
    }
  }

  @Override
  public String toString() {
    return (hasBias ? "bias, " : "") + activation;
  }
}
