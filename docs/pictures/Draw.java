// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Pictures of measured figures for the README and docs/concepts.md, light and dark: {@code java
 * docs/pictures/Draw.java}. The figures are those of docs/performance.md.
 */
final class Draw {
  private static final String FONT =
      "font-family=\"-apple-system,'Segoe UI',Helvetica,Arial,sans-serif\"";

  private record Colors(
      String text, String soft, String ours, String others, String net, String line) {}

  private static final Colors LIGHT =
      new Colors("#1f2328", "#59636e", "#0969da", "#afb8c1", "#8c959f", "#d1d9e0");
  private static final Colors DARK =
      new Colors("#f0f6fc", "#9198a1", "#4493f8", "#3d444d", "#656c76", "#3d444d");

  private record Bar(String name, String how, double value, boolean ours) {}

  void main() throws IOException {
    Path here = Path.of("docs/pictures");
    Files.writeString(here.resolve("throughput.svg"), throughput(LIGHT));
    Files.writeString(here.resolve("throughput-dark.svg"), throughput(DARK));
    Files.writeString(here.resolve("overlap.svg"), overlap(LIGHT));
    Files.writeString(here.resolve("overlap-dark.svg"), overlap(DARK));
  }

  private static String throughput(Colors c) {
    List<Bar> bars =
        List.of(
            new Bar("Gemmflow", "int8, 2 hosts", 184, true),
            new Bar("llama.cpp", "Q8_0, split tensors, 2 hosts", 46.0, false),
            new Bar("distributed-llama", "Q40, 2 hosts", 40.4, false),
            new Bar("Jlama", "Q4, 1 host", 16.4, false));
    StringBuilder svg = new StringBuilder(head(720, 212, "Prompt tokens per second"));
    svg.append(text(0, 18, 15, c.text, "600", "start", "Reading a prompt: tokens per second"));
    double scale = 390.0 / 184;
    int y = 36;
    for (Bar bar : bars) {
      svg.append(text(190, y + 15, 14, c.text, bar.ours ? "600" : "400", "end", bar.name));
      svg.append(text(190, y + 30, 11, c.soft, "400", "end", bar.how));
      double width = bar.value * scale;
      svg.append(rect(202, y + 3, width, 26, bar.ours ? c.ours : c.others));
      String value = String.format(Locale.ROOT, "%.0f", bar.value);
      svg.append(
          text(202 + width + 8, y + 21, 14, c.text, bar.ours ? "600" : "400", "start", value));
      y += 39;
    }
    String caption =
        "Llama with 1 billion parameters, 132 tokens; one core per host, 1 Gbit/s. Longer is better.";
    svg.append(text(0, 206, 11, c.soft, "400", "start", caption));
    return svg.append("</svg>\n").toString();
  }

  /** The network alone takes 140 ms; a sequential step took 523 ms, an overlapped one 405 ms. */
  private static String overlap(Colors c) {
    double scale = 560.0 / 523;
    double x = 110;
    StringBuilder svg = new StringBuilder(head(720, 196, "One layer, sequential and overlapped"));
    svg.append(text(0, 18, 15, c.text, "600", "start", "One layer on two hosts"));
    svg.append(text(x - 10, 55, 14, c.text, "400", "end", "Sequential"));
    svg.append(rect(x, 36, 140 * scale, 28, c.net));
    svg.append(text(x + 70 * scale, 55, 13, "#ffffff", "400", "middle", "network"));
    svg.append(rect(x + 140 * scale, 36, 383 * scale, 28, c.ours));
    svg.append(text(x + 331 * scale, 55, 13, "#ffffff", "400", "middle", "multiply"));
    svg.append(text(x + 523 * scale, 80, 13, c.text, "400", "end", "523 ms"));
    svg.append(text(x - 10, 121, 14, c.text, "600", "end", "Overlapped"));
    svg.append(rect(x, 94, 140 * scale, 18, c.net));
    svg.append(text(x + 70 * scale, 107, 12, "#ffffff", "400", "middle", "network"));
    svg.append(rect(x, 114, 405 * scale, 28, c.ours));
    svg.append(text(x + 202 * scale, 133, 13, "#ffffff", "400", "middle", "multiply"));
    svg.append(text(x + 405 * scale, 158, 13, c.text, "600", "end", "405 ms"));
    double from = x + 405 * scale;
    double to = x + 523 * scale;
    svg.append(line(from, 90, from, 142, c.soft)).append(line(to, 86, to, 142, c.soft));
    svg.append(line(from, 128, to, 128, c.soft));
    svg.append(text((from + to) / 2, 121, 13, c.text, "600", "middle", "118 ms saved"));
    String caption =
        "4096 x 4096 x 4096 in BF16 per host, 1 Gbit/s. Medians; the product's part of the sequential step is the rest of 523 ms.";
    svg.append(text(0, 188, 11, c.soft, "400", "start", caption));
    return svg.append("</svg>\n").toString();
  }

  private static String head(int width, int height, String title) {
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">
        """
        .formatted(width, height, width, height, title);
  }

  private static String text(
      double x, double y, int size, String color, String weight, String anchor, String words) {
    return String.format(
        Locale.ROOT,
        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"%s\" font-weight=\"%s\" text-anchor=\"%s\" %s>%s</text>%n",
        x,
        y,
        size,
        color,
        weight,
        anchor,
        FONT,
        words);
  }

  private static String rect(double x, double y, double width, double height, String color) {
    return String.format(
        Locale.ROOT,
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" fill=\"%s\"/>%n",
        x,
        y,
        width,
        height,
        color);
  }

  private static String line(double x1, double y1, double x2, double y2, String color) {
    return String.format(
        Locale.ROOT,
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-dasharray=\"3 3\"/>%n",
        x1,
        y1,
        x2,
        y2,
        color);
  }
}
