// What this browser remembers, of this tab alone if `isOfTab`. A private window may refuse: then nothing is remembered.

const store = (isOfTab) => (isOfTab ? sessionStorage : localStorage);

/** The text that was kept; null if there is none. */
export function recall(key, isOfTab = false) {
  try { return store(isOfTab).getItem(key); } catch { return null; }
}

/** Keeps a text; null forgets it. */
export function keep(key, text, isOfTab = false) {
  try {
    if (text === null) store(isOfTab).removeItem(key);
    else store(isOfTab).setItem(key, text);
  } catch { /* as it was, next time */ }
}
