// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.World;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {
  /** What drifts in one direction favours no part. */
  @Test
  void everyOtherRoundGoesBackwards() {
    List<Integer> seen = new ArrayList<>();
    List<Runnable> parts = List.of(() -> seen.add(0), () -> seen.add(1), () -> seen.add(2));
    try (World world = World.single()) {
      new Rounds(3, 2, Progress.NONE, () -> 0).run(world, parts, () -> true);
    }
    assertEquals(List.of(2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0), seen);
  }
}
