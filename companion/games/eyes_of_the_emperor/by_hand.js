// A throw entered by hand: the valley is drawn as it lay, pieces are dragged to where they lie now, dice turned by a tap.
// What overlaps is told while one drags, so that people and not a finger's width decide.

import { el, svg } from "../../draw.js";
import { drawing } from "../../pieces.js";
import { emblem, markerShape, shape } from "../../shapes.js";
import { sheet } from "../../sheets.js";
import { say, seatWord, sentence } from "../../words.js";

const OTHER = { red: "blue", blue: "red" };
const OUT_MM = 12; // dragged this far over the edge a piece has left the valley
const STEP_MM = 5, FINE_MM = 1, MOVED_MM = 1;

/** Opens the sheet; `act` sends the throw. */
export function byHand(view, act) {
  const { valley, emperors } = view.table;
  const pieces = valley.pieces.map((piece) => ({ ...piece }));
  const rests = new Map(valley.rests.map(([piece, on]) => [piece, on]));
  const unseen = new Set(valley.unseen); // what stays so is asked about: a die that is not drawn would have left the valley
  const sizes = valley.sizes_mm;
  let chosen = null;
  const told = el("p", { class: "hand-told", role: "status" });
  const tools = el("div", { class: "hand-tools" });
  const drawn = new Map();
  const layer = svg("g");
  const place = svg("svg", { class: "hand-valley", viewBox: `-20 -20 ${valley.width_mm + 40} ${valley.height_mm + 40}`, role: "group", "aria-label": say("The valley: drag each piece to where it is now") },
    svg("rect", { width: valley.width_mm, height: valley.height_mm, rx: 6, class: "v-felt" }), layer);

  const land = (color) => pieces.find((p) => p.kind === "territory" && p.color === color);
  const about = (piece) => (piece.kind === "empire_die" ? land(piece.color) : piece.kind === "samurai" ? land(OTHER[piece.color]) : null);

  function draw() {
    const here = new Set(pieces.map((p) => p.id));
    for (const [id, node] of drawn) if (!here.has(id)) { node.remove(); drawn.delete(id); }
    for (const piece of pieces) {
      const node = drawn.get(piece.id) ?? added(piece);
      node.setAttribute("transform", `translate(${piece.x_mm} ${piece.y_mm})`);
      const marks = [svg("g", { transform: `rotate(${piece.angle_deg})` }, drawing(piece)),
        piece.kind === "territory" && svg("g", { class: "sign", transform: "scale(2)" }, markerShape(piece.color)),
        piece.kind !== "territory" && svg("circle", { r: Math.max(26, piece.size_mm * 0.75), class: piece.id === chosen ? "hand-ring" : "hand-touch" })];
      node.replaceChildren(...marks.filter(Boolean));
      if (piece.kind === "territory") continue;
      node.setAttribute("aria-label", words(piece));
      node.setAttribute("aria-pressed", String(piece.id === chosen));
    }
    const piece = pieces.find((p) => p.id === chosen);
    told.textContent = piece ? words(piece) : [
      ...[...unseen].map((id) => sentence(say("{piece} was not seen: put it in its place, or the table will ask about it.", { piece: valley.names[id] }))),
      say("Drag each piece to where it is now. Tap a die to turn its eye, and a piece below the board to add it."),
    ].join(" ");
    tools.replaceChildren(...toolsOf(piece));
  }

  function added(piece) {
    const isLand = piece.kind === "territory";
    const node = svg("g", isLand ? { class: "hand-land" } : { class: "hand-piece", role: "button", tabindex: 0, "data-piece": piece.id });
    drawn.set(piece.id, node);
    layer.append(node);
    return node;
  }

  function words(piece) {
    const name = valley.names[piece.id] ?? newName(piece);
    const target = about(piece);
    if (!target) return name;
    const how = depth(piece, target) > 0 ? say("overlaps the {color} territory", { color: say(target.color) }) : say("does not touch the {color} territory", { color: say(target.color) });
    const eye = piece.kind !== "empire_die" ? null : piece.marked_up ? say("eye up") : say("eye hidden");
    return [name, how, eye].filter(Boolean).join(" \u00b7 ");
  }

  const newName = (piece) => (piece.kind === "ninja" ? sentence(say("ninja")) : say("{color} samurai", { color: seatWord(piece.color) }));

  function toolsOf(piece) {
    if (!piece) {
      const absent = Object.keys(valley.dice).filter((id) => !pieces.some((p) => p.id === id));
      return [...["red", "blue"].map((seat) => el("button", { type: "button", "data-key": `new ${seat}`, onclick: () => thrown(seat) }, emblem(seat), shape(emperors[seat].throws),
        emperors[seat].throws === "ninja" ? say("{seat}'s ninja", { seat: seatWord(seat) }) : say("{seat}'s samurai", { seat: seatWord(seat) }))),
      ...absent.map((id) => el("button", { type: "button", "data-key": `put ${id}`, onclick: () => putDie(id) }, emblem(valley.dice[id]), sentence(valley.names[id])))];
    }
    return [
      piece.kind === "empire_die" && el("button", { type: "button", onclick: () => flip(piece) }, piece.marked_up ? say("Eye hidden") : say("Eye up")),
      piece.kind !== "territory" && el("button", { type: "button", onclick: () => out(piece) }, say("It left the valley")),
      el("button", { type: "button", onclick: () => choose(null) }, say("Done")),
    ].filter(Boolean);
  }

  function choose(id) { chosen = id; draw(); }
  function flip(piece) { piece.marked_up = !piece.marked_up; piece.moved = true; choose(piece.id); }
  function out(piece) { pieces.splice(pieces.indexOf(piece), 1); choose(null); }

  function thrown(seat) {
    const kind = emperors[seat].throws;
    const color = kind === "ninja" ? null : seat;
    const stem = kind === "ninja" ? "n" : `${seat}.s`;
    let n = 1;
    while (pieces.some((p) => p.id === `${stem}${n}`)) n += 1;
    const x_mm = seat === "red" ? valley.width_mm * 0.36 : valley.width_mm * 0.64;
    pieces.push({ id: `${stem}${n}`, kind, color, x_mm, y_mm: valley.height_mm * 0.14 + 26 * n % (valley.height_mm * 0.2), angle_deg: 0, size_mm: sizes[kind], value: kind === "ninja" ? 5 : null, marked_up: null, moved: true });
    choose(`${stem}${n}`);
  }

  function putDie(id) {
    unseen.delete(id);
    const { x_mm, y_mm } = land(valley.dice[id]) ?? { x_mm: valley.width_mm / 2, y_mm: valley.height_mm / 2 };
    pieces.push({ id, kind: "empire_die", color: valley.dice[id], x_mm, y_mm: y_mm - sizes.empire_die, angle_deg: 0, size_mm: sizes.empire_die, value: null, marked_up: false, moved: true });
    choose(id);
  }

  function moveTo(piece, x, y) {
    const [w, h] = [valley.width_mm, valley.height_mm];
    if (x < -OUT_MM || y < -OUT_MM || x > w + OUT_MM || y > h + OUT_MM) return false;
    piece.x_mm = Math.round(Math.min(w, Math.max(0, x)) * 10) / 10;
    piece.y_mm = Math.round(Math.min(h, Math.max(0, y)) * 10) / 10;
    piece.moved = true;
    if (pieces.indexOf(piece) !== pieces.length - 1) pieces.push(...pieces.splice(pieces.indexOf(piece), 1)); // it lies on top now
    if (layer.lastChild !== drawn.get(piece.id)) layer.append(drawn.get(piece.id));
    return true;
  }

  // --- hands
  let grip = null;
  const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(place.getScreenCTM().inverse());
  place.addEventListener("pointerdown", (event) => {
    const id = event.target.closest("[data-piece]")?.dataset.piece;
    const piece = pieces.find((p) => p.id === id);
    if (!piece) return choose(null);
    const { x, y } = at(event);
    grip = { piece, dx: piece.x_mm - x, dy: piece.y_mm - y, from: [event.clientX, event.clientY], isFar: false, wasChosen: chosen === id };
    place.setPointerCapture(event.pointerId);
    event.preventDefault();
    choose(id);
  });
  place.addEventListener("pointermove", (event) => {
    if (!grip) return;
    grip.isFar ||= Math.hypot(event.clientX - grip.from[0], event.clientY - grip.from[1]) > 6;
    if (!grip.isFar) return;
    const { x, y } = at(event);
    grip.isOut = !moveTo(grip.piece, x + grip.dx, y + grip.dy);
    draw();
  });
  place.addEventListener("pointerup", () => {
    const { piece, isFar, isOut } = grip ?? {};
    grip = null;
    if (!piece) return;
    if (isOut) out(piece);
    else if (!isFar && piece.kind === "empire_die") flip(piece);
  });
  place.addEventListener("pointercancel", () => { grip = null; });
  place.addEventListener("keydown", (event) => {
    const piece = pieces.find((p) => p.id === event.target.dataset?.piece);
    const step = event.shiftKey ? FINE_MM : STEP_MM;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!piece) return;
    if (way) moveTo(piece, piece.x_mm + way[0] * step, piece.y_mm + way[1] * step);
    else if (event.key === "Delete") return out(piece);
    else if ((event.key === "Enter" || event.key === " ") && piece.kind === "empire_die") return flip(piece);
    else return;
    event.preventDefault();
    choose(piece.id);
    drawn.get(piece.id)?.focus();
  });

  const dialog = sheet(say("Where is everything in the valley now?"), (close) => [
    told, place, tools,
    el("div", { class: "answers" }, el("button", { class: "big primary", "data-key": "by hand",
      onclick: async (e) => (await act({ do: "act", move: "throw", values: { scene: text() } }, e.currentTarget)) && close() }, shape("done"), say("Rule this throw"))),
  ], "by-hand");
  draw();
  return dialog;

  /** The valley in the notation of the game: places in mm, which dice look up, who lies on whom. */
  function text() {
    const letter = { territory: "T", empire_die: "E", samurai: "S", ninja: "N" };
    const drawn = pieces.map((piece, i) => {
      const angle = piece.angle_deg ? `@${piece.angle_deg}` : "";
      const more = piece.kind === "empire_die" ? (piece.marked_up ? " up" : " down") : piece.kind === "samurai" ? onto(piece, i) : "";
      return `${letter[piece.kind]} ${piece.id} ${piece.x_mm},${piece.y_mm}${angle}${more}`;
    });
    return [...drawn, ...[...unseen].map((id) => `unseen ${id}`)].join("; ");
  }

  /** On which samurai one lies: disks that overlap lie on each other, the one that was laid last above. */
  function onto(piece, i) {
    const below = pieces.slice(0, i).filter((p) => p.kind === "samurai" && Math.hypot(p.x_mm - piece.x_mm, p.y_mm - piece.y_mm) < sizes.samurai - MOVED_MM);
    const told = rests.get(piece.id);
    const names = piece.moved ? below.map((p) => p.id) : pieces.some((p) => p.id === told && !p.moved) ? [told] : below.filter((p) => p.moved).map((p) => p.id);
    return names.map((name) => ` on ${name}`).join("");
  }
}

/** How deep a piece lies in a territory, mm; below 0: how far it is from it. */
function depth(piece, land) {
  const [dx, dy] = [piece.x_mm - land.x_mm, piece.y_mm - land.y_mm];
  const r = land.size_mm / 2;
  if (piece.kind === "samurai") return r + piece.size_mm / 2 - Math.hypot(dx, dy);
  const half = piece.size_mm / 2;
  const angle = (-piece.angle_deg * Math.PI) / 180;
  const [u, v] = [-dx * Math.cos(angle) + dy * Math.sin(angle), -dx * Math.sin(angle) - dy * Math.cos(angle)]; // the land from the die
  const near = [Math.max(-half, Math.min(half, u)), Math.max(-half, Math.min(half, v))];
  return r - Math.hypot(u - near[0], v - near[1]);
}
