// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.system.ranks;

import io.github.gemmflow.World;
import io.github.gemmflow.kit.OperatorCase;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rank that runs random exact cases: the number of them and the seed of the first are the
 * arguments.
 */
public final class Operators {
  private Operators() {}

  public static void main(String[] arguments) {
    int cases = Integer.parseInt(arguments[0]);
    long first = Long.parseLong(arguments[1]);
    Map<String, Integer> ways = new TreeMap<>();
    try (World world = World.join()) {
      boolean passed = true;
      // After a failure the ranks are not in step any more.
      for (long i = first; passed && i < first + cases; i++) {
        long seed = i;
        passed =
            Report.run(
                "case " + seed,
                () ->
                    OperatorCase.run(world, seed).forEach(way -> ways.merge(way, 1, Integer::sum)));
      }
      if (world.rank() == 0) {
        Report.figure("steps of rank 0 by way: " + ways);
      }
    }
  }
}
