// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A random model for distributed-llama, with weights of four bits (Q40), which is what its users
 * have, and a tokenizer for which each letter is a token.
 */
final class DllamaFiles {
  private static final int MODEL = 0xA00ABCD;
  private static final int TOKENIZER = 0x567124;
  private static final int LLAMA = 0xABCD00;
  private static final int SILU = 1;
  private static final int Q40 = 2;

  private DllamaFiles() {}

  static void writeModel(Shape shape, int positions, Path file) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      BlockWriter writer = new BlockWriter(out);
      writer.bytes(
          header(
              MODEL,
              0,
              0, // version
              1,
              LLAMA,
              2,
              shape.hidden,
              3,
              shape.intermediate,
              4,
              shape.layers,
              5,
              shape.heads,
              6,
              shape.kvHeads,
              7,
              0, // experts
              8,
              0,
              9,
              shape.vocabulary,
              10,
              positions,
              11,
              SILU,
              12,
              10_000, // the base of the rotary embedding
              13,
              Q40));
      writer.floats((long) shape.vocabulary * shape.hidden, 0, 1);
      for (int layer = 0; layer < shape.layers; layer++) {
        writer.fourBits(shape.hidden, shape.hidden);
        writer.fourBits(shape.keys(), shape.hidden);
        writer.fourBits(shape.keys(), shape.hidden);
        writer.fourBits(shape.hidden, shape.hidden);
        writer.fourBits(shape.intermediate, shape.hidden);
        writer.fourBits(shape.hidden, shape.intermediate);
        writer.fourBits(shape.intermediate, shape.hidden);
        writer.floats(shape.hidden, 1, 0.1);
        writer.floats(shape.hidden, 1, 0.1);
      }
      writer.floats(shape.hidden, 1, 0.1);
      writer.fourBits(shape.vocabulary, shape.hidden);
    }
  }

  static void writeTokenizer(Shape shape, Path file) throws IOException {
    // The tokens from that of the beginning on are special ones.
    int begin = shape.vocabulary - 2;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      out.write(header(TOKENIZER, 3, begin, 0, 1, 1, shape.vocabulary, 2, 8, 9, 1, 10, 1));
      out.write(little(Integer.BYTES).putInt(begin + 1).array());
      for (int token = 0; token < shape.vocabulary; token++) {
        byte[] text = text(token, begin).getBytes(StandardCharsets.US_ASCII);
        out.write(little(2 * Integer.BYTES).putFloat(-token).putInt(text.length).array());
        out.write(text);
      }
    }
  }

  private static String text(int token, int begin) {
    if (token < Task.LETTERS.length()) {
      return Task.LETTERS.substring(token, token + 1);
    }
    return token < begin ? "#" + Integer.toString(token, 36) : token == begin ? "<s>" : "</s>";
  }

  /** A mark, the length, and pairs of a key and a value. */
  private static byte[] header(int mark, int... pairs) {
    byte[] bytes = new byte[Integer.BYTES * (2 + pairs.length)];
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    header.putInt(mark).putInt(bytes.length);
    for (int number : pairs) {
      header.putInt(number);
    }
    return bytes;
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
