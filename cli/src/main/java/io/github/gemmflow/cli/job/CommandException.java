// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.io.Serial;

/** Failure of a command that cannot go on, or whose answer is no; says why, to a person. */
public final class CommandException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final ExitCode code;

  public CommandException(ExitCode code, String message) {
    super(message);
    this.code = code;
  }

  public ExitCode code() {
    return code;
  }
}
