// Undo: what it takes back, and where the pieces go by hand: a numbered list that the camera ticks off, a drawing from one's
// own side, the picture before.

import { el, svg } from "./draw.js";
import { firstOf, headOf, told, toPutBack } from "./laid.js";
import { at, boxOfPieces, viewOf, whole } from "./pieces.js";
import { picture } from "./ruling.js";
import { seatColor, shape } from "./shapes.js";
import { sheet } from "./sheets.js";
import { say, sentence } from "./words.js";

/** What undo takes back, the pieces to put back, and only then the button that does it. */
export function undoSheet(undo, onUndo) {
  const dialog = sheet(say("Take this back?"), (close) => [
    el("p", { class: "lead" }, sentence(undo.says)),
    undo.put_back.length > 0 && [
      el("h3", {}, say("Then put back by hand")),
      el("ol", { class: "pieces" }, undo.put_back.map((thing) => el("li", {}, sentence(thing)))),
    ],
    el("p", { class: "soft" }, say("It stays in the history, struck through.")),
    el("div", { class: "answers" },
      el("button", { class: "big danger", onclick: async (e) => (await onUndo(e.currentTarget)) && close() }, shape("undo"), say("Take it back")),
      el("button", { class: "big", onclick: close }, say("Leave it"))),
  ]);
  dialog.dataset.entry = undo.entry;
  return dialog;
}

/** What is to be put back by hand now, on every phone until it is done or a throw is judged. A game may bring its own
 * `drawing` of it. */
export function putBackCard(putBack, seat, drawing = null) {
  const isDrawn = putBack.things.some(({ lies, lay }) => lies || lay);
  return [head(putBack), putBack.laid !== "yes" && [
    isDrawn && (drawing ?? laid(putBack, seat)),
    el("ol", { class: "ticks" }, putBack.things.map((thing, i) =>
      el("li", {}, toPutBack(thing, { number: isDrawn ? i + 1 : null, key: `${putBack.undone} ${i}` })))),
    putBack.others.length > 0 && [
      el("h3", {}, say("Has moved")),
      el("ul", { class: "ticks" }, putBack.others.map((words) => el("li", {}, elsewhere(words)))),
    ],
    putBack.evidence && el("details", { "data-key": "before" }, el("summary", {}, say("The table as it was before")), picture(putBack.evidence, say("as it was before"), { isWhole: true })),
  ]];
}

/** The card's head on the scoreboard, with what is not yet seen back. */
export function putBackShort(putBack) {
  const left = putBack.things.filter((thing) => thing.laid !== "yes").map((thing) => toPutBack(thing));
  return [head(putBack), firstOf([...left, ...putBack.others.map(elsewhere)])];
}

function head({ laid, says, is_mistake: isMistake }) {
  if (laid === "yes") return headOf("yes", says);
  return [headOf("undo", isMistake ? say("Now put it right:") : say("Now put back:")), says && el("p", { class: "how-far" }, sentence(says))];
}

const elsewhere = (words) => told("wrong", words);

/** What is said aloud when the camera sees more of it back, or less. */
export function putBackWords(putBack) {
  if (!putBack?.says) return null;
  const missing = [...putBack.things.filter((thing) => thing.laid === "no").map((thing) => thing.says), ...putBack.others];
  const head = sentence(putBack.says);
  return missing.length > 0 ? `${head}. ${say("Not yet: {words}", { words: missing.join(". ") })}` : head;
}

// ---- the drawing, in mm of the table turned by quarters so that one's own territory lies nearest

const SHOWN_PX = { across: 350, down: 400 };
const AROUND_PX = 30, BADGE_PX = 12, GAP_PX = 3;

function laid({ things: all_told, stays: around }, seat) {
  const turned = turner([...around, ...all_told.map(({ lies, lay }) => lay ?? lies)], seat);
  const stays = around.map(turned);
  // from where the camera sees it now: somebody may have moved it since the throw
  const shown = all_told.map(({ lies, lay, seen, laid }) => ({ left: lies && turned(lies), lies: lies && turned(seen ?? lies), lay: lay && turned(lay), isBack: laid === "yes" }));
  const all = [...stays.filter(isLand), ...shown.flatMap(({ left, lies, lay }) => [left, lies, lay])].filter(Boolean); // ticks do not move it
  const things = shown.map(({ lies, lay, isBack }) => (isBack ? { lay, isBack } : { lies, lay, isBack }));
  const box = boxOfPieces(all);
  const px = Math.max(box.width / SHOWN_PX.across, box.height / SHOWN_PX.down); // mm of one
  const faint = (name, pieces) => svg("g", { class: name }, pieces.map(whole));
  const moved = things.filter(({ lies, lay }) => lies && lay && apart(lies, lay) > 1).map(({ lies }) => lies);
  const goals = things.map(({ lies, lay }) => lay ?? lies).filter(Boolean);
  const badges = placed(things, px);
  return el("figure", { class: "laid" },
    svg("svg", { viewBox: viewOf(box, AROUND_PX * px), role: "img", "aria-label": say("The table from above") },
      // the territories lie under everything, wherever they are to be put
      faint("stays", stays.filter(isLand)), faint("lies", moved.filter(isLand)), goals.filter(isLand).map(whole),
      faint("stays", stays.filter((p) => !isLand(p))), faint("lies", moved.filter((p) => !isLand(p))),
      things.map(({ lies, lay }) => lies && !lay && cross(lies, px)),
      goals.filter((p) => !isLand(p)).map(whole),
      things.map(({ lay, isBack }) => lay && !isBack && ring(lay, px)),
      things.map(({ lies, lay }) => lies && lay && arrow(lies, lay, px)),
      badges.map((at, i) => at && svg("g", { class: things[i].isBack ? "badge back" : "badge", transform: `translate(${at[0]} ${at[1]})` },
        svg("circle", { r: BADGE_PX * px, "stroke-width": 2 * px }), svg("text", { "font-size": 15 * px }, things[i].isBack ? "\u2713" : String(i + 1))))),
    el("figcaption", { class: "soft small" }, say("Seen from your seat: your own territory is the nearest.")));
}

const isLand = (piece) => piece.kind === "territory";

/** Turns places by quarters: from the other territory to one's own is downward. */
function turner(pieces, seat) {
  const lands = pieces.filter((p) => p?.kind === "territory");
  const mine = lands.find((p) => p.color === seatColor(seat)), other = lands.find((p) => p !== mine);
  const deg = mine && other ? (Math.atan2(mine.y_mm - other.y_mm, mine.x_mm - other.x_mm) * 180) / Math.PI : 90;
  const quarters = ((1 - Math.round(deg / 90)) % 4 + 4) % 4;
  const [c, s] = [[1, 0], [0, 1], [-1, 0], [0, -1]][quarters];
  return (p) => ({ ...p, x_mm: c * p.x_mm - s * p.y_mm, y_mm: s * p.x_mm + c * p.y_mm, angle_deg: p.angle_deg + 90 * quarters });
}

const apart = (a, b) => Math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm);

const ring = (piece, px) => svg("circle", { class: "place", transform: at(piece), r: reach(piece) + 3 * px, "stroke-width": 2.5 * px, "stroke-dasharray": `${5 * px} ${4 * px}` });
const reach = (piece) => (piece.size_mm / 2) * (piece.kind === "samurai" || piece.kind === "territory" ? 1 : 1.35);

/** Behind a piece that does not belong on the table. */
function cross(piece, px) {
  const r = piece.size_mm / 2 + 7 * px;
  const d = `M ${-r} ${-r} L ${r} ${r} M ${r} ${-r} L ${-r} ${r}`;
  return svg("g", { transform: at(piece) }, svg("path", { class: "halo", d, "stroke-width": 6.5 * px }), svg("path", { class: "way", d, "stroke-width": 3.5 * px }));
}

function arrow(from, to, px) {
  const far = apart(from, to);
  const [u, v] = [(to.x_mm - from.x_mm) / far, (to.y_mm - from.y_mm) / far];
  const length = far - reach(to) - 4 * px;
  if (length < 6 * px) return null; // it hardly moved: the ring says where
  const head = Math.min(11 * px, length);
  const [tx, ty] = [from.x_mm + u * length, from.y_mm + v * length];
  const d = `M ${from.x_mm} ${from.y_mm} L ${tx - u * head} ${ty - v * head}`;
  const tip = `${tx},${ty} ${tx - u * head - v * head * 0.6},${ty - v * head + u * head * 0.6} ${tx - u * head + v * head * 0.6},${ty - v * head - u * head * 0.6}`;
  return svg("g", {}, svg("path", { class: "halo", d, "stroke-width": 6.5 * px }), svg("path", { class: "way", d, "stroke-width": 3.5 * px }),
    svg("polygon", { class: "tip", points: tip, "stroke-width": 1.5 * px }));
}

/** Where the numbers stand: beside their pieces, clear of each other and of the other pieces as well as that goes. */
function placed(things, px) {
  const anchors = things.map(({ lies, lay }) => lay ?? lies);
  const taken = [];
  const others = anchors.filter(Boolean);
  return anchors.map((piece) => {
    if (!piece) return null; // a thing to do that has no place
    const out = reach(piece) + (BADGE_PX + GAP_PX) * px;
    const ways = Array.from({ length: 12 }, (_, i) => (i * Math.PI) / 6 - Math.PI / 4);
    const places = ways.map((a) => [piece.x_mm + out * Math.cos(a), piece.y_mm + out * Math.sin(a)]);
    const crowd = ([x, y]) => taken.reduce((sum, [bx, by]) => sum + Math.max(0, 2 * (BADGE_PX + 1) * px - Math.hypot(bx - x, by - y)), 0)
      + others.reduce((sum, p) => sum + (p === piece ? 0 : Math.max(0, reach(p) + BADGE_PX * px - Math.hypot(p.x_mm - x, p.y_mm - y))), 0);
    const best = places.reduce((a, b) => (crowd(b) < crowd(a) - 1e-6 ? b : a));
    taken.push(best);
    return best;
  });
}
