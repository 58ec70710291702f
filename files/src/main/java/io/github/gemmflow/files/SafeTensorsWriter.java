// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes a safetensors file: first say what is in it, then {@link #write} it. Tensors are written
 * one after the other, a few rows at a time, so that none has to be in memory as a whole.
 *
 * <p>Not thread-safe, not collective: one process writes a file.
 */
public final class SafeTensorsWriter {
  /** Bytes that are asked for at a time, unless one row has more. */
  private static final long BUFFER_BYTES = 1 << 20;

  /** The data begins at a multiple of this many bytes: a cache line. */
  private static final int ALIGNMENT = 64;

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
          "the name '%s' is taken: give each tensor one of its own".formatted(name));
    }
    if (shape.size() > Header.MAX_DIMENSIONS || shape.stream().anyMatch(size -> size < 0)) {
      throw new IllegalArgumentException(
          "tensor '%s' cannot have the shape %s: up to %d sizes, none of them negative"
              .formatted(name, shape, Header.MAX_DIMENSIONS));
    }
    parts.put(name, new Part(type, List.copyOf(shape), source));
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
    Path absolute = target.toAbsolutePath();
    String unique = Long.toHexString(new SplittableRandom().nextLong());
    Path temporary = absolute.resolveSibling("." + absolute.getFileName() + "." + unique);
    try {
      try (FileChannel channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        writeAll(channel, ByteBuffer.wrap(header));
        for (Part part : parts.values()) {
          writePart(channel, part);
        }
        // Or a crash could leave the name with nothing behind it.
        channel.force(true);
      }
      Files.move(
          temporary, absolute, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }

  private byte[] header() {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), json)) {
      out.writeStartObject();
      if (!metadata.isEmpty()) {
        out.writeName(Header.METADATA);
        out.writeStartObject();
        metadata.forEach(out::writeStringProperty);
        out.writeEndObject();
      }
      long begin = 0;
      for (Map.Entry<String, Part> named : parts.entrySet()) {
        Part part = named.getValue();
        long end = Math.addExact(begin, part.bytes());
        out.writeName(named.getKey());
        out.writeStartObject();
        out.writeStringProperty("dtype", part.type().name());
        writeNumbers(out, "shape", part.shape());
        writeNumbers(out, "data_offsets", List.of(begin, end));
        out.writeEndObject();
        begin = end;
      }
      out.writeEndObject();
    }
    return padded(json.toByteArray());
  }

  private static void writeNumbers(JsonGenerator out, String name, List<Long> numbers) {
    out.writeName(name);
    out.writeStartArray();
    numbers.forEach(out::writeNumber);
    out.writeEndArray();
  }

  /** The header with its length before it and spaces after it. */
  private static byte[] padded(byte[] json) {
    int prefix = (int) Header.PREFIX;
    int total = Math.ceilDiv(prefix + json.length, ALIGNMENT) * ALIGNMENT;
    if (total - prefix > Header.MAX_BYTES) {
      throw new IllegalArgumentException(
          "the header would have %d bytes, more than the %d that readers accept: write fewer tensors to a file"
              .formatted(total - prefix, Header.MAX_BYTES));
    }
    ByteBuffer header = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(total - prefix).put(json);
    while (header.hasRemaining()) {
      header.put((byte) ' ');
    }
    return header.array();
  }

  private static void writePart(FileChannel channel, Part part) throws IOException {
    if (part.bytes() == 0) {
      return;
    }
    long rowBytes = part.columns() * part.type().bytes();
    long most = Math.min(part.rows(), Math.max(1, BUFFER_BYTES / rowBytes));
    try (Arena arena = Arena.ofConfined()) {
      Matrix buffer = Matrix.allocate(part.type(), most, part.columns(), arena);
      for (long first = 0; first < part.rows(); first += most) {
        Matrix rows = buffer.rows(0, Math.min(most, part.rows() - first));
        part.source().fill(rows, first);
        writeAll(channel, rows.memory());
      }
    }
  }

  /** A row may have more bytes than a buffer can. */
  private static void writeAll(FileChannel channel, MemorySegment bytes) throws IOException {
    for (long offset = 0; offset < bytes.byteSize(); offset += BUFFER_BYTES) {
      long size = Math.min(BUFFER_BYTES, bytes.byteSize() - offset);
      writeAll(channel, bytes.asSlice(offset, size).asByteBuffer());
    }
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int ignored = channel.write(bytes);
    }
  }
}
