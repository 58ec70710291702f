// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * Memory that several processes of one host map: a file that lives in memory, has a random name,
 * and is unlinked as soon as everyone has it. One process creates it, the others open it by name.
 */
public final class Window implements AutoCloseable {
  /** Where windows are made: a file system in memory where there is one. */
  public static final Path DEFAULT_DIRECTORY =
      Files.isDirectory(Path.of("/dev/shm"))
          ? Path.of("/dev/shm")
          : Path.of(System.getProperty("java.io.tmpdir"));

  /** Every window's file name starts like this. */
  public static final String PREFIX = "gemmflow-";

  private static final int RESERVE_STEP = 1 << 20;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Path file;
  private final Arena arena;
  private final MemorySegment memory;

  private Window(Path file, Arena arena, MemorySegment memory) {
    this.file = file;
    this.arena = arena;
    this.memory = memory;
  }

  /** A part of a name that nobody else has; it starts with the number of this process. */
  public static String newToken() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return ProcessHandle.current().pid() + "-" + HexFormat.of().formatHex(bytes);
  }

  /** The name of a window: no two islands, and no two tokens, have the same. */
  public static String name(String island, String token) {
    return PREFIX + island + token;
  }

  /**
   * Creates a window full of zeros, readable and writable by this user only. Its pages are reserved
   * now: a file system without room for them is an exception here, not a fault at the first access.
   *
   * @throws UncheckedIOException if it cannot be made; the message says how to fix it
   */
  public static Window create(Path directory, String name, long bytes) {
    Path file = directory.resolve(name);
    if (!Files.isDirectory(directory)) {
      throw new UncheckedIOException(
          new FileNotFoundException(
              "the directory %s for shared memory does not exist: choose another with -Dgemmflow.window.directory"
                  .formatted(directory)));
    }
    LinkedFiles.add(file);
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(CREATE_NEW, READ, WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      checkRoom(directory, bytes);
      reserve(channel, bytes);
      return map(file, channel, bytes);
    } catch (FileAlreadyExistsException e) {
      // Somebody else's, and no business of ours.
      LinkedFiles.forget(file);
      throw new UncheckedIOException("%s already exists".formatted(file), e);
    } catch (RuntimeException | Error e) {
      delete(file);
      throw e;
    } catch (IOException e) {
      delete(file);
      throw new UncheckedIOException(
          "cannot allocate %,d bytes of shared memory in %s: %s. Make that file system larger (docker: --shm-size;"
                  .formatted(bytes, directory, e.getMessage())
              + " Kubernetes: an emptyDir with medium Memory), choose another with"
              + " -Dgemmflow.window.directory, or open a smaller workspace",
          e);
    }
  }

  private static void checkRoom(Path directory, long bytes) throws IOException {
    long room = Files.getFileStore(directory).getUsableSpace();
    if (room < bytes) {
      throw new IOException("only %,d bytes are free".formatted(room));
    }
  }

  /** Writing, unlike mapping, reports a full file system as an error. */
  private static void reserve(FileChannel channel, long bytes) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(RESERVE_STEP, bytes));
    for (long done = 0; done < bytes; ) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - done));
      done += channel.write(zeros, done);
    }
  }

  /** Maps a window that another process, or another rank of this one, created. */
  public static Window open(Path directory, String name, long bytes) {
    Path file = directory.resolve(name);
    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      if (channel.size() != bytes) {
        throw new IOException("it has %,d bytes".formatted(channel.size()));
      }
      return map(file, channel, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot open %,d bytes of shared memory at %s: %s".formatted(bytes, file, e), e);
    }
  }

  private static Window map(Path file, FileChannel channel, long bytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new Window(file, arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena));
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** The window's bytes, aligned to a page. Using them after {@link #close} throws. */
  public MemorySegment memory() {
    return memory;
  }

  /** Removes the name; the memory lives on until the last mapping is gone. */
  public void unlink() {
    delete(file);
  }

  private static void delete(Path file) {
    try {
      LinkedFiles.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + file, e);
    }
  }

  /** Unmaps the window; other processes keep theirs. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
