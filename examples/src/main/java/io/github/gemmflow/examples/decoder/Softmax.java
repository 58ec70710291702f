// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.examples.decoder;

/** Exponentials of scores, divided by their sum; loops that the compiler vectorises. */
final class Softmax {
  /** {@code exp(x) = exp(x / 1024)^1024}: ten squarings. */
  private static final double STEP = 1.0 / 1024;

  /** What is less likely than this is not likely at all: {@code exp(-80)} is {@code 2e-35}. */
  private static final double LEAST = -80;

  private Softmax() {}

  /** Replaces the scores from {@code begin} to {@code end}. */
  static void apply(float[] scores, int begin, int end) {
    float most = Float.NEGATIVE_INFINITY;
    for (int t = begin; t < end; t++) {
      most = Math.max(most, scores[t]);
    }
    for (int t = begin; t < end; t++) {
      scores[t] = (float) exp(scores[t] - most);
    }
    double sum = 0;
    for (int t = begin; t < end; t++) {
      sum += scores[t];
    }
    float factor = (float) (1 / sum);
    for (int t = begin; t < end; t++) {
      scores[t] *= factor;
    }
  }

  /** The exponential of a number that is not above 0, to within 2e-9 of it: no branch, no table. */
  static double exp(double x) {
    double y = STEP * Math.max(x, LEAST);
    double e =
        1
            + y
                * (1
                    + y
                        * (1.0 / 2
                            + y * (1.0 / 6 + y * (1.0 / 24 + y * (1.0 / 120 + y * (1.0 / 720))))));
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    e *= e;
    return e * e;
  }
}
