// The scoreboard for a big screen: both seats large, the last ruling with its picture, the open question, the sight.

import { announce, el, part, showPicture } from "./draw.js";
import * as played from "./played.js";
import { putBackShort } from "./put_back.js";
import { callCard, historyLines, inOrder, notJudged, overCard, questionCard, ruled, rulingCard, rulingLine } from "./ruling.js";
import { setUpShort } from "./set_up.js";
import { seatColor } from "./shapes.js";
import { sightStrip } from "./sight.js";
import { follow } from "./stream.js";
import { say } from "./words.js";

const HISTORY_LINES = 20;
const { draw: drawGame, turn } = played;
const strip = sightStrip({ isWall: true });
let before = null;

const LIVE_MS = 2000;
let isSeen = false;

/** The table as it lies now, beside what was ruled; nothing where no camera looks. */
async function look() {
  const place = document.getElementById("live");
  const answer = isSeen && document.visibilityState === "visible" ? await fetch("/live.jpg").catch(() => null) : null;
  place.hidden = !answer?.ok;
  if (answer?.ok) await showPicture(place.querySelector("img"), answer);
  setTimeout(look, LIVE_MS);
}
look();

/** What does not fit gets smaller: nobody scrolls on a wall. */
function fit(table) {
  for (let size = 1; size > 0.4; size -= 0.1) {
    table?.style.setProperty("--fit", size);
    if (!(table?.scrollHeight > table?.clientHeight)) return;
  }
}

let over = null;

/** Who won what this evening and who leads, while no match goes on. */
async function evening(match) {
  if (match === over) return;
  over = match;
  const answer = match && await fetch("/book/evening.json").catch(() => null);
  const told = answer?.ok ? await answer.json() : { plays: [] };
  part("evening", over && told.plays.length > 0 ? told : null, ({ plays, leaders }) => [
    el("h2", {}, say("This evening")),
    el("ul", { class: "lines" }, plays.map((one) => el("li", {}, el("span", {}, el("strong", {}, one.title), " ", one.names.length > 0 ? say("won by {names}", { names: one.names.join(", ") }) : say("Nobody won"))))),
    el("p", { class: "soft" }, leaders.filter((one) => one.wins > 0).map((one) => `${one.name}: ${say("won {n} of {m}", { n: one.wins, m: one.plays })}`).join(" · ")),
    el("p", { class: "soft" }, say("Next: begin the next match or another game on a phone.")),
  ]);
}

follow({
  seat: null,
  onView(view) {
    if (view.game !== document.body.dataset.gameName) return location.reload(); // another game on this table now
    strip.show(view);
    isSeen = ["sees", "moving", "hand"].includes(view.sight.state);
    part("game", { table: view.table, seats: view.seats, question: view.question, done: view.done }, () => drawGame({ ...view, hints: [] }));
    fit(document.querySelector("#game .large-table"));
    part("refused", view.refused, notJudged);
    document.body.dataset.won = view.over ? seatColor(view.over.winners[0] ?? "") ?? "nobody" : "";
    part("over", view.over && { ...view.over, names: view.seats.map((s) => s.name) }, (over) => overCard(over, { seats: view.seats, seat: null }));
    evening(view.over ? view.match : null);
    part("question", view.question, (q) => questionCard(q, {}));
    part("putback", view.put_back, putBackShort);
    part("setup", view.set_up, setUpShort);
    part("calls", view.calls.length > 0 ? view.calls : null, (calls) => calls.map((c) => callCard(c, null)));
    // one thing at a time on the wall: an open question, or what is to be put right, hides the ruling before it
    const isHidden = view.question || [view.put_back, view.set_up].some((card) => card && card.laid !== "yes");
    const told = inOrder(view.last).filter((card) => card.says !== view.over?.says && !turn.isUrgent(card, view.table)); // these stand above
    part("rulings", isHidden || told.length === 0 ? null : told, ([first, ...others]) => [rulingCard(first, null, { isWall: true }), others.map((card) => rulingLine(card))]);
    const isAbove = (line) => line.entry === view.last[0]?.entry && (view.question || !isHidden); // told large there
    const lines = view.history.filter((line) => !isAbove(line)).slice(0, HISTORY_LINES);
    part("history", lines.length > 0 ? lines : null, historyLines);
    const now = { ruling: ruled(view.last) };
    if (before && now.ruling && now.ruling !== before.ruling) announce(view.last[0].says);
    before = now;
  },
  onLink(state) {
    strip.link(state);
    document.body.classList.toggle("stale", state === "lost");
  },
});
