// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.window;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The windows that still have a name. A process that is told to end while others look for its
 * window removes the name, which nobody else would: the memory would stay taken until the host
 * restarts.
 */
final class LinkedFiles {
  private static final Set<Path> FILES = new HashSet<>();
  private static boolean ending;

  static {
    Thread atExit = Thread.ofPlatform().name("gemmflow-unlink").unstarted(LinkedFiles::end);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  private LinkedFiles() {}

  /** Before a file is made. */
  static synchronized void add(Path file) {
    if (ending) {
      throw new IllegalStateException("this process is shutting down: it cannot share more memory");
    }
    FILES.add(file);
  }

  /** A file that was not made after all. */
  static synchronized void forget(Path file) {
    FILES.remove(file);
  }

  static synchronized void delete(Path file) throws IOException {
    FILES.remove(file);
    Files.deleteIfExists(file);
  }

  private static synchronized void end() {
    ending = true;
    for (Path file : FILES) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // The next file may fare better, and there is nobody left to tell.
      }
    }
  }
}
