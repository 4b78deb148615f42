// The names of the board's circles: beside those that are spoken of, and of all in the magnified board.

import { svg } from "../../draw.js";

const SIGN = /[A-Z]+\d+(\.\d)?/g;

/** The circles that sentences speak of, each with its sign; one that is told by words of its own bears none. */
export function spokenOf({ spots, places }, sentences) {
  const said = sentences.join(" "), signs = said.match(SIGN) ?? [];
  const isOne = (words) => Object.values(places).filter((other) => other === words).length === 1;
  return Object.keys(spots).flatMap((spot) => {
    if (signs.includes(spot)) return [{ spot, sign: spot }];
    return spot in places && isOne(places[spot]) && said.includes(places[spot]) ? [{ spot, sign: null }] : [];
  });
}

/** The names of all circles, each on its own. */
export const everyName = ({ spots }, r) => svg("g", { class: "names" }, Object.entries(spots).filter(([spot]) => spot.match(SIGN)?.[0] === spot)
  .map(([spot, [x, y]]) => svg("text", { x, y, "font-size": r * 0.72 }, spot)));

/** A ring about each of these circles and its name beside it, where it covers least of the board and of what lies at the places `kept`. */
export function tags({ spots, size_mm }, named, r, kept) {
  const covered = [...Object.values(spots), ...kept].map((at) => boxAt(at, 2 * r, 2 * r));
  return named.map(({ spot, sign }) => {
    const [x, y] = spots[spot];
    const ring = svg("circle", { class: "ring", cx: x, cy: y, r: r * 1.3 });
    if (!sign) return svg("g", { class: "named" }, ring);
    const wide = r * (0.9 + 1.15 * sign.length), high = r * 2.3;
    const box = freest(around([x, y], r * 1.5, wide, high, size_mm), covered, size_mm);
    covered.push(box, box, box); // rather on anything than on another name
    return svg("g", { class: "named" }, ring, svg("rect", { x: box.x, y: box.y, width: wide, height: high, rx: r * 0.7 }),
      svg("text", { x: box.x + wide / 2, y: box.y + high / 2, "font-size": r * 1.75 }, sign));
  });
}

const boxAt = ([x, y], wide, high) => ({ x: x - wide / 2, y: y - high / 2, wide, high });
const ROUND = 8;

/** Where a name may stand about a place, first towards the middle of the board. */
function around([x, y], off, wide, high, [w, h]) {
  const inwards = Math.atan2(h / 2 - y, w / 2 - x);
  return Array.from({ length: ROUND }, (_, i) => inwards + Math.ceil(i / 2) * (i % 2 ? 1 : -1) * ((2 * Math.PI) / ROUND))
    .map((angle) => [Math.cos(angle), Math.sin(angle)])
    .map(([u, v]) => boxAt([x + u * (off + wide / 2), y + v * (off + high / 2)], wide, high));
}

/** The box that covers the fewest others and stays on the board. */
function freest(all, others, [w, h]) {
  const covers = (a, b) => a.x < b.x + b.wide && b.x < a.x + a.wide && a.y < b.y + b.high && b.y < a.y + a.high;
  const cost = (box) => others.filter((other) => covers(box, other)).length + (box.x < 0 || box.y < 0 || box.x + box.wide > w || box.y + box.high > h ? others.length : 0);
  return all.reduce((best, box) => (cost(box) < cost(best) ? box : best));
}
