// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

/**
 * A function that is applied to each element of C. What becomes of NaN and infinities is the same
 * in every kernel, and is what fast implementations make of them.
 */
public enum Activation {
  /** The element itself. */
  NONE,
  /** {@code x > 0 ? x : 0}: a NaN becomes 0. */
  RELU,
  /**
   * {@code x / 2 * (1 + erf(x / sqrt(2)))}: the exact one, not its approximation with tanh. An
   * infinity becomes NaN, or, where oneDNN uses AVX2, the limit.
   */
  GELU,
  /** {@code x / (1 + exp(-x))}, also called swish. Negative infinity becomes NaN. */
  SILU;

  /** The function, rounded to a float once. */
  public float apply(float x) {
    return switch (this) {
      case NONE -> x;
      case RELU -> x > 0 ? x : 0;
      case GELU -> Float.isInfinite(x) ? Float.NaN : (float) (0.5 * x * erfc(-x / Math.sqrt(2)));
      case SILU -> (float) (x / (1 + Math.exp(-(double) x)));
    };
  }

  /**
   * {@code 1 - erf(x)}, with an error of at most 1.2e-7 of it everywhere: the Chebyshev fit of
   * Press et al., Numerical Recipes, 2nd edition, section 6.2.
   */
  private static double erfc(double x) {
    double z = Math.abs(x);
    double t = 1 / (1 + 0.5 * z);
    double polynomial = 0.17087277;
    for (double c : ERFC) {
      polynomial = c + t * polynomial;
    }
    double value = t * Math.exp(-z * z + polynomial);
    return x >= 0 ? value : 2 - value;
  }

  private static final double[] ERFC = {
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
    -1.26551223
  };
}
