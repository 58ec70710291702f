// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

/** One way to time a linear layer. */
public enum View {
  /** The product in one piece, by the kernel alone. */
  GEMM("gemm"),

  /** The operator, all of whose rows are there. */
  COMPUTE_ONLY("computeOnly"),

  /** The rows travel, and nobody multiplies. */
  COMM_ONLY("commOnly"),

  /** The rows travel, then they are multiplied. */
  SEQUENTIAL("sequential"),

  /** The rows travel while they are multiplied. */
  PIPELINED("pipelined");

  private final String title;

  View(String title) {
    this.title = title;
  }

  /** Its name in tables and files. */
  @Override
  public String toString() {
    return title;
  }
}
