// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;

/**
 * Names of matrix types in .npy files: {@code dtype.str} in NumPy, that is byte order, kind and
 * bytes. NumPy has no bfloat16; by convention its bits are stored as 16-bit integers.
 */
final class NpyType {
  private static final String KNOWN =
      "supported types are '<f4' (float32), '<f2' (float16), '<u2' (the bits of bfloat16) and '|i1' (int8)";

  private NpyType() {}

  static String name(DType type) {
    return switch (type) {
      case F32 -> "<f4";
      case F16 -> "<f2";
      case BF16 -> "<u2";
      case I8 -> "|i1";
    };
  }

  /**
   * The type of that name.
   *
   * @throws FileFormatException if matrices are not of that type; it says what to do
   */
  static DType read(String file, String name) {
    for (DType type : DType.values()) {
      if (name(type).equals(name)) {
        return type;
      }
    }
    throw new FileFormatException(
        file, "its type is '%s', %s".formatted(Shown.of(name), advice(name)));
  }

  private static String advice(String name) {
    if (name.startsWith(">")) {
      return "which is big-endian: save a.astype(a.dtype.newbyteorder('<')); " + KNOWN;
    }
    if (name.contains("O")) {
      return "Python objects, which are not supported: save a.astype(np.float32)";
    }
    if (name.endsWith("V2")) {
      return "which is how bfloat16 of ml_dtypes is saved: save a.view(np.uint16)";
    }
    return "which is not supported: save a.astype(np.float32), or a.view(np.uint16) if it is bfloat16; "
        + KNOWN;
  }
}
