// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

/**
 * Each shard goes both ways around the ring, to half of the domains each. If their number is even,
 * the farthest domain gets one half of the rows from one side and the other half from the other.
 */
final class TwoWayRing implements Schedule {
  @Override
  public String name() {
    return "two-way-ring";
  }

  @Override
  public int parts(int domains) {
    return domains % 2 == 0 ? 2 : 1;
  }

  @Override
  public int parent(int part, int distance, int domains) {
    boolean farthest = 2 * distance == domains;
    boolean forwards = farthest ? part == 0 : 2 * distance < domains;
    return forwards ? distance - 1 : (distance + 1) % domains;
  }

  @Override
  public String toString() {
    return name();
  }
}
