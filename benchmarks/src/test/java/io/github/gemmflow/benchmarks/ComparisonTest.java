// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a limit is met is said by the rounds, and noise is no verdict. */
class ComparisonTest {
  private static final double LIMIT = 1.03;
  private static final int TRIALS = 2000;

  private static Comparison of(double from, double to) {
    Comparison comparison = new Comparison("gemmflow", LIMIT);
    // Of 21 values the 6th and the 16th are the bounds.
    for (int i = -5; i <= 15; i++) {
      comparison.add(Math.round(1e9 * (from + (to - from) * i / 10)), 1_000_000_000, 1);
    }
    return comparison;
  }

  @ParameterizedTest
  @CsvSource({
    "0.90, 0.95, met",
    "0.80, 1.03, met",
    "1.01, 1.035, met",
    "1.00, 1.04, undecided",
    "0.90, 1.20, undecided",
    "1.029, 1.50, undecided",
    "1.04, 1.06, not met",
    "1.04, 1.50, not met"
  })
  void anIntervalAndALimit(double low, double high, String verdict) {
    Comparison control = of(0.98, 1.02);
    assertEquals(verdict, of(low, high).verdict(control));
    assertTrue(
        of(low, high)
            .line(control)
            .endsWith("(%.3f to %.3f; at most 1.03: %s)".formatted(low, high, verdict)),
        of(low, high).line(control));
  }

  /** A rival that differs from itself by 5 to 10 % decides nothing that is closer to the limit. */
  @Test
  void aBiasedControlDecidesNothing() {
    assertEquals("undecided", of(1.04, 1.06).verdict(of(1.05, 1.1)));
    assertEquals("undecided", of(0.98, 1.0).verdict(of(0.9, 0.95)));
    assertEquals("not met", of(1.2, 1.3).verdict(of(1.05, 1.1)));
  }

  @Test
  void tooFewRoundsDecideNothing() {
    Comparison comparison = new Comparison("gemmflow", LIMIT);
    for (int i = 0; i < 5; i++) {
      comparison.add(2, 1, 1);
    }
    assertTrue(
        comparison
            .line(comparison)
            .endsWith("(too few rounds for bounds; at most 1.03: undecided)"),
        comparison.line(comparison));
  }

  /** Rivals that take equally long. */
  @ParameterizedTest
  @CsvSource({"0.05, 21", "0.1, 21", "0.2, 21", "0.05, 60", "0.1, 60", "0.2, 60"})
  void noiseMissesNoLimit(double noise, int rounds) {
    double share = verdicts(noise, rounds, 1).getOrDefault("not met", 0.0);
    assertTrue(share <= 0.05, () -> share + " of runs");
  }

  /** Twice as far from 1 as the limit. */
  @ParameterizedTest
  @CsvSource({"0.05, 21", "0.1, 21", "0.2, 21", "0.05, 60", "0.1, 60", "0.2, 60"})
  void noiseMeetsNoLimit(double noise, int rounds) {
    double share = verdicts(noise, rounds, 1.06).getOrDefault("met", 0.0);
    assertTrue(share <= 0.05, () -> share + " of runs");
  }

  @Test
  void anEffectIsSeen() {
    assertTrue(verdicts(0.05, 21, 1.03 * 1.1).getOrDefault("not met", 0.0) >= 0.9);
    assertTrue(verdicts(0.05, 21, 1.03 / 1.1).getOrDefault("met", 0.0) >= 0.9);
  }

  /** The share of each verdict, when ours takes so many times as long as its rival. */
  private static Map<String, Double> verdicts(double noise, int rounds, double takes) {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, Double> verdicts = new TreeMap<>();
    for (int i = 0; i < TRIALS; i++) {
      Comparison ours = new Comparison("gemmflow", LIMIT);
      Comparison control = new Comparison("rival again", LIMIT);
      for (int round = 0; round < rounds; round++) {
        long rival = nanos(random, noise, 1);
        ours.add(nanos(random, noise, takes), rival, 1);
        control.add(nanos(random, noise, 1), rival, 1);
      }
      verdicts.merge(ours.verdict(control), 1.0 / TRIALS, Double::sum);
    }
    return verdicts;
  }

  private static long nanos(SplittableRandom random, double noise, double seconds) {
    return Math.round(1e9 * seconds * Math.exp(noise * random.nextGaussian()));
  }
}
