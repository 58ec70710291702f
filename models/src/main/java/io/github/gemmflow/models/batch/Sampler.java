// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Choice of the next token. All ranks have the same logits and the same seed, so that all choose
 * the same. Not thread-safe.
 */
public final class Sampler {
  private final double temperature;
  private final double topP;
  private final SplittableRandom random;
  private Consumer<float[]> keeper = logits -> {};

  /**
   * A sampler.
   *
   * @param temperature 0 chooses the likeliest; the higher, the more others are chosen
   * @param topP only the likeliest tokens, which are chosen so often together, are chosen at all
   */
  public Sampler(double temperature, double topP, long seed) {
    if (!(temperature >= 0 && temperature <= 10) || !(topP > 0 && topP <= 1)) {
      throw new IllegalArgumentException(
          "temperature must be from 0 to 10, and top_p above 0 and at most 1, not %s and %s"
              .formatted(temperature, topP));
    }
    this.temperature = temperature;
    this.topP = topP;
    this.random = new SplittableRandom(seed);
  }

  /** One that chooses the likeliest token. */
  public static Sampler greedy() {
    return new Sampler(0, 1, 0);
  }

  /** Hands all logits that it chooses by to someone who keeps them. */
  public Sampler keep(Consumer<float[]> value) {
    keeper = value;
    return this;
  }

  int choose(float[] logits) {
    keeper.accept(logits);
    int best = argmax(logits);
    if (temperature == 0) {
      return best;
    }
    double[] likely = new double[logits.length];
    Arrays.setAll(likely, i -> Math.exp((logits[i] - logits[best]) / temperature));
    return draw(likely);
  }

  private int draw(double[] likely) {
    double sum = Arrays.stream(likely).sum();
    if (topP == 1) {
      return draw(IntStream.range(0, likely.length).toArray(), likely, sum);
    }
    // Less likely ones would not be among the chosen even if all that are left were as likely.
    double least = (1 - topP) * sum / likely.length;
    int[] order =
        IntStream.range(0, likely.length)
            .filter(token -> likely[token] >= least)
            .boxed()
            .sorted((a, b) -> Double.compare(likely[b], likely[a]))
            .mapToInt(Integer::intValue)
            .toArray();
    double kept = 0;
    int count = 0;
    while (count < order.length && kept < topP * sum) {
      kept += likely[order[count++]];
    }
    return draw(Arrays.copyOf(order, count), likely, kept);
  }

  private int draw(int[] tokens, double[] likely, double sum) {
    double left = random.nextDouble() * sum;
    for (int token : tokens) {
      left -= likely[token];
      if (left < 0) {
        return token;
      }
    }
    return tokens[0];
  }

  /** The likeliest token; of several, the first. */
  public static int argmax(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      best = values[i] > values[best] ? i : best;
    }
    return best;
  }
}
