// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** No claim where there is nothing to claim. */
class VerdictTest {
  private static final List<View> VIEWS = List.of(View.values());
  private static final int TRIALS = 2000;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | 1.09 | 1.05 | 1.12 | 1    | 0.98 | 1.02 | false | One host: nothing to overlap
          2 | 1.05 | 0.98 | 1.25 | 1    | 0.98 | 1.02 | false | Undecided: overlapped takes 80 % to 102 % of the sequential time (95 % confidence). More --iterations or a quiet machine narrow that range
          2 | 1.05 | 1.02 | 1.07 | 1.05 | 1.04 | 1.06 | false | Undecided: overlapped takes 88 % to 104 % of the sequential time (95 % confidence), but in the control run the same step takes 104.0 % to 106.0 % of its own time. Repeat it on a quiet machine.
          2 | 1.27 | 1.25 | 1.30 | 1.01 | 0.90 | 1.10 | true  | Overlap makes it 1.3x faster (78.7 % of the sequential time; 95 % confidence: 76.9 % to 80.0 %).
          2 | 1.01 | 1.01 | 1.02 | 1    | 0.98 | 1.02 | true  | Overlap makes it 1.01x faster (99.0 % of the sequential time; 95 % confidence: 98.0 % to 99.0 %).
          2 | 0.8  | 0.75 | 0.9  | 1.01 | 0.98 | 1.02 | true  | Overlap makes it slower: 125 % of the sequential time (95 % confidence: 111 % to 133 %).
          2 | 1.3  | -Infinity | Infinity | 1 | -Infinity | Infinity | false | Undecided: too few rounds to tell an effect from noise. Use at least 6 --iterations.
          """)
  void claims(
      int hosts,
      double speedup,
      double low,
      double high,
      double control,
      double controlLow,
      double controlHigh,
      boolean decided,
      String begin) {
    Verdict verdict =
        Verdict.of(
            hosts,
            new MedianInterval(speedup, low, high),
            new MedianInterval(control, controlLow, controlHigh));
    assertEquals(decided, verdict.decided(), verdict::text);
    assertEquals(
        begin, verdict.text().substring(0, Math.min(begin.length(), verdict.text().length())));
  }

  /** Without any effect, one is claimed in at most 5 % of runs, whatever the noise. */
  @ParameterizedTest
  @EnumSource
  void noiseIsNoEffect(Noise kind) {
    for (double noise : new double[] {0.05, 0.1, 0.2}) {
      for (int rounds : new int[] {1, 6, 21, 41}) {
        double share = decided(kind, rounds, noise, 1);
        assertTrue(share <= 0.05, "%s of %s, %d rounds: %s".formatted(kind, noise, rounds, share));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LOG_NORMAL", "HEAVY_TAILED"})
  void anEffectIsSeen(Noise kind) {
    for (double effect : new double[] {1.1, 1 / 1.1}) {
      double share = decided(kind, 21, 0.05, effect);
      assertTrue(share >= 0.9, "%s times as fast: %s".formatted(effect, share));
    }
  }

  /** More rounds decide what few leave open, as the advice says. */
  @Test
  void moreRoundsDecide() {
    double few = decided(Noise.LOG_NORMAL, 21, 0.2, 1.1);
    double many = decided(Noise.LOG_NORMAL, 300, 0.2, 1.1);
    assertTrue(few < 0.5 && many > 0.9, few + " and " + many);
  }

  /** The share of runs that decide, when overlapped steps are so many times as fast. */
  private static double decided(Noise kind, int rounds, double noise, double speedup) {
    SplittableRandom random = new SplittableRandom(1);
    double[] means = new double[VIEWS.size() + 1];
    Arrays.fill(means, 10);
    means[VIEWS.indexOf(View.SEQUENTIAL)] *= speedup;
    int decided = 0;
    for (int i = 0; i < TRIALS; i++) {
      List<double[]> times = kind.times(random, rounds, noise, means);
      Map<View, double[]> views = new EnumMap<>(View.class);
      VIEWS.forEach(view -> views.put(view, times.get(VIEWS.indexOf(view))));
      Samples samples = new Samples(views, times.getLast());
      decided += Verdict.of(2, samples.speedup(), samples.control()).decided() ? 1 : 0;
    }
    return (double) decided / TRIALS;
  }
}
