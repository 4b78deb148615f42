// Before the first throw: how far the camera sees the table set up. A warning and no more: people may begin anyway.

import { el } from "./draw.js";
import { firstOf, headOf, told } from "./laid.js";
import { headingOf, signOf } from "./rules.js";
import { say, sentence } from "./words.js";

/** The card of a phone: what is wrong first; only a line where all is right. `end` is what a throw is ended with. */
export function setUpCard(setUp, end, onHide) {
  const isRight = setUp.laid === "yes";
  const right = setUp.lines.filter((line) => line.laid === "yes");
  return [
    head(setUp),
    !isRight && el("ul", { class: "ticks" }, wrong(setUp).map(lineOf)),
    isRight ? beyond(setUp) : el("details", { "data-key": "right" }, el("summary", {}, say("Correct items, and those no camera can see")),
      el("ul", { class: "ticks" }, right.map(lineOf)), beyond(setUp)),
    !isRight && [
      el("p", { class: "soft small" }, say("You may begin anyway. Have you thrown already? Then press “{end}”.", { end })),
      el("div", { class: "answers" }, el("button", { class: "big", "data-key": "begin anyway", onclick: onHide }, say("Begin anyway"))),
    ],
  ];
}

/** The scoreboard's: the head and what is wrong. */
export const setUpShort = (setUp) => [head(setUp), firstOf(wrong(setUp).map(seen))];

/** What is said aloud when what the camera sees of the set-up has changed. */
export function setUpWords(setUp) {
  if (!setUp) return null;
  return [setUp, ...wrong(setUp)].map((one) => sentence(one.says)).join(". ");
}

const beyond = (setUp) => el("p", { class: "soft small" }, sentence(setUp.beyond), setUp.enters_itself && [". ", say("Just play: the camera enters it.")]);
const mark = (laid) => (laid === "no" ? "wrong" : laid);
const head = (setUp) => headOf(mark(setUp.laid), setUp.says);
const wrong = (setUp) => setUp.lines.filter((line) => line.laid !== "yes");
const seen = (line) => told(mark(line.laid), line.says, line.rule && signOf(headingOf(line.rule)));
const lineOf = (line) => el("li", {}, seen(line));
