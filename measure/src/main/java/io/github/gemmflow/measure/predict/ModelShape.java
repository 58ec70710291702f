// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.json.JsonTree;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Shape of a decoder, as its {@code config.json} has it.
 *
 * @param headSize columns of a head
 */
public record ModelShape(
    long layers,
    long hidden,
    long intermediate,
    long heads,
    long kvHeads,
    long headSize,
    long vocabulary) {
  /**
   * Reads it.
   *
   * @throws IllegalArgumentException if the file has something else in it
   */
  public static ModelShape read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new IOException("no such file: %s; give the config.json of a model".formatted(file), e);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "%s is not text in UTF-8: give the config.json of a model".formatted(file), e);
    }
    Map<String, Object> fields;
    try {
      fields = JsonTree.object(JsonTree.read(text));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "%s is not the config.json of a model: %s".formatted(file, e.getMessage()), e);
    }
    long heads = number(file, fields, "num_attention_heads", 0);
    long hidden = number(file, fields, "hidden_size", 0);
    return new ModelShape(
        number(file, fields, "num_hidden_layers", 0),
        hidden,
        number(file, fields, "intermediate_size", 0),
        heads,
        number(file, fields, "num_key_value_heads", heads),
        number(file, fields, "head_dim", hidden / Math.max(1, heads)),
        number(file, fields, "vocab_size", 0));
  }

  private static long number(Path file, Map<String, Object> fields, String name, long otherwise) {
    Object value = fields.get(name);
    long number = value instanceof Number given ? given.longValue() : otherwise;
    if (number < 1) {
      throw new IllegalArgumentException(
          "%s has no %s: is it the config.json of a decoder such as Llama, Mistral or Qwen?"
              .formatted(file, name));
    }
    return number;
  }

  /** All weights of linear layers. */
  long parameters() {
    long attention = hidden * headSize * 2 * (heads + kvHeads);
    return layers * (attention + 3 * hidden * intermediate) + hidden * vocabulary;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d layers of %d x %d, %d heads (%d of keys), vocabulary %d: %.3g billion parameters",
        layers,
        hidden,
        intermediate,
        heads,
        kvHeads,
        vocabulary,
        parameters() / 1e9);
  }
}
