// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

/**
 * Tolerance of a comparison, as that of NumPy's {@code allclose}: an element may be off by {@code
 * absolute + relative * |what it should be|}.
 */
public record Tolerance(double relative, double absolute) {
  public Tolerance {
    if (!(relative >= 0 && absolute >= 0)) {
      throw new IllegalArgumentException(
          "a tolerance is 0 or more, not --rtol %s --atol %s".formatted(relative, absolute));
    }
  }

  double allowed(double expected) {
    return absolute + relative * Math.abs(expected);
  }

  @Override
  public String toString() {
    return "the tolerance (--rtol %s --atol %s)".formatted(relative, absolute);
  }
}
