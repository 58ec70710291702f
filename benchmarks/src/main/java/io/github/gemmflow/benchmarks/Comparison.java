// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks;

import io.github.gemmflow.measure.MedianInterval;
import io.github.gemmflow.measure.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Ratios of two times of each round, and what they say about a limit. */
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

  /** The ratio with its bounds, by the rounds. */
  MedianInterval interval() {
    return MedianInterval.of(ratios.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /**
   * Whether the ratio is at most the limit, for a person: met if the interval is within the limit
   * or touches it, not met if it excludes the limit, undecided if it touches and is wider than what
   * is to be told apart.
   *
   * @param control the rival against itself in the same rounds
   */
  String verdict(Comparison control) {
    MedianInterval interval = interval().widenedBy(control.interval());
    if (interval.low() > limit) {
      return "not met";
    }
    boolean isTooWide = interval.high() - interval.low() > Math.abs(limit - 1);
    return interval.high() > limit && isTooWide ? "undecided" : "met";
  }

  /** The bounds of the ratio and whether it is at most the limit, for a person. */
  String judged(Comparison control) {
    MedianInterval interval = interval();
    String bounds =
        interval.isBounded()
            ? String.format(Locale.ROOT, "%.3f to %.3f", interval.low(), interval.high())
            : "too few rounds for bounds";
    return String.format(Locale.ROOT, "(%s; at most %.2f: %s)", bounds, limit, verdict(control));
  }

  /**
   * A line for a person.
   *
   * @param control the rival against itself in the same rounds
   */
  String line(Comparison control) {
    return String.format(
        Locale.ROOT, "%-10s %10.1f us   %.3f x bare %s", name, micros(), ratio(), judged(control));
  }

  /** The ratio, its bounds and the verdict, for a program. */
  void putRatio(Map<String, Object> figures, String ratioName, Comparison control) {
    figures.put(ratioName, ratio());
    figures.put(ratioName + "Interval", interval().bounds());
    figures.put("verdict", verdict(control));
  }
}
