// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import io.github.gemmflow.text.TextStream;
import io.github.gemmflow.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Text into a model and out of it, as it comes. Not thread-safe. */
final class Text implements AutoCloseable {
  private final Path directory;
  private final @Nullable Tokenizer tokenizer;
  private final @Nullable TextStream stream;
  private final Consumer<String> out;

  private Text(Path directory, @Nullable Tokenizer tokenizer, Consumer<String> out) {
    this.directory = directory;
    this.tokenizer = tokenizer;
    this.stream = tokenizer == null ? null : new TextStream(tokenizer);
    this.out = out;
  }

  /** For a model, whether it has a tokenizer or not. */
  static Text of(Path directory, Consumer<String> out) throws IOException {
    return new Text(directory, Tokenizer.of(directory).orElse(null), out);
  }

  /** The tokens of a prompt. */
  int[] tokens(String prompt) {
    if (tokenizer == null) {
      throw new IllegalArgumentException(
          "%s has no tokenizer.json, so a prompt cannot be text: give token IDs in a file, --prompts FILE"
              .formatted(directory));
    }
    return tokenizer.encode(prompt);
  }

  /** Prints the text that one more token completes. */
  void print(int token) {
    if (stream != null) {
      out.accept(stream.add(token));
    }
  }

  /** Prints the rest. */
  void end() {
    if (stream != null) {
      out.accept(stream.end() + System.lineSeparator());
    }
  }

  @Override
  public void close() {
    if (tokenizer != null) {
      tokenizer.close();
    }
  }
}
