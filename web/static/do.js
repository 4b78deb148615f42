// What a person taps goes to the server; a refusal comes back as one sentence.

import { say } from "./words.js";

export const PATIENCE_MS = 8000;

/** A sentence why nothing was done; `stood` is { match, seq } as the match stood when it refused, where it did. */
export class Refused extends Error {
  constructor(words, stood = {}) {
    super(words);
    this.stood = stood;
  }
}

/** Sends one tap, for example send({ do: "undo", seat: "red", entry: 12 }). Throws Refused. */
export const send = (tap) => post("/do", tap, say("The table did not answer. Before you tap again, look whether it was done."), PATIENCE_MS);

/** Sends something as JSON and returns the answer; `lost` is said if none comes. Throws Refused. */
export async function post(address, given, lost, patience_ms = null) {
  let answer;
  try {
    answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(given),
      signal: patience_ms && AbortSignal.timeout?.(patience_ms),
    });
  } catch {
    throw new Refused(lost);
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error?.message ?? say("This could not be done. Load the page again."), said.error);
  return said;
}
