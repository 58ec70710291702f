// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.json.JsonObject;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * A model of random weights, scaled so that activations stay about 1. The same seed gives the same
 * weights.
 */
public final class RandomWeights {
  private final ModelConfig config;
  private final DType type;
  private final long seed;
  private final List<Tensor> tensors = new ArrayList<>();

  private record Tensor(
      String name, DType type, List<Long> shape, SafeTensorsWriter.Source source) {}

  private RandomWeights(ModelConfig config, DType type, long seed) {
    this.config = config;
    this.type = type;
    this.seed = seed;
    addAll();
  }

  /**
   * Writes a model to a directory, which is made if need be.
   *
   * @param json its {@code config.json}
   * @param type of weights that are not int8
   * @param files among which the tensors are divided
   */
  public static void write(Path directory, String json, DType type, long seed, int files)
      throws IOException {
    ModelConfig config = ModelConfig.of(JsonObject.parse("the model's config", json));
    if (!type.isReal() || files < 1) {
      throw new IllegalArgumentException(
          "random weights are BF16, F16 or F32 in at least one file, not %s in %d"
              .formatted(type, files));
    }
    Files.createDirectories(directory);
    Files.writeString(directory.resolve(ModelConfig.FILE), json);
    new RandomWeights(config, type, seed).write(directory, files);
  }

  private void write(Path directory, int files) throws IOException {
    if (files == 1) {
      write(directory.resolve(Checkpoint.FILE), tensors);
      return;
    }
    List<String> places = new ArrayList<>();
    int each = Math.ceilDiv(tensors.size(), files);
    for (int i = 0; i < files; i++) {
      String file = "model-%05d-of-%05d.safetensors".formatted(i + 1, files);
      List<Tensor> some =
          tensors.subList(
              Math.min(i * each, tensors.size()), Math.min((i + 1) * each, tensors.size()));
      write(directory.resolve(file), some);
      some.forEach(tensor -> places.add("\"%s\": \"%s\"".formatted(tensor.name(), file)));
    }
    String map = places.stream().collect(Collectors.joining(",\n  ", "{\n  ", "\n}"));
    Files.writeString(directory.resolve(Checkpoint.INDEX), "{\"weight_map\": %s}%n".formatted(map));
  }

  private static void write(Path file, List<Tensor> tensors) throws IOException {
    SafeTensorsWriter writer = new SafeTensorsWriter().metadata("format", "pt");
    tensors.forEach(t -> writer.add(t.name(), t.type(), t.shape(), t.source()));
    writer.write(file);
  }

  private void addAll() {
    long hidden = config.hidden();
    long queries = (long) config.heads() * config.headSize();
    long keys = (long) config.kvHeads() * config.headSize();
    long inner = config.intermediate();
    reals("model.embed_tokens.weight", List.of((long) config.vocabulary(), hidden), 0, 1);
    for (int layer = 0; layer < config.layers(); layer++) {
      String name = "model.layers." + layer + ".";
      norm(name + "input_layernorm", hidden);
      linear(name + "self_attn.q_proj", queries, hidden, config.inputBias());
      linear(name + "self_attn.k_proj", keys, hidden, config.inputBias());
      linear(name + "self_attn.v_proj", keys, hidden, config.inputBias());
      linear(name + "self_attn.o_proj", hidden, queries, config.outputBias());
      if (config.headNorms()) {
        norm(name + "self_attn.q_norm", config.headSize());
        norm(name + "self_attn.k_norm", config.headSize());
      }
      norm(name + "post_attention_layernorm", hidden);
      linear(name + "mlp.gate_proj", inner, hidden, false);
      linear(name + "mlp.up_proj", inner, hidden, false);
      linear(name + "mlp.down_proj", hidden, inner, false);
    }
    norm("model.norm", hidden);
    if (!config.tied()) {
      long tokens = config.vocabulary();
      reals("lm_head.weight", List.of(tokens, hidden), 0, 1 / Math.sqrt((double) hidden));
    }
  }

  private void norm(String name, long size) {
    reals(name + ".weight", List.of(size), 1, 0.1);
  }

  private void linear(String name, long outputs, long inputs, boolean hasBias) {
    double deviation = 1 / Math.sqrt((double) inputs);
    if (config.isInt8()) {
      add(
          name + ".weight",
          DType.I8,
          List.of(outputs, inputs),
          random -> random.nextInt(-127, 128));
      // Whole numbers from -127 to 127 deviate by 73.6.
      reals(name + ".weight_scale", List.of(outputs, 1L), deviation / 73.6, deviation / 736);
    } else {
      reals(name + ".weight", List.of(outputs, inputs), 0, deviation);
    }
    if (hasBias) {
      reals(name + ".bias", List.of(outputs), 0, 0.1);
    }
  }

  private void reals(String name, List<Long> shape, double mean, double deviation) {
    add(name, type, shape, random -> (float) random.nextGaussian(mean, deviation));
  }

  /** Something that draws an element. */
  private interface Draw {
    float next(SplittableRandom random);
  }

  private void add(String name, DType elements, List<Long> shape, Draw draw) {
    // Seeded by name, so that a tensor does not depend on those before it.
    SplittableRandom random = new SplittableRandom(seed ^ ((long) name.hashCode() << 32));
    tensors.add(new Tensor(name, elements, shape, (rows, first) -> fill(rows, random, draw)));
  }

  private static void fill(Matrix rows, SplittableRandom random, Draw draw) {
    for (long row = 0; row < rows.rows(); row++) {
      for (long column = 0; column < rows.columns(); column++) {
        rows.set(row, column, draw.next(random));
      }
    }
  }
}
