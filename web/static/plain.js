// A game without a drawing of its own: what its view says, as words and numbers.

import { el } from "./draw.js";
import { say } from "./words.js";

/** What this game calls the end of a turn. */
export const turn = { end: () => say("The turn is over"), isUrgent: () => false };

/** The game's view as a list; deeper things as lists within. */
export function draw(view) {
  return [el("div", { class: "card" }, list(view.table))];
}

function list(value) {
  if (value === null) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "–" : el("ul", {}, value.map((v) => el("li", {}, list(v))));
  if (typeof value === "object") {
    return el("dl", { class: "plain" }, Object.entries(value).map(([k, v]) => [el("dt", {}, say(k.replaceAll("_", " "))), el("dd", {}, list(v))]));
  }
  return typeof value === "boolean" ? (value ? say("yes") : say("no")) : String(value);
}
