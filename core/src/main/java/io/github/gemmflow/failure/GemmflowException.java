// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/**
 * A failure that concerns more than the calling rank. All kinds are permitted here, so that a
 * caller can tell them apart completely.
 *
 * <p>{@link DisagreementException} from a set-up call leaves the group usable. After any other, or
 * after a disagreement inside a step, the group is broken: end the process and launch the job
 * again.
 */
public abstract sealed class GemmflowException extends RuntimeException
    permits DeadlineException, DisagreementException, EngineException, BrokenException {
  @Serial private static final long serialVersionUID = 1;

  GemmflowException(String message) {
    super(message);
  }

  GemmflowException(String message, Throwable cause) {
    super(message, cause);
  }
}
