// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/** Each host forwards to the next one. */
final class Ring implements Schedule {
  @Override
  public String name() {
    return "ring";
  }

  @Override
  public int parts(int hosts) {
    return 1;
  }

  @Override
  public int parent(int part, int distance, int hosts) {
    return distance - 1;
  }

  @Override
  public String toString() {
    return name();
  }
}
