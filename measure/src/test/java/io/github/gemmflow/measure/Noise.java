// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Noise of machines, as times that a benchmark would have measured on them. */
public enum Noise {
  /** Logarithms of times are normal. */
  LOG_NORMAL,

  /** The same, and in 5 % of measurements something else takes as long again. */
  HEAVY_TAILED,

  /** The same, and the machine becomes slower from each measurement to the next. */
  DRIFT;

  private static final double OUTLIERS = 0.05;

  /**
   * The times of a benchmark, by part and round.
   *
   * @param noise the standard deviation of the logarithms
   * @param means of the parts of a round
   */
  public List<double[]> times(SplittableRandom random, int rounds, double noise, double... means) {
    List<double[]> times = new ArrayList<>();
    for (int part = 0; part < means.length; part++) {
      times.add(new double[rounds]);
    }
    int measured = 0;
    for (int round = 0; round < rounds; round++) {
      for (int place = 0; place < means.length; place++) {
        int part = Rounds.partAt(place, round, means.length);
        double slower = noise * random.nextGaussian();
        slower += this == HEAVY_TAILED && random.nextDouble() < OUTLIERS ? Math.log(2) : 0;
        slower += this == DRIFT ? noise * measured++ : 0;
        times.get(part)[round] = means[part] * Math.exp(slower);
      }
    }
    return times;
  }
}
