// Undo: what it takes back, and where the pieces go by hand: a numbered list, a drawing from one's own side, the picture before.

import { el, svg } from "./draw.js";
import { drawing } from "./pieces.js";
import { picture } from "./ruling.js";
import { markerShape, seatColor, shape } from "./shapes.js";
import { sheet } from "./sheets.js";
import { say, sentence } from "./words.js";

/** What undo takes back, the pieces to put back, and only then the button that does it. */
export function undoSheet(undo, seat, onUndo) {
  const dialog = sheet(say("Take this back?"), (close) => [
    el("p", { class: "lead" }, sentence(undo.says)),
    undo.put_back.length > 0 && [
      el("h3", {}, say("Then put back by hand")),
      el("ol", { class: isDrawn(undo) ? "pieces numbered" : "pieces" },
        undo.put_back.map((thing, i) => el("li", {}, number(undo, i), el("span", {}, sentence(thing.says))))),
    ],
    el("p", { class: "soft" }, say("It stays in the history, struck through.")),
    el("div", { class: "answers" },
      el("button", { class: "big danger", onclick: async (e) => (await onUndo(e.currentTarget)) && (close(), putBackSheet(undo, seat)) }, shape("undo"), say("Take it back")),
      el("button", { class: "big", onclick: close }, say("Let it stand"))),
  ]);
  dialog.dataset.entry = undo.entry;
  return dialog;
}

function putBackSheet(undo, seat) {
  if (undo.put_back.length === 0) return;
  sheet(say("Taken back. Now put back:"), (close) => [
    isDrawn(undo) && laid(undo, seat),
    el("ol", { class: "ticks" }, undo.put_back.map((thing, i) =>
      el("li", {}, el("label", {}, el("input", { type: "checkbox" }), number(undo, i), el("span", {}, sentence(thing.says)))))),
    undo.evidence && [el("h3", {}, say("The table as it lay before")), picture(undo.evidence, say("as it lay before"))],
    el("div", { class: "answers" }, el("button", { class: "big primary", onclick: close }, say("All is in place"))),
  ]);
}

const isDrawn = (undo) => undo.put_back.some(({ lies, lay }) => lies || lay);
const number = (undo, i) => isDrawn(undo) && [el("b", { class: "number" }, String(i + 1)), " "];

// ---- the drawing, in mm of the table turned by quarters so that one's own territory lies nearest

const SHOWN_PX = { across: 350, down: 400 };
const AROUND_PX = 30, BADGE_PX = 12, GAP_PX = 3;

function laid(undo, seat) {
  const turned = turner([...undo.stays, ...undo.put_back.map(({ lies, lay }) => lay ?? lies)], seat);
  const stays = undo.stays.map(turned);
  const things = undo.put_back.map(({ lies, lay }) => ({ lies: lies && turned(lies), lay: lay && turned(lay) }));
  const all = [...stays.filter((p) => p.kind === "territory"), ...things.flatMap(({ lies, lay }) => [lies, lay])].filter(Boolean);
  const box = boxOf(all);
  const px = Math.max((box.right - box.left) / SHOWN_PX.across, (box.bottom - box.top) / SHOWN_PX.down); // mm of one
  const [x, y] = [box.left - AROUND_PX * px, box.top - AROUND_PX * px];
  const size = [box.right - x + AROUND_PX * px, box.bottom - y + AROUND_PX * px];
  const badges = placed(things, px);
  return el("figure", { class: "laid" },
    svg("svg", { viewBox: [x, y, ...size].map((v) => v.toFixed(1)).join(" "), role: "img",
      "aria-label": say("The table from above: each numbered piece, and an arrow from where it lies to where it lay") },
      svg("g", { class: "stays" }, stays.map(whole)),
      things.map(({ lies, lay }) => [lies && lay && apart(lies, lay) > 1 && svg("g", { class: "lies" }, whole(lies))]),
      things.map(({ lies, lay }) => lay ? [whole(lay), ring(lay, px)] : lies && [cross(lies, px), whole(lies)]),
      things.map(({ lies, lay }) => lies && lay && arrow(lies, lay, px)),
      badges.map(([bx, by], i) => svg("g", { class: "badge", transform: `translate(${bx} ${by})` },
        svg("circle", { r: BADGE_PX * px, "stroke-width": 2 * px }), svg("text", { "font-size": 15 * px }, String(i + 1))))),
    el("figcaption", { class: "soft small" }, say("Your own territory is the nearest.")));
}

/** Turns places by quarters: from the other territory to one's own is downward. */
function turner(pieces, seat) {
  const lands = pieces.filter((p) => p?.kind === "territory");
  const mine = lands.find((p) => p.color === seatColor(seat)), other = lands.find((p) => p !== mine);
  const deg = mine && other ? (Math.atan2(mine.y_mm - other.y_mm, mine.x_mm - other.x_mm) * 180) / Math.PI : 90;
  const quarters = ((1 - Math.round(deg / 90)) % 4 + 4) % 4;
  const [c, s] = [[1, 0], [0, 1], [-1, 0], [0, -1]][quarters];
  return (p) => ({ ...p, x_mm: c * p.x_mm - s * p.y_mm, y_mm: s * p.x_mm + c * p.y_mm, angle_deg: p.angle_deg + 90 * quarters });
}

function boxOf(pieces) {
  const edge = (way, at) => way(...pieces.map((p) => at(p)));
  return {
    left: edge(Math.min, (p) => p.x_mm - p.size_mm / 2), right: edge(Math.max, (p) => p.x_mm + p.size_mm / 2),
    top: edge(Math.min, (p) => p.y_mm - p.size_mm / 2), bottom: edge(Math.max, (p) => p.y_mm + p.size_mm / 2),
  };
}

const apart = (a, b) => Math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm);
const at = (p) => `translate(${p.x_mm} ${p.y_mm})`;

function whole(piece) {
  return svg("g", { transform: at(piece) },
    svg("g", { transform: `rotate(${piece.angle_deg})` }, drawing(piece)),
    piece.kind === "territory" && svg("g", { class: "sign", transform: "scale(2)" }, markerShape(piece.color)));
}

const ring = (piece, px) => svg("circle", { class: "place", transform: at(piece), r: reach(piece) + 3 * px, "stroke-width": 2.5 * px, "stroke-dasharray": `${5 * px} ${4 * px}` });
const reach = (piece) => (piece.size_mm / 2) * (piece.kind === "samurai" || piece.kind === "territory" ? 1 : 1.35);

/** Behind a piece that does not belong on the table. */
function cross(piece, px) {
  const r = piece.size_mm / 2 + 7 * px;
  const d = `M ${-r} ${-r} L ${r} ${r} M ${r} ${-r} L ${-r} ${r}`;
  return svg("g", { transform: at(piece) }, svg("path", { class: "halo", d, "stroke-width": 6.5 * px }), svg("path", { class: "way", d, "stroke-width": 3.5 * px }));
}

function arrow(from, to, px) {
  const far = apart(from, to);
  const [u, v] = [(to.x_mm - from.x_mm) / far, (to.y_mm - from.y_mm) / far];
  const length = far - reach(to) - 4 * px;
  if (length < 6 * px) return null; // it hardly moved: the ring says where
  const head = Math.min(11 * px, length);
  const [tx, ty] = [from.x_mm + u * length, from.y_mm + v * length];
  const d = `M ${from.x_mm} ${from.y_mm} L ${tx - u * head} ${ty - v * head}`;
  const tip = `${tx},${ty} ${tx - u * head - v * head * 0.6},${ty - v * head + u * head * 0.6} ${tx - u * head + v * head * 0.6},${ty - v * head - u * head * 0.6}`;
  return svg("g", {}, svg("path", { class: "halo", d, "stroke-width": 6.5 * px }), svg("path", { class: "way", d, "stroke-width": 3.5 * px }),
    svg("polygon", { class: "tip", points: tip, "stroke-width": 1.5 * px }));
}

/** Where the numbers stand: beside their pieces, clear of each other and of the other pieces as well as that goes. */
function placed(things, px) {
  const anchors = things.map(({ lies, lay }) => lay ?? lies);
  const taken = [];
  for (const piece of anchors) {
    const out = reach(piece) + (BADGE_PX + GAP_PX) * px;
    const ways = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6 - Math.PI / 4);
    const places = ways.map((a) => [piece.x_mm + out * Math.cos(a), piece.y_mm + out * Math.sin(a)]);
    const crowd = ([x, y]) => taken.reduce((sum, [bx, by]) => sum + Math.max(0, 2 * (BADGE_PX + 1) * px - Math.hypot(bx - x, by - y)), 0)
      + anchors.reduce((sum, p) => sum + (p === piece ? 0 : Math.max(0, reach(p) + BADGE_PX * px - Math.hypot(p.x_mm - x, p.y_mm - y))), 0);
    taken.push(places.reduce((best, place) => (crowd(place) < crowd(best) - 1e-6 ? place : best)));
  }
  return taken;
}
