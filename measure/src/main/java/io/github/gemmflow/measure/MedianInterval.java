// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.util.Arrays;

/**
 * Median of independent values, with the interval in which the true median lies with 95 %
 * confidence. The bounds are two of the values, as the sign test gives them, so the confidence
 * holds for every distribution of noise.
 *
 * @param low the lower bound; infinite if there are too few values for one
 * @param high the upper bound; infinite if there are too few values for one
 */
public record MedianInterval(double median, double low, double high) {
  /** The share of intervals that may miss the true median. */
  private static final double ERROR = 0.05;

  /** The interval of one set of values. */
  public static MedianInterval of(double[] values) {
    return of(values, 1);
  }

  /**
   * One of several intervals that are looked at together. All of them hold with 95 % confidence, so
   * each one is wider (Bonferroni's correction).
   *
   * @param intervals how many there are
   */
  public static MedianInterval of(double[] values, int intervals) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double median = Samples.quantile(values, 0.5);
    int outside = outside(values.length, ERROR / intervals);
    return outside == 0
        ? new MedianInterval(median, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
        : new MedianInterval(median, sorted[outside - 1], sorted[sorted.length - outside]);
  }

  /** The fewest values that give such an interval. */
  public static int fewestValues(int intervals) {
    int values = 1;
    while (outside(values, ERROR / intervals) == 0) {
      values++;
    }
    return values;
  }

  /**
   * The number of values from either end up to the bound: as many as possible. Each value is below
   * the true median with probability 1/2, so the number of values below it is binomial.
   */
  private static int outside(int values, double error) {
    // In logarithms: 2^-values is less than the smallest double for more than 1,074 values.
    double logOfTerm = -values * Math.log(2);
    double fewerBelow = 0;
    int outside = 0;
    while (true) {
      fewerBelow += Math.exp(logOfTerm);
      if (2 * fewerBelow > error) {
        return outside;
      }
      logOfTerm += Math.log((double) (values - outside) / (outside + 1));
      outside++;
    }
  }

  /** Whether the true median is another one than this. */
  public boolean excludes(double value) {
    return low > value || high < value;
  }

  /** Whether there were enough values for bounds. */
  public boolean isBounded() {
    return Double.isFinite(low) && Double.isFinite(high);
  }

  /**
   * This interval of ratios, as wide as the bias of the measurement requires.
   *
   * @param control ratios of a thing to itself, measured in the same rounds; if they exclude 1, all
   *     ratios may be off by as much
   */
  public MedianInterval widenedBy(MedianInterval control) {
    if (!control.excludes(1)) {
      return this;
    }
    double off = Math.max(control.high, 1 / control.low);
    return new MedianInterval(median, low / off, high * off);
  }

  /** The bounds, for a program. */
  public double[] bounds() {
    return new double[] {low, high};
  }
}
