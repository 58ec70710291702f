// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.github.gemmflow.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A model's own way from text to numbers of tokens and back: its {@code tokenizer.json}, read by
 * Hugging Face's native library. Of DJL, which brings that, only the native calls are used: DJL's
 * own tokenizer asks the network which machine this is, and tells its maker. Thread-safe.
 */
public final class Tokenizer implements AutoCloseable {
  private static final String FILE = "tokenizer.json";
  private static final TokenizersLibrary LIBRARY = TokenizersLibrary.LIB;
  private static final long CLOSED = 0;

  private final AtomicLong handle;

  private Tokenizer(String json) {
    TokenizerLibrary.load();
    this.handle = new AtomicLong(LIBRARY.createTokenizerFromString(json));
    // Texts are never cut or filled up, whatever the file says.
    LIBRARY.disableTruncation(handle());
    LIBRARY.disablePadding(handle());
  }

  /** The tokenizer of a model, if it has one. */
  public static Optional<Tokenizer> of(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    return Files.exists(file)
        ? Optional.of(new Tokenizer(Files.readString(file)))
        : Optional.empty();
  }

  /** A tokenizer of which the {@code tokenizer.json} is in memory. */
  public static Tokenizer read(byte[] json) {
    return new Tokenizer(new String(json, StandardCharsets.UTF_8));
  }

  /** What turns a conversation into text, a program in Jinja; empty if a model has none. */
  public static String chatTemplate(Path directory) throws IOException {
    Path file = directory.resolve("tokenizer_config.json");
    return Files.exists(file) ? JsonObject.read(file).text("chat_template", "") : "";
  }

  /** Texts that are special tokens of a model, such as the end of a text, wherever they are. */
  public static List<String> marks(Path directory) throws IOException {
    return JsonObject.read(directory.resolve(FILE)).objects("added_tokens").stream()
        .filter(token -> token.flag("special"))
        .map(token -> token.text("content", ""))
        .filter(text -> !text.isEmpty())
        .toList();
  }

  /** The tokens of a text, all of it, with those that the model wants before it. */
  public int[] encode(String text) {
    long encoding = LIBRARY.encode(handle(), text, true);
    try {
      // Numbers alone: texts and places, which there are too, take sixteen times as much memory.
      long[] tokens = LIBRARY.getTokenIds(encoding);
      return Arrays.stream(tokens).mapToInt(Math::toIntExact).toArray();
    } finally {
      LIBRARY.deleteEncoding(encoding);
    }
  }

  /** The text of tokens, without those that only mark something. */
  public String decode(List<Integer> tokens) {
    return LIBRARY.decode(handle(), tokens.stream().mapToLong(Integer::longValue).toArray(), true);
  }

  private long handle() {
    long value = handle.get();
    if (value == CLOSED) {
      throw new IllegalStateException("the tokenizer is closed");
    }
    return value;
  }

  @Override
  public void close() {
    long value = handle.getAndSet(CLOSED);
    if (value != CLOSED) {
      LIBRARY.deleteTokenizer(value);
    }
  }
}
