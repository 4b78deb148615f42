// The table from above: shows the pieces and lets hands throw, drag, turn and choose them. Lengths are mm of the table.

import { svg } from "./draw.js";
import { cardFace, drawing, looks } from "./pieces.js";
import { toLine } from "./point.js";
import { say, seatWord } from "./words.js";

const EDGE = { x: 118, y: 34 }, PLAIN_EDGE = { x: 24, y: 24 };
const WIDE_MM = 120;
/** The strip below the table with what has left it, and the largest piece on it. */
const SHELF_MM = 100, SHOWN_MM = 60;
/** A piece let go nearer to a spot than this part of its circle comes to lie on it. */
const SNAPS = 0.8;
const CLICK_PX = 5;
const WHOLE_POWER_MM = 950;
const STEP_MM = 5, BIG_STEP_MM = 25, STEP_DEG = 5;
/** What those who sit opposite each other throw. */
const THROWN = ["ninja", "samurai"];

/** Draws into `place` (an svg). `hands` is told what people do: throws, drags, turns, chooses. */
export class Valley {
  constructor(place, hands) {
    this.place = place;
    this.hands = hands;
    this.shown = new Map();
    this.chosen = null;
    this.grip = null;
    this.isPlacing = false; // what comes from an end is laid down instead of thrown
    this.state = null;
    place.addEventListener("pointerdown", (e) => this.press(e));
    place.addEventListener("pointermove", (e) => this.move(e));
    place.addEventListener("pointerup", (e) => this.release(e));
    place.addEventListener("pointercancel", () => this.letGo());
    place.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    place.addEventListener("keydown", (e) => this.key(e));
  }

  show(state) {
    if (!this.state) this.lay(state);
    this.state = state;
    state.pieces = state.pieces.filter((piece) => !piece.is_fixed);
    this.layBoard(state.board);
    this.layShelf(state.lost ?? []);
    const here = new Set(state.pieces.map((piece) => piece.id));
    for (const [id, node] of this.shown) if (!here.has(id)) { node.remove(); this.shown.delete(id); }
    for (const piece of state.pieces) this.draw(piece);
    this.stackUp(state.pieces);
    for (const [seat, kind, node] of this.supplies) this.drawSupply(seat, kind, node);
    if (this.chosen && !here.has(this.chosen)) this.choose(null);
    if (!this.grip) this.melds.replaceChildren(...fans(state.pieces).map((ids) => this.fan(ids)));
    this.mark();
    this.hand.replaceChildren(...(state.hand ? [this.arm(state.hand)] : []));
  }

  /** Marks a piece as chosen (null: none) and tells the hands. */
  choose(id) {
    this.chosen = id;
    this.mark();
    this.hands.chosen(id ? this.state.pieces.find((piece) => piece.id === id) : null);
  }

  lay(state) {
    const { width_mm: w, height_mm: h } = state;
    this.pieces = svg("g");
    this.melds = svg("g");
    this.overlay = svg("g");
    this.hand = svg("g", { class: "v-arm" });
    this.supplies = [];
    const hasEnds = state.seats.length === 2 && (state.throws ?? []).length > 0;
    const edge = this.edge = hasEnds ? EDGE : PLAIN_EDGE;
    this.seats = Object.fromEntries(state.seats.map((seat, i) => [seat, { left: i === 0, other: state.seats[1 - i] }]));
    const ends = hasEnds ? state.seats.map((seat) => this.end(seat, w, h)) : [];
    this.board = svg("g", { class: "v-board" });
    const weave = svg("pattern", { id: "weave", width: 7, height: 7, patternUnits: "userSpaceOnUse" },
      svg("path", { d: "M0 3.5h7M3.5 0v7", class: "v-weave" }));
    this.wood = svg("rect", { x: -edge.x, y: -edge.y, width: w + 2 * edge.x, rx: 26, class: "v-wood" });
    this.shelf = svg("g");
    this.place.replaceChildren(
      svg("defs", null, weave), this.wood,
      svg("rect", { width: w, height: h, rx: 6, class: "v-felt" }),
      svg("rect", { width: w, height: h, rx: 6, fill: "url(#weave)" }),
      hasEnds && svg("path", { d: `M ${w / 2} 12 V ${h - 12}`, class: "v-half" }),
      state.tray_mm && tray(state.tray_mm),
      ...Object.entries(state.zones_mm ?? {}).map(([name, box]) => zone(name, box, state.seats)),
      this.board, this.shelf, ...ends, this.pieces, this.melds, this.hand, this.overlay);
  }

  /** The printed board, drawn again only where it was moved. */
  layBoard(board) {
    const key = board && JSON.stringify([board.name, board.at_mm, board.angle_deg]);
    if (this.board.dataset.key === String(key)) return;
    this.board.dataset.key = key;
    if (!board) return this.board.replaceChildren();
    const [w, h] = board.size_mm;
    const at = (spot) => board.spots[spot].join(" ");
    const steps = board.steps.map(([a, b]) => `M ${at(a)} L ${at(b)}`).join(" ");
    this.board.replaceChildren(
      svg("rect", { width: w, height: h, class: "v-sheet", transform: `translate(${board.at_mm.join(" ")}) rotate(${board.angle_deg} ${w / 2} ${h / 2})` }),
      svg("path", { d: steps, class: "v-step" }),
      ...Object.entries(board.spots).map(([spot, [cx, cy]]) =>
        svg("circle", { cx, cy, r: board.circle_mm / 2, "data-spot": spot, class: board.owners[spot] ? `v-spot of-${board.owners[spot]}` : "v-spot" })));
  }

  /** What has left the table, below it: it is dragged back from there. */
  layShelf(lost) {
    const key = JSON.stringify(lost.map(({ kind, color, count }) => [kind, color, count]));
    if (this.shelf.dataset.key === key) return;
    this.shelf.dataset.key = key;
    const { width_mm: w, height_mm: h } = this.state;
    this.hasShelf ||= this.supplies.length > 0 || lost.length > 0; // its room stays, so that no place moves under a hand
    const high = h + 2 * this.edge.y + (this.hasShelf ? SHELF_MM : 0);
    this.wood.setAttribute("height", high);
    this.place.setAttribute("viewBox", `${-this.edge.x} ${-this.edge.y} ${w + 2 * this.edge.x} ${high}`);
    this.shelf.replaceChildren(
      lost.length > 0 ? svg("text", { x: 0, y: h + this.edge.y / 2 + SHELF_MM / 2, class: "v-lost" }, say("Off the table:")) : "",
      ...lost.map((piece, i) => svg("g", { class: "v-supply", role: "button", tabindex: 0, "data-lost": `${piece.kind} ${piece.color}`,
        "aria-label": say("{name} off the table: drag it back, or press to lay it down.", { name: naming(piece) }),
        transform: `translate(${260 + i * 130} ${h + this.edge.y / 2 + SHELF_MM / 2})` },
        svg("rect", { x: -56, y: -42, width: 112, height: 84, rx: 18, class: "v-slot" }),
        svg("g", { transform: `scale(${Math.min(1, SHOWN_MM / piece.size_mm)})` }, drawing(piece)),
        piece.count > 1 && svg("text", { x: 38, y: 30, class: "v-count" }, `× ${piece.count}`))));
  }

  bring(which, at = null) {
    const piece = this.state.lost.find(({ kind, color }) => `${kind} ${color}` === which);
    if (piece) this.hands.places(piece.color, piece.kind, at ? this.snapped(at, piece) : this.freePlace(piece.color));
  }

  /** Where a piece let go at a place comes to lie: on the spot of the board under it, if one is. */
  snapped([x, y], piece) {
    const board = this.state.board;
    if (!board || !["disk", "pawn"].includes(piece.shape)) return [x, y];
    const near = Object.values(board.spots).find(([u, v]) => Math.hypot(u - x, v - y) < board.circle_mm * SNAPS);
    return near ?? [x, y];
  }

  /** A player's end: his name and what he may throw. */
  end(seat, w, h) {
    const x = this.seats[seat].left ? -EDGE.x / 2 : w + EDGE.x / 2;
    const turn = this.seats[seat].left ? -90 : 90;
    const name = svg("text", { x: 0, y: 0, transform: `translate(${x} ${h * 0.13}) rotate(${turn})`, class: `v-name of-${seat}` }, seatWord(seat));
    const rows = THROWN.map((kind, i) => {
      const node = svg("g", { class: `v-supply of-${seat}`, transform: `translate(${x} ${h * 0.4 + i * 210})`, role: "button", tabindex: 0,
        "data-supply": kind, "data-seat": seat });
      this.supplies.push([seat, kind, node]);
      return node;
    });
    return svg("g", null, name, ...rows);
  }

  drawSupply(seat, kind, node) {
    const color = colorOf(seat, kind);
    const count = this.state.outside.find((o) => o.kind === kind && o.color === color)?.count ?? 0;
    if (node.dataset.count === String(count)) return;
    node.dataset.count = count;
    const words = seatWord(kind);
    node.setAttribute("aria-label", say("{seat} throws a {kind}: {n} left. Drag to aim, or press to throw at the other territory.",
      { seat: seatWord(seat), kind: words, n: count }));
    node.setAttribute("aria-disabled", String(count === 0));
    const piece = { kind, color, value: 5, size_mm: kind === "ninja" ? 46 : 62, tilt_deg: 0 };
    node.replaceChildren(
      svg("rect", { x: -53, y: -62, width: 106, height: 178, rx: 18, class: "v-slot" }),
      svg("g", { transform: "translate(0 -8)" }, drawing(piece)),
      svg("text", { y: 62, class: "v-kind" }, words),
      svg("text", { y: 98, class: "v-count" }, `× ${count}`));
  }

  draw(piece) {
    let node = this.shown.get(piece.id);
    if (!node) {
      node = svg("g", { class: "v-piece", "data-piece": piece.id, role: "button", tabindex: 0 });
      node.turned = svg("g");
      node.append(node.turned);
      this.shown.set(piece.id, node);
      this.pieces.append(node);
    }
    if (node.dataset.looks !== looks(piece)) {
      node.dataset.looks = looks(piece);
      node.turned.replaceChildren(drawing(piece));
    }
    if (this.grip?.id !== piece.id && !this.grip?.ids?.includes(piece.id)) node.style.transform = `translate(${piece.x_mm}px, ${piece.y_mm}px)`;
    node.turned.setAttribute("transform", `rotate(${piece.angle_deg})`);
    node.style.setProperty("--rise", Math.min(40, piece.height_mm));
    const label = describe(piece);
    if (node.getAttribute("aria-label") !== label) node.setAttribute("aria-label", label);
    node.setAttribute("aria-pressed", String(this.chosen === piece.id));
  }

  /** What a whole meld is taken by: left of its first card. */
  fan(ids) {
    const cards = ids.map((id) => this.state.pieces.find((piece) => piece.id === id));
    const first = cards.reduce((a, b) => (b.x_mm < a.x_mm ? b : a));
    return svg("g", { class: "v-fan", transform: `translate(${first.x_mm - first.wide_mm / 2 - 14} ${first.y_mm})`, "data-meld": ids.join(" ") },
      svg("rect", { x: -9, y: -30, width: 18, height: 60, rx: 9 }), svg("path", { d: "M-3 -14v28M3 -14v28" }));
  }

  /** Higher pieces over lower ones; nodes are moved only when the order has changed, so that the focus stays. */
  stackUp(pieces) {
    const order = pieces.map((piece) => piece.id).join();
    if (order === this.order) return;
    this.order = order;
    const focused = document.activeElement;
    this.pieces.append(...pieces.map((piece) => this.shown.get(piece.id)));
    if (focused?.dataset?.piece) focused.focus({ preventScroll: true });
  }

  mark() {
    const piece = this.state?.pieces.find((one) => one.id === this.chosen);
    for (const [id, node] of this.shown) node.setAttribute("aria-pressed", String(id === this.chosen));
    if (!piece || this.grip) {
      if (!this.grip) this.overlay.replaceChildren();
      return;
    }
    const r = (piece.size_mm / 2) * (piece.shape === "disk" || piece.shape === "pawn" ? 1 : 1.42) + 6;
    const angle = (piece.angle_deg * Math.PI) / 180;
    const [hx, hy] = [piece.x_mm + Math.cos(angle) * (r + 26), piece.y_mm + Math.sin(angle) * (r + 26)];
    this.overlay.replaceChildren(
      svg("circle", { cx: piece.x_mm, cy: piece.y_mm, r, class: "v-ring" }),
      svg("path", { d: `M ${piece.x_mm + Math.cos(angle) * r} ${piece.y_mm + Math.sin(angle) * r} L ${hx} ${hy}`, class: "v-ring" }),
      svg("circle", { cx: hx, cy: hy, r: 13, class: "v-handle", "data-handle": piece.id }));
  }

  arm(seat) {
    const { width_mm: w, height_mm: h, arm } = this.state;
    if (this.state.seats.length !== 2) return svg("g", { transform: `translate(${arm.reach_mm.join(" ")}) rotate(${arm.from_deg - 180})` }, ...limb());
    const mirror = this.seats[seat].left ? 1 : -1;
    const at = this.seats[seat].left ? w * 0.42 : w * 0.58;
    return svg("g", { transform: `translate(${at} ${h / 2}) scale(${mirror} 1)` }, ...limb());
  }

  // --- hands ---

  at(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.place.getScreenCTM().inverse());
    return [p.x, p.y];
  }

  press(event) {
    if (event.button || this.grip || !this.state) return;
    const supply = event.target.closest("[data-supply]"), lost = event.target.closest("[data-lost]");
    const handle = event.target.closest("[data-handle]");
    const meld = event.target.closest("[data-meld]");
    const [x, y] = this.at(event);
    const piece = this.nearest(event.target.closest("[data-piece]"), x, y);
    const from = { pointer: event.pointerId, px: [event.clientX, event.clientY], x, y, isFar: false };
    if (supply) this.grip = { ...from, does: "throw", node: supply, seat: supply.dataset.seat };
    else if (lost) this.grip = { ...from, does: "bring", which: lost.dataset.lost };
    else if (meld) this.grip = { ...from, does: "meld", ids: meld.dataset.meld.split(" "), node: meld };
    else if (handle) this.grip = { ...from, does: "turn", id: handle.dataset.handle };
    else if (piece) this.grip = { ...from, does: "drag", id: piece.dataset.piece, node: piece };
    else { this.choose(null); return; }
    if (this.grip.id) this.grip.piece = this.state.pieces.find((one) => one.id === this.grip.id);
    this.place.setPointerCapture(event.pointerId);
    event.preventDefault();
    (supply ?? lost ?? piece)?.focus({ preventScroll: true });
  }

  /** The piece that a finger means: of rods that lie close together, the nearest one. */
  nearest(node, x, y) {
    const rods = this.state.pieces.filter((piece) => piece.kind === "rod");
    if (!rods.some((rod) => rod.id === node?.dataset.piece)) return node;
    const far = (rod) => Math.min(...rod.path.slice(1).map((end, i) => toLine([x - rod.x_mm, y - rod.y_mm], rod.path[i], end)));
    return this.shown.get(rods.reduce((best, rod) => (far(rod) < far(best) ? rod : best)).id);
  }

  move(event) {
    const grip = this.grip;
    if (!grip || grip.pointer !== event.pointerId) return;
    grip.isFar ||= Math.hypot(event.clientX - grip.px[0], event.clientY - grip.px[1]) > CLICK_PX;
    if (!grip.isFar) return;
    const [x, y] = this.at(event);
    grip.now = [x, y];
    if (grip.does === "throw") this.aim(grip);
    else if (grip.does === "bring") this.target(grip);
    else if (grip.does === "meld") {
      grip.by = [x - grip.x, y - grip.y];
      for (const id of grip.ids) {
        const { x_mm, y_mm } = this.state.pieces.find((one) => one.id === id);
        this.shown.get(id).style.transform = `translate(${x_mm + grip.by[0]}px, ${y_mm + grip.by[1]}px)`;
      }
    }
    else if (grip.does === "turn") {
      const { x_mm, y_mm, angle_deg } = grip.piece;
      grip.angle = (Math.atan2(y - y_mm, x - x_mm) * 180) / Math.PI - angle_deg;
      this.shown.get(grip.id).turned.setAttribute("transform", `rotate(${angle_deg + grip.angle})`);
    } else {
      grip.to = [grip.piece.x_mm + x - grip.x, grip.piece.y_mm + y - grip.y];
      grip.node.classList.add("is-held");
      grip.node.style.transform = `translate(${grip.to[0]}px, ${grip.to[1]}px)`;
    }
  }

  release(event) {
    const grip = this.grip;
    if (!grip || grip.pointer !== event.pointerId) return;
    this.letGo();
    if (grip.does === "throw") this.takesFrom(grip.node, grip.isFar ? grip.now : null);
    else if (grip.does === "bring") this.bring(grip.which, grip.isFar ? grip.now : null);
    else if (grip.does === "meld") {
      if (grip.by) this.hands.dragsAll(grip.ids, ...grip.by);
    } else if (grip.does === "turn") {
      if (grip.angle) this.hands.turns(grip.id, grip.angle);
    } else if (grip.isFar) this.hands.drags(grip.id, ...this.snapped(grip.to, grip.piece));
    else this.hands.picked(grip.id) || this.choose(this.chosen === grip.id ? null : grip.id);
  }

  letGo() {
    this.grip?.node?.classList.remove("is-held");
    this.grip = null;
    this.overlay?.replaceChildren();
    this.mark();
  }

  /** Where a hand lets go: over its own edge, level with the middle, or a little to the side of it. */
  start(seat, to) {
    const { width_mm: w, height_mm: h } = this.state;
    return [this.seats[seat].left ? -60 : w + 60, h / 2 + (Math.max(0, Math.min(h, to[1])) - h / 2) * 0.35];
  }

  /** Where a piece is laid by a press alone: low on its own half, to be moved on from there. */
  freePlace(seat) {
    const { width_mm: w, height_mm: h } = this.state;
    return [w * (this.seats[seat]?.left ? 0.42 : 0.58), h * 0.85];
  }

  /** Throws a piece from an end, or lays it down while placing. Without `at` it is thrown at the other territory, or laid in
   * free room. */
  takesFrom(supply, at = null) {
    const { seat, supply: kind } = supply.dataset;
    if (supply.getAttribute("aria-disabled") === "true") return this.hands.says(say("None of these is left outside."));
    if (this.isPlacing) return this.hands.places(colorOf(seat, kind), kind, at ?? this.freePlace(seat));
    const target = this.state.pieces.find((one) => isWide(one) && one.color === this.seats[seat].other);
    const to = at ?? (target ? [target.x_mm, target.y_mm] : [this.state.width_mm / 2, this.state.height_mm / 2]);
    const from = this.start(seat, to);
    return this.hands.throws(seat, kind, from, to, power(from, to));
  }

  target({ now }) {
    this.overlay.replaceChildren(svg("circle", { cx: now[0], cy: now[1], r: 30, class: "v-target" }));
  }

  aim({ seat, now }) {
    if (this.isPlacing) return this.target({ now });
    const from = this.start(seat, now);
    const hard = power(from, now);
    const angle = Math.atan2(now[1] - from[1], now[0] - from[0]);
    const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
    const tip = 26 + 14 * hard;
    const wing = (s) => `${now[0] - ux * tip - uy * s * tip * 0.5},${now[1] - uy * tip + ux * s * tip * 0.5}`;
    this.overlay.replaceChildren(
      svg("path", { d: `M ${from} L ${now[0] - ux * tip} ${now[1] - uy * tip}`, class: `v-aim of-${seat}`, "stroke-width": 8 + 16 * hard }),
      svg("polygon", { points: `${now} ${wing(1)} ${wing(-1)}`, class: `v-aim-tip of-${seat}` }),
      svg("circle", { cx: now[0], cy: now[1], r: 30, class: "v-target" }),
      svg("text", { x: now[0], y: now[1] - 44, class: "v-power" }, hard < 0.35 ? say("soft") : hard < 0.7 ? say("firm") : say("hard")));
  }

  wheel(event) {
    const piece = event.target.closest("[data-piece]");
    const id = piece?.dataset.piece;
    if (!id || id !== this.chosen) return;
    event.preventDefault();
    this.hands.turns(id, Math.sign(event.deltaY) * STEP_DEG);
  }

  key(event) {
    const supply = event.target.closest("[data-supply]"), lost = event.target.closest("[data-lost]");
    const id = event.target.closest("[data-piece]")?.dataset.piece;
    const go = event.key === "Enter" || event.key === " ";
    if (supply && go) {
      event.preventDefault();
      this.takesFrom(supply);
    }
    if (lost && go) {
      event.preventDefault();
      this.bring(lost.dataset.lost);
    }
    if (!id) return;
    const piece = this.state.pieces.find((one) => one.id === id);
    const step = event.shiftKey ? BIG_STEP_MM : event.altKey ? 0.5 : STEP_MM;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (way) this.hands.drags(id, piece.x_mm + way[0] * step, piece.y_mm + way[1] * step);
    else if (go) this.hands.picked(id) || this.choose(this.chosen === id ? null : id);
    else if (event.key === "[" || event.key === "]") this.hands.turns(id, event.key === "]" ? STEP_DEG : -STEP_DEG);
    else if (event.key === "Delete") this.hands.removes(id);
    else if (event.key === "Escape") this.choose(null);
    else return;
    event.preventDefault();
  }
}

/** The ids of cards that lie in one fan, for each fan of more than one. */
function fans(pieces) {
  const found = [];
  for (const card of pieces.filter((piece) => piece.shape === "card")) {
    const touching = found.filter((fan) => fan.some((one) => Math.abs(one.x_mm - card.x_mm) < card.wide_mm && Math.abs(one.y_mm - card.y_mm) < card.long_mm / 2));
    for (const fan of touching) found.splice(found.indexOf(fan), 1);
    found.push([...touching.flat(), card]);
  }
  return found.filter((fan) => fan.length > 1).map((fan) => fan.map((card) => card.id));
}

/** The colour of what a seat throws: both share the ninjas. */
const colorOf = (seat, kind) => (kind === "ninja" ? "black" : seat);

function power([x0, y0], [x1, y1]) {
  return Math.max(0, Math.min(1, Math.hypot(x1 - x0, y1 - y0) / WHOLE_POWER_MM));
}

export function describe(piece) {
  const name = naming(piece);
  if (piece.kind === "ninja") return say("{name} showing {value}", { name, value: piece.value });
  if (piece.card !== undefined) return piece.card ? cardFace(piece.card) : say("{name}, face down", { name });
  if (piece.face_color) return say("{name} showing {value}", { name, value: seatWord(piece.face_color) });
  if (piece.value) return say("{name} showing {value}", { name, value: piece.value });
  if (piece.kind === "empire_die") return piece.marked_up ? say("{name}, its eye up", { name }) : say("{name}, its eye not up", { name });
  return name;
}

export function naming(piece) {
  const color = seatWord(piece.color);
  if (piece.kind === "ninja") return seatWord("ninja");
  if (piece.kind === "territory") return say("{color} territory", { color });
  if (piece.kind === "samurai") return say("{color} samurai", { color });
  if (piece.kind === "empire_die") return say("{color} empire die", { color });
  if (piece.kind === "die") return say("{color} die", { color });
  if (piece.kind === "rod") return piece.is_hung ? say("{color} piece, hung", { color }) : say("{color} piece", { color });
  if (piece.kind === "token") return say("{color} {kind}", { color, kind: say("piece") });
  return seatWord(piece.kind.replaceAll("_", " "));
}

/** A large disk that lies on the table and others on it. */
export const isWide = (piece) => piece.shape === "disk" && piece.size_mm > WIDE_MM;

const tray = ([x0, y0, x1, y1]) => svg("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: 4, class: "v-tray" });

/** Where a pile of rods lies, and the stand with its foot. */
function zone(name, [x0, y0, x1, y1], seats) {
  const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
  if (name === "stand") return svg("g", null, svg("circle", { cx: x, cy: y, r: 46, class: "v-foot" }), svg("circle", { cx: x, cy: y, r: 6, class: "v-pole" }));
  const owner = name === "draw" ? say("Draw pile") : seats[Number(name) - 1] && seatWord(seats[Number(name) - 1]);
  return owner && svg("g", null, svg("rect", { x: x0 + 4, y: y0 + 4, width: x1 - x0 - 8, height: y1 - y0 - 8, rx: 10, class: "v-zone" }),
    svg("text", { x: x0 + 16, y: y0 + 34, class: "v-zone-name" }, owner));
}

/** An arm that comes from the left, its fingertips about the origin. */
function limb() {
  return [
    svg("path", { class: "v-sleeve", d: "M -560 -95 L -215 -42 L -215 42 L -560 20 Z" }),
    svg("path", { class: "v-skin", d: "M -215 -34 L -110 -26 C -92 -52 -66 -62 -44 -58 C -38 -50 -50 -44 -64 -38 C -40 -38 -14 -34 -2 -26 C 4 -20 -4 -16 -12 -16 C 4 -14 10 -8 4 -2 C 8 4 2 12 -8 10 C -6 18 -14 22 -24 20 C -50 24 -86 28 -110 24 L -215 34 Z" }),
  ];
}
