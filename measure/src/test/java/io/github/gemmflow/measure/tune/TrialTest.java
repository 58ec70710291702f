// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Noise;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.tuning.Hosts;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is tried, and what comes of it. */
class TrialTest {
  private static final Hosts FOUR_HOSTS = Hosts.of(0, 1, 2, 3);

  private static Candidate candidate(String way, long chunkBytes) {
    return new Candidate(way, chunkBytes, Tuning.DEFAULT, 1e6);
  }

  /** A trial of two ways against the rule's, the times of which come first and last. */
  private static Trial trial(List<double[]> millis) {
    List<Candidate> candidates =
        List.of(candidate("rule", 57_344), candidate("ring", 28_672), candidate("mesh", 57_344));
    Rounds.Measured measured = new Rounds.Measured(millis, 0, 0, true);
    return new Trial("key", CostModel.ASSUMED, candidates, measured);
  }

  /** The times of rounds, of which the second is ten times as slow. */
  private static double[] rounds(int count, double millis) {
    double[] times = new double[count];
    Arrays.fill(times, millis);
    times[1] *= 10;
    return times;
  }

  private static Trial trial(int count, double rule, double ring, double mesh, double again) {
    return trial(
        List.of(
            rounds(count, rule), rounds(count, ring), rounds(count, mesh), rounds(count, again)));
  }

  private static void assertNothingWon(String begin, Trial trial) {
    assertEquals(Map.of(), trial.outcome().tried());
    assertTrue(trial.text().lines().toList().getLast().startsWith(begin), trial::text);
  }

  /** Rounds are compared each for itself: the whole machine was slower in the second. */
  @Test
  void theFastestWins() {
    Trial trial = trial(7, 2, 1.5, 1.9, 2);
    TriedStep.Way ring = new TriedStep.Way("ring", 28_672, 1.5e6);
    TriedStep.Way next = new TriedStep.Way("mesh", 57_344, 1.9e6);
    assertEquals(Map.of("key", new TriedStep(ring, next)), trial.outcome().tried());
    assertTrue(
        trial.text().endsWith("ring with 28672 bytes 1.50 ms is faster than the default\n"),
        trial::text);
  }

  @Test
  void aTieLeavesItToTheRules() {
    assertNothingWon("nothing is 3 % faster than the default", trial(7, 2, 1.96, 3, 2));
  }

  @Test
  void tooFewRoundsLeaveItToTheRules() {
    assertNothingWon(
        "undecided: too few rounds to compare 2 ways with the default: use at least 7 --iterations",
        trial(6, 2, 1.5, 3, 2));
  }

  /** What the rule chooses is itself a third faster when it comes last. */
  @Test
  void aBiasLeavesItToTheRules() {
    assertNothingWon(
        "undecided: a way may be 3 % faster than the default, but none is shown to be: the default differs from itself (control run): repeat it on a quiet machine",
        trial(7, 2, 1.5, 3, 1.4));
  }

  /** Of four ways that take as long as the rule's, one wins in at most 5 % of trials. */
  @ParameterizedTest
  @EnumSource
  void noiseWinsNothing(Noise kind) {
    for (double noise : new double[] {0.05, 0.1, 0.2}) {
      for (int rounds : new int[] {8, 21, 41}) {
        double share = won(kind, rounds, noise, 1);
        assertTrue(share <= 0.05, "%s of %s, %d rounds: %s".formatted(kind, noise, rounds, share));
      }
    }
  }

  @Test
  void aFasterWayWins() {
    double share = won(Noise.LOG_NORMAL, 21, 0.05, 1.1);
    assertTrue(share >= 0.9, () -> "only in %s of trials".formatted(share));
  }

  /** The share of trials with a winner, when one way of four is so many times as fast. */
  private static double won(Noise kind, int rounds, double noise, double faster) {
    SplittableRandom random = new SplittableRandom(1);
    List<Candidate> candidates = new ArrayList<>(List.of(candidate("rule", 57_344)));
    for (int i = 0; i < 4; i++) {
      candidates.add(candidate("ring", 28_672));
    }
    int trials = 500;
    int won = 0;
    for (int i = 0; i < trials; i++) {
      List<double[]> times = kind.times(random, rounds, noise, 10, 10, 10, 10 / faster, 10, 10);
      Rounds.Measured measured = new Rounds.Measured(times, 0, 0, true);
      Trial trial = new Trial("key", CostModel.ASSUMED, candidates, measured);
      won += trial.outcome().tried().isEmpty() ? 0 : 1;
    }
    return (double) won / trials;
  }

  @Test
  void theBestByPredictionAreTried() {
    Layer.Size gather = new Layer.Size(Operation.GATHER, 512, 1024, 256, DType.F32);
    List<Candidate> best = Candidate.best(gather, FOUR_HOSTS, Tuning.DEFAULT, 4);
    List<Candidate> all = Candidate.best(gather, FOUR_HOSTS, Tuning.DEFAULT, 100);
    assertEquals(all.subList(0, 4), best);
    assertEquals(18, all.size());
    assertEquals(
        all.stream().sorted(Comparator.comparingDouble(Candidate::predictedNanos)).toList(), all);
    assertEquals(6, Candidate.best(gather, Hosts.of(0, 1), Tuning.DEFAULT, 100).size());
    Layer.Size sum = new Layer.Size(Operation.ALL_REDUCE, 512, 1024, 256, DType.F32);
    assertEquals(12, Candidate.best(sum, FOUR_HOSTS, Tuning.DEFAULT, 100).size());
    Layer.Size scatter = new Layer.Size(Operation.REDUCE_SCATTER, 512, 1024, 256, DType.F32);
    assertEquals(6, Candidate.best(scatter, FOUR_HOSTS, Tuning.DEFAULT, 100).size());
  }
}
