// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import io.github.gemmflow.Group;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.measure.layer.InputRows;
import io.github.gemmflow.measure.layer.LocalProduct;
import io.github.gemmflow.tuning.cost.KernelCosts;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Times of products of one type, on all ranks at the same time: those of one machine share its
 * memory.
 */
record ProductTimes(World world, Group single, Stopwatch watch) {
  /** Weights that fit a core's cache, or a processor's. */
  private static final int[] SIDES = {512, 2048, 4096};

  private static final int[] HEIGHTS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

  /** Weights that no cache holds are several, used in turns: so many bytes of them. */
  private static final long COLD_BYTES = 128 << 20;

  /** Rows with which weights may take longer to read than to multiply. */
  private static final int[] COLD_HEIGHTS = {1, 2, 4, 8, 16};

  /** Enough of them for a median that another program does not move. */
  private static final long NANOS_EACH = 60_000_000;

  private static final int LEAST_TIMES = 3;
  private static final int MOST_TIMES = 101;

  KernelCosts measure(DType type) {
    Map<Long, Map<Long, Double>> table = new TreeMap<>();
    for (int side : SIDES) {
      table.put((long) side * side, byRows(type, side, 1, HEIGHTS));
    }
    int side = SIDES[SIDES.length - 1];
    long elements = (long) side * side;
    Map<Long, Double> warm = table.getOrDefault(elements, Map.of());
    int copies = Math.toIntExact(Math.ceilDiv(COLD_BYTES, elements * type.bytes()));
    Map<Long, Double> cold = byRows(type, side, copies, COLD_HEIGHTS);
    // With more rows the product takes longer than reading the weights, wherever they lie.
    warm.forEach((rows, nanos) -> cold.putIfAbsent(rows, copies * nanos));
    table.put(copies * elements, cold);
    return new KernelCosts(table);
  }

  /** The time of a product with each of several weights, by the rows of A. */
  private Map<Long, Double> byRows(DType type, int side, int copies, int[] heights) {
    Map<Long, Double> nanos = new TreeMap<>();
    List<PackedWeights> weights = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      for (int i = 0; i < copies; i++) {
        weights.add(pack(type, side));
      }
      double last = 1;
      for (int rows : heights) {
        int times = Math.clamp((long) (NANOS_EACH / last), LEAST_TIMES, MOST_TIMES);
        last = nanos(weights, new InputRows(type, rows, side, arena), times);
        nanos.put((long) rows, last);
      }
    } finally {
      weights.forEach(PackedWeights::close);
    }
    return nanos;
  }

  private double nanos(List<PackedWeights> weights, InputRows a, int times) {
    a.values().fill(1);
    List<LocalProduct> products = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      Matrix c = Matrix.allocate(DType.F32, a.values().rows(), weights.getFirst().outputs(), arena);
      for (PackedWeights each : weights) {
        products.add(new LocalProduct(world, single, each, a, c));
      }
      return watch.eachNanos(() -> products.forEach(LocalProduct::multiplyBare), times);
    } finally {
      products.forEach(LocalProduct::close);
    }
  }

  private PackedWeights pack(DType type, int side) {
    try (Arena temporary = Arena.ofConfined()) {
      Matrix weights = Matrix.allocate(type, side, side, temporary).fill(1);
      if (type.isReal()) {
        return world.pack(weights, WeightLayout.IN_OUT);
      }
      Matrix scales = Matrix.allocate(DType.F32, 1, side, temporary).fill(1);
      return world.pack(weights, scales, WeightLayout.IN_OUT);
    }
  }

  /** What the operator takes for a small product more than the kernel does. */
  double stepNanos() {
    try (Arena arena = Arena.ofShared();
        PackedWeights weights = pack(DType.F32, 64)) {
      InputRows a = new InputRows(DType.F32, 1, 64, arena);
      Matrix c = Matrix.allocate(DType.F32, 1, 64, arena);
      try (LocalProduct product = new LocalProduct(world, single, weights, a, c)) {
        watch.eachNanos(product::multiply, 2000);
        double step = watch.eachNanos(product::multiply, 501);
        return Math.max(1, step - watch.eachNanos(product::multiplyBare, 501));
      }
    }
  }
}
