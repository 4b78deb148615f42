// A race game: the board as it is understood, the last roll and move, and what may be done now, by taps on the board,
// on the values of a die, or on a list. Every colour has its own shape; spots that a colour owns bear it too.

import { brief, el, svg } from "../../draw.js";
import { emblem, markerShape, seatColor, shape } from "../../shapes.js";
import { zoom } from "../../sheets.js";
import { say, seatWord, sentence } from "../../words.js";
import { everyName, spokenOf, tags } from "./names.js";

export const turn = {
  end: (view) => (view?.table.die === null ? (isOthers(view) ? say("Rolled") : say("I rolled")) : isOthers(view) ? say("Moved") : say("I moved")),
  seat: ({ table }) => table.to_move[0],
  isBegun: ({ table }) => table.last_roll !== null,
  isUrgent: () => false,
  hasOwnMoves: true,
  isAskedForHints: true, // which move is best is one's own to find
  isBoardFirst: true, // what was ruled stands below, and beside "Object"
  hasOwnCards: true, // chances and corrections too stand beside the board
};

/** Whose roll or move a press of the button is: while all roll for the first turn the camera takes them in turn. */
const isOthers = (view) => Boolean(view) && view.table.to_move[0] !== view.seat;
const MARGIN_MM = 4;
const isPhone = document.body.classList.contains("phone"); // circles say there how many are in
const FINGER_PX = 26;
const TOKENS = 4;
let chosen = null; // { judged, key }: the marker that was tapped, until something else is entered

/** Whose turn it is with the last roll, the board, what may be done, and how far everybody is. */
export function draw(view, act = null, open = view.moves, tell = act) {
  const { table } = view;
  const place = el("div", { class: "race-place" });
  const told = el("p", { class: "race-told", role: "status" });
  const steps = bestFirst(view, table.may.filter((step) => open.some((m) => m.move === step.move)));
  const isTapping = act && steps.length > 0;
  const named = spokenOf(table, spoken(view, steps));
  const show = () => {
    place.replaceChildren(board(table, { steps, key: keyChosen(view, steps), onTap: act && tapped, named }));
    if (isTapping) told.textContent = telling(view, steps);
  };
  const tapped = (key, step) => {
    if (step) return act({ do: "act", move: step.move }, null);
    chosen = { judged: view.judged, key };
    return show();
  };
  show();
  return [
    el("div", { class: "card race large-table" },
      el("p", { class: "race-turn" }, turning(view).map((seat) => emblem(seat)), el("strong", {}, whose(view)), lastRoll(view)),
      tell && stop(view, open, tell), act && dice(view, act), place, el("div", { class: "race-under" }, isTapping ? told : isPhone && lastMove(view), magnifier(table, named)), moves(view, steps, act), (isTapping || !isPhone) && lastMove(view)),
    el("ul", { class: "race-seats" }, view.seats.map((s) => progress(table, s))),
  ];
}

/** The board with the markers that go back, numbered, and an arrow for each. */
export function laid({ things }, view) {
  const back = things.filter((thing) => thing.lies && thing.lay && thing.laid !== "yes");
  return el("figure", { class: "laid race-laid" }, board(view.table, { arrows: back.map(({ lies, lay }) => [lies.x_mm, lies.y_mm, lay.x_mm, lay.y_mm]) }));
}

/** The board as large as one likes, with the names of all circles; it begins where the first of those named lies. */
function magnifier(table, named) {
  const [w, h] = table.size_mm;
  const large = () => zoom(el("div", { class: "crop race-names" }, board(table, { named: named.map(({ spot }) => ({ spot, sign: null })), hasNames: true })), legend(table), named.length > 0 ? [table.spots[named[0].spot][0] / w, table.spots[named[0].spot][1] / h] : [0.5, 0.5]);
  return el("button", { class: "race-magnify", "data-key": "names", "aria-label": say("Names of the circles, on the magnified board"), onclick: large }, shape("magnify"));
}

/** What the circles with a letter are, each in its colour; a player's own circles bear the player's shape. */
function legend({ signs }) {
  const words = { beast: say("beast"), star: say("star"), world: say("THE WORLD") };
  const kinds = [...new Map(Object.values(signs).map((sign) => [sign.role, sign]))].filter(([role]) => words[role]);
  return kinds.length > 0 && el("ul", { class: "legend race-legend" }, kinds.map(([role, sign]) => el("li", {}, svg("svg", { viewBox: "-12 -12 24 24", class: "race-board" }, circle(sign, [0, 0], 11)), words[role])));
}

// ---- words

/** The sentences whose circles are marked: the open question with its answers, else what may be done now. */
function spoken(view, steps) {
  if (view.question) return [view.question.says, ...view.question.choices.map((choice) => choice.says)];
  return steps.map((step) => view.moves.find(({ move }) => move === step.move).says);
}

/** Whether all have rolled for the first turn, and some the same. */
const isTied = (table) => table.rolling.length > 0 && table.last_roll !== null && Object.keys(table.first_rolls).length === 0;
const turning = ({ table }) => table.to_move.slice(0, 1);
const called = (view, seat) => view.seats.find((s) => s.seat === seat)?.name ?? seatWord(seat);

function whose(view) {
  const { table, seat } = view;
  if (table.winners.length > 0) return say("{seat} has won", { seat: table.winners.map((s) => called(view, s)).join(", ") });
  const isMine = !isOthers(view);
  if (isTied(table)) return isMine ? say("A tie: roll again") : say("A tie: {seat} rolls again", { seat: called(view, table.rolling[0]) });
  if (table.rolling.length > 0) return isMine ? say("Roll: who is first?") : say("{seat} rolls for the first turn", { seat: called(view, table.rolling[0]) });
  if (isMine) return table.die !== null ? say("Move {value}", { value: table.die }) : table.again ? say("Roll again, or stop") : say("You roll");
  const other = called(view, table.to_move[0]);
  return table.die === null ? say("{seat} rolls", { seat: other }) : say("{seat} moves {value}", { seat: other, value: table.die });
}

function lastRoll(view) {
  const roll = !view.over && view.table.rolling.length === 0 && view.table.last_roll; // who rolled what for the first turn stands below
  return roll && el("span", { class: view.table.die === null ? "race-rolled is-old" : "race-rolled" },
    view.table.die === null && el("small", { class: "soft" }, called(view, roll.seat)), face(roll.value, say("{seat} rolled a {value}", { seat: called(view, roll.seat), value: roll.value })));
}

function lastMove({ table }) {
  const move = table.last_move;
  if (!move) return null;
  const [origin, to] = [move.origin, move.to].map((spot) => placeWord(table, spot));
  const words = move.origin === table.home ? say("Last move: out to {to}", { to }) : say("Last move: {origin} to {to}", { origin, to });
  return el("p", { class: "soft small race-last" }, emblem(move.color), isPhone ? brief(`${move.origin === table.home ? "" : origin} → ${to}`, words) : words);
}

function telling(view, steps) {
  const key = keyChosen(view, steps);
  const of = steps.filter((step) => keyOf(step) === key);
  if (!key) return say("Tap a number, or a marked piece and where it goes.");
  const to = of.map((step) => placeWord(view.table, step.to)).join(", ");
  return of.length === 1 ? say("Tap {to} to move there.", { to }) : say("Tap where it goes: {to}.", { to });
}

/** A circle by the name that the rules have for it, else by its sign. */
const placeWord = (table, spot) => table.places[spot] ?? spot;

// ---- what may be done

const keyOf = ({ color, origin }) => `${color} ${origin}`;

/** The marker that was tapped, or the only one that may move. */
function keyChosen(view, steps) {
  const keys = [...new Set(steps.map(keyOf))];
  if (keys.length === 1) return keys[0];
  return chosen?.judged === view.judged && keys.includes(chosen.key) ? chosen.key : null;
}

/** The six values to tap, where this seat's roll is due; those of others, whose phones may be away, are folded, and so
 * is one that is not due yet. */
function dice(view, act) {
  const may = view.table.rolls.filter((roll) => view.moves.some((m) => m.move === roll.move));
  const mine = isOthers(view) ? [] : may.filter((roll) => roll.seat === view.seat);
  if (may.length === 0) return null;
  const others = [...new Set(may.map((roll) => roll.seat))].filter((seat) => mine.length === 0 || seat !== view.seat);
  const faces = (rolls, words) => el("div", { class: "faces" }, rolls.map((roll) => el("button", { class: "face", "data-key": roll.move, "aria-label": words(roll.value),
    onclick: (e) => act({ do: "act", move: roll.move }, e.currentTarget) }, face(roll.value))));
  return el("div", { class: "race-dice", role: "group", "aria-label": say("What does the die show?") },
    mine.length > 0 && [el("p", { class: "soft small" }, say("Roll, then tap what the die shows.")), faces(mine, String)],
    others.length > 0 && el("details", { "data-key": "roll for others" }, el("summary", {}, say("Roll for someone else")),
      others.map((seat) => [el("p", { class: "race-owner" }, emblem(seat), called(view, seat)),
        faces(may.filter((roll) => roll.seat === seat), (value) => say("{seat} rolled a {value}", { seat: called(view, seat), value }))])));
}

/** To roll no further: no camera sees that, so it is tapped while the camera enters turns too. */
function stop({ table }, open, tell) {
  const stops = table.again ? open.filter((m) => m.is_tapped && !table.rolls.some((roll) => roll.move === m.move)) : [];
  return stops.map((m) => el("button", { class: "big", "data-key": m.move, onclick: (e) => tell({ do: "act", move: m.move }, e.currentTarget) }, say("Do not roll again")));
}

const chances = (view) => new Map(view.hints.filter((h) => h.chance != null).map((h) => [h.move, h.chance]));

/** The moves as they are listed and numbered on the board: the best first where that is known. */
function bestFirst(view, steps) {
  const chance = chances(view);
  return steps.sort((a, b) => (chance.get(b.move) ?? 0) - (chance.get(a.move) ?? 0));
}

/** The same moves as a list, with what each brings and its chance: to tap, or as hints while the camera looks. */
function moves(view, steps, act) {
  const chance = chances(view);
  if (steps.length === 0 || (!act && chance.size === 0)) return null;
  return el("ul", { class: "moves race-moves", "aria-label": say("All moves") }, steps.filter((step) => act || chance.has(step.move)).map((step, i) => {
    const m = view.moves.find(({ move }) => move === step.move);
    return el("li", {}, el(act ? "button" : "div", act ? { "data-key": m.move, onclick: (e) => act({ do: "act", move: m.move }, e.currentTarget) } : { class: "move-row" },
      el("span", { class: "number", "aria-hidden": "true" }, String(i + 1)), emblem(step.color), el("span", { class: "words" }, el("strong", {}, sentence(m.says)), m.effects.map((words) => el("small", {}, sentence(words)))),
      chance.has(m.move) && el("span", { class: "chance" }, say("{n} %", { n: Math.round(100 * chance.get(m.move)) }), el("small", {}, say("to win")))));
  }));
}

function progress(table, s) {
  const own = table.colors[s.seat] ?? [s.seat];
  const all = TOKENS * own.length, done = table.score[s.seat] ?? 0;
  const name = s.name ?? own.map(seatWord).join(" + ");
  const first = table.first_rolls[s.seat];
  return el("li", { class: table.to_move[0] === s.seat ? "now" : "" },
    own.map((color) => emblem(color)), el("strong", {}, name), first !== undefined && face(first, say("{seat} rolled a {value}", { seat: name, value: first })), s.name === null && el("span", { class: isPhone ? "unseen" : "soft small" }, say("free seat")),
    el("span", { class: isPhone ? "unseen" : "score" }, say("{n} of {all} in", { n: done, all })),
    el("span", { class: "tokens", "aria-hidden": "true" }, Array.from({ length: all }, (_, i) => svg("svg", { viewBox: "0 0 20 20", class: i < done ? `seat-${seatColor(own[Math.floor(i / TOKENS)])}` : "" }, svg("circle", { cx: 10, cy: 10, r: 8 })))));
}

// ---- drawing

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function face(value, words = null) {
  return svg("svg", { class: "race-die", viewBox: "0 0 32 32", role: words && "img", "aria-label": words },
    svg("rect", { x: 1.5, y: 1.5, width: 29, height: 29, rx: 6 }),
    (PIPS[value] ?? []).map((i) => svg("circle", { cx: 8 + 8 * (i % 3), cy: 8 + 8 * Math.floor(i / 3), r: 3 })));
}

function board(table, { steps = [], key = null, onTap = null, arrows = [], named = [], hasNames = false } = {}) {
  const [w, h] = table.size_mm;
  const r = table.circle_mm / 2;
  const targets = steps.filter((step) => keyOf(step) === key);
  const movable = table.pieces.filter((piece) => steps.some((step) => isOf(piece, step)));
  const from = table.pieces.filter((piece) => targets.some((step) => isOf(piece, step)));
  const node = svg("svg", { class: onTap && steps.length > 0 ? "race-board can-tap" : "race-board", role: "img", "aria-label": say("The board: {position}", { position: standing(table) }),
    viewBox: `${-MARGIN_MM} ${-MARGIN_MM} ${w + 2 * MARGIN_MM} ${h + 2 * MARGIN_MM}` },
    table.picture && svg("image", { href: new URL(`../../${table.picture}`, import.meta.url).href, width: w, height: h, preserveAspectRatio: "none" }),
    table.ways.map(([x1, y1, x2, y2, color]) => svg("line", { class: color ? `way seat-${color}` : "way", x1, y1, x2, y2 })),
    Object.entries(table.spots).map(([spot, at]) => circle(table.signs[spot], at, r)),
    lastWay(table, r),
    targets.map((step) => svg("line", { class: "choice", x1: from[0]?.x_mm, y1: from[0]?.y_mm, x2: step.to_mm[0], y2: step.to_mm[1] })),
    table.pieces.map((piece) => marker(piece, r, movable.includes(piece) && (from.includes(piece) ? "is-chosen" : "may-move"))),
    [...new Set([...steps, ...targets].map((step) => step.to).reverse())].reverse().map((to) => numbered(steps, steps.filter((step) => step.to === to), r, targets.some((step) => step.to === to) ? "target" : "leads", table.pieces.some((piece) => piece.spot === to))),
    arrows.map((ends, i) => arrow(ends, r, i + 1)),
    tags(table, named.filter(({ spot }) => !steps.some((step) => step.to === spot)), r, [...table.pieces.map((piece) => [piece.x_mm, piece.y_mm]), ...steps.map((step) => step.to_mm)]),
    hasNames && everyName(table, r));
  if (onTap && steps.length > 0) node.addEventListener("click", (event) => {
    const matrix = node.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    const near = (places) => places.map((p) => ({ ...p, far: Math.hypot(p.at[0] - x, p.at[1] - y) })).sort((a, b) => a.far - b.far)[0];
    const open = key ? targets : steps.filter((step) => steps.every((other) => other === step || other.to !== step.to));
    const found = near([...open.map((step) => ({ step, at: step.to_mm })), ...movable.map((piece) => ({ piece, at: [piece.x_mm, piece.y_mm] }))]);
    if (!found || found.far > Math.max(1.5 * r, FINGER_PX * matrix.a)) return;
    onTap(found.piece && keyOf({ color: found.piece.color, origin: found.piece.spot }), found.step);
  });
  return node;
}

/** Where every piece stands, colour by colour. */
function standing(table) {
  const colors = [...new Set(table.pieces.map((piece) => piece.color))];
  return colors.map((color) => `${seatWord(color)} ${table.pieces.filter((piece) => piece.color === color).map(({ spot }) => (spot === table.home ? say("not out yet") : placeWord(table, spot))).join(", ")}`).join("; ");
}

/** Where listed moves lead, by their numbers in the list. A piece that stands there stays in sight: it is taken. */
function numbered(steps, alike, r, kind, isTaken) {
  const words = alike.map((step) => steps.indexOf(step) + 1).join("·");
  const [size, aside] = isTaken ? [r, -1.3 * r] : [r * 1.4, 0];
  return svg("g", { class: `${kind} seat-${seatColor(alike[0].color)}`, transform: `translate(${alike[0].to_mm.join(" ")})` },
    isTaken && svg("circle", { class: "taken", r: r * 1.35 }), svg("circle", { r: size, cx: aside, cy: aside }),
    svg("text", { "font-size": (size * 1.43) / Math.sqrt(words.length), x: aside, y: aside, "text-anchor": "middle", "dominant-baseline": "central" }, words));
}

const isOf = (piece, step) => piece.color === step.color && piece.spot === step.origin;

/** A circle of the board; a colour's own bears its shape, the others that have a name their sign. */
function circle(sign, [x, y], r) {
  const color = sign?.color;
  return svg("g", { class: `spot ${color ? `seat-${color}` : ""} role-${sign?.role ?? "none"}`, transform: `translate(${x} ${y})` },
    svg("circle", { class: "ring", r: r * 0.86 }),
    color && svg("g", { class: "sign", transform: `scale(${r / 24})` }, markerShape(color)),
    sign && !color && svg("text", { "font-size": r * 1.1, "text-anchor": "middle", "dominant-baseline": "central" }, sign.letter));
}

/** The last move: both its circles, as on a board that shows how it came about. */
function lastWay(table, r) {
  const move = table.last_move;
  if (!move) return null;
  const ends = [move.origin, move.to].map((spot) => table.spots[spot]).filter(Boolean);
  return svg("g", { class: "last" }, ends.map(([cx, cy]) => svg("circle", { cx, cy, r: r * 1.25 })));
}

function marker(piece, r, state) {
  return svg("g", { class: `marker seat-${seatColor(piece.color) ?? "none"} ${state || ""}`, transform: `translate(${piece.x_mm} ${piece.y_mm})` },
    state && svg("circle", { class: "hold", r: r * 1.35 }),
    svg("g", { transform: `scale(${r / 11})` }, markerShape(piece.color)), piece.has_right && svg("circle", { class: "right", r: r * 0.35 }));
}

function arrow([x1, y1, x2, y2], r, number) {
  const far = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [u, v] = [(x2 - x1) / far, (y2 - y1) / far];
  const [tx, ty] = [x2 - u * r, y2 - v * r], head = r * 1.1;
  const [bx, by] = [tx - u * head, ty - v * head];
  return svg("g", {},
    svg("line", { class: "halo", x1, y1, x2: bx, y2: by, "stroke-width": 6 }), svg("line", { class: "way-back", x1, y1, x2: bx, y2: by, "stroke-width": 3.5 }),
    svg("polygon", { class: "tip", points: `${tx},${ty} ${bx - v * head * 0.6},${by + u * head * 0.6} ${bx + v * head * 0.6},${by - u * head * 0.6}` }),
    svg("circle", { class: "place", cx: x2, cy: y2, r: r * 1.2, "stroke-width": 2.5, "stroke-dasharray": "5 4" }),
    svg("g", { class: "badge", transform: `translate(${(x1 + x2) / 2} ${(y1 + y2) / 2})` }, svg("circle", { r: 13, "stroke-width": 2 }), svg("text", { "font-size": 17 }, String(number))));
}
