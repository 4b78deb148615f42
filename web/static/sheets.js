// Sheets that rise from the bottom: the referee, the edge, a menu; and the magnified picture.

import { el } from "./draw.js";
import { emblem, shape } from "./shapes.js";
import { say, seatWord } from "./words.js";

let made = 0;

/** Opens a sheet with a heading; `build(close)` gives its content. Returns the dialog. */
export function sheet(heading, build, className = "") {
  const id = `sheet-${(made += 1)}`;
  const dialog = el("dialog", { class: `sheet ${className}`, "aria-labelledby": id });
  const close = () => dialog.close();
  dialog.append(
    el("header", {}, el("h2", { id }, heading), el("button", { class: "close", "aria-label": say("Close"), onclick: close }, "×")),
    el("div", { class: "sheet-body" }, build(close)));
  dialog.addEventListener("close", () => {
    const toast = dialog.querySelector("#toast");
    if (toast) document.querySelector(".top")?.append(toast); // what it says outlasts the sheet
    dialog.remove();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && close());
  (document.getElementById("sheets") ?? document.body).append(dialog);
  dialog.showModal();
  return dialog;
}

/** A sheet with a form; it closes once `onSend(form, button)` has sent what was given. */
export function formSheet(heading, onSend, content, className = "") {
  return sheet(heading, (close) => {
    const onsubmit = async (event) => {
      event.preventDefault();
      const form = event.currentTarget;
      if (await onSend(form, form.querySelector(".primary"))) close();
    };
    return el("form", { onsubmit }, content);
  }, className);
}

export function refereeSheet(onCall) {
  return formSheet(say("Call the referee"), (form, button) => onCall(new FormData(form).get("words"), button), [
    el("p", { class: "soft" }, say("Every phone and the scoreboard show the call until somebody comes.")),
    el("label", { for: "call-words" }, say("Subject (optional)")), el("input", { id: "call-words", name: "words", maxlength: 200, autocomplete: "off" }),
    el("div", { class: "answers" }, el("button", { class: "big primary" }, shape("flag"), say("Call now"))),
  ]);
}

/** Whose body or clothing crossed the edge; the opponent is asked what follows. */
export function edgeSheet(seats, onEdge) {
  return sheet(say("Someone leaned over the edge"), (close) => [
    el("p", { class: "soft" }, say("Who crossed the edge while throwing? The opponent then says: restart, or play on.")),
    el("div", { class: "answers" }, seats.map((s) =>
      el("button", { class: "big", onclick: async (e) => (await onEdge(s.seat, e.currentTarget)) && close() },
        emblem(s.seat), s.name ? `${seatWord(s.seat)} (${s.name})` : seatWord(s.seat)))),
  ]);
}

/** The next match: all pieces go back to where a match begins, and nothing of the last one is lost, over or not. */
export function nextSheet(onNext, { isGivenUp = false } = {}) {
  return sheet(isGivenUp ? say("End this match") : say("Next match"), (close) => [
    isGivenUp && el("p", {}, say("The match is not over. It stays saved, but you cannot play on later.")),
    el("p", { class: "soft" }, say("Set all pieces up as for a new match. Everybody keeps their seat.")),
    el("div", { class: "answers" },
      el("button", { class: "big primary", onclick: async (e) => (await onNext(e.currentTarget)) && close() }, isGivenUp ? say("Yes, end it") : say("Begin")),
      el("button", { class: "big", onclick: close }, isGivenUp ? say("Play on") : say("Not yet"))),
  ]);
}

/** A menu: rows of a drawing, words and what a tap does, as `rows` gives them now. Rows are { icon, words, tap } or { words }
 * alone. `dialog.follow()` draws the rows anew where they changed: the table goes on while a menu is open. */
export function menuSheet(heading, rows) {
  const list = el("ul", { class: "menu" });
  const dialog = sheet(heading, () => list);
  const row = ({ icon, words, tap }) => el("li", {}, tap
    ? el("button", { class: "row", "data-key": words, onclick: () => { dialog.close(); tap(); } }, shape(icon), el("span", {}, words))
    : el("p", { class: "row soft" }, shape(icon), el("span", {}, words)));
  let drawn = "";
  dialog.follow = () => {
    const now = rows().filter(Boolean);
    if (drawn === (drawn = JSON.stringify(now.map(({ words, tap }) => [words, Boolean(tap)])))) return;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    list.replaceChildren(...now.map(row));
    if (focused) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  };
  dialog.follow();
  return dialog;
}

/** The picture over the whole screen, magnified at `at`: bigger and smaller by buttons at the thumb, moved by a finger. */
export function zoom(crop, caption, at) {
  const steps = [100, 200, 400];
  let step = 0;
  const pane = el("div", { class: "pane", tabindex: 0, role: "group", "aria-label": say("The magnified picture") }, crop);
  const size = (by) => {
    const [cx, cy] = [(pane.scrollLeft + pane.clientWidth / 2) / pane.scrollWidth, (pane.scrollTop + pane.clientHeight / 2) / pane.scrollHeight];
    step = Math.min(steps.length - 1, Math.max(0, step + by));
    crop.style.width = `${steps[step]}%`;
    pane.scrollTo(cx * pane.scrollWidth - pane.clientWidth / 2, cy * pane.scrollHeight - pane.clientHeight / 2);
    smaller.disabled = step === 0;
    bigger.disabled = step === steps.length - 1;
  };
  const smaller = el("button", { onclick: () => size(-1), "aria-label": say("Smaller") }, "−");
  const bigger = el("button", { onclick: () => size(1), "aria-label": say("Bigger") }, "+");
  crop.addEventListener("click", () => size(step === steps.length - 1 ? -steps.length : 1));
  const dialog = el("dialog", { class: "zoom", "aria-label": say("The magnified picture") }, pane,
    el("footer", {}, caption, el("div", { class: "thumbs" }, smaller, bigger,
      el("button", { class: "primary", onclick: () => dialog.close() }, say("Close")))));
  dialog.addEventListener("close", () => dialog.remove());
  (document.getElementById("sheets") ?? document.body).append(dialog);
  dialog.showModal();
  size(1);
  pane.scrollTo(at[0] * pane.scrollWidth - pane.clientWidth / 2, at[1] * pane.scrollHeight - pane.clientHeight / 2);
}
