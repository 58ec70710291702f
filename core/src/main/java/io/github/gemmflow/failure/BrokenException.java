// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/**
 * The group was given up earlier, here or on another rank; the message carries the first reason.
 */
public final class BrokenException extends GemmflowException {
  @Serial private static final long serialVersionUID = 1;

  public BrokenException(String message) {
    super(message);
  }
}
