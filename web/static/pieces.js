// How the pieces look from above, in millimetres about their middle, unturned.

import { svg } from "./draw.js";
import { markerShape } from "./shapes.js";

const PIPS = {
  1: [[0, 0]],
  2: [[1, -1], [-1, 1]],
  3: [[1, -1], [0, 0], [-1, 1]],
  4: [[1, 1], [1, -1], [-1, 1], [-1, -1]],
  5: [[1, 1], [1, -1], [0, 0], [-1, 1], [-1, -1]],
  6: [[1, 1], [1, 0], [1, -1], [-1, 1], [-1, 0], [-1, -1]],
};

/** The drawing of a piece of the state. */
export function drawing(piece) {
  const r = piece.size_mm / 2;
  if (piece.kind === "territory") return disk(piece, r, 5);
  if (piece.kind === "samurai") return disk(piece, r, 2.5);
  return piece.kind === "ninja" ? ninja(piece, r) : empireDie(piece, r);
}

/** A piece where it lies, in mm of the table; a territory bears its owner's sign. */
export function whole(piece) {
  return svg("g", { transform: at(piece) },
    svg("g", { transform: `rotate(${piece.angle_deg})` }, drawing(piece)),
    piece.kind === "territory" && svg("g", { class: "sign", transform: "scale(2)" }, markerShape(piece.color)));
}

export const at = (piece) => `translate(${piece.x_mm} ${piece.y_mm})`;

/** What a drawing depends on beside place and turn: drawn anew only when this changes. */
export function looks(piece) {
  return [piece.kind, piece.color, piece.value, piece.marked_up, ...(piece.eye ?? []).map((v) => Math.round(v * 4)), piece.tilt_deg > 1].join();
}

function disk(piece, r, rim) {
  const inner = svg("circle", { r: r - rim, class: "v-inner" });
  return svg("g", { class: `v-disk of-${piece.color}` }, svg("circle", { r, class: "v-outer" }), inner, lean(piece, r));
}

function ninja(piece, r) {
  const pips = (PIPS[piece.value] ?? []).map(([x, y]) => svg("circle", { cx: (x * r) / 2, cy: (y * r) / 2, r: r * 0.22 }));
  return svg("g", { class: "v-ninja" }, svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r / 5 }), ...pips, lean(piece, r));
}

/** White; the eye where it looks up, else a mark in the owner's colour at the side it looks to. */
function empireDie(piece, r) {
  const box = svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r / 5, class: "v-white" });
  const parts = [box];
  if (piece.marked_up) parts.push(eye(r));
  else {
    parts.push(svg("circle", { r: r * 0.2, class: "v-owner" }));
    const [x, y, z] = piece.eye ?? [0, 0, 1]; // a camera does not always see to which side it looks
    if (Math.abs(z) < 0.6) {
      const side = ((Math.atan2(y, x) * 180) / Math.PI) - piece.angle_deg;
      parts.push(svg("path", { d: `M ${r * 0.78} ${-r * 0.55} V ${r * 0.55}`, transform: `rotate(${side})`, class: "v-side" }));
    }
  }
  return svg("g", { class: `v-die of-${piece.color}` }, ...parts, lean(piece, r));
}

/** The mark of an empire die. */
export function eye(r) {
  const w = r * 0.78, h = r * 0.86;
  return svg("g", { class: "v-eye" },
    svg("path", { d: `M ${-w} 0 Q 0 ${-h} ${w} 0 Q 0 ${h} ${-w} 0 Z` }),
    svg("circle", { r: r * 0.28 }), svg("circle", { cx: r * 0.09, cy: -r * 0.08, r: r * 0.1, class: "v-glint" }));
}

/** A dashed outline marks a piece that leans. */
function lean(piece, r) {
  return piece.tilt_deg > 1 ? svg("circle", { r: r * (piece.kind === "samurai" || piece.kind === "territory" ? 1 : 1.5), class: "v-lean" }) : null;
}
