// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import io.github.gemmflow.unpack.UnpackedLibrary;
import io.github.gemmflow.unpack.UserDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;

/**
 * Loader of the tokenizer's native library, from where no other user can put one. DJL's own loader
 * takes whatever file is in its cache, which is below {@code /tmp} for a user without a home, and
 * loads two more libraries to find out about GPUs.
 */
final class TokenizerLibrary {
  private static boolean isLoaded;

  private TokenizerLibrary() {}

  /** Loads it, unless that has been done. */
  static synchronized void load() {
    if (!isLoaded) {
      load(unpack(UserDirectory.cache()));
      isLoaded = true;
    }
  }

  @SuppressWarnings("restricted") // native calls are what the library is for
  private static void load(Path library) {
    System.load(library.toString());
  }

  /** The library as a file. */
  static Path unpack(Path cache) {
    String name = "native/lib/linux-%s/cpu/libtokenizers.so".formatted(machine());
    URL library = ClassLoader.getSystemResource(name);
    if (library == null) {
      throw new IllegalArgumentException(
          "no tokenizer for this machine: ai.djl.huggingface:tokenizers has no " + name);
    }
    try {
      return UnpackedLibrary.of(cache, "tokenizers", library, List.of());
    } catch (SecurityException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the tokenizer's library cannot be copied from %s to %s: %s. Set XDG_CACHE_HOME to a directory with 20 MB of free space"
              .formatted(library, cache, e),
          e);
    }
  }

  /** The name of this machine in the artifact. */
  private static String machine() {
    String name = System.getProperty("os.arch");
    return name.equals("amd64") ? "x86_64" : name;
  }
}
