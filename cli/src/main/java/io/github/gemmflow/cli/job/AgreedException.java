// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.job;

import java.io.Serial;

/** Failure of one rank that all ranks know of: each of them throws this. */
public final class AgreedException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  public AgreedException(String message) {
    super(message);
  }
}
