// SPDX-License-Identifier: Apache-2.0
"use strict";

const LINES = ["multiply", "wait", "arrival", "add"];
const MARKS = ["circle", "rect", "triangle", "diamond"];
const forecast = JSON.parse(byId("data").textContent);

const time = (ms) => (ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`);
const times = (value) => `${value.toPrecision(3)}×`;

function bytes(value) {
  if (value < 2 ** 20) return `${Math.ceil(value / 2 ** 10)} KiB`;
  return value < 2 ** 30 ? `${Math.ceil(value / 2 ** 20)} MiB` : `${(value / 2 ** 30).toFixed(1)} GiB`;
}

function writeHeader() {
  byId("title").textContent = forecast.title;
  document.title = `${forecast.title} – Gemmflow forecast`;
  byId("verdicts").append(...forecast.curves.map(({ verdict }) => element("p", `${verdict}.`, "verdict")));
  const facts = [
    ["costs", forecast.costs],
    ["links", forecast.link],
    ["machine", forecast.machine || "unspecified"],
  ];
  for (const [name, value] of facts) {
    const item = element("li", `${name} `);
    item.append(element("b", value));
    byId("facts").append(item);
  }
}

/** A table of a curve's points. */
function writeTable({ name, tokens, points }, index) {
  const section = element("section", "");
  const title = element("h2", name);
  title.id = `table-title-${index}`;
  section.setAttribute("aria-labelledby", title.id);
  const table = element("table", "", "shares");
  const heads = ["ranks", "hosts", "time", "faster", ...(tokens ? ["tokens/s"] : []), "into each host", "shared memory", "weights", "limit"];
  table.append(line(heads, "th"));
  for (const point of points) {
    table.append(
      line(
        [
          point.ranks,
          point.hosts,
          time(point.ms),
          times(point.speedup),
          ...(tokens ? [((tokens * 1000) / point.ms).toPrecision(3)] : []),
          bytes(point.bytesIntoHost),
          bytes(point.sharedBytes),
          bytes(point.weightBytes),
          point.limit,
        ],
        "td",
      ),
    );
  }
  const scroll = element("div", "", "scroll");
  scroll.append(table);
  section.append(title, scroll, element("p", "Shared memory and weights are per host.", "note"));
  byId("tables").append(section);
}

function writeLegend() {
  if (forecast.curves.length < 2) return;
  forecast.curves.forEach(({ name }, index) => {
    const item = element("li", "");
    const mark = element("i", "", MARKS[index]);
    mark.style.background = `var(--${LINES[index]})`;
    item.append(mark, name);
    byId("legend").append(item);
  });
}

function writeAlternatives() {
  if (forecast.alternatives.length === 0) return;
  byId("alternatives").append(line(["alternative", "time", "relative time"], "th"));
  byId("alternatives").append(...forecast.alternatives.map(({ name, ms, ofThis }) => line([name, time(ms), times(ofThis)], "td")));
  byId("alternatives-section").hidden = false;
}

/** Speed over ranks, both by ratios, so that what stays in proportion is a straight line. */
function option(palette) {
  const all = forecast.curves.flatMap(({ points }) => points);
  const ranks = all.map((point) => point.ranks);
  const [fewest, most] = [Math.min(...ranks), Math.max(...ranks)];
  const axis = { type: "log", logBase: 2, axisLabel: { color: palette.muted }, splitLine: { lineStyle: { color: palette.line } }, nameTextStyle: { color: palette.muted } };
  const least = Math.min(1, ...all.map(({ speedup }) => speedup));
  const lines = forecast.curves.map(({ name, points }, index) => {
    const color = palette[LINES[index]];
    return { name, type: "line", data: points.map(({ ranks: count, speedup }) => [count, speedup]), symbol: MARKS[index], symbolSize: 9, itemStyle: { color }, lineStyle: { color, width: 2 } };
  });
  return {
    animation: false,
    textStyle: { color: palette.text },
    grid: { left: 8, right: 24, top: 34, bottom: 34, containLabel: true },
    xAxis: { ...axis, min: fewest, max: most, name: "ranks", nameLocation: "middle", nameGap: 28 },
    yAxis: { ...axis, min: 2 ** Math.floor(Math.log2(least)), name: "speedup", nameTextStyle: { ...axis.nameTextStyle, align: "left" } },
    tooltip: {
      confine: true,
      backgroundColor: palette.page,
      borderColor: palette.line,
      textStyle: { color: palette.text, fontSize: 13 },
      formatter: ({ seriesName, value }) => `${echarts.format.encodeHTML(seriesName)}<br>${plural(value[0], "rank")}: <b>${times(value[1])}</b>`,
    },
    series: [...lines, { name: "linear", type: "line", silent: true, tooltip: { show: false }, symbol: "none", lineStyle: { color: palette.muted, width: 1, type: [2, 4] }, data: [[fewest, 1], [most, most / fewest]] }],
  };
}

function inWords() {
  const words = forecast.curves.map(({ name, points }) => `${name}: ${points.map(({ ranks, speedup }) => `${plural(ranks, "rank")} ${times(speedup)}`).join(", ")}`);
  return `Lines: speed over ranks. ${words.join("; ")}.`;
}

writeHeader();
writeLegend();
forecast.curves.forEach(writeTable);
writeAlternatives();
show("curve", 420, option, inWords());
