// SPDX-License-Identifier: Apache-2.0
"use strict";

/**
 * What threads do, in the order in which it is drawn. Heights tell kinds apart where colours do not: from and to are
 * shares of a track, from its top.
 */
const KINDS = [
  { cat: "TRANSFER", title: "communication thread at work", column: "at work", color: "transfer", from: 0.6, to: 0.88, swatch: "half" },
  { cat: "WORK", title: "multiply", column: "multiply", color: "multiply", from: 0.1, to: 0.9, swatch: "" },
  { cat: "ADD", title: "add up", column: "add up", color: "add", from: 0.1, to: 0.9, swatch: "" },
  { cat: "WAIT", title: "wait", column: "wait", color: "wait", from: 0.38, to: 0.62, swatch: "half" },
  { cat: "ARRIVAL", title: "rows arrived", column: "arrivals", color: "arrival", from: 0.1, to: 0.54, swatch: "tick" },
];

/** The thread that talks to other hosts has the first track of a rank. */
const COMM_TRACK = 0;

/** Reads a trace: tracks from top to bottom, and by kind spans as [track, from ms, to ms, what]. */
function readTrace(trace) {
  const tracks = new Map();
  const track = (event) => {
    const key = `${event.pid}/${event.tid}`;
    if (!tracks.has(key)) {
      const name = event.tid === COMM_TRACK ? "communication" : `compute thread ${event.tid - 1}`;
      tracks.set(key, { rank: event.pid, thread: event.tid, name });
    }
    return tracks.get(key);
  };
  const hosts = new Map();
  const events = [];
  for (const event of trace.traceEvents) {
    if (event.ph === "X") {
      events.push([track(event), event]);
    } else if (event.ph === "M" && event.name === "thread_name") {
      track(event).name = String(event.args?.name);
    } else if (event.ph === "M" && event.name === "process_labels") {
      hosts.set(event.pid, String(event.args?.labels));
    }
  }
  // On one host there is nothing to tell apart.
  const several = new Set(hosts.values()).size > 1;
  tracks.forEach((each) => (each.host = several ? hosts.get(each.rank) : undefined));
  const used = new Set(events.map(([each]) => each));
  const sorted = [...used].sort((a, b) => a.rank - b.rank || a.thread - b.thread);
  sorted.forEach((each, row) => (each.row = row));
  const spans = Object.fromEntries(KINDS.map(({ cat }) => [cat, []]));
  // Ranks do not begin at the same moment, and any of them may be the first.
  const start = events.reduce((first, [, event]) => Math.min(first, event.ts), Infinity);
  let end = 0;
  for (const [{ row }, event] of events) {
    const from = (event.ts - start) / 1000;
    const to = from + event.dur / 1000;
    spans[event.cat].push([row, from, to, event.name]);
    end = Math.max(end, to);
  }
  Object.values(spans).forEach((list) => list.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
  return { tracks: sorted, ranks: new Set(sorted.map(({ rank }) => rank)).size, spans, end };
}

/**
 * Draws the spans of a kind. Those narrower than a pixel share one bar, as wide as all of them in that pixel: as much
 * ink as there is time, and never more bars than pixels.
 */
function spanDrawer(kind, spans, colors) {
  const isTick = kind.cat === "ARRIVAL";
  return (params, api) => {
    const i = params.dataIndex;
    const [row, begin, end, what] = spans[i];
    const x = (value) => api.coord([value, row])[0];
    const pixelOf = (j) => {
      const span = spans[j];
      return span && span[0] === row && (isTick || x(span[2]) - x(span[1]) < 1) ? Math.floor(x(span[1])) : undefined;
    };
    const pixel = pixelOf(i);
    if (pixel !== undefined && pixelOf(i - 1) === pixel && params.dataIndexInside > 0) {
      return undefined;
    }
    let width = isTick ? 1.5 : x(end) - x(begin);
    for (let j = i + 1; !isTick && pixel !== undefined && pixelOf(j) === pixel; j++) {
      width += x(spans[j][2]) - x(spans[j][1]);
    }
    const height = api.size([0, 1])[1];
    const top = api.coord([begin, row])[1] - height / 2 + height * kind.from;
    const bar = { x: x(begin), y: top, width: Math.max(width, 0.3), height: height * (kind.to - kind.from) };
    const shape = echarts.graphic.clipRectByRect(bar, params.coordSys);
    return shape && { type: "rect", shape, style: barStyle(kind, shape, colors), ...barLabel(kind, shape, what, colors) };
  };
}

function barStyle(kind, shape, colors) {
  const style = { fill: colors[kind.color] };
  if (kind.cat === "ARRIVAL" || shape.width < 2) {
    return { ...style, stroke: "transparent", lineWidth: kind.cat === "ARRIVAL" ? 6 : 2 }; // so that it can be pointed at
  }
  // An edge in the colour of the page keeps neighbours apart.
  return shape.width > 4 ? { ...style, stroke: colors.page, lineWidth: 1 } : style;
}

/** The rows, where there is room for them. */
function barLabel(kind, shape, what, colors) {
  const text = what.replace(/^(multiply|add up) /, "");
  const fits = kind.from < 0.3 && kind.cat !== "ARRIVAL" && shape.height > 14 && shape.width > 14 + 6.4 * text.length;
  return fits
    ? {
        textContent: { type: "text", style: { text, fill: colors["on-multiply"], fontSize: 11, fontFamily: "inherit" } },
        textConfig: { position: "insideLeft", distance: 7 },
      }
    : {};
}

/** What a track is of: a rank's first track has its number, the second one its host. */
function trackLabel(tracks, row, narrow) {
  const { rank, thread, name, host } = tracks[row];
  const alone = tracks.filter((other) => other.rank === rank && other.thread !== COMM_TRACK).length === 1;
  const short = thread === COMM_TRACK ? (narrow ? "comm" : "communication") : alone ? "compute" : name.replace(" thread", "");
  const first = row === 0 || tracks[row - 1].rank !== rank;
  if (first) {
    return `{rank|rank ${rank}}  {what|${short}}`;
  }
  const second = row === 1 || tracks[row - 2].rank !== rank;
  return second && host ? `{host|${shortened(host, narrow ? 7 : 12)}}  {what|${short}}` : `{what|${short}}`;
}

/** A name without its domain, and without what would be the start of an echarts style. */
function shortened(name, length) {
  const plain = name.split(".")[0].replace(/[{}|]/g, "");
  return plain.length > length ? `${plain.slice(0, length - 1)}…` : plain;
}

/** One track for each thread over one time axis. */
function timelineOption({ tracks, spans }, colors, narrow, picture) {
  const zoom = { xAxisIndex: 0, filterMode: "weakFilter", minValueSpan: 0.0005 };
  return {
    animation: false,
    textStyle: { fontFamily: "inherit", color: colors.text },
    grid: { left: narrow ? 92 : 168, right: narrow ? 12 : 18, top: 4, bottom: picture ? 28 : 70 },
    xAxis: {
      type: "value",
      min: ({ min }) => Math.min(0, min),
      max: "dataMax",
      splitNumber: narrow ? 4 : 10,
      axisLine: { show: true, lineStyle: { color: colors.line } },
      axisLabel: {
        color: colors.muted,
        hideOverlap: true,
        showMaxLabel: false,
        // The first tick is wherever the zoom begins.
        formatter: (v, i) => (i === 0 && v !== 0 ? "" : `${parseFloat(v.toPrecision(6))} ms`),
      },
      splitLine: { lineStyle: { color: colors.line } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: tracks.map((_, row) => row),
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: {
        interval: 0,
        formatter: (_, row) => trackLabel(tracks, row, narrow),
        rich: {
          rank: { color: colors.text, fontWeight: 600, fontSize: narrow ? 11 : 13 },
          host: { color: colors.text, fontSize: narrow ? 11 : 12 },
          what: { color: colors.muted, fontSize: narrow ? 11 : 12 },
        },
      },
      splitLine: {
        show: true,
        interval: (row) => row === 0 || tracks[row].rank !== tracks[row - 1].rank,
        lineStyle: { color: colors.muted, opacity: 0.45 },
      },
    },
    dataZoom: [
      { ...zoom, type: "inside" },
      {
        ...zoom,
        type: "slider",
        show: !picture,
        bottom: 8,
        height: 24,
        showDetail: false,
        showDataShadow: false,
        brushSelect: false,
        borderColor: colors.line,
        backgroundColor: colors.panel,
        fillerColor: colors.bar + "55",
        handleStyle: { color: colors.page, borderColor: colors.muted },
        moveHandleStyle: { color: colors.bar },
        emphasis: { handleStyle: { borderColor: colors.text }, moveHandleStyle: { color: colors.muted } },
      },
    ],
    tooltip: {
      confine: true,
      backgroundColor: colors.page,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 13 },
      formatter: ({ data }) => spanTip(tracks[data[0]], data),
    },
    series: KINDS.map((kind) => ({
      name: kind.cat,
      type: "custom",
      clip: true,
      progressive: 0, // bars that are drawn little by little cannot be pointed at
      itemStyle: { color: colors[kind.color] },
      encode: { x: [1, 2], y: 0 },
      renderItem: spanDrawer(kind, spans[kind.cat], colors),
      data: spans[kind.cat],
    })),
  };
}

function spanTip({ rank, name, host }, [, from, to, what]) {
  const escape = echarts.format.encodeHTML;
  const took = to > from ? `<br>takes ${(to - from).toFixed(4)} ms` : "";
  const where = host ? ` on ${host}` : "";
  return `rank ${escape(String(rank) + where)}, ${escape(name)}<br><b>${escape(what)}</b><br>${from.toFixed(4)} to ${to.toFixed(4)} ms${took}`;
}

/** The chart in words. */
function timelineInWords({ ranks, spans, end }) {
  const counts = KINDS.filter(({ cat }) => spans[cat].length > 0).map(({ cat, title }) => `${title}: ${spans[cat].length}`);
  return `Timeline of ${ranks} ranks over ${millis(end)}. ${counts.join(", ")}.`;
}
