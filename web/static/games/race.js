// A race game's board from above, as its view lays it out in mm: spots, markers by colour and shape, the die.

import { el, svg } from "../draw.js";
import { emblem, markerShape, seatColor } from "../shapes.js";
import { say, seatWord } from "../words.js";

export const turn = { end: () => say("The move is made"), hasEdge: false, isUrgent: () => false };

const MARGIN_MM = 8;

/** Whose turn it is with the die, the board, and each colour's score. */
export function draw(view) {
  const table = view.table;
  return [
    el("div", { class: "card race" },
      el("p", { class: "race-turn" }, table.to_move.map((seat) => emblem(seat)), el("strong", {}, whose(table)), table.die !== null && die(table.die)),
      board(table)),
    el("ul", { class: "race-seats" }, view.seats.map((s) => el("li", { class: table.to_move.includes(s.seat) ? "now" : "" },
      emblem(s.seat), el("strong", {}, seatWord(s.seat)), el("span", { class: "soft" }, s.name ?? say("free seat")),
      el("span", { class: "score" }, say("{n} in", { n: table.score[s.seat] ?? 0 }))))),
  ];
}

function whose(table) {
  if (table.winners.length > 0) return say("{seat} has won", { seat: table.winners.map(seatWord).join(", ") });
  if (table.rolling.length > 1) return say("All roll for the first turn");
  const seat = table.to_move.map(seatWord).join(", ");
  return table.die === null ? say("{seat} rolls", { seat }) : say("{seat} moves", { seat });
}

function die(value) {
  const pips = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] }[value] ?? [];
  return svg("svg", { class: "race-die", viewBox: "0 0 32 32", role: "img", "aria-label": say("The die shows {value}", { value }) },
    svg("rect", { x: 1.5, y: 1.5, width: 29, height: 29, rx: 6 }),
    pips.map((i) => svg("circle", { cx: 8 + 8 * (i % 3), cy: 8 + 8 * Math.floor(i / 3), r: 3 })));
}

function board(table) {
  const [w, h] = table.size_mm;
  const r = table.circle_mm / 2;
  const words = say("The board: {position}", { position: table.position });
  const drawing = svg("svg", { class: "race-board", role: "img", "aria-label": words, viewBox: `${-MARGIN_MM} ${-MARGIN_MM} ${w + 2 * MARGIN_MM} ${h + 2 * MARGIN_MM}` },
    Object.values(table.spots).map(([x, y]) => svg("circle", { class: "spot", cx: x, cy: y, r: r * 0.86 })),
    table.pieces.map((piece) => svg("g", { class: `marker seat-${seatColor(piece.color) ?? "none"}`, transform: `translate(${piece.x_mm} ${piece.y_mm}) scale(${r / 10})` },
      markerShape(piece.color), piece.has_right && svg("circle", { class: "right", r: 4 }))));
  return drawing;
}
