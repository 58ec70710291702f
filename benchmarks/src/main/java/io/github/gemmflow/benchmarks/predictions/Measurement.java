// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import java.util.Locale;

/**
 * Measured times of a layer, and those that were predicted, in milliseconds.
 *
 * @param place the hosts and their links
 * @param layer what was run
 * @param way how; empty if by rule
 * @param predicted of a step
 * @param measured of a step
 * @param predictedAlone of the whole layer on one rank
 * @param measuredAlone of the whole layer on one rank: its products, one after the other
 */
record Measurement(
    String place,
    String layer,
    String way,
    double predicted,
    double measured,
    double predictedAlone,
    double measuredAlone) {
  /** How far off the prediction is, as a share of what was measured. */
  double error() {
    return predicted / measured - 1;
  }

  boolean isByRule() {
    return way.isEmpty();
  }

  /** Whether the prediction is right about whether more ranks than one help. */
  boolean isRightAboutHelp() {
    return (predicted < predictedAlone) == (measured < measuredAlone);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-18s %-44s %-13s %10.3f ms %10.3f ms %+6.0f %%; alone %10.3f ms %10.3f ms%s",
        place,
        layer,
        isByRule() ? "by rule" : way,
        predicted,
        measured,
        100 * error(),
        predictedAlone,
        measuredAlone,
        isRightAboutHelp() ? "" : ", wrong about help");
  }
}
