// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file appears when it is complete, and what is left behind otherwise is nothing. */
class PartialFileTest {
  private final Matrix ones = Matrix.allocate(DType.F32, 2, 3, Arena.ofAuto()).fill(1);

  @TempDir private Path directory;

  private String where() {
    return directory.resolve("x.npy").toString();
  }

  private MatrixWriter create() throws IOException {
    return MatrixWriter.create(where(), DType.F32, 2, 3);
  }

  private MatrixWriter join() throws IOException {
    return MatrixWriter.join(where(), DType.F32, 2, 3);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(file -> String.valueOf(file.getFileName())).sorted().toList();
    }
  }

  private void old() throws IOException {
    Files.writeString(directory.resolve("x.npy"), "old");
  }

  private void assertOld() throws IOException {
    assertEquals(List.of("x.npy"), names());
    assertEquals("old", Files.readString(directory.resolve("x.npy")));
  }

  private static void assertMessage(Exception e, String... parts) {
    for (String part : parts) {
      assertTrue(String.valueOf(e.getMessage()).contains(part), e.toString());
    }
  }

  @Test
  void aFileHasItsNameOnceItIsComplete() throws IOException {
    old();
    try (MatrixWriter writer = create()) {
      writer.write(0, 0, ones);
      assertEquals(List.of(".x.npy.partial", "x.npy"), names());
      assertEquals(directory.resolve(".x.npy.partial").toString(), writer.toString());
      assertEquals("old", Files.readString(directory.resolve("x.npy")));
      writer.complete();
      assertEquals(List.of("x.npy"), names());
    }
    try (MatrixFile file = MatrixFile.open(where())) {
      assertEquals(1, file.matrix().get(1, 2));
    }
  }

  @Test
  void whatIsNotCompletedIsRemoved() throws IOException {
    old();
    try (MatrixWriter writer = create();
        MatrixWriter other = join()) {
      other.write(0, 0, ones);
      writer.write(0, 0, ones);
    }
    assertOld();
  }

  @Test
  void whoHasJoinedRemovesAndCompletesNothing() throws IOException {
    try (MatrixWriter writer = create()) {
      try (MatrixWriter other = join()) {
        assertMessage(
            assertThrows(IllegalStateException.class, other::complete), "only the process");
      }
      assertEquals(List.of(".x.npy.partial"), names());
      writer.complete();
    }
    assertEquals(List.of("x.npy"), names());
  }

  @Test
  void nothingCanBeWrittenAfterTheEnd() throws IOException {
    MatrixWriter completed = create();
    MatrixWriter joined = join();
    completed.complete();
    MatrixWriter closed = create();
    closed.close();
    joined.close();
    for (MatrixWriter writer : List.of(completed, closed, joined)) {
      assertThrows(IllegalStateException.class, () -> writer.write(0, 0, ones));
      assertThrows(IllegalStateException.class, writer::complete);
      writer.close();
    }
    assertEquals(List.of("x.npy"), names());
  }

  /** The JDK closes the file of a thread that is interrupted while it writes. */
  @Test
  void anInterruptedWriterIsRemovedToo() throws IOException {
    old();
    try (MatrixWriter writer = create()) {
      Thread.currentThread().interrupt();
      assertThrows(IOException.class, () -> writer.write(0, 0, ones));
      assertTrue(Thread.interrupted());
      assertMessage(assertThrows(IOException.class, writer::complete), ".x.npy.partial: ");
    }
    assertOld();
  }

  @Test
  void thereIsNothingToJoin() {
    assertMessage(
        assertThrows(NoSuchFileException.class, this::join),
        directory.resolve(".x.npy.partial") + ": ",
        "does not exist",
        "all hosts share",
        "one file per rank");
  }

  @Test
  void whatIsJoinedMustBeTheSame() throws IOException {
    try (MatrixWriter writer = create()) {
      assertDiffers(DType.F32, 3, 2);
      assertDiffers(DType.F32, 2, 4);
      assertDiffers(DType.BF16, 2, 6);
      byte[] whole = Files.readAllBytes(Path.of(writer.toString()));
      Files.write(Path.of(writer.toString()), Arrays.copyOf(whole, 151));
      assertDiffers(DType.F32, 2, 3);
      Files.write(Path.of(writer.toString()), Bytes.npy("{", 0));
      assertDiffers(DType.F32, 2, 3);
      Files.write(Path.of(writer.toString()), new byte[3]);
      assertDiffers(DType.F32, 2, 3);
    }
  }

  private void assertDiffers(DType type, long rows, long columns) {
    assertMessage(
        assertThrows(
            IllegalArgumentException.class,
            () -> MatrixWriter.join(where(), type, rows, columns).close()),
        ".x.npy.partial: another process created it with another type or shape");
  }

  @Test
  void whatAKilledWriterLeftIsReplaced() throws IOException {
    Files.writeString(directory.resolve(".x.npy.partial"), "x".repeat(1000));
    try (MatrixWriter writer = create()) {
      writer.complete();
    }
    assertEquals(List.of("x.npy"), names());
    assertEquals(128 + 24, Files.size(directory.resolve("x.npy")));
  }

  @Test
  void whoIsReplacedByAnotherCompletesAndRemovesNothing() throws IOException {
    old();
    MatrixWriter first = create();
    try (MatrixWriter second = create()) {
      first.write(0, 0, ones);
      assertMessage(assertThrows(NoSuchFileException.class, first::complete), "another process");
      first.close();
      assertEquals(List.of(".x.npy.partial", "x.npy"), names());
      second.complete();
    }
    try (MatrixFile file = MatrixFile.open(where())) {
      assertEquals(0, file.matrix().get(1, 2));
    }
  }

  @Test
  void aFileThatIsRemovedUnderItsWriter() throws IOException {
    try (MatrixWriter writer = create()) {
      Files.delete(Path.of(writer.toString()));
      assertMessage(assertThrows(NoSuchFileException.class, writer::complete), "removed it");
    }
    assertEquals(List.of(), names());
  }

  @Test
  void whereNoFileCanBe() throws IOException {
    String lost = directory.resolve("no/x.npy").toString();
    assertMessage(
        assertThrows(
            NoSuchFileException.class, () -> MatrixWriter.create(lost, DType.F32, 1, 1).close()),
        lost + ": its directory does not exist");
    Files.createDirectory(directory.resolve("x.npy"));
    assertMessage(assertThrows(IOException.class, this::create), where() + ": is a directory");
    assertFalse(Files.exists(directory.resolve(".x.npy.partial")));
  }

  /** In sysfs, because root may write everywhere else. */
  @Test
  void whereThisUserMayNotWrite() {
    assertMessage(
        assertThrows(
            IOException.class, () -> MatrixWriter.create("/sys/x.npy", DType.F32, 1, 1).close()),
        "/sys/x.npy: no permission");
  }
}
