// The set-up of an event: a preset fills the form, and fields that the format does not need are hidden.

const form = document.getElementById("set-up");
const presets = JSON.parse(document.getElementById("presets").textContent);

function fill() {
  for (const [key, value] of Object.entries(presets[form.game.value])) {
    const fields = form.querySelectorAll(`[name="${key}"]`);
    const values = [value].flat();
    fields.forEach((field, at) => (field.type === "checkbox" ? (field.checked = !!value) : (field.value = values[at] ?? "")));
  }
  form.of.value = form.game.value;
}

function show() {
  const isAny = form.game.value.startsWith("any_");
  document.getElementById("any-game").hidden = !isAny;
  form.game_name.required = isAny;
  for (const field of form.querySelectorAll("[data-formats]")) {
    const { formats, results } = field.dataset;
    field.hidden = !((!formats || formats.split(" ").includes(form.format.value)) && (!results || results.split(" ").includes(form.result.value)));
  }
  advise();
}

form.game.addEventListener("change", fill);
/** What an empty number of rounds means, as `advised_rounds` of the server. */
function advise() {
  const players = form.entrants.value.split("\n").filter((line) => line.trim()).length;
  form.rounds.placeholder = ["swiss", "pods"].includes(form.format.value) ? Math.max(3, Math.ceil(Math.log2(players || 1))) : "";
}

form.addEventListener("change", show);
form.addEventListener("input", advise);
show();
