// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file that one or several processes fill, under a name of its own until it is complete. */
final class PartialFile implements AutoCloseable {
  private static final String DENIED = "no permission to write there";

  private final Path target;
  private final Path partial;
  private final FileChannel channel;
  private final boolean created;

  /** Tells this file from another of the same name; null where files have none. */
  private final @Nullable Object key;

  private volatile boolean ended;

  private PartialFile(Path target, Path partial, FileChannel channel, boolean created)
      throws IOException {
    this.target = target;
    this.partial = partial;
    this.channel = channel;
    this.created = created;
    this.key = key(partial);
  }

  private static Path partial(Path target) {
    return target.resolveSibling("." + target.getFileName() + ".partial");
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Makes the file, of this length, with {@code header} at its start and zeros after it. */
  static PartialFile create(Path target, byte[] header, long length) throws IOException {
    Path partial = partial(target);
    if (Files.isDirectory(target)) {
      throw new FileSystemException(target.toString(), null, "is a directory, not a file");
    }
    try {
      Files.deleteIfExists(partial);
      FileChannel channel =
          FileChannel.open(partial, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      PartialFile file = opened(target, partial, channel, true);
      try {
        file.begin(header, length);
      } catch (IOException e) {
        file.close();
        throw e;
      }
      return file;
    } catch (IOException e) {
      throw FileErrors.inWords(target, e, "its directory does not exist", DENIED);
    }
  }

  private void begin(byte[] header, long length) throws IOException {
    Positional.write(channel, 0, MemorySegment.ofArray(header));
    if (length > header.length) {
      Positional.write(channel, length - 1, MemorySegment.ofArray(new byte[1]));
    }
    // Or other hosts could see a file that is shorter.
    channel.force(true);
  }

  /** Opens the file that another process has made the same way. */
  static PartialFile join(Path target, byte[] header, long length) throws IOException {
    Path partial = partial(target);
    try {
      FileChannel channel =
          FileChannel.open(partial, StandardOpenOption.READ, StandardOpenOption.WRITE);
      PartialFile file = opened(target, partial, channel, false);
      if (!file.begins(header) || channel.size() != length) {
        channel.close();
        throw new IllegalArgumentException(
            "%s: another process created it with another type or shape, or it is from an earlier run: all processes must give the same type and shape"
                .formatted(partial));
      }
      return file;
    } catch (IOException e) {
      throw FileErrors.inWords(
          partial,
          e,
          "another process should have created it, but it does not exist: use a directory that all hosts share, or write one file per rank",
          DENIED);
    }
  }

  private boolean begins(byte[] header) throws IOException {
    ByteBuffer found = ByteBuffer.allocate(header.length);
    while (found.hasRemaining() && channel.read(found, found.position()) >= 0) {}
    return found.flip().equals(ByteBuffer.wrap(header));
  }

  private static PartialFile opened(Path target, Path partial, FileChannel channel, boolean created)
      throws IOException {
    try {
      return new PartialFile(target, partial, channel, created);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  void write(long position, MemorySegment bytes) throws IOException {
    checkOpen();
    try {
      Positional.write(channel, position, bytes);
    } catch (IOException e) {
      throw FileErrors.inWords(partial, e, "it was removed", DENIED);
    }
  }

  /** Gives the file its name, once its content is on the disk. */
  void complete() throws IOException {
    checkOpen();
    if (!created) {
      throw new IllegalStateException(
          "%s: only the process that created it may complete it".formatted(partial));
    }
    try {
      channel.force(true);
      if (!isStillThere()) {
        throw new NoSuchFileException(partial.toString());
      }
      Files.move(
          partial, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      ended = true;
      channel.close();
    } catch (IOException e) {
      throw FileErrors.inWords(
          partial, e, "another process removed it, or writes the same file", DENIED);
    }
  }

  /** Whether the file of that name is this one: two may have been told to write the same. */
  private boolean isStillThere() throws IOException {
    try {
      return Objects.equals(key, key(partial));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private void checkOpen() {
    if (ended) {
      throw new IllegalStateException("%s: it is closed".formatted(partial));
    }
  }

  /** Removes the file if this has made and not completed it; else sees to it that all is stored. */
  @Override
  public void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    try (channel) {
      if (!created) {
        channel.force(true);
      } else if (isStillThere()) {
        Files.delete(partial);
      }
    }
  }

  @Override
  public String toString() {
    return partial.toString();
  }
}
