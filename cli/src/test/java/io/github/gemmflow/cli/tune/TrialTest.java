// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.cli.bench.Layer;
import io.github.gemmflow.cli.bench.Operation;
import io.github.gemmflow.cli.bench.Rounds;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.tuning.Domains;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is tried, and what comes of it. */
class TrialTest {
  private static final Domains FOUR_HOSTS = Domains.of(0, 1, 2, 3);

  private static Candidate candidate(String way, long chunkBytes) {
    return new Candidate(way, chunkBytes, Tuning.DEFAULT, 1e6);
  }

  private static Trial trial(double[]... millis) {
    List<Candidate> candidates =
        List.of(candidate("rule", 57_344), candidate("ring", 28_672), candidate("mesh", 57_344));
    Rounds.Measured measured = new Rounds.Measured(List.of(millis), 0, 0, true);
    return new Trial("key", CostModel.ASSUMED, candidates, measured);
  }

  /** Rounds are compared each for itself: the whole machine was slower in the second. */
  @Test
  void theFastestWins() {
    Trial trial =
        trial(new double[] {2, 20, 2}, new double[] {1.5, 15, 1.5}, new double[] {2, 19, 2});
    TriedStep.Way ring = new TriedStep.Way("ring", 28_672, 1.5e6);
    TriedStep.Way next = new TriedStep.Way("rule", 57_344, 2e6);
    assertEquals(Map.of("key", new TriedStep(ring, next)), trial.outcome().tried());
    assertTrue(
        trial
            .text()
            .endsWith("ring with 28672 bytes 1.50 ms is faster than what the rule chooses\n"),
        trial::text);
  }

  @Test
  void aTieLeavesItToTheRules() {
    Trial trial =
        trial(new double[] {2, 2, 2}, new double[] {1.96, 1.96, 1.96}, new double[] {3, 3, 3});
    assertEquals(Map.of(), trial.outcome().tried());
    assertTrue(trial.text().endsWith("nothing is faster by 3 % than what the rule chooses\n"));
  }

  @Test
  void theBestByPredictionAreTried() {
    Layer.Size gather = new Layer.Size(Operation.GATHER, 512, 1024, 256, DType.F32);
    List<Candidate> best = Candidate.best(gather, FOUR_HOSTS, Tuning.DEFAULT, 4);
    List<Candidate> all = Candidate.best(gather, FOUR_HOSTS, Tuning.DEFAULT, 100);
    assertEquals(all.subList(0, 4), best);
    assertEquals(15, all.size());
    assertEquals(
        all.stream().sorted(Comparator.comparingDouble(Candidate::predictedNanos)).toList(), all);
    assertEquals(5, Candidate.best(gather, Domains.of(0, 1), Tuning.DEFAULT, 100).size());
    Layer.Size sum = new Layer.Size(Operation.ALL_REDUCE, 512, 1024, 256, DType.F32);
    assertEquals(10, Candidate.best(sum, FOUR_HOSTS, Tuning.DEFAULT, 100).size());
    Layer.Size scatter = new Layer.Size(Operation.REDUCE_SCATTER, 512, 1024, 256, DType.F32);
    assertEquals(5, Candidate.best(scatter, FOUR_HOSTS, Tuning.DEFAULT, 100).size());
  }
}
