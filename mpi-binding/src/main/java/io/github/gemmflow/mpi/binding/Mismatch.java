// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.mpi.binding;

/**
 * Reason why a launcher and a library do not belong together.
 *
 * @param what what is wrong
 * @param fix what to do about it
 */
public record Mismatch(String what, String fix) {
  @Override
  public String toString() {
    return what + ": " + fix;
  }
}
