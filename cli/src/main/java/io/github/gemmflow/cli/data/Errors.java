// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.data;

import java.util.Locale;

/** Errors of some elements: the largest, and how large they are together. */
final class Errors {
  private double largest;
  private double squares;
  private double wantedSquares;

  void add(double is, double wanted) {
    double off = Math.abs(is - wanted);
    // NaN is larger than anything.
    largest = off <= largest ? largest : off;
    squares += off * off;
    wantedSquares += wanted * wanted;
  }

  /** The norm of the differences as a share of the norm of what should be. */
  double relative() {
    return squares == 0 ? 0 : Math.sqrt(squares / wantedSquares);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "largest error %.3g, relative error %.3g", largest, relative());
  }
}
