// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The formats of files that hold a matrix, by the ends of their names. */
enum Format {
  NPY(".npy") {
    @Override
    Tensor read(String file, @Nullable String name, MemorySegment memory, Arena arena) {
      return Npy.read(file, memory);
    }

    @Override
    byte[] header(@Nullable String name, DType type, long rows, long columns) {
      return Npy.header(type, rows, columns);
    }
  },

  SAFETENSORS(".safetensors") {
    @Override
    Tensor read(String file, @Nullable String name, MemorySegment memory, Arena arena) {
      SafeTensors tensors = new SafeTensors(file, memory, arena);
      if (name != null) {
        return tensors.tensor(name);
      }
      if (tensors.names().size() != 1) {
        throw new IllegalArgumentException(
            "%s has %d tensors%s: name one, for example %s#name"
                .formatted(file, tensors.names().size(), tensors.someNames(), file));
      }
      return tensors.tensor(tensors.names().iterator().next());
    }

    @Override
    byte[] header(@Nullable String name, DType type, long rows, long columns) {
      Header.Entry entry =
          new Header.Entry(
              ElementType.of(type), List.of(rows, columns), 0, rows * columns * type.bytes());
      return HeaderWriter.write(Map.of(name == null ? "matrix" : name, entry), Map.of());
    }
  };

  private final String extension;

  Format(String extension) {
    this.extension = extension;
  }

  String extension() {
    return extension;
  }

  /**
   * The array in a mapped file, as a view.
   *
   * @param name which, if there may be several; null if there is only one
   * @param arena what the view lives as long as
   */
  abstract Tensor read(String file, @Nullable String name, MemorySegment memory, Arena arena);

  /** What comes before the elements in a file of just one matrix, whose size does not overflow. */
  abstract byte[] header(@Nullable String name, DType type, long rows, long columns);
}
