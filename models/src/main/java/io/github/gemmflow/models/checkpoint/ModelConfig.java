// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.checkpoint;

import io.github.gemmflow.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The shape of a decoder, as Hugging Face's {@code config.json} has it: Llama, Mistral, Qwen 2 and
 * 3. What it says beyond that would make another model of it, and is refused by its name.
 *
 * @param hidden the width of the residual stream
 * @param intermediate the width of the feed-forward part
 * @param heads the heads of queries
 * @param kvHeads the heads of keys and values, each shared by {@code heads / kvHeads} of queries
 * @param vocabulary the number of tokens
 * @param positions the most tokens of a text
 * @param window how many tokens back a token can look, itself included
 * @param normEpsilon what a norm adds to the mean square
 * @param rotary how positions enter queries and keys
 * @param inputBias whether products that make queries, keys and values have a bias
 * @param outputBias whether the product that follows the attention has one
 * @param headNorms whether each head of queries and keys is normed
 * @param tied whether the last product has the weights of the embedding
 * @param isInt8 whether weights are int8, with a scale for each output
 * @param family the name of the kind of model
 * @param ends tokens that end a text
 */
public record ModelConfig(
    String family,
    int hidden,
    int intermediate,
    int layers,
    int heads,
    int kvHeads,
    int headSize,
    int vocabulary,
    int positions,
    int window,
    float normEpsilon,
    RotaryConfig rotary,
    boolean inputBias,
    boolean outputBias,
    boolean headNorms,
    boolean tied,
    boolean isInt8,
    List<Integer> ends) {
  public static final String FILE = "config.json";

  public ModelConfig {
    if (hidden < 1 || intermediate < 1 || layers < 1 || heads < 1 || kvHeads < 1 || headSize < 1) {
      throw new IllegalArgumentException(
          "a model cannot have %d layers of %d x %d with %d and %d heads of %d"
              .formatted(layers, hidden, intermediate, heads, kvHeads, headSize));
    }
    if (headSize % 2 != 0 || heads % kvHeads != 0) {
      throw new IllegalArgumentException(
          "the size of a head must be even, and the heads a multiple of the key-value heads, not %d, %d and %d"
              .formatted(headSize, heads, kvHeads));
    }
    if (vocabulary < 1 || positions < 1 || window < 1) {
      throw new IllegalArgumentException(
          "a model cannot have %d tokens, sequences of %d and a window of %d"
              .formatted(vocabulary, positions, window));
    }
    ends = List.copyOf(ends);
  }

  /** How many heads of queries share one of keys and values. */
  public int sharing() {
    return heads / kvHeads;
  }

  /** Reads the {@code config.json} of a model. */
  public static ModelConfig read(Path file) throws IOException {
    return of(JsonObject.read(file));
  }

  static ModelConfig of(JsonObject json) {
    String family = json.text("model_type", "llama");
    boolean isQwen2 = family.equals("qwen2");
    boolean isQwen3 = family.equals("qwen3");
    if (!isQwen2 && !isQwen3 && !family.equals("llama") && !family.equals("mistral")) {
      throw new IllegalArgumentException(
          "%s: model_type %s is not supported; supported: llama, mistral, qwen2 and qwen3"
              .formatted(json.name(), family));
    }
    json.only("hidden_act", "silu");
    json.only("mlp_bias", "false");
    json.only("use_sliding_window", "false");
    boolean bias = json.flag("attention_bias");
    int heads = json.integer("num_attention_heads");
    int hidden = json.integer("hidden_size");
    // Qwen has the width of a window that it does not use.
    int window = family.equals("mistral") ? json.integer("sliding_window", Integer.MAX_VALUE) : 0;
    return new ModelConfig(
        family,
        hidden,
        json.integer("intermediate_size"),
        json.integer("num_hidden_layers"),
        heads,
        json.integer("num_key_value_heads", heads),
        json.integer("head_dim", hidden / Math.max(1, heads)),
        json.integer("vocab_size"),
        json.integer("max_position_embeddings", Integer.MAX_VALUE),
        window == 0 ? Integer.MAX_VALUE : window,
        (float) json.number("rms_norm_eps", 1e-6),
        RotaryConfig.of(json),
        isQwen2 || bias,
        bias && !isQwen2,
        isQwen3,
        json.flag("tie_word_embeddings"),
        Quantization.isInt8(json.object("quantization_config")),
        json.integers("eos_token_id"));
  }
}
