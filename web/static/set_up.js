// Before the first throw: how far the camera sees the table set up. A warning and no more: people may begin anyway.

import { el } from "./draw.js";
import { row } from "./laid.js";
import { shape } from "./shapes.js";
import { say, sentence } from "./words.js";

/** The card of a phone: what is wrong first; only a line where all is right. `end` is what a throw is ended with. */
export function setUpCard(setUp, end, onHide) {
  const isRight = setUp.laid === "yes";
  document.getElementById("setup").classList.toggle("is-laid", isRight);
  return [
    head(setUp),
    !isRight && el("ul", { class: "ticks" }, setUp.lines.map((line) => el("li", {}, lineOf(line)))),
    el("p", { class: "soft small" }, sentence(setUp.beyond)),
    !isRight && [
      el("p", { class: "soft small" }, say("You may begin all the same. Thrown already? Then press {end}.", { end: `\u201c${end}\u201d` })),
      el("div", { class: "answers" }, el("button", { class: "big", "data-key": "begin anyway", onclick: onHide }, say("Begin all the same"))),
    ],
  ];
}

/** The scoreboard's: the head and what is wrong. */
export function setUpShort(setUp) {
  const wrong = setUp.lines.filter((line) => line.laid !== "yes").slice(0, SHORT_ROWS);
  return [head(setUp), wrong.length > 0 && el("ul", { class: "ticks" }, wrong.map((line) => el("li", {}, lineOf(line))))];
}

const SHORT_ROWS = 4;

/** What is said aloud when what the camera sees of the set-up has changed. */
export function setUpWords(setUp) {
  if (!setUp) return null;
  return [setUp, ...setUp.lines.filter((line) => line.laid !== "yes")].map((one) => sentence(one.says)).join(". ");
}

const mark = (laid) => (laid === "no" ? "wrong" : laid);
const head = (setUp) => el("h2", {}, shape(mark(setUp.laid)), el("span", {}, sentence(setUp.says)));
const lineOf = (line) => row({ ...line, laid: mark(line.laid) }, {});
