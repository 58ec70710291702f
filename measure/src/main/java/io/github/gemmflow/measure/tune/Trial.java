// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.tune;

import io.github.gemmflow.measure.Counted;
import io.github.gemmflow.measure.MedianInterval;
import io.github.gemmflow.measure.Millis;
import io.github.gemmflow.measure.Rounds;
import io.github.gemmflow.measure.Samples;
import io.github.gemmflow.tuning.cost.CostModel;
import io.github.gemmflow.tuning.cost.TriedStep;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Outcome of a trial. A way wins only if the rounds show that it is faster than what the rules
 * choose: by the intervals of all ways together, wider by the bias that the control shows.
 *
 * @param key of the step
 * @param costs those of the job, without an earlier trial of it
 * @param candidates what was tried, first what the rules choose
 * @param measured their times, and those of what the rules choose once more, as the control
 */
public record Trial(
    String key, CostModel costs, List<Candidate> candidates, Rounds.Measured measured) {
  /** Who takes more of the rule's time ties with it: less is not worth a line in a file. */
  private static final double TIE = 0.97;

  private static final String ROW = "%-14s%14s%12s%12s%24s%n";

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

  /** The time of a candidate as a share of the rule's, by the rounds. */
  private MedianInterval ofRule(int index) {
    double[] ratios = Samples.ratios(millis(index), millis(0));
    return MedianInterval.of(ratios, ways()).widenedBy(control());
  }

  /** The time of the rule's way as a share of its own. */
  private MedianInterval control() {
    return MedianInterval.of(Samples.ratios(millis(candidates.size()), millis(0)));
  }

  /** The number of ways that are held against the rule's. */
  private int ways() {
    return candidates.size() - 1;
  }

  private List<Integer> fastestFirst() {
    return IntStream.range(0, candidates.size())
        .boxed()
        .sorted(Comparator.comparingDouble(index -> ofRule(index).median()))
        .toList();
  }

  private OptionalInt winner() {
    return fastestFirst().stream()
        .filter(index -> ofRule(index).median() < TIE && ofRule(index).high() < 1)
        .mapToInt(Integer::intValue)
        .findFirst();
  }

  /** The costs with what won; without it, if nothing is shown to be faster than the rule's. */
  public CostModel outcome() {
    OptionalInt winner = winner();
    if (winner.isEmpty()) {
      return costs;
    }
    int best = winner.getAsInt();
    int next = fastestFirst().stream().filter(index -> index != best).findFirst().orElse(0);
    return costs.withTried(key, new TriedStep(way(best), way(next)));
  }

  private TriedStep.Way way(int index) {
    Candidate candidate = candidates.get(index);
    return new TriedStep.Way(candidate.way(), candidate.chunkBytes(), nanos(index));
  }

  /** For a person. */
  public String text() {
    StringBuilder text =
        new StringBuilder(
            ROW.formatted("way", "chunk bytes", "predicted", "measured", "of the default"));
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      text.append(
          ROW.formatted(
              candidate.way(),
              candidate.chunkBytes(),
              Millis.text(candidate.predictedNanos() / 1e6),
              Millis.text(nanos(i) / 1e6),
              i == 0 ? "" : share(ofRule(i))));
    }
    return text + verdict() + "\n";
  }

  private static String share(MedianInterval interval) {
    return interval.isBounded()
        ? String.format(
            Locale.ROOT, "%.2f (%.2f to %.2f)", interval.median(), interval.low(), interval.high())
        : String.format(Locale.ROOT, "%.2f", interval.median());
  }

  private String verdict() {
    OptionalInt winner = winner();
    if (winner.isPresent()) {
      return "%s is faster than the default".formatted(way(winner.getAsInt()));
    }
    int fewest = MedianInterval.fewestValues(ways());
    if (millis(0).length < fewest) {
      return "undecided: too few rounds to compare %s with the default: use at least %d --iterations"
          .formatted(Counted.of(ways(), "way"), fewest);
    }
    if (IntStream.rangeClosed(1, ways()).allMatch(index -> ofRule(index).low() >= TIE)) {
      return "nothing is 3 % faster than the default";
    }
    return "undecided: a way may be 3 % faster than the default, but none is shown to be: "
        + (control().excludes(1)
            ? "the default differs from itself (control run): repeat it on a quiet machine"
            : "more --iterations narrow the ranges");
  }
}
