// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Place of a matrix.
 *
 * @param name of the tensor in the file; null if it was left out
 */
record Place(Path file, Format format, @Nullable String name) {
  /**
   * Takes {@code x.npy}, {@code x.safetensors} and {@code x.safetensors#name}.
   *
   * @throws IllegalArgumentException for anything else
   */
  static Place parse(String where) {
    String named = Format.SAFETENSORS.extension() + "#";
    int at = where.indexOf(named);
    if (at >= 0) {
      String name = where.substring(at + named.length());
      if (name.isEmpty() || name.equals(Header.METADATA)) {
        throw new IllegalArgumentException(
            "%s: expected the name of a tensor after #, not '%s'".formatted(where, name));
      }
      String file = where.substring(0, at + named.length() - 1);
      return new Place(Path.of(file), Format.SAFETENSORS, name);
    }
    for (Format format : Format.values()) {
      if (where.endsWith(format.extension())) {
        return new Place(Path.of(where), format, null);
      }
    }
    throw new IllegalArgumentException(
        "%s: expected x.npy, x.safetensors or x.safetensors#tensor: the name of the file selects the format%s"
            .formatted(
                where,
                where.contains(Format.NPY.extension() + "#")
                    ? ", and the array in a .npy file has no name"
                    : ""));
  }
}
