// What the camera sees of things that should lie in a certain way: a row each, told by a shape and a word, never by colour
// alone. What the camera cannot tell people tick off themselves.

import { el } from "./draw.js";
import { keep, recall } from "./memory.js";
import { shape } from "./shapes.js";
import { say, sentence } from "./words.js";

const BACK = { yes: () => say("In place"), no: () => say("Not yet"), unseen: () => say("Please check") };

/** A thing to put back, with its number in the drawing: the camera's mark, or where no camera tells a box to tick. */
export function toPutBack({ laid, says, why }, { number = null, key = null } = {}) {
  const words = [number && [el("b", { class: "number" }, String(number)), " "], el("span", {}, sentence(says), laid && status([BACK[laid](), why]))];
  if (key === null || laid === "yes" || laid === "no") return el("div", { class: `seen is-${laid}` }, shape(laid ?? "no"), words);
  return el("label", {}, el("input", { type: "checkbox", checked: recall(`tick ${key}`, true) !== null, "data-key": `tick ${key}`,
    onchange: (e) => keep(`tick ${key}`, e.target.checked ? "" : null, true) }), words);
}

/** A sentence with the shape of what the camera sees of it, and what more there is to say in small. */
export function told(icon, says, more = null) {
  return el("div", { class: `seen is-${icon}` }, shape(icon), el("span", {}, sentence(says), more && status([more])));
}

const status = (words) => el("small", { class: "why" }, words.filter(Boolean).join(" \u2013 "));

/** A card's head: how far all lies as it should. */
export const headOf = (icon, says) => el("h2", { class: icon === "yes" ? "is-laid" : "" }, shape(icon), el("span", {}, sentence(says)));

const SHORT_ROWS = 3;

/** On the scoreboard: the first of some rows, and how many more there are. */
export const firstOf = (rows) => rows.length > 0 && [
  el("ul", { class: "ticks" }, rows.slice(0, SHORT_ROWS).map((one) => el("li", {}, one))),
  rows.length > SHORT_ROWS && el("p", { class: "soft" }, say("and {n} more", { n: rows.length - SHORT_ROWS })),
];
