// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private static List<Integer> order(int round, int rivals) {
    return IntStream.range(0, rivals)
        .mapToObj(place -> Turns.rivalAt(place, round, rivals))
        .toList();
  }

  /** A machine that becomes slower, or faster, favours nobody. */
  @Test
  void eachRivalIsBeforeEachOtherInHalfOfTheRounds() {
    for (int rivals = 2; rivals <= 5; rivals++) {
      for (int one = 0; one < rivals; one++) {
        for (int other = 0; other < one; other++) {
          int before = 0;
          for (int round = 0; round < 2 * rivals; round++) {
            List<Integer> order = order(round, rivals);
            before += order.indexOf(one) < order.indexOf(other) ? 1 : 0;
          }
          assertEquals(rivals, before, "of %d rivals %d and %d".formatted(rivals, one, other));
        }
      }
    }
  }

  @Test
  void eachRivalIsFirst() {
    assertEquals(
        List.of(0, 2, 1, 0, 2, 1),
        IntStream.range(0, 6).mapToObj(round -> order(round, 3).getFirst()).toList());
  }
}
