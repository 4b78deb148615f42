// What a seat may do now, by taps: the rules' own list of moves, with what each brings and what it asks for.

import { el } from "./draw.js";
import { rule } from "./rules.js";
import { shape } from "./shapes.js";
import { formSheet } from "./sheets.js";
import { say, sentence } from "./words.js";

const AT_ONCE = 8; // more of them are folded away

/** The card of a phone; `act` sends a tap. Null where nothing can be tapped. */
export function movesCard(moves, act) {
  const tapped = moves.filter((m) => m.is_tapped);
  if (tapped.length === 0) return null;
  const told = moves.filter((m) => !m.is_tapped);
  const [first, others] = [tapped.slice(0, AT_ONCE), tapped.slice(AT_ONCE)];
  return [
    el("h2", {}, say("Your options")),
    rows(first, act),
    others.length > 0 && el("details", { "data-key": "other moves" }, el("summary", {}, say("and {n} more", { n: others.length })), rows(others, act)),
    told.map((m) => el("p", { class: "soft small" }, sentence(m.says))),
  ];
}

const rows = (moves, act) => el("ul", { class: "moves" }, moves.map((m) => el("li", {}, row(m, act))));

function row(move, act) {
  const onclick = (e) => (move.asks.length > 0 ? moveSheet(move, act) : act({ do: "act", move: move.move }, e.currentTarget));
  return el("button", { class: "move", "data-key": `move ${move.move}`, onclick },
    el("span", { class: "words" }, el("strong", {}, sentence(move.says)), move.effects.map((words) => el("small", {}, sentence(words)))));
}

export function moveSheet(move, act) {
  const send = (form, button) => act({ do: "act", move: move.move, values: Object.fromEntries(new FormData(form)) }, button);
  const choice = (ask, { key, says }) => el("label", { class: "pill" },
    el("input", { type: "radio", name: ask.key, value: key, checked: key === ask.given, required: true }), el("span", {}, sentence(says)));
  const choices = (ask) => el("fieldset", {}, el("legend", {}, sentence(ask.says)),
    el("div", { class: "values" }, ask.choices.map((one) => choice(ask, one))));
  return formSheet(sentence(move.says), send, [
    move.asks.map((ask) => (ask.span ? numberField(ask) : choices(ask))),
    move.rule && el("p", { class: "cite" }, rule(move.rule)),
    el("div", { class: "answers" }, el("button", { class: "big primary" }, shape("done"), say("Confirm"))),
  ]);
}

const numberField = ({ key, says, span: [min, max] }) => el("label", {}, sentence(says), el("input", { name: key, type: "number", inputmode: min < 0 ? null : "numeric", step: 1, min, max, required: true, autocomplete: "off" }));
