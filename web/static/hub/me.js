// A player's phone: my table, my standing, my matches; how my table ended, and the call for the referee.

import { post } from "../do.js";
import { el } from "../draw.js";
import { say } from "../words.js";
import { tick } from "./clock.js";
import { hear } from "./live.js";

const event = document.body.dataset.event;
const place = document.getElementById("me");
let newest = null;
let asked = { of: "", form: null };
const wrong = document.getElementById("wrong");

async function send(what, given) {
  const { round, table } = newest.at ?? {};
  try {
    draw(await post(`/e/${event}/${what}`, { round, table, ...given }, say("The hub was not reached. Try again.")));
    tellWrong("");
  } catch (refused) {
    tellWrong(refused.message);
  }
}

function tellWrong(words) {
  wrong.textContent = words;
  wrong.hidden = !words;
  if (words) wrong.scrollIntoView({ block: "nearest" });
}

function ends(at) {
  if (!at.form.choices.length) return typed(at);
  const button = ({ key, says }, isMine) => el("button", {
    class: isMine ? "big mine" : "big", "aria-pressed": String(isMine), onclick: () => send("claim", { end: key }),
  }, says);
  return el("div", { class: "agree" }, at.form.about && el("p", { class: "small soft" }, at.form.about),
    at.form.choices.map((choice) => button(choice, choice.key === at.answer.end)));
}

/** What is typed stays when the page is drawn anew: somebody else calls, or says how it ended. */
function typed(at) {
  const of = `${at.round} ${at.table} ${at.seats}`;
  if (asked.of !== of) asked = { of, form: formOf(at) };
  return asked.form;
}

function formOf(at) {
  const onsubmit = (sent) => {
    sent.preventDefault();
    send("claim", Object.fromEntries(new FormData(sent.target)));
  };
  const field = ({ key, says, least }) => [el("label", { for: key }, says),
    el("input", { id: key, name: key, inputmode: least < 0 ? "text" : "numeric", required: true, value: at.answer[key] })];
  return el("form", { class: "form", onsubmit }, at.form.numbers.map(field), el("p", {}, el("button", { class: "primary big" }, say("Send the result"))));
}

function myTable(me) {
  const at = me.at;
  const others = at.seats.filter((_, seat) => seat !== at.mine);
  return el("section", { class: "card my-table" },
    el("p", { class: "eyebrow" }, say("Round {round}", { round: at.round })),
    el("div", { class: "head" },
      el("div", {}, small(say("Table")), el("p", { class: "table-number" }, String(at.table))),
      el("div", {}, small(say("You play")), el("p", { class: "against" }, others.join(", ")), at.sits && small(at.sits))),
    el("p", { class: "why" }, at.why.join(" ")),
    at.box && el("p", { class: "small" }, say("Table {box} has a camera and judges the match.", { box: at.box })),
    at.result ? [el("h2", {}, say("Result")), el("p", { class: "lead" }, at.result)] : asks(at, me.name, others),
    referee(at));
}

const small = (words) => el("p", { class: "small soft" }, words);

/** How the table ended, as each has said it. */
function asks(at, me, others) {
  const mine = at.claims.find((claim) => claim.name === me);
  const silent = others.filter((name) => !at.claims.some((claim) => claim.name === name));
  return [
    el("h2", {}, say("How did it end?")), small(say("It counts once everyone at the table says the same.")),
    ends(at),
    mine && el("p", { class: "claimed" }, say("You have said: {words}. You can still change it.", { words: mine.says })),
    mine && silent.length > 0 && el("p", {}, say("Now {names} must say the same.", { names: silent.join(", ") })),
    at.claims.filter((claim) => claim !== mine).map((claim) => el("p", {}, say("{name} says: {words}", { name: claim.name, words: claim.says }))),
  ];
}

/** The call for the referee; a result that was entered wrongly is a reason to call too. */
function referee(at) {
  const button = (what, given, words) => el("p", {}, el("button", { onclick: () => send(what, given) }, words));
  return [
    at.is_called && el("p", { class: "differs", role: "alert" }, say("The referee is called and comes to your table.")),
    at.called_because && el("p", { class: "small" }, at.called_because),
    at.own_call ? button("call_off", { entry: at.own_call }, say("Take the call back"))
      : !at.is_called && button("call", { words: "" }, say("Call the referee")),
  ];
}

function checkIn(me) {
  if (me.is_here) return el("p", { class: "card claimed" }, say("You are checked in for the next round."));
  return el("section", { class: "card" }, el("p", {}, el("button", { class: "big primary", onclick: () => send("here", {}) }, say("I am here for round {round}", { round: me.round + 1 }))));
}

function noTable(me) {
  const isIdle = me.idle.length > 0;
  return el("section", { class: "card my-table" }, isIdle && el("p", { class: "eyebrow" }, say("Round {round}", { round: me.round })),
    el("p", { class: "lead" }, isIdle ? me.idle.join(" ") : say("You are in. The first round is not paired yet: keep this page open.")));
}

/** My place and my rounds; before the first everybody's place is a lot. */
const mySums = (me) => me.lines.length > 0 && [
  el("section", { class: "card" }, el("h2", {}, say("My standing")),
    el("p", { class: "my-place" }, el("strong", {}, `${me.place}${me.is_shared ? "=" : ""}`),
      el("span", {}, say("of {of}, points: {points}", { of: me.of, points: me.points }))),
    me.corrected.map((words) => el("p", { class: "small corrected" }, words))),
  el("section", { class: "card" }, el("h2", {}, say("My rounds")),
    el("table", { class: "list" }, el("tbody", {}, me.lines.map((line) => el("tr", {}, el("td", {}, line.says), el("td", { class: "num" }, line.points)))))),
];

function draw(me) {
  if (newest && me.seq < newest.seq) return;
  const typing = place.contains(document.activeElement) && document.activeElement.tagName === "INPUT" ? document.activeElement : null;
  newest = me;
  const drawn = el("div", {},
    me.clock && el("p", { class: "clock", role: "timer", "data-ends": me.clock.ends_at_s, "data-left": me.clock.left_s }),
    me.is_here !== null && checkIn(me),
    me.is_away && el("p", { class: "card" }, say("You are withdrawn. To play again, tell the desk.")),
    me.is_over && el("section", { class: "card my-table" }, el("h2", {}, say("The event is over")),
      el("p", { class: "lead" }, say("You are at place {place} of {of}.", { place: me.place, of: me.of }))),
    me.at ? myTable(me) : !me.is_over && noTable(me),
    mySums(me));
  place.replaceChildren(...drawn.children);
  tick();
  if (typing?.isConnected) typing.focus();
}

async function ask() {
  const answer = await fetch(`/e/${event}/me.json`, { cache: "no-store" });
  if (answer.status === 403) return location.assign(`/e/${event}`);
  if (answer.ok) draw(await answer.json());
}

const stop = hear(`/e/${event}/news?me`, {
  me: (told) => draw(JSON.parse(told)),
  gone: () => {
    stop();
    location.assign(`/e/${event}`);
  },
}, ask);
ask();
