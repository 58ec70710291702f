// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.tune;

import io.github.gemmflow.cli.bench.Millis;
import io.github.gemmflow.cli.bench.Rounds;
import io.github.gemmflow.cli.bench.Samples;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Outcome of a trial.
 *
 * @param key of the step
 * @param costs those of the job, without an earlier trial of it
 * @param candidates what was tried, first what the rules choose
 * @param measured their times
 */
public record Trial(
    String key, CostModel costs, List<Candidate> candidates, Rounds.Measured measured) {
  /** Who takes more of the rule's time ties with it: measurements are no better than this. */
  private static final double TIE = 0.97;

  public Trial {
    candidates = List.copyOf(candidates);
  }

  /** Whether all results were right. */
  public boolean verified() {
    return measured.verified();
  }

  private double[] millis(int index) {
    return measured.slowest().get(index);
  }

  private double nanos(int index) {
    return Samples.quantile(millis(index), 0.5) * 1e6;
  }

  /** The time of a candidate as a share of the rule's: the median of what the rounds say. */
  private double ofRule(int index) {
    double[] mine = millis(index);
    double[] rule = millis(0);
    double[] ratios = IntStream.range(0, mine.length).mapToDouble(i -> mine[i] / rule[i]).toArray();
    return Samples.quantile(ratios, 0.5);
  }

  private List<Integer> fastestFirst() {
    return IntStream.range(0, candidates.size())
        .boxed()
        .sorted(Comparator.comparingDouble(this::ofRule))
        .toList();
  }

  private boolean beatsRule() {
    return ofRule(fastestFirst().getFirst()) < TIE;
  }

  /** The costs with what won; without it, if the rules choose as well without. */
  public CostModel outcome() {
    if (!beatsRule()) {
      return costs;
    }
    List<Integer> order = fastestFirst();
    return costs.withTried(key, new TriedStep(way(order.getFirst()), way(order.get(1))));
  }

  private TriedStep.Way way(int index) {
    Candidate candidate = candidates.get(index);
    return new TriedStep.Way(candidate.way(), candidate.chunkBytes(), nanos(index));
  }

  /** For a person. */
  public String text() {
    StringBuilder text =
        new StringBuilder(
            "%-14s%14s%12s%12s%16s%n"
                .formatted("way", "chunk bytes", "predicted", "measured", "of the rule's"));
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      text.append(
          String.format(
              Locale.ROOT,
              "%-14s%14d%12s%12s%16.2f%n",
              candidate.way(),
              candidate.chunkBytes(),
              Millis.text(candidate.predictedNanos() / 1e6),
              Millis.text(nanos(i) / 1e6),
              ofRule(i)));
    }
    return text
        + (beatsRule()
            ? "%s is faster than what the rule chooses%n".formatted(way(fastestFirst().getFirst()))
            : "nothing is faster by 3 % than what the rule chooses\n");
  }
}
