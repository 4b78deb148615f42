// The score pad: a sheet with a column a side, a big key pad to write, a timer, lots for who begins.

import { el } from "../../draw.js";
import { moveSheet } from "../../moves.js";
import { sheet } from "../../sheets.js";
import { say, seatWord, sentence } from "../../words.js";

export const turn = { end: ({ table }) => (table.has_dice ? say("The dice have stopped") : null), isUrgent: () => false, hasOwnMoves: true, hasAlikeSeats: true, isBoardFirst: true };

const called = (view, seat) => view.seats.find((s) => s.seat === seat)?.name ?? seatWord(seat);
const names = (view, side) => side.seats.map((seat) => called(view, seat)).join(" + ");
const DICE = ["", "⚀", "⚁", "⚂", "⚃", "⚄", "⚅"];

export function draw(view, act) {
  const { table } = view;
  const move = (name) => (act ? view.moves.find((m) => m.move === name) : undefined);
  return [el("div", { class: "pad card large-table" },
    head(view),
    table.dice.length > 0 && el("p", { class: "pad-dice", role: "img", "aria-label": table.dice.join(" ") }, table.dice.map((n) => DICE[n]).join(" "), table.worth !== null && el("small", {}, say("worth {n} at most", { n: table.worth }))),
    el("ul", { class: "pad-sides" }, table.sides.map((side) => sideRow(view, side, move, act))),
    whole(view, move, act),
    act && others(view, move, act))];
}

/** Whose turn it is, what ends the match, and the seconds that are left. */
function head(view) {
  const { table } = view;
  const inTurn = ["turns", "lines"].includes(table.way) && table.open.length > 0 && called(view, table.open[0]);
  const ends = table.goal === null ? table.rounds !== null && table.way !== "winner" && say("{n} rounds", { n: table.rounds }) : table.is_down ? say("down to {n}", { n: table.goal }) : say("to {n}", { n: table.goal });
  const words = [inTurn && say("{name}'s turn", { name: inTurn }), table.is_bidding && !view.over && say("Bids"), ends, table.is_lowest && !table.is_down && say("the fewest win"), table.rolls_left !== null && table.dice.length > 0 && say("rolls left: {n}", { n: table.rolls_left })];
  const said = words.filter(Boolean).join(" · "), clock = table.timer_s !== null && !table.has_won && timer(table.timer_s, view.judged);
  return (said || clock) && el("p", { class: "pad-head" }, said, clock);
}

const began = { judged: null, at: 0 };
function timer(seconds, judged) {
  if (began.judged !== judged) Object.assign(began, { judged, at: Date.now() });
  const place = el("span", { class: "pad-timer", role: "timer" });
  const show = () => {
    const left = seconds - Math.floor((Date.now() - began.at) / 1000);
    place.textContent = left > 0 ? say("{n} s", { n: left }) : say("Time is up");
    if (left > 0) setTimeout(() => place.isConnected && show(), 500);
  };
  show();
  return place;
}

/** A side with its total; a tap writes for it. */
function sideRow(view, side, move, act) {
  const { table } = view, seat = side.seats[0], isOpen = table.open.includes(seat);
  const write = move(`write ${seat}`), won = move(`won ${seat}`);
  const inside = [el("span", { class: "pad-name" }, names(view, side)), table.way !== "winner" && el("b", {}, String(side.total))];
  const key = { "data-key": `side ${seat}`, class: isOpen ? "pad-side is-open" : "pad-side" };
  if (write) return el("li", {}, el("button", { ...key, onclick: () => keyPad(view, write, names(view, side), act) }, inside, el("span", { class: "pad-add" }, table.way !== "bids" ? say("Write") : table.is_bidding ? say("Bid") : say("Tricks"))));
  if (won) return el("li", {}, el("button", { ...key, onclick: (e) => act({ do: "act", move: won.move }, e.currentTarget) }, inside, el("span", { class: "pad-add" }, say("has won"))));
  return el("li", {}, el("div", key, inside));
}

/** All rows: rounds or lines. A free line of the side to move is tapped. */
function whole(view, move, act) {
  const { table } = view;
  if (table.way === "winner" || table.rows.length === 0) return null;
  const cell = (at, i) => {
    const [n, bid] = [table.rows[at][i], table.bids[at]?.[i] ?? null];
    return el("td", {}, bid === null ? n === null ? "" : String(n) : say("{n} of {bid}", { n: n ?? "–", bid }));
  };
  const line = (at) => {
    const open = move(`line ${at}`), words = table.lines[at] === undefined ? String(at + 1) : sentence(table.lines[at]);
    return el("th", { scope: "row" }, open ? el("button", { class: "pad-line", "data-key": open.move, onclick: (e) => tapped(view, open, act, e.currentTarget) }, sentence(open.says)) : words);
  };
  return el("div", { class: "pad-sheet score-sheet", tabindex: "0", role: "region", "aria-label": say("Score sheet") }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, table.lines.length > 0 ? say("Line") : say("Round")), table.sides.map((side) => el("th", { scope: "col" }, names(view, side))))),
    el("tbody", {}, table.rows.map((_, at) => el("tr", {}, line(at), table.sides.map((_, i) => cell(at, i)))),
      table.has_bonus && el("tr", {}, el("th", { scope: "row" }, say("Bonus")), table.sides.map((side) => el("td", {}, String(side.bonus)))))));
}

function tapped(view, move, act, button) {
  if (move.asks.length === 0) return act({ do: "act", move: move.move }, button);
  return move.asks[0].span ? keyPad(view, move, "", act) : moveSheet(move, act);
}

/** Who begins, a correction, and the end. */
function others(view, move, act) {
  const begins = move("begins"), change = move("change"), close = move("close");
  const lots = (e) => {
    const choices = begins.asks[0].choices;
    return act({ do: "act", move: "begins", values: { seat: choices[Math.floor(Math.random() * choices.length)].key } }, e.currentTarget);
  };
  return el("div", { class: "pad-others" },
    begins && el("button", { "data-key": "lots", onclick: lots }, say("Draw lots for who begins")),
    begins && el("button", { "data-key": "begins", onclick: () => moveSheet(begins, act) }, sentence(begins.says)),
    change && el("button", { "data-key": "change", onclick: () => moveSheet(change, act) }, sentence(change.says)),
    close && el("button", { "data-key": "close", onclick: (e) => act({ do: "act", move: "close" }, e.currentTarget) }, sentence(close.says)));
}

/** Large keys for a number: a phone's own keyboard may have no minus. */
function keyPad(view, move, name, act) {
  const ask = move.asks[0], [least] = ask.span;
  return sheet(name ? `${name}: ${sentence(ask.says)}` : sentence(move.says), (close) => {
    const shown = el("output", { class: "pad-typed", "aria-live": "polite" }, "0");
    const type = (key) => {
      const now = shown.textContent;
      if (key === "←") shown.textContent = now.replace(/.$/, "").replace(/^-?$/, "0");
      else if (key === "±") shown.textContent = now === "0" ? now : now.startsWith("-") ? now.slice(1) : `-${now}`;
      else if (now.length < 7) shown.textContent = now === "0" ? key : now + key;
    };
    const enter = async (e) => (await act({ do: "act", move: move.move, values: { [ask.key]: shown.textContent } }, e.currentTarget)) && close();
    const LABEL = { "←": say("Delete"), "±": say("Plus or minus") };
    const keys = [..."123456789", least < 0 ? "±" : "", "0", "←"];
    return el("div", { class: "pad-keys", onkeydown: (e) => {
      if (/^\d$/.test(e.key)) type(e.key);
      else if (e.key === "-" && least < 0) type("±");
      else if (e.key === "Backspace") type("←");
    } }, shown, keys.map((key) => key === "" ? el("span") : el("button", { type: "button", "aria-label": LABEL[key], onclick: () => type(key) }, key)),
    el("button", { class: "big primary", onclick: enter }, say("Write it down")));
  });
}
