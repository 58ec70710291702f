// SPDX-License-Identifier: Apache-2.0
"use strict";

/** What report.css names. */
const COLORS = ["page", "panel", "line", "text", "muted", "bar", "on-multiply", "multiply", "add", "wait", "arrival", "transfer"];
const picture = location.hash === "#picture";
const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className ?? "";
  return made;
}

/** Whether an effect is more than noise. Files without an interval are of a version that took noise for effects. */
const isDecided = ({ decided, speedup, speedupInterval }) => decided === true && Number.isFinite(speedup) && Array.isArray(speedupInterval);

const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A line of a table. */
function line(texts, name) {
  const made = element("tr", "");
  made.append(...texts.map((text) => element(name, text)));
  return made;
}

function colors() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(COLORS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Draws again whenever the room or the colours change. */
function show(id, height, option, words) {
  const place = byId(id);
  place.style.height = `${height}px`;
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", words);
  const chart = echarts.init(place);
  const font = getComputedStyle(document.body).fontFamily;
  const draw = () => {
    const made = option(colors(), place.clientWidth < 600);
    chart.setOption({ ...made, textStyle: { ...made.textStyle, fontFamily: font } });
  };
  draw();
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth !== width) {
      width = place.clientWidth;
      chart.resize();
      draw();
    }
  }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return chart;
}

document.documentElement.classList.toggle("picture", picture);
// A browser that takes a picture has to know first how high it is.
addEventListener("load", () => (document.documentElement.dataset.height = document.querySelector("main").offsetHeight));
