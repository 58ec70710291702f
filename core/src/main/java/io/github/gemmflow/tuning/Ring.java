// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/** Each domain forwards to the next one. */
final class Ring implements Schedule {
  @Override
  public String name() {
    return "ring";
  }

  @Override
  public int parts(int domains) {
    return 1;
  }

  @Override
  public int parent(int part, int distance, int domains) {
    return distance - 1;
  }

  @Override
  public String toString() {
    return name();
  }
}
