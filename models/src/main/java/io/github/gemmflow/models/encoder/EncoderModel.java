// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Encoder in one jar: its weights, {@code *.onnx}, and its {@code *tokenizer.json}. */
public final class EncoderModel implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private final OnnxWeights weights;
  private final byte[] tokenizer;

  private EncoderModel(ZipFile jar) throws IOException {
    this.weights = OnnxWeights.read(ByteBuffer.wrap(bytes(jar, ".onnx")), arena);
    this.tokenizer = bytes(jar, "tokenizer.json");
  }

  /** Opens one; its weights are in memory until it is closed. */
  public static EncoderModel open(Path file) throws IOException {
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
                () -> new IllegalArgumentException("no *%s in %s".formatted(end, jar.getName())));
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  public OnnxWeights weights() {
    return weights;
  }

  /** What turns sentences into its tokens, as Hugging Face's tokenizers read it. */
  public byte[] tokenizer() {
    return tokenizer.clone();
  }

  @Override
  public void close() {
    arena.close();
  }
}
