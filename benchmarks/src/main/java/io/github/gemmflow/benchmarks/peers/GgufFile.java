// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A random model for llama.cpp, in GGUF: weights of four or eight bits (Q4_0, Q8_0), no tokenizer.
 */
final class GgufFile {
  private static final int F32 = 0;
  private static final int Q4_0 = 2;
  private static final int Q8_0 = 8;
  private static final int ALIGNMENT = 32;

  private final Shape shape;
  private final boolean hasFourBits;
  private final List<Tensor> tensors = new ArrayList<>();

  /** A tensor; a norm has no inputs. */
  private record Tensor(String name, long outputs, long inputs) {
    boolean isNorm() {
      return inputs == 0;
    }
  }

  private GgufFile(Shape shape, boolean hasFourBits) {
    this.shape = shape;
    this.hasFourBits = hasFourBits;
    add("token_embd", shape.vocabulary, shape.hidden);
    for (int layer = 0; layer < shape.layers; layer++) {
      String name = "blk." + layer + ".";
      add(name + "attn_norm", shape.hidden, 0);
      add(name + "attn_q", shape.hidden, shape.hidden);
      add(name + "attn_k", shape.keys(), shape.hidden);
      add(name + "attn_v", shape.keys(), shape.hidden);
      add(name + "attn_output", shape.hidden, shape.hidden);
      add(name + "ffn_norm", shape.hidden, 0);
      add(name + "ffn_gate", shape.intermediate, shape.hidden);
      add(name + "ffn_up", shape.intermediate, shape.hidden);
      add(name + "ffn_down", shape.hidden, shape.intermediate);
    }
    add("output_norm", shape.hidden, 0);
    add("output", shape.vocabulary, shape.hidden);
  }

  private void add(String name, long outputs, long inputs) {
    tensors.add(new Tensor(name + ".weight", outputs, inputs));
  }

  static void write(Shape shape, boolean hasFourBits, int positions, Path file) throws IOException {
    new GgufFile(shape, hasFourBits).write(positions, file);
  }

  private void write(int positions, Path file) throws IOException {
    byte[] header = header(positions);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      BlockWriter writer = new BlockWriter(out);
      writer.bytes(header);
      writer.bytes(new byte[padding(header.length)]);
      for (Tensor tensor : tensors) {
        long before = writer.written();
        if (tensor.isNorm()) {
          writer.floats(tensor.outputs(), 1, 0.1);
        } else if (hasFourBits) {
          writer.fourBits(tensor.outputs(), tensor.inputs());
        } else {
          writer.eightBits(tensor.outputs(), tensor.inputs());
        }
        writer.bytes(new byte[padding(writer.written() - before)]);
      }
    }
  }

  private byte[] header(int positions) {
    Little header = new Little();
    List<Runnable> values = new ArrayList<>();
    values.add(() -> header.text("general.architecture", "llama"));
    values.add(() -> header.text("tokenizer.ggml.model", "none"));
    values.add(() -> header.number("llama.vocab_size", shape.vocabulary));
    values.add(() -> header.number("llama.context_length", positions));
    values.add(() -> header.number("llama.embedding_length", shape.hidden));
    values.add(() -> header.number("llama.block_count", shape.layers));
    values.add(() -> header.number("llama.feed_forward_length", shape.intermediate));
    values.add(() -> header.number("llama.rope.dimension_count", shape.headSize()));
    values.add(() -> header.number("llama.attention.head_count", shape.heads));
    values.add(() -> header.number("llama.attention.head_count_kv", shape.kvHeads));
    values.add(() -> header.real("llama.attention.layer_norm_rms_epsilon", 1e-5f));
    header.bytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    header.i32(3);
    header.i64(tensors.size());
    header.i64(values.size());
    values.forEach(Runnable::run);
    long offset = 0;
    for (Tensor tensor : tensors) {
      header.string(tensor.name());
      header.i32(tensor.isNorm() ? 1 : 2);
      if (!tensor.isNorm()) {
        header.i64(tensor.inputs());
      }
      header.i64(tensor.outputs());
      header.i32(tensor.isNorm() ? F32 : hasFourBits ? Q4_0 : Q8_0);
      header.i64(offset);
      long bytes = bytes(tensor);
      offset += bytes + padding(bytes);
    }
    return header.toBytes();
  }

  private long bytes(Tensor tensor) {
    return tensor.isNorm()
        ? tensor.outputs() * Float.BYTES
        : tensor.outputs() * tensor.inputs() / BlockWriter.BLOCK * (hasFourBits ? 18 : 34);
  }

  private static int padding(long bytes) {
    return (int) (-bytes & (ALIGNMENT - 1));
  }

  /** Numbers and texts, the lowest byte first. */
  private static final class Little {
    private static final int UINT32 = 4;
    private static final int FLOAT32 = 6;
    private static final int STRING = 8;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    void bytes(byte[] values) {
      out.writeBytes(values);
    }

    void i32(int value) {
      bytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array());
    }

    void i64(long value) {
      bytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array());
    }

    void string(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      i64(utf8.length);
      bytes(utf8);
    }

    void text(String key, String value) {
      string(key);
      i32(STRING);
      string(value);
    }

    void number(String key, int value) {
      string(key);
      i32(UINT32);
      i32(value);
    }

    void real(String key, float value) {
      string(key);
      i32(FLOAT32);
      i32(Float.floatToIntBits(value));
    }

    byte[] toBytes() {
      return out.toByteArray();
    }
  }
}
