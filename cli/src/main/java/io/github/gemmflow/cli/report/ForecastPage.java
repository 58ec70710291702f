// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import io.github.gemmflow.measure.predict.Forecast;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Page for a browser that shows a forecast. */
public final class ForecastPage {
  private ForecastPage() {}

  /** Makes the page. */
  public static String of(Forecast forecast) throws IOException {
    return Page.of("forecast", Map.of("data", forecast.json()), List.of("forecast.js"));
  }
}
