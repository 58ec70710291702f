// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.sum;

import io.github.gemmflow.kernel.Epilogue;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.pipeline.compute.RowWork;
import java.lang.foreign.MemorySegment;

/**
 * Work of a summing operator: the product that makes partial sums, and what becomes of their sum.
 */
public final class SumWork {
  private final RowWork partial;
  private final DType wire;
  private final Epilogue epilogue;
  private final boolean onto;
  private Matrix input = Matrix.wrap(MemorySegment.NULL, DType.F32, 0, 0);
  private Matrix output = input;

  /**
   * For an operator.
   *
   * @param partial computes partial sums from rows of the input
   * @param wire the type of partial sums between hosts
   * @param epilogue what is done with each row of the sum
   * @param onto whether the sum is added to what the output holds
   */
  public SumWork(RowWork partial, DType wire, Epilogue epilogue, boolean onto) {
    this.partial = partial;
    this.wire = wire;
    this.epilogue = epilogue;
    this.onto = onto;
  }

  /** Sets what goes in and where the sum goes. */
  public SumWork bind(Matrix newInput, Matrix newOutput) {
    input = newInput;
    output = newOutput;
    return this;
  }

  public RowWork partial() {
    return partial;
  }

  public DType wire() {
    return wire;
  }

  public Epilogue epilogue() {
    return epilogue;
  }

  public boolean isOnto() {
    return onto;
  }

  public Matrix input() {
    return input;
  }

  public Matrix output() {
    return output;
  }
}
