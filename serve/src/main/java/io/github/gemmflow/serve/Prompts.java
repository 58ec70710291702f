// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import io.github.gemmflow.measure.Counted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Prompts for a model as numbers of tokens, for which nobody needs a tokenizer. */
public final class Prompts {
  private static final int LONGEST = 64;

  private Prompts() {}

  /** Reads one prompt from each line that is not blank: numbers with spaces between them. */
  static List<int[]> read(Path file) throws IOException {
    List<int[]> prompts = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.isBlank()) {
        try {
          prompts.add(
              Arrays.stream(line.strip().split("\\s+")).mapToInt(Integer::parseInt).toArray());
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException(
              "%s: a prompt is a line of token numbers with spaces between them, not '%s'"
                  .formatted(file, line),
              e);
        }
      }
    }
    return prompts;
  }

  /** Draws prompts of different lengths. The same seed draws the same on all ranks. */
  static List<int[]> random(int count, int vocabulary, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<int[]> prompts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      prompts.add(random.ints(1 + random.nextInt(LONGEST), 0, vocabulary).toArray());
    }
    return prompts;
  }

  /**
   * Draws prompts that have so many tokens together; the longest has about three times as many as
   * the shortest. The same seed draws the same on all ranks.
   */
  public static List<int[]> random(int count, int tokens, int vocabulary, long seed) {
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
