// SPDX-License-Identifier: Apache-2.0
"use strict";

/** The views of a layer, in the order in which they are drawn. */
const VIEWS = [
  ["gemm", "product alone"],
  ["computeOnly", "compute only"],
  ["commOnly", "communication only"],
  ["sequential", "sequential"],
  ["pipelined", "overlapped"],
];

/** A number of milliseconds, with as many digits as say something. */
function millis(value) {
  const digits = value >= 100 ? 1 : value >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ms`;
}

/** The rounds of a view; none in files of older versions. */
function rounds(view) {
  return Array.isArray(view.samplesMs) ? view.samplesMs.filter(Number.isFinite) : [];
}

/** What is drawn: all, unless a few rounds that took very long would leave no room for the others. */
function longestShown(figures) {
  const all = VIEWS.flatMap(([id]) => rounds(figures.views[id]));
  const usual = 1.2 * Math.max(...VIEWS.map(([id]) => figures.views[id].p90Ms));
  return Math.max(...all, 0) > 1.5 * usual ? usual : Infinity;
}

/** From the tenth to the ninetieth percentile, with caps. */
function whisker(params, api) {
  const [from, y] = api.coord([api.value(1), api.value(0)]);
  const [to] = api.coord([api.value(2), api.value(0)]);
  const style = { stroke: api.visual("color"), lineWidth: 1.5 };
  const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
  return {
    type: "group",
    children: [line(from, y, to, y), line(from, y - 6, from, y + 6), line(to, y - 6, to, y + 6)],
  };
}

/** Dots of one bar lie beside each other; where exactly says nothing. */
function dots(figures) {
  const longest = longestShown(figures);
  return VIEWS.flatMap(([id], row) =>
    rounds(figures.views[id]).filter((value) => value <= longest).map((value, i) => ({
      value: [value, row],
      symbolOffset: [0, (((i * 3) % 5) - 2) * 3],
    })),
  );
}

/** Bars of medians, with whiskers and the single rounds; the product alone is the line to compare with. */
function viewsOption(figures, colors, narrow) {
  const of = (id) => figures.views[id];
  const rows = VIEWS.map(([id]) => id);
  const axis = { type: "category", data: rows, inverse: true, axisTick: { show: false }, axisLine: { show: false } };
  return {
    animation: false,
    textStyle: { fontFamily: "inherit", color: colors.text },
    grid: { left: 4, right: 4, top: 6, bottom: 2, containLabel: true },
    xAxis: {
      type: "value",
      min: 0,
      splitNumber: narrow ? 3 : 6,
      axisLabel: { color: colors.muted, formatter: (v) => `${v} ms`, hideOverlap: true },
      splitLine: { lineStyle: { color: colors.line } },
    },
    yAxis: [
      {
        ...axis,
        axisLabel: {
          formatter: (id, row) => `${VIEWS[row][1]}\n{id|${id}}`,
          color: colors.text,
          fontSize: narrow ? 12 : 14,
          lineHeight: 17,
          rich: { id: { color: colors.muted, fontSize: narrow ? 11 : 12, lineHeight: 16 } },
        },
      },
      {
        ...axis,
        position: "right",
        axisLabel: {
          formatter: (id) => millis(of(id).medianMs),
          color: colors.text,
          fontSize: narrow ? 12 : 14,
          fontWeight: 600,
        },
      },
    ],
    tooltip: {
      confine: true,
      backgroundColor: colors.page,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 13 },
      formatter: (p) => viewTip(figures, p),
    },
    series: [
      {
        name: "median",
        type: "bar",
        barWidth: "62%",
        data: rows.map((id) => ({
          value: of(id).medianMs,
          itemStyle: { color: id === "pipelined" ? colors.multiply : colors.bar, borderRadius: [0, 3, 3, 0] },
        })),
        markLine: {
          symbol: "none",
          silent: true,
          label: { show: false },
          lineStyle: { color: colors.muted, type: [4, 4], width: 1 },
          data: [{ xAxis: of("gemm").medianMs }],
        },
      },
      {
        name: "round",
        type: "scatter",
        z: 3,
        symbolSize: 5,
        itemStyle: { color: colors.text, opacity: 0.38 },
        data: dots(figures),
      },
      {
        name: "spread",
        type: "custom",
        z: 4,
        silent: true,
        renderItem: whisker,
        itemStyle: { color: colors.text },
        encode: { x: [1, 2], y: 0 },
        data: rows.map((id, row) => [row, of(id).p10Ms, of(id).p90Ms]),
      },
    ],
  };
}

function viewTip(figures, { seriesName, dataIndex, data }) {
  if (seriesName === "round") {
    return `${VIEWS[data.value[1]][1]}: a round of ${millis(data.value[0])}`;
  }
  const [id, title] = VIEWS[dataIndex];
  const view = figures.views[id];
  return `${title} (${id})<br><b>${millis(view.medianMs)}</b>, from ${millis(view.p10Ms)} to ${millis(view.p90Ms)}`;
}

/** How to read the chart, and what is not on it. */
function viewsLegend(figures) {
  const longest = longestShown(figures);
  const all = VIEWS.flatMap(([id]) => rounds(figures.views[id]));
  const beyond = all.filter((value) => value > longest);
  const left = beyond.length > 0 ? ` ${beyond.length} took longer than the axis shows, up to ${millis(Math.max(...beyond))}.` : "";
  const what = all.length > 0 ? `, dots are single rounds.${left}` : ".";
  return `Bars are medians, whiskers go from the 10th to the 90th percentile${what} The dashed line is the product alone.`;
}

/** The chart in words. */
function viewsInWords(figures) {
  const times = VIEWS.map(([id, title]) => `${title} ${millis(figures.views[id].medianMs)}`);
  return `Bars: median time of a step. ${times.join(", ")}.`;
}
