// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Milliseconds of interleaved measurements, the slowest rank's, by view and round; and what they
 * say. What compares views is the median over rounds of what each round says: neighbours in time
 * share what disturbs them.
 */
public final class Samples {
  private final Map<View, double[]> views;
  private final double[] gemm;
  private final double[] computeOnly;
  private final double[] commOnly;
  private final double[] sequential;
  private final double[] pipelined;
  private final double[] again;

  /**
   * Takes over measurements, one for each round.
   *
   * @param views those of each view
   * @param again those of the pipelined view, once more
   */
  public Samples(Map<View, double[]> views, double[] again) {
    this.views = views;
    this.again = again;
    this.gemm = of(View.GEMM);
    this.computeOnly = of(View.COMPUTE_ONLY);
    this.commOnly = of(View.COMM_ONLY);
    this.sequential = of(View.SEQUENTIAL);
    this.pipelined = of(View.PIPELINED);
  }

  /** The times of a view, one for each round. */
  public double[] of(View view) {
    return Objects.requireNonNull(views.get(view), view::toString);
  }

  /** The time below which so large a share of a view's times lies. */
  public double quantile(View view, double share) {
    return quantile(of(view), share);
  }

  /** How many times as fast the pipelined view is as the sequential one. */
  public MedianInterval speedup() {
    return MedianInterval.of(ratios(sequential, pipelined));
  }

  /** The share of the shorter of communication and compute that runs beside the other. */
  public double overlap() {
    return overRounds(
        i -> (commOnly[i] + computeOnly[i] - pipelined[i]) / Math.min(commOnly[i], computeOnly[i]));
  }

  /** The share of what can be hidden that is hidden. */
  public double hidden() {
    return overRounds(
        i -> (sequential[i] - pipelined[i]) / (sequential[i] - Math.max(gemm[i], commOnly[i])));
  }

  /** How close the pipelined view comes to the longer of communication and product. */
  public double ofLimit() {
    return overRounds(i -> Math.max(gemm[i], commOnly[i]) / pipelined[i]);
  }

  /** The pipelined view against itself. */
  public MedianInterval control() {
    return MedianInterval.of(ratios(again, pipelined));
  }

  /** Of each round the ratio of two times that were measured in it. */
  public static double[] ratios(double[] times, double[] ofTimes) {
    double[] ratios = new double[times.length];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = times[i] / ofTimes[i];
    }
    return ratios;
  }

  /**
   * The same views as if each round had been undisturbed: one round, of the lower quartile of each
   * view. Whatever else runs on a machine only ever makes things slower, and a quotient of
   * differences magnifies it.
   */
  public Samples undisturbed() {
    Map<View, double[]> quartiles = new EnumMap<>(View.class);
    views.forEach((view, times) -> quartiles.put(view, new double[] {quantile(times, 0.25)}));
    return new Samples(quartiles, new double[] {quantile(again, 0.25)});
  }

  private double overRounds(IntToDoubleFunction ofRound) {
    return quantile(IntStream.range(0, pipelined.length).mapToDouble(ofRound).toArray(), 0.5);
  }

  /** The value below which so large a share of the values lies. */
  public static double quantile(List<? extends Number> values, double share) {
    return quantile(values.stream().mapToDouble(Number::doubleValue).toArray(), share);
  }

  public static double quantile(double[] values, double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double at = share * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
