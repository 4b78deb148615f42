// Pig: the sum of this turn as one large number, and a bar for each player on the way to the goal.

import { el } from "../../draw.js";
import { say } from "../../words.js";

/** What this game calls the end of a turn. */
export const turn = { end: () => say("The die lies still"), isUrgent: () => false };

/** The table: this turn, and how far everybody is. */
export function draw(view) {
  const { scores, turn, sum, goal } = view.table;
  const name = (seat) => view.seats.find((s) => s.seat === seat)?.name ?? seat;
  return [
    el("div", { class: "card pig" }, el("p", {}, say("{name} collects", { name: name(turn) })), el("p", { class: "pig-sum" }, String(sum)),
      el("ul", { class: "pig-scores" }, Object.keys(scores).map((seat) => el("li", {}, say("{name}: {n} of {goal}", { name: name(seat), n: scores[seat], goal }))))),
  ];
}
