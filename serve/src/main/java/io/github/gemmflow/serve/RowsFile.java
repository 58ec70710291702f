// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** A safetensors file of rows in F32, of which each tensor may have another number. */
final class RowsFile {
  private final SafeTensorsWriter writer = new SafeTensorsWriter();

  /** Adds a tensor of at least one row. */
  void add(String name, List<float[]> rows) {
    writer.add(
        name,
        DType.F32,
        List.of((long) rows.size(), (long) rows.getFirst().length),
        (some, first) -> {
          for (int row = 0; row < some.rows(); row++) {
            some.setRow(row, rows.get((int) first + row));
          }
        });
  }

  void write(Path file) {
    try {
      writer.write(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e, e);
    }
  }
}
