// What is typed and chosen in a page's forms stays when the page is shown in another language, or again with a refusal.

const KEY = "typed";
const all = (css) => [...document.querySelectorAll(`main ${css}`)];
const fields = () => all(":is(input:not([type=hidden], [type=file], [name=people]), select, textarea)");
const held = (field) => (["radio", "checkbox"].includes(field.type) ? "checked" : "value");

function keep({ target }) {
  const typed = fields().map((field) => [field.name, field[held(field)]]);
  const kept = { path: location.pathname, isOnlyIfRefused: !target.matches(".languages"), typed, people: groups.map((group) => group.names()), open: all("details").map((details) => details.open) };
  try { sessionStorage.setItem(KEY, JSON.stringify(kept)); } catch { /* a private window may refuse to remember */ }
}

function putBack() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(KEY)); sessionStorage.removeItem(KEY); } catch { /* nothing was kept */ }
  if (kept?.path !== location.pathname || (kept.isOnlyIfRefused && !document.querySelector("main > .waiting[role=alert]"))) return;
  groups.forEach((group, i) => kept.people?.[i]?.forEach(group.adds));
  fields().forEach((field, i) => { if (kept.typed[i]?.[0] === field.name) field[held(field)] = kept.typed[i][1]; });
  all("details").forEach((details, i) => { details.open = kept.open[i] ?? details.open; });
}

/** A choice among the seats offers those of the players that there are. */
function seatsThere(form) {
  const players = Number(form.querySelector("[name=players]:checked")?.value);
  for (const select of form.querySelectorAll("select[data-seats]")) {
    [...select.options].forEach((option, i) => { option.hidden = option.disabled = i >= players; });
    if (select.selectedIndex >= players) select.selectedIndex = 0;
  }
}

/** What a choice brings stands in the fields that are left open: as a choice's words, or faintly where one types. */
function brings(select) {
  const brought = JSON.parse(select.dataset.brings), told = {};
  const show = () => {
    for (const field of select.form.querySelectorAll("select, input[id]")) {
      const value = brought[select.value]?.[field.name] ?? "";
      if (field.tagName === "INPUT") { field.placeholder = value; continue; }
      const open = field.querySelector("option[value='']"), same = [...field.options].find((option) => option.value === value);
      if (!open) continue;
      told[field.name] ??= open.textContent;
      open.textContent = same?.textContent ?? told[field.name];
      for (const option of field.options) option.hidden = option.disabled = option !== open && option === same;
      if (field.selectedOptions[0] === same) field.value = "";
    }
  };
  select.addEventListener("change", show);
  return show;
}

/** The button that begins says what is played, as people call it. */
function named(button) {
  const called = button.form.elements.called, usual = button.textContent;
  const show = () => { button.textContent = called.value.trim() ? button.dataset.play.replace("{game}", called.value.trim()) : usual; };
  called?.addEventListener("input", show);
  return called ? show : () => undefined;
}

/** Who plays: names are numbered in the order of taps, which is the order round the table, and there are as many players. */
function people(group) {
  const pills = group.querySelector(".pills"), typed = group.querySelector("[name=new_people]"), { form } = typed;
  const numbers = [...form.querySelectorAll("[name=players]")], usual = numbers.find((radio) => radio.checked);
  let chosen = []; // the ticked boxes
  let least = 0; // what somebody chose
  const typedNames = () => typed.value.split(",").map((name) => name.trim()).filter(Boolean);
  const show = () => {
    for (const pill of pills.children) pill.dataset.n = chosen.indexOf(pill.firstElementChild) + 1 || "";
    const count = Math.max(chosen.length + typedNames().length, least);
    const fits = count === 0 ? usual : numbers.find((radio) => Number(radio.value) >= count);
    if (fits) { fits.checked = true; seatsThere(form); }
  };
  const adds = (name) => {
    const same = [...pills.children].find((pill) => pill.firstElementChild.value.toLowerCase() === name.toLowerCase());
    const pill = same ?? pills.appendChild(document.createElement("label"));
    if (!same) {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: "people", value: name });
      pill.className = "pill";
      pill.append(box, Object.assign(document.createElement("span"), { textContent: name }));
    }
    if (!chosen.includes(pill.firstElementChild)) chosen.push(pill.firstElementChild);
    pill.firstElementChild.checked = true;
    show();
  };
  const take = () => {
    const names = typedNames();
    typed.value = ""; // first, or each name would count twice
    names.forEach(adds);
  };
  pills.addEventListener("change", ({ target }) => { chosen = chosen.filter((box) => box !== target); if (target.checked) chosen.push(target); show(); });
  numbers.forEach((radio) => radio.addEventListener("change", () => { least = Number(radio.value); }));
  typed.addEventListener("input", () => (typed.value.endsWith(",") ? take() : show()));
  typed.addEventListener("keydown", (event) => { if (event.key === "Enter" && typed.value.trim()) { event.preventDefault(); take(); } });
  form.addEventListener("formdata", ({ formData }) => { formData.delete("people"); chosen.forEach((box) => formData.append("people", box.value)); });
  return { adds, names: () => chosen.map((box) => box.value) };
}

const groups = all("[data-people]").map(people);
const shows = [...all("[data-brings]").map(brings), ...all("[data-play]").map(named)];
addEventListener("submit", keep);
addEventListener("change", ({ target }) => target.name === "players" && seatsThere(target.form));
putBack();
shows.forEach((show) => show());
for (const form of document.forms) seatsThere(form);

if ("wall" in document.body.dataset) setTimeout(() => location.assign("/board"), 20_000); // the wall waits for a match
for (const details of all(".games > li > details")) details.addEventListener("toggle", () => details.open && details.scrollIntoView({ block: "nearest" }));
