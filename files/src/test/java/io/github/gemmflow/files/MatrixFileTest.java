// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MatrixFileTest {
  @TempDir private Path directory;

  private static <T extends Exception> void assertRefused(
      Class<T> type, String where, String... parts) {
    T e = assertThrows(type, () -> MatrixFile.open(where).close());
    String message = String.valueOf(e.getMessage());
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  private static void assertMatrix(String where, String shape, float value) throws IOException {
    try (MatrixFile file = MatrixFile.open(where)) {
      assertEquals("%s (%s)".formatted(where, shape), file.toString());
      assertEquals(value, file.matrix().get(0, 0));
    }
  }

  /** Each tensor of one dimension or two, filled with its index. */
  private String safetensors(String name, String... tensors) throws IOException {
    SafeTensorsWriter writer = new SafeTensorsWriter();
    for (int i = 0; i < tensors.length; i++) {
      float value = i;
      writer.add(tensors[i], DType.BF16, List.of(2L, 3L), (rows, first) -> rows.fill(value));
    }
    Path file = directory.resolve(name);
    writer.write(file);
    return file.toString();
  }

  @Test
  void aTensorIsFoundByItsName() throws IOException {
    String file = safetensors("m.safetensors", "a", "b.weight", "c#d", "e.npy", "f.safetensors#");
    assertMatrix(file + "#a", "2 x 3 BF16", 0);
    assertMatrix(file + "#b.weight", "2 x 3 BF16", 1);
    assertMatrix(file + "#c#d", "2 x 3 BF16", 2);
    assertMatrix(file + "#e.npy", "2 x 3 BF16", 3);
    assertMatrix(file + "#f.safetensors#", "2 x 3 BF16", 4);
  }

  @Test
  void theOnlyTensorNeedsNoName() throws IOException {
    assertMatrix(safetensors("one.safetensors", "a"), "2 x 3 BF16", 0);
    Files.createDirectory(directory.resolve("d.npy#1"));
    assertMatrix(safetensors("d.npy#1/one.safetensors", "a"), "2 x 3 BF16", 0);
  }

  @Test
  void amongSeveralTensorsOneMustBeNamed() throws IOException {
    String several = safetensors("m.safetensors", "a", "b", "\u001b[2J", "d");
    assertRefused(
        IllegalArgumentException.class,
        several,
        several + " has 4 tensors, for example [a, b, ?[2J]",
        several + "#name");
    assertRefused(IllegalArgumentException.class, several + "#x", "no tensor 'x'", "[a, b,");
    String none = safetensors("none.safetensors");
    assertRefused(IllegalArgumentException.class, none, "has 0 tensors: name one");
    assertRefused(IllegalArgumentException.class, none + "#a", "no tensor 'a' among its 0");
  }

  @Test
  void aTensorThatIsNotAMatrixIsRefused() throws IOException {
    Path file = directory.resolve("cube.safetensors");
    new SafeTensorsWriter()
        .add("cube", DType.F32, List.of(1L, 1L, 1L), (rows, first) -> {})
        .add("scalar", DType.F32, List.of(), (rows, first) -> {})
        .write(file);
    assertRefused(FileFormatException.class, file + "#cube", file + "#cube: ", "[1, 1, 1]");
    assertRefused(FileFormatException.class, file + "#scalar", "[]", "reshape it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x", "x.npz", "x.bin", "x.NPY", "x.npy ", "x.npy#a", "x.safetensor", "npy", ""})
  void aNameWithAnotherEndIsRefused(String where) {
    assertRefused(
        IllegalArgumentException.class, where, where + ": ", "x.npy, x.safetensors or x.safe");
  }

  @Test
  void anArrayInNpyHasNoName() {
    assertRefused(IllegalArgumentException.class, "x.npy#a", "has no name");
  }

  @Test
  void aNameMustFollowTheSign() {
    assertRefused(IllegalArgumentException.class, "x.safetensors#", "a tensor after #");
    assertRefused(IllegalArgumentException.class, "x.safetensors#__metadata__", "__metadata__");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.npy", "x.safetensors"})
  void aFileThatIsNotThere(String name) {
    String where = directory.resolve(name).toString();
    NoSuchFileException e =
        assertThrows(NoSuchFileException.class, () -> MatrixFile.open(where).close());
    assertEquals(where + ": no such file", e.getMessage());
  }

  @Test
  void aDirectory() throws IOException {
    Path where = Files.createDirectory(directory.resolve("x.npy"));
    assertRefused(IOException.class, where.toString(), where + ": is a directory, not a file");
  }

  /** Or it would wait for somebody to write there. */
  @Test
  void aDevice() throws IOException {
    Path where = Files.createSymbolicLink(directory.resolve("x.npy"), Path.of("/dev/zero"));
    assertRefused(IOException.class, where.toString(), "is a device or a pipe, not a file");
    // Or JUnit warns that it leads out of its directory.
    Files.delete(where);
  }

  /** In sysfs, because root may read everything elsewhere. */
  @Test
  void aFileThatMayNotBeRead() throws IOException {
    Path where = directory.resolve("x.npy");
    Files.createSymbolicLink(where, Path.of("/sys/bus/platform/drivers_probe"));
    assertRefused(IOException.class, where.toString(), where + ": no permission to read it");
  }
}
