// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.cli.job.ExitCode;
import io.github.gemmflow.cli.job.Subcommand;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.models.checkpoint.RandomWeights;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code random-checkpoint}: writes a model of random weights, to measure with. */
@Command(
    name = "random-checkpoint",
    header = "Writes a model of random weights, in Hugging Face's format.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    showDefaultValues = true)
public final class RandomCheckpointCommand extends Subcommand {
  @Option(
      names = "--out",
      required = true,
      paramLabel = "DIR",
      description = "directory to write to, created if missing")
  private Path out = Path.of("");

  @Option(names = "--family", description = "family: llama, mistral, qwen2 or qwen3")
  private String family = "llama";

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

  @Option(names = "--vocab", description = "number of tokens")
  private int vocabulary = 2048;

  @Option(names = "--seed", description = "the same seed gives the same weights")
  private long seed = 1;

  @Option(names = "--dtype", description = "type of the weights: BF16, F16, F32, or I8 with scales")
  private DType type = DType.BF16;

  @Option(names = "--files", description = "files to divide the weights among")
  private int files = 1;

  @Override
  public Integer call() throws IOException {
    RandomWeights.write(out, config(), type.isReal() ? type : DType.BF16, seed, files);
    return ExitCode.GOOD.number();
  }

  private String config() {
    String quantized =
        """
        ,
          "quantization_config": {
            "quant_method": "compressed-tensors",
            "format": "int-quantized",
            "ignore": ["lm_head"],
            "config_groups": {"group_0": {
              "targets": ["Linear"],
              "weights": {"num_bits": 8, "type": "int", "symmetric": true, "strategy": "channel"},
              "input_activations": {
                "num_bits": 8, "type": "int", "symmetric": true, "strategy": "token", "dynamic": true
              }
            }}
          }""";
    return """
    {
      "model_type": "%s",
      "hidden_act": "silu",
      "hidden_size": %d,
      "intermediate_size": %d,
      "num_hidden_layers": %d,
      "num_attention_heads": %d,
      "num_key_value_heads": %d,
      "vocab_size": %d,
      "rms_norm_eps": 1e-05,
      "rope_theta": 10000,
      "tie_word_embeddings": false%s
    }
    """
        .formatted(
            family,
            hidden,
            intermediate,
            layers,
            heads,
            kvHeads,
            vocabulary,
            type.isReal() ? "" : quantized);
  }
}
