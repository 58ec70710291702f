// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.files.SafeTensorsWriter;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.matrix.Matrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that writes a model of random weights, for those who have no other at hand. */
@Command(
    name = "random-checkpoint",
    description = "Writes a Llama model of random weights.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
final class RandomCheckpoint implements Callable<Integer> {
  @Option(names = "--out", required = true, paramLabel = "DIR", description = "where to")
  private Path out = Path.of("");

  @Option(names = "--layers", description = "decoder layers")
  private int layers = 4;

  @Option(names = "--hidden", description = "width of the residual stream")
  private int hidden = 1024;

  @Option(names = "--heads", description = "heads of queries")
  private int heads = 16;

  @Option(names = "--kv-heads", description = "heads of keys and values")
  private int kvHeads = 4;

  @Option(names = "--intermediate", description = "width of the feed-forward part")
  private int intermediate = 2816;

  @Option(names = "--vocab", description = "tokens")
  private int vocabulary = 2048;

  @Option(names = "--seed", description = "the same seed gives the same weights")
  private long seed = 1;

  @Option(names = "--type", description = "of the weights: BF16, F16 or F32")
  private DType type = DType.BF16;

  public static void main(String[] arguments) {
    System.exit(Program.of(new RandomCheckpoint()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException {
    write(
        out,
        new LlamaConfig(hidden, intermediate, layers, heads, kvHeads, vocabulary, 1e-5f, 10_000),
        type,
        seed);
    return 0;
  }

  /** Writes a model to a directory, which is made if need be. */
  static void write(Path directory, LlamaConfig config, DType type, long seed) throws IOException {
    if (!type.isReal()) {
      throw new IllegalArgumentException(
          "random weights are BF16, F16 or F32, not %s: Generate --type I8 rounds them"
              .formatted(type));
    }
    Files.createDirectories(directory);
    config.write(directory.resolve(LlamaConfig.FILE));
    new Tensors(new SafeTensorsWriter().metadata("format", "pt"), type, seed)
        .addAll(config)
        .write(directory.resolve("model.safetensors"));
  }

  /** The tensors of a model, scaled so that activations stay about 1. */
  private record Tensors(SafeTensorsWriter writer, DType type, long seed) {
    SafeTensorsWriter addAll(LlamaConfig config) {
      long hidden = config.hidden();
      long keys = (long) config.kvHeads() * config.headSize();
      long inner = config.intermediate();
      add("model.embed_tokens", List.of((long) config.vocabulary(), hidden), 0, 1);
      for (int layer = 0; layer < config.layers(); layer++) {
        String name = "model.layers." + layer + ".";
        norm(name + "input_layernorm", hidden);
        linear(name + "self_attn.q_proj", hidden, hidden);
        linear(name + "self_attn.k_proj", keys, hidden);
        linear(name + "self_attn.v_proj", keys, hidden);
        linear(name + "self_attn.o_proj", hidden, hidden);
        norm(name + "post_attention_layernorm", hidden);
        linear(name + "mlp.gate_proj", inner, hidden);
        linear(name + "mlp.up_proj", inner, hidden);
        linear(name + "mlp.down_proj", hidden, inner);
      }
      norm("model.norm", hidden);
      linear("lm_head", config.vocabulary(), hidden);
      return writer;
    }

    private void norm(String name, long size) {
      add(name, List.of(size), 1, 0.1);
    }

    private void linear(String name, long outputs, long inputs) {
      add(name, List.of(outputs, inputs), 0, 1 / Math.sqrt((double) inputs));
    }

    private void add(String name, List<Long> shape, double mean, double deviation) {
      // Seeded by name, so that a tensor does not depend on those before it.
      SplittableRandom random = new SplittableRandom(seed ^ ((long) name.hashCode() << 32));
      writer.add(
          name + ".weight", type, shape, (rows, first) -> fill(rows, random, mean, deviation));
    }

    private static void fill(Matrix rows, SplittableRandom random, double mean, double deviation) {
      for (long row = 0; row < rows.rows(); row++) {
        for (long column = 0; column < rows.columns(); column++) {
          rows.set(row, column, (float) random.nextGaussian(mean, deviation));
        }
      }
    }
  }
}
