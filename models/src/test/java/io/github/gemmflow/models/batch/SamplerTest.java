// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.models.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SamplerTest {
  /** Chosen with probabilities of 0.6, 0.25, 0.1 and 0.05. */
  private static final float[] LOGITS = {
    (float) Math.log(0.1), (float) Math.log(0.6), (float) Math.log(0.05), (float) Math.log(0.25)
  };

  private static final int DRAWS = 20_000;

  private static double[] frequencies(Sampler sampler) {
    double[] counts = new double[LOGITS.length];
    for (int i = 0; i < DRAWS; i++) {
      counts[sampler.choose(LOGITS)] += 1.0 / DRAWS;
    }
    return counts;
  }

  @Test
  void theLikeliestIsChosenAtTemperatureZero() {
    assertEquals(1, Sampler.greedy().choose(LOGITS));
    assertEquals(0, Sampler.greedy().choose(new float[] {5, 5, 4}));
  }

  @Test
  void tokensAreDrawnAsOftenAsTheyAreLikely() {
    // A frequency of 20,000 deviates by 0.0035 at most; this is six times as much.
    double[] frequencies = frequencies(new Sampler(1, 1, 1));
    assertEquals(0.6, frequencies[1], 0.02);
    assertEquals(0.25, frequencies[3], 0.02);
    assertEquals(0.1, frequencies[0], 0.02);
    assertEquals(0.05, frequencies[2], 0.02);
  }

  @Test
  void onlyTheLikeliestAreDrawn() {
    double[] frequencies = frequencies(new Sampler(1, 0.8, 1));
    assertEquals(0.6 / 0.85, frequencies[1], 0.02);
    assertEquals(0, frequencies[0] + frequencies[2]);
  }

  @Test
  void aLowTemperatureIsNearlyGreedy() {
    assertTrue(frequencies(new Sampler(0.1, 1, 1))[1] > 0.999);
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Sampler(-1, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new Sampler(Double.NaN, 1, 1));
    assertThrows(IllegalArgumentException.class, () -> new Sampler(1, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new Sampler(1, 1.5, 1));
  }
}
