// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.llama;

import io.github.gemmflow.cli.bench.Samples;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Milliseconds of interleaved prefills, the slowest rank's, one for each round; and what they say.
 *
 * @param again pipelined once more
 */
record PrefillTimes(List<Double> pipelined, List<Double> sequential, List<Double> again) {
  /** How many times as fast the pipelined prefill is as the sequential one. */
  double speedup() {
    return overRounds(i -> sequential.get(i) / pipelined.get(i));
  }

  /** The pipelined prefill against itself. */
  double control() {
    return overRounds(i -> again.get(i) / pipelined.get(i));
  }

  /** The median of what each round says: neighbours in time share what disturbs them. */
  private double overRounds(IntToDoubleFunction ofRound) {
    List<Double> all = IntStream.range(0, pipelined.size()).mapToDouble(ofRound).boxed().toList();
    return Samples.quantile(all, 0.5);
  }

  /** A table for a person. */
  String text() {
    return line("pipelined", pipelined)
        + line("sequential", sequential)
        + line("again", again)
        + String.format(
            Locale.ROOT, "speedup %.3f; pipelined takes %.3f of itself%n", speedup(), control());
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
