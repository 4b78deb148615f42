// The strip that is always on top: can the table see, since when, and is this page still told.

import { announce, el, part } from "./draw.js";
import { shape } from "./shapes.js";
import { howLong, say, sentence } from "./words.js";

const HEADS = {
  sees: () => say("The table sees"),
  moving: () => say("Something moves"),
  hand: () => say("Hand in the way"),
  blind: () => say("Blind"),
  moved: () => say("Camera moved"),
};
const LOUD = new Set(["blind", "moved"]);

const LINKS = {
  connecting: () => say("Connecting"),
  live: () => say("Live"),
  polling: () => say("Every few seconds"),
  lost: () => say("Not connected"),
};

/** Keeps the strip: `show(view)` for each view, `link(state)` for the connection. */
export function sightStrip() {
  let sight = null;
  let clock = { now_s: 0, at_ms: 0 };
  let link = "connecting";
  let lostAt_ms = 0;
  let said = "";

  const tick = () => {
    const since = document.getElementById("since");
    if (since && sight) {
      const now_s = clock.now_s + (performance.now() - clock.at_ms) / 1000;
      since.textContent = say("for {time}", { time: howLong(now_s - sight.since_s) });
    }
    const lost = document.getElementById("lost-for");
    if (lost) lost.textContent = howLong((performance.now() - lostAt_ms) / 1000);
  };
  setInterval(tick, 1000);

  function draw() {
    const state = link === "lost" || !sight ? "unknown" : sight.state;
    const data = { state, says: sight?.says };
    part("sight", data, () => {
      const head = state === "unknown" ? say("Not known") : HEADS[state]?.() ?? state;
      const why = state === "unknown" ? say("what the table sees does not reach this screen") : sight.says;
      const isLoud = LOUD.has(state);
      document.getElementById("sight").dataset.state = state;
      return [
        shape(state),
        el("p", { class: "sight-words" },
          el("strong", {}, head, " "), el("span", { class: "why" }, sentence(why)),
          isLoud && el("span", { class: "no-ruling" }, " ", say("No ruling is made until it sees again."))),
        state !== "unknown" && el("span", { id: "since", class: "since" }),
      ];
    });
    part("connection", { link }, () => {
      document.body.dataset.link = link;
      if (link === "lost") {
        return el("p", { class: "lost" }, el("strong", {}, say("Not connected")), " ", say("for"), " ",
          el("span", { id: "lost-for" }), ". ", say("What you see is old; nothing can be done until the table answers."));
      }
      return el("p", { class: "link" }, el("span", { class: "dot" }), LINKS[link]());
    });
    tick();
  }

  function tellIfNew() {
    const state = link === "lost" ? "lost" : sight?.state;
    if (!state || state === said) return;
    const isFirst = said === "";
    said = state;
    if (state === "lost") announce(say("Not connected: what you see is old."), true);
    else if (LOUD.has(state)) announce(`${HEADS[state]()}: ${sight.says}`, true);
    else if (!isFirst) announce(HEADS[state]?.() ?? state);
  }

  return {
    show(view) {
      sight = view.sight;
      clock = { now_s: view.now_s, at_ms: performance.now() };
      draw();
      tellIfNew();
    },
    link(state) {
      if (state === "lost") lostAt_ms = performance.now();
      link = state;
      draw();
      tellIfNew();
    },
  };
}
