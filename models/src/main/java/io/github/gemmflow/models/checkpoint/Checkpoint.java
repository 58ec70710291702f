// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.files.SafeTensors;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A model in a directory: {@code config.json}, and weights in {@code model.safetensors}, or in
 * those files that {@code model.safetensors.index.json} names. They are mapped, so that ranks of
 * one host share them, and a rank loads only what it reads.
 */
public final class Checkpoint implements AutoCloseable {
  static final String FILE = "model.safetensors";
  static final String INDEX = "model.safetensors.index.json";

  private final Path directory;
  private final ModelConfig config;
  private final List<SafeTensors> files = new ArrayList<>();
  private final Map<String, SafeTensors> tensors = new HashMap<>();
  private final Set<String> used = ConcurrentHashMap.newKeySet();

  private Checkpoint(Path directory) throws IOException {
    this.directory = directory;
    this.config = ModelConfig.read(directory.resolve(ModelConfig.FILE));
  }

  public static Checkpoint open(Path directory) throws IOException {
    Checkpoint checkpoint = new Checkpoint(directory);
    try {
      Path index = directory.resolve(INDEX);
      if (Files.exists(index)) {
        checkpoint.add(ShardIndex.read(index));
      } else {
        checkpoint.add(FILE);
      }
      return checkpoint;
    } catch (IOException | RuntimeException e) {
      checkpoint.close();
      throw e;
    }
  }

  /** A directory may hold more: the same weights once more, in a form of their maker's. */
  private void add(ShardIndex index) throws IOException {
    for (String name : index.files()) {
      index.check(name, add(name).names());
    }
  }

  private SafeTensors add(String name) throws IOException {
    SafeTensors file = SafeTensors.open(directory.resolve(name));
    files.add(file);
    file.names().forEach(tensor -> tensors.put(tensor, file));
    return file;
  }

  public ModelConfig config() {
    return config;
  }

  /** A tensor in place; throws if it is missing or not {@code rows x columns}. */
  public Matrix matrix(String name, long rows, long columns) {
    used.add(name);
    SafeTensors file = tensors.get(name);
    if (file == null) {
      throw new IllegalArgumentException(
          "%s has no tensor '%s' among the %d of its files: is it complete, and does it match %s?"
              .formatted(directory, name, tensors.size(), ModelConfig.FILE));
    }
    Matrix matrix = file.tensor(name).matrix();
    if (matrix.rows() != rows || matrix.columns() != columns) {
      throw new IllegalArgumentException(
          "%s: according to %s, '%s' is %d x %d, but it is %s"
              .formatted(directory, ModelConfig.FILE, name, rows, columns, matrix));
    }
    return matrix;
  }

  /** The weights of a linear layer, with scales if they are int8. */
  public Linear linear(String name, long outputs, long inputs) {
    Matrix values = matrix(name + ".weight", outputs, inputs);
    return new Linear(
        values, values.type().isReal() ? null : matrix(name + ".weight_scale", outputs, 1));
  }

  /** Throws if there are tensors that nobody has asked for: they would make another model. */
  public void checkAllUsed() {
    for (String name : new TreeSet<>(tensors.keySet())) {
      // Frequencies, which some models store, too; and weights that are those of the embedding.
      boolean isKnown =
          name.endsWith("rotary_emb.inv_freq") || (config.tied() && name.equals("lm_head.weight"));
      if (!isKnown && !used.contains(name)) {
        throw new IllegalArgumentException(
            "%s: models of type %s with '%s' are not supported"
                .formatted(directory, config.family(), name));
      }
    }
  }

  @Override
  public void close() {
    files.forEach(SafeTensors::close);
  }
}
