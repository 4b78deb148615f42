// What a ruling cites: a tap on the paragraph's sign shows its words.

import { el } from "./draw.js";
import { sheet } from "./sheets.js";
import { say, sentence } from "./words.js";

let asked = null;

/** A citation's paragraph, without the rule sheet's title before the comma. A score pad's match has another title. */
export const headingOf = (cited) => cited.replace(/^[^,]*, /, "");

export const silentOn = (heading) => /^gap (\d+)$/.exec(heading)?.[1];

/** A paragraph as it is shown, its number or letter after its name; where the sheet is silent, that it is. */
export function signOf(heading) {
  if (silentOn(heading)) return say("unwritten rule");
  const [, name, number = ""] = /^(.+?)( \d+| [a-z])?$/.exec(heading);
  return say(`\u00a7 ${name}`) + number;
}

/** The sign of a paragraph of the rule sheet; a tap opens its words. */
export function rule(cited) {
  const heading = headingOf(cited);
  return el("button", { class: "rule-button", type: "button", "data-key": `rule ${heading}`, "aria-label": say("Read {paragraph}", { paragraph: signOf(heading).replace(/^\u00a7 /, "") }), onclick: () => read(heading) },
    el("span", { class: "rule" }, signOf(heading)));
}

/** All paragraphs by their headings, asked for once. */
function paragraphs() {
  const own = document.getElementById("rules"); // of a replay
  if (own) return Promise.resolve(JSON.parse(own.textContent));
  asked ??= fetch("/rules.json").then((answer) => (answer.ok ? answer.json() : {}));
  return asked.catch(() => { asked = null; return {}; });
}

/** The house rules of this match that differ from the sheet; nothing where there are none. */
export async function houseRules() {
  const told = await fetch("/house.json").then((answer) => (answer.ok ? answer.json() : [])).catch(() => []);
  return told.length > 0 && [el("h3", {}, say("House rules of this match")),
    el("ul", {}, told.map(([asks, answer]) => el("li", {}, asks, " ", el("strong", {}, sentence(answer)))))];
}

/** All rules of the game, first those of the house, and where the sheet is silent how the table reads it. */
export async function rulesSheet() {
  const [all, house] = await Promise.all([paragraphs().then(Object.entries), houseRules()]);
  const called = (heading) => (silentOn(heading) ? sentence(say("unwritten rule {number}", { number: silentOn(heading) })) : heading === all[0][0] ? heading : signOf(heading));
  const shown = ([heading, words]) => [el("h3", {}, called(heading)),
    words.split("\n\n").map((part) => el("p", { class: "rule-words" }, part))];
  const silent = all.filter(([heading]) => silentOn(heading));
  sheet(say("The rules"), () => [
    house,
    all.length ? all.filter(([heading, words]) => !silentOn(heading) && words.trim()).map(shown) : el("p", {}, say("The text of this paragraph is not here: see the rule sheet.")),
    silent.length > 0 && el("details", {}, el("summary", {}, say("Where the sheet is silent")), silent.map(shown)),
  ]);
}

async function read(heading) {
  const words = (await paragraphs())[heading] ?? say("The text of this paragraph is not here: see the rule sheet.");
  sheet(silentOn(heading) ? say("unwritten rule {number}", { number: silentOn(heading) }) : signOf(heading), () => [
    words.split("\n\n").map((part) => el("p", { class: "rule-words" }, part)),
    silentOn(heading) && el("p", { class: "soft" }, say("The rule sheet says nothing here: this is how the table reads it.")),
  ]);
}
