// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

/** Native calls declare to throw anything and throw nothing checked. */
final class Unchecked {
  private Unchecked() {}

  static RuntimeException of(Throwable e) {
    if (e instanceof RuntimeException unchecked) {
      return unchecked;
    }
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("a native call throws nothing checked", e);
  }
}
