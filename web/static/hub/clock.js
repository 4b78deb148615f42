// The clock of a round: every `.clock` of a page counts down by the hub's own time.

import { say } from "../words.js";

const TICK_MS = 500;
let ahead = null; // the hub's clock before ours, ms
let isAsking = false;
let isOver = false;

async function ask() {
  isAsking = true;
  const sent = Date.now();
  const answer = await fetch(`/e/${document.body.dataset.event}/now`, { cache: "no-store" }).catch(() => null);
  if (answer?.ok) ahead = 1000 * Number(await answer.text()) - (sent + Date.now()) / 2;
  isAsking = false;
}

/** Time as people read it: 1:05:00, 4:59. */
function told(left_s) {
  const whole = Math.ceil(left_s);
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [...(h ? [h, String(m).padStart(2, "0")] : [m]), String(s).padStart(2, "0")].join(":");
}

export function tick() {
  const clocks = document.querySelectorAll(".clock");
  if (!clocks.length) return;
  if (ahead === null) return isAsking || ask();
  for (const clock of clocks) {
    const { ends, left } = clock.dataset;
    const left_s = ends ? Number(ends) - (Date.now() + ahead) / 1000 : Number(left);
    const words = left_s > 0 ? (ends ? told(left_s) : say("Paused: {time}", { time: told(left_s) })) : say("Time is up.");
    if (clock.textContent !== words) clock.textContent = words;
    clock.classList.toggle("over", left_s <= 0);
    if (left_s <= 0 && !isOver) navigator.vibrate?.(400);
    isOver = left_s <= 0;
  }
}

setInterval(tick, TICK_MS);
