// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

/** Listener that is told how far something is that may take long. */
@FunctionalInterface
public interface Progress {
  /** Nobody wants to know. */
  Progress NONE = (what, done, total, unit) -> {};

  /** What is counted. */
  enum Unit {
    ROUNDS,
    ROWS,
    BYTES
  }

  /**
   * Something has come this far.
   *
   * @param what is being done, in a word or two
   * @param done how much of it
   * @param total how much there is to do
   */
  void at(String what, long done, long total, Unit unit);
}
