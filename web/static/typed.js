// What is typed and chosen in a page's forms stays when the page is shown in another language, or again with a refusal.

const KEY = "typed";
const all = (css) => [...document.querySelectorAll(`main ${css}`)];
const fields = () => all(":is(input:not([type=hidden], [type=file]), select, textarea)");
const held = (field) => (["radio", "checkbox"].includes(field.type) ? "checked" : "value");

function keep({ target }) {
  const typed = fields().map((field) => [field.name, field[held(field)]]);
  const kept = { path: location.pathname, isOnlyIfRefused: !target.matches(".languages"), typed, open: all("details").map((details) => details.open) };
  try { sessionStorage.setItem(KEY, JSON.stringify(kept)); } catch { /* a private window may refuse to remember */ }
}

function putBack() {
  let kept = null;
  try { kept = JSON.parse(sessionStorage.getItem(KEY)); sessionStorage.removeItem(KEY); } catch { /* nothing was kept */ }
  if (kept?.path !== location.pathname || (kept.isOnlyIfRefused && !document.querySelector("main > .waiting[role=alert]"))) return;
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

addEventListener("submit", keep);
addEventListener("change", ({ target }) => target.name === "players" && seatsThere(target.form));
putBack();
for (const form of document.forms) seatsThere(form);
