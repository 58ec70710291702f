// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.layer;

import io.github.gemmflow.Step;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import io.github.gemmflow.matrix.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Rows of A as kernels take them: those of int8 have a scale, which is 1, behind them. */
public final class InputRows {
  private final RowFormat format;
  private final MemorySegment memory;
  private final Matrix values;

  public InputRows(DType type, long rows, long columns, Arena arena) {
    this.format = new RowFormat(type, columns);
    this.memory = arena.allocate(Math.max(64, rows * format.bytes()), 64);
    this.values = Matrix.wrap(memory, type, rows, columns, format.bytes() / type.bytes());
    for (long row = 0; row < rows && !type.isReal(); row++) {
      memory.set(ValueLayout.JAVA_FLOAT, row * format.bytes() + format.scaleAt(), 1);
    }
  }

  public Matrix values() {
    return values;
  }

  /** Writes some of them as the input of a step. */
  void writeTo(Step step, long first, long end) {
    if (values.type().isReal()) {
      step.write(values.rows(first, end));
    } else {
      step.input().copyFrom(values.rows(first, end));
      step.inputScales().fill(1);
    }
  }

  /** Points a block at all of them. */
  void point(Block block) {
    block.at(memory, 0, values.rows(), format.bytes(), format.bytes());
  }
}
