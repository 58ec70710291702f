// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.unpack;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Native library of an artifact, as a file. Java can only load files, so it is copied out of its
 * jar once, to a {@link UserDirectory}, where it serves all processes of this user.
 */
public final class UnpackedLibrary {
  private UnpackedLibrary() {}

  /**
   * Copies a library out of its jar, unless that has been done.
   *
   * @param cache the directory of all libraries; made, too
   * @param name what the library's own directory is called, before a checksum
   * @param library within its jar
   * @param companions what it loads from beside it
   * @throws SecurityException if another user can put something there
   */
  public static Path of(Path cache, String name, URL library, List<URL> companions)
      throws IOException {
    Path directory = UserDirectory.open(cache, name + "-" + checksum(library));
    for (URL companion : companions) {
      copy(companion, directory);
    }
    return copy(library, directory);
  }

  /** Another version of the library has another one. */
  private static String checksum(URL url) throws IOException {
    URLConnection connection = url.openConnection();
    return connection instanceof JarURLConnection jar
        ? Long.toHexString(jar.getJarEntry().getCrc())
        : Long.toHexString(connection.getContentLengthLong());
  }

  private static boolean isSame(URLConnection source, Path copy) throws IOException {
    if (Files.size(copy) != source.getContentLengthLong()) {
      return false;
    }
    return !(source instanceof JarURLConnection jar) || crc(copy) == jar.getJarEntry().getCrc();
  }

  private static long crc(Path file) throws IOException {
    CRC32 crc = new CRC32();
    try (FileChannel channel = FileChannel.open(file)) {
      crc.update(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
    }
    return crc.getValue();
  }

  /** Copies what is not there yet. Other processes that do the same end up with the same file. */
  private static Path copy(URL source, Path directory) throws IOException {
    String name = source.getPath().substring(source.getPath().lastIndexOf('/') + 1);
    Path target = directory.resolve(name);
    URLConnection connection = source.openConnection();
    if (Files.exists(target) && isSame(connection, target)) {
      return target;
    }
    Path part = Files.createTempFile(directory, name, ".part");
    try (InputStream in = connection.getInputStream()) {
      Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
    return target;
  }
}
