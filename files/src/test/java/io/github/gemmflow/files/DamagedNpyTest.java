// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each way in which a .npy file can be wrong is refused, and the message says which. */
class DamagedNpyTest {
  private static final String GOOD = dict("'<f4'", "False", "(2, 3)");

  private static String dict(String descr, String fortranOrder, String shape) {
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }"
        .formatted(descr, fortranOrder, shape);
  }

  private static void assertRefused(byte[] file, String... parts) {
    FileFormatException e = assertThrows(FileFormatException.class, () -> Bytes.openNpy(file));
    String message = String.valueOf(e.getMessage());
    assertTrue(message.startsWith(Bytes.NPY_NAME + ": "), message);
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  private static void assertRefused(String header, String... parts) {
    assertRefused(Bytes.npy(header, 24), parts);
  }

  private static void assertTypeRefused(String descr, String... parts) {
    assertRefused(dict("'" + descr + "'", "False", "(2, 3)"), parts);
    assertRefused(dict("'" + descr + "'", "False", "(2, 3)"), "'" + descr + "'");
  }

  private static void assertShapeRefused(String shape, String... parts) {
    assertRefused(dict("'<f4'", "False", shape), parts);
  }

  @Test
  void aFileThatIsCutOffBeforeTheHeader() {
    byte[] whole = Bytes.npy(GOOD, 24);
    assertRefused(new byte[0], "it has 0 bytes", "the start of a .npy file");
    assertRefused(Arrays.copyOf(whole, 7), "it has 7 bytes");
    assertRefused(Arrays.copyOf(whole, 9), "it has 9 bytes", "the length of its header");
    assertRefused(
        Arrays.copyOf(Bytes.npy(2, Bytes.padded(GOOD, 2), 24), 11), "the length of its header");
    assertRefused(Arrays.copyOf(whole, 127), "it has 127 bytes", "a header of 118");
  }

  @Test
  void somethingElse() {
    byte[] file = Bytes.npy(GOOD, 24);
    file[0] = 'N';
    assertRefused(file, "\\x93NUMPY", "not a .npy file");
  }

  @Test
  void aVersionThatNobodyKnows() {
    byte[] header = Bytes.padded(GOOD, 1);
    assertRefused(Bytes.npy(0, 0, 118, header, 24), "version 0.0", "1.0, 2.0 and 3.0");
    assertRefused(Bytes.npy(4, 0, 118, header, 24), "version 4.0");
    assertRefused(Bytes.npy(255, 0, 118, header, 24), "version 255.0");
    assertRefused(Bytes.npy(1, 1, 118, header, 24), "version 1.1");
  }

  @Test
  void aHeaderLongerThanAllowed() {
    byte[] header = new byte[65_535];
    assertRefused(Bytes.npy(1, 0, 10_001, header, 0), "10001 bytes", "10000");
    assertRefused(Bytes.npy(1, 0, 65_535, header, 0), "65535 bytes");
    assertRefused(Bytes.npy(2, 0, -1, header, 0), "4294967295 bytes");
  }

  @Test
  void aHeaderThatIsNotPaddedAsItShouldBe() {
    assertRefused(Bytes.npy(1, new byte[0], 0), "0 bytes", "newline");
    assertRefused(Bytes.npy(1, (GOOD + " ".repeat(58)).getBytes(ISO_8859_1), 24), "newline");
    assertRefused(
        Bytes.npy(1, (GOOD + "\n").getBytes(ISO_8859_1), 24), "byte 70", "a multiple of 16");
    assertRefused(GOOD + "\n", "character 59");
    assertRefused(GOOD + "\t", "character 59");
    assertRefused(GOOD + "\0", "character 59");
  }

  @Test
  void aHeaderThatIsNotADictionary() {
    assertRefused("", "a dictionary must come next, not the end");
    assertRefused("[]", "a dictionary must come next, not [");
    assertRefused("'descr'", "not the string 'descr'");
    assertRefused("dict()", "not dict");
    assertRefused("{", "a name in quotes must come next, not the end");
    assertRefused("{,}", "a name in quotes must come next, not ,");
    assertRefused("{descr: '<f4'}", "a name in quotes must come next, not descr");
    assertRefused("{u'descr': '<f4'}", "not u");
    assertRefused("{'descr'}", "a colon after 'descr' must come next, not }");
    assertRefused("{'descr': }", "descr must be a type in quotes, not }");
    assertRefused("{'descr': '<f4' 'shape': (2, 3)}", "a comma or '}'", "the string 'shape'");
    assertRefused("{'descr': '<f4',, 'shape': (2, 3)}", "not ,");
    assertRefused("{" + GOOD + "}", "not {");
    assertRefused("{".repeat(9_000), "not {");
    assertRefused("{'\u00fc': 1}", "'");
    assertRefused("{\u00fc: 1}", "character 1");
    assertRefused("# nothing\n" + GOOD, "character 0");
  }

  @Test
  void somethingAfterTheDictionary() {
    assertRefused(GOOD + "}", "unexpected content after the dictionary: }");
    assertRefused(GOOD + GOOD, "dictionary: {");
    assertRefused(GOOD + ",", "dictionary: ,");
    assertRefused(GOOD + " or 1", "dictionary: or");
  }

  @Test
  void keysThatAreMissingUnknownOrThereTwice() {
    assertRefused("{}", "descr is missing");
    assertRefused("{'descr': '<f4', 'shape': (2, 3)}", "fortran_order is missing");
    assertRefused("{'descr': '<f4', 'fortran_order': False}", "shape is missing");
    assertRefused("{'order': 'C'}", "'order' is not descr");
    assertRefused("{'descr\\n': 'C'}", "backslash");
    assertRefused("{'descr': '<f4', 'descr': '<f4'}", "descr occurs twice");
    assertRefused("{'fortran_order': True, 'fortran_order': False}", "fortran_order occurs twice");
    assertRefused("{'shape': (), 'shape': (2, 3)}", "shape occurs twice");
  }

  @Test
  void strings() {
    assertRefused("{'descr", "the string that begins at character 1 has no end");
    assertRefused("{'descr\": 1}", "the string that begins at character 1 has no end");
    assertRefused("{'descr\"' : 1}", "'descr\"' is not descr");
    assertRefused("{'" + "x".repeat(5_000) + "': 1}", "xxx...'");
    assertRefused("{'\u001b[2J': 1}", "'?[2J'");
    byte[] escape = ("{'\u009b2J': 1}" + " ".repeat(11) + "\n").getBytes(ISO_8859_1);
    assertRefused(Bytes.npy(1, escape, 0), "'?2J'");
  }

  @Test
  void pythonObjects() {
    assertTypeRefused("|O", "Python objects", "a.astype(np.float32)");
    assertTypeRefused("O", "Python objects");
    assertTypeRefused("|O8", "Python objects");
  }

  @Test
  void structuredTypes() {
    assertRefused(dict("[('x', '<f4')]", "False", "(6,)"), "structured", "a['x']");
    assertRefused(dict("[]", "False", "(6,)"), "structured");
    assertRefused(dict("('<f4', (2,))", "False", "(3,)"), "a type in quotes, not (");
    assertRefused(dict("None", "False", "(6,)"), "a type in quotes, not None");
    assertRefused(dict("4", "False", "(6,)"), "a type in quotes, not 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {">f4", ">f2", ">u2", ">f8"})
  void bigEndian(String descr) {
    assertTypeRefused(descr, "big-endian", "newbyteorder('<')");
  }

  @ParameterizedTest
  @ValueSource(strings = {"<f8", "<f16", "<i4", "<i2", "|u1", "|b1", "<c8", "<U2", "<M8[ns]"})
  void otherTypes(String descr) {
    assertTypeRefused(descr, "'<f4' (float32)", "a.astype(np.float32)", "a.view(np.uint16)");
  }

  /** NumPy reads them, but does not write them. */
  @ParameterizedTest
  @ValueSource(strings = {"", "f4", "=f4", "|f4", "float32", "<F4", "<f4 ", "<f04", "<u2u2"})
  void typesByOtherNames(String descr) {
    assertTypeRefused(descr, "supported types are");
  }

  @ParameterizedTest
  @ValueSource(strings = {"|V2", "<V2"})
  void bfloat16AsMlDtypesSavesIt(String descr) {
    assertTypeRefused(descr, "bfloat16 of ml_dtypes", "save a.view(np.uint16)");
  }

  @Test
  void columnsOneAfterTheOther() {
    assertRefused(dict("'<f4'", "True", "(2, 3)"), "fortran_order is True", "ascontiguousarray");
    for (String value : new String[] {"0", "None", "'False'", "false", "Falsey", "(False)"}) {
      assertRefused(dict("'<f4'", value, "(2, 3)"), "must be True or False");
    }
  }

  @Test
  void shapesThatAreNone() {
    assertShapeRefused("[2, 3]", "'(' as the beginning of the shape must come next, not [");
    assertShapeRefused("6", "not 6");
    assertShapeRefused("(6)", "(6) is a number");
    assertShapeRefused("(,)", "whole numbers, not ,");
    assertShapeRefused("(2,, 3)", "whole numbers, not ,");
    assertShapeRefused("(2 3)", "a comma or ')' must come next in the shape, not 3");
    assertShapeRefused("(2, 3", "not }");
    assertShapeRefused("((2, 3))", "whole numbers, not (");
    assertShapeRefused("(2, '3')", "whole numbers, not the string '3'");
    assertShapeRefused("(2, True)", "whole numbers, not True");
    assertShapeRefused("(".repeat(9_000), "not (");
  }

  @Test
  void numbersThatAreNotSizes() {
    assertShapeRefused("(2L, 3L)", "2L is not a whole number");
    assertShapeRefused("(2.0, 3)", "2.0 is not a whole number");
    assertShapeRefused("(2e0, 3)", "2e0 is not");
    assertShapeRefused("(0x2, 3)", "0x2 is not");
    assertShapeRefused("(02, 3)", "02 is not");
    assertShapeRefused("(2_0, 3)", "2_0 is not");
    assertShapeRefused("(-, 3)", "- is not");
    assertShapeRefused("(--2, 3)", "- is not");
    assertShapeRefused("(+2, 3)", "character 51");
    assertShapeRefused("(-2, 3)", "-2, which is negative");
    assertShapeRefused("(-2, -3)", "-2, which is negative");
    assertShapeRefused("(-0, 3)", "-0, which is negative");
  }

  @Test
  void aShapeThatOverflows() {
    assertShapeRefused("(9223372036854775808, 3)", "9223372036854775808, larger than any file");
    assertShapeRefused("(%s,)".formatted("9".repeat(5_000)), "999..., larger than any file");
    assertShapeRefused("(4294967296, 4294967296)", "larger than any file");
    assertShapeRefused("(4611686018427387904, 4)", "larger than any file");
    assertShapeRefused("(9223372036854775807,)", "larger than any file");
  }

  @Test
  void dimensionsThatAMatrixDoesNotHave() {
    assertRefused(Bytes.npy(dict("'<f4'", "False", "()"), 4), "[]", "reshape it");
    assertShapeRefused("(1, 2, 3)", "[1, 2, 3]", "one or two dimensions");
    assertShapeRefused("(%s)".formatted("1, ".repeat(65)), "more than 64 dimensions");
  }

  @Test
  void dataThatDoesNotFitTheShape() {
    assertRefused(Bytes.npy(GOOD, 23), "[2, 3] of F32 takes 24 bytes", "23", "truncated");
    assertRefused(Bytes.npy(GOOD, 0), "0 follow the header");
    assertRefused(Bytes.npy(GOOD, 25), "24 bytes, but 25 follow", "more than one array");
    assertRefused(Bytes.npy(dict("'<f2'", "False", "(2, 3)"), 24), "takes 12 bytes");
    assertRefused(Bytes.npy(dict("'<f4'", "False", "(0, 3)"), 4), "takes 0 bytes");
  }
}
