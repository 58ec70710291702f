// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.generate;

import io.github.gemmflow.examples.decoder.Decoder;
import java.util.Arrays;
import java.util.List;

/** What {@code Generate} says to one prompt. */
public final class Answers {
  private Answers() {}

  /**
   * Tokens, and by how much each led over the next likely one.
   *
   * @param leads of the logits
   */
  public record Alone(List<Integer> tokens, List<Double> leads) {}

  public static Alone alone(Decoder decoder, int[] prompt, int tokens, List<Integer> ends) {
    Greedy greedy = new Greedy(decoder, List.of(prompt), tokens, ends, token -> {}, true).run();
    List<Double> leads =
        greedy.logits().get(0).stream()
            .map(
                logits -> {
                  float[] sorted = logits.clone();
                  Arrays.sort(sorted);
                  return (double) sorted[sorted.length - 1] - sorted[sorted.length - 2];
                })
            .toList();
    return new Alone(greedy.tokens().get(0), leads);
  }
}
