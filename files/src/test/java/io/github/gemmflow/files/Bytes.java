// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Files as bytes, well-formed or not. */
final class Bytes {
  /** As files are called in messages. */
  static final String NAME = "model.safetensors";

  private Bytes() {}

  /** A file with this header and so many bytes of data. */
  static byte[] file(String header, int dataBytes) {
    byte[] json = header.getBytes(UTF_8);
    return file(json.length, json, dataBytes);
  }

  /** A file that says that its header has so many bytes. */
  static byte[] file(long headerLength, byte[] header, int dataBytes) {
    return ByteBuffer.allocate(Long.BYTES + header.length + dataBytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(headerLength)
        .put(header)
        .array();
  }

  /** One tensor of a header. */
  static String tensor(String name, String type, String shape, long begin, long end) {
    return "\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]}"
        .formatted(name, type, shape, begin, end);
  }

  static SafeTensors open(byte[] file) {
    return new SafeTensors(NAME, MemorySegment.ofArray(file), Arena.ofConfined());
  }
}
