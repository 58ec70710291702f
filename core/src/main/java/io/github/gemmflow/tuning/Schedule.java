// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import java.util.List;

/**
 * Schedule by which a shard reaches every host. A shard is cut into {@link #parts} ranges of rows,
 * and each part travels along a tree of hosts whose root is the host it comes from.
 *
 * <p>A host is named by its distance from that root: the distance of host {@code d} from root
 * {@code o} among {@code n} is {@code (d - o) mod n}. So the trees of all shards are rotations of
 * one another, and no host is everybody's first target.
 *
 * <p>Ranks compare schedules by their names, so there are no others than those here.
 * Implementations are stateless. A new one is permitted here, listed in {@link #ALL} and tested by
 * {@code ScheduleContract}.
 */
public sealed interface Schedule permits Mesh, Ring, TwoWayRing {
  Schedule MESH = new Mesh();
  Schedule RING = new Ring();
  Schedule TWO_WAY_RING = new TwoWayRing();

  /** Every schedule there is. */
  List<Schedule> ALL = List.of(MESH, RING, TWO_WAY_RING);

  /** The most parts that a schedule cuts a shard into. */
  int MAX_PARTS = 2;

  /** A short lower-case name for settings and logs. */
  String name();

  /** How many ranges of rows a shard is cut into, from 1 to {@link #MAX_PARTS}. */
  int parts(int hosts);

  /**
   * Where a host gets a part of a shard from.
   *
   * @param part from 0 to {@code parts(hosts) - 1}
   * @param distance the receiving host, from 1 to {@code hosts - 1}
   * @return the distance of the sending host; 0 is the origin
   */
  int parent(int part, int distance, int hosts);

  /** The schedule of a name. */
  static Schedule named(String name) {
    for (Schedule schedule : ALL) {
      if (schedule.name().equals(name)) {
        return schedule;
      }
    }
    throw new IllegalArgumentException(
        "no schedule is named '%s'; available: %s"
            .formatted(name, ALL.stream().map(Schedule::name).toList()));
  }
}
