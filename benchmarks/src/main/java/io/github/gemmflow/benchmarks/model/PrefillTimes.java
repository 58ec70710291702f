// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.model;

import io.github.gemmflow.measure.Samples;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Milliseconds of interleaved prefills, the slowest rank's, one for each round; and what they say.
 *
 * @param halves two halves at a time
 * @param sequential as a whole, all operators without overlap
 * @param network what is sent, alone
 * @param whole as a whole, all operators with overlap
 * @param again halves once more
 */
record PrefillTimes(
    List<Double> halves,
    List<Double> sequential,
    List<Double> network,
    List<Double> whole,
    List<Double> again) {
  /** How many ways of prefilling there are. */
  static final int WAYS = 5;

  /** The times of all ways, in order. */
  static PrefillTimes of(List<List<Double>> ways) {
    return new PrefillTimes(ways.get(0), ways.get(1), ways.get(2), ways.get(3), ways.get(4));
  }

  /** How many times as fast as the sequential prefill that in halves is. */
  double speedup() {
    return overRounds(i -> sequential.get(i) / halves.get(i));
  }

  /** The same for the prefill as a whole. */
  double speedupOfWhole() {
    return overRounds(i -> sequential.get(i) / whole.get(i));
  }

  /**
   * How many times as fast it could be: as the network alone, or as all else, if that is slower.
   */
  double possible() {
    return overRounds(this::possible);
  }

  private double possible(int round) {
    double net = network.get(round);
    return sequential.get(round) / Math.max(net, sequential.get(round) - net);
  }

  /** What is reached of what is possible. */
  double reached() {
    return overRounds(i -> sequential.get(i) / halves.get(i) / possible(i));
  }

  /** The prefill in halves against itself. */
  double control() {
    return overRounds(i -> again.get(i) / halves.get(i));
  }

  /** The median of what each round says: neighbours in time share what disturbs them. */
  private double overRounds(IntToDoubleFunction ofRound) {
    List<Double> all = IntStream.range(0, halves.size()).mapToDouble(ofRound).boxed().toList();
    return Samples.quantile(all, 0.5);
  }

  /** A table for a person. */
  String text() {
    return line("halves", halves)
        + line("whole", whole)
        + line("sequential", sequential)
        + line("network", network)
        + line("again", again)
        + String.format(
            Locale.ROOT,
            "speedup over sequential: halves %.3f, whole %.3f; %.3f is possible, of which halves reach %.3f%n"
                + "halves take %.3f of themselves%n",
            speedup(),
            speedupOfWhole(),
            possible(),
            reached(),
            control());
  }

  private static String line(String name, List<Double> millis) {
    return String.format(
        Locale.ROOT,
        "%-12s %10.3f ms   (%.3f to %.3f)%n",
        name,
        Samples.quantile(millis, 0.5),
        Samples.quantile(millis, 0.1),
        Samples.quantile(millis, 0.9));
  }
}
