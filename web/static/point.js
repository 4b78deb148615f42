// Pointing at a piece: the picture of the table with outlines, or a drawing where none is kept; the nearest piece is meant.

import { pictureAt, svg } from "./draw.js";
import { boxOf, viewOf, whole } from "./pieces.js";
import { say } from "./words.js";

const AGAIN_PX = 14; // a second tap so near to the first means the next piece there
const NEAR_PX = 22; // pieces so near to a finger may all be meant by it
const AROUND = 1.6; // of a magnified piece its surroundings are shown too, so many times its size to each side
const CIRCLE = Array.from({ length: 16 }, (_, i) => [Math.cos((i * Math.PI) / 8), Math.sin((i * Math.PI) / 8)]);
const SQUARE = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/**
 * The table to point at. `onPoint(piece, others)` tells which piece a tap meant, and how many others are as near. The
 * `named` pieces are marked until one is chosen.
 * Returns { node, show(piece) }: `show` marks and magnifies a piece, null shows the whole table again.
 */
export function pointer(pointing, onPoint, named = []) {
  const corners = new Map(pointing.points.map((p) => [p.piece, p.outline_px.length > 0 ? p.outline_px : drawnCorners(pointing, p.piece)]).filter(([, c]) => c));
  const all = boxOf([...corners.values()].flat());
  const outlines = new Map([...corners].map(([id, points]) => [id, outline(id, points)]));
  const node = svg("svg", { class: pointing.picture ? "pointer" : "pointer is-drawn", role: "img", "aria-label": say("The table from above: tap the piece") },
    pointing.picture ? pictures(pointing) : pointing.pieces.map(whole), [...outlines.values()]);
  let shown = null;
  let last = null;

  function show(piece) {
    shown = corners.has(piece) ? piece : null;
    if (!shown) last = null;
    for (const [id, drawn] of outlines) {
      drawn.classList.toggle("is-chosen", id === shown);
      drawn.classList.toggle("is-named", !shown && named.includes(id));
    }
    if (shown) node.append(outlines.get(shown)); // over those that cover it
    const box = shown ? boxOf(corners.get(shown)) : all;
    node.setAttribute("viewBox", viewOf(box, Math.max(box.width, box.height) * (shown ? AROUND : 0.12)));
  }

  node.addEventListener("click", (event) => {
    const matrix = node.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const near = [...corners].map(([id, points]) => ({ id, far: distance([at.x, at.y], points) / matrix.a, size: sizeOf(points) }))
      .sort((a, b) => a.far - b.far || a.size - b.size);
    const meant = near.filter((p) => p.far <= Math.max(near[0].far, NEAR_PX)).map((p) => p.id);
    const isAgain = last && Math.hypot(event.clientX - last.x, event.clientY - last.y) <= AGAIN_PX && last.meant.includes(shown);
    const among = isAgain ? last.meant : meant; // a piece that was magnified is under another place of the finger
    last = { x: event.clientX, y: event.clientY, meant: among };
    onPoint(isAgain ? among[(among.indexOf(shown) + 1) % among.length] : meant[0], among.length - 1);
  });
  show(null);
  return { node, show, can: (piece) => corners.has(piece) };
}

function pictures({ picture, parts }) {
  const image = (sha256, x, y, width, height) => svg("image", { href: pictureAt(sha256), x, y, width, height, preserveAspectRatio: "none" });
  return [image(picture.sha256, 0, 0, picture.width_px, picture.height_px),
    parts.map((p) => image(p.sha256, p.x_px, p.y_px, p.width_px, p.height_px))];
}

function outline(piece, points) {
  const given = { points: points.map((p) => p.join()).join(" "), "vector-effect": "non-scaling-stroke" };
  return svg("g", { class: "outline", "data-piece": piece }, svg("polygon", { class: "halo", ...given }), svg("polygon", { class: "pen", ...given }));
}

/** The corners of a piece in the drawing, in mm; nothing for one that does not lie there. */
function drawnCorners({ pieces }, id) {
  const piece = pieces.find((p) => p.id === id);
  if (!piece) return null;
  const isRound = piece.kind === "samurai" || piece.kind === "territory";
  const [c, s] = [Math.cos((piece.angle_deg * Math.PI) / 180), Math.sin((piece.angle_deg * Math.PI) / 180)];
  return (isRound ? CIRCLE : SQUARE).map(([u, v]) => [piece.x_mm + (piece.size_mm / 2) * (c * u - s * v), piece.y_mm + (piece.size_mm / 2) * (s * u + c * v)]);
}

const sizeOf = (points) => { const { width, height } = boxOf(points); return width * height; };

/** How far a place is from an outline; 0 within it. */
function distance([px, py], points) {
  let isInside = false;
  let best = Infinity;
  points.forEach(([x1, y1], i) => {
    const [x0, y0] = points.at(i - 1);
    if ((y0 > py) !== (y1 > py) && px < x0 + ((py - y0) / (y1 - y0)) * (x1 - x0)) isInside = !isInside;
    best = Math.min(best, toLine([px, py], [x0, y0], [x1, y1]));
  });
  return isInside ? 0 : best;
}

/** How far a point is from a straight line between two points. */
export function toLine([x, y], [x0, y0], [x1, y1]) {
  const dx = x1 - x0, dy = y1 - y0;
  const along = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x0 + along * dx - x, y0 + along * dy - y);
}
