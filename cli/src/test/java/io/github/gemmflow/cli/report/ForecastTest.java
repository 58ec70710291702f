// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.predict.Curve;
import io.github.gemmflow.measure.predict.Forecast;
import io.github.gemmflow.measure.predict.Point;
import io.github.gemmflow.measure.predict.Question;
import io.github.gemmflow.tuning.Tuning;
import io.github.gemmflow.tuning.cost.CostModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page of a forecast in a real browser. */
@Tag("full")
class ForecastTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"1280, 900, light", "1280, 900, dark", "390, 844, light", "390, 844, dark"})
  void fitsAndIsQuiet(int width, int height, String theme) throws IOException {
    Question question = new Question(List.of(1, 2, 4, 8, 16), 1, Tuning.DEFAULT, CostModel.ASSUMED);
    Layer.Size size = new Layer.Size(Operation.GATHER, 512, 4096, 4096, DType.F32);
    Forecast forecast =
        new Forecast(
            "a layer on 1 to 16 ranks",
            List.of(question.layer(size)),
            question.alternatives(size),
            CostModel.ASSUMED);
    Path file = Files.writeString(directory.resolve("forecast.html"), ForecastPage.of(forecast));
    OpenReport page = OpenReport.open(file, width, height, theme);
    assertEquals(true, page.value("document.scrollingElement.scrollWidth <= innerWidth"));
    assertEquals((double) width, page.value("innerWidth"));
    assertEquals(
        "a layer on 1 to 16 ranks", page.value("document.querySelector('h1').textContent"));
    assertEquals(6.0, page.value("document.querySelectorAll('#tables tr').length"));
    assertEquals(true, page.value("document.querySelector('#curve canvas') !== null"));
    page.screenshot("forecast-%d-%s.png".formatted(width, theme), width);
    page.assertQuiet();
  }

  @Test
  void namesAreNoHtml() throws IOException {
    String name = "pass<img src=x onerror=alert(1)>";
    List<Point> points =
        List.of(new Point(1, 1, 8, name, 0, 0, 0), new Point(4, 1, 4, name, 0, 0, 0));
    Forecast forecast =
        new Forecast(name, List.of(new Curve(name, 0, points)), List.of(), CostModel.ASSUMED);
    Path file = Files.writeString(directory.resolve("names.html"), ForecastPage.of(forecast));
    OpenReport page = OpenReport.open(file, 1280, 900, "light");
    assertEquals(name, page.value("document.querySelector('h1').textContent"));
    page.chart("curve");
    page.mouse("mouseMoved", 4, 2, Map.of());
    assertEquals(name + "\n4 ranks: 2.00×", page.tooltip());
    page.assertQuiet();
  }
}
