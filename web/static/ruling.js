// A ruling and a question as cards: the sentence, the picture with outlines, the margin with its error, the paragraph.

import { matchCard, sendOrSave } from "./card.js";
import { PATIENCE_MS } from "./do.js";
import { brief, el, pictureAt, rest, svg } from "./draw.js";
import { cardFace } from "./pieces.js";
import { headingOf, rule, silentOn } from "./rules.js";
import { emblem, seatColor, shape } from "./shapes.js";
import { formSheet, sheet, zoom } from "./sheets.js";
import { isolated, marginWords, say, seatWord, sentence, timeOfDay, whoWord } from "./words.js";

const NEAR_MM = 10, NEAR_SIGMAS = 6;

/** Whether a ruling was a near thing, so that its numbers are worth seeing at once. */
const isNear = ({ margin_mm, sigma_mm }) => Math.abs(margin_mm) <= Math.max(NEAR_MM, NEAR_SIGMAS * (sigma_mm ?? 0));

/** The rulings of a throw, what matters first: that nothing changes is said last, and in small. */
export const inOrder = (last) => [...last.filter((card) => !card.is_minor), ...last.filter((card) => card.is_minor)];

/** One ruling in full: the card people look at after a throw; `more` is what can be done about it. Where it is plain the
 * numbers are folded away, but on a wall. */
export function rulingCard(card, more = null, { isWall = false } = {}) {
  const isOfNone = !card.piece && card.pieces.length === 0; // its picture is of the whole table: it gives way to the match
  const isPlain = !isWall && card.margin_mm != null && !isNear(card);
  const css = ["card ruling", isOfNone && "of-none", card.is_minor && "minor", card.seat && `of-${seatColor(card.seat) ?? "none"}`];
  const numbers = [margin(card), cite(card)];
  return el("article", { class: css.filter(Boolean).join(" ") },
    heading(card.says, card.seat),
    picture(card.evidence, card.says, { about: isPlain ? null : marginLine(card) }),
    isPlain ? el("details", { class: "numbers", "data-key": "numbers" }, el("summary", {}, marginWords(card.margin_mm, card.sigma_mm).depth), numbers) : numbers, more);
}

/** The other rulings of the same throw, a line each; a tap opens the whole card. */
export function rulingLine(card, more = null) {
  const numbers = card.margin_mm == null ? null : marginWords(card.margin_mm, card.sigma_mm);
  return el("details", { class: card.is_minor ? "card ruling-line minor" : "card ruling-line", "data-key": `ruling ${card.entry} ${card.piece} ${card.says}` },
    el("summary", {}, card.seat && emblem(card.seat), el("span", {}, sentence(card.says),
      numbers && isNear(card) && el("small", {}, `${numbers.depth} ${numbers.error}`, card.by !== null && [" · ", by(card)]))), // people may say otherwise
    picture(card.evidence, card.says, { about: marginLine(card) }), margin(card), cite(card), more);
}

/** What a ruling rests on; where nothing was ruled, no unwritten rule. */
const cite = (card) => el("p", { class: "cite" }, !(card.is_minor && silentOn(headingOf(card.rule))) && rule(card.rule), " ", by(card));

/** What tells the last rulings from those before: an answer or a correction changes their words and not their entry. */
export const ruled = (last) => (last.length > 0 ? JSON.stringify([last[0].entry, last.map((card) => card.says)]) : null);

const LONG_LETTERS = 110;
const heading = (says, seat = null) =>
  el("h2", { class: says.length > LONG_LETTERS ? "long" : "" }, seat && emblem(seat), el("span", {}, sentence(says)));

function by(card) {
  const isSeen = card.by === null; // what was seen has its mark, and no name can bring it
  const who = isSeen ? say("by the camera") : say("by {name}", { name: whoWord(card.by) });
  const words = say("{who} at {time}", { who, time: timeOfDay(card.at_s) });
  return el("span", { class: isSeen ? "soft seen" : "soft" }, brief(isSeen ? timeOfDay(card.at_s) : `${isolated(whoWord(card.by))} · ${timeOfDay(card.at_s)}`, words));
}

/** Whether a card says no more than the open question does. */
export const isAsked = (card, question) => question !== null && card.margin_mm === question.margin_mm && card.says.includes(question.says);

/** The open question: magnified picture, margin, and its answers as big buttons where this seat may answer. */
export function questionCard(question, { seat, onAnswer, isOld = false, hasMoved = false, onCall = null }) {
  const isMine = question.seats.length === 0 || question.seats.includes(seat), answer = isMine ? onAnswer : null;
  const asks = question.said.length > 0 ? agreement(question, seat, answer, onCall) : unanswered(question, answer, isOld);
  return [
    el("p", { class: "eyebrow" }, shape("unknown"), asks.head),
    heading(question.says),
    asks.said,
    picture(question.evidence, question.says, { isLarge: true, about: marginLine(question), answers: question.choices }),
    asks.answers,
    hasMoved && el("p", { class: "soft" }, say("Something has moved since this picture. The camera looks again after the answer.")),
    margin(question),
    el("p", { class: "cite" }, rule(question.rule)),
  ];
}

function unanswered({ choices, seats, margin_mm, is_again }, onAnswer, isOld) {
  const likeliest = likeliestOf(choices);
  const button = (choice, isLikely) => el("button", {
    class: isLikely ? "big answer primary" : "big answer", "data-key": `answer ${choice.key}`, "aria-disabled": isOld && "true",
    onclick: (e) => onAnswer(choice, e.currentTarget),
  }, el("span", {}, sentence(choice.says), isLikely && el("small", { class: "likely" }, say("probably"))));
  const whose = seats.map(seatWord).join(", ");
  return {
    head: margin_mm != null ? say("Too close to call") : say("The table asks"),
    said: is_again && el("p", { class: "again", role: "status" }, say("Looked again: it still shows this.")),
    answers: onAnswer ? el("div", { class: `answers ${answersCss(choices)}` }, choices.map((choice) => button(choice, choice.key === likeliest)))
      : el("p", { class: "soft" }, whose ? say("{seat} answers this.", { seat: whose }) : say("The players answer this on their phones.")),
  };
}

/** A close call of which some have spoken: who said what, and the others agree, say otherwise, or call the referee. */
function agreement({ choices, said }, seat, onAnswer, onCall) {
  const mine = said.find((one) => one.seat === seat), told = said[0].choice;
  const isSplit = new Set(said.map((one) => one.choice)).size > 1;
  const button = (choice, isTold, answer = sentence(choice.says)) => el("button", {
    class: isTold ? "big answer primary" : "big answer", "data-key": `answer ${choice.key}`, onclick: (e) => onAnswer(choice, e.currentTarget),
  }, el("span", {}, isTold ? say("Agree: “{answer}”", { answer }) : mine ? say("Change to “{answer}”", { answer }) : answer));
  return {
    head: isSplit ? say("You do not agree") : mine ? say("Waiting for the other side") : say("Do you agree?"),
    said: saidList(said, (key) => sentence(choices.find((c) => c.key === key)?.says ?? key)),
    answers: onAnswer && el("div", { class: "answers pair of-said" },
      choices.filter((c) => c.key !== mine?.choice).map((choice) => button(choice, choice.key === told && !mine)),
      onCall && el("button", { class: "big answer", "data-key": "answer by referee", onclick: (e) => onCall(e.currentTarget) }, say("Call the referee"))),
  };
}

const saidList = (said, wordsOf) => el("ul", { class: "said" }, said.map((one) => el("li", {}, emblem(one.seat),
  el("span", {}, say("{name} says: {words}", { name: isolated(one.name), words: wordsOf(one.choice) })))));

/** The answer that is likelier than all others together, where that is told. */
function likeliestOf(choices) {
  const told = choices.filter((c) => c.likely != null).sort((a, b) => b.likely - a.likely);
  return told.length > 0 && told[0].likely > Math.max(told[1]?.likely ?? 0, 0.5) ? told[0].key : null;
}

const REASONS = () => [say("We all agree"), say("Somebody moved a piece by mistake"), say("The camera saw it wrongly")];

/** Why an answer is given that goes against the rules or the record; `onSend(reason, button)`. */
export function reasonSheet(choice, onSend) {
  return formSheet(sentence(choice.says), (form, button) => onSend(reasonOf(form), button), [
    reasonFields(REASONS()), el("p", { class: "soft" }, say("Your name and the reason stay in the history.")),
    el("div", { class: "answers" }, el("button", { class: "big primary" }, say("Confirm"))),
  ]);
}

/** Reasons to tap, the likeliest chosen already, and a field for another. */
export function reasonFields(reasons) {
  return [el("fieldset", {}, el("legend", {}, say("Reason")), el("div", { class: "values" }, reasons.map((words, i) => el("label", { class: "pill" },
    el("input", { type: "radio", name: "why", value: words, checked: i === 0 }), el("span", {}, words))))),
    el("label", { for: "other-reason" }, say("Another reason")), el("input", { id: "other-reason", name: "other", maxlength: 200, autocomplete: "off" })];
}

/** The reason that was typed, else the one that was tapped. */
export function reasonOf(form) {
  const given = new FormData(form);
  return given.get("other").trim() || given.get("why");
}

const SHORT_LETTERS = 40;
const PAIR = 2, FEW = 3, WORD_LETTERS = 10;

/** Two short answers stand beside each other; many in columns, for the thumb's place would cover the question. */
function answersCss(choices) {
  const longest = Math.max(...choices.map((c) => c.says.length));
  if (choices.length > FEW) return longest <= WORD_LETTERS ? "many of-words" : "many";
  return choices.length === PAIR && longest <= SHORT_LETTERS ? "pair" : "";
}

/** A kept picture with its outlines; a tap shows it over the whole screen. Beside it stands what it is `about`; without a
 * picture that stands alone. Places that the words or `answers` name bear their names. */
export function picture(evidence, words, { isLarge = false, isWhole = false, about = null, answers = [] } = {}) {
  if (!evidence) return about;
  const spoken = [words, ...answers.map((choice) => choice.says)].join(" ").split(/[^\p{L}\d.]+/u);
  const crop = framed(evidence, words, { isNear: !isWhole, spoken });
  const onclick = () => zoom(framed(evidence, words, { isZoomed: true, spoken }), legend(evidence), middle(evidence));
  const button = el("button", { class: "crop-button", "data-key": `zoom ${evidence.sha256}`, "aria-label": say("Magnify the picture"), onclick }, crop);
  const caption = el("figcaption", {}, about, legend(evidence), el("span", { class: "magnify", "aria-hidden": "true", onclick }, shape("magnify")));
  const figure = el("figure", { class: isLarge ? "evidence large" : "evidence" }, button, caption);
  figure.style.setProperty("--ratio", evidence.width_px / evidence.height_px);
  crop.querySelector("img").addEventListener("error", async ({ target: img }) => {
    // a network that takes a question and never answers must not keep the picture away for good
    const isGone = await fetch(img.src, { signal: AbortSignal.timeout?.(PATIENCE_MS) }).then((answer) => answer.status === 404, () => false);
    if (isGone) figure.replaceChildren(el("p", { class: "soft" }, say("The picture is no longer kept.")), ...(about ? [about] : []));
    else setTimeout(() => { if (figure.isConnected) img.src = img.src; }, RETRY_MS); // the network was away, as for a phone that slept
  });
  return figure;
}

const RETRY_MS = 2000;

/** Where to look: the middle of the outlined pieces, as parts of width and height. */
function middle({ outlines, width_px: w, height_px: h }) {
  const points = (outlines.find((o) => o.role === "overlap") ?? outlines.find((o) => o.role === "piece"))?.points_px ?? [[w / 2, h / 2]];
  const mean = (i) => points.reduce((sum, p) => sum + p[i], 0) / points.length;
  return [mean(0) / w, mean(1) / h];
}

function framed(evidence, words, { isZoomed = false, isNear = false, spoken }) {
  const { width_px: w, height_px: h } = evidence;
  const face = [
    el("img", { src: pictureAt(evidence.sha256), alt: say("The table from above: {words}", { words }), width: w, height: h }),
    svg("svg", { viewBox: `0 0 ${w} ${h}`, preserveAspectRatio: "none" }, evidence.outlines.map((outline) => drawn(outline, isZoomed)), evidence.outlines.filter((o) => spoken.includes(o.name)).map((o) => nameOf(o, w))),
  ];
  const box = el("span", { class: "crop" }, face);
  box.style.aspectRatio = `${w} / ${h}`;
  const view = (isNear && nearer(evidence)) || { x: 0, y: 0, size: 1 };
  const part = (of) => `${(100 * of) / view.size}%`;
  for (const layer of face) Object.assign(layer.style, { inset: "auto", width: part(1), height: part(1), left: part(-view.x), top: part(-view.y) });
  return box;
}

const LEAST_NEARER = 1.25;
const AROUND = 0.06; // of the picture, to each side of what is outlined

/** Which part of a picture of the whole table, with all territories, is shown, so that what is outlined fills the frame;
 * magnified it is whole again. A picture of one piece shows what is around it as it is: null. */
function nearer({ outlines, width_px: w, height_px: h }) {
  if (outlines.filter((o) => o.role === "territory").length < 2) return null;
  const points = outlines.flatMap((o) => o.points_px);
  const [xs, ys] = [points.map((p) => p[0] / w), points.map((p) => p[1] / h)];
  const size = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) + 2 * AROUND;
  if (size * LEAST_NEARER > 1) return null;
  const from = (parts) => Math.min(1 - size, Math.max(0, (Math.min(...parts) + Math.max(...parts) - size) / 2));
  return { x: from(xs), y: from(ys), size };
}

function drawn(outline, isZoomed) {
  const points = outline.points_px.map(([x, y]) => `${x},${y}`).join(" ");
  return svg("g", { class: `outline role-${outline.role}` },
    svg("polygon", { class: "halo", points }), svg("polygon", { class: "pen", points }),
    isZoomed && svg("title", {}, outline.label));
}

const LETTER_SHARE = 0.06; // of the picture's width

/** The name of a place above its ring, or below it at the upper edge. */
function nameOf({ name, points_px: points }, w) {
  const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
  const top = Math.min(...ys), size = LETTER_SHARE * w, isBelow = top < 1.3 * size;
  return svg("text", { class: "place-name", "font-size": size, x: (Math.min(...xs) + Math.max(...xs)) / 2, "text-anchor": "middle",
    y: isBelow ? Math.max(...ys) : top, dy: isBelow ? "1em" : "-.3em" }, name);
}

const LEGEND_LINES = 4;
const KINDS = { territory: () => say("territory"), "empire die": () => say("empire die"), samurai: () => say("samurai"), "black ninja": () => say("ninja"), token: () => say("piece"), "perhaps token": () => say("perhaps a piece"), die: () => say("die"), rod: () => say("piece|rod"), color_die: () => say("die"), "the place in question": () => say("the place in question"), JOKER: () => say("Joker"), JK: () => say("Joker"), "?": () => say("a card that cannot be read") };
const CARD = /^(10|[2-9AJQK])([CDHS])(?: \d+)?$/;

/** What an outline is of: its color and kind in the page's language. */
function outlined(label) {
  if (CARD.test(label)) return cardFace(label.split(" ")[0]);
  const [color, ...words] = label.split(" ");
  const kind = KINDS[words.join(" ")];
  return KINDS[label]?.() ?? (kind ? say("{color} {kind}", { color: say(color), kind: kind() }) : label);
}

const ALL_OF = { token: () => say("pieces"), die: () => say("dice"), color_die: () => say("die"), rod: () => say("pieces|rod") };

/** Many pieces in a word or two: what they are where the game has a word for it. */
function together(outlines) {
  if (outlines.some(({ label }) => CARD.test(label))) return say("cards");
  const kinds = new Set(outlines.map(({ label }) => ALL_OF[label] ?? ALL_OF[label.split(" ").slice(1).join(" ")]));
  return kinds.size > 2 || kinds.has(undefined) ? say("pieces") : [...kinds].map((words) => words()).join(", ");
}

/** What the outlines are: by name, or where there are many by role. */
function legend(evidence) {
  const byRole = { piece: together(evidence.outlines.filter((o) => o.role === "piece")), territory: say("territories"), overlap: say("overlaps"), beside: say("other pieces nearby"), foot: say("foot of the piece"), place: say("the place in question") };
  const told = evidence.outlines.filter((o) => o.role !== "beside" || evidence.outlines.length > LEGEND_LINES);
  const isLong = new Set(told.map((o) => `${o.role} ${o.label}`)).size > LEGEND_LINES;
  const named = (role) => [...new Set(told.filter((o) => o.role === role).map((o) => outlined(o.label)))].join(", ");
  const roles = [...new Set(told.map((o) => o.role))];
  return el("ul", { class: "legend" }, roles.map((role) => [role, isLong || role === "foot" || role === "beside" ? byRole[role] ?? role : named(role)]).map(([role, label]) =>
    el("li", {}, svg("svg", { viewBox: "0 0 28 10", class: `outline role-${role}` }, svg("line", { class: "halo", x1: 2, y1: 5, x2: 26, y2: 5 }),
      svg("line", { class: "pen", x1: 2, y1: 5, x2: 26, y2: 5 })), label)));
}

/** The margin with its error in words: beside the picture it is in sight on a short screen too. */
function marginLine({ margin_mm, sigma_mm }) {
  if (margin_mm === null || margin_mm === undefined) return null;
  const numbers = marginWords(margin_mm, sigma_mm);
  return el("p", { class: "margin-words" }, el("strong", {}, numbers.depth), " ", el("span", { class: "error" }, numbers.error));
}

/** The margin as a line: the edge, where the piece ends, and three standard errors to both sides. */
function margin({ margin_mm, sigma_mm }) {
  if (margin_mm === null || margin_mm === undefined) return null;
  const reach = 3 * (sigma_mm ?? 0);
  const span = Math.max(Math.abs(margin_mm) + reach, 2 * reach, 0.5) * 1.2;
  const x = (mm) => 160 + (mm / span) * 150;
  return el("div", { class: "margin" },
    svg("svg", { class: "gauge", viewBox: "0 0 320 47", preserveAspectRatio: "xMinYMid" },
      svg("rect", { class: "in", x: 160, y: 8, width: 160, height: 18 }), svg("rect", { class: "out", x: 0, y: 8, width: 160, height: 18 }),
      svg("line", { class: "edge", x1: 160, y1: 2, x2: 160, y2: 32 }),
      svg("rect", { class: "reach", x: x(margin_mm - reach), y: 13, width: Math.max(2, x(margin_mm + reach) - x(margin_mm - reach)), height: 8, rx: 4 }),
      svg("circle", { class: "point", cx: x(margin_mm), cy: 17, r: 6 }),
      svg("text", { x: 4, y: 42 }, say("outside")), svg("text", { x: 160, y: 42, "text-anchor": "middle" }, say("edge")),
      svg("text", { x: 316, y: 42, "text-anchor": "end" }, say("inside"))),
    el("p", { class: "unseen" }, say("The bar shows three standard errors.")));
}

/** Why the throw that was ended last was not judged. */
export const notJudged = (words) => [shape("unknown"), el("p", {}, sentence(words))];

export const called = (call) => sentence(call.about ? say("{name} objects", { name: whoWord(call.by) }) : say("{name} called the referee", { name: whoWord(call.by) }));

const SETTLES = { take_back: () => say("Take it back"), stand: () => say("Leave it") };

/** Who objects has said so: only where nobody else is asked does this phone undo what it is about. */
const OWN_SETTLES = ({ others }) => (others ? {} : { take_back: () => say("Undo") });

/** Calls for the referee that nobody has come to yet; where there is none, players settle an objection by `onSettle`; `onOff` for who made the call.
 * An objection that the match has gone past is a line, which a tap opens. */
export function callCard(call, onCame, onOff = null, onSettle = null) {
  const isObjection = onSettle && call.about, mine = isObjection && call.said.find((one) => one.seat === onSettle.seat);
  const about = call.about && el("span", {}, say("About: {words}", { words: call.about }));
  const words = [call.words && ` ${say("“{words}”", { words: call.words })}`, el("span", { class: "soft" }, " ", timeOfDay(call.at_s))];
  const card = [
    isObjection && call.said.length > 0 && saidList(call.said, (choice) => SETTLES[choice]()),
    isObjection && el("p", {}, call.is_past ? say("Not settled: it stands as entered.") : call.said.some((one) => one.choice !== (mine ?? call.said[0]).choice) ? say("You do not agree: until you do, it stands as entered.") : mine || (onOff && onSettle.others) ? say("Waiting for {names}.", { names: onSettle.others }) : !onOff && say("What do you say?")),
    isObjection && !call.is_past && el("div", { class: "answers" }, Object.entries(onOff ? OWN_SETTLES(onSettle) : SETTLES).filter(([choice]) => choice !== mine?.choice).map(([choice, words]) => el("button", { class: "big", "data-key": `${choice} ${call.entry}`, onclick: (e) => onSettle.tap(call, choice, e.currentTarget) }, call.said.some((one) => one.choice === choice) ? say("Agree: “{answer}”", { answer: words() }) : words())),
      onSettle.correct && el("button", { class: "big", "data-key": `correct ${call.entry}`, onclick: onSettle.correct }, say("Correct it"))),
    onCame && !isObjection && el("button", { "data-key": `came ${call.entry}`, onclick: (e) => onCame(call, e.currentTarget) }, onSettle ? say("Done") : say("The referee has come")),
    onOff && el("button", { "data-key": `off ${call.entry}`, onclick: (e) => onOff(call, e.currentTarget) }, shape("undo"), isObjection ? say("Withdraw the objection") : say("Take the call back")),
  ];
  if (call.is_past) return el("details", { class: "card ruling-line", "data-key": `call ${call.entry}` }, el("summary", {}, shape("flag"), el("span", {}, called(call), el("small", {}, about))), el("p", {}, words), card);
  return el("div", { class: "card call" }, shape("flag"), el("p", {}, el("strong", {}, called(call)), about && [el("br"), about], words), card);
}

/** How the match ended, in the winner's colour, and what it was like. */
export function overCard(over, { seats, seat, title = null }) {
  const winners = over.winners;
  const called = (one) => seats.find((s) => s.seat === one)?.name ?? seatWord(one);
  const isMine = winners.includes(seat);
  const isAlone = winners.length === 0 && Object.keys(over.points).length === 1; // nobody plays against a sculpture
  const head = isAlone ? sentence(over.says) : winners.length === 0 ? say("Nobody won") : isMine ? say("You won") : winners.length > 1 ? say("{names} won together", { names: new Intl.ListFormat(document.documentElement.lang).format(winners.map(called)) }) : say("{name} won", { name: isolated(called(winners[0])) });
  const why = isAlone || (winners.length === 1 && over.says === say("{winners} wins", { winners: called(winners[0]) })) ? [] : [sentence(over.says)];
  const stood = Object.entries(over.standing).map(([one, words]) => `${called(one)}: ${words}`);
  const told = { title, head: winners.length === 0 ? head : say("{name} won", { name: winners.map(called).join(" + ") }), standing: isAlone ? [] : [...why, ...stood],
    closest: over.closest, picture: over.evidence && pictureAt(over.evidence.sha256), color: seatColor(winners[0] ?? "") };
  return [
    el("p", { class: "eyebrow" }, say("The match is over")),
    el("p", { class: "won" }, winners.map((one) => emblem(one)), el("strong", {}, head)),
    why.map((words) => el("h2", {}, el("span", {}, words))),
    !isAlone && stoodList(over.standing, called),
    over.evidence && el("div", { class: "turning" }, el("p", { class: "soft small" }, say("The closest call")), over.closest && el("p", {}, el("strong", {}, sentence(over.closest))), picture(over.evidence, over.closest ?? over.says)),
    over.facts?.length > 0 && el("ul", { class: "facts-of" }, over.facts.map((words) => el("li", {}, sentence(words)))),
    el("p", { class: "cite" }, rule(over.rule)),
    title && [
      cardButton(told),
      el("p", { class: "cite" }, saved("match.html", say("Save a replay")), saved("match.pdf", say("Save as PDF"))),
    ],
  ];
}

const stoodList = (standing, called) => el("ul", { class: "stood" }, Object.entries(standing).map(([one, words]) =>
  el("li", {}, emblem(one), el("strong", {}, called(one)), el("span", {}, sentence(words)))));

/** How a match stood that was ended early: nobody has won, and the next one has begun. */
export function endedSheet({ seats, standing, title }) {
  const called = (one) => seats.find((s) => s.seat === one)?.name ?? seatWord(one);
  const told = { title, head: say("Ended early"), standing: Object.entries(standing).map(([one, words]) => `${called(one)}: ${words}`) };
  return sheet(say("The match was ended early"), (close) => [
    stoodList(standing, called),
    el("p", { class: "soft" }, say("Set all pieces up: the next match has begun.")),
    el("div", { class: "answers" }, el("button", { class: "big primary", onclick: close }, say("Start again")), cardButton(told)),
  ]);
}

const cardButton = (told) => el("button", { class: "big", "data-key": "send card", onclick: async ({ currentTarget: button }) => {
  rest(button, true);
  const card = await matchCard({ ...told, day: new Date().toLocaleDateString(document.documentElement.lang, { dateStyle: "long" }) });
  if (await sendOrSave(card)) button.textContent = say("Saved: see your downloads");
  rest(button, false);
} }, say("Send a card"));

const saved = (file, words) => el("a", { href: `/${file}`, download: file, class: "link-button button", target: "_blank" }, words);

/** The log in words, newest first; what was taken back stays and is struck through. */
export function historyLines(lines) {
  return el("ol", { class: "lines" }, lines.map((line) =>
    el("li", { class: line.is_retracted ? "retracted" : "" },
      el("span", { class: "soft" }, `${line.entry} · ${timeOfDay(line.at_s)} · ${isolated(whoWord(line.by))}`),
      line.is_retracted ? [el("del", {}, sentence(line.says)), el("em", {}, say("taken back"))] : el("span", {}, sentence(line.says)))));
}
