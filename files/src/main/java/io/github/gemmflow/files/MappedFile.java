// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files as memory. */
final class MappedFile {
  private MappedFile() {}

  /**
   * Maps a file, read-only.
   *
   * @throws IOException if it cannot be read; the message says which file, and why
   */
  static MemorySegment map(Path file, Arena arena) throws IOException {
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new UnsupportedOperationException(
          "%s: its elements are little-endian and are used in place, which this machine cannot do"
              .formatted(file));
    }
    // To open a pipe would wait for somebody to write to it.
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new FileSystemException(
          file.toString(),
          null,
          "is %s, not a file"
              .formatted(Files.isDirectory(file) ? "a directory" : "a device or a pipe"));
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      return channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (IOException e) {
      throw FileErrors.inWords(file, e, "no such file", "no permission to read it");
    }
  }
}
