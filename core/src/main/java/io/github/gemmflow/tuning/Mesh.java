// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/** The origin sends to every other host itself, the next one first. */
final class Mesh implements Schedule {
  @Override
  public String name() {
    return "mesh";
  }

  @Override
  public int parts(int hosts) {
    return 1;
  }

  @Override
  public int parent(int part, int distance, int hosts) {
    return 0;
  }

  @Override
  public String toString() {
    return name();
  }
}
