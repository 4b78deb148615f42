// A phone at the table: chooses a seat, plays it, or watches. Everything it shows is one whole view.

import { chime, canBuzz, isOn, toggle } from "./sound.js";
import { isNew, prune } from "./news.js";
import { correctButton, correctSheet, factSheet, isOpen, openAnswers } from "./correct.js";
import { send } from "./do.js";
import { announce, el, part, rest } from "./draw.js";
import { keep, recall } from "./memory.js";
import { movesCard } from "./moves.js";
import * as played from "./played.js";
import { objectionBar, timeLeft } from "./object.js";
import { claimCard, waitCard } from "./claims.js";
import { callCard, called, endedSheet, historyLines, inOrder, isAsked, notJudged, overCard, questionCard, ruled, reasonSheet, rulingCard, rulingLine } from "./ruling.js";
import { putBackCard, putBackWords, undoSheet } from "./put_back.js";
import { setUpCard, setUpWords } from "./set_up.js";
import { edgeSheet, menuSheet, nextSheet, refereeSheet } from "./sheets.js";
import { houseRules, rule, rulesSheet } from "./rules.js";
import { emblem, seatColor, shape } from "./shapes.js";
import { sightStrip } from "./sight.js";
import { follow } from "./stream.js";
import { isolated, say, seatWord, sentence } from "./words.js";

const { seat: asked, mode, name: givenName, start } = document.body.dataset;
const { draw: drawGame, laid: drawLaid, turn, byHand } = played;
const strip = sightStrip();
if (self !== top) for (const link of document.querySelectorAll(".foot a:not([target])")) link.target = "_blank"; // a phone beside the virtual table
let view = null;
let link = "connecting";
let before = null;
let wakeLock = null;
let menu = null; // the sheet that is or was open
let toasted = null;
let toastWords = "";
let hinted = null, hasHints = false; // an event may switch them off
let nudge = null; // { judged, isAll }: which hints were asked for, where they come on asking
let lost = null; // the seat that this phone has asked for: { seat, name, isAsked }
let isByHand = false; // the person wants to tap although the camera enters turns
let doubted = null; // the undo whose pieces were said to be back, and the camera sees them elsewhere

follow({
  seat: asked || null,
  onHints(newest) {
    hinted = newest;
    hasHints ||= newest?.hints.length > 0;
    if (view) show();
  },
  onView(newest) {
    if (view && newest.match !== view.match) {
      scrollTo(0, 0);
      if (view.seat !== null && !view.over && Object.keys(view.standing).length > 0) endedSheet(view);
    }
    if (newest.game !== document.body.dataset.gameName) return location.reload(); // another game on this table now
    if (newest.match !== view?.match) houseRules().then((told) => part("house", told ? { match: newest.match } : null, () => told));
    view = newest;
    show();
  },
  onGone: () => location.replace("/?choose"),
  onLink(state) {
    link = state;
    strip.link(state);
    document.body.classList.toggle("stale", state === "lost");
    if (view) { showQuestion(); showActions(); }
  },
});

/** Whether what is shown is not the present, so that nothing can be done on it. */
const isOld = () => link === "lost" || link === "waking";
const oldWords = () => say("This view is out of date; nothing can be done until the table answers.");

const nameOf = (seat) => view.seats.find((s) => s.seat === seat)?.name ?? seatWord(seat);

/** Whether a fault is told before a press: while cards are moved about, the table is wrong for good reasons. */
function tellsFaults() {
  return Boolean(view.enters_itself || turn.isClosed?.(view));
}

/** Whether a turn is ended on this phone: its own, or that of a seat whose phone is not here. */
function isUp() {
  const seat = turn.seat?.(view);
  return !seat || seat === view.seat || !view.seats.find((s) => s.seat === seat)?.is_connected;
}

/** Whether the camera enters turns now, so that nothing is to be tapped. */
const isWatching = () => view.enters_itself && ["sees", "moving", "hand"].includes(view.sight.state);

// ---- sending

async function act(tap, button) {
  if (button?.hasAttribute("aria-busy")) return false;
  if (isOld()) { toast(oldWords()); return false; }
  const rested = button?.hasAttribute("aria-disabled");
  if (button) rest(button, true).setAttribute("aria-busy", "true");
  try {
    await send({ seat: view.seat ?? asked, match: view.match, ...tap });
    return true;
  } catch (refused) {
    if (!(tap.do === "end_throw" && view.refused)) toast(refused.message, refused.stood); // that is on every phone
    button?.removeAttribute("aria-busy");
    closeStaleSheets();
    return false;
  } finally {
    if (button) rest(button, rested).removeAttribute("aria-busy");
  }
}

/** A sentence in the head of the page, or of a sheet, until it is tapped away or something happens that is newer than what
 * this page shows and than what made the match refuse (`stood`): that may come after its answer. */
function toast(words, stood = {}) {
  const place = document.getElementById("toast");
  const below = [...document.querySelectorAll("dialog[open]")].at(-1)?.querySelector(".sheet-body, .pane");
  if (below) below.before(place);
  else document.querySelector(".top").append(place);
  toasted = view && { match: view.match, seq: view.seq, sight: view.sight.state, enders: view.enders.length, stood };
  toastWords = sentence(words);
  place.replaceChildren(el("p", {}, sentence(words)), el("button", { onclick: () => place.replaceChildren() }, say("OK")));
}

/** Whether what is shown now is newer than the sentence above everything. */
function isNews() {
  if (!toasted) return true;
  const { match, seq, sight, enders, stood } = toasted;
  if (view.match === stood.match && view.seq <= stood.seq) return false;
  return view.match !== match || view.seq !== seq || view.sight.state !== sight || view.enders.length > enders;
}

// ---- showing

function show() {
  const found = hintsNow(), wanted = nudge?.judged === `${view.match} ${view.judged}` ? nudge : null;
  view.hints = !turn.isAskedForHints || wanted?.isAll ? found : wanted ? found.slice(0, 1) : [];
  const isSaidAbove = view.refused && toastWords.startsWith(sentence(view.refused)); // the answer to the tap came first
  if (isSaidAbove || isNews()) document.getElementById("toast").replaceChildren();
  const isSeat = view.seat !== null;
  const isChoosing = !isSeat && mode !== "watch";
  if (isSeat) keep("seat", `${view.match} ${view.seat}`);
  else if (isChoosing && location.search === "" && ownSeat()) return location.replace(`/?seat=${encodeURIComponent(ownSeat())}`); // a phone that comes back
  document.querySelector("main > .title").classList.toggle("unseen", isSeat);
  document.body.dataset.as = isSeat ? "seat" : isChoosing ? "choosing" : "watching";
  if (isChoosing && asked && document.body.dataset.sits && view.seats.some((s) => s.seat === asked && !s.name)) sitDown();
  document.title = isSeat ? `${seatWord(view.seat)} - ${view.title}` : view.title;
  strip.show(view, isSeat && tellsFaults() && view.is_unsure && !view.question && !view.refused && !view.over && !isPuttingBack() ? (isUp() ? { button: turn.end(view) } : { name: nameOf(turn.seat(view)) }) : null);

  part("you", isSeat || isChoosing ? null : {}, () => el("p", { class: "you" }, say("You watch."), " ", el("a", { href: "/?choose" }, say("Take a seat"))));
  if (lost && view.holds.includes(lost.seat)) return location.assign(`/?seat=${encodeURIComponent(lost.seat)}`);
  const mine = lost && view.claims.find((one) => one.seat === lost.seat);
  if (lost && !mine && lost.isAsked) { lost = null; toast(say("The others said no.")); }
  part("choose", isChoosing ? { seats: view.seats, holds: view.holds, mine } : null, mine ? () => waitCard(mine, { name: nameOf, retry: askForSeat, now_s: view.now_s, onBack: () => { lost = null; show(); } }) : chooseCard);
  const join = document.getElementById("join"); // until everybody has sat down, or one phone plays for all
  if (join) join.hidden = self !== top || mode === "watch" || view.seats.every((s) => s.name) || view.last.length > 0;
  showQuestion();
  part("refused", isChoosing ? null : view.refused, notJudged);
  const undone = isPuttingBack();
  if (undone && view.put_back.laid === "yes") setTimeout(() => { if (isPuttingBack() === undone && view.put_back.laid === "yes") keep("put back", undone); show(); }, SEEN_BACK_MS);
  part("putback", isChoosing || !undone ? null : { ...view.put_back, undone, seat: view.seat }, (things) =>
    putBackCard(things, things.seat, drawLaid && drawLaid(things, view)));
  part("setup", isChoosing || !view.set_up || turn.isBegun?.(view) || recall("set up", true) === beginning() ? null : { ...view.set_up, enters_itself: view.enters_itself }, (setUp) =>
    setUpCard(setUp, turn.end(view), () => { keep("set up", beginning(), true); show(); }));
  const claim = isSeat ? view.claims.find((one) => one.asks.includes(view.seat)) : null;
  part("claims", claim, (one) => claimCard(one, one.seat === view.seat, (is_admitted, button) => act({ do: "admit", claim: one.claim, is_admitted }, button)));
  part("calls", isChoosing || view.calls.length === 0 ? null : view.calls, (calls) => calls.map((c) =>
    callCard(c, isSeat && endCall("referee_came"), isMine(c.by) && endCall("call_off"), isSeat && !view.has_referee && settles())));
  document.body.dataset.won = (!isChoosing && view.over && (seatColor(view.over.winners[0] ?? "") ?? "nobody")) || "";
  part("over", isChoosing || !view.over ? null : { ...view.over, names: view.seats.map((s) => s.name) }, (over) =>
    overCard(over, view));
  part("ending", !isSeat || view.over || view.enders.length === 0 ? null : { enders: view.enders, ending: view.ending, match: view.match, seat: view.seat }, endingCard);
  const isFree = isSeat && !view.over && !view.question;
  const hints = isFree ? view.hints.filter((hint, i) => !view.done.includes(hint.says) && (turn.isTold?.(hint, i, view) ?? true) && (!turn.hasOwnCards || !hint.move)) : [];
  const asides = hints.slice(hints.findLastIndex((hint) => hint.why.length > 0 || hint.move) + 1 || hints.length); // what is to be done has a why
  part("hints", hints.length > 0 ? hints.slice(0, hints.length - asides.length) : null, hintCard);
  part("asides", asides.length > 0 ? asides : null, (told) => el("ul", {}, told.map((hint) => el("li", {}, sentence(hint.says)))));
  const isTold = (card) => isAsked(card, view.question) || card.says === view.over?.says || turn.isUrgent(card, view.table); // a hint says what is due
  const rulings = isChoosing ? [] : inOrder(view.last.filter((card) => !isTold(card)));
  const facts = view.corrections.map((c) => [c.piece, c.value]);
  part("rulings", rulings.length === 0 ? null : { rulings, facts }, ({ rulings: [first, ...others] }) =>
    [rulingCard(first, !turn.hasOwnCards && correction(first)), others.map((card) => rulingLine(card, !turn.hasOwnCards && correction(card)))]);
  part("nudge", isFree && view.hints.length < found.length ? { isMore: view.hints.length > 0, isOwn: Boolean(found[0].move), at: `${view.match} ${view.judged}` } : null, ({ isMore, isOwn, at }) =>
    el("button", { class: "link-button", "data-key": "nudge", onclick: () => { nudge = { judged: at, isAll: isMore }; show(); } }, isMore ? say("Show all") : isOwn ? say("Give me a nudge") : say("How do I stand?")));
  const moves = isFree ? view.moves : [];
  const taps = isFree && (isByHand || !isWatching());
  part("moves", turn.hasOwnMoves || !taps || moves.length === 0 ? null : moves, (all) => movesCard(all, act));
  part("game", isChoosing ? null : { table: { ...view.table, valley: null }, seats: view.seats, seat: view.seat, question: view.question, moves, taps, hints: view.hints, done: view.done, corrections: turn.hasOwnCards ? view.corrections : [] }, () => [drawGame(view, taps ? act : null, moves, isFree ? act : null), turn.hasOwnCards && correction({ piece: null, pieces: [] })]);
  showObjection();
  part("history", isChoosing || view.history.length === 0 ? null : view.history, (lines) =>
    el("details", { "data-key": "history" }, el("summary", {}, el("h2", {}, say("History"))), historyLines(lines)));
  showActions();
  if (view.seat !== null) menu?.follow();
  closeStaleSheets();
  tellWhatChanged();
  document.body.dataset.seq = view.seq; // the entry that this page shows
}

/** What players do about an objection where nobody can be called. */
const settles = () => ({
  seat: view.seat,
  others: view.seats.filter((s) => s.seat !== view.seat && s.is_connected).map((s) => nameOf(s.seat)).join(", "),
  tap: (call, choice, button) => act({ do: "settle", entry: call.entry, choice }, button),
  correct: view.corrections.length > 0 && (() => correct([])),
});
const endCall = (how) => (call, button) => act({ do: how, entry: call.entry }, button);

function showQuestion() {
  const isShown = view.question && document.body.dataset.as !== "choosing";
  part("question", isShown ? { ...view.question, isOld: isOld(), hasMoved: view.is_unsure } : null, (q) => questionCard(q, {
    seat: view.seat, isOld: q.isOld, hasMoved: q.hasMoved, onAnswer: view.seat !== null ? answer : null, onCall: view.seat === null || !view.has_referee ? null : (b) => act({ do: "call_referee", words: "" }, b),
  }));
  function answer(choice, button) {
    const send = (reason, b) => act({ do: "answer", question: view.question?.id ?? "", choice: choice.key, reason }, b);
    return choice.needs_reason ? reasonSheet(choice, send) : send("", button);
  }
}

/** Whether an entry was made by who holds this phone. */
function isMine(by) {
  const me = view.seats.find((s) => s.seat === view.seat);
  return Boolean(me) && [me.name, `${me.name} (${me.seat})`].includes(by);
}

/** What was entered last, for as long as the others may object to it; beside a board it stays, so that nothing jumps. */
function showObjection() {
  const isOthers = view.seat !== null && !view.question && view.objection && !isMine(view.objection.by);
  const left_ms = isOthers && view.objection.mover !== view.seat ? timeLeft(view, showObjection) : 0;
  part("objection", left_ms > 0 || (isOthers && turn.isBoardFirst) ? { objection: view.objection, isOpen: left_ms > 0, ruled: view.last.filter((one) => one.entry === view.objection?.entry).map((one) => one.says), isRuledBelow: !turn.isBoardFirst } : null, (it) => objectionBar({ ...it, left_ms }, act));
}

const SEEN_BACK_MS = 4000; // what the camera sees in its place is told, and needs no tap

/** Names the undone entry whose pieces are still to be put back, for as long as this phone shows it. */
function isPuttingBack() {
  const undone = view.put_back && `${view.match} ${view.put_back.entry}`;
  return recall("put back") === undone ? null : undone;
}

const isUnhinted = () => recall("no hints") !== null;

/** The hints of what is shown: they are thought out beside it and come a moment later. */
const hintsNow = () => (!isUnhinted() && hinted?.match === view.match && hinted.judged === view.judged && hinted.seat === view.seat ? hinted.hints : []);

/** Which beginning of a game the set-up is of: hidden once, it comes back for the next. */
const beginning = () => `${view.match} ${view.set_up.entry}`;

/** The one seat that this phone holds, or of several the one that it showed last. */
const ownSeat = () => (view.holds.length === 1 ? view.holds[0] : view.holds.find((seat) => recall("seat") === `${view.match} ${seat}`));

const people = JSON.parse(document.body.dataset.people ?? "[]");

function chooseCard({ seats, holds }) {
  const offered = asked ? seats.filter((s) => s.seat === asked) : seats;
  if (self !== top && offered.every(isTaken)) return el("p", {}, say("{name} plays on a phone.", { name: isolated(offered[0].name) }));
  const isForAnother = holds.length > 0 && self === top; // this phone has its own seat, and names people without a phone
  const input = el("input", { id: "name", maxlength: 24, autocomplete: isForAnother ? "off" : "given-name", enterkeyhint: "done", "data-key": "name", value: isForAnother ? "" : givenName || recall("name") });
  const typed = document.body.dataset.asksNumber;
  const number = typed === undefined ? null : el("input", { id: "number", maxlength: 12, inputmode: "numeric", autocomplete: "off", "data-key": "number", value: typed });
  const sit = async ({ seat, name: holder }, button) => {
    const name = input.value.trim();
    if (!name) { toast(say("Type your name first.")); input.focus(); return; }
    if (!isForAnother) keep("name", name);
    if (await act({ do: "take_seat", seat, name, holder, number: number?.value.trim() ?? "" }, button)) isForAnother ? input.value = "" : location.assign(`/?seat=${encodeURIComponent(seat)}`);
  };
  const named = isForAnother ? [] : offered.filter((s) => s.name && !s.is_kept && !s.is_stand_in && !holds.includes(s.seat)); // without a phone
  const free = offered.filter((s) => !s.name || s.is_stand_in);
  const sits = (name) => (event) => {
    input.value = name;
    const seat = named.find((s) => s.name === name) ?? ((free.length === 1 || turn.hasAlikeSeats) && free[0]);
    if (seat) sit(seat, event.currentTarget);
  };
  const sitting = seats.map((s) => s.name);
  const names = [...named.map((s) => s.name), ...(free.length > 0 ? people.filter((name) => !sitting.includes(name)) : [])];
  const typing = [
    offered.some((s) => !isTaken(s)) && (!isForAnother || free.length > 0) && [el("label", { for: "name" }, isForAnother ? say("Name of somebody without a phone") : say("Your name")), input],
    el("div", { class: "answers" }, offered.map((s) => seatButton(s, holds, sit))),
  ];
  const taken = isForAnother ? [] : offered.filter(isTaken);
  return [
    el("h2", {}, asked ? say("Sit down as {seat}", { seat: seatWord(asked) }) : say("Choose a seat")),
    names.length > 0 && el("div", { class: "pills", role: "group", "aria-label": isForAnother ? say("Who else plays?") : say("Tap your name") }, el("p", {}, isForAnother ? say("Who else plays?") : say("Tap your name")), names.map((name) => el("button", { class: "pill", onclick: sits(name) }, name))),
    number && el("label", { for: "number" }, say("Table number, shown on a phone that has a seat here")), number,
    named.length > 0 && free.length === 0 && !asked ? el("details", { "data-key": "typing" }, el("summary", {}, say("Another name or seat")), typing) : typing,
    taken.length > 0 && el("details", { "data-key": "lost", open: taken.length === offered.length }, el("summary", {}, say("Is one of these seats yours?")),
      el("p", { class: "soft small" }, say("A phone can lose its seat, in a private window for example. The others are asked.")),
      el("div", { class: "answers" }, taken.map((s) => el("button", { class: "big", "data-key": `lost ${s.seat}`, onclick: (e) => askForSeat(s, e.currentTarget) }, emblem(s.seat), say("I am {name}", { name: isolated(s.name) }))))),
    asked ? el("a", { class: "button", href: "/?choose" }, say("Another seat")) : el("a", { class: "button", href: "/?watch" }, say("Only watch")),
  ];
}

async function askForSeat(s, button) {
  lost = { seat: s.seat, name: s.name };
  if (await act({ do: "take_seat", seat: s.seat, name: s.name, holder: s.name, is_lost: true }, button)) lost.isAsked = true;
  else lost = null;
}

/** Sits down by itself where the address says so, once: a phone beside the virtual table belongs to nobody. */
async function sitDown() {
  const name = givenName;
  delete document.body.dataset.sits;
  if (await act({ do: "take_seat", seat: asked, name, holder: null, is_stand_in: true })) location.assign(`/?seat=${encodeURIComponent(asked)}`);
}

const isTaken = (s) => Boolean(s.name) && !s.is_stand_in && s.is_kept && recall("seat") !== `${view.match} ${s.seat}`;

function seatButton(s, holds, sit) {
  const label = seatWord(s.seat);
  const key = `seat ${s.seat}`;
  const css = `big seat-button of-${seatColor(s.seat) ?? "none"}`;
  if (holds.includes(s.seat)) return el("a", { class: `button ${css}`, href: `/?seat=${encodeURIComponent(s.seat)}`, "data-key": key }, emblem(s.seat), say("Back to {seat}", { seat: s.name }));
  const isFree = !s.name || s.is_stand_in, wasMine = recall("seat") === `${view.match} ${s.seat}`;
  const words = isFree ? say("Sit down as {seat}", { seat: label })
    : wasMine ? say("{name} sits here now. This is my seat", { name: s.name })
      : s.is_kept ? say("{seat}: {name} sits here", { seat: label, name: s.name })
        : say("Take over {seat} from {name}", { seat: label, name: s.name });
  return el("button", { class: css, "data-key": key, disabled: isTaken(s), onclick: (e) => sit(s, e.currentTarget) }, emblem(s.seat), words);
}

/** Somebody wants to end the match before it is over: the others agree, or play on. */
function endingCard({ enders, ending, match, seat }) {
  const isMine = enders.includes(seat), others = enders.filter((one) => one !== seat);
  const names = others.map(nameOf).join(", ");
  const wanted = others.length > 1 ? say("{names} want to end this match.", { names }) : say("{name} wants to end this match.", { name: names });
  const agrees = ending ? { do: "act", move: ending.move } : { do: "begin_anew", match, is_given_up: true };
  return [
    el("h2", {}, shape("unknown"), el("span", {}, isMine ? say("You want to end this match. The others have to agree.") : wanted)),
    isMine && names && el("p", { class: "soft" }, say("Agreed: {names}", { names })),
    ending && el("p", { class: "soft" }, sentence(ending.says)),
    el("div", { class: "answers" },
      !isMine && el("button", { class: "big", "data-key": "agree to end", onclick: (e) => act(agrees, e.currentTarget) }, say("Yes, end it")),
      el("button", { class: "big primary", "data-key": "play on", onclick: (e) => act({ do: "begin_anew", match, goes_on: true }, e.currentTarget) }, say("Play on"))),
  ];
}

function hintCard(hints) {
  document.getElementById("hints").classList.toggle("urgent", turn.isUrgent(hints[0], view.table));
  return hints.map((hint, i) => el("div", { class: i === 0 ? "hint first" : "hint" },
    el(i === 0 ? "h2" : "p", {}, sentence(hint.says)),
    el("ul", {}, hint.why.slice(0, 1).map((w) => el("li", {}, sentence(w))), i === 0 && hint.rule && el("li", {}, rule(hint.rule))),
    hint.why.length > 1 && el("details", { "data-key": `why ${i}` }, el("summary", {}, say("How and why")), el("ul", {}, hint.why.slice(1).map((w) => el("li", {}, sentence(w)))))));
}

/** Puts the list of what goes back away. If the camera sees a piece elsewhere, the first tap says so and a second one overrules it. */
function putBack(undone, button) {
  if (view.put_back.laid === "no" && doubted !== undone) {
    doubted = undone;
    toast(say("The camera does not see it there yet. If it is there, tap again."));
    return;
  }
  act({ do: "put_back", entry: view.put_back.entry }, button);
}

function showActions() {
  const isSeat = view.seat !== null, isWrong = view.wrong !== null && tellsFaults();
  part("actions", isSeat ? { undo: view.undo, sight: strip.state(), end: turn.end(view), over: view.over && view.match, isAsked: Boolean(view.question), waiting: view.waiting, link, next: turn.next?.(view), itself: isWatching() && !view.is_unsure, isWrong, isUp: isUp(), isByHand, undone: isPuttingBack(), isBack: view.put_back?.laid === "yes" } : null, () => {
    const off = isOld();
    const blind = ["blind", "moved"].includes(strip.state()) && !view.waiting;
    const hasNoEyes = byHand && ["by_hand", "blind", "moved"].includes(strip.state()) && !view.waiting && !view.question && !off;
    if (view.over) return [actionMore(), actionUndo(off), el("button", { class: "action primary", "data-key": "next", "aria-disabled": off && "true", onclick: () => off ? toast(oldWords()) : beginAnew({ match: view.match }) }, shape("done"), el("span", {}, say("Next match")))];
    const undone = isPuttingBack();
    if (undone && view.put_back.laid !== "yes" && !view.question && !off) return [actionMore(), actionUndo(off), el("button", { class: "action primary", "data-key": "end", onclick: (e) => putBack(undone, e.currentTarget) }, shape("done"), el("span", {}, view.put_back.is_mistake ? say("Put right") : say("Put back")))];
    const next = !view.question && !view.waiting && !off && turn.next?.(view); // nothing on the table comes before it
    if (next) return [actionMore(), actionUndo(off), el("button", { class: "action primary", "data-key": "end", "data-move": next.move, onclick: (e) => act({ do: "act", move: next.move }, e.currentTarget) }, shape("done"), el("span", {}, next.words))];
    if (turn.end(view) === null && !view.question && !view.waiting) return [actionMore(), actionUndo(off)]; // another phone ends it
    if (view.sight.state === "by_hand" && !byHand) return [actionMore(), actionUndo(off)]; // what happens is tapped above: nothing is looked at
    if (isWatching() && !(view.is_unsure && isUp()) && !view.question && !view.waiting && !off) return [actionMore(), actionUndo(off), actionByHand()];
    const why = hasNoEyes ? say("By hand") : off ? say("Not connected") : view.question ? say("answer first") : blind ? say("blind: no ruling") : null;
    return [
      actionMore(), actionUndo(off),
      el("button", { class: isUp() && !isWrong ? "action primary" : "action", "data-key": "end", "aria-disabled": (off || Boolean(view.question)) && "true", onclick: (e) => (hasNoEyes ? byHand(view, act) : endThrow(e.currentTarget)) },
        view.waiting ? el("span", { class: "spinner" }) : shape("done"), el("span", { class: view.waiting ? "small" : "" }, view.waiting ? sentence(view.waiting) : isWrong ? say("Look now") : turn.end(view), why && el("small", { class: "why-not" }, why))),
    ];
  });
}

/** What was entered after this page was drawn needs no press. */
const endThrow = (button) => act({ do: "end_throw", judged: view.judged }, button);

/** While the camera enters turns, taps are out of the way. */
const actionByHand = () => el("button", { class: "action", "data-key": "by hand", "aria-pressed": String(isByHand), onclick: () => {
  if (byHand) return byHand(view, act);
  isByHand = !isByHand;
  return show();
} }, shape(isByHand ? "sees" : "by_hand"), el("span", {}, isByHand ? say("Let the camera look") : say("By hand")));
const actionMore = () => el("button", { class: "action", "data-key": "more", onclick: more }, shape("more"), el("span", {}, say("More")));
const actionUndo = (off) => el("button", { class: "action", "data-key": "undo", disabled: !view.undo, "aria-disabled": off && "true", onclick: () => off ? toast(oldWords()) : undoSheet(view.undo, (b) => act({ do: "undo", entry: b.closest("dialog").dataset.entry * 1 }, b)) },
  shape("undo"), el("span", {}, say("Undo")));

function more() {
  menu = menuSheet(say("More"), () => [
    view.has_referee && { icon: "flag", words: say("Call the referee"), tap: () => refereeSheet((words, b) => act({ do: "call_referee", words }, b)) },
    view.moves.some((m) => m.move === "edge") && { icon: "edge", words: say("Someone leaned over the edge"), tap: () => edgeSheet(view.seats, (thrower, b) => act({ do: "act", move: "edge", values: { thrower } }, b)) },
    isWatching() && !view.over && !view.question && { icon: "sees", words: say("Look now"), tap: endThrow },
    byHand && !view.over && !view.question && { icon: "by_hand", words: say("Enter a throw by hand"), tap: () => byHand(view, act) },
    view.corrections.length > 0 ? { icon: "pencil", words: say("Correct a fact"), tap: () => correct([]) } : { icon: "pencil", words: say("Nothing to correct yet.") },
    (isUnhinted() || hasHints) && { icon: isUnhinted() ? "sees" : "unseen", words: isUnhinted() ? say("Show hints") : say("Hide hints"), tap: () => { keep("no hints", isUnhinted() ? null : ""); show(); } },
    { icon: "rules", words: say("The rules"), tap: rulesSheet },
    { icon: "sound", words: isOn("sound") ? say("Switch sound off") : say("Switch sound on"), tap: () => toggle("sound") },
    canBuzz() && { icon: "screen", words: isOn("buzz") ? say("Switch vibration off") : say("Switch vibration on"), tap: () => toggle("buzz") },
    keepOn(),
    view.undo && !view.over && { icon: "done", words: say("End this match"), tap: () => beginAnew({ match: view.match, is_given_up: true }) },
    view.has_before && !view.over && { icon: "rules", words: say("Save the last match"), tap: () => open("/match.pdf") },
    start && { icon: "more", words: say("Play another game"), tap: () => location.assign(start) },
    { icon: "leave", words: say("Leave the seat {seat}", { seat: seatWord(view.seat) }), tap: async () => (await act({ do: "leave_seat" })) && location.assign("/?choose") },
  ]);
}

function beginAnew(tap) {
  nextSheet((b) => act({ do: "begin_anew", ...tap }, b), { isGivenUp: tap.is_given_up }).dataset.match = tap.match;
}

/** What a player taps who sees a ruling that rests on something seen wrongly, in one piece of it or in several, or that
 * leaves something open. */
function correction({ piece, pieces, is_minor: isMinor }) {
  const named = [piece, ...pieces].filter((id) => id !== null && view.corrections.some((c) => c.piece === id));
  const isOfNone = view.corrections.length > 0 && view.corrections.every((c) => c.piece === null);
  const open = isMinor ? view.corrections.filter((c) => named.includes(c.piece) && isOpen(c)) : [];
  if (view.seat !== null && open.length > 0) return openAnswers(open, tellFact, () => correct(named));
  return view.seat !== null && (named.length > 0 || isOfNone) && correctButton(() => correct(named));
}

function correct(named) {
  if (view.corrections.every((c) => c.piece === null)) return factSheet({ corrections: view.corrections, onCorrect: tellFact });
  correctSheet({ corrections: view.corrections, pointing: view.pointing, name: myName(), named, onCorrect: tellFact });
}

const myName = () => view.seats.find((s) => s.seat === view.seat).name ?? "";
const tellFact = (tap, b) => act({ do: "correct", name: myName(), ...tap }, b);

function keepOn() {
  // a page over plain http may not hold the screen on; nothing is lost when it sleeps, so say how instead
  if (!("wakeLock" in navigator)) return { icon: "screen", words: say("To keep this screen on, choose a longer time in your phone's display settings. Nothing is lost when it sleeps.") };
  if (wakeLock && !wakeLock.released) return { icon: "screen", words: say("Let the screen sleep"), tap: () => wakeLock.release() };
  return { icon: "screen", words: say("Keep the screen on"), tap: async () => {
    try { wakeLock = await navigator.wakeLock.request("screen"); } catch { toast(say("The phone does not allow it: choose a longer time in its display settings.")); }
  } };
}

function closeStaleSheets() {
  const close = (kind, isOurs, words) => {
    for (const dialog of document.querySelectorAll(`dialog[data-${kind}]`)) {
      if (dialog.querySelector("[aria-busy]") || isOurs(dialog.dataset[kind])) continue;
      dialog.close();
      toast(words);
    }
  };
  close("entry", (entry) => String(view.undo?.entry) === entry, say("Something newer happened: look at it before you undo."));
  close("match", (match) => match === view.match, say("Another phone has begun the next match."));
}

/** Only what changed is said aloud. */
function tellWhatChanged() {
  const now = { question: view.question?.id, entry: view.last[0]?.entry ?? 0, ruling: ruled(view.last), over: Boolean(view.over), calls: view.calls.length, waiting: view.waiting, laid: putBackWords(view.put_back) ?? setUpWords(view.set_up), enders: view.enders.length };
  if (before && document.body.dataset.as !== "choosing") {
    if (now.over && !before.over) ring("over", "over", say("The match is over"));
    else if (now.calls > before.calls) isMine(view.calls.at(-1).by) ? chime("call") : ring("call", "calls", say("The referee was called"));
    else if (now.question && now.question !== before.question) ring("question", "question", say("A new question"));
    else if (now.ruling && now.ruling !== before.ruling && now.entry >= before.entry) turn.isBoardFirst || view.last.every((card) => card.is_minor) ? chime("ruling") : ring("ruling", "rulings", say("A new ruling"));
    else if (now.enders > before.enders) ring("question", "ending", say("A new question"));
    if (now.over && !before.over) announce(view.over.says, true);
    else if (now.question && now.question !== before.question) announce(say("Question: {words}", { words: view.question.says }), true);
    else if (now.laid && now.laid !== before.laid) announce(now.laid);
    else if (now.ruling && now.ruling !== before.ruling) announce(say("Ruling: {words}", { words: view.last.map((r) => r.says).join(". ") }));
    else if (now.waiting && now.waiting !== before.waiting) announce(view.waiting);
    if (now.calls > before.calls) announce(called(view.calls.at(-1)), true);
  }
  before = now;
  prune();
}

/** What is new is heard, felt and brought into sight. */
function ring(what, id, words) {
  chime(what);
  isNew(id, words);
}
