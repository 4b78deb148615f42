// Eyes of the Emperor: both emperors side by side - war phase, what each throws, and how near the next step is.

import { brief, el, svg } from "../../draw.js";
import { emblem, shape } from "../../shapes.js";
import { counted, say, seatWord, sentence } from "../../words.js";

export { byHand } from "./by_hand.js";

export const turn = {
  end: () => say("Both have thrown"),
  hasOwnMoves: true, // under More: what is said, not thrown
  isUrgent: (hint, table) => (table.refill ?? []).includes(hint.says),
};

const isPhone = document.body.classList.contains("phone");
/** Words that the drawing beside them tells on a phone: there they are only read aloud. */
const onWall = (words) => el("span", { class: isPhone ? "unseen" : "" }, words);

const PHASES = ["I", "II", "III"];
const OTHER = { red: "blue", blue: "red" };
const SAMURAI_NEEDED = 3;

/** Both emperors, one's own first. */
export function draw(view) {
  const table = view.table;
  const order = view.seat === "blue" ? ["blue", "red"] : ["red", "blue"];
  const stops = view.seat && view.hints.length > 0 ? [] : (table.refill ?? []).filter((says) => !view.done?.includes(says)); // a seat reads it as its hint
  const isTold = view.seat && view.hints.length > 0; // a seat's aim is its hint
  return [
    stops.length > 0 && el("div", { class: "card stop" }, shape("hand"), el("ul", {}, stops.map((s) => el("li", {}, sentence(s))))),
    el("div", { class: "emperors" }, order.map((seat) => emperor(view, seat, isTold))),
    el("p", { class: "supply soft" }, [
      table.throw > 0 ? say("Throw {n}", { n: table.throw }) : say("No throw yet"),
      table.haji && say("{seat} says HAJI", { seat: seatWord(table.haji) }),
      table.ninjas_outside !== null && count("ninja", table.ninjas_outside, counted(table.ninjas_outside, "one ninja outside", "{n} ninjas outside")),
    ].filter(Boolean).map((words) => el("span", {}, words))),
  ];
}

/** How many pieces of a kind are left, by a drawing and a number. */
const count = (kind, n, words) => brief([shape(kind), `× ${n}`], words);

function emperor(view, seat, isTold) {
  const mine = view.table.emperors[seat];
  const theirs = view.table.emperors[OTHER[seat]];
  const person = view.seats.find((s) => s.seat === seat);
  return el("article", { class: `emperor of-${seat}`, "aria-label": seatWord(seat) },
    el("header", {}, emblem(seat), el("h2", {}, isPhone ? who(person) : seatWord(seat))),
    !isPhone && el("p", { class: person?.name?.length > LONG_LETTERS ? "person soft long" : "person soft" }, who(person)),
    el("ol", { class: "phases", "aria-label": say("War phase {phase}", { phase: mine.phase }) }, PHASES.map((p) =>
      el("li", { class: p === mine.phase ? "now" : "", "aria-current": p === mine.phase ? "step" : null }, p === mine.phase ? p : onWall(p)))),
    !view.table.winner && el("p", { class: `throws seat-${seat}` }, shape(mine.throws), el("span", {}, onWall(say("throws a")), " ", el("strong", {}, say(mine.throws)))),
    !isTold && el("p", { class: "needs" }, sentence(mine.needs)),
    mine.phase === "II"
      ? row(say("occupying"), Array.from({ length: SAMURAI_NEEDED }, (_, i) => disk(seat, i < mine.occupying)), onWall(say("{n} of {all}", { n: occupying(mine), all: SAMURAI_NEEDED })))
      : row(mine.phase === "I" ? onWall(say("{seat} dice", { seat: seatWord(OTHER[seat]) })) : onWall(say("{seat} eyes", { seat: seatWord(OTHER[seat]) })), theirs.dice.map((d) => die(OTHER[seat], d, mine.phase)), null),
    !view.table.winner && mine.samurai_outside !== null && el("p", { class: `soft small seat-${seat}` }, count("samurai", mine.samurai_outside, say("{n} samurai to throw", { n: mine.samurai_outside })),
      mine.phase !== "II" && mine.may_occupy > 0 ? ` · ${say("{n} occupying", { n: occupying(mine) })}` : ""));
}

// some may be too close to call: from how many to how many
const occupying = (mine) => (mine.may_occupy > mine.occupying ? `${mine.occupying}–${mine.may_occupy}` : mine.occupying);

const LONG_LETTERS = 14;

function who(person) {
  if (!person?.name) return say("free seat");
  return person.is_connected ? person.name : [person.name, " ", el("small", {}, say("(phone away)"))];
}

const row = (label, drawings, words) =>
  el("div", { class: "marks" }, el("span", { class: "soft small" }, label), el("div", { class: "mark-row" }, drawings), words && el("span", { class: "small" }, words));

function disk(seat, isThere) {
  const words = isThere ? null : { "stroke-dasharray": "3 3" };
  return svg("svg", { viewBox: "0 0 28 28", class: `mark seat-${seat} ${isThere ? "there" : "missing"}` }, svg("circle", { cx: 14, cy: 14, r: 12, ...words }));
}

/** An opponent's die as the attacker's phase looks at it: knocked out or not in I, its eye up or not in III. */
function die(seat, d, phase) {
  const state = d.taken ? "taken" : phase === "III" ? (d.up ? "up" : "down") : d.in ? "in" : "out";
  const isOpen = { in: d.too_close, down: d.up_open }[state];
  const open = d.unseen ? say("not seen") : state === "in" ? say("too close") : say("unknown");
  const words = isOpen ? open : { taken: say("taken"), up: say("eye up"), down: say("eye hidden"), in: say("in"), out: say("out") }[state];
  return el("span", { class: `die ${isOpen ? "open" : state}` },
    svg("svg", { viewBox: "0 0 28 28", class: `mark seat-${seat}` },
      svg("rect", { x: 2, y: 2, width: 24, height: 24, rx: 3, class: "body", "stroke-dasharray": state === "out" || state === "taken" ? "4 3" : null }),
      state === "up" && svg("circle", { cx: 14, cy: 14, r: 6, class: "pip" }),
      state === "down" && !isOpen && svg("path", { d: "M8 14h12", class: "cross" }),
      state === "taken" && svg("path", { d: "M5 5l18 18M23 5L5 23", class: "cross" }),
      isOpen && svg("text", { x: 14, y: 20.5, class: "query" }, "?")),
    el("small", {}, words));
}
