// The strip that is always on top, and never of another height: whose phone this is while all is well; else what the
// table sees, what to do, and whether this page is still told.

import { announce, el, part } from "./draw.js";
import { emblem, seatColor, shape } from "./shapes.js";
import { howLong, isolated, say, seatWord, sentence } from "./words.js";

const LOUD = new Set(["blind", "moved"]);
const CALM = new Set(["sees", "by_hand"]); // as it should be: nothing to say
const STARTING = new Set(["starting", "settling"]);
const START_S = 15; // a start that takes longer is a warning
const CALM_MS = 1500; // only what lasts is said aloud: every throw moves something and brings hands

/** Of each state, and of each reason for it: what the strip says, and what to do. */
const SAID = {
  sees: [say("The table sees"), say("Nothing is moving.")],
  reading: [say("Reading the table …"), say("Keep hands away.")],
  moving: [say("Moving"), say("Wait until nothing moves.")],
  hand: [say("Something covers the table"), say("Take hands and things away.")],
  starting: [say("The camera starts"), say("It takes a few seconds.")],
  blind: [say("Blind")],
  moved: [say("Camera moved")],
  by_hand: [say("By hand"), say("No camera: tap what happens.")],
  lost: [say("The table does not answer"), say("Is it on? What you see is old.")],
  waking: [say("Connecting"), say("This view is out of date.")],
  unknown: [say("Not known yet"), say("The table has not answered yet.")],
};

/** Of each reason why a table is blind: how the strip calls it. */
const BLIND = {
  too_dark: say("Blind: too dark"),
  too_bright: say("Blind: too bright"),
  blurred: say("Blind: blurred"),
  no_fiducials: say("Blind: marks hidden"),
  board_not_found: say("Blind: other board?"),
  out_of_picture: say("Blind: table cut off"),
  wrong_lens: say("Blind: wrong camera"),
  no_picture: say("Blind: no picture"),
  frozen: say("Blind: picture frozen"),
  not_calibrated: say("Blind: set-up unfit"),
  settling: say("Blind: about to look"),
  sways: say("Blind: camera sways"),
  slow: say("Blind: slow camera"),
};

/** What is to be done about a table that is seen. */
const SEEN = {
  soft: say("Not sharp: wipe the lens."),
  coarse: say("Coarse picture: more questions."),
  certificate_expired: say("The certificate has expired: run the drill."),
  box_ill: say("The box needs you: tap for why."),
  lens_unnoted: say("Lens unchecked: see the set-up."),
};

const LINKS = {
  connecting: say("Connecting"),
  live: say("Live"),
  waking: say("Connecting"),
  polling: say("Every few seconds"),
  lost: say("Not connected"),
};

const OLD = new Set(["lost", "waking"]); // what is shown is not the present

const READING = "reading"; // a table at rest that is being read counts as moving, and is not
const saidOf = (state, code) => SAID[code === READING ? code : state] ?? [state];
const head = (state, code) => (state === "blind" && BLIND[code]) || saidOf(state, code)[0];

/** Keeps the strip: `show(view, unsure)` for each view, `link(state)` for the connection. On a wall, where nobody taps, it
 * says why. What the table shows is confirmed only where nothing is wrong with it; what it asks is on its card alone. */
export function sightStrip({ isWall = false } = {}) {
  let view = null;
  let clock = { now_s: 0, at_ms: 0 };
  let link = "connecting";
  let lostAt_ms = 0;
  let said = "";
  let calmTimer = 0;
  let isOpen = false;

  let unsure = null; // { button, name }: the words of the button that ends the turn, or whose phone has it, while the camera is not sure

  const now_s = () => clock.now_s + (performance.now() - clock.at_ms) / 1000;
  const isStarting = () => view?.sight.state === "blind" && STARTING.has(view.sight.code) && now_s() - view.sight.since_s < START_S;
  const state = () => (OLD.has(link) ? link : isStarting() ? "starting" : view?.sight.state ?? "unknown");

  const tick = () => {
    const since = document.getElementById("since");
    if (!since) return;
    const for_s = link === "lost" ? (performance.now() - lostAt_ms) / 1000 : view && link !== "waking" ? now_s() - view.sight.since_s : null;
    since.textContent = for_s === null ? "" : howLong(for_s);
  };
  setInterval(() => {
    if (document.getElementById("sight").dataset.state === "starting" && !isStarting()) { draw(); tellIfNew(); }
    tick();
  }, 1000);

  const open = (toOpen) => {
    isOpen = toOpen;
    draw();
  };
  document.addEventListener("keydown", (event) => event.key === "Escape" && isOpen && open(false));
  const isOurs = (node) => node.id === "sight" || node.id === "sight-more"; // what was tapped may be redrawn by now
  document.addEventListener("click", (event) => isOpen && !event.composedPath().some(isOurs) && open(false));

  function draw() {
    const now = state();
    const { code, says } = OLD.has(now) ? {} : view?.sight ?? {};
    const place = document.getElementById("sight");
    const me = isWall || !view?.seat ? null : view.seats.find((s) => s.seat === view.seat);
    const isCalm = me && CALM.has(now) && !code && !view.waiting && !isUnsure();
    place.dataset.state = now;
    place.classList.toggle("is-calm", Boolean(isCalm));
    document.body.dataset.link = link;
    part("sight", { now, code, link, isOpen, me, unsure: isUnsure() && { ...unsure, why: unsureHead() }, waiting: view?.waiting, says }, () =>
      el("button", { class: "sight-line", type: "button", "data-key": "sight", "aria-expanded": String(isOpen), "aria-controls": "sight-more", onclick: () => open(!isOpen) },
        shape(OLD.has(now) ? "unknown" : code === READING || now === "starting" ? "sees" : now),
        el("span", { class: "sight-row" }, me && !isUnsure() && !LOUD.has(now) && !OLD.has(now) && el("span", { class: `me of-${seatColor(me.seat) ?? "none"}` }, emblem(me.seat), isCalm && [seatColor(me.seat) && el("strong", {}, seatWord(me.seat)), el("span", {}, me.name)]),
          el("strong", { class: isCalm ? "unseen" : isUnsure() ? "head is-why" : "head" }, isUnsure() ? unsureHead() : head(now, code)), !isCalm && code !== READING && el("span", { id: "since", class: "since" })),
        el("span", { class: "sight-row" },
          el("span", { class: "told" }, el("span", { class: isCalm ? "unseen" : "advice" }, line(now, code)), el("span", { class: link === "polling" ? "link" : "unseen" }, LINKS[link])),
          el("span", { class: "dot" }))));
    part("sight-more", isOpen ? { now, says, link, unsure: isUnsure() && unsureHead() } : null, ({ unsure }) => [
      unsure && el("p", {}, el("strong", {}, unsure)),
      el("p", {}, OLD.has(now) ? say("This view is out of date; nothing can be done until the table answers.") : sentence(says ?? line(now, code))),
      LOUD.has(now) && el("p", {}, el("strong", {}, say("No rulings until the camera sees the table again."))),
      el("p", { class: "soft" }, say("Connection: {link}", { link: LINKS[link] }))]);
    tick();
  }

  const isUnsure = () => unsure !== null && state() === "sees" && !view.waiting;
  const unsureHead = () => sentence(view.wrong ?? view.seen);
  const line = (now, code) => {
    if (LOUD.has(now)) return isWall ? sentence(view.sight.says) : say("No ruling. Tap for why.");
    if (isUnsure() && view.wrong) return say("Once it is right, it counts.");
    if (isUnsure()) return unsure.button ? say("All done? Tap “{button}”.", { button: unsure.button }) : say("{name} says when all is done.", { name: isolated(unsure.name) });
    return !OLD.has(now) && view?.waiting ? sentence(view.waiting) : SEEN[code] ?? saidOf(now, code)[1];
  };

  /** Blindness is said at once and aloud; all else when it has lasted, and politely. */
  function tellIfNew() {
    const now = state();
    clearTimeout(calmTimer);
    if (now === "unknown" || now === "waking" || now === said) return;
    if (now === "lost") announce(`${LINKS.lost}: ${SAID.waking[1]}`, true);
    else if (LOUD.has(now)) announce(`${SAID[now][0]}: ${view.sight.says}`, true);
    else if (said === "") announce("");
    else {
      calmTimer = setTimeout(() => { said = now; announce(head(now)); }, CALM_MS);
      return;
    }
    said = now;
  }

  return {
    state,
    show(newest, told = null) {
      view = newest;
      unsure = told;
      clock = { now_s: view.now_s, at_ms: performance.now() };
      draw();
      tellIfNew();
    },
    link(newest) {
      if (newest === "lost") lostAt_ms = performance.now();
      link = newest;
      draw();
      tellIfNew();
    },
  };
}
