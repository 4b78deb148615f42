// Suspend: whose turn with which color, the piles and the structure as bent rods, what may be done now by taps on the
// rods, the die's six colors, what the table cannot show (touches, falls), and the score sheet of a tournament.

import { brief, el, svg } from "../../draw.js";
import { moveSheet } from "../../moves.js";
import { emblem } from "../../shapes.js";
import { counted, say, seatWord, sentence } from "../../words.js";

const isBare = (table) => COLORS.every((color) => !table?.hung[color]);
const isRolling = (view) => view?.table.phase === "roll";

export const turn = {
  end: (view) => (isRolling(view) ? (view.table.turn === view.seat ? say("I rolled") : say("Rolled")) : view?.table.phase === "remove" ? say("It is off") : view?.table.phase === "hang" || isBare(view?.table) ? say("It hangs") : say("Hands off")),
  /** By hand nothing but a fall comes before the end of the turn: the big button. */
  next: (view) => {
    const rested = view.sight.state === "by_hand" && view.table.may.find((step) => step.kind === "rested" && view.moves.some((m) => m.move === step.move));
    return rested ? { move: rested.move, words: isBare(view.table) ? say("Next turn") : say("It holds") } : null;
  },
  seat: ({ table }) => table.turn,
  isUrgent: () => false,
  hasOwnMoves: true,
  isBoardFirst: true, // what was ruled stands below, and beside "Object"
  isTold: (hint, i, view) => (hint.move ? view.hints.filter((one) => one.move).length > 1 : i === 0 && view.table.turn === view.seat), // the card names the only piece
};

const COLORS = ["orange", "red", "yellow", "green", "blue", "black"];
const WORDS = { orange: () => say("orange"), red: () => say("red"), yellow: () => say("yellow"), green: () => say("green"), blue: () => say("blue"), black: () => say("black") };
const MOST_DRAWN = 4; // more pieces of a color are one drawing and a number
const LENGTHS = { orange: 300, red: 250, yellow: 205, green: 160, blue: 115, black: 75 };
const TOLD = ["touched", "dropped", "slid", "other_hand"];

/** The table, and on a seat's phone what may be tapped. */
export function draw(view, act = null) {
  const { table } = view;
  const may = act ? table.may.filter((step) => view.moves.some((m) => m.move === step.move)) : [];
  return [
    el("div", { class: "card rods large-table" },
      el("p", { class: "race-turn" }, table.phase !== "over" && emblem(table.turn), el("strong", {}, whose(view)), table.color && !["roll", "over"].includes(table.phase) && chip(table.color)),
      from(view), act && dice(may, act), act && hangings(view, may, act), structure(table, may, act), act && buttons(view, may, act)),
    el("ul", { class: "rod-piles" }, table.players.map((p) => pile(view, p, may, act)), draws(table) && drawPile(table, may, act)),
    table.mode === "expert" && sheet(view),
  ];
}

const called = (view, seat) => view.seats.find((s) => s.seat === seat)?.name ?? seatWord(seat);
const draws = (table) => COLORS.some((color) => table.draw_pile[color] > 0);

function whose(view) {
  const { table, seat } = view;
  if (table.phase === "over") return table.winners.length > 0 ? say("{seat} has won", { seat: table.winners.map((s) => called(view, s)).join(", ") }) : say("The sculpture is done");
  const isMine = table.turn === seat, name = { seat: called(view, table.turn) };
  if (table.mode === "solo") return say("Build freely");
  return {
    roll: () => (isMine ? say("You roll") : say("{seat} rolls", name)),
    hang: () => (isMine ? say("You hang a piece") : say("{seat} hangs a piece", name)),
    rest: () => isBare(table) ? say("Nothing hangs any more") : (isMine ? say("Hands off: does it hold?") : say("Does the piece of {seat} hold?", name)),
    remove: () => (isMine ? say("You take a piece off") : say("{seat} takes a piece off", name)),
  }[table.phase]();
}

/** Where the rod comes from, if not from one's own pile. */
function from(view) {
  const { table } = view;
  const sources = table.color ? table.sources[table.color] ?? [] : [];
  if (table.phase !== "hang" || sources.length === 0 || sources.includes(table.turn)) return null;
  return el("p", { class: "soft" }, say("None left: take it from {piles}.", { piles: sources.map((s) => (s === "draw" ? say("the draw pile") : called(view, s))).join(" / ") }));
}

function chip(color) {
  return el("span", { class: `rod-chip rod-${color}` }, WORDS[color]());
}

/** The six faces of the die, where this seat rolls. */
function dice(may, act) {
  const rolls = may.filter((step) => step.kind === "rolled");
  if (rolls.length === 0) return null;
  return el("div", { class: "race-dice", role: "group", "aria-label": say("What does the die show?") },
    el("p", { class: "soft small" }, say("Roll, then tap the color.")),
    el("div", { class: "rod-faces" }, rolls.map((step) => el("button", { class: `rod-face rod-${step.color}`, "data-key": step.move, onclick: (e) => act({ do: "act", move: step.move }, e.currentTarget) }, WORDS[step.color]()))));
}

/** What may be hung and from where: the piles lie below the screen's edge on a phone. */
function hangings(view, may, act) {
  const hangs = may.filter((step) => step.kind === "hung");
  if (hangs.length === 0) return null;
  const words = (step) => (step.source === view.table.turn ? say("Hang {color}", { color: WORDS[step.color]() })
    : say("Hang {color} from {pile}", { color: WORDS[step.color](), pile: step.source === "draw" ? say("the draw pile") : called(view, step.source) }));
  return el("div", { class: hangs.every((step) => step.source === view.table.turn) ? "rod-faces" : "rod-faces rod-hangs" }, hangs.map((step) => el("button", { class: `rod-face rod-${step.color}`, "data-key": `now ${step.move}`, onclick: (e) => act({ do: "act", move: step.move }, e.currentTarget) }, words(step))));
}

/** What hangs, on its stand; to take a rod off is a tap on its color. */
function structure(table, may, act) {
  const hung = COLORS.flatMap((color) => Array.from({ length: table.hung[color] }, (_, i) => ({ color, i })));
  const words = hung.length === 0 ? say("Nothing hangs yet") : counted(hung.length, "One piece hangs", "{n} pieces hang");
  const wide = 320, high = 44 + 15 * Math.max(1, Math.ceil(hung.length / 2));
  const removes = may.filter((step) => step.kind === "removed");
  return el("figure", { class: "rod-stand" },
    svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": words },
      svg("path", { class: "wood", d: `M${wide / 2 - 46} ${high - 4}h92M${wide / 2} ${high - 4}V12M${wide / 2 - 60} 16q60 -12 120 0` }),
      hung.map(({ color }, n) => svg("g", { transform: `translate(${wide / 2 + (n % 2 ? 1 : -1) * (38 + (n * 7) % 26)} ${20 + 15 * Math.floor(n / 2)})` }, bent(color, LENGTHS[color] * 0.42, 12)))),
    el("figcaption", { class: "soft small" }, words),
    removes.length > 0 && el("div", { class: "rod-faces" }, removes.map((step) => el("button", { class: `rod-face rod-${step.color}`, "data-key": step.move, onclick: (e) => act({ do: "act", move: step.move }, e.currentTarget) }, say("Take {color} off", { color: WORDS[step.color]() })))));
}

/** A bent rod about the origin: a steel wire with a tip of its color at each end. */
function bent(color, long, sag) {
  const half = long / 2, d = `M${-half} ${sag / 2}Q0 ${-sag} ${half} ${sag / 2}`;
  return svg("g", { class: `rod rod-${color}` },
    svg("path", { class: "wire", d }),
    svg("path", { class: "tip", d: `M${-half} ${sag / 2}l8 ${-sag * 0.11}M${half} ${sag / 2}l-8 ${-sag * 0.11}` }));
}

/** What the table cannot show, and that all is at rest. */
function buttons(view, may, act) {
  const move = (name) => view.moves.find((m) => m.move === name);
  const rest = may.find((step) => step.kind === "rested");
  const told = view.table.mode === "solo" ? [] : may.filter((step) => TOLD.includes(step.kind)); // built freely
  const falls = view.moves.filter((m) => m.asks.length > 0);
  const others = may.filter((step) => step.kind === "stopped");
  const words = {
    touched: say("It touches the table"), dropped: say("It dropped: try again"), slid: say("It slid"), other_hand: say("The other hand touched"),
    stopped: view.table.mode === "solo" ? say("The sculpture is done") : say("Stop: time is up"),
  };
  const tap = (step, css = "") => el("button", { class: css, "data-key": step.move, onclick: (e) => act({ do: "act", move: step.move }, e.currentTarget) }, words[step.kind] ?? sentence(move(step.move).says));
  if (may.length === 0 && falls.length === 0) return null;
  return el("div", { class: "rod-acts" },
    rest && !turn.next(view) && el("button", { class: "big primary", "data-key": rest.move, onclick: (e) => act({ do: "act", move: rest.move }, e.currentTarget) }, isBare(view.table) ? say("Next turn") : say("It holds")),
    falls.map((m) => el("button", { class: "big", "data-key": m.move, onclick: () => moveSheet(m, act) }, falls.length > 1 ? sentence(m.says) : say("Pieces fell …"))),
    told.length > 0 && el("div", { class: "rod-told" }, told.map((step) => tap(step))),
    others.length > 0 && el("details", { "data-key": "stop early" }, el("summary", {}, say("Stop early")), el("div", { class: "rod-told" }, others.map((step) => tap(step)))));
}

/** A player's pile: a line a color, tapped where a rod of it may be hung. */
function pile(view, player, may, act) {
  const { table } = view;
  const isNow = table.phase !== "over" && player.seat === table.turn;
  return el("li", { class: isNow ? "now" : player.is_in ? "" : "is-out" },
    el("p", { class: "rod-owner" }, emblem(player.seat), el("strong", {}, called(view, player.seat)),
      el("span", { class: "score" }, !player.is_in && table.mode === "expert" ? say("out|player") : player.removed !== null ? say("{n} taken off", { n: player.removed }) : counted(player.pieces, "One piece", "{n} pieces"))),
    rows(player.pile, player.seat, may, act),
    table.mode === "expert" && player.is_in && player.pieces > 0 && el("p", { class: "soft small" }, counted(player.points_at_risk, "one notch left here", "{n} notches left here")));
}

const drawPile = (table, may, act) => el("li", {}, el("p", { class: "rod-owner" }, el("strong", {}, say("Draw pile"))), rows(table.draw_pile, "draw", may, act));

function rows(counts, source, may, act) {
  const shown = COLORS.filter((color) => counts[color] > 0);
  if (shown.length === 0) return el("p", { class: "soft small" }, say("No pieces"));
  return el("ul", { class: "rod-rows" }, shown.map((color) => {
    const step = may.find((one) => one.kind === "hung" && one.color === color && one.source === source);
    const n = counts[color], isMany = n > MOST_DRAWN, mark = () => el("span", { class: `rod-mark rod-${color}` });
    const marks = el("span", { class: "rod-heap" }, Array.from({ length: isMany || step ? 1 : n }, mark));
    const words = `${n} × ${WORDS[color]()}`;
    const drawn = step ? [marks, el("span", { class: "count" }, words)] : brief([marks, isMany && `× ${n}`], words);
    return el("li", {}, step
      ? el("button", { class: "rod-row may", "data-key": step.move, onclick: (e) => act({ do: "act", move: step.move }, e.currentTarget) }, drawn, el("b", {}, say("Hang")))
      : el("div", { class: "rod-row" }, drawn));
  }));
}

/** The tournament: a row a round, the sums against the limit. */
function sheet(view) {
  const { table } = view;
  const seats = table.players.map((p) => p.seat);
  return el("div", { class: "card rod-sheet" }, el("h2", {}, say("Score sheet")),
    el("div", { class: "score-sheet", tabindex: "0", role: "region", "aria-label": say("Score sheet") }, el("table", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, say("Round")), seats.map((s) => el("th", { scope: "col" }, called(view, s))))),
      el("tbody", {}, table.sheet.map((row, i) => el("tr", {}, el("th", { scope: "row" }, String(i + 1)), row.map((n) => el("td", {}, n === null ? "–" : String(n))))),
        el("tr", { class: "sum" }, el("th", { scope: "row" }, say("Sum")), table.players.map((p) => el("td", { class: p.is_in ? "" : "is-out" }, String(p.points))))))),
    el("p", { class: "soft small" }, say("At {limit} points a player is out. The last one left is the champion.", { limit: table.limit })));
}
