// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * One matrix in a file, mapped into memory: nothing is copied, and pages that nobody reads are
 * never loaded. Opening reads the header only, and believes nothing in it that is not checked.
 *
 * <p>Nobody may make the file shorter while it is open. Thread-safe, except that it is closed only
 * when nobody reads the matrix. Not collective.
 */
public final class MatrixFile implements AutoCloseable {
  private final String where;
  private final Matrix matrix;
  private final Arena arena;

  /**
   * The matrix that an array is.
   *
   * @param where what it is called in messages
   * @param arena is closed with this object
   */
  MatrixFile(String where, Tensor tensor, Arena arena) {
    if (tensor.shape().isEmpty() || tensor.shape().size() > 2) {
      throw new FileFormatException(
          where,
          "its shape %s is not that of a matrix: reshape it to one or two dimensions"
              .formatted(tensor.shape()));
    }
    this.where = where;
    this.matrix = tensor.matrix();
    this.arena = arena;
  }

  /**
   * Maps a file. The end of its name says what it is:
   *
   * <ul>
   *   <li>{@code x.npy}: an array of NumPy, versions 1.0 to 3.0 of the format, in C order, of
   *       float32, float16, int8, or uint16, which is taken for the bits of bfloat16
   *   <li>{@code x.safetensors#name}: a tensor in a safetensors file
   *   <li>{@code x.safetensors}: the only tensor in it
   * </ul>
   *
   * @throws FileFormatException if it is damaged, something else, or holds no matrix
   * @throws IllegalArgumentException if the name has another end, or no tensor is meant by it
   * @throws NoSuchFileException if there is no such file
   * @throws IOException if it cannot be read; the message says which file, and why
   */
  public static MatrixFile open(String where) throws IOException {
    Place place = Place.parse(where);
    Arena arena = Arena.ofShared();
    try {
      Tensor tensor =
          place
              .format()
              .read(
                  place.file().toString(),
                  place.name(),
                  MappedFile.map(place.file(), arena),
                  arena);
      return new MatrixFile(where, tensor, arena);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * The file that is meant, without the name of a tensor in it.
   *
   * @throws IllegalArgumentException as {@link #open} does
   */
  public static Path path(String where) {
    return Place.parse(where).file();
  }

  /** The matrix, read-only, until this is closed; an array of one dimension is one row. */
  public Matrix matrix() {
    return matrix;
  }

  /** Where it is, and its shape and type. */
  @Override
  public String toString() {
    return "%s (%s)".formatted(where, matrix);
  }

  /** Unmaps the file; whoever reads the matrix afterwards gets an exception. */
  @Override
  public void close() {
    arena.close();
  }
}
