// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Each shard goes both ways around the ring, to half of the hosts each. If their number is even,
 * the farthest host gets one half of the rows from one side and the other half from the other.
 */
final class TwoWayRing implements Schedule {
  @Override
  public String name() {
    return "two-way-ring";
  }

  @Override
  public int parts(int hosts) {
    return hosts % 2 == 0 ? 2 : 1;
  }

  @Override
  public int parent(int part, int distance, int hosts) {
    boolean farthest = 2 * distance == hosts;
    boolean forwards = farthest ? part == 0 : 2 * distance < hosts;
    return forwards ? distance - 1 : (distance + 1) % hosts;
  }

  @Override
  public String toString() {
    return name();
  }
}
