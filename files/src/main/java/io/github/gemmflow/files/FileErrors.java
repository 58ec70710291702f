// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Errors of files, in words: the JDK often gives the name of the file, and no more. */
final class FileErrors {
  private FileErrors() {}

  /**
   * The same error with a message that says which file and what is wrong with it.
   *
   * @param missing what to say if there is no such file
   * @param denied what to say if this user may not
   */
  static IOException inWords(Path file, IOException e, String missing, String denied) {
    String name = file.toString();
    if (e instanceof NoSuchFileException) {
      return because(e, new NoSuchFileException(name, null, missing));
    }
    if (e instanceof AccessDeniedException) {
      return because(e, new AccessDeniedException(name, null, denied));
    }
    return because(e, new FileSystemException(name, null, reason(e)));
  }

  private static String reason(IOException e) {
    @Nullable String reason =
        e instanceof FileSystemException inFileSystem ? inFileSystem.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }

  private static IOException because(IOException cause, IOException e) {
    e.initCause(cause);
    return e;
  }
}
