// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.measure.Counted;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Prompts of random tokens. */
final class RandomPrompts {
  private RandomPrompts() {}

  /**
   * Draws prompts that have a number of tokens together; the longest has about three times as many
   * as the shortest. The same seed draws the same on all ranks.
   */
  static List<int[]> of(int count, int tokens, int vocabulary, long seed) {
    if (count < 1 || tokens < count) {
      throw new IllegalArgumentException(
          "%s cannot be %s: give at least one prompt, and a token for each"
              .formatted(Counted.of(tokens, "token"), Counted.of(count, "prompt")));
    }
    SplittableRandom random = new SplittableRandom(seed);
    double[] ends = random.doubles(count, 1, 3).toArray();
    Arrays.parallelPrefix(ends, Double::sum);
    List<int[]> prompts = new ArrayList<>();
    int begin = 0;
    for (int i = 0; i < count; i++) {
      // One token for each, and its share of the others.
      int end = i + 1 + (int) ((tokens - count) * (ends[i] / ends[count - 1]));
      prompts.add(random.ints(end - begin, 0, vocabulary).toArray());
      begin = end;
    }
    return prompts;
  }
}
