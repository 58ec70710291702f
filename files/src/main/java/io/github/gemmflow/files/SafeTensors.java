// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * A safetensors file, mapped into memory: any number of processes on a host that map the same file
 * hold it once, and pages that nobody reads are never loaded. Opening reads the header only.
 *
 * <p>The header is checked before anything is believed: it must fit the file, no name comes twice,
 * and the tensors cover the rest of the file without holes and overlaps. What is kept of it is in
 * proportion to the header that is really there, whatever numbers it holds.
 *
 * <p>Thread-safe, except that it is closed only when nobody reads a tensor. Not collective.
 */
public final class SafeTensors implements AutoCloseable {
  private final String file;
  private final Header header;
  private final MemorySegment data;
  private final Arena arena;

  /**
   * Reads the header of a file that is in memory.
   *
   * @param file its name, for messages
   * @param arena is closed with this object
   */
  SafeTensors(String file, MemorySegment memory, Arena arena) {
    this.file = file;
    this.header = Header.read(file, memory);
    this.data = memory.asSlice(header.bytes());
    this.arena = arena;
  }

  /**
   * Maps a file.
   *
   * @throws FileFormatException if it is damaged, or something else
   * @throws IOException if it cannot be read; the message says which file, and why
   */
  public static SafeTensors open(Path file) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new SafeTensors(file.toString(), MappedFile.map(file, arena), arena);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** The names of all tensors, in the order of the header. */
  public Set<String> names() {
    return header.tensors().keySet();
  }

  /** What the header says about the file as a whole; empty if nothing. */
  public Map<String, String> metadata() {
    return header.metadata();
  }

  /**
   * A tensor, as a view.
   *
   * @throws IllegalArgumentException if there is none of that name, or it is of a type that there
   *     are no matrices of
   */
  public Tensor tensor(String name) {
    Header.Entry entry = header.tensors().get(name);
    if (entry == null) {
      throw new IllegalArgumentException(
          "%s: no tensor '%s' among its %d tensors%s"
              .formatted(file, Shown.of(name), names().size(), someNames()));
    }
    DType type = entry.type().dtype();
    if (type == null) {
      throw new IllegalArgumentException(
          "%s: tensor '%s' is %s, but a matrix must be BF16, F16, F32 or I8: convert it first"
              .formatted(file, Shown.of(name), entry.type()));
    }
    MemorySegment bytes = data.asSlice(entry.begin(), entry.end() - entry.begin());
    return new Tensor(name, type, entry.shape(), bytes);
  }

  /** A few of the names, for messages. */
  String someNames() {
    return names().isEmpty()
        ? ""
        : ", for example " + names().stream().limit(3).map(Shown::of).toList();
  }

  @Override
  public String toString() {
    return "%s with %d tensors".formatted(file, names().size());
  }

  /** Unmaps the file; whoever reads one of its tensors afterwards gets an exception. */
  @Override
  public void close() {
    arena.close();
  }
}
