// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.checkpoint;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A model's own way from text to numbers of tokens and back: its {@code tokenizer.json}. */
public final class Tokenizer implements AutoCloseable {
  private static final String FILE = "tokenizer.json";

  /** Options for texts of any length: without them, a text is cut after 512 tokens, or padded. */
  private static final Map<String, String> WHOLE_TEXTS =
      Map.of("truncation", "false", "padding", "false");

  private final HuggingFaceTokenizer tokenizer;

  private Tokenizer(HuggingFaceTokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /** The tokenizer of a model, if it has one. */
  public static Optional<Tokenizer> of(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    return Files.exists(file)
        ? Optional.of(new Tokenizer(HuggingFaceTokenizer.newInstance(file, WHOLE_TEXTS)))
        : Optional.empty();
  }

  /** A tokenizer of which the {@code tokenizer.json} is in memory. */
  public static Tokenizer read(byte[] json) throws IOException {
    return new Tokenizer(
        HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), WHOLE_TEXTS));
  }

  /** What turns a conversation into text, a program in Jinja; empty if a model has none. */
  public static String chatTemplate(Path directory) throws IOException {
    Path file = directory.resolve("tokenizer_config.json");
    return Files.exists(file) ? Json.read(file).text("chat_template", "") : "";
  }

  /** The tokens of a text, all of it, with those that the model wants before it. */
  public int[] encode(String text) {
    // Numbers alone: DJL's Encoding has texts and places, too, in sixteen times as much memory.
    long encoding = TokenizersLibrary.LIB.encode(tokenizer.getHandle(), text, true);
    try {
      long[] tokens = TokenizersLibrary.LIB.getTokenIds(encoding);
      return Arrays.stream(tokens).mapToInt(Math::toIntExact).toArray();
    } finally {
      TokenizersLibrary.LIB.deleteEncoding(encoding);
    }
  }

  /** The text of tokens, without those that only mark something. */
  public String decode(List<Integer> tokens) {
    return tokenizer.decode(tokens.stream().mapToLong(Integer::longValue).toArray(), true);
  }

  @Override
  public void close() {
    tokenizer.close();
  }
}
