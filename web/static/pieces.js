// How the pieces look from above, in millimetres about their middle, unturned.

import { svg } from "./draw.js";
import { markerShape } from "./shapes.js";
import { say } from "./words.js";

/** A disk of a larger radius lies on the table and others on it. */
const WIDE_MM = 60;
const PIPS = {
  1: [[0, 0]],
  2: [[1, -1], [-1, 1]],
  3: [[1, -1], [0, 0], [-1, 1]],
  4: [[1, 1], [1, -1], [-1, 1], [-1, -1]],
  5: [[1, 1], [1, -1], [0, 0], [-1, 1], [-1, -1]],
  6: [[1, 1], [1, 0], [1, -1], [-1, 1], [-1, 0], [-1, -1]],
};

export function drawing(piece) {
  const r = piece.size_mm / 2;
  const shape = piece.shape ?? { territory: "disk", samurai: "disk" }[piece.kind] ?? "cube";
  if (shape === "card") return card(piece);
  if (shape === "wire") return rod(piece);
  if (shape === "disk") return disk(piece, r, r > WIDE_MM ? 5 : Math.min(2.5, r / 4));
  if (shape === "pawn") return pawn(piece, r);
  const face = die(piece, r);
  return piece.tilt_deg > 1 ? leaning(piece, face) : face;
}

function die(piece, r) {
  if (piece.face_color) return svg("g", { class: `v-die of-${piece.face_color}` }, square(r, "v-outer"));
  return piece.kind === "ninja" || piece.value ? pipped(piece, r) : empireDie(piece, r);
}

/** A piece where it lies, in mm of the table; a territory bears its owner's sign. */
export function whole(piece) {
  return svg("g", { transform: at(piece) },
    svg("g", { transform: `rotate(${piece.angle_deg})` }, drawing(piece)),
    piece.kind === "territory" && svg("g", { class: "sign", transform: "scale(2)" }, markerShape(piece.color)));
}

export const at = (piece) => `translate(${piece.x_mm} ${piece.y_mm})`;

export function boxOf(points) {
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

export const boxOfPieces = (pieces) =>
  boxOf(pieces.flatMap(({ x_mm: x, y_mm: y, size_mm: d }) => [[x - d / 2, y - d / 2], [x + d / 2, y + d / 2]]));

/** What an svg shows: a box, and so much `more` to each side of it. */
export const viewOf = ({ x, y, width, height }, more) =>
  [x - more, y - more, width + 2 * more, height + 2 * more].map((v) => v.toFixed(1)).join(" ");

/** What a drawing depends on beside place and turn: drawn anew only when this changes. */
export function looks(piece) {
  return [piece.kind, piece.color, piece.value, piece.face_color, piece.card, piece.tilt_deg > 45, piece.marked_up, ...(piece.eye ?? []).map((v) => Math.round(v * 4)), piece.tilt_deg > 1, piece.is_hung, piece.path?.flat()].join();
}

function disk(piece, r, rim) {
  const inner = svg("circle", { r: r - rim, class: "v-inner" });
  const sign = !["territory", "samurai"].includes(piece.kind) && markSign(piece.color, r); // no colour is told by colour alone
  return svg("g", { class: `v-disk of-${piece.color}` }, svg("circle", { r, class: "v-outer" }), inner, sign, lean(piece, r));
}

/** The shape that stands for a colour, on a piece of that colour. */
const markSign = (color, r) => svg("g", { class: "v-sign", transform: `scale(${r / 22})` }, markerShape(color));

const square = (r, looks) => svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r / 5, class: looks });

/** A pawn from above: its foot and its head; one that fell over lies along its axis. */
function pawn(piece, r) {
  const head = svg("circle", { r: r * 0.5, cx: piece.tilt_deg > 45 ? r * 1.6 : 0, class: "v-outer" });
  return svg("g", { class: `v-disk of-${piece.color}` }, svg("circle", { r, class: "v-outer" }), head, svg("circle", { r: r * 0.78, class: "v-inner" }), piece.tilt_deg <= 45 && markSign(piece.color, r * 0.8));
}

/** A bent wire with a tip of its colour at each end; a broad line nobody sees takes the finger. */
function rod(piece) {
  const d = `M${piece.path.map((p) => p.join(" ")).join("L")}`;
  const ends = [piece.path.slice(0, 2), piece.path.slice(-2).reverse()];
  return svg("g", { class: `v-rod of-${piece.color} ${piece.is_hung ? "is-hung" : ""}` },
    svg("path", { d, class: "v-grip" }), svg("path", { d, class: "v-wire", "stroke-width": piece.wire_mm * 1.2 }),
    ends.map(([[x0, y0], [x1, y1]]) => {
      const far = Math.hypot(x1 - x0, y1 - y0) || 1, long = piece.size_mm / 2;
      return svg("path", { d: `M${x0} ${y0}l${((x1 - x0) / far) * long} ${((y1 - y0) / far) * long}`, class: "v-tip", "stroke-width": piece.wire_mm * 2.2 });
    }));
}

const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** A card's rank and sign in short. */
export const cardFace = (card) => (SUIT_SIGNS[card.at(-1)] ? card.slice(0, -1) + SUIT_SIGNS[card.at(-1)] : say("Joker"));

/** A card with its index in two corners, as a fan shows it; or its back. */
function card(piece) {
  const [w, h] = [piece.wide_mm, piece.long_mm];
  const box = svg("rect", { x: -w / 2, y: -h / 2, width: w, height: h, rx: 3, class: piece.card ? "v-white" : "v-back" });
  if (!piece.card) return svg("g", { class: "v-card" }, box);
  const suit = SUIT_SIGNS[piece.card.at(-1)];
  const lines = suit ? [piece.card.slice(0, -1), suit] : ["JK"];
  const id = `index-${piece.id}`;
  const index = svg("text", { id, class: `v-index ${"♦♥".includes(suit) ? "is-red" : ""}` }, lines.map((line, i) => svg("tspan", { x: 13 - w / 2, y: 22 - h / 2 + 22 * i }, line)));
  return svg("g", { class: "v-card" }, box, index, svg("use", { href: `#${id}`, transform: "rotate(180)" }));
}

function pipped(piece, r) {
  const pips = (PIPS[piece.value] ?? []).map(([x, y]) => svg("circle", { cx: (x * r) / 2, cy: (y * r) / 2, r: r * 0.22 }));
  const looks = piece.kind === "ninja" || piece.color === "black" ? "v-ninja" : "v-pipped";
  return svg("g", { class: looks }, svg("rect", { x: -r, y: -r, width: 2 * r, height: 2 * r, rx: r / 5 }), ...pips);
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
  return svg("g", { class: `v-die of-${piece.color}` }, ...parts);
}

export function eye(r) {
  const w = r * 0.78, h = r * 0.86;
  return svg("g", { class: "v-eye" },
    svg("path", { d: `M ${-w} 0 Q 0 ${-h} ${w} 0 Q 0 ${h} ${-w} 0 Z` }),
    svg("circle", { r: r * 0.28 }), svg("circle", { cx: r * 0.09, cy: -r * 0.08, r: r * 0.1, class: "v-glint" }));
}

/** A die that leans shows two faces, as it does from above; a dashed outline marks another piece that leans. */
function leaning(piece, face) {
  const r = piece.size_mm / 2, tilt = (Math.min(piece.tilt_deg, 60) * Math.PI) / 180;
  const shown = r * (Math.cos(tilt) + Math.sin(tilt)), edge = 2 * r * Math.cos(tilt) - shown;
  return svg("g", { class: "v-leans" }, svg("rect", { x: edge, y: -r, width: shown - edge, height: 2 * r, rx: r / 6, class: "v-flank" }),
    svg("g", { transform: `translate(${edge - r * Math.cos(tilt)} 0) scale(${Math.cos(tilt)} 1)` }, face));
}

function lean(piece, r) {
  return piece.tilt_deg > 1 ? svg("circle", { r, class: "v-lean" }) : null;
}
