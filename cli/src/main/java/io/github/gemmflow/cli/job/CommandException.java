// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli;

import java.io.Serial;

/** Failure of a command that cannot go on, or whose answer is no; says why, to a person. */
final class CommandException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final ExitCode code;

  CommandException(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  ExitCode code() {
    return code;
  }
}
