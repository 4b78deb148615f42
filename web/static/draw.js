// Drawing: elements without innerHTML, and parts of a page that are redrawn only when what they show has changed.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** An HTML element: el("button", { class: "big", onclick: tap }, "Undo"). */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element; pictures beside words are hidden from screen readers. */
export function svg(tag, attributes, ...children) {
  const hidden = tag === "svg" && !attributes?.role ? { "aria-hidden": "true", focusable: "false" } : {};
  return fill(document.createElementNS(SVG, tag), { ...hidden, ...attributes }, children);
}

/** What is drawn for the eye, and told in words to those who listen. */
export const brief = (drawn, words) => [el("span", { class: "unseen" }, words), el("span", { class: "brief", "aria-hidden": "true" }, drawn)];

/** A button that works or rests; one that rests keeps the focus, which a disabled one would lose. */
export function rest(button, isResting) {
  if (isResting) button.setAttribute("aria-disabled", "true");
  else button.removeAttribute("aria-disabled");
  return button;
}

const kept = JSON.parse(document.getElementById("pictures")?.textContent || "{}");

/** The address of a kept picture; a replay has its pictures with it. */
export const pictureAt = (sha256) => kept[sha256] ?? `/evidence/${sha256}.jpg`;

export async function showPicture(image, answer) {
  const old = image.src;
  image.src = URL.createObjectURL(await answer.blob());
  await image.decode().catch(() => undefined);
  if (old.startsWith("blob:")) URL.revokeObjectURL(old);
}

const shown = new Map();

/**
 * Redraws the part with this id when `data` differs from what it shows; null or nothing drawn hides it. The focus stays on the
 * control of the same `data-key` and what was typed in its field, so that a push does not take the keyboard away.
 */
export function part(id, data, draw) {
  const place = document.getElementById(id);
  const key = JSON.stringify(data ?? null);
  if (!place || shown.get(id) === key) return;
  shown.set(id, key);
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const open = new Set([...place.querySelectorAll("details[open][data-key]")].map((d) => d.dataset.key));
  const fields = () => place.querySelectorAll("input[data-key]:not([type])");
  const typed = new Map([...fields()].map((field) => [field.dataset.key, field.value]));
  const drawn = data === null || data === undefined ? [] : [draw(data)].flat(Infinity).filter(Boolean);
  place.replaceChildren(...drawn);
  place.hidden = drawn.length === 0;
  for (const d of place.querySelectorAll("details[data-key]")) d.open = open.has(d.dataset.key) || d.open;
  for (const field of fields()) field.value = typed.get(field.dataset.key) ?? field.value;
  if (focused) place.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

/** Says something to those who listen; `urgent` interrupts. The same words twice are said twice. */
export function announce(words, urgent = false) {
  const ear = document.getElementById(urgent ? "alarmed" : "said");
  document.getElementById(urgent ? "said" : "alarmed").textContent = ""; // what was said before no longer holds
  ear.textContent = ear.textContent === words ? words + "\u00a0" : words;
}
