// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kit;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What kernels multiply on this machine: oneDNN refuses types that the processor has nothing for.
 */
public final class Multiplied {
  private static final Map<Kernel, List<DType>> KNOWN = new ConcurrentHashMap<>();

  private Multiplied() {}

  public static List<DType> by(Kernel kernel) {
    return KNOWN.computeIfAbsent(
        kernel, k -> Arrays.stream(DType.values()).filter(type -> isMultiplied(k, type)).toList());
  }

  private static boolean isMultiplied(Kernel kernel, DType type) {
    try (Arena arena = Arena.ofConfined()) {
      kernel.pack(Matrix.allocate(type, 1, 1, arena), WeightLayout.IN_OUT).close();
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }
}
