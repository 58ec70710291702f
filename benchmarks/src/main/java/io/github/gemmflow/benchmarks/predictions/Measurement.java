// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import java.util.Locale;

/**
 * Measured time of a layer, and the one that was predicted.
 *
 * @param place the hosts and their links
 * @param layer what was run, and how
 * @param predicted in milliseconds
 * @param measured in milliseconds
 */
record Measurement(String place, String layer, double predicted, double measured) {
  /** How far off the prediction is, as a share of what was measured. */
  double error() {
    return predicted / measured - 1;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-22s %-58s %10.3f ms %10.3f ms %+6.0f %%",
        place,
        layer,
        predicted,
        measured,
        100 * error());
  }
}
