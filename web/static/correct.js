// A correction: the piece is pointed at in the picture, then only its own facts are offered; a list serves without the picture.

import { el } from "./draw.js";
import { pointer } from "./point.js";
import { reasonFields, reasonOf } from "./ruling.js";
import { shape } from "./shapes.js";
import { formSheet } from "./sheets.js";
import { say, sentence } from "./words.js";

const ELSE = ""; // facts that are about no one piece

/** One fact: its question, what it counts as now, and the values it may have instead. `onchange` when one is chosen. */
const factField = (c, onchange) => el("fieldset", { "data-fact": c.fact }, el("legend", {}, sentence(c.says)),
  el("p", { class: "soft" }, say("Now it counts as: {value}", { value: c.choices.find((v) => v.key === c.value)?.says ?? say("unknown") })),
  el("div", { class: "values" }, c.choices.filter((v) => v.key !== c.value).map((v) => el("label", { class: "pill" },
    el("input", { type: "radio", name: `right ${c.entry} ${c.fact}`, value: JSON.stringify([c.entry, c.fact, v.key]), onchange }), el("span", {}, sentence(v.says))))));

/** Tells each value that was chosen, one after the other; whether all were taken. */
async function tellAll(form, words, onCorrect) {
  const chosen = [...form.querySelectorAll("[data-fact] input:checked")].map((input) => JSON.parse(input.value));
  for (const [entry, fact, value] of chosen) {
    if (!(await onCorrect({ entry, fact, value, ...words }, form.querySelector(".primary")))) return false;
  }
  return true;
}

/** A fact, its right value, by whom and why. `named` are the pieces of the ruling that is corrected: one is chosen already,
 * several are marked and listed first. */
export function correctSheet({ corrections, pointing, name, named, onCorrect }) {
  const names = new Map((pointing?.points ?? []).map((p) => [p.piece, p.says]));
  const pieces = [...new Set(corrections.map((c) => c.piece ?? ELSE))].sort((a, b) => !a - !b); // what is of no piece comes last
  const called = (piece) => (piece === ELSE ? say("Something else") : sentence(names.get(piece) ?? piece));
  const table = pointing && pointer(pointing, (piece, others) => choose(piece, others), named);
  const unnamed = pieces.filter((piece) => !named.includes(piece));
  const option = (piece) => el("option", { value: piece }, called(piece));
  const group = (label, listed) => listed.length > 0 && el("optgroup", { label }, listed.map(option));
  const list = el("select", { id: "piece", onchange: () => choose(list.value, 0) },
    el("option", { value: "none", disabled: true, selected: true }, say("No piece yet")),
    named.length > 1 ? [group(say("In this ruling"), named), group(say("All others"), unnamed)] : pieces.map(option));
  const chosen = el("p", { class: "unseen", role: "status" });
  const again = el("p", { class: "again soft" });
  const facts = el("div", { class: "facts" });
  const back = el("button", { type: "button", class: "whole", hidden: true, onclick: () => choose(null, 0) }, say("Whole table"));
  const who = el("div", { hidden: true },
    el("label", { for: "corrector" }, say("Your name")), el("input", { id: "corrector", name: "name", required: true, maxlength: 24, value: name, autocomplete: "off" }),
    el("label", { for: "reason" }, say("Reason")), el("input", { id: "reason", name: "reason", required: true, maxlength: 200, placeholder: say("what was seen, in a few words"), autocomplete: "off" }),
    el("div", { class: "answers" }, el("button", { class: "big primary" }, say("Correct it"))));

  function choose(piece, others) {
    const isChosen = piece !== null;
    list.value = isChosen ? piece : "none";
    table?.show(piece);
    back.hidden = !isChosen || !table?.can(piece);
    who.hidden = true;
    chosen.textContent = isChosen ? say("Chosen: {piece}", { piece: called(piece) }) : "";
    again.textContent = others > 0 ? say("Another piece is just as close: tap again to choose it.")
      : table && isChosen && piece !== ELSE && !table.can(piece) ? say("It is not in this picture.") : "";
    facts.replaceChildren(...(isChosen ? corrections.filter((c) => (c.piece ?? ELSE) === piece).map((c) => factField(c, decide)) : []));
  }

  function decide() {
    who.hidden = false;
    who.scrollIntoView({ block: "end", behavior: "instant" });
  }

  choose(named.length === 1 ? named[0] : null, 0);
  const tell = (form) => tellAll(form, { name: form.elements.name.value, reason: form.elements.reason.value }, onCorrect);
  return formSheet(say("Correct a fact"), tell, [
    el("label", { for: "piece" }, pointing ? say("Tap the piece, or choose it") : say("Choose the piece")),
    table && el("div", { class: "point" }, table.node, back), list, chosen, again, facts, who,
  ], "correct");
}

/** Facts that are about no one piece: the right value, why, and it is done. The value it has now comes last. */
export function factSheet({ corrections, onCorrect }) {
  const told = el("button", { class: "big primary", disabled: true }, say("Correct it"));
  const reasons = [say("Tapped by mistake"), say("The camera saw it wrongly"), say("We all agree")];
  return formSheet(say("Correct it"), (form) => tellAll(form, { reason: reasonOf(form) }, onCorrect), [
    corrections.map((c) => factField(c, () => { told.disabled = false; })),
    el("details", { "data-key": "why" }, el("summary", {}, say("Why: tapped by mistake, or another reason")), reasonFields(reasons)),
    el("div", { class: "answers" }, told),
  ]);
}

/** What opens it from a ruling: the piece is the ruling's own. */
export const correctButton = (onTap, words = say("Wrong? Correct it")) =>
  el("button", { class: "link-button", "data-key": "correct", onclick: onTap }, shape("pencil"), words);

/** Whether nobody knows what a fact is. */
export const isOpen = (c) => c.choices.every((v) => v.key !== c.value);

/** Facts that were left open because nothing turns on them: one is answered by a tap, several in the sheet. */
export function openAnswers(open, onCorrect, onTap) {
  const [{ entry, fact, choices }, ...others] = open;
  const tell = (choice) => (e) => onCorrect({ entry, fact, value: choice.key, reason: say("Seen by eye") }, e.currentTarget);
  return el("div", { class: "open-fact" }, el("p", { class: "soft small" }, say("You need not do anything. If you know, you can say:")),
    others.length > 0 ? correctButton(onTap, say("Say it"))
      : el("div", { class: "answers pair" }, choices.map((choice) => el("button", { class: "answer", "data-key": `tell ${fact} ${choice.key}`, onclick: tell(choice) }, sentence(choice.says)))));
}
