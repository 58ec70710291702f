// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

/** Check of costs. */
final class Costs {
  private Costs() {}

  /** Throws unless a cost is positive and finite. */
  static void check(String what, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("%s cannot be %s".formatted(what, value));
    }
  }
}
