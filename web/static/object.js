// What was entered last may be objected to for some seconds: a bar above it all that covers nothing, with the time that is left.

import { el } from "./draw.js";
import { isolated, say, sentence, whoWord } from "./words.js";

let deadline = null; // { key, at_ms }

/** Milliseconds in which one may still object, by this phone's own clock; `onEnd` is called when they are over. */
export function timeLeft(view, onEnd) {
  const { objection } = view;
  if (!objection || objection.until_s === null) return 0;
  const key = `${view.match} ${objection.entry}`;
  if (deadline?.key !== key) {
    const left_ms = 1000 * (objection.until_s - view.now_s);
    deadline = { key, at_ms: performance.now() + left_ms };
    if (left_ms > 0) setTimeout(onEnd, left_ms + 50);
  }
  return deadline.at_ms - performance.now();
}

/** The bar on the phones of the others. `ruled`: the rulings that followed from it, the last one first, perhaps on a card below. */
export function objectionBar({ objection, left_ms, ruled, isRuledBelow }, act) {
  const left = el("span", { class: "left", "aria-hidden": "true" });
  left.style.animationDuration = `${Math.max(0, left_ms)}ms`;
  const isBelow = isRuledBelow && ruled.length > 0;
  const effects = isBelow ? [] : ruled.filter((one) => !objection.says.includes(one)).reverse();
  const words = isBelow ? say("A new ruling") : sentence(objection.says), by = whoWord(objection.by); // most sentences name who did it
  const isSaid = objection.by === "camera" || words.includes(by);
  return [
    el("p", {}, el("strong", {}, words), " ", el("small", {}, effects.length > 0 ? effects.map(sentence).join(". ") : !isSaid && say("entered by {name}", { name: isolated(by) }))),
    left_ms > 0 && el("button", { "data-key": "object", onclick: (e) => act({ do: "call_referee", entry: objection.entry, words: "" }, e.currentTarget) }, say("Object")),
    left_ms > 0 && left,
  ];
}
