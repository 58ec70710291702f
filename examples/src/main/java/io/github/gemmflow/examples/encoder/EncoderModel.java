// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.encoder;

import io.github.gemmflow.examples.checkpoint.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Weights and tokenizer of an encoder, in one jar: {@code *.onnx} and {@code *tokenizer.json}. */
final class EncoderModel implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final OnnxWeights weights;
  private final Tokenizer tokenizer;

  private EncoderModel(ZipFile jar) throws IOException {
    this.weights = OnnxWeights.read(ByteBuffer.wrap(bytes(jar, ".onnx")), arena);
    this.tokenizer = Tokenizer.read(bytes(jar, "tokenizer.json"));
  }

  static EncoderModel open(Path file) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      return new EncoderModel(jar);
    }
  }

  private static byte[] bytes(ZipFile jar, String end) throws IOException {
    ZipEntry entry =
        jar.stream()
            .filter(e -> e.getName().endsWith(end))
            .findFirst()
            .map(ZipEntry.class::cast)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "there is no *%s in %s".formatted(end, jar.getName())));
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  OnnxWeights weights() {
    return weights;
  }

  Tokenizer tokenizer() {
    return tokenizer;
  }

  @Override
  public void close() {
    tokenizer.close();
    arena.close();
  }
}
