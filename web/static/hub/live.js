// A page that stays true: what is marked `data-live` is fetched anew when the hub says that there is something new.

import "../typed.js";
import { tick } from "./clock.js";

const body = document.body;
const HIDDEN_MS = 30000;
const BOXES_MS = 3000;
let seq = Number(body.dataset.seq || 0);
let newest = seq;
let isAsking = false;
let lost = 0;

/** Times of day in the reader's own clock. */
function tellTimes() {
  for (const time of document.querySelectorAll("time[data-at]"))
    time.textContent = new Date(1000 * Number(time.dataset.at)).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** Shows whether the hub is heard, or only asked every few seconds. */
function tellLink(isHeard, isAsked = false) {
  const [words, asked] = ["link", "asked"].map((id) => document.getElementById(id));
  if (!words) return;
  asked.hidden = !isHeard || !isAsked;
  if (!isHeard) return (lost ||= setTimeout(() => (words.hidden = false), 1500)); // it is tried anew each second
  clearTimeout(lost);
  lost = 0;
  words.hidden = true;
}

/** Whether somebody is typing in a part, which then stays as it is. */
const isBusy = (part) => part.contains(document.activeElement) && /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);

/** Fetches the page until it shows the newest number that was heard of, also one that is heard of meanwhile. */
async function renew(news) {
  newest = Math.max(newest, news);
  if (isAsking) return;
  isAsking = true;
  try {
    while (newest > seq && (await fetched()));
  } finally {
    isAsking = false;
  }
}

const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

/** Draws anew what is otherwise in a page that was fetched. */
function show(page) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(part.id);
    if (fresh && !isBusy(part) && fresh.innerHTML !== part.innerHTML) part.replaceChildren(...fresh.childNodes);
  }
}

/** How the tables with a camera stand: what they do is no entry of the log, so the hub has no news of it. */
async function askBoxes() {
  const answer = document.visibilityState === "visible" && (await fetch(`/e/${body.dataset.event}/boxes`, { cache: "no-store" }).catch(() => null));
  if (answer?.ok) show(parsed(await answer.text()));
}

/** Whether the page shows more than before. */
async function fetched() {
  const answer = await fetch(location.href, { cache: "no-store" });
  if (!answer.ok) return false;
  const page = parsed(await answer.text());
  const before = seq;
  seq = Number(page.body.dataset.seq || newest);
  show(page);
  tellTimes();
  tick();
  for (const seen of document.querySelectorAll("[data-live] input[name=seen]")) seen.value = seq;
  return seq > before;
}

const POLL_MS = 5000;

/** Hears a stream: `told` has a function for each kind of event. While its places are taken it asks by `ask` every few
 * seconds, and then tries again. A hidden page gives its place back. Returns what ends it. */
export function hear(address, told, ask) {
  let source = null, timer = 0, hidden = 0;
  const stop = () => source?.close();
  const listen = () => {
    stop();
    clearTimeout(timer);
    source = new EventSource(address);
    for (const kind of ["beat", ...Object.keys(told)]) {
      source.addEventListener(kind, ({ data }) => { tellLink(true); told[kind]?.(data); });
    }
    source.onopen = () => tellLink(true);
    source.onerror = () => (source.readyState === EventSource.CLOSED ? poll() : tellLink(false));
  };
  const poll = async () => {
    clearTimeout(timer);
    await ask().then(() => tellLink(true, true), () => tellLink(false));
    timer = setTimeout(listen, POLL_MS * (0.75 + Math.random() / 2)); // not all of a hall at once
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(hidden);
    if (document.visibilityState === "visible") listen();
    else hidden = setTimeout(stop, HIDDEN_MS);
  });
  listen();
  return stop;
}

tellTimes();
document.querySelector("[data-back]")?.addEventListener("click", (event) => {
  event.preventDefault();
  history.back();
});
if (document.getElementById("boxes")) setInterval(askBoxes, BOXES_MS);
if (body.dataset.event && document.querySelector("[data-live]")) {
  hear(`/e/${body.dataset.event}/news`, { news: (seq) => renew(Number(seq)) }, () => renew(seq + 1));
}
