// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.unpack.UnpackedLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Finder and loader of oneDNN: the library that was named, or the one in the artifact {@code
 * org.bytedeco:dnnl} for this platform.
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
    List<URL> companions =
        COMPANIONS.stream()
            .map(companion -> ClassLoader.getSystemResource(folder + companion))
            .filter(Objects::nonNull)
            .toList();
    try {
      return UnpackedLibrary.of(cache, "onednn", library, companions);
    } catch (SecurityException e) {
      throw new DnnlException(
          "%s, or name a library with -D%s=/path/to/%s"
              .formatted(e.getMessage(), PROPERTY, LIBRARY));
    } catch (IOException e) {
      throw new DnnlException(
          "oneDNN cannot be copied from %s to %s: %s. Set XDG_CACHE_HOME to a directory with 100 MB of free space, or copy it yourself and name it with -D%s"
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
}
