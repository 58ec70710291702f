// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import io.github.gemmflow.json.Json;
import io.github.gemmflow.tuning.cost.CostModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Forecast: what was asked about, and what times are predicted.
 *
 * @param title what was asked about
 * @param alternatives what other types would gain; empty if that was not asked
 */
public record Forecast(
    String title, List<Curve> curves, List<Alternative> alternatives, CostModel costs) {
  public Forecast {
    curves = List.copyOf(curves);
    alternatives = List.copyOf(alternatives);
  }

  private String link() {
    return String.format(
        Locale.ROOT,
        "%.3g Gbit/s, latency %.3g us",
        costs.link().bitsPerSecond() / 1e9,
        costs.link().latencyNanos() / 1e3);
  }

  /** For a person. */
  public String text() {
    StringBuilder text = new StringBuilder("%s%n".formatted(title));
    text.append("costs: %s; links of %s%n%n".formatted(costs, link()));
    text.append(curves.stream().map(Curve::text).collect(Collectors.joining("\n")));
    if (!alternatives.isEmpty()) {
      text.append("\nalternatives on the most ranks, with their time relative to the above:\n");
      alternatives.forEach(other -> text.append(other.text()));
    }
    return text.toString();
  }

  /** For a program. */
  public String json() {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("title", title);
    data.put("costs", costs.toString());
    data.put("measured", costs.isMeasured());
    data.put("machine", costs.machine());
    data.put("link", link());
    data.put("curves", curves.stream().map(Curve::json).toList());
    data.put("alternatives", alternatives.stream().map(Alternative::json).toList());
    return Json.write(data);
  }
}
