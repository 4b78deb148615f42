// The card of a finished match: a picture of 1080 × 1350 to send or keep, drawn on this phone.

import { say, sentence } from "./words.js";

const WIDE = 1080, HIGH = 1350, MARGIN = 72, LINE = 1.3;
const GROUND = { red: "#8f1017", blue: "#0b3d91", yellow: "#7a5a00", green: "#0b5d33" };
const NOBODY = "#2b2723";

/** The card as a PNG file. `told` has title, head, standing (lines of text), closest (sentence or null), picture (address
 * or null), color (the winner's or null) and day. */
export async function matchCard(told) {
  await document.fonts.ready;
  const canvas = Object.assign(document.createElement("canvas"), { width: WIDE, height: HIGH });
  const on = canvas.getContext("2d");
  on.fillStyle = GROUND[told.color] ?? NOBODY;
  on.fillRect(0, 0, WIDE, HIGH);
  const line = (words, at, size, weight = 400) => {
    on.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
    on.fillStyle = "#fff";
    const lines = wrapped(on, words);
    lines.forEach((one, i) => on.fillText(one, MARGIN, at + size + i * size * LINE));
    return at + lines.length * size * LINE;
  };
  let at = line(told.title, MARGIN, 44);
  at = line(told.head, at + 8, 92, 800) + 24;
  for (const words of told.standing) at = line(words, at, 44);
  const foot = HIGH - MARGIN - 40;
  if (told.picture) {
    const image = await loaded(told.picture);
    const caption = told.closest ? sentence(told.closest) : "";
    at = line(say("The closest call"), at + 30, 34);
    if (caption) at = line(caption, at, 44, 700);
    const room = foot - 60 - at, scale = Math.min((WIDE - 2 * MARGIN) / image.width, room / image.height);
    if (scale > 0) on.drawImage(image, MARGIN, at + 24, image.width * scale, image.height * scale);
  }
  line(told.day, foot - 12, 34);
  return new File([await new Promise((done) => canvas.toBlob(done, "image/png"))], "match.png", { type: "image/png" });
}

/** Sends a file by what the phone offers, else saves it: then it returns true. */
export async function sendOrSave(file) {
  if (navigator.canShare?.({ files: [file] })) return navigator.share({ files: [file] }).then(() => false, () => false); // or closed without sending
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  return true;
}

function wrapped(on, words) {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && on.measureText(longer).width <= WIDE - 2 * MARGIN) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function loaded(address) {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = failed;
    image.src = address;
  });
}
