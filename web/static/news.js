// What is new and out of sight: it scrolls into view; where a person reads something else, or it is far below, a bar leads there.

import { el } from "./draw.js";
import { say } from "./words.js";

const TOP_PX = 70, LOW_PX = 140; // the strip and the buttons cover so much
const READING_MS = 4000;
let lastTouch_ms = -READING_MS;
const waiting = new Map(); // the part that is new: its words

for (const kind of ["pointerdown", "wheel", "touchmove", "keydown"]) addEventListener(kind, () => { lastTouch_ms = performance.now(); }, { passive: true });
addEventListener("scroll", () => { for (const id of waiting.keys()) if (isSeen(id)) waiting.delete(id); draw(); }, { passive: true });

export function isNew(id, words) {
  const place = document.getElementById(id);
  if (!place || place.hidden || isSeen(id)) return waiting.delete(id);
  const isReading = performance.now() - lastTouch_ms < READING_MS || document.querySelector("dialog[open]");
  if (scrollY > 0 ? isReading : isLongWay(place)) waiting.set(id, words); // at the top one sees whose turn it is
  else show(id);
  draw();
}

/** Forgets what is no longer shown. */
export function prune() {
  for (const id of waiting.keys()) if (document.getElementById(id)?.hidden !== false || isSeen(id)) waiting.delete(id);
  draw();
}

/** Whether showing a part would leave nothing of what is seen now. */
const isLongWay = (place) => place.getBoundingClientRect().top - TOP_PX > innerHeight - LOW_PX;

function isSeen(id) {
  const box = document.getElementById(id)?.getBoundingClientRect();
  return Boolean(box) && box.top >= TOP_PX - 20 && box.top < innerHeight - LOW_PX;
}

/** Whether a question is in sight, which comes before all that is new elsewhere. */
function isAsked() {
  const box = document.getElementById("question")?.getBoundingClientRect(); // one that is hidden has no height
  return Boolean(box) && box.top < innerHeight - LOW_PX && box.bottom > TOP_PX;
}

function show(id) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const place = document.getElementById(id);
  scrollTo({ top: Math.max(0, place.getBoundingClientRect().top + scrollY - TOP_PX - 12), behavior: calm ? "instant" : "smooth" });
  waiting.delete(id);
}

function draw() {
  const bar = document.getElementById("news");
  if (!bar) return;
  const [first] = isAsked() ? [] : waiting; // the answers lie where the bar does
  bar.hidden = !first;
  if (!first) return bar.replaceChildren();
  const [id, words] = first;
  if (bar.dataset.says === words + waiting.size) return;
  bar.dataset.says = words + waiting.size;
  bar.replaceChildren(el("button", { type: "button", onclick: () => { show(id); draw(); } },
    el("span", {}, words), waiting.size > 1 && el("b", { class: "count" }, String(waiting.size)), el("span", { "aria-hidden": "true" }, say("Show"))));
}
