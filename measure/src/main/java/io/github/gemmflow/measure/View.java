// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

/** One way to time a linear layer. */
public enum View {
  /** The product in one piece, by the kernel alone. */
  GEMM("gemm", "product alone"),

  /** The operator, all of whose rows are there. */
  COMPUTE_ONLY("computeOnly", "compute only"),

  /** The rows travel, and nobody multiplies. */
  COMM_ONLY("commOnly", "communication only"),

  /** The rows travel, then they are multiplied. */
  SEQUENTIAL("sequential", "sequential"),

  /** The rows travel while they are multiplied. */
  PIPELINED("pipelined", "overlapped");

  private final String title;
  private final String words;

  View(String title, String words) {
    this.title = title;
    this.words = words;
  }

  /** Whether there is a product in it. */
  public boolean multiplies() {
    return this != COMM_ONLY;
  }

  /** What people call it. */
  public String words() {
    return words;
  }

  /** Its name in files. */
  @Override
  public String toString() {
    return title;
  }
}
