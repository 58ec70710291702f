// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/** Nothing moved for longer than the deadline; the message says what was missing and from whom. */
public final class DeadlineException extends GemmflowException {
  @Serial private static final long serialVersionUID = 1;

  public DeadlineException(String message) {
    super(message);
  }
}
