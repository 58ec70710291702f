// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of a safetensors file: first say what is in it, then {@link #write} it. Tensors are
 * written one after the other, a few rows at a time, so that none has to be in memory as a whole.
 *
 * <p>Not thread-safe, not collective: one process writes a file.
 */
public final class SafeTensorsWriter {
  private final Map<String, Part> parts = new LinkedHashMap<>();
  private final Map<String, String> metadata = new LinkedHashMap<>();

  /** Where the elements of a tensor come from. */
  @FunctionalInterface
  public interface Source {
    /**
     * Fills some rows of the tensor. Called for all rows, in order.
     *
     * @param rows to be filled; may be used until this returns
     * @param first the row of the tensor that comes first in {@code rows}
     */
    void fill(Matrix rows, long first);
  }

  private record Part(DType type, List<Long> shape, Source source) {
    /** A row is the last dimension. */
    long columns() {
      return shape.isEmpty() ? 1 : shape.get(shape.size() - 1);
    }

    long rows() {
      long rows = 1;
      for (int i = 0; i < shape.size() - 1; i++) {
        rows = Math.multiplyExact(rows, shape.get(i));
      }
      return rows;
    }

    long bytes() {
      return Math.multiplyExact(Math.multiplyExact(rows(), columns()), (long) type.bytes());
    }
  }

  /** Says something about the whole file. */
  public SafeTensorsWriter metadata(String key, String value) {
    metadata.put(key, value);
    return this;
  }

  /** A tensor of two dimensions. The matrix is read when the file is written. */
  public SafeTensorsWriter add(String name, Matrix matrix) {
    return add(
        name,
        matrix.type(),
        List.of(matrix.rows(), matrix.columns()),
        (rows, first) -> rows.copyFrom(matrix.rows(first, first + rows.rows())));
  }

  /**
   * A tensor of any shape. Its rows are its last dimension; of one dimension, it is one row.
   *
   * @param source where its elements come from when the file is written
   */
  public SafeTensorsWriter add(String name, DType type, List<Long> shape, Source source) {
    if (name.equals(Header.METADATA) || parts.containsKey(name)) {
      throw new IllegalArgumentException(
          "the name '%s' is already in use: give each tensor a unique name".formatted(name));
    }
    if (shape.size() > Header.MAX_DIMENSIONS || shape.stream().anyMatch(size -> size < 0)) {
      throw new IllegalArgumentException(
          "tensor '%s' cannot have the shape %s: up to %d sizes, none of them negative"
              .formatted(name, shape, Header.MAX_DIMENSIONS));
    }
    Part part = new Part(type, List.copyOf(shape), source);
    try {
      long _ = part.bytes();
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "tensor '%s' of the shape %s is larger than any file".formatted(name, shape), e);
    }
    parts.put(name, part);
    return this;
  }

  /**
   * Writes the file. It appears under its name when it is complete, in place of an older one; until
   * then it has a temporary name in the same directory, which is gone if this throws.
   *
   * @throws IOException if it cannot be written
   */
  public void write(Path target) throws IOException {
    byte[] header = header();
    long length = header.length + parts.values().stream().mapToLong(Part::bytes).sum();
    try (PartialFile file = PartialFile.create(target.toAbsolutePath(), header, length)) {
      long position = header.length;
      for (Part part : parts.values()) {
        position = writePart(file, position, part);
      }
      file.complete();
    }
  }

  private byte[] header() {
    Map<String, Header.Entry> tensors = new LinkedHashMap<>();
    long begin = 0;
    for (Map.Entry<String, Part> named : parts.entrySet()) {
      Part part = named.getValue();
      long end = Math.addExact(begin, part.bytes());
      ElementType type = ElementType.of(part.type());
      tensors.put(named.getKey(), new Header.Entry(type, part.shape(), begin, end));
      begin = end;
    }
    return HeaderWriter.write(tensors, metadata);
  }

  /** Returns where the part ends. */
  private static long writePart(PartialFile file, long position, Part part) throws IOException {
    if (part.bytes() == 0) {
      return position;
    }
    long rowBytes = part.columns() * part.type().bytes();
    long most = Math.min(part.rows(), Math.max(1, Positional.MOST_BYTES / rowBytes));
    try (Arena arena = Arena.ofConfined()) {
      Matrix buffer = Matrix.allocate(part.type(), most, part.columns(), arena);
      for (long first = 0; first < part.rows(); first += most) {
        Matrix rows = buffer.rows(0, Math.min(most, part.rows() - first));
        part.source().fill(rows, first);
        file.write(position + first * rowBytes, rows.memory());
      }
    }
    return position + part.bytes();
  }
}
