// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.calibrate;

import io.github.gemmflow.AllReduce;
import io.github.gemmflow.Group;
import io.github.gemmflow.Workspace;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.lang.foreign.Arena;

/** Times of adding up partial sums. */
final class SumTimes {
  private static final int ROWS = 512;
  private static final int COLUMNS = 4096;

  /** A sum over one rank is read and written twice: into shared memory, and out of it. */
  private static final int PASSES = 4;

  private SumTimes() {}

  /**
   * The time for each byte of a partial sum. Collective.
   *
   * @param single a group of this rank alone
   */
  static double nanosPerByte(Group single, Stopwatch watch) {
    try (Arena arena = Arena.ofShared();
        Workspace space = Workspace.on(single).rows(ROWS).open();
        AllReduce sum = AllReduce.on(space).columns(COLUMNS).build()) {
      Matrix a = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena).fill(1);
      Matrix c = Matrix.allocate(DType.F32, ROWS, COLUMNS, arena);
      watch.eachNanos(() -> sum.run(a, c), 50);
      double nanos = watch.eachNanos(() -> sum.run(a, c), 21);
      return nanos / PASSES / ((double) ROWS * COLUMNS * Float.BYTES);
    }
  }
}
