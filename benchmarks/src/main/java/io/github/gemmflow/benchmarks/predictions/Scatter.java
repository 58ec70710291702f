// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.predictions;

import java.util.List;
import java.util.Locale;

/** Picture of predictions over measurements, both by ratios. */
final class Scatter {
  private static final int SIDE = 640;
  private static final int MARGIN = 60;

  private Scatter() {}

  /** SVG. */
  static String draw(List<Measurement> all) {
    double least =
        all.stream().mapToDouble(m -> Math.min(m.measured(), m.predicted())).min().orElse(1);
    double most =
        all.stream().mapToDouble(m -> Math.max(m.measured(), m.predicted())).max().orElse(10);
    double from = Math.floor(Math.log10(least));
    double to = Math.ceil(Math.log10(most));
    StringBuilder svg = new StringBuilder();
    int size = SIDE + 2 * MARGIN;
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
            .formatted(size, size));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    for (double exponent = from; exponent <= to; exponent++) {
      double at = at(Math.pow(10, exponent), from, to);
      String label =
          String.format(Locale.ROOT, "%g ms", Math.pow(10, exponent))
              .replaceAll("\\.?0+ ms", " ms");
      svg.append(line(at, 0, at, SIDE, "#ddd", ""));
      svg.append(line(0, at, SIDE, at, "#ddd", ""));
      svg.append(text(MARGIN + at, size - MARGIN + 18, "middle", label));
      svg.append(text(MARGIN - 8, MARGIN + SIDE - at + 4, "end", label));
    }
    for (double ratio : new double[] {1, 1.3, 1 / 1.3}) {
      double shift = Math.log10(ratio) / (to - from) * SIDE;
      svg.append(
          line(
              Math.max(0, -shift),
              Math.max(0, shift),
              SIDE - Math.max(0, shift),
              SIDE - Math.max(0, -shift),
              "#555",
              ratio == 1 ? "" : " stroke-dasharray=\"4 4\""));
    }
    for (Measurement each : all) {
      svg.append(
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#0072b2\" fill-opacity=\"0.6\"/>%n"
              .formatted(
                  MARGIN + at(each.measured(), from, to),
                  MARGIN + SIDE - at(each.predicted(), from, to)));
    }
    svg.append(text(MARGIN + SIDE / 2.0, size - 12, "middle", "measured"));
    svg.append(text(MARGIN, 36, "start", "predicted; dashed: a factor of 1.3"));
    return svg.append("</svg>\n").toString();
  }

  private static double at(double millis, double from, double to) {
    return (Math.log10(millis) - from) / (to - from) * SIDE;
  }

  /** From and to are above the origin of the chart. */
  private static String line(
      double x1, double y1, double x2, double y2, String color, String dash) {
    return String.format(
        Locale.ROOT,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>%n",
        MARGIN + x1,
        MARGIN + SIDE - y1,
        MARGIN + x2,
        MARGIN + SIDE - y2,
        color,
        dash);
  }

  private static String text(double x, double y, String anchor, String words) {
    return String.format(
        Locale.ROOT,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#333\">%s</text>%n",
        x,
        y,
        anchor,
        words);
  }
}
