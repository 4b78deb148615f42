// Manipulation Rummy: the melds as they lie, one's own fan, what may be done now, laying by taps, everybody's points.
// A hand is told to this phone alone: nobody else's page ever holds it before it is counted.

import { send } from "../../do.js";
import { brief, el, svg } from "../../draw.js";
import { emblem, shape } from "../../shapes.js";
import { sheet } from "../../sheets.js";
import { counted, say, seatWord, sentence } from "../../words.js";

export const turn = {
  end: (view) => {
    if (isClosed(view)) return say("Look again");
    if (view.table.phase === "deal") return null;
    if (view.table.phase === "show") return shower(view) === view.seat ? say("My hand is there") : isHere(view, shower(view)) ? null : say("The hand is there");
    return view.table.turn === view.seat ? say("I laid cards") : say("Cards laid");
  },
  /** The move that comes next if no cards can be laid before it, for the big button. */
  next: (view) => {
    if (view.table.phase === "show" || (view.is_unsure && isClosed(view)) || view.moves.some((m) => m.move === `${view.seat} melds ...`)) return null;
    const next = view.moves.find((m) => [`${view.seat} ends`, `${view.seat} draws`, "deal"].includes(m.move));
    return next ? { move: next.move, words: own(next, view) ?? sentence(next.says) } : null;
  },
  seat: (view) => (view.table.phase === "show" ? shower(view) : ["draw", "play", "end"].includes(view.table.phase) && view.table.turn),
  isClosed: (view) => isClosed(view),
  isUrgent: () => false,
  hasOwnMoves: true,
  isBoardFirst: true, // what was ruled stands below, and beside "Object"
  isTold: (hint, i, view) => mineOf(view).hand?.length > 0, // until then a button below asks for the cards
};
const mineOf = (view) => view.table.players.find((p) => p.seat === view.seat);
const isHere = (view, seat) => Boolean(view.seats.find((s) => s.seat === seat)?.is_connected);

/** Whether nobody may meld now: then nothing new may lie on the table. */
const isClosed = ({ table }) => ["draw", "end"].includes(table.phase);

/** Whose hand is shown next: of who ended the round, then clockwise. */
function shower(view) {
  const { players, turn: seat } = view.table, at = players.findIndex((p) => p.seat === seat);
  const isShown = (p) => (p.seat === view.seat ? !view.moves.some((m) => [`${p.seat} shows ...`, `${p.seat} withdraws`].includes(m.move)) : p.is_told);
  return [...players.slice(at), ...players.slice(0, at)].find((p) => !isShown(p))?.seat ?? null;
}

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const suitWord = (suit) => ({ S: say("spades"), H: say("hearts"), D: say("diamonds"), C: say("clubs") })[suit];
const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const JOKER = "JK";
const KNOCK_POINTS = 5, MOST_DRAWS = 3;
let isCovered = false; // one's own hand lies face down on this phone

/** The table for all; a hand only where the view has one. */
export function draw(view, act = null) {
  const table = view.table;
  const mine = mineOf(view);
  return [
    el("div", { class: "card rummy large-table" },
      el("p", { class: "race-turn" }, heads(view).map((seat) => emblem(seat)), el("strong", {}, whose(view))),
      el("p", { class: "soft facts" }, facts(view)),
      act && doable(view, mine, act),
      isCounted(table) && scores(view),
      mine && hand(view, mine),
      table.melds.length === 0 ? el("p", { class: "soft" }, say("Nothing is laid yet."))
        : [el("h2", { class: "unseen" }, say("On the table")), el("ul", { class: "melds" }, table.melds.map((meld) => el("li", {}, fan(meld))))]),
    !isCounted(table) && scores(view),
  ];
}

// ---- words

const called = (view, seat) => view.seats.find((s) => s.seat === seat)?.name ?? seatWord(seat);

const isCounted = (table) => ["deal", "over"].includes(table.phase);
const winners = (table) => table.players.filter((p) => p.scored > 0);
const heads = (view) => (view.table.phase === "show" ? [shower(view)] : view.table.phase === "deal" ? winners(view.table).map((p) => p.seat) : [view.table.phase !== "over" && view.table.turn]).filter(Boolean);

function whose(view) {
  const { phase, turn: seat } = view.table;
  if (phase === "over") return say("The match is over");
  if (phase === "deal") return say("{name} wins the round: {n} points", { name: winners(view.table).map((p) => called(view, p.seat)).join(", "), n: winners(view.table)[0]?.scored ?? 0 });
  if (phase === "show" && shower(view) === view.seat) return say("Lay your hand face up, away from the melds");
  if (phase === "show") return say("{name} lays the hand face up", { name: called(view, shower(view)) });
  const isMine = seat === view.seat;
  const name = called(view, seat);
  if (phase === "draw") return isMine ? say("Draw a card") : say("{seat} draws", { seat: name });
  if (phase === "play" && !isMine) return say("{seat} is playing", { seat: name });
  if (phase === "play" && view.moves.some((m) => m.move === `${seat} melds ...`)) return say("Lay cards, or draw on");
  if (view.moves.some((m) => m.move === `${seat} draws`)) return say("Draw a card");
  if (!isMine) return say("{seat} is finishing", { seat: name });
  return view.moves.some((m) => m.move === `${seat} knocks`) ? say("Knock, or end your turn") : say("End your turn");
}

const facts = (view, table = view.table) => [
  say("Round {n}", { n: table.round }),
  pack(table.stock, counted(table.stock, "one card in the draw pile", "{n} cards in the draw pile")),
  table.phase === "deal" && say("Shuffle and deal"),
  ["draw", "play"].includes(table.phase) && table.draws > 0 && say("card {n} of {most}", { n: table.draws, most: MOST_DRAWS }),
  table.knocked && say("{seat} knocked", { seat: called(view, table.knocked) }), table.is_last_turn && say("last turns"),
].filter(Boolean).map((words) => el("span", {}, words));

/** A number of cards, drawn. */
const pack = (n, words) => brief([el("span", { class: "pack" }), String(n)], words);

// ---- what may be done

function doable(view, mine, act) {
  const lays = view.moves.find((m) => m.move === `${view.seat} melds ...`);
  const shows = view.table.phase === "show" && shower(view) === view.seat && view.moves.find((m) => m.move === `${view.seat} shows ...`);
  const withdraws = mine?.points > KNOCK_POINTS && view.moves.find((m) => m.move === `${view.seat} withdraws`);
  const next = turn.next(view)?.move, rare = [next, `${view.seat} withdraws`, counts(view)?.move]; // the big button, and what is offered elsewhere
  const tapped = view.moves.filter((m) => m.is_tapped && !rare.includes(m.move));
  if (!lays && !shows && !withdraws && tapped.length === 0) return null;
  return el("ul", { class: "moves rummy-moves" }, [
    lays && el("li", {}, button(say("Lay cards"), say("by taps; or lay them on the table, then press below"), "lay", () => laySheet(view, mine, lays, act))),
    shows && el("li", {}, button(say("Show your hand"), say("by taps; or lay it on the table, then press below"), "show", () => showSheet(view, mine, shows, act))),
    withdraws && el("li", {}, button(say("Take the knock back"), say("This hand counts {n} points: knocking needs {most} or fewer", { n: mine.points, most: KNOCK_POINTS }), "withdraw",
      (e) => act({ do: "act", move: withdraws.move }, e.currentTarget))),
    ...tapped.map((m) => el("li", {}, button(own(m, view) ?? sentence(m.says), m.effects.map((words) => sentence(words)).join(" · "), `move ${m.move}`, (e) =>
      (isKnockUnknown(m, view, mine) ? knockSheet(m, act) : act({ do: "act", move: m.move }, e.currentTarget))))),
  ]);
}

/** What one does oneself, on one's own button; null for what the rules' own sentence tells. */
function own({ move }, { seat }) {
  if (move === `${seat} draws`) return say("Draw the top card");
  if (move === `${seat} knocks`) return say("Knock");
  return move === `${seat} ends` ? say("End your turn") : null;
}

/** Whether it is a knock with cards that this phone does not know. */
const isKnockUnknown = ({ move }, { seat }, mine) => move === `${seat} knocks` && (mine?.hand?.length ?? 0) < mine?.cards_held;

/** Asks before a knock that nobody has checked. */
const knockSheet = (move, act) => sheet(say("Knock?"), (close) => [
  el("p", {}, say("Only if your hand counts {most} points or fewer: everybody lays the hand open.", { most: KNOCK_POINTS })),
  el("div", { class: "answers pair" }, el("button", { class: "big", "data-key": "no knock", onclick: close }, say("Not yet")),
    el("button", { class: "big primary", "data-key": "knock", onclick: async (e) => { if (await act({ do: "act", move: move.move }, e.currentTarget)) close(); } }, say("Knock"))),
]);

/** Shows a hand for the count. Who knocked keeps it on this phone first, which then knows whether the knock stands. */
const showSheet = (view, mine, shows, act) => handSheet(view, mine, say("Show your hand"), say("Show it"), async (text) => {
  const isKnocker = view.table.knocked === view.seat;
  const n = text.split(" ").length;
  if (n !== mine.cards_held) await count(view, n);
  if (isKnocker) await send({ seat: view.seat, match: view.match, do: "tell", text });
  return await act({ do: "act", move: shows.move, values: { cards: text } }) || isKnocker;
}, { isWhole: true });

const button = (words, more, key, onclick) => el("button", { class: "move", "data-key": key, onclick },
  el("span", { class: "words" }, el("strong", {}, words), more && el("small", {}, more)));

// ---- one's own hand

function hand(view, mine) {
  const isOpen = ["draw", "play", "end", "show"].includes(view.table.phase);
  const left = mine.cards_held - (mine.hand?.length ?? 0);
  const isCountable = isOpen && Boolean(counts(view));
  const cover = (e) => {
    isCovered = !isCovered;
    const own = e.target.closest(".own-hand"), anew = hand(view, mine);
    own.replaceWith(anew);
    anew.querySelector("[data-key=cover]").focus();
  };
  return el("div", { class: "own-hand" },
    el("h2", {}, say("Your hand"), " ", pack(mine.cards_held, counted(mine.cards_held, "one card", "{n} cards")), " ",
      isCountable && el("button", { class: "small count", "data-key": "count", onclick: () => countSheet(view, mine) }, say("Not {n}?", { n: mine.cards_held }))),
    mine.hand?.length > 0 && (isCovered ? el("span", { class: "fan", "aria-hidden": "true" }, mine.hand.map(() => el("span", { class: "playing is-back" }))) : fan(mine.hand)),
    !isCovered && mine.points !== null && mine.points !== undefined && el("p", { class: "soft" }, counted(mine.points, "one point", "{n} points")),
    isOpen && el("div", { class: mine.hand?.length > 0 ? "answers pair" : "answers" },
      mine.hand?.length > 0 && el("button", { "data-key": "cover", "aria-pressed": String(isCovered), onclick: cover }, shape(isCovered ? "sees" : "unseen"), isCovered ? say("Show my hand") : say("Cover my hand")),
      el("button", { "data-key": "tell", onclick: () => handSheet(view, mine, say("Your hand"), say("Keep it on this phone"), (text) => send({ seat: view.seat, match: view.match, do: "tell", text })) },
        !mine.hand?.length && shape("unseen"), mine.hand?.length > 0 ? (left > 0 ? say("Add what you drew") : say("Change it")) : say("Enter it"))));
}

const counts = (view) => view.moves.find((m) => m.move === `${view.seat} holds ...`);
const count = (view, cards) => send({ seat: view.seat, match: view.match, do: "act", move: counts(view).move, values: { cards: String(cards) } });

/** Corrects how many cards one holds. */
const countSheet = (view, mine) => sheet(say("How many cards do you hold?"), (close) => {
  const refused = el("p", { class: "soft", role: "alert" });
  const [, most] = counts(view).asks[0].span, shown = Math.min(most, Math.max(6, mine.cards_held + 4));
  const one = (n) => el("button", { class: "big", "data-key": `hold ${n}`, "aria-pressed": String(n === mine.cards_held), onclick: () => count(view, n).then(close, (error) => { refused.textContent = sentence(error.message); }) }, String(n));
  return [el("p", { class: "soft small" }, say("The table has entered {n}.", { n: mine.cards_held })), el("div", { class: "numbers" }, Array.from({ length: shown }, (_, i) => one(i + 1))),
    shown === most && el("p", { class: "soft small" }, say("{n} at most: the others are in other hands, on the table or in the draw pile. Does another hand hold fewer?", { n: most })), refused];
});

/** How many of a card may still be held: the others lie on the table. */
const free = (view, melds, name) => view.table.packs - melds.flat().filter((card) => (card.startsWith(JOKER) ? JOKER : card) === name).length;

/** Picks the cards of a hand; `onDone` gets them as text and says whether it was taken. `isWhole`: all that are held, whatever was entered. */
function handSheet(view, mine, heading, words, onDone, { isWhole = false } = {}) {
  const picked = new Map();
  for (const name of mine?.hand ?? []) picked.set(name, (picked.get(name) ?? 0) + 1);
  const packs = view.table.packs;
  return sheet(heading, (close) => {
    const body = el("div", { class: "rummy-pick" });
    const told = el("p", { class: "soft small" }, say("The phone then shows you plays. Nobody else sees your cards."));
    const refused = el("p", { class: "soft", role: "alert" });
    const done = async () => {
      try {
        if ((await onDone(names().join(" "))) !== false) close();
      } catch (error) {
        refused.textContent = sentence(error.message);
      }
    };
    const names = () => [...picked].flatMap(([name, n]) => Array(n).fill(name));
    const show = () => {
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const count = names().length;
      const isOff = isWhole ? count === 0 : count > mine.cards_held;
      body.replaceChildren(
        ...(isWhole ? [] : [told]),
        photo(view.seat, (read) => { picked.clear(); for (const name of read) picked.set(name, Math.min(packs, (picked.get(name) ?? 0) + 1)); show(); }),
        el("p", { role: "status" }, say("{n} of {all} cards", { n: count, all: mine.cards_held })),
        all52(pick),
        el("div", { class: "answers" },
          count > 0 && el("button", { "data-key": "clear", onclick: () => { picked.clear(); show(); } }, say("Clear")),
          el("button", { class: "big primary", "data-key": "done", "aria-disabled": isOff && "true", onclick: () => isOff || done() }, shape("done"), isWhole && count > 0 && count !== mine.cards_held ? counted(count, "I hold one card: show it", "I hold {n} cards: show them") : words)), refused);
      if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    };
    const pick = (name) => pickButton(name, picked.get(name) ?? 0, free(view, view.table.melds, name), (n) => { picked.set(name, n); show(); });
    show();
    return body;
  });
}

/** A photograph of the hand, read on the box and kept nowhere. */
function photo(seat, onRead) {
  const told = el("span", { class: "soft small", role: "status" });
  const input = el("input", {
    type: "file", accept: "image/*", capture: "environment", id: "hand-photo", class: "unseen",
    onchange: async () => {
      if (!input.files[0]) return;
      told.textContent = say("Reading …");
      try {
        const answer = await fetch(`/hand?seat=${encodeURIComponent(seat)}`, { method: "POST", headers: { "Content-Type": "image/jpeg" }, body: input.files[0] });
        const read = await answer.json();
        if (!answer.ok) throw new Error(read.says ?? "");
        told.textContent = say("The cards are read: check them, then keep them.");
        onRead(read.cards);
      } catch (error) {
        told.textContent = error.message || say("The cards could not be read: tap them here instead.");
      }
    },
  });
  return el("p", { class: "photo" }, el("label", { for: "hand-photo", class: "button" }, shape("sees"), say("Photograph it")), input, told);
}

// ---- laying by taps

/** The table and the hand to move cards about in, until all of it is laid at once. */
function laySheet(view, mine, move, act) {
  let next = 0;
  const item = (name, isNew) => ({ key: `c${(next += 1)}`, name, isNew });
  const work = { hand: (mine.hand ?? []).map((name) => item(name, true)), melds: view.table.melds.map((meld) => meld.map((name) => item(name, false))) };
  const chosen = new Set();
  const isUnknownHeld = mine.cards_held > (mine.hand?.length ?? 0); // else each of its cards lies there to be tapped
  return sheet(say("Lay cards"), (close) => {
    const body = el("div", { class: "rummy-lay" });
    const toggles = (cards) => el("span", { class: "fan" }, cards.map((c) => el("button", {
      class: `playing ${isRed(c.name) ? "is-red" : ""}`, "data-key": c.key, "aria-pressed": String(chosen.has(c.key)), "aria-label": spoken(c.name),
      onclick: () => { if (!chosen.delete(c.key)) chosen.add(c.key); show(); },
    }, inside(c.name))));
    const moveTo = (target) => {
      const moved = [...work.hand, ...work.melds.flat()].filter((c) => chosen.has(c.key));
      work.hand = work.hand.filter((c) => !chosen.has(c.key));
      work.melds = work.melds.map((meld) => (meld === target ? [...meld.filter((c) => !chosen.has(c.key)), ...moved] : meld.filter((c) => !chosen.has(c.key))));
      if (target === "new") work.melds.push(moved);
      if (target === "hand") work.hand.push(...moved);
      work.melds = work.melds.map((meld) => meld.toSorted(byRank)).filter((meld) => meld.length > 0);
      chosen.clear();
      show();
    };
    const jokers = (meld) => meld.filter((c) => c.name.startsWith(JOKER)).map((c) => el("label", { class: "joker-is" }, say("The joker is"), " ",
      el("select", { "data-key": `is ${c.key}`, onchange: (e) => { c.name = e.target.value ? `${JOKER}=${e.target.value}` : JOKER; show(); } },
        el("option", { value: "" }, say("clear from its meld")),
        isOpen(c.name) && el("option", { value: stands(c.name), selected: true }, face(stands(c.name))),
        Object.keys(SUITS).flatMap((suit) => RANKS.map((rank) => el("option", { value: rank + suit, selected: c.name === `${JOKER}=${rank}${suit}` }, face(rank + suit)))))));
    const show = () => {
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
      const canMove = chosen.size > 0;
      const isNewChosen = [...work.hand, ...work.melds.flat()].filter((c) => chosen.has(c.key)).every((c) => c.isNew);
      body.replaceChildren(
        el("p", { class: "soft" }, say("Tap cards, then where they go. All of it counts as one move.")),
        el("h3", {}, say("Your hand")),
        work.hand.length > 0 ? toggles(work.hand) : el("p", { class: "soft" }, say("No card picked.")),
        el("div", { class: "answers" },
          isUnknownHeld && el("button", { "data-key": "from hand", onclick: () => pickSome((name) => free(view, [...work.melds, work.hand].map((cards) => cards.map((c) => c.name)), name), mine.cards_held - work.hand.length - work.melds.flat().filter((c) => c.isNew).length, (names) => { for (const name of names) { work.hand.push(item(name, true)); chosen.add(work.hand.at(-1).key); } show(); }) }, say("Cards from the hand")),
          canMove && isNewChosen && el("button", { "data-key": "back", onclick: () => moveTo("hand") }, say("Back to the hand"))),
        el("h3", {}, say("On the table")),
        ...work.melds.map((meld, i) => el("div", { class: "row" }, toggles(meld), canMove && el("button", { "data-key": `to ${i}`, onclick: () => moveTo(meld) }, say("Put here")), jokers(meld))),
        el("div", { class: "answers" },
          el("button", { "data-key": "new", "aria-disabled": !canMove && "true", onclick: () => canMove && moveTo("new") }, say("A new meld")),
          el("button", { class: "big primary", "data-key": "done", onclick: async (e) => {
            const text = work.melds.map((meld) => `[${meld.map((c) => c.name).join(" ")}]`).join(" ");
            if (await act({ do: "act", move: move.move, values: { table: text } }, e.currentTarget)) close();
          } }, shape("done"), say("Lay it"))));
      if (focused) body.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    };
    show();
    return body;
  });
}

/** Cards of the hand that this phone does not know yet, several at once; `free` tells how many of one there may be. */
function pickSome(free, most, onPick) {
  const picked = new Map();
  return sheet(say("Which cards?"), (close) => {
    const body = el("div", { class: "rummy-pick" });
    const names = () => [...picked].flatMap(([name, n]) => Array(n).fill(name));
    const show = () => body.replaceChildren(
      all52((name) => pickButton(name, picked.get(name) ?? 0, free(name), (n) => { if (names().length - (picked.get(name) ?? 0) + n <= most) picked.set(name, n); show(); body.querySelector(`[data-key="${name}"]`).focus(); })),
      el("div", { class: "answers" }, el("button", { class: "big primary", "data-key": "picked", "aria-disabled": names().length === 0 && "true", onclick: () => { if (names().length > 0) { close(); onPick(names()); } } }, shape("done"), counted(names().length, "Take one card", "Take {n} cards"))));
    show();
    return body;
  });
}

/** A card to pick: each tap takes one more, after the last there is none. */
const pickButton = (name, n, most, onPick) => el("button", {
  class: `pick ${isRed(name) ? "is-red" : ""}`, "data-key": name, "aria-pressed": String(n > 0), "aria-label": n > 1 ? `${spoken(name)} × ${n}` : spoken(name), "aria-disabled": n + most <= 0 && "true",
  onclick: () => onPick((n + 1) % (most + 1)),
}, name === JOKER ? say("Joker") : face(name), n > 1 && el("small", {}, `×${n}`));

// ---- cards

/** Every card: the joker, then a suit after the other. */
const all52 = (pick) => el("div", {}, el("div", { class: "grid52" }, pick(JOKER)), ["S", "H", "D", "C"].map((suit) => el("div", { class: "grid52" }, RANKS.map((rank) => pick(rank + suit)))));

const LONG = 7, LONGEST = 10; // cards of a meld from which on they lie closer
const fan = (names) => el("span", { class: names.length > LONGEST ? "fan is-longest" : names.length > LONG ? "fan is-long" : "fan", role: "img", "aria-label": names.map(spoken).join(", ") }, names.map(card));
const card = (name) => el("span", { class: isRed(name) ? "playing is-red" : "playing" }, inside(name));
const inside = (name) => (name.startsWith(JOKER) ? ["★", (stands(name) ? face(name).replaceAll("/", "/ ").split(" ") : [say("Joker")]).map((words) => el("small", {}, words))] : [el("b", {}, name.slice(0, -1)), el("i", {}, SUITS[name.slice(-1)])]);
const stands = (name) => name.split("=")[1] ?? null;
const may = (name) => (stands(name) ?? name).split("/"); // nobody said which of these a joker stands for
const isOpen = (name) => may(name).length > 1;
const isRed = (name) => may(name).every((one) => ["H", "D"].includes(one.slice(-1)));
const face = (name) => may(name).map((one) => one.slice(0, -1) + SUITS[one.slice(-1)]).join("/");
const byRank = (a, b) => order(a.name) - order(b.name);
const order = (name) => { const [own] = may(name); return own === JOKER ? 99 : RANKS.indexOf(own.slice(0, -1)) * 4 + Object.keys(SUITS).indexOf(own.slice(-1)); };

function spoken(name) {
  if (name === JOKER) return say("Joker");
  const words = may(name).map((own) => `${own.slice(0, -1)} ${suitWord(own.slice(-1))}`).reduce((several, one) => say("{several} or {one}", { several, one }));
  return stands(name) ? say("Joker as {card}", { card: words }) : words;
}

// ---- points

function scores(view) {
  const { players, turn: seat, phase } = view.table;
  return el("ul", { class: "race-seats rummy-scores" }, players.map((p) => el("li", { class: p.seat === seat && phase !== "over" ? "now" : "" },
    emblem(p.seat), el("strong", {}, called(view, p.seat)), el("span", { class: "score" }, String(p.final ?? p.total), " ", el("small", {}, p.final === null && p.total < view.table.goal ? brief("", say("of {goal}", { goal: view.table.goal })) : say("points"))),
    el("span", { class: "soft small facts" }, p.final === null && pack(p.cards_held, counted(p.cards_held, "one card", "{n} cards")), (p.final === null ? roundWords(p) : finalWords(p)).filter(Boolean).join(" · ")),
    svg("svg", { class: "to-goal", viewBox: `0 0 ${view.table.goal} 5`, preserveAspectRatio: "none" }, svg("rect", { width: Math.min(view.table.goal, Math.max(0, p.total)), height: 5 })),
    p.hand && p.seat !== view.seat && p.hand.length > 0 && fan(p.hand))));
}

const roundsWon = (p) => p.rounds_won > 0 && counted(p.rounds_won, "one round won", "{n} rounds won");
const roundWords = (p) => [roundsWon(p), p.scored !== null && say("last round {n}", { n: sum(p) })];
/** "+84 = 26 + 58": what each other hand brought, then the bonus. */
const sum = ({ scored, parts }) => (parts?.length > 1 ? `+${scored} = ${parts.join(" + ")}` : `+${scored}`);
const finalWords = (p) => [p.final > p.total && say("{n} and a bonus of {bonus}", { n: p.total, bonus: p.final - p.total }), roundsWon(p)];
