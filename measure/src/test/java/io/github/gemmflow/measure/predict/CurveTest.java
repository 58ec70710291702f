// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.measure.predict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From how many ranks on more do not pay. */
class CurveTest {
  private static Curve curve(String points) {
    List<Point> all =
        Arrays.stream(points.split(" ", -1))
            .map(point -> point.split(":", -1))
            .map(
                point -> {
                  int ranks = Integer.parseInt(point[0]);
                  double millis = Double.parseDouble(point[1]);
                  return new Point(ranks, ranks, millis, "the products", 0, 0, 0);
                })
            .toList();
    return new Curve("a layer", 0, all);
  }

  /** Counts that are close together gain little over each other, and much over the first. */
  @ParameterizedTest
  @CsvSource({
    "1:100 2:60 4:40, '4 ranks take 40.0 ms, 2.50x faster than 1, and more may help'",
    "1:100 2:60 4:58, '2 ranks take 60.0 ms, 1.67x faster than 1; of up to 4, more than 2 are not worth it'",
    "1:100 2:150 4:300, '1 rank, 100 ms; of up to 4, more than 1 are not worth it'",
    "1:193 3:93.5 4:86.8 6:76.2 64:61.1, '64 ranks take 61.1 ms, 3.16x faster than 1, and more may help'",
    "1:100 2:95 3:91 4:87 5:83 6:82, '4 ranks take 87.0 ms, 1.15x faster than 1; of up to 6, more than 4 are not worth it'",
    "1:100 2:120 4:50, '4 ranks take 50.0 ms, 2.00x faster than 1, and more may help'",
    "2:100, 100 ms"
  })
  void theVerdict(String points, String verdict) {
    assertEquals("a layer: " + verdict, curve(points).verdict());
  }
}
