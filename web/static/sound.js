// A soft chime and a short vibration for what changed, each with its own switch; the first tap unlocks the sound.

import { keep, recall } from "./memory.js";

const STORED = { sound: "no sound", buzz: "no vibration" };
const NOTES = { ruling: [[659, 0], [880, 0.11]], question: [[880, 0], [659, 0.13], [880, 0.26]], call: [[988, 0], [784, 0.16], [988, 0.32], [784, 0.48]], over: [[523, 0], [659, 0.13], [784, 0.26], [1047, 0.4]] };
const BUZZ_MS = { ruling: [40], question: [60, 60, 60], call: [200, 90, 200], over: [80, 50, 80, 50, 160] };
const LOUD = { call: 0.5 };
const NOTE_S = 0.5;
let context = null;

/** Whether a switch is on: "sound" or "buzz". */
export const isOn = (which) => recall(STORED[which]) === null;

export function toggle(which) {
  keep(STORED[which], isOn(which) ? "" : null);
  if (which === "sound" && isOn("sound")) chime("ruling");
}

export const canBuzz = () => "vibrate" in navigator;

/** Says by ear and hand that something happened: "ruling", "question", "call" or "over". */
export function chime(what) {
  document.body.dataset.chimed = what;
  if (isOn("buzz") && canBuzz() && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate(BUZZ_MS[what]);
  if (!isOn("sound") || context?.state !== "running") return;
  for (const [hertz, at_s] of NOTES[what]) note(hertz, context.currentTime + at_s, LOUD[what] ?? 0.16);
}

function note(hertz, at_s, loud) {
  const [tone, level] = [context.createOscillator(), context.createGain()];
  tone.type = "triangle";
  tone.frequency.value = hertz;
  level.gain.setValueAtTime(0.0001, at_s);
  level.gain.exponentialRampToValueAtTime(loud, at_s + 0.015);
  level.gain.exponentialRampToValueAtTime(0.0001, at_s + NOTE_S);
  tone.connect(level).connect(context.destination);
  tone.start(at_s);
  tone.stop(at_s + NOTE_S);
}

/** A browser lets a page sound only after it was tapped. */
function unlock() {
  context ??= window.AudioContext ? new AudioContext() : null;
  context?.resume();
}
addEventListener("pointerdown", unlock, { once: true });
addEventListener("keydown", unlock, { once: true });
