// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.util.Locale;

/**
 * Sentence that says what the times of a benchmark show, or that they show nothing.
 *
 * @param decided whether the figures behind it mean something
 */
public record Verdict(boolean decided, String text) {
  /**
   * Compares overlapped steps with those that do one thing after the other. An effect is one if the
   * interval of the speedup excludes 1, wider by the bias that the control shows.
   *
   * @param speedup how many times as fast overlapped steps are
   * @param control how long an overlapped step takes, as a multiple of itself
   */
  public static Verdict of(int hosts, MedianInterval speedup, MedianInterval control) {
    if (hosts == 1) {
      return new Verdict(false, "One host: nothing to overlap, because all ranks share memory.");
    }
    if (!speedup.isBounded()) {
      return new Verdict(
          false,
          "Undecided: too few rounds to tell an effect from noise. Use at least %d --iterations."
              .formatted(MedianInterval.fewestValues(1)));
    }
    MedianInterval widened = speedup.widenedBy(control);
    double low = 1 / widened.high();
    double high = 1 / widened.low();
    if (!widened.excludes(1)) {
      return new Verdict(false, undecided(shares(low, high), control));
    }
    double median = speedup.median();
    String takes = percent(1 / median, digits(low, high));
    return new Verdict(
        true,
        median > 1
            ? "Overlap makes it %s faster (%s of the sequential time; 95 %% confidence: %s)."
                .formatted(times(median), takes, shares(low, high))
            : "Overlap makes it slower: %s of the sequential time (95 %% confidence: %s)."
                .formatted(takes, shares(low, high)));
  }

  /** Why not, and what helps: more rounds help against noise, not against a bias. */
  private static String undecided(String share, MedianInterval control) {
    String found =
        "Undecided: overlapped takes %s of the sequential time (95 %% confidence)".formatted(share);
    return control.excludes(1)
        ? "%s, but in the control run the same step takes %s of its own time. Repeat it on a quiet machine."
            .formatted(found, shares(control.low(), control.high()))
        : found + ". More --iterations or a quiet machine narrow that range.";
  }

  /** A factor, such as 1.3x; what is close to 1 has more digits. */
  public static String times(double factor) {
    int digits = factor < 1.01 ? 3 : factor < 1.1 ? 2 : factor < 10 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + digits + "fx", factor);
  }

  /** A share in whole percents, or in tenths below one. */
  public static String percent(double share) {
    return percent(share, Math.abs(share) < 0.01 ? 1 : 0);
  }

  private static String percent(double share, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f %%", 100 * share);
  }

  private static String shares(double low, double high) {
    int digits = digits(low, high);
    return percent(low, digits) + " to " + percent(high, digits);
  }

  /** As many as tell two bounds apart. */
  private static int digits(double low, double high) {
    return high - low < 0.05 ? 1 : 0;
  }
}
