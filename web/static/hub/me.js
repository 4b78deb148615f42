// A player's phone: my table, my standing, my matches; how my table ended, and the call for the referee.

import { say } from "../words.js";
import { tick } from "./clock.js";
import { poll, tellLink } from "./live.js";

const event = document.body.dataset.event;
const place = document.getElementById("me");
let newest = null;
let source = null;
let asked = { of: "", form: null };
const wrong = document.getElementById("wrong");

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child));
  return made;
}

async function send(what, given) {
  const { round, table } = newest.at ?? {};
  const answer = await fetch(`/e/${event}/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ round, table, ...given }),
  }).catch(() => null);
  const told = await answer?.json();
  tellWrong(!answer ? say("The hub was not reached. Try again.") : answer.ok ? "" : told.error.message);
  if (answer?.ok) draw(told);
}

/** Says on the page what was refused, and why. */
function tellWrong(words) {
  wrong.textContent = words;
  wrong.hidden = !words;
  if (words) wrong.scrollIntoView({ block: "nearest" });
}

function ends(at) {
  if (!at.form.choices.length) return typed(at);
  const about = at.form.about && make("p", { class: "small soft" }, at.form.about);
  return make(
    "div",
    { class: "agree" },
    about,
    ...at.form.choices.map((choice) =>
      make(
        "button",
        { class: choice.key === at.answer.end ? "big mine" : "big", "aria-pressed": String(choice.key === at.answer.end), onclick: () => send("claim", { end: choice.key }) },
        choice.says,
      ),
    ),
  );
}

/** What is typed stays when the page is drawn anew: somebody else calls, or says how it ended. */
function typed(at) {
  const of = `${at.round} ${at.table} ${at.seats}`;
  if (asked.of !== of) asked = { of, form: formOf(at) };
  return asked.form;
}

function formOf(at) {
  const form = make("form", { class: "form" });
  for (const { key, says, least } of at.form.numbers) {
    form.append(make("label", { for: key }, says));
    form.append(make("input", { id: key, name: key, inputmode: least < 0 ? "text" : "numeric", required: true, value: at.answer[key] }));
  }
  form.append(make("p", {}, make("button", { class: "primary big" }, say("Send the result"))));
  form.addEventListener("submit", (sent) => {
    sent.preventDefault();
    send("claim", Object.fromEntries(new FormData(form)));
  });
  return form;
}

function myTable(me) {
  const at = me.at;
  const others = at.seats.filter((_, seat) => seat !== at.mine);
  const card = make(
    "section",
    { class: "card my-table" },
    make("p", { class: "eyebrow" }, say("Round {round}", { round: at.round })),
    make(
      "div",
      { class: "head" },
      make("div", {}, make("p", { class: "small soft" }, say("Table")), make("p", { class: "table-number" }, String(at.table))),
      make("div", {}, make("p", { class: "small soft" }, say("You play")), make("p", { class: "against" }, others.join(", ")), at.sits && make("p", { class: "small soft" }, at.sits)),
    ),
    make("p", { class: "why" }, at.why.join(" ")),
    at.box && make("p", { class: "small" }, say("Table {box} has a camera and judges the match.", { box: at.box })),
  );
  if (at.result) {
    card.append(make("h2", {}, say("Result")), make("p", { class: "lead" }, at.result), ...referee(at));
    return card;
  }
  card.append(make("h2", {}, say("How did it end?")), make("p", { class: "small soft" }, say("It counts once everyone at the table says the same.")));
  card.append(ends(at));
  const mine = at.claims.find((claim) => claim.name === me.name);
  const silent = others.filter((name) => !at.claims.some((claim) => claim.name === name));
  if (mine) card.append(make("p", { class: "claimed" }, say("You have said: {words}. You can still change it.", { words: mine.says })));
  if (mine && silent.length) card.append(make("p", {}, say("Now {names} must say the same.", { names: silent.join(", ") })));
  const others_say = at.claims.filter((claim) => claim.name !== me.name);
  for (const claim of others_say) card.append(make("p", {}, say("{name} says: {words}", { name: claim.name, words: claim.says })));
  card.append(...referee(at));
  return card;
}

/** The call for the referee; a result that was entered wrongly is a reason to call too. */
function referee(at) {
  const parts = [];
  if (at.is_called) parts.push(make("p", { class: "differs", role: "alert" }, say("The referee is called and comes to your table.")));
  if (at.called_because) parts.push(make("p", { class: "small" }, at.called_because));
  if (at.own_call) parts.push(make("p", {}, make("button", { onclick: () => send("call_off", { entry: at.own_call }) }, say("Take the call back"))));
  else if (!at.is_called) parts.push(make("p", {}, make("button", { onclick: () => send("call", { words: "" }) }, say("Call the referee"))));
  return parts;
}

/** The check-in for the next round. */
function checkIn(me) {
  if (me.is_here) return make("p", { class: "card claimed" }, say("You are checked in for the next round."));
  return make("section", { class: "card" }, make("p", {}, make("button", { class: "big primary", onclick: () => send("here", {}) }, say("I am here for round {round}", { round: me.round + 1 }))));
}

/** Why I have no table now. */
function noTable(me) {
  const words = me.idle.length ? me.idle.join(" ") : say("You are in. The first round is not paired yet: keep this page open.");
  const round = me.idle.length && make("p", { class: "eyebrow" }, say("Round {round}", { round: me.round }));
  return make("section", { class: "card my-table" }, round, make("p", { class: "lead" }, words));
}

function draw(me) {
  if (newest && me.seq < newest.seq) return;
  const typing = place.contains(document.activeElement) && document.activeElement.tagName === "INPUT" ? document.activeElement : null;
  newest = me;
  const parts = [];
  if (me.clock) parts.push(make("p", { class: "clock", role: "timer", "data-ends": me.clock.ends_at_s, "data-left": me.clock.left_s }));
  if (me.is_here !== null) parts.push(checkIn(me));
  if (me.is_away) parts.push(make("p", { class: "card" }, say("You are withdrawn. To play again, tell the desk.")));
  if (me.is_over) parts.push(make("section", { class: "card my-table" }, make("h2", {}, say("The event is over")), make("p", { class: "lead" }, say("You are at place {place} of {of}.", { place: me.place, of: me.of }))));
  if (me.at) parts.push(myTable(me));
  else if (!me.is_over) parts.push(noTable(me));
  if (me.lines.length) // before that everybody's place is a lot
    parts.push(
      make(
        "section",
        { class: "card" },
        make("h2", {}, say("My standing")),
        make("p", { class: "my-place" }, make("strong", {}, `${me.place}${me.is_shared ? "=" : ""}`), make("span", {}, say("of {of}, points: {points}", { of: me.of, points: me.points }))),
        ...me.corrected.map((words) => make("p", { class: "small corrected" }, words)),
      ),
    );
  if (me.lines.length)
    parts.push(
      make(
        "section",
        { class: "card" },
        make("h2", {}, say("My rounds")),
        make("table", { class: "list" }, make("tbody", {}, ...me.lines.map((line) => make("tr", {}, make("td", {}, line.says), make("td", { class: "num" }, line.points))))),
      ),
    );
  place.replaceChildren(...parts);
  tick();
  if (typing?.isConnected) typing.focus();
}

async function ask() {
  const answer = await fetch(`/e/${event}/me.json`, { cache: "no-store" });
  if (answer.status === 403) return location.assign(`/e/${event}`);
  if (answer.ok) draw(await answer.json());
}

function listen() {
  source?.close();
  source = new EventSource(`/e/${event}/news?me`);
  source.addEventListener("me", (news) => {
    tellLink(true);
    draw(JSON.parse(news.data));
  });
  source.addEventListener("beat", () => tellLink(true));
  source.addEventListener("gone", () => {
    source.close();
    location.assign(`/e/${event}`);
  });
  source.onopen = () => tellLink(true);
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) poll(ask, listen); // as many streams are open as the hub serves
    else tellLink(false);
  };
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") {
    ask();
    listen();
  }
});
ask();
listen();
