// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.encoder;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Fields of a message in Protocol Buffers' wire format, one after the other: enough to read a model
 * in ONNX.
 */
final class Protobuf {
  private final ByteBuffer bytes;
  private int field;
  private long number;
  private ByteBuffer content = ByteBuffer.allocate(0);

  Protobuf(ByteBuffer bytes) {
    this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Goes to the next field; returns false if there is none. */
  boolean next() {
    if (!bytes.hasRemaining()) {
      return false;
    }
    long key = variable();
    field = (int) (key >>> 3);
    switch ((int) key & 7) {
      case 0 -> number = variable();
      case 1 -> number = bytes.getLong();
      case 2 -> content = take(variable());
      case 5 -> number = bytes.getInt();
      default -> throw new IllegalArgumentException("this is not a Protocol Buffers message");
    }
    return true;
  }

  /** The number of the field. */
  int field() {
    return field;
  }

  /** Its value, if that is a number. */
  long number() {
    return number;
  }

  /** Its value, if that is a message. */
  Protobuf message() {
    return new Protobuf(content);
  }

  /** Its value, if that is bytes. */
  ByteBuffer content() {
    return content.slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Its value, if that is a text. */
  String text() {
    return StandardCharsets.UTF_8.decode(content.slice()).toString();
  }

  private ByteBuffer take(long length) {
    if (length < 0 || length > bytes.remaining()) {
      throw new IllegalArgumentException(
          "a field has %d bytes, but only %d are left: is the file complete?"
              .formatted(length, bytes.remaining()));
    }
    ByteBuffer taken = bytes.slice(bytes.position(), (int) length);
    bytes.position(bytes.position() + (int) length);
    return taken;
  }

  /** A number of seven bits to a byte, the lowest first. */
  private long variable() {
    long value = 0;
    for (int shift = 0; shift < 64 && bytes.hasRemaining(); shift += 7) {
      byte next = bytes.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number has no end: is the file complete?");
  }
}
