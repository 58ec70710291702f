// SPDX-License-Identifier: Apache-2.0
"use strict";

/** Lines of the chart: after these colours they begin again, with other marks. */
const LINE_COLORS = ["multiply", "wait", "arrival", "add"];
const LINE_MARKS = ["circle", "rect", "triangle", "diamond"];

const kindOf = ({ operation, dtype }) => `${operation} ${dtype}`;

/** Whether two benchmarks differ in something. */
const differ = (runs, what) => runs.some((run) => what(run) !== what(runs[0]));

/** What tells benchmarks apart besides the shape, as far as it does. */
function namesOf(all) {
  const kind = differ(all, kindOf);
  const groups = differ(all, (run) => run.groups);
  const engine = differ(all, (run) => run.engine);
  const place = (run) => [kindOf(run), run.groups, run.engine, run.ranks, ...Object.values(run.shape)].join();
  const placed = new Map();
  const hosts = all.some((run) => {
    const before = placed.get(place(run)) ?? run.hosts;
    placed.set(place(run), run.hosts);
    return before !== run.hosts;
  });
  return (run) => {
    const { m, k, n } = run.shape;
    const parts = [`${m} × ${k} × ${n}`];
    if (kind) parts.unshift(kindOf(run));
    if (groups) parts.push(plural(run.groups, "group"));
    if (engine) parts.push(run.mpi || run.engine);
    if (hosts) parts.push(`on ${plural(run.hosts, "host")}`);
    return parts.join(" ");
  };
}

/** The benchmarks of one layer on different numbers of ranks, fewest first; small layers first. */
function layersOf(all) {
  const nameOf = namesOf(all);
  const layers = new Map();
  for (const figures of all) {
    const name = nameOf(figures);
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
  const spans = new Set(grown.map(({ runs }) => `From ${runs[0].ranks} to ${runs.at(-1).ranks} ranks`));
  const span = spans.size === 1 ? [...spans][0] : "From the fewest ranks to the most";
  return `${span} throughput grows ${text}.`;
}

/** The name of a line's colour, and its mark. */
function lineStyleOf(index) {
  return {
    color: LINE_COLORS[index % LINE_COLORS.length],
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
      formatter: ({ seriesName, value }) => `${echarts.format.encodeHTML(seriesName)}<br>${plural(value[0], "rank")}: <b>${Math.round(value[1])} GFLOP/s</b>`,
    },
    series: layers.flatMap((layer, index) => {
      const { color: named, mark } = lineStyleOf(index);
      const color = colors[named];
      const [ranks, gflops] = points(layer)[0];
      return [
        { name: layer.name, type: "line", data: points(layer), symbol: mark, symbolSize: 9, itemStyle: { color }, lineStyle: { color, width: 2 } },
        { name: "linear", type: "line", silent: true, tooltip: { show: false }, symbol: "none", lineStyle: { color, width: 1, type: [2, 4] }, data: [[ranks, gflops], [most, (gflops * most) / ranks]] },
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
  const heads = ["M × K × N", "ranks", "hosts", "sequential", "overlapped", "faster", "GFLOP/s", "relative to the fewest ranks"];
  const rows = layers.flatMap((layer) =>
    layer.runs.map((run) => [
      layer.name,
      run.ranks,
      run.hosts,
      millis(run.views.sequential.medianMs),
      millis(run.views.pipelined.medianMs),
      isDecided(run) ? `${run.speedup.toPrecision(2)}×` : "–",
      Math.round(run.views.pipelined.gflops),
      `${growth(run, layer).toPrecision(2)}×`,
    ]),
  );
  return [heads, ...rows];
}
