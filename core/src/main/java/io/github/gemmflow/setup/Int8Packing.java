// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.setup;

import static java.lang.System.Logger.Level.WARNING;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Packing of int8 weights, the same way on all ranks of a world: for sums of integers if every
 * rank's kernel has them, and otherwise for sums of F32.
 */
public final class Int8Packing {
  private static final System.Logger LOG = System.getLogger("io.github.gemmflow");

  private static final AtomicBoolean SAID = new AtomicBoolean();

  private final Kernel kernel;

  /** The first rank whose kernel has no int8; -1 if all have. */
  private final int without;

  /** Finds out. Collective. */
  Int8Packing(Agreement agreement, Kernel kernel) {
    this.kernel = kernel;
    byte[] mine = {(byte) (kernel.hasInt8() ? 1 : 0)};
    byte[][] all = agreement.exchange("joining the world", mine);
    int first = -1;
    for (int rank = all.length - 1; rank >= 0; rank--) {
      first = all[rank][0] == 0 ? rank : first;
    }
    this.without = first;
  }

  /** Packs weights of reals, rounded to a type. Local. */
  public PackedWeights pack(Matrix weights, WeightLayout layout, DType type) {
    return type == DType.I8
        ? pack(Int8Columns.rounding(weights, layout))
        : kernel.pack(weights, layout, type);
  }

  /** Packs weights. Local. */
  public PackedWeights pack(Int8Columns weights) {
    if (without < 0) {
      return weights.packFor(kernel);
    }
    if (!SAID.getAndSet(true)) {
      LOG.log(
          WARNING,
          "rank {0} has no instructions for int8 (VNNI), so all ranks multiply such weights in F32, which is slower",
          without);
    }
    return kernel.packConverted(weights);
  }
}
