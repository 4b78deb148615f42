// A finished match step by step, from its own file: nothing is fetched.

import { el, part, svg } from "./draw.js";
import { draw } from "./played.js";
import { boxOfPieces, viewOf, whole } from "./pieces.js";
import { inOrder, overCard, questionCard, rulingCard, rulingLine } from "./ruling.js";
import { emblem, seatColor, shape } from "./shapes.js";
import { isolated, say, sentence, timeOfDay, whoWord } from "./words.js";

const { view, steps } = JSON.parse(document.getElementById("replay").textContent);
const { film } = document.body.dataset; // plays by itself, and where it leads then
const STEP_MS = film ? 4000 : 2500, AROUND_MM = 40;
const last = steps.length - 1;
let at = 0, timer = 0;

const slider = el("input", { type: "range", min: 0, max: last, value: 0, "aria-label": say("Steps"), oninput: () => go(Number(slider.value)) });
document.getElementById("main").append(
  el("h1", { class: "title" }, view.title),
  el("p", { class: "replay-names" }, view.seats.filter((s) => s.name).map((s) => el("span", {}, emblem(s.seat), isolated(s.name)))),
  ...["step", "over", "table", "question", "rulings", "game"].map((id) => el("section", { id, class: { over: "card over", step: "card", question: "card question" }[id] ?? null })));

function go(to) {
  at = Math.min(last, Math.max(0, to));
  if (at === last) stop();
  const { says, by, at_s, last: cards, table, pieces, question } = steps[at];
  const now = { ...view, table: { ...steps[0].table, ...table }, title: null, seat: null, hints: [], moves: [], over: at === last ? view.over : null };
  slider.value = at;
  part("step", at, () => [slider, el("p", { class: "soft small" }, say("{n} of {all}", { n: at + 1, all: last + 1 }), !film && ` · ${timeOfDay(at_s)} · ${isolated(whoWord(by))}`)]);
  document.body.dataset.won = now.over ? seatColor(now.over.winners[0] ?? "") ?? "nobody" : "";
  part("over", now.over, (over) => overCard(over, now));
  part("table", pieces.length > 0 ? pieces : null, lying);
  part("question", question, (asked) => questionCard(asked, {}));
  part("rulings", question ? null : { at }, () => {
    const [first, ...others] = inOrder(cards);
    return first ? [rulingCard(first), others.map((card) => rulingLine(card))] : el("p", { class: "card" }, sentence(says));
  });
  part("game", { at }, () => draw(now));
  buttons();
}

const lying = (pieces) => el("figure", { class: "card laid" },
  svg("svg", { viewBox: viewOf(boxOfPieces(pieces), AROUND_MM), role: "img", "aria-label": say("The table from above") }, pieces.map(whole)));

function stop() {
  clearInterval(timer);
  timer = 0;
}

function play() {
  if (timer) stop();
  else {
    if (at === last) go(0);
    timer = setInterval(() => go(at + 1), STEP_MS);
  }
  buttons();
}

function buttons() {
  const step = (key, words, by, icon) => el("button", { class: "action", "data-key": key, disabled: at + by < 0 || at + by > last, onclick: () => { stop(); go(at + by); } }, shape(icon), el("span", {}, words));
  part("actions", { at, isPlaying: Boolean(timer) }, () => [step("back", say("Back"), -1, "undo"), step("next", say("Next"), 1, "moving"),
    film && at === last ? el("a", { class: "button action primary", href: film }, say("What do you play?"))
      : el("button", { class: "action primary", "data-key": "play", onclick: play }, timer ? say("Pause") : say("Play"))]);
}

addEventListener("keydown", (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by || event.target === slider) return;
  stop();
  go(at + by);
});
go(0);
if (film) play();
