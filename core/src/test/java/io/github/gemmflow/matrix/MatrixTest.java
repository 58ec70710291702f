// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.matrix;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatrixTest {
  private static final float[] SIX = {1, 2, 3, 4, 5, 6};

  @Test
  void floatsGoInAndComeOut() {
    try (Arena arena = Arena.ofConfined()) {
      for (DType type : DType.values()) {
        Matrix matrix = Matrix.allocate(type, 2, 3, arena).copyFrom(SIX);
        assertEquals(6, matrix.get(1, 2));
        assertArrayEquals(SIX, matrix.toFloats());
        assertEquals("2 x 3 " + type, matrix.toString());
      }
    }
  }

  @Test
  void viewsShareMemory() {
    try (Arena arena = Arena.ofConfined()) {
      Matrix matrix = Matrix.allocate(DType.F32, 4, 5, arena);
      Matrix middle = matrix.rows(1, 3).columns(2, 4);
      middle.fill(7);
      assertEquals(5, middle.stride());
      assertEquals(7, matrix.get(1, 2));
      assertEquals(7, matrix.get(2, 3));
      assertEquals(0, matrix.get(1, 4));
      assertEquals(0, matrix.get(0, 2));
      assertEquals(0, matrix.get(3, 2));
    }
  }

  @Test
  void copiesConvertAndKeepStrides() {
    try (Arena arena = Arena.ofConfined()) {
      Matrix wide = Matrix.allocate(DType.F32, 2, 5, arena).fill(-1);
      wide.columns(1, 4).copyFrom(Matrix.allocate(DType.BF16, 2, 3, arena).copyFrom(SIX));
      assertArrayEquals(new float[] {-1, 1, 2, 3, -1, -1, 4, 5, 6, -1}, wide.toFloats());
      Matrix narrow = Matrix.allocate(DType.F32, 2, 3, arena).copyFrom(wide.columns(1, 4));
      assertArrayEquals(SIX, narrow.toFloats());
    }
  }

  @Test
  void buffersGoInAndComeOut() {
    try (Arena arena = Arena.ofConfined()) {
      ByteBuffer buffer = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
      buffer.putInt(99);
      for (float value : SIX) {
        buffer.putFloat(value);
      }
      buffer.putInt(88).flip().position(4);
      Matrix wide = Matrix.allocate(DType.F32, 2, 4, arena);
      wide.columns(1, 4).copyFrom(buffer);
      assertEquals(28, buffer.position());
      assertArrayEquals(new float[] {0, 1, 2, 3, 0, 4, 5, 6}, wide.toFloats());
      ByteBuffer out = ByteBuffer.allocateDirect(24).order(ByteOrder.nativeOrder());
      wide.columns(1, 4).copyTo(out);
      assertEquals(0, out.remaining());
      assertEquals(6, out.getFloat(20));
    }
  }

  @Test
  void segmentsAreWrappedWithStride() {
    MemorySegment memory = MemorySegment.ofArray(SIX);
    Matrix matrix = Matrix.wrap(memory, DType.F32, 2, 2, 4);
    assertArrayEquals(new float[] {1, 2, 5, 6}, matrix.toFloats());
    assertThrows(IllegalArgumentException.class, () -> Matrix.wrap(memory, DType.F32, 2, 3, 2));
    assertThrows(IllegalArgumentException.class, () -> Matrix.wrap(memory, DType.F32, 3, 3));
    assertThrows(IllegalArgumentException.class, () -> Matrix.wrap(memory, DType.F32, -1, 3));
    assertThrows(
        ArithmeticException.class, () -> Matrix.wrap(memory, DType.F32, 1L << 40, 1L << 40));
  }

  @Test
  void emptyMatricesAreMatrices() {
    try (Arena arena = Arena.ofConfined()) {
      for (long[] shape : new long[][] {{0, 5}, {5, 0}, {0, 0}}) {
        Matrix matrix = Matrix.allocate(DType.BF16, shape[0], shape[1], arena).fill(1);
        assertEquals(0, matrix.toFloats().length);
        matrix.copyFrom(Matrix.allocate(DType.BF16, shape[0], shape[1], arena));
        matrix.rows(0, shape[0]).columns(0, shape[1]);
      }
      Matrix matrix = Matrix.allocate(DType.F32, 3, 3, arena);
      assertEquals(0, matrix.rows(3, 3).rows());
      assertEquals(0, matrix.columns(3, 3).columns());
    }
  }

  @Test
  void whatIsOutsideIsRefused() {
    try (Arena arena = Arena.ofConfined()) {
      Matrix matrix = Matrix.allocate(DType.F32, 2, 3, arena);
      assertThrows(IndexOutOfBoundsException.class, () -> matrix.get(2, 0));
      assertThrows(IndexOutOfBoundsException.class, () -> matrix.get(0, 3));
      assertThrows(IndexOutOfBoundsException.class, () -> matrix.set(-1, 0, 1));
      assertThrows(IndexOutOfBoundsException.class, () -> matrix.rows(1, 3));
      assertThrows(IndexOutOfBoundsException.class, () -> matrix.columns(2, 1));
      assertThrows(IllegalArgumentException.class, () -> matrix.copyFrom(new float[5]));
      assertThrows(IllegalArgumentException.class, () -> matrix.copyFrom(ByteBuffer.allocate(23)));
      Matrix other = Matrix.allocate(DType.F32, 3, 2, arena);
      assertThrows(IllegalArgumentException.class, () -> matrix.copyFrom(other));
    }
  }

  @Test
  void aLeaseEndsForEveryView() {
    try (Arena arena = Arena.ofConfined()) {
      boolean[] ended = new boolean[1];
      Matrix matrix =
          Matrix.allocate(DType.F32, 2, 3, arena)
              .under(
                  () -> {
                    if (ended[0]) {
                      throw new IllegalStateException("ended");
                    }
                  });
      Matrix row = matrix.rows(1, 2);
      row.set(0, 0, 4);
      ended[0] = true;
      assertThrows(IllegalStateException.class, () -> row.get(0, 0));
      assertThrows(IllegalStateException.class, matrix::memory);
      assertThrows(IllegalStateException.class, () -> matrix.columns(0, 1));
    }
  }

  /** More than 2^31 elements and 4 GiB, in a file with holes, so that it takes no room. */
  @Test
  void sizesAre64Bit(@TempDir Path directory) throws IOException {
    long rows = 70_001;
    long columns = 32_768;
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(
                directory.resolve("big"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
      long bytes = rows * columns * DType.BF16.bytes();
      MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
      Matrix matrix = Matrix.wrap(memory, DType.BF16, rows, columns);
      assertTrue(rows * columns > Integer.MAX_VALUE);
      matrix.set(rows - 1, columns - 1, 3);
      matrix.rows(rows - 2, rows).columns(columns - 2, columns).set(0, 0, 2);
      assertEquals(3, matrix.get(rows - 1, columns - 1));
      assertEquals(2, matrix.get(rows - 2, columns - 2));
      assertEquals(bytes, matrix.block(new Block(), 0, rows).bytes());
    }
  }
}
