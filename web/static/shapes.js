// Shapes that tell what colours tell: every seat and every state of sight has its own, and a word beside it.

import { svg } from "./draw.js";

const EMBLEMS = {
  red: ["polygon", { points: "12,2 23,21 1,21" }],
  blue: ["polygon", { points: "12,0.5 23.5,12 12,23.5 0.5,12" }],
  yellow: ["circle", { cx: 12, cy: 12, r: 10.5 }],
  green: ["rect", { x: 2.5, y: 2.5, width: 19, height: 19 }],
};
const SHORT = { r: "red", b: "blue", y: "yellow", g: "green" };

/** The seat's colour word, or null for a seat that is no colour. */
export function seatColor(seat) {
  const color = SHORT[seat] ?? seat;
  return color in EMBLEMS ? color : null;
}

/** A seat's emblem: red a triangle, blue a diamond, yellow a circle, green a square, others their letter. */
export function emblem(seat) {
  const color = seatColor(seat);
  if (color) return svg("svg", { class: `emblem seat-${color}`, viewBox: "0 0 24 24" }, svg(...EMBLEMS[color]));
  const letter = svg("text", { x: 12, y: 17.5, "text-anchor": "middle", class: "emblem-letter" }, seat.charAt(0).toUpperCase());
  return svg("svg", { class: "emblem", viewBox: "0 0 24 24" }, svg("circle", { cx: 12, cy: 12, r: 11 }), letter);
}

/** A seat's shape around the origin, 24 wide, for a marker on a board. */
export function markerShape(seat) {
  const color = seatColor(seat);
  return svg("g", { transform: "translate(-12 -12)" }, color ? svg(...EMBLEMS[color]) : svg("circle", { cx: 12, cy: 12, r: 11 }));
}

const line = (d, more = {}) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linecap": "round", "stroke-linejoin": "round", ...more });
const solid = (d) => svg("path", { d, fill: "currentColor" });
const eye = () => line("M2 16c5.5-10 22.5-10 28 0-5.5 10-22.5 10-28 0z");
const pupil = () => svg("circle", { cx: 16, cy: 16, r: 4.6, fill: "currentColor" });
const icon = (...parts) => svg("svg", { class: "icon", viewBox: "0 0 32 32" }, ...parts);

const ICONS = {
  sees: () => icon(eye(), pupil()),
  moving: () => icon(line("M3 10h15M6 16h19M3 22h15"), line("M22 7l7 9-7 9")),
  by_hand: () => ICONS.hand(),
  sound: () => icon(solid("M4 12h5l8-7v22l-8-7H4z"), line("M21 11c3 3 3 7 0 10M25 7c5 5 5 13 0 18")),
  hand: () => icon(solid("M9 30c-4-5-6-9-7-12 1.5-1.8 3.5-1 5 1l2 2.5V6c0-2.6 3.6-2.6 3.6 0v8h1V3c0-2.6 3.6-2.6 3.6 0v11h1V5c0-2.6 3.6-2.6 3.6 0v10h1V9c0-2.6 3.4-2.6 3.4 0v12c0 5-2 9-6 9z")),
  blind: () => icon(eye(), pupil(), line("M4 29L28 3", { "stroke-width": 4 })),
  moved: () => icon(line("M3 11h5l2-3h6l2 3h5v13H3z"), svg("circle", { cx: 13, cy: 17, r: 3.6, fill: "none", stroke: "currentColor", "stroke-width": 2.4 }), line("M26 6h4m0 0l-2.5-2.5M30 6l-2.5 2.5")),
  unknown: () => icon(line("M11 12c0-7 10-7 10-1 0 4-5 4-5 8"), svg("circle", { cx: 16, cy: 25.5, r: 2.2, fill: "currentColor" })),
  undo: () => icon(line("M10 5L4 11l6 6M5 11h14c5 0 9 3 9 8s-4 8-9 8h-6")),
  more: () => icon(...[7, 16, 25].map((cx) => svg("circle", { cx, cy: 16, r: 2.9, fill: "currentColor" }))),
  yes: () => icon(svg("circle", { cx: 16, cy: 16, r: 14, fill: "currentColor" }), line("M9 17l5 5.5L23.5 10", { class: "on-solid", "stroke-width": 3.6 })),
  no: () => icon(svg("circle", { cx: 16, cy: 16, r: 12.6, fill: "none", stroke: "currentColor", "stroke-width": 2.8, "stroke-dasharray": "5.6 4.3" })),
  unseen: () => icon(eye(), pupil(), line("M4 29L28 3", { "stroke-width": 4 })),
  wrong: () => icon(line("M16 3.5L30 28H2z", { "stroke-width": 3 }), line("M16 12v8", { "stroke-width": 3.6 }), svg("circle", { cx: 16, cy: 24, r: 2.1, fill: "currentColor" })),
  done: () => icon(line("M5 17l7 8L27 7", { "stroke-width": 4 })),
  flag: () => icon(line("M8 30V3"), solid("M8 3h19l-5 6.5 5 6.5H8z")),
  edge: () => icon(line("M3 25h26", { "stroke-dasharray": "4 4" }), line("M16 4v14M10 12l6 7 6-7")),
  rules: () => icon(line("M7 3h18v26H7zM11 10h10M11 16h10M11 22h6")),
  pencil: () => icon(line("M5 27l2-8L22 4l6 6-15 15z")),
  screen: () => icon(line("M9 3h14v26H9zM14 25h4")),
  leave: () => icon(line("M13 4H4v24h9M12 16h17m-6-6l6 6-6 6")),
  magnify: () => icon(svg("circle", { cx: 13, cy: 13, r: 8.5, fill: "none", stroke: "currentColor", "stroke-width": 3 }), line("M20 20l9 9", { "stroke-width": 4 }), line("M9 13h8M13 9v8")),
  ninja: () => icon(svg("rect", { x: 5, y: 5, width: 22, height: 22, rx: 4, fill: "#141210", stroke: "currentColor", "stroke-width": 1.6 }), ...[[11, 11], [21, 21], [16, 16], [21, 11], [11, 21]].map(([cx, cy]) => svg("circle", { cx, cy, r: 2.2, fill: "#fff" }))),
  samurai: () => icon(svg("circle", { cx: 16, cy: 16, r: 13, fill: "currentColor" }), svg("circle", { cx: 16, cy: 16, r: 9, fill: "none", stroke: "#fff", "stroke-width": 1.8 })),
};

/** A drawing by its name; an unknown name draws nothing. */
export const shape = (name) => ICONS[name]?.() ?? null;
