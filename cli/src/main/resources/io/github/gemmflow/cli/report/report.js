// SPDX-License-Identifier: Apache-2.0
"use strict";

const figures = JSON.parse(byId("figures-data").textContent);
const trace = JSON.parse(byId("trace-data").textContent);
const step = trace && readTrace(trace);

const percent = (value) => `${(100 * value).toFixed(1)} %`.replace("-", "−");
const count = (value) => value.toLocaleString("en");

function fact(text, bold, className) {
  const item = element("li", "", className);
  item.append(element("b", bold), text);
  byId("facts").append(item);
}

/** What was found out about the results of some benchmarks. Older files do not say whether they are exact. */
function writeResults(all) {
  const verified = all.every((run) => run.verified);
  const words = all.every(({ exact }) => exact === true) ? "results exact" : all.every(({ exact }) => exact === false) ? "results within rounding" : "results verified";
  fact("", verified ? words : "WRONG RESULTS", verified ? "good" : "bad");
}

function writeHeader() {
  if (!figures) {
    byId("eyebrow").textContent = "Gemmflow: recorded step";
    byId("title").textContent = `${plural(step.ranks, "rank")}, ${millis(step.end)}`;
  } else {
    const { m, k, n } = figures.shape;
    byId("eyebrow").textContent = `Gemmflow: a linear layer (${figures.operation}), M × K × N`;
    byId("title").textContent = `${m} × ${k} × ${n} ${figures.dtype}`;
    fact(` on ${plural(figures.hosts, "host")}`, plural(figures.ranks, "rank"));
    if (figures.groups > 1) {
      fact("", plural(figures.groups, "group"));
    }
    fact(" engine", figures.engine);
    fact(` kernel, ${figures.isa}`, figures.kernel);
    writeResults([figures]);
  }
  document.title = `${byId("title").textContent} – Gemmflow`;
}

/** Each figure: its name, its value, and what that means. Shares are only given where they are more than noise. */
function figureRows() {
  const { speedup, overlap, hidden, ofLimit, control, commCpuMs, linkBytes, bytesToCross, hosts } = figures;
  const ratio = (value) => `${value.toPrecision(3)}×`;
  const range = (bounds) => (bounds?.every(Number.isFinite) ? ` Between ${bounds.map(ratio).join(" and ")} with 95 % confidence.` : "");
  const share = (value) => `${Math.round(100 * value)} %`.replace("-", "−");
  const shares = [
    ["Speedup", speedup, ratio, `Speed of overlapped steps relative to sequential steps.${range(figures.speedupInterval)}`],
    ["Overlap", overlap, share, "Share of the shorter of communication and compute that runs at the same time as the other."],
    ["Hidden", hidden, share, "Share of the largest possible saving that is saved."],
    ["Of the limit", ofLimit, share, "No step is shorter than its product or its communication. 100 % would be just as short as the longer of the two."],
  ];
  const rest = [
    ["Control", control, ratio, `The overlapped step against itself, measured twice in each round.${range(figures.controlInterval)}`],
  ];
  const network = [
    ["CPU of the communication thread", commCpuMs, millis, "CPU time of moving rows in an overlapped step, on the rank where it is highest."],
    ["Bytes over links", linkBytes, count, `Bytes received by all hosts in an overlapped step. ${count(bytesToCross)} had to cross.`],
  ];
  return [...(isDecided(figures) ? shares : []), ...rest, ...(hosts === 1 ? [] : network)];
}

function writeFigures() {
  byId("figures").append(
    ...figureRows().map(([name, value, format, meaning]) => {
      const row = element("tr", "");
      const text = value === null ? "unknown" : format(value);
      row.append(element("th", name), element("td", text, "value"), element("td", meaning, "meaning"));
      return row;
    }),
  );
  byId("verdict").textContent = figures.speedupInterval ? figures.verdict : "No verdict: these figures are from an older version of Gemmflow. Measure again.";
  byId("views-lead").textContent = "The time of a step is that of its slowest rank.";
  byId("views-note").textContent = viewsLegend(figures);
}

/** Of each thread the share of the step that it spent on each kind of thing. */
function writeShares() {
  const kinds = KINDS.filter(({ cat }) => step.spans[cat].length > 0);
  const cells = step.tracks.map(({ rank, name, host }) => [`rank ${rank}${host ? ` on ${host}` : ""}, ${name}`, ...kinds.map(() => "")]);
  kinds.forEach(({ cat }, column) => {
    const sums = new Map();
    for (const [row, from, to] of step.spans[cat]) {
      sums.set(row, (sums.get(row) ?? 0) + (cat === "ARRIVAL" ? 1 : to - from));
    }
    sums.forEach((sum, row) => (cells[row][column + 1] = cat === "ARRIVAL" ? count(sum) : percent(sum / step.end)));
  });
  const titles = ["thread", ...kinds.map(({ column }) => column)];
  byId("shares").append(line(titles, "th"), ...cells.map((texts) => line(texts, "td")));
}

function writeLegend() {
  byId("timeline-lead").textContent = `${figures ? "One overlapped step of " : ""}${millis(step.end)}. Each rank shows arrivals above and computation below.`;
  for (const { cat, title, color, swatch } of KINDS) {
    if (step.spans[cat].length > 0) {
      const item = element("li", "");
      const mark = element("i", "", swatch);
      mark.style.background = `var(--${color})`;
      item.append(mark, title);
      byId("legend").append(item);
    }
  }
}

function writeMachine(figures) {
  const { cpu, cores, memoryBytes, os, java, command } = figures.machine ?? {};
  const rows = [
    ["Processor", cpu && `${cpu}, ${plural(cores, "core")}`],
    ["Memory", memoryBytes && `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`],
    ["System", os],
    ["Java", java],
    ["MPI", figures.mpi],
    ["Kernel", `${figures.kernel} (${figures.isa})`],
    ["Date", figures.date?.replace("T", " ").replace("Z", " UTC")],
    ["Command", command, "code"],
  ];
  for (const [name, value, className] of rows) {
    if (value) {
      byId("machine").append(element("dt", name), element("dd", value, className));
    }
  }
}

function offerZoom(chart) {
  const zoom = (factor) => {
    const { start, end } = chart.getOption().dataZoom[0];
    const middle = (start + end) / 2;
    const half = Math.min(50, ((end - start) / 2) * factor);
    const from = Math.max(0, Math.min(100 - 2 * half, middle - half));
    chart.dispatchAction({ type: "dataZoom", start: from, end: from + 2 * half });
  };
  byId("zoom-in").onclick = () => zoom(0.5);
  byId("zoom-out").onclick = () => zoom(2);
  byId("zoom-all").onclick = () => zoom(Infinity);
}

function writeScaling(all) {
  const layers = layersOf(all);
  const distinct = (values) => [...new Set(values)].join(", ");
  byId("eyebrow").textContent = "Gemmflow: linear layers on different numbers of ranks, M × K × N";
  byId("title").textContent = [layers.length === 1 ? layers[0].name : `${plural(layers.length, "shape")},`, differ(all, kindOf) ? "of several kinds" : kindOf(all[0])].join(" ");
  document.title = `${byId("title").textContent} – Gemmflow`;
  byId("verdict").textContent = scalingVerdict(layers);
  fact(" ranks", distinct(all.map(({ ranks }) => ranks).sort((a, b) => a - b)));
  fact(" engine", distinct(all.map(({ engine }) => engine)));
  fact(` kernel, ${distinct(all.map(({ isa }) => isa))}`, distinct(all.map(({ kernel }) => kernel)));
  writeResults(all);
  const [heads, ...rows] = sweepRows(layers);
  byId("sweep").append(line(heads, "th"), ...rows.map((texts) => line(texts, "td")));
  byId("sweep-section").hidden = false;
  writeMachine(all[0]);
  byId("machine-section").hidden = false;
  if (layers.some(({ runs }) => runs.length > 1)) {
    layers.forEach(({ name }, index) => {
      const item = element("li", "");
      const { color, mark } = lineStyleOf(index);
      const sign = element("i", "");
      sign.className = mark;
      sign.style.background = `var(--${color})`;
      item.append(sign, name);
      byId("scaling-legend").append(item);
    });
    byId("scaling-section").hidden = false;
    show("scaling", 420, (current, narrow) => scalingOption(layers, current, narrow), scalingInWords(layers));
  }
}

if (Array.isArray(figures)) {
  writeScaling(figures);
} else {
  writeHeader();
}
if (figures && !Array.isArray(figures)) {
  writeFigures();
  writeMachine(figures);
  byId("views-section").hidden = false;
  byId("figures-section").hidden = false;
  byId("machine-section").hidden = false;
  byId("plan").textContent = (figures.plan ?? "").trim();
  byId("plan-section").hidden = !figures.plan;
  show("views", 310, (palette, narrow) => viewsOption(figures, palette, narrow), viewsInWords(figures));
}
if (step) {
  writeLegend();
  writeShares();
  byId("timeline-section").hidden = false;
  byId("shares-section").hidden = false;
  const height = step.tracks.length * (step.tracks.length > 16 ? 22 : 32) + (picture ? 32 : 74);
  const option = (palette, narrow) => timelineOption(step, palette, narrow, picture);
  offerZoom(show("timeline", height, option, timelineInWords(step)));
}
