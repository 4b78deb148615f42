// The virtual table: asks for the table's state and the camera's picture, and sends what hands do.

import { post, send as tap } from "./do.js";
import { el, part, showPicture } from "./draw.js";
import { cardFace } from "./pieces.js";
import * as played from "./played.js";
import { emblem, seatColor } from "./shapes.js";
import { Valley, describe, isWide } from "./virtual_valley.js";
import { isolated, say, seatWord, sentence } from "./words.js";

const { of } = document.body.dataset;
const isPhone = self === top && navigator.maxTouchPoints > 0 && matchMedia("(max-width: 40rem)").matches;
const isAskedFor = document.referrer && new URL(document.referrer).pathname === "/"; // by the link on a phone's page
if (isPhone && !isAskedFor) location.replace("/?choose"); // who typed the table's address wants a seat
if (isPhone) for (const phone of document.querySelectorAll(".v-phone")) phone.remove(); // this is one
const QUICK_MS = 80, IDLE_MS = 350, LOST_MS = 1500, PICTURE_MS = 160;
const HOLD_MS = 900, TOAST_MS = 4200;
const $ = (id) => document.getElementById(id);

let version = null, mark = "";
let state = null;
let stacking = null;
const HANDS = [...document.querySelectorAll("[data-hand]")];

// --- the table's state ---

async function follow() {
  let pause = IDLE_MS;
  try {
    const answer = await fetch(`/table/state?${new URLSearchParams({ since: version, mark, of })}`);
    if (answer.status === 200) {
      const next = await answer.json();
      if (next.of !== of) return location.reload(); // another game is on this table now
      show(next);
      pause = state.is_moving ? QUICK_MS : IDLE_MS;
    } else drawBar(); // what is waited for may have taken too long
    lose(false);
  } catch {
    lose(true);
    pause = LOST_MS;
  }
  clearTimeout(follow.timer);
  follow.timer = setTimeout(follow, document.hidden ? 2000 : pause);
}

/** Whether the table does not answer: nothing that is shown is the present. */
function lose(is) {
  if (document.body.classList.contains("is-lost") === is) return; // each answer says so
  document.body.classList.toggle("is-lost", is);
  drawBar();
}

function show(next) {
  const isFirst = !state;
  if (next.match.judged !== state?.match.judged) { // a question and its answer end no throw
    hint = null;
    entered = state || !next.throws?.length ? next.version : null;
    thrown.clear();
    left = [];
  }
  if (isAsked(state) && !isAsked(next) && thrown.size === 0) entered = next.version; // nothing more is to be entered
  if (state?.version !== next.version) changedAt = Date.now();
  state = next;
  if (isFirst) hint = firstHint();
  version = next.is_moving ? null : next.version;
  mark = next.mark;
  const landed = next.is_moving ? [] : flying.filter((one) => one.version <= next.version); // an older state has not got it yet
  for (const one of landed) flying.splice(flying.indexOf(one), 1);
  const out = landed.filter(({ id }) => !next.pieces.some((piece) => piece.id === id));
  hasStayed ||= out.length < landed.length;
  left = [...left, ...out].slice(-2); // the newest throw of both
  valley.show(state);
  for (const button of HANDS) button.setAttribute("aria-pressed", String(state.hand === button.dataset.hand));
  $("roll").hidden = !state.tray_mm;
  drawHands();
  $("plug").setAttribute("aria-pressed", String(!state.is_plugged));
  if (document.activeElement !== $("light")) $("light").value = state.light;
  $("unplugged").hidden = state.is_plugged;
  $("end_words").textContent = (state.match.wrong ? say("Look now") : played.turn.end(state.match)) ?? $("end_words").textContent; // as on the phones
  drawBar();
  const { over, seats } = state.match;
  document.body.dataset.won = over ? seatColor(over.winners[0] ?? "") ?? "nobody" : "";
  part("won", over && seats.filter((one) => over.winners.includes(one.seat)), (won) => [won.map((one) => emblem(one.seat)), el("strong", null, won.length === 0 ? say("The match is over")
    : say("{name} won", { name: won.map((one) => isolated(one.name || seatWord(one.seat))).join(" + ") }))]);
}

const endWords = () => ({ button: $("end_words").textContent });

async function send(deed) {
  try {
    const said = await post("/table/do", deed, say("The table does not answer. Is it still running?"));
    version = null;
    follow();
    return said;
  } catch (refused) {
    toast(sentence(refused.message));
  }
}

function toast(words) {
  $("toast").replaceChildren(el("p", null, words));
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => $("toast").replaceChildren(), TOAST_MS);
  valley.show(state);
}

// --- hands ---

let turned = 0;
const isOff = (x, y) => x < 0 || y < 0 || x > state.width_mm || y > state.height_mm;
/** The seat whose hand takes a card that leaves the table; undefined for other pieces, and without hands. */
const takerOf = (piece) => piece?.card && Object.keys(state.hands).find((seat) => seat === (openHand ?? turnOf));
/** Takes pieces into the hand if a card among them leaves the table; returns whether it did. */
function takesUp(ids, leaves) {
  const seat = takerOf(state.pieces.find((one) => ids.includes(one.id) && one.card && leaves(one)));
  if (seat) send({ do: "take_up", ids, seat });
  return Boolean(seat);
}
/** Where the piece that was dragged last lay before. */
let dragged = null;
/** The table's version at the beginning, or when something was last entered: nothing has moved since. */
let entered = null;
/** When the table last changed; after this long, nothing of it is entered any more. */
let changedAt = 0;
const ENTERS_MS = 10000;
/** Whether people are to answer or to put something right. */
const isAsked = (one) => Boolean(one && (one.match.question || one.match.wrong || missing(one.match).length));
/** What the phones tell to put back, and is not seen back. */
const missing = (match) => (match.put_back?.things ?? []).filter((thing) => thing.laid !== "yes");
/** The sides that have thrown since the last throw was ended, the pieces in the air, and words about those that left. */
const thrown = new Set(), flying = [];
let left = [], hasStayed = false; // whether one of what was thrown lies on the table
/** What rolled off is told until hands do something else. */
const goOn = () => { [left, hasStayed] = [[], true]; };
const hands = {
  throws: async (seat, kind, from_mm, aim_mm, power) => {
    if (haveAllLeft()) thrown.clear();
    if (thrown.size === 0) [left, hasStayed] = [[], false];
    thrown.add(seat);
    hint = null;
    const said = await send({ do: "throw", seat, kind, from_mm, aim_mm, power });
    if (said) flying.push({ id: said.id, seat, kind, version: said.version });
  },
  places: (color, kind, [x_mm, y_mm]) => {
    goOn();
    send({ do: "place", kind, color, x_mm, y_mm });
  },
  drags: (id, x_mm, y_mm) => {
    const lay = state.pieces.find((one) => one.id === id);
    if (lay) dragged = { id, x_mm: lay.x_mm, y_mm: lay.y_mm };
    goOn();
    if (!takesUp([id], () => isOff(x_mm, y_mm))) send({ do: "move", id, x_mm, y_mm });
  },
  dragsAll: (ids, dx_mm, dy_mm) => {
    if (!takesUp(ids, (one) => isOff(one.x_mm + dx_mm, one.y_mm + dy_mm))) send({ do: "move_together", ids, dx_mm, dy_mm });
  },
  turns: (id, angle_deg) => {
    turned += angle_deg;
    clearTimeout(hands.turning);
    hands.turning = setTimeout(() => { send({ do: "turn", id, angle_deg: turned % 360 }); turned = 0; }, 60);
  },
  removes: (id) => takesUp([id], () => true) || send({ do: "remove", id }),
  says: toast,
  chosen: () => { stacking = null; drawBar(); },
  /** A piece was touched while another waits to be laid on it. */
  picked: (id) => {
    if (!stacking || stacking === id) return false;
    send({ do: "stack", id: stacking, on_id: id });
    stacking = null;
    drawBar();
    return true;
  },
};
const valley = new Valley($("valley"), hands);

// --- the bar under the valley: what to do next, or what can be done with the chosen piece ---

/** What is done here at first, by what the table has. */
function firstHint() {
  if (isThrown()) return say("Drag a ninja from an end into the valley and let go: it is thrown. Just press to throw it at the other territory.");
  const does = state.zones_mm ? say("Drag a piece onto the stand: it hangs. Drag one off and it falls.")
    : state.has_cards ? say("Open your cards below the table, and drag a meld onto it.") : say("Drag a piece to where it goes.");
  return state.tray_mm ? `${say("Throw the die: the button is below.")} ${does}` : does;
}

/** What comes from an end is thrown, or laid down where one lets go. */
const placing = () => el("button", { type: "button", "data-key": "placing", "aria-pressed": String(valley.isPlacing), onclick: () => { valley.isPlacing = !valley.isPlacing; drawBar(); } }, say("Place, not throw"));

const NEAR_MM = 20;

/** The pieces that the rules tell to take out, by the places where the camera saw them. */
function due() {
  if (!state || thrown.size > 0) return [];
  const away = (piece, [, x_mm, y_mm]) => Math.hypot(piece.x_mm - x_mm, piece.y_mm - y_mm);
  const found = (state.match.table.pick_out ?? []).map((one) => state.pieces.filter((piece) => piece.kind === one[0] && away(piece, one) < NEAR_MM).sort((a, b) => away(a, one) - away(b, one))[0]);
  return [...new Set(found.filter(Boolean).map((piece) => piece.id))];
}

/** One press in place of many drags. */
const takingOut = (ids) => el("button", { type: "button", "data-key": "take out", onclick: () => send({ do: "remove_all", ids }) }, say("Take out {n} pieces", { n: ids.length }));

const isThrown = () => (state?.throws ?? []).length > 0;

let hint = null;

function drawBar() {
  const piece = state?.pieces.find((one) => one.id === valley.chosen);
  const out = due();
  const key = JSON.stringify([piece && describe(piece), piece?.id, stacking, dragged?.id, valley.isPlacing, out, next()]);
  if (drawBar.shown === key) return;
  drawBar.shown = key;
  const focused = document.activeElement?.dataset?.key;
  $("bar").replaceChildren(...(piece ? tools(piece) : [el("p", { class: "v-hint" }, next()), out.length > 1 ? takingOut(out) : "", isThrown() ? placing() : ""]));
  if (focused) $("bar").querySelector(`[data-key="${focused}"]`)?.focus();
}

function next() {
  if (document.body.classList.contains("is-lost")) return say("The table does not answer. Is it still running?");
  if (!state) return "";
  if (!state.is_plugged) return say("The camera is unplugged: the phones say so, and nothing is ruled.");
  if (state.hand) return say("A hand is in the picture: the referee waits until it is gone.");
  if (state.is_moving) return say("The piece tumbles …");
  if (valley.isPlacing) return say("Drag a piece in from an end: it stays where you let go.");
  if (state.match.over) return say("The match is over");
  const { question, is_unsure: isUnsure, seats } = state.match, back = missing(state.match);
  if (back.length > 0 && !question && thrown.size === 0) return `${say("Now put back:")} ${sentence(back[0].says)}.`;
  const isUnclear = isUnsure && !question && thrown.size !== 1;
  const areSeated = seats.every((one) => one.name);
  if (hint && !question && !isUnclear && (isThrown() || !areSeated)) return areSeated ? hint : `${say("Take a seat on the phones.")} ${hint}`;
  const rest = isUnclear ? unclear() : nextThrow();
  return [...left.map(({ seat, kind }) => say("{seat}: the {kind} rolled off the table and is outside again.", { seat: seatWord(seat), kind: say(kind) })), rest].join(" ");
}

/** A sentence with its mark: a question has one. */
const ended = (words) => (words.endsWith("?") ? sentence(words) : `${sentence(words)}.`);
const unclear = () => (state.match.wrong ? `${ended(state.match.wrong)} ${say("Once it is right, it counts.")}`
  : `${ended(state.match.seen)} ${say("All done? Tap “{button}”.", endWords())}`);

/** Whether both have thrown and both pieces rolled off. */
const haveAllLeft = () => thrown.size > 1 && flying.length === 0 && !hasStayed;

function nextThrow() {
  if (state.match.question) return say("The phones ask something: answer there first.");
  if (isThrown() && haveAllLeft()) return say("Nothing changes: throw again.");
  const itself = state.match.enters_itself;
  const isLong = itself && !isThrown() && Date.now() - changedAt > ENTERS_MS; // nothing new is seen
  if (isLong || entered === state.version || (entered !== null && isThrown() && thrown.size === 0)) return say("The phones show what comes next.");
  if (itself) return isThrown() && thrown.size < 2 ? say("Throw for the other side too: then the camera enters it.") : say("Wait: the camera enters it.");
  if (!isThrown() || thrown.size > 1) return say("Nothing moves. Press “{button}”.", endWords());
  return say("Nothing moves. Throw for the other side too, then press “{button}”.", endWords());
}

function tools(piece) {
  const tool = (key, words, act, more = {}) => el("button", { type: "button", "data-key": key, onclick: act, ...more }, words);
  const flip = { cube: say("Roll over"), card: say("Turn over"), pawn: piece.tilt_deg > 45 ? say("Stand up") : say("Knock over") }[piece.shape];
  if (stacking) return [
    el("p", { class: "v-hint" }, say("Now press the piece to put it on.")),
    tool("cancel", say("Cancel"), () => { stacking = null; drawBar(); }),
  ];
  return [
    el("strong", { class: "v-chosen" }, describe(piece)),
    tool("left", "⟲", () => hands.turns(piece.id, -15), { "aria-label": say("Turn left") }),
    tool("right", "⟳", () => hands.turns(piece.id, 15), { "aria-label": say("Turn right") }),
    state.tray_mm && piece.shape === "cube" && tool("throw", say("Throw"), () => send({ do: "roll", id: piece.id })),
    dragged?.id === piece.id && tool("back", say("Undo the drag"), () => { const back = dragged; dragged = null; send({ do: "move", ...back }); }),
    flip && tool("flip", flip, () => send({ do: "flip", id: piece.id })),
    piece.marked_up !== undefined && tool("eye", say("Eye up"), () => send({ do: "face_up", id: piece.id, axis: 2, sign: 1 })),
    !isWide(piece) && piece.kind !== "rod" && tool("stack", say("Lay on …"), () => { stacking = piece.id; drawBar(); }),
    tool("out", takerOf(piece) ? say("Into the hand") : say("Take out"), () => hands.removes(piece.id)),
    tool("done", say("Done"), () => valley.choose(null)),
  ].filter(Boolean);
}

// --- cards in hands: one hand is open at a time, and is covered when its turn is over ---

const picked = new Set(); // places in the open hand
const told = {}; // the hands that the phones have
let openHand = null, turnOf = null, carried = null;

function drawHands() {
  const { hands, match: { table: { dealt } } } = state;
  if (dealt?.turn !== turnOf) { turnOf = dealt?.turn; if (openHand !== turnOf) openHand = null; picked.clear(); }
  if (carried) return;
  for (const at of picked) if (at >= (hands[openHand] ?? []).length) picked.delete(at);
  part("hands", Object.keys(hands).length > 0 ? { hands: openHand && hands[openHand], openHand, turnOf, counts: Object.values(hands).map((h) => h.length), picked: [...picked] } : null, () => [
    el("div", { class: "v-owners" }, Object.entries(hands).map(([seat, cards]) => el("button", { type: "button", "data-key": `hand ${seat}`, "aria-expanded": String(seat === openHand), class: seat === turnOf ? "is-turn" : "",
      onclick: () => { openHand = seat === openHand ? null : seat; picked.clear(); drawHands(); drawBar(); } }, emblem(seat), seat === openHand ? say("Cover the hand of {seat}", { seat: seatWord(seat) }) : say("Hand of {seat}: {n}", { seat: seatWord(seat), n: cards.length })))),
    openHand && el("div", { class: "v-held" }, hands[openHand].map((card, at) => el("button", { type: "button", class: `v-one ${"DH".includes(card.at(-1)) ? "is-red" : ""}`, "data-key": `card ${at}`, "data-at": at, "aria-pressed": String(picked.has(at)),
      onclick: () => { if (!picked.delete(at)) picked.add(at); drawHands(); } }, cardFace(card))),
    picked.size > 0 && el("button", { type: "button", "data-key": "lay", onclick: () => lay([...picked]) }, say("Lay as a meld"))),
  ]);
  for (const [seat, cards] of Object.entries(hands)) tell(seat, cards);
}

async function lay(places, at_mm = null) {
  const cards = places.map((at) => state.hands[openHand][at]);
  hint = null;
  if (await send({ do: "lay_from", seat: openHand, cards, at_mm })) picked.clear();
}

/** The phones beside the table get the hands that were dealt here: nobody types in what the table knows. */
function tell(seat, cards) {
  const text = cards.join(" "), { match, seq, table } = state.match, key = `${match} ${seq} ${text}`;
  if (told[seat] === key || cards.length !== table.dealt?.held[seat]) return;
  told[seat] = key;
  tap({ do: "tell", seat, match, text }).catch(() => undefined); // nobody of this browser sits there
}

const inHands = (event) => event.target.closest(".v-one");
$("hands").addEventListener("pointerdown", (event) => {
  const card = inHands(event);
  if (!card || event.button) return;
  const at = Number(card.dataset.at);
  carried = { at, x: event.clientX, y: event.clientY, isFar: false, places: picked.has(at) ? [...picked] : [at] };
});
addEventListener("pointermove", (event) => {
  if (!carried) return;
  const [dx, dy] = [event.clientX - carried.x, event.clientY - carried.y];
  carried.isFar ||= Math.hypot(dx, dy) > 5;
  if (carried.isFar) for (const at of carried.places) $("hands").querySelector(`[data-at="${at}"]`).style.transform = `translate(${dx}px, ${dy}px)`;
});
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => {
  if (!carried) return;
  const { isFar, places } = carried;
  carried = null;
  for (const card of document.querySelectorAll(".v-one")) card.style.transform = "";
  if (!isFar) return; // a tap picks
  const swallow = (click) => click.stopPropagation();
  addEventListener("click", swallow, true);
  setTimeout(() => removeEventListener("click", swallow, true));
  const [x, y] = valley.at(event);
  if (end === "pointerup" && x > 0 && y > 0 && x < state.width_mm && y < state.height_mm) lay(places, [x, y]);
});

// --- the box and the trouble ---

for (const button of ["end_throw", "call_referee"]) $(button).addEventListener("click", () => {
  flash($(button));
  send({ do: "press", button });
  if (button !== "end_throw") return;
  hint = say("The camera looks, and the phones show what it saw.");
  drawBar();
});

/** The undo button is held, as on the box, so that a touch undoes nothing. */
function holding(button) {
  let timer = null;
  const start = (event) => {
    if (timer || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    button.focus();
    button.classList.add("is-held");
    timer = setTimeout(() => { stop(); flash(button); send({ do: "press", button: "undo" }); }, HOLD_MS);
  };
  const stop = () => { clearTimeout(timer); timer = null; button.classList.remove("is-held"); };
  button.addEventListener("pointerdown", start);
  button.addEventListener("keydown", start);
  for (const end of ["pointerup", "pointerleave", "pointercancel", "keyup", "blur"]) button.addEventListener(end, stop);
}
holding($("undo"));

function flash(button) {
  button.classList.add("is-done");
  setTimeout(() => button.classList.remove("is-done"), 500);
}

for (const button of HANDS) button.addEventListener("click", () => {
  const seat = button.dataset.hand;
  send({ do: "set_hand", seat: state.hand === seat ? null : seat });
});
$("roll").addEventListener("click", () => { hint = null; send({ do: "roll" }); });
$("bump").addEventListener("click", () => send({ do: "bump" }));
$("plug").addEventListener("click", () => send({ do: "set_plugged", is_plugged: !state.is_plugged }));
$("light").addEventListener("input", () => {
  clearTimeout(holding.light);
  holding.light = setTimeout(() => send({ do: "set_light", level: Number($("light").value) }), 60);
});
let isSure = false;
$("set_up").addEventListener("click", () => {
  const button = $("set_up");
  if (!isSure) { // a match may be going on: one press by mistake ends none
    isSure = true;
    button.textContent = say("Press again");
    setTimeout(() => { isSure = false; button.textContent = say("Set up again"); }, TOAST_MS);
    return;
  }
  isSure = false;
  button.textContent = say("Set up again");
  valley.choose(null);
  send({ do: "set_up" });
});

// --- the camera's picture ---

const camera = $("camera");
async function look() {
  let pause = PICTURE_MS;
  try {
    const answer = await fetch("/table/camera.jpg");
    if (answer.ok) await showPicture(camera, answer);
    camera.classList.toggle("is-dark", !answer.ok);
    if (!answer.ok) pause = 600;
  } catch {
    pause = LOST_MS;
  }
  setTimeout(look, document.hidden ? 3000 : pause);
}

/** This browser gets its secret before its phones ask: else each gets one of its own, and the first loses its seat. */
async function bringPhones() {
  await fetch("/state").catch(() => undefined);
  for (const frame of document.querySelectorAll("iframe")) frame.src = frame.dataset.src;
}

bringPhones().then(follow);
look();
