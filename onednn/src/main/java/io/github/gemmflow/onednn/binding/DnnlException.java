// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

/** oneDNN cannot be had, or cannot do what was asked. */
public final class DnnlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public DnnlException(String message) {
    super(message);
  }
}
