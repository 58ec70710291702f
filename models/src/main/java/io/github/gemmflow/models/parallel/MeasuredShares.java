// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.parallel;

import io.github.gemmflow.AllGatherMatmul;
import io.github.gemmflow.Group;
import io.github.gemmflow.ReplicaGroups;
import io.github.gemmflow.RowCounts;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.World;
import io.github.gemmflow.kernel.PackedWeights;
import io.github.gemmflow.kernel.WeightLayout;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Shares by speed: every rank multiplies some rows by weights of the model's shape, all at the same
 * time and each for itself, and counts how often it can.
 */
public final class MeasuredShares {
  /** More than decode has and fewer than prefill. */
  private static final int ROWS = 16;

  private static final long WARMUP_NANOS = 200_000_000L;
  private static final long NANOS = 500_000_000L;

  private MeasuredShares() {}

  /** Measures. Collective; takes a second. */
  public static Shares of(World world, int hidden, int intermediate, DType type) {
    int inner = Math.ceilDiv(intermediate, world.size());
    try (Group alone = world.split(ReplicaGroups.ofSize(1));
        Arena arena = Arena.ofConfined();
        Workspace space = Workspace.on(alone).rows(ROWS).columns(hidden).type(type).open();
        PackedWeights weights = weights(world, hidden, inner, type);
        AllGatherMatmul product = AllGatherMatmul.on(space).output(weights).build()) {
      DType inputType = type.isReal() ? type : DType.F32;
      Matrix rows = Matrix.allocate(inputType, ROWS, hidden, arena).fill(1);
      Matrix out = Matrix.allocate(DType.F32, ROWS, inner, arena);
      Runnable once = () -> product.run(RowCounts.known(ROWS), rows, out);
      world.group().barrier();
      perSecond(once, WARMUP_NANOS);
      byte[] mine = ByteBuffer.allocate(Double.BYTES).putDouble(perSecond(once, NANOS)).array();
      return Shares.of(
          Arrays.stream(world.group().allGather(mine))
              .mapToDouble(speed -> ByteBuffer.wrap(speed).getDouble())
              .toArray());
    }
  }

  private static PackedWeights weights(World world, int inputs, int outputs, DType type) {
    try (Arena arena = Arena.ofConfined()) {
      Matrix ones = Matrix.allocate(DType.F32, outputs, inputs, arena).fill(1);
      return world.pack(ones, WeightLayout.OUT_IN, type);
    }
  }

  private static double perSecond(Runnable once, long nanos) {
    long start = System.nanoTime();
    long count = 0;
    long taken;
    do {
      once.run();
      count++;
      taken = System.nanoTime() - start;
    } while (taken < nanos);
    return count * 1e9 / taken;
  }
}
