// Words of the pages: an English template is the key; the page carries the translations of its language, if any.

const catalogue = JSON.parse(document.getElementById("words")?.textContent || "{}");

/** A sentence in the page's language, its {values} filled in. */
export function say(template, values = {}) {
  const words = catalogue[template] ?? template.split("|")[0]; // what stands after | is for translators only
  return words.replace(/(?:\b([Aa]) )?\{(\w+)\}/g, (whole, a, key) => (key in values ? `${a ? article(a, values[key]) : ""}${isolated(String(values[key]))}` : whole));
}

/** An English "a" as it stands before a word; no other language has one. */
const article = (a, word) => (/^([aei]|o(?!ne\b)|u(?![ns])|8|1[18]\b)/i.test(word) ? `${a}n ` : `${a} `);

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** A name or words that run from right to left, so that what stands beside them keeps its place. */
export const isolated = (words) => (RIGHT_TO_LEFT.test(words) ? `\u2068${words}\u2069` : words);

/** A sentence by a number of things: for one, and for several or none with {n}. */
export const counted = (n, one, many) => say(n === 1 ? one : many, { n });

/** A seat as a word that begins a line: red is Red, A is A. */
export function seatWord(seat) {
  const word = catalogue[seat] ?? seat;
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A sentence as it begins a line: its first letter large. */
export const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** How long, in one unit: 8 s, 3 min, 2 h. */
export function howLong(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return say("{n} s", { n: s });
  if (s < 3600) return say("{n} min", { n: Math.floor(s / 60) });
  return say("{n} h", { n: Math.floor(s / 3600) });
}

export function timeOfDay(wall_s) {
  return new Date(wall_s * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** Who entered something: a name, or what stands on the table. */
export const whoWord = (by) => BY[by]?.() ?? by;
const BY = { camera: () => say("camera"), button: () => say("the button"), table: () => say("table"), box: () => say("box"), referee: () => say("referee"), autoplay: () => say("autoplay") };

/** A number as the page's language writes it. */
export const decimal = (value, digits) => value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A margin in words: how deep or how far off, and its standard error. */
export function marginWords(margin_mm, sigma_mm) {
  const digits = (sigma_mm ?? 1) < 0.095 || Math.abs(margin_mm) < 0.095 ? 2 : 1;
  const mm = decimal(Math.abs(margin_mm), digits);
  const depth = margin_mm > 0 ? say("{mm} mm inside", { mm }) : say("{mm} mm outside", { mm });
  return { depth, error: sigma_mm == null ? "" : say("± {mm} mm", { mm: decimal(sigma_mm, digits) }) };
}
