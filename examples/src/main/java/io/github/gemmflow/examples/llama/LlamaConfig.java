// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The shape of a model, as Hugging Face's {@code config.json} has it.
 *
 * @param hidden the width of the residual stream
 * @param intermediate the width of the feed-forward part
 * @param heads the heads of queries
 * @param kvHeads the heads of keys and values, each shared by {@code heads / kvHeads} of queries
 * @param vocabulary the number of tokens
 * @param normEpsilon what a norm adds to the mean square
 * @param ropeTheta the base of the wavelengths of the rotary embedding
 */
record LlamaConfig(
    int hidden,
    int intermediate,
    int layers,
    int heads,
    int kvHeads,
    int vocabulary,
    float normEpsilon,
    double ropeTheta) {
  static final String FILE = "config.json";

  LlamaConfig {
    if (hidden < 1 || intermediate < 1 || layers < 1 || heads < 1 || kvHeads < 1) {
      throw new IllegalArgumentException(
          "a model cannot have %d layers of %d x %d with %d and %d heads"
              .formatted(layers, hidden, intermediate, heads, kvHeads));
    }
    if (hidden % (2 * heads) != 0 || heads % kvHeads != 0) {
      throw new IllegalArgumentException(
          "the hidden size must be an even number for each head, and the heads a multiple of the key-value heads, not %d, %d and %d"
              .formatted(hidden, heads, kvHeads));
    }
    if (vocabulary < 1) {
      throw new IllegalArgumentException("a model cannot have %d tokens".formatted(vocabulary));
    }
  }

  int headSize() {
    return hidden / heads;
  }

  /** Throws unless so many ranks can share the heads. */
  void checkRanks(int ranks) {
    if (kvHeads % ranks != 0) {
      throw new IllegalArgumentException(
          "%d ranks cannot share %d key-value heads evenly: run with a number of ranks that divides %d"
              .formatted(ranks, kvHeads, kvHeads));
    }
  }

  /** Reads the {@code config.json} of a model. */
  static LlamaConfig read(Path file) throws IOException {
    Map<String, String> fields = fields(file);
    // What would make a different model of it; absent, it is as in the first Llama.
    check(file, fields, "hidden_act", "silu");
    check(file, fields, "attention_bias", "false");
    check(file, fields, "mlp_bias", "false");
    check(file, fields, "rope_scaling", "null");
    check(file, fields, "rope_parameters", "null");
    int heads = get(file, fields, "num_attention_heads", "", Integer::parseInt);
    int hidden = get(file, fields, "hidden_size", "", Integer::parseInt);
    check(file, fields, "head_dim", Integer.toString(hidden / Math.max(1, heads)));
    return new LlamaConfig(
        hidden,
        get(file, fields, "intermediate_size", "", Integer::parseInt),
        get(file, fields, "num_hidden_layers", "", Integer::parseInt),
        heads,
        get(file, fields, "num_key_value_heads", Integer.toString(heads), Integer::parseInt),
        get(file, fields, "vocab_size", "", Integer::parseInt),
        get(file, fields, "rms_norm_eps", "1e-6", Float::parseFloat),
        get(file, fields, "rope_theta", "10000", Double::parseDouble));
  }

  /** The fields of the outermost object, as text. */
  private static Map<String, String> fields(Path file) throws IOException {
    Map<String, String> fields = new HashMap<>();
    try (JsonParser json =
        new JsonFactory().createParser(ObjectReadContext.empty(), Files.readAllBytes(file))) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException(file + " is not a JSON object");
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        boolean isScalar = json.nextToken().isScalarValue();
        fields.put(name, isScalar ? json.getString() : "more than a value");
        json.skipChildren();
      }
      return fields;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static void check(Path file, Map<String, String> fields, String name, String only) {
    String value = fields.getOrDefault(name, only);
    if (!value.equals(only) && !value.equals("null")) {
      throw new IllegalArgumentException(
          "%s: this example knows no models whose %s is %s, only %s"
              .formatted(file, name, value, only));
    }
  }

  private static <T> T get(
      Path file,
      Map<String, String> fields,
      String name,
      String otherwise,
      Function<String, T> parse) {
    String value = fields.getOrDefault(name, otherwise);
    try {
      return parse.apply(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: %s must be a number, not '%s'".formatted(file, name, value), e);
    }
  }

  /** Writes a {@code config.json}. */
  void write(Path file) throws IOException {
    Files.writeString(
        file,
        """
        {
          "architectures": ["LlamaForCausalLM"],
          "model_type": "llama",
          "hidden_act": "silu",
          "hidden_size": %d,
          "intermediate_size": %d,
          "num_hidden_layers": %d,
          "num_attention_heads": %d,
          "num_key_value_heads": %d,
          "vocab_size": %d,
          "rms_norm_eps": %s,
          "rope_theta": %s,
          "tie_word_embeddings": false
        }
        """
            .formatted(
                hidden, intermediate, layers, heads, kvHeads, vocabulary, normEpsilon, ropeTheta));
  }
}
