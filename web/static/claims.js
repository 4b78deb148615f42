// A phone that has lost its seat: the card of who may agree, and what the phone itself shows meanwhile.

import { el } from "./draw.js";
import { emblem, shape } from "./shapes.js";
import { isolated, say } from "./words.js";

/** Another phone asks for a seat: this phone's own, or that of somebody else here. */
export function claimCard({ seat, name }, isOwn, onSay) {
  const who = { name: isolated(name) };
  return [
    el("h2", {}, shape("unknown"), el("span", {}, say("Another phone says: “I am {name}”", who)), emblem(seat)),
    el("p", {}, isOwn ? say("That phone wants the seat that this phone has.") : say("It has lost its seat. Is it {name}?", who)),
    el("div", { class: "answers" },
      el("button", { class: "big primary", "data-key": "admit", onclick: (e) => onSay(true, e.currentTarget) }, isOwn ? say("Give it the seat") : say("Yes, it is {name}", who)),
      el("button", { class: "big", "data-key": "refuse", onclick: (e) => onSay(false, e.currentTarget) }, isOwn ? say("This is my seat") : say("No"))),
  ];
}

let timer = 0;

/** On the phone that asks: who is asked, or how long it waits where nobody else is here. */
export function waitCard(claim, { name, retry, now_s, onBack }) {
  const at_ms = performance.now(), left = el("strong", { role: "timer" });
  clearInterval(timer);
  if (claim.asks.length === 0) {
    const tick = (isFirst = false) => {
      if (!isFirst && !left.isConnected) return clearInterval(timer); // settled otherwise
      const left_s = Math.ceil(claim.until_s - now_s - (performance.now() - at_ms) / 1000);
      left.textContent = say("{n} s", { n: Math.max(0, left_s) });
      if (left_s > 0) return null;
      clearInterval(timer);
      return retry(claim);
    };
    timer = setInterval(() => tick(), 500);
    tick(true);
  }
  return [
    el("h2", {}, emblem(claim.seat), el("span", {}, say("I am {name}", { name: isolated(claim.name) }))),
    claim.asks.length > 0 ? el("p", {}, say("Asked: {names}. One tap on that phone gives you the seat.", { names: claim.asks.map(name).join(", ") }))
      : el("p", {}, say("No other phone is here. You get the seat in"), " ", left),
    el("div", { class: "answers" }, el("button", { class: "big", "data-key": "other seat", onclick: onBack }, say("Another seat"))),
  ];
}
