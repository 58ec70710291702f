// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MatrixWriterTest {
  private final Arena arena = Arena.ofAuto();

  @TempDir private Path directory;

  private String where(String name) {
    return directory.resolve(name).toString();
  }

  /** Values that each type can hold, and that differ from their neighbours. */
  private Matrix numbered(DType type, long rows, long columns) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    for (long row = 0; row < rows; row++) {
      for (long column = 0; column < columns; column++) {
        matrix.set(row, column, (float) ((row * 31 + column) % 251 + 1));
      }
    }
    return matrix;
  }

  private static void assertHolds(Matrix expected, String where) throws IOException {
    try (MatrixFile file = MatrixFile.open(where)) {
      assertEquals(expected.toString(), file.matrix().toString());
      assertArrayEquals(expected.toFloats(), file.matrix().toFloats());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "F32, x.npy", "F16, x.npy", "BF16, x.npy",
    "F32, x.safetensors", "F16, x.safetensors#a b", "BF16, x.safetensors#model.w"
  })
  void partsOfAllShapesMakeTheWhole(DType type, String name) throws IOException {
    Matrix whole = numbered(type, 11, 13);
    Matrix wide = Matrix.allocate(type, 11, 20, arena);
    wide.columns(3, 16).copyFrom(whole);
    try (MatrixWriter first = MatrixWriter.create(where(name), type, 11, 13)) {
      try (MatrixWriter other = MatrixWriter.join(where(name), type, 11, 13)) {
        other.write(0, 0, whole.rows(0, 4));
        other.write(4, 0, wide.rows(4, 6).columns(3, 16));
        other.write(6, 5, whole.rows(6, 11).columns(5, 13));
        other.write(11, 0, whole.rows(11, 11));
        other.write(0, 13, whole.columns(13, 13));
      }
      first.write(6, 0, wide.rows(6, 11).columns(3, 8));
      first.complete();
    }
    assertHolds(whole, where(name));
  }

  /** A buffer of 1 MiB holds 262,144 of these. */
  @ParameterizedTest
  @CsvSource({"3, 100000", "60000, 7", "2, 300000", "1, 700000", "5, 131072"})
  void partsLargerThanTheBufferAreWrittenInPieces(long rows, long columns) throws IOException {
    Matrix wide = numbered(DType.F32, rows, columns + 1);
    for (Matrix whole : new Matrix[] {wide.columns(1, columns + 1), wide}) {
      try (MatrixWriter writer =
          MatrixWriter.create(where("x.npy"), DType.F32, rows, whole.columns())) {
        writer.write(0, 0, whole);
        writer.complete();
      }
      assertHolds(whole, where("x.npy"));
    }
    try (MatrixWriter writer = MatrixWriter.create(where("x.npy"), DType.F32, rows, columns + 1)) {
      writer.write(0, 1, wide.columns(1, columns + 1));
      writer.write(0, 0, wide.columns(0, 1));
      writer.complete();
    }
    assertHolds(wide, where("x.npy"));
  }

  @Test
  void whatIsWrittenToNpyIsAsNumPyWritesIt() throws IOException {
    try (MatrixWriter writer = MatrixWriter.create(where("x.npy"), DType.F32, 2, 3)) {
      writer.write(1, 2, numbered(DType.F32, 1, 1));
      writer.complete();
    }
    byte[] expected = Bytes.npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24);
    expected[150] = (byte) 0x80;
    expected[151] = 0x3f;
    assertArrayEquals(expected, Files.readAllBytes(directory.resolve("x.npy")));
  }

  @Test
  void whatIsWrittenToSafetensorsIsWhatTheOtherWriterWrites() throws IOException {
    Matrix whole = numbered(DType.BF16, 5, 7);
    try (MatrixWriter writer = MatrixWriter.create(where("a.safetensors"), DType.BF16, 5, 7)) {
      writer.write(0, 0, whole);
      writer.complete();
    }
    Path other = directory.resolve("b.safetensors");
    new SafeTensorsWriter().add("matrix", whole).write(other);
    assertArrayEquals(
        Files.readAllBytes(other), Files.readAllBytes(directory.resolve("a.safetensors")));
  }

  @ParameterizedTest
  @EnumSource(Format.class)
  void aMatrixWithoutElements(Format format) throws IOException {
    String where = where("x" + format.extension());
    try (MatrixWriter writer = MatrixWriter.create(where, DType.F32, 0, 1L << 40)) {
      writer.write(0, 7, Matrix.allocate(DType.F32, 0, 9, arena));
      writer.complete();
    }
    try (MatrixFile file = MatrixFile.open(where)) {
      assertEquals("0 x 1099511627776 F32", file.matrix().toString());
    }
  }

  /** Nothing but a few pages of it is on the disk. */
  @ParameterizedTest
  @EnumSource(Format.class)
  void aFileOfSixGigabytes(Format format) throws IOException {
    String where = where("x" + format.extension());
    long rows = 1L << 30;
    try (MatrixWriter writer = MatrixWriter.create(where, DType.BF16, rows, 3)) {
      Matrix part = numbered(DType.BF16, 2, 2);
      writer.write(rows - 2, 1, part);
      writer.write(rows / 2, 0, numbered(DType.BF16, 1, 3));
      writer.complete();
    }
    try (MatrixFile file = MatrixFile.open(where)) {
      assertArrayEquals(
          new float[] {0, 0, 0, 0, 1, 2, 0, 32, 33}, file.matrix().rows(rows - 3, rows).toFloats());
      assertArrayEquals(
          new float[] {0, 0, 0, 1, 2, 3, 0, 0, 0},
          file.matrix().rows(rows / 2 - 1, rows / 2 + 2).toFloats());
    }
  }

  @Test
  void aPartThatDoesNotFitIsRefusedAndNothingIsWritten() throws IOException {
    try (MatrixWriter writer = MatrixWriter.create(where("x.npy"), DType.F32, 4, 5)) {
      Matrix part = numbered(DType.F32, 2, 3);
      assertOutside(writer, -1, 0, part);
      assertOutside(writer, 0, -1, part);
      assertOutside(writer, 3, 0, part);
      assertOutside(writer, 0, 3, part);
      assertOutside(writer, Long.MAX_VALUE, 0, part);
      assertOutside(writer, 0, Long.MAX_VALUE, part);
      assertOutside(writer, 0, 0, numbered(DType.F32, 5, 5));
      assertOutside(writer, 0, 0, numbered(DType.F32, 4, 6));
      assertOutside(writer, 5, 0, numbered(DType.F32, 0, 5));
      IllegalArgumentException e =
          assertThrows(
              IllegalArgumentException.class, () -> writer.write(0, 0, numbered(DType.BF16, 4, 5)));
      assertTrue(e.toString().contains("has type F32, the part has type BF16"), e.toString());
      writer.complete();
    }
    assertHolds(Matrix.allocate(DType.F32, 4, 5, arena), where("x.npy"));
  }

  private static void assertOutside(MatrixWriter writer, long row, long column, Matrix part) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> writer.write(row, column, part));
    assertTrue(
        e.toString().contains("row %d and column %d is not within 4 x 5".formatted(row, column)),
        e.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 3",
    "3, -1",
    "-2, -2",
    "9223372036854775807, 1",
    "3037000500, 3037000500",
    "4294967296, 4294967296",
    "1, 2305843009213693952"
  })
  void aShapeThatNoFileHoldsIsRefused(long rows, long columns) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> MatrixWriter.create(where("x.npy"), DType.BF16, rows, columns).close());
    assertTrue(e.toString().contains("%d x %d BF16".formatted(rows, columns)), e.toString());
    assertFalse(Files.exists(directory.resolve(".x.npy.partial")));
  }

  @Test
  void namesThatSayNoFormatAreRefused() {
    for (String name : new String[] {"x", "x.bin", "x.npy#a", "x.safetensors#__metadata__"}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> MatrixWriter.create(where(name), DType.F32, 1, 1).close());
    }
  }
}
