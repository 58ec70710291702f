// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Times in milliseconds, for persons and programs. */
public final class Millis {
  private Millis() {}

  /** Three digits: medians of equal runs differ in the second already. */
  public static String text(double value) {
    int decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f ms", value);
  }

  /** From the tenth to the ninetieth percentile. */
  public static String spread(double[] times) {
    return text(Samples.quantile(times, 0.1)) + " to " + text(Samples.quantile(times, 0.9));
  }

  /** Median, percentiles and all of them. */
  public static Map<String, Object> figures(double[] times) {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("medianMs", Samples.quantile(times, 0.5));
    figures.put("p10Ms", Samples.quantile(times, 0.1));
    figures.put("p90Ms", Samples.quantile(times, 0.9));
    figures.put("samplesMs", times);
    return figures;
  }
}
