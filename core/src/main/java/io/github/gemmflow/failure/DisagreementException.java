// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/**
 * The ranks of a group do not agree on what to do, or one of them cannot do it. From a set-up call
 * all ranks of the group throw it, with the field and both values, or with the reason of the rank
 * that cannot go on. In a step the rank that notices throws it, and the others {@link
 * BrokenException} with the same reason, at the latest in one of their next two steps.
 */
public final class DisagreementException extends GemmflowException {
  @Serial private static final long serialVersionUID = 1;

  public DisagreementException(String message) {
    super(message);
  }

  public DisagreementException(String message, Throwable cause) {
    super(message, cause);
  }
}
