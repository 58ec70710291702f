// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.gemmflow.kernel.Int8Columns;
import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.kit.Int8Contract;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.onednn.binding.Dnnl;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class OneDnnInt8Test extends Int8Contract {
  @Override
  protected Kernel kernel() {
    return new OneDnnKernel();
  }

  /** A byte for each, and not the four that they are multiplied as. */
  @Test
  void weightsStaySmallWhereTheyAreMultipliedInF32() {
    assumeTrue(Dnnl.load().isa().isFastFor(DType.F32), "oneDNN is not fast here, not even in F32");
    long inputs = 1024;
    try (Arena arena = Arena.ofShared()) {
      Matrix reals = Matrix.allocate(DType.F32, inputs, 2 * Panels.WIDTH, arena);
      Int8Columns source = Int8Columns.rounding(reals, WeightLayout.IN_OUT);
      try (ConvertedWeights weights = (ConvertedWeights) kernel().packConverted(source)) {
        assertEquals(inputs * Panels.WIDTH, weights.forF32().layout(0).bytes());
      }
    }
  }
}
