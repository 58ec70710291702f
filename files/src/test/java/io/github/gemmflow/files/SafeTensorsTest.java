// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static io.github.gemmflow.files.Bytes.tensor;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SafeTensorsTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(DType.class)
  void whatWasWrittenIsRead(DType type) throws IOException {
    Path file = directory.resolve("m.safetensors");
    try (Arena arena = Arena.ofConfined()) {
      Matrix whole = numbered(type, 5, 9, arena);
      new SafeTensorsWriter()
          .metadata("format", "\"pt\" \u00fc\n")
          .add("matrix", whole)
          .add("empty", Matrix.allocate(type, 0, 9, arena))
          .add("columns", whole.columns(2, 5))
          .add("vector \u00e9", type, List.of(3L), (rows, first) -> rows.fill(7))
          .add("cube", type, List.of(2L, 3L, 4L), (rows, first) -> rows.fill((float) first))
          .add("scalar", type, List.of(), (rows, first) -> rows.fill(9))
          .write(file);
      try (SafeTensors tensors = SafeTensors.open(file)) {
        assertEquals(
            List.of("matrix", "empty", "columns", "vector \u00e9", "cube", "scalar"),
            List.copyOf(tensors.names()));
        assertEquals(Map.of("format", "\"pt\" \u00fc\n"), tensors.metadata());
        assertSame(whole, tensors.tensor("matrix").matrix());
        assertSame(whole.columns(2, 5), tensors.tensor("columns").matrix());
        assertEquals("0 x 9 " + type, tensors.tensor("empty").matrix().toString());
        assertEquals("1 x 3 " + type, tensors.tensor("vector \u00e9").matrix().toString());
        assertEquals(7, tensors.tensor("vector \u00e9").matrix().get(0, 2));
        assertEquals(List.of(2L, 3L, 4L), tensors.tensor("cube").shape());
        assertEquals(24L * type.bytes(), tensors.tensor("cube").data().byteSize());
        assertEquals(List.of(), tensors.tensor("scalar").shape());
      }
    }
  }

  @Test
  void aTensorLargerThanTheBufferIsWrittenInPieces() throws IOException {
    Path file = directory.resolve("large.safetensors");
    long columns = 1000;
    new SafeTensorsWriter()
        .add("rows", DType.F32, List.of(1000L, columns), SafeTensorsTest::number)
        .add("row", DType.F32, List.of(1000 * columns), SafeTensorsTest::number)
        .write(file);
    try (SafeTensors tensors = SafeTensors.open(file)) {
      assertEquals(999_001f, tensors.tensor("rows").matrix().get(999, 1));
      assertEquals(999_999f, tensors.tensor("row").matrix().get(0, 1000 * columns - 1));
      assertEquals(2 * 4 * 1000 * columns + 192, Files.size(file), "no padding but the header's");
    }
  }

  private static void number(Matrix rows, long first) {
    for (long row = 0; row < rows.rows(); row++) {
      for (long column = 0; column < rows.columns(); column++) {
        rows.set(row, column, (float) ((first + row) * rows.columns() + column));
      }
    }
  }

  @Test
  void tensorsAreReadOnlyAndEndWithTheFile() throws IOException {
    Path file = directory.resolve("m.safetensors");
    try (Arena arena = Arena.ofConfined()) {
      new SafeTensorsWriter().add("m", numbered(DType.F32, 2, 2, arena)).write(file);
    }
    Matrix matrix;
    try (SafeTensors tensors = SafeTensors.open(file)) {
      matrix = tensors.tensor("m").matrix();
      assertThrows(IllegalArgumentException.class, () -> matrix.set(0, 0, 1));
      assertThrows(UnsupportedOperationException.class, () -> tensors.names().clear());
    }
    assertThrows(IllegalStateException.class, () -> matrix.get(0, 0));
  }

  @Test
  void whatIsNotThereOrNotAMatrixIsRefusedWhenAskedFor() {
    String header =
        "{%s,%s,%s}  \n"
            .formatted(
                tensor("numbers", "I64", "[2]", 0, 16),
                tensor("f4", "F4", "[3,2]", 16, 19),
                tensor("cube", "BF16", "[1,1,1]", 19, 21));
    try (SafeTensors tensors = Bytes.open(Bytes.file(header, 21))) {
      assertEquals(Set.of("numbers", "f4", "cube"), tensors.names());
      assertRefused(() -> tensors.tensor("nothing"), "'nothing'", "3", "numbers");
      assertRefused(() -> tensors.tensor("numbers"), "'numbers'", "I64", "BF16, F16, F32 or I8");
      assertRefused(() -> tensors.tensor("cube").matrix(), "'cube'", "[1, 1, 1]");
    }
  }

  private static void assertRefused(Runnable call, String... parts) {
    String message = assertThrows(IllegalArgumentException.class, call::run).toString();
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  @Test
  void aFileWithoutTensorsIsFine() throws IOException {
    Path file = directory.resolve("none.safetensors");
    new SafeTensorsWriter().write(file);
    try (SafeTensors tensors = SafeTensors.open(file)) {
      assertEquals(Set.of(), tensors.names());
      assertEquals(Map.of(), tensors.metadata());
    }
  }

  @Test
  void whatCannotBeWrittenIsRefused() {
    SafeTensorsWriter writer = new SafeTensorsWriter();
    writer.add("a", DType.F32, List.of(1L), (rows, first) -> {});
    assertRefused(() -> writer.add("a", DType.F32, List.of(1L), (rows, first) -> {}), "'a'");
    assertRefused(
        () -> writer.add("__metadata__", DType.F32, List.of(1L), (rows, first) -> {}), "metadata");
    assertRefused(() -> writer.add("b", DType.F32, List.of(-1L), (rows, first) -> {}), "[-1]");
    assertRefused(
        () -> writer.add("b", DType.F32, List.of(1L << 40, 1L << 40), (rows, first) -> {}),
        "'b'",
        "larger than any file");
    NoSuchFileException e =
        assertThrows(
            NoSuchFileException.class, () -> writer.write(directory.resolve("none/b.safetensors")));
    assertEquals("its directory does not exist", e.getReason());
  }

  @Test
  void aWriterThatFailsLeavesTheOldFileAndNothingElse() throws IOException {
    Path file = Files.writeString(directory.resolve("m.safetensors"), "old");
    SafeTensorsWriter writer =
        new SafeTensorsWriter()
            .add(
                "m",
                DType.F32,
                List.of(4L),
                (rows, first) -> {
                  throw new IllegalStateException("no data");
                });
    assertThrows(IllegalStateException.class, () -> writer.write(file));
    assertEquals("old", Files.readString(file));
    try (Stream<Path> all = Files.list(directory)) {
      assertEquals(List.of(file), all.toList());
    }
  }

  private static Matrix numbered(DType type, long rows, long columns, Arena arena) {
    Matrix matrix = Matrix.allocate(type, rows, columns, arena);
    number(matrix, 0);
    return matrix;
  }

  private static void assertSame(Matrix expected, Matrix actual) {
    assertEquals(expected.toString(), actual.toString());
    assertArrayEquals(expected.toFloats(), actual.toFloats());
  }
}
