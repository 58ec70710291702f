// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

/** Native calls declare to throw anything and throw nothing checked. */
final class Unchecked {
  private Unchecked() {}

  static RuntimeException of(Throwable e) {
    return switch (e) {
      case RuntimeException unchecked -> unchecked;
      case Error error -> throw error;
      default -> new IllegalStateException("a native call throws nothing checked", e);
    };
  }
}
