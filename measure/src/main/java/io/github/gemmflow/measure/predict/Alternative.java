// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Other choice of type, and what it would gain.
 *
 * @param name what would be different
 * @param millis with it
 * @param ofThis its time as a share of that without
 */
public record Alternative(String name, double millis, double ofThis) {
  /** For a person. */
  public String text() {
    return String.format(Locale.ROOT, "%-34s%12s%8.2fx%n", name, Curve.time(millis), ofThis);
  }

  Map<String, Object> json() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("ms", millis);
    fields.put("ofThis", ofThis);
    return fields;
  }
}
