// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.bench;

import java.util.Locale;

/**
 * Sentence that says what the times of a benchmark show, or that they show nothing.
 *
 * @param decided whether the figures behind it mean something
 */
public record Verdict(boolean decided, String text) {
  /**
   * Compares overlapped steps with those that do one thing after the other. The same step measured
   * against itself says how much of the difference is noise.
   *
   * @param speedup how many times as fast overlapped steps are
   * @param control how long an overlapped step takes, as a multiple of itself
   */
  static Verdict of(int hosts, double speedup, double control) {
    if (hosts == 1) {
      return new Verdict(false, "One host: nothing to overlap, because rows lie in shared memory.");
    }
    double effect = Math.abs(speedup - 1);
    double noise = Math.abs(control - 1);
    if (!(noise <= effect / 2)) {
      return new Verdict(
          false,
          "Undecided: overlap changes the time by %s, but the same step measured twice differs by %s. Repeat it with more --iterations, on a quiet machine."
              .formatted(percent(effect), percent(noise)));
    }
    return new Verdict(
        true,
        speedup > 1
            ? "Overlap makes it %s faster (%s of the time of one after the other)."
                .formatted(times(speedup), percent(1 / speedup))
            : "Overlap makes it slower: %s of the time of one after the other."
                .formatted(percent(1 / speedup)));
  }

  /** A factor with two digits, such as 1.3x. */
  static String times(double factor) {
    return String.format(Locale.ROOT, factor < 10 ? "%.1fx" : "%.0fx", factor);
  }

  /** A share in whole percents, or in tenths below one. */
  static String percent(double share) {
    double value = 100 * share;
    return String.format(Locale.ROOT, Math.abs(value) < 1 ? "%.1f %%" : "%.0f %%", value);
  }
}
