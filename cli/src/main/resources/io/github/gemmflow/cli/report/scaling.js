// SPDX-License-Identifier: Apache-2.0
"use strict";

/** Lines of the chart: after these colours they begin again, with other marks. */
const LINE_COLORS = ["multiply", "wait", "arrival", "add"];
const LINE_MARKS = ["circle", "rect", "triangle", "diamond"];

const kindOf = ({ operation, dtype }) => `${operation} ${dtype}`;

/** The operation and type of all benchmarks, if it is the same. */
const commonKind = (all) => (all.every((run) => kindOf(run) === kindOf(all[0])) ? kindOf(all[0]) : "");

/** The benchmarks of one layer on different numbers of ranks, fewest first; small layers first. */
function layersOf(all) {
  const layers = new Map();
  for (const figures of all) {
    const { m, k, n } = figures.shape;
    const shape = `${m} × ${k} × ${n}`;
    const name = commonKind(all) ? shape : `${kindOf(figures)} ${shape}`;
    layers.set(name, [...(layers.get(name) ?? []), figures]);
  }
  const size = ({ runs: [{ shape }] }) => shape.m * shape.k * shape.n;
  return [...layers]
    .map(([name, runs]) => ({ name, runs: runs.sort((a, b) => a.ranks - b.ranks) }))
    .sort((a, b) => size(a) - size(b));
}

/** The throughput of a benchmark, as a multiple of that of the fewest ranks. */
const growth = (run, { runs }) => run.views.pipelined.gflops / runs[0].views.pipelined.gflops;

/** What a reader wants to know first. */
function scalingVerdict(layers) {
  const grown = layers.filter(({ runs }) => runs.at(-1).ranks > runs[0].ranks);
  if (grown.length === 0) {
    return "One number of ranks: nothing to compare.";
  }
  const factors = grown.map((layer) => growth(layer.runs.at(-1), layer)).sort((a, b) => a - b);
  const spread = factors.map((factor) => `${factor.toPrecision(2)}×`);
  const text = spread[0] === spread.at(-1) ? spread[0] : `${spread[0]} to ${spread.at(-1)}`;
  const [from, to] = [grown[0].runs[0].ranks, grown[0].runs.at(-1).ranks];
  return `From ${from} to ${to} ranks throughput grows ${text}.`;
}

function lineStyleOf(index, colors) {
  return {
    color: colors[LINE_COLORS[index % LINE_COLORS.length]],
    mark: LINE_MARKS[(index + Math.floor(index / LINE_COLORS.length)) % LINE_MARKS.length],
  };
}

/** Throughput over ranks: a line for each layer, and a dotted one in proportion to its first point. */
function scalingOption(layers, colors, narrow) {
  const most = Math.max(...layers.flatMap(({ runs }) => runs.map(({ ranks }) => ranks)));
  const axis = { axisLabel: { color: colors.muted }, splitLine: { lineStyle: { color: colors.line } } };
  const points = ({ runs }) => runs.map((run) => [run.ranks, run.views.pipelined.gflops]);
  return {
    animation: false,
    textStyle: { color: colors.text },
    grid: { left: 8, right: 24, top: 34, bottom: 34, containLabel: true },
    xAxis: { ...axis, type: "value", min: 0, max: most, minInterval: 1, splitNumber: narrow ? 4 : 8, name: "ranks", nameLocation: "middle", nameGap: 28, nameTextStyle: { color: colors.muted } },
    yAxis: { ...axis, type: "value", min: 0, name: "GFLOP/s", nameTextStyle: { color: colors.muted, align: "left" } },
    tooltip: {
      confine: true,
      backgroundColor: colors.page,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 13 },
      formatter: ({ seriesName, value }) => `${seriesName}<br>${plural(value[0], "rank")}: <b>${Math.round(value[1])} GFLOP/s</b>`,
    },
    series: layers.flatMap((layer, index) => {
      const { color, mark } = lineStyleOf(index, colors);
      const [ranks, gflops] = points(layer)[0];
      return [
        { name: layer.name, type: "line", data: points(layer), symbol: mark, symbolSize: 9, itemStyle: { color }, lineStyle: { color, width: 2 } },
        { name: "in proportion", type: "line", silent: true, tooltip: { show: false }, symbol: "none", lineStyle: { color, width: 1, type: [2, 4] }, data: [[ranks, gflops], [most, (gflops * most) / ranks]] },
      ];
    }),
  };
}

function scalingInWords(layers) {
  const lines = layers.map(({ name, runs }) => {
    const points = runs.map(({ ranks, views }) => `${plural(ranks, "rank")} ${Math.round(views.pipelined.gflops)} GFLOP/s`);
    return `${name}: ${points.join(", ")}`;
  });
  return `Lines: throughput over ranks. ${lines.join("; ")}.`;
}

/** The lines of the table: one for each benchmark, after a heading. */
function sweepRows(layers) {
  const heads = ["M × K × N", "ranks", "hosts", "one after the other", "overlapped", "faster", "GFLOP/s", "of the fewest ranks"];
  const rows = layers.flatMap((layer) =>
    layer.runs.map((run) => [
      layer.name,
      run.ranks,
      run.hosts,
      millis(run.views.sequential.medianMs),
      millis(run.views.pipelined.medianMs),
      run.decided ? `${run.speedup.toPrecision(2)}×` : "–",
      Math.round(run.views.pipelined.gflops),
      `${growth(run, layer).toPrecision(2)}×`,
    ]),
  );
  return [heads, ...rows];
}
