// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * Finder and loader of oneDNN: the library that was named, or the one in the artifact {@code
 * org.bytedeco:dnnl} for this platform. Java can only load files, so that one is copied out of its
 * jar once, to where it serves all processes of this user.
 *
 * @param name where it was found
 */
record Library(String name, SymbolLookup symbols) {
  /** Names the library, by path or as the system's loader knows it. */
  static final String PROPERTY = "gemmflow.onednn.library";

  /** The same for launchers, which forward the environment; the property wins. */
  static final String VARIABLE = "GEMMFLOW_ONEDNN_LIBRARY";

  private static final String LIBRARY = "libdnnl.so.3";

  /** What the library loads from beside it. */
  private static final List<String> COMPANIONS = List.of("libgomp.so.1");

  /**
   * Loads the library.
   *
   * @param forced a path, or a name that the system's loader knows; empty for the artifact's
   * @param cache where the copy is kept
   */
  static Library load(String forced, Path cache) {
    String place = forced.isEmpty() ? fromArtifact(cache).toString() : forced;
    return new Library(place, open(place));
  }

  @SuppressWarnings("restricted") // the native library that this module is for
  private static SymbolLookup open(String place) {
    try {
      return SymbolLookup.libraryLookup(place, Arena.global());
    } catch (IllegalCallerException e) {
      throw new DnnlException(
          "Java does not allow native calls here (%s). Start it with --enable-native-access=%s"
              .formatted(e.getMessage(), moduleName()));
    } catch (IllegalArgumentException e) {
      throw new DnnlException(
          "oneDNN cannot be loaded from %s: %s. It must be libdnnl.so, version 3, with the libraries that it needs (libgomp.so.1, libstdc++.so.6); -D%s=/path/to/%s names another one"
              .formatted(place, e.getMessage(), PROPERTY, LIBRARY));
    }
  }

  private static String moduleName() {
    String name = Library.class.getModule().getName();
    return name == null ? "ALL-UNNAMED" : name;
  }

  private static Path fromArtifact(Path cache) {
    String folder = "org/bytedeco/dnnl/" + platform() + "/";
    URL library = ClassLoader.getSystemResource(folder + LIBRARY);
    if (library == null) {
      throw new DnnlException(
          "oneDNN is not on the class path: %s was not found. Add the artifact org.bytedeco:dnnl with the classifier %s, or name a library with -D%s=/path/to/%s"
              .formatted(folder + LIBRARY, platform(), PROPERTY, LIBRARY));
    }
    try {
      Path directory = UserDirectory.open(cache, "onednn-" + checksum(library));
      for (String companion : COMPANIONS) {
        URL source = ClassLoader.getSystemResource(folder + companion);
        if (source != null) {
          copy(source, directory.resolve(companion));
        }
      }
      return copy(library, directory.resolve(LIBRARY));
    } catch (SecurityException e) {
      throw new DnnlException(
          "%s, or name a library with -D%s=/path/to/%s"
              .formatted(e.getMessage(), PROPERTY, LIBRARY));
    } catch (IOException e) {
      throw new DnnlException(
          "oneDNN cannot be copied from %s to %s: %s. Set XDG_CACHE_HOME to a directory with 100 MB to spare, or copy it yourself and name it with -D%s"
              .formatted(library, cache, e, PROPERTY));
    }
  }

  /** The name of this platform in the artifact, such as linux-x86_64. */
  private static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String machine = System.getProperty("os.arch");
    return "%s-%s"
        .formatted(
            system,
            switch (machine) {
              case "amd64" -> "x86_64";
              case "aarch64" -> "arm64";
              default -> machine;
            });
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
  private static Path copy(URL source, Path target) throws IOException {
    URLConnection connection = source.openConnection();
    if (Files.exists(target) && isSame(connection, target)) {
      return target;
    }
    Path part = Files.createTempFile(target.getParent(), target.getFileName().toString(), ".part");
    try (InputStream in = connection.getInputStream()) {
      Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(part);
    }
    return target;
  }
}
