// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.failure;

import java.io.Serial;

/** The engine that carries data between hosts failed, could not be had, or was told to abort. */
public final class EngineException extends GemmflowException {
  @Serial private static final long serialVersionUID = 1;

  public EngineException(String message) {
    super(message);
  }

  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
