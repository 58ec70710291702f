// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NpyTest {
  /** What {@code np.save} writes for two rows and three columns of float32. */
  private static final String NUMPY = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";

  @TempDir private Path directory;

  private static void assertShape(String expected, byte[] file) {
    try (MatrixFile open = Bytes.openNpy(file)) {
      assertEquals(expected, open.matrix().toString());
    }
  }

  /** The bytes of files of NumPy 2, one per type: 1, -2 and a half or five. */
  @ParameterizedTest
  @CsvSource({
    "<f4, F32, 0000803f 000000c0 0000003f, 0.5",
    "<f2, F16, 003c 00c0 0038, 0.5",
    "<u2, BF16, 803f 00c0 003f, 0.5",
    "|i1, I8, 01 fe 05, 5"
  })
  void whatNumPyWritesIsRead(String descr, DType type, String hex, float last) throws IOException {
    byte[] data = HexFormat.of().parseHex(hex.replace(" ", ""));
    String header =
        "\u0093NUMPY\1\0v\0{'descr': '%s', 'fortran_order': False, 'shape': (1, 3), }"
            .formatted(descr);
    byte[] start = (header + " ".repeat(127 - header.length()) + "\n").getBytes(ISO_8859_1);
    Path file = directory.resolve("x.npy");
    Files.write(file, ByteBuffer.allocate(128 + data.length).put(start).put(data).array());
    try (MatrixFile open = MatrixFile.open(file.toString())) {
      assertEquals("%s (1 x 3 %s)".formatted(file, type), open.toString());
      assertArrayEquals(new float[] {1, -2, last}, open.matrix().toFloats());
    }
    assertArrayEquals(start, Npy.header(type, 1, 3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void allVersionsAreRead(int version) {
    assertShape("2 x 3 F32", Bytes.npy(version, Bytes.padded(NUMPY, version), 24));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
        "{\"shape\": (2, 3,), \"fortran_order\": False, \"descr\": \"<f4\"}",
        "{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , }"
      })
  void theSameMayBeWrittenInOtherWays(String header) {
    assertShape("2 x 3 F32", Bytes.npy(header, 24));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "(6,)    | 1 x 6 F32 | 24",
        "(0, 3)  | 0 x 3 F32 | 0",
        "(3, 0)  | 3 x 0 F32 | 0",
        "(0,)    | 1 x 0 F32 | 0",
        "(1, 1)  | 1 x 1 F32 | 4",
        "(0, 9223372036854775807) | 0 x 9223372036854775807 F32 | 0"
      })
  void oneDimensionIsOneRowAndSizesMayBeZero(String shape, String expected, int bytes) {
    assertShape(expected, Bytes.npy(NUMPY.replace("(2, 3)", shape), bytes));
  }

  /** NumPy before 1.14, and others still. */
  @Test
  void dataMayBeginAtAMultipleOf16() {
    byte[] header = (NUMPY + " ".repeat(80 - 10 - NUMPY.length() - 1) + "\n").getBytes(ISO_8859_1);
    assertShape("2 x 3 F32", Bytes.npy(1, header, 24));
  }

  @Test
  void aHeaderMayHaveAsManyBytesAsNumPyAllows() {
    byte[] header = (NUMPY + " ".repeat(9_990 - NUMPY.length() - 1) + "\n").getBytes(ISO_8859_1);
    assertShape("2 x 3 F32", Bytes.npy(1, header, 24));
  }

  @Test
  void theMatrixIsReadOnlyAndEndsWithTheFile() throws IOException {
    Path file = Files.write(directory.resolve("x.npy"), Bytes.npy(NUMPY, 24));
    Matrix matrix;
    try (MatrixFile open = MatrixFile.open(file.toString())) {
      matrix = open.matrix();
      assertThrows(IllegalArgumentException.class, () -> matrix.set(0, 0, 1));
    }
    assertThrows(IllegalStateException.class, () -> matrix.get(0, 0));
  }
}
