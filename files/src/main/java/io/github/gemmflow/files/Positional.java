// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Writer of memory of any size to a place in a file. */
final class Positional {
  /** Bytes in one write, unless there are fewer. */
  static final long MOST_BYTES = 1 << 20;

  private Positional() {}

  /** Writes all of {@code bytes}; a full disk is an exception, as it would not be in a mapping. */
  static void write(FileChannel channel, long position, MemorySegment bytes) throws IOException {
    // A buffer has a 32-bit size, and one from the heap is copied as a whole by the channel.
    for (long offset = 0; offset < bytes.byteSize(); offset += MOST_BYTES) {
      long size = Math.min(MOST_BYTES, bytes.byteSize() - offset);
      ByteBuffer buffer = bytes.asSlice(offset, size).asByteBuffer();
      long at = position + offset;
      while (buffer.hasRemaining()) {
        at += channel.write(buffer, at);
      }
    }
  }
}
