// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.bench;

import io.github.gemmflow.trace.Span;
import java.util.Formatter;
import java.util.Locale;

/** A step as a drawing: for each rank what arrives, what it multiplies and when it waits. */
public final class Picture {
  private static final int LEFT = 130;
  private static final int WIDTH = 1000;
  private static final int RIGHT = 20;
  private static final int TOP = 50;
  private static final int TRACK = 26;
  private static final int GAP = 16;
  private static final int AXIS = 40;

  /** A label needs this much room. */
  private static final int LABEL_WIDTH = 110;

  private final Recording recording;
  private final double pixelsPerNano;
  private final Formatter svg = new Formatter(Locale.ROOT);

  private Picture(Recording recording) {
    this.recording = recording;
    this.pixelsPerNano = (double) WIDTH / Math.max(1, recording.end());
  }

  /** Draws a step as SVG. */
  public static String draw(Recording recording) {
    Picture picture = new Picture(recording);
    picture.draw();
    return picture.svg.toString();
  }

  private void draw() {
    int ranks = recording.ranks().size();
    int rankHeight = TRACK * (1 + recording.threads()) + GAP;
    int bottom = TOP + ranks * rankHeight;
    svg.format(
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>%n",
        LEFT + WIDTH + RIGHT, bottom + AXIS);
    svg.format("<rect width='100%%' height='100%%' fill='white'/>%n");
    legend();
    for (int rank = 0; rank < ranks; rank++) {
      rank(rank, TOP + rank * rankHeight);
    }
    axis(bottom);
    svg.format("</svg>%n");
  }

  private void legend() {
    int x = LEFT;
    for (Span.Kind kind : Span.Kind.values()) {
      svg.format("<rect x='%d' y='14' width='14' height='14' fill='%s'/>%n", x, color(kind));
      svg.format("<text x='%d' y='25'>%s</text>%n", x + 20, meaning(kind));
      x += 200;
    }
  }

  private void rank(int rank, int y) {
    svg.format("<text x='8' y='%d'>rank %d arrivals</text>%n", y + 17, rank);
    for (int thread = 0; thread < recording.threads(); thread++) {
      svg.format(
          "<text x='8' y='%d'>rank %d thread %d</text>%n",
          y + TRACK + TRACK * thread + 17, rank, thread);
    }
    for (Span span : recording.ranks().get(rank)) {
      span(span, y + TRACK * (span.thread() == Span.COMM ? 0 : span.thread() + 1));
    }
  }

  private void span(Span span, int y) {
    double x = x(span.begin());
    double width = Math.max(0.6, x(span.end()) - x);
    boolean arrival = span.kind() == Span.Kind.ARRIVAL;
    svg.format(
        "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'%s><title>%s, %.2f to %.2f ms</title></rect>%n",
        x,
        arrival ? y + 2 : y + 6,
        arrival ? 0.6 : width,
        arrival ? TRACK - 4 : TRACK - 10,
        color(span.kind()),
        span.kind() == Span.Kind.WORK ? " stroke='white'" : "",
        Trace.describe(span),
        span.begin() / 1e6,
        span.end() / 1e6);
    if (span.kind() == Span.Kind.WORK && width > LABEL_WIDTH) {
      svg.format(
          "<text x='%.1f' y='%d' fill='white'>rows %d-%d</text>%n",
          x + 6, y + 18, span.firstRow(), span.firstRow() + span.rows() - 1);
    }
  }

  private double x(long nanos) {
    return LEFT + nanos * pixelsPerNano;
  }

  private void axis(int y) {
    double millis = recording.end() / 1e6;
    double step = Math.pow(10, Math.floor(Math.log10(Math.max(millis, 1e-3))));
    if (millis / step < 4) {
      step /= 4;
    }
    for (double at = 0; at <= millis; at += step) {
      double x = x((long) (at * 1e6));
      svg.format("<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#999'/>%n", x, TOP - 8, x, y);
      svg.format(
          "<text x='%.1f' y='%d' text-anchor='middle'>%s ms</text>%n", x, y + 18, number(at));
    }
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.3g", value);
  }

  private static String color(Span.Kind kind) {
    return switch (kind) {
      case WORK -> "#2166ac";
      case ADD -> "#762a83";
      case WAIT -> "#f4a582";
      case TRANSFER -> "#bbbbbb";
      case ARRIVAL -> "#1a9850";
    };
  }

  private static String meaning(Span.Kind kind) {
    return switch (kind) {
      case WORK -> "multiplies";
      case ADD -> "adds up";
      case WAIT -> "waits for rows";
      case TRANSFER -> "comm thread at work";
      case ARRIVAL -> "rows arrive";
    };
  }
}
