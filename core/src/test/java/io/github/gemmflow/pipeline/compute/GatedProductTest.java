// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.pipeline.compute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.gemmflow.kernel.Product;
import io.github.gemmflow.matrix.Block;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class GatedProductTest {
  /** Product that is only closed. */
  private static final class Closable implements Product {
    private int closed;

    @Override
    public int columnGranularity() {
      return 1;
    }

    @Override
    public int worthwhileRows() {
      return 1;
    }

    @Override
    public void multiply(int thread, Block a, Block c, long firstColumn) {}

    @Override
    public void close() {
      closed++;
    }
  }

  /** Memory that ends after some allocations. */
  private static final class Small implements Arena {
    private final Arena arena = Arena.ofShared();
    private int left;

    Small(int allocations) {
      this.left = allocations;
    }

    @Override
    public MemorySegment allocate(long bytes, long alignment) {
      if (left-- == 0) {
        throw new OutOfMemoryError("pretended");
      }
      return arena.allocate(bytes, alignment);
    }

    @Override
    public MemorySegment.Scope scope() {
      return arena.scope();
    }

    @Override
    public void close() {
      arena.close();
    }
  }

  /** Each of two threads needs memory for two factors. */
  @Test
  void whatItHasTakenOverIsClosedIfMemoryEnds() {
    for (int allocations = 0; allocations < 4; allocations++) {
      Closable gate = new Closable();
      Closable up = new Closable();
      Small arena = new Small(allocations);
      assertThrows(
          OutOfMemoryError.class, () -> new GatedProduct(gate, up, 8, DType.F32, 2, arena));
      assertEquals(1, gate.closed);
      assertEquals(1, up.closed);
      assertFalse(arena.scope().isAlive(), "after " + allocations);
    }
  }
}
