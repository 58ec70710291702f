// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/**
 * The ranks of a group do not agree on what to do, or one of them cannot do it. All ranks of the
 * group throw it, with the field and both values, or with the reason of the rank that cannot go on.
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
