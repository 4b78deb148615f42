// Manipulation Rummy: whose turn, one's own hand, the melds on the table, everybody's cards and points.

import { el } from "../draw.js";
import { emblem } from "../shapes.js";
import { say, seatWord } from "../words.js";

export const turn = { end: () => say("The turn is over"), hasEdge: false, isUrgent: () => false };

const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** The table for all; a hand only where the view has one. */
export function draw(view) {
  const table = view.table;
  const mine = table.players.find((p) => p.seat === view.seat);
  return [
    el("div", { class: "card" },
      el("p", { class: "race-turn" }, table.turn && emblem(table.turn), el("strong", {}, whose(table))),
      el("p", { class: "soft" }, [
        say("Round {n}", { n: table.round }), say("{n} cards in the stock", { n: table.stock }),
        table.phase === "draw" && say("{n} draws left", { n: table.draws_left }),
        table.knocked && say("{seat} knocked", { seat: seatWord(table.knocked) }), table.is_last_turn && say("last turns"),
      ].filter(Boolean).join(" · ")),
      mine?.hand?.length > 0 && [el("h2", {}, say("Your hand")), cards(mine.hand)],
      el("h2", {}, say("On the table")),
      table.melds.length === 0 ? el("p", { class: "soft" }, say("Nothing is laid yet."))
        : el("ul", { class: "melds" }, table.melds.map((meld) => el("li", {}, cards(meld.cards))))),
    el("ul", { class: "race-seats" }, table.players.map((p) => el("li", { class: p.seat === table.turn ? "now" : "" },
      emblem(p.seat), el("strong", {}, view.seats.find((s) => s.seat === p.seat)?.name ?? seatWord(p.seat)),
      el("span", { class: "soft" }, say("{n} cards", { n: p.cards_held })),
      el("span", { class: "score" }, say("{n} points", { n: p.total }), p.scored !== null && ` (${p.scored > 0 ? "+" : ""}${p.scored})`)))),
  ];
}

function whose(table) {
  if (table.phase === "over" || !table.turn) return say("The round is over");
  return say("{seat} is at turn", { seat: seatWord(table.turn) });
}

const cards = (names) => el("span", { class: "cards" }, names.map(card));

/** A card as its rank and suit; a joker says what it stands for. */
function card(name) {
  const [own, stands] = String(name).split("=");
  const suit = own.slice(-1);
  if (own.startsWith("J") && own.length > 1 && !(suit in SUITS)) return el("span", { class: "playing" }, "★", stands && el("small", {}, face(stands)));
  return el("span", { class: suit === "H" || suit === "D" ? "playing is-red" : "playing" }, face(own));
}

const face = (name) => name.slice(0, -1) + (SUITS[name.slice(-1)] ?? name.slice(-1));
