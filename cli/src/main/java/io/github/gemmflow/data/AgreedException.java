// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.data;

import java.io.Serial;

/** What one rank cannot do, and all ranks know: each of them throws this. */
public final class AgreedException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1;

  AgreedException(String message) {
    super(message);
  }
}
