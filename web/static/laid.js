// What the camera sees of things that should lie in a certain way: a row each, told by a shape and a word, never by colour
// alone. What the camera cannot tell people tick off themselves.

import { el } from "./draw.js";
import { shape } from "./shapes.js";
import { say, sentence } from "./words.js";

const WORDS = { yes: () => say("Back"), no: () => say("Not yet"), unseen: () => say("Not seen: tick it off yourselves") };
const ticked = {
  // one's own ticks outlive a redrawing and a reload
  has(key) { try { return sessionStorage.getItem(`tick ${key}`) !== null; } catch { return false; } },
  set(key, isTicked) {
    try {
      if (isTicked) sessionStorage.setItem(`tick ${key}`, "");
      else sessionStorage.removeItem(`tick ${key}`);
    } catch { /* ticked until the next redrawing */ }
  },
};

/** One thing: the camera's mark, or a box to tick where no camera tells; `key` names one's own tick. */
export function row({ laid, says, why }, { number = null, key = null } = {}) {
  const words = [number && [el("b", { class: "number" }, String(number)), " "], el("span", {}, sentence(says), status(laid, why, key))];
  if (key !== null && laid !== "yes" && laid !== "no") {
    const box = el("input", { type: "checkbox", checked: ticked.has(key), "data-key": `tick ${key}`, onchange: (e) => ticked.set(key, e.target.checked) });
    return el("label", {}, box, words);
  }
  return el("div", { class: `seen is-${laid}` }, shape(laid), words);
}

function status(laid, why, key) {
  if (!(laid in WORDS) || (laid === "unseen" && key === null)) return why ? el("small", { class: "why" }, sentence(why)) : null;
  return el("small", { class: "why" }, why ? `${WORDS[laid]()} \u2013 ${why}` : WORDS[laid]());
}
