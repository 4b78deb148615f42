// What a person taps goes to the table; a refusal comes back as one sentence.

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
export async function send(tap) {
  let answer;
  try {
    answer = await fetch("/do", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(tap),
      signal: AbortSignal.timeout?.(PATIENCE_MS),
    });
  } catch {
    throw new Refused(say("The table did not answer. Look whether it was done before you tap again."));
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error?.message ?? say("This could not be done. Load the page again."), said.error);
  return said.entry;
}
