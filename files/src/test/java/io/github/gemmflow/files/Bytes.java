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

  static final String NPY_NAME = "x.npy";

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

  /** A .npy file of version 1.0 with this header, padded as it should be. */
  static byte[] npy(String header, int dataBytes) {
    return npy(1, padded(header, 1), dataBytes);
  }

  /** A .npy file with these bytes for a header, padded or not. */
  static byte[] npy(int version, byte[] header, int dataBytes) {
    return npy(version, 0, header.length, header, dataBytes);
  }

  /** A .npy file that says that its header has so many bytes. */
  static byte[] npy(int major, int minor, long headerLength, byte[] header, int dataBytes) {
    ByteBuffer file =
        ByteBuffer.allocate(prefix(major) + header.length + dataBytes)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) 0x93)
            .put("NUMPY".getBytes(UTF_8))
            .put((byte) major)
            .put((byte) minor);
    if (major == 1) {
      file.putShort((short) headerLength);
    } else {
      file.putInt((int) headerLength);
    }
    return file.put(header).array();
  }

  private static int prefix(int version) {
    return 8 + (version == 1 ? 2 : 4);
  }

  /** A header with spaces and a newline after it, so that the data begins at a multiple of 64. */
  static byte[] padded(String header, int version) {
    int length = header.getBytes(UTF_8).length;
    int spaces = Math.floorMod(-prefix(version) - length - 1, 64);
    return (header + " ".repeat(spaces) + "\n").getBytes(UTF_8);
  }

  static MatrixFile openNpy(byte[] file) {
    return new MatrixFile(
        NPY_NAME, Npy.read(NPY_NAME, MemorySegment.ofArray(file)), Arena.ofConfined());
  }

  static SafeTensors open(byte[] file) {
    return new SafeTensors(NAME, MemorySegment.ofArray(file), Arena.ofConfined());
  }
}
