// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.cli.bench.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The ratios of adjacent pairs of measurements, and what they say about a limit. */
final class Comparison {
  private final String name;
  private final double limit;
  private final List<Double> ratios = new ArrayList<>();
  private final List<Double> times = new ArrayList<>();
  private final List<Double> rivalTimes = new ArrayList<>();

  Comparison(String name, double limit) {
    this.name = name;
    this.limit = limit;
  }

  void add(long nanos, long ofNanos, int iterations) {
    ratios.add((double) nanos / ofNanos);
    times.add(nanos / 1e3 / iterations);
    rivalTimes.add(ofNanos / 1e3 / iterations);
  }

  static double median(List<Double> values) {
    return Samples.quantile(values, 0.5);
  }

  double ratio() {
    return median(ratios);
  }

  /**
   * The ratio of the lower quartiles: whatever else runs on a machine only ever makes things
   * slower.
   */
  double undisturbedRatio() {
    return lowerQuartile(times) / lowerQuartile(rivalTimes);
  }

  private static double lowerQuartile(List<Double> values) {
    return Samples.quantile(values, 0.25);
  }

  /** The median of what is compared, in microseconds. */
  double micros() {
    return median(times);
  }

  /** The rival's median, in microseconds. */
  double rivalMicros() {
    return median(rivalTimes);
  }

  /**
   * Whether the ratio is at most the limit, for a person.
   *
   * @param control the ratio of the rival to itself in the same run
   */
  String verdict(double control) {
    double tolerance = limit - 1;
    if (Math.abs(control - 1) > tolerance / 2 && ratio() > 1 - tolerance) {
      return "undecided";
    }
    return ratio() <= limit ? "met" : "not met";
  }

  /**
   * A line for a person.
   *
   * @param control the ratio of the rival to itself in the same run
   */
  String line(double control) {
    return String.format(
        Locale.ROOT,
        "%-10s %10.1f us   %.3f x bare (at most %.2f: %s)",
        name,
        micros(),
        ratio(),
        limit,
        verdict(control));
  }
}
