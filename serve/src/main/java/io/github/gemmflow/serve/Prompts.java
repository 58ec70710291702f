// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Prompts as numbers of tokens, which need no tokenizer. */
final class Prompts {
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
              "%s: a prompt must be a line of token IDs separated by spaces, not '%s'"
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
}
