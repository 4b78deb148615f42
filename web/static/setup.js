// The set-up: asks every half second what the picture says of this step, and sends what is pressed.

import "./typed.js";
import { post } from "./do.js";
import { el, svg } from "./draw.js";
import { decimal, say, sentence } from "./words.js";

const step = document.body.dataset.step;
const at = (id) => document.getElementById(id);
const lost = () => say("The box does not answer: is it on?");

async function send(deed, button) {
  const told = at("told");
  button?.setAttribute("aria-busy", "true");
  told.textContent = await post("/setup/do", deed, lost()).then(({ says }) => says, (refused) => sentence(refused.message));
  button?.removeAttribute("aria-busy");
  await look();
}

function overlay(seen) {
  const over = at("over");
  if (!over || !seen.width_px) return;
  over.setAttribute("viewBox", `0 0 ${seen.width_px} ${seen.height_px}`);
  at("seen").style.setProperty("--aspect", `${seen.width_px} / ${seen.height_px}`);
  const [w, h] = [seen.width_px / 3, seen.height_px / 3];
  const cells = (seen.covered ?? []).map((covered, i) => svg("rect", {
    class: "cell", x: (i % 3) * w, y: Math.floor(i / 3) * h, width: w, height: h, "data-covered": covered,
  }));
  const found = seen.markers ?? [];
  const markers = found.map(({ corners }) => svg("polygon", { points: corners.map((c) => c.join(",")).join(" ") }));
  const numbers = found.map(({ id, corners: [[x, y]] }) => svg("text", { x, y: y - w / 40, "font-size": w / 8 }, id));
  over.replaceChildren(...cells, ...markers, ...numbers);
}

function map(seen) {
  const drawn = at("map");
  if (!drawn || !seen.places) return;
  const [width, height] = seen.mat;
  drawn.setAttribute("viewBox", `-20 -20 ${width + 40} ${height + 40}`);
  const read = seen.certificate?.places ?? [];
  const pen = { stroke: "currentColor", "stroke-width": 2 };
  const places = seen.places.map(({ x_mm, y_mm }, i) => {
    const off = read[i] ? Math.hypot(read[i].off_x_mm, read[i].off_y_mm) : null;
    const fill = seen.missing.includes(i + 1) || off === null ? "none" : off < 0.7 ? "#2e8b57" : off < 1.5 ? "#d9a400" : "#c0282f";
    return [svg("circle", { cx: x_mm, cy: y_mm, r: 42, fill, "fill-opacity": 0.45, ...pen }),
      svg("text", { x: x_mm, y: y_mm + 10, "font-size": 30, "text-anchor": "middle", fill: "currentColor" }, off === null ? i + 1 : decimal(off, 1))];
  });
  drawn.replaceChildren(svg("rect", { width, height, fill: "none", ...pen }), ...places.flat());
  at("certificate").hidden = !seen.certificate;
}

function buttons(seen) {
  at("buttons")?.replaceChildren(...(seen.buttons ?? []).map(({ name, is_pressed }) =>
    el("li", { class: "card finding", "data-level": is_pressed ? "good" : "unknown" }, el("span", { class: "mark" }), el("strong", {}, name))));
}

function show(seen) {
  at("say").textContent = at("blind").textContent = seen.says ?? "";
  at("say").hidden = Boolean(seen.blind) || seen.says === at("told").textContent;
  at("without").hidden = !seen.blind;
  const main = document.querySelector("[data-main]");
  const isDone = (seen.done ?? []).includes(step);
  main?.classList.toggle("primary", !isDone && !(seen.pictures < at("pictures")?.max));
  at("next").classList.toggle("primary", isDone || (!main && Boolean(seen.is_good)));
  for (const link of document.querySelectorAll(".steps a")) {
    link.toggleAttribute("data-done", (seen.done ?? []).includes(link.getAttribute("href").split("/").pop()));
  }
  overlay(seen);
  if (step === "aim") {
    at("focus").value = seen.focus ?? 0;
    at("focus-says").textContent = seen.focus_says ?? "";
    at("light").value = seen.light ?? 0;
    at("light-says").textContent = seen.light_says ?? "";
  }
  if (step === "lens" && seen.covered) {
    at("pictures").value = seen.pictures;
    at("count").textContent = `${Math.min(seen.pictures, at("pictures").max)} / ${at("pictures").max}`;
    at("finish_lens").disabled = !seen.can_finish;
    at("profile").textContent = ` (${seen.profile})`;
  }
  buttons(seen);
  map(seen);
}

async function look() {
  try {
    const answer = await fetch(`/setup/${step}/look.json`);
    const seen = await answer.json();
    if (answer.ok) show(seen);
    else at("say").textContent = seen.error.message;
  } catch {
    at("say").textContent = lost();
  }
}

async function follow() {
  await look();
  const live = at("live");
  if (live) live.src = `/setup/live.jpg?${Date.now()}`;
  setTimeout(follow, document.hidden ? 2000 : 400);
}

for (const [happens, isHidden] of [["load", false], ["error", true]]) { // a camera that opens has no picture yet
  at("live")?.addEventListener(happens, ({ target }) => (target.hidden = isHidden));
}
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => send({ do: button.dataset.do }, button));
}
at("game")?.addEventListener("change", (event) => send({ do: "choose", game: event.target.value }));
at("lay")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const number = (id) => Number(at(id).value.replace(",", "."));
  send({ do: "lay", across_mm: number("across_mm"), diagonal_mm: number("diagonal_mm") }, event.submitter);
});
follow();
