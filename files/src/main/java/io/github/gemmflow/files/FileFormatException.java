// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.Serial;

/**
 * Failure of reading a file that is damaged, or not of the format that it is read as. The message
 * names the file, what is wrong, and the value that was found.
 */
public final class FileFormatException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  FileFormatException(String file, String problem) {
    super(file + ": " + problem);
  }

  FileFormatException(String file, String problem, Throwable cause) {
    super(file + ": " + problem, cause);
  }
}
