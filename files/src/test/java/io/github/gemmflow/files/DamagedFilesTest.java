// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static io.github.gemmflow.files.Bytes.tensor;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each way in which a file can be wrong is refused, and the message says which. */
class DamagedFilesTest {
  @TempDir private Path directory;

  private static void assertRefused(byte[] file, String... parts) {
    FileFormatException e = assertThrows(FileFormatException.class, () -> Bytes.open(file));
    String message = String.valueOf(e.getMessage());
    assertTrue(message.startsWith(Bytes.NAME + ": "), message);
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  private static void assertRefused(String header, int dataBytes, String... parts) {
    assertRefused(Bytes.file(header, dataBytes), parts);
  }

  /** A header of one tensor. */
  private static String one(String type, String shape, long begin, long end) {
    return "{" + tensor("t", type, shape, begin, end) + "}";
  }

  @Test
  void anEmptyFile() throws IOException {
    Path file = Files.createFile(directory.resolve("empty"));
    FileFormatException e =
        assertThrows(FileFormatException.class, () -> SafeTensors.open(file).close());
    assertTrue(e.toString().contains(file + ": it has 0 bytes"), e.toString());
  }

  @Test
  void aFileShorterThanTheLength() {
    assertRefused(new byte[7], "7 bytes");
  }

  @Test
  void aHeaderLongerThanAllowed() {
    assertRefused(Bytes.file(100_000_001, new byte[4], 0), "100000001 bytes", "100000000");
    assertRefused(Bytes.file(-1, new byte[4], 0), "18446744073709551615 bytes");
  }

  @Test
  void aHeaderLongerThanTheFile() {
    assertRefused(Bytes.file(5, new byte[] {'{', '}'}, 2), "5 bytes, but only 4 follow");
  }

  @Test
  void aHeaderThatIsNotAnObject() {
    assertRefused("", 0, "'{', not with nothing");
    assertRefused("[]", 0, "'{', not with byte 91");
    assertRefused(" {}", 0, "byte 32");
    assertRefused("\ufeff{}", 0, "byte -17");
  }

  @Test
  void aHeaderThatIsNotJson() {
    assertRefused("{\"t\"", 0, "character");
    assertRefused("{} x", 0, "character 3");
    assertRefused("{}{}", 0, "after the end");
    assertRefused("{\"t\":{}", 0, "t");
    assertRefused("{'t':{}}", 0, "character 1");
    assertRefused("{\"t\":{\"dtype\":\"F32\",}}", 0, "character");
    assertRefused("{/**/}", 0, "character");
  }

  @Test
  void aHeaderThatIsNotUtf8() {
    byte[] latin = "{\"\u00fc\":{}}".getBytes(ISO_8859_1);
    assertRefused(Bytes.file(latin.length, latin, 0), "UTF-8", "byte 2");
    byte[] wide = "{}".getBytes(UTF_16LE);
    assertRefused(Bytes.file(wide.length, wide, 0), "character 1");
    byte[] cut = {'{', '"', (byte) 0xc3};
    assertRefused(Bytes.file(cut.length, cut, 0), "UTF-8", "byte 2");
  }

  @Test
  void aNameThatComesTwice() {
    String twice = tensor("t", "F32", "[1]", 0, 4);
    assertRefused("{%s,%s}".formatted(twice, twice), 4, "'t' occurs twice");
    assertRefused("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0, "'a' occurs twice");
    assertRefused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "'__metadata__' occurs twice");
    for (String field : List.of("\"dtype\":\"U8\"", "\"shape\":[]", "\"data_offsets\":[0,1]")) {
      assertRefused("{\"t\":{%s,%s}}".formatted(field, field), 1, "tensor 't'", "' occurs twice");
    }
  }

  @Test
  void aTensorThatIsNotDescribed() {
    assertRefused("{\"t\":1}", 0, "tensor 't'", "an object, not a whole number");
    assertRefused("{\"t\":null}", 0, "tensor 't'");
    assertRefused("{\"t\":{\"dtype\":\"F32\"}}", 0, "tensor 't'", "F32, none and none");
    assertRefused("{\"t\":{\"kind\":\"F32\"}}", 0, "tensor 't'", "'kind'");
    assertRefused("{\"t\":{\"dtype\":32}}", 0, "tensor 't'", "dtype must be a string");
    assertRefused("{\"t\":{\"shape\":4}}", 0, "tensor 't'", "shape must be an array");
    assertRefused("{\"t\":{\"shape\":[\"4\"]}}", 0, "tensor 't'", "shape", "a string");
    assertRefused("{\"t\":{\"shape\":[[4]]}}", 0, "tensor 't'", "shape", "an array");
    assertRefused("{\"t\":{\"data_offsets\":{}}}", 0, "tensor 't'", "data_offsets");
  }

  @Test
  void aTypeThatNobodyKnows() {
    assertRefused(one("BF17", "[1]", 0, 2), 2, "tensor 't'", "'BF17'", "BF16");
    assertRefused(one("bf16", "[1]", 0, 2), 2, "'bf16'");
  }

  @Test
  void numbersThatAreNotSizes() {
    assertRefused(one("F32", "[-1]", 0, 4), 4, "tensor 't'", "shape holds -1");
    assertRefused(one("F32", "[1.0]", 0, 4), 4, "tensor 't'", "shape");
    assertRefused(one("F32", "[1e2]", 0, 400), 400, "tensor 't'", "shape");
    assertRefused(one("F32", "[9223372036854775808]", 0, 4), 4, "9223372036854775808");
    assertRefused(one("F32", "[%s]".formatted("1".repeat(1000)), 0, 4), 4, "1000");
    assertRefused(one("F32", "[NaN]", 0, 4), 4, "character");
    assertRefused(one("F32", "[1%s]".formatted(",1".repeat(64)), 0, 4), 4, "more than 64");
  }

  @Test
  void aShapeThatOverflows() {
    assertRefused(one("F32", "[4611686018427387904,4]", 0, 4), 4, "larger than any file");
    assertRefused(one("U8", "[9223372036854775807]", 0, 4), 4, "larger than any file");
    assertRefused(one("U8", "[4294967296,4294967296]", 0, 0), 0, "larger than any file");
  }

  @Test
  void offsetsOutsideTheData() {
    assertRefused(one("F32", "[2]", 0, 8), 7, "[0, 8]", "7 bytes");
    assertRefused(one("F32", "[0]", 5, 5), 4, "[5, 5]", "4 bytes");
    assertRefused(one("F32", "[1]", 4, 0), 4, "[4, 0]");
    assertRefused(one("F32", "[1]", -4, 0), 4, "-4");
    assertRefused("{\"t\":{\"data_offsets\":[0,4,8]}}", 8, "more than 2");
    assertRefused(
        "{\"t\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, "two numbers", "[0]");
  }

  @Test
  void bytesThatDoNotFitTheShape() {
    assertRefused(one("F32", "[2]", 0, 4), 4, "[2] of F32 takes 64 bits", "4 bytes");
    assertRefused(one("BF16", "[3]", 0, 5), 5, "48 bits", "5 bytes");
    assertRefused(one("F4", "[3]", 0, 1), 1, "12 bits", "1 bytes");
    assertRefused(one("F32", "[]", 0, 0), 0, "32 bits", "0 bytes");
  }

  @Test
  void tensorsThatOverlap() {
    String a = tensor("a", "U8", "[4]", 0, 4);
    String b = tensor("b", "U8", "[4]", 3, 7);
    assertRefused(
        "{%s,%s}".formatted(b, a), 7, "tensor 'b' begins at byte 3", "end at 4", "overlap");
    String same = tensor("c", "U8", "[4]", 0, 4);
    assertRefused("{%s,%s}".formatted(a, same), 4, "overlap");
  }

  @Test
  void dataThatBelongsToNoTensor() {
    String a = tensor("a", "U8", "[4]", 0, 4);
    String b = tensor("b", "U8", "[4]", 5, 9);
    assertRefused("{%s,%s}".formatted(a, b), 9, "tensor 'b' begins at byte 5", "end at 4", "gaps");
    assertRefused("{%s}".formatted(a), 5, "end at byte 4 of the data, which has 5");
    assertRefused("{%s}".formatted(tensor("a", "U8", "[4]", 1, 5)), 5, "gaps");
    assertRefused("{}", 1, "end at byte 0 of the data, which has 1");
  }

  @Test
  void metadataThatIsNotText() {
    assertRefused("{\"__metadata__\":\"pt\"}", 0, "__metadata__", "an object, not a string");
    assertRefused("{\"__metadata__\":{\"format\":1}}", 0, "__metadata__", "a string");
    assertRefused("{\"__metadata__\":{\"format\":{}}}", 0, "__metadata__", "a string");
  }

  @Test
  void nestingWithoutEnd() {
    assertRefused("{\"t\":" + "{\"shape\":".repeat(100_000), 0, "shape");
    assertRefused("{\"t\":{\"shape\":" + "[".repeat(100_000), 0, "shape");
  }

  @Test
  void aNameThatWouldFillTheScreen() {
    String name = "x".repeat(40_000);
    assertRefused("{\"%s\":1}".formatted(name), 0, "xxx...");
    assertRefused("{\"\\u001b[2J\":1}", 0, "'?[2J'");
  }
}
