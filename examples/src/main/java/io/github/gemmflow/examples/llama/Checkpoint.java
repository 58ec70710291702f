// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.files.SafeTensors;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A model in a directory: {@code config.json}, and weights in one or several {@code *.safetensors}.
 * They are mapped, so that ranks of one host share them, and a rank loads only what it reads.
 */
final class Checkpoint implements AutoCloseable {
  private final Path directory;
  private final LlamaConfig config;
  private final List<SafeTensors> files = new ArrayList<>();

  private Checkpoint(Path directory) throws IOException {
    this.directory = directory;
    this.config = LlamaConfig.read(directory.resolve(LlamaConfig.FILE));
  }

  static Checkpoint open(Path directory) throws IOException {
    Checkpoint checkpoint = new Checkpoint(directory);
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.filter(f -> f.toString().endsWith(".safetensors")).sorted().toList()) {
        checkpoint.files.add(SafeTensors.open(file));
      }
      return checkpoint;
    } catch (IOException | RuntimeException e) {
      checkpoint.close();
      throw e;
    }
  }

  LlamaConfig config() {
    return config;
  }

  boolean has(String name) {
    return files.stream().anyMatch(file -> file.names().contains(name));
  }

  /** A tensor in place; throws if it is missing or not {@code rows x columns}. */
  Matrix matrix(String name, long rows, long columns) {
    Matrix matrix =
        files.stream()
            .filter(file -> file.names().contains(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "%s has no tensor '%s' in its %d *.safetensors: is it a Llama model, and complete?"
                            .formatted(directory, name, files.size())))
            .tensor(name)
            .matrix();
    if (matrix.rows() != rows || matrix.columns() != columns) {
      throw new IllegalArgumentException(
          "%s: by %s '%s' is %d x %d, but it is %s"
              .formatted(directory, LlamaConfig.FILE, name, rows, columns, matrix));
    }
    return matrix;
  }

  @Override
  public void close() {
    files.forEach(SafeTensors::close);
  }
}
