// The newest whole view, however the phone sleeps and the server goes: one stream a page, resync on every wake.

const SILENT_MS = 12000; // the server beats every 5 s: longer silence is a lost connection that nobody told us of
const POLL_MS = 3000; // past the server's cap, or where streams do not pass
const TRY_STREAM_EVERY = 10; // polls
const HIDDEN_MS = 30000; // a page nobody sees gives its stream back: a browser has six a host
const GRACE_MS = 1500; // a short break is not worth an alarm

// one of the two clocks may stand still while the phone sleeps, and the other may be set
const now = () => ({ steady_ms: performance.now(), wall_ms: Date.now() });
const silence_ms = (since) => Math.max(performance.now() - since.steady_ms, Date.now() - since.wall_ms);

/** A word of this page's own, so that its newer stream replaces its older one. */
const page = [...crypto.getRandomValues(new Uint8Array(9))].map((b) => b.toString(36)).join("");

/**
 * Follows the match: `onView(view)` for each whole view, `onHints(hints)` for the seat's hints, `onLink(state)` with "connecting", "live", "polling", "waking"
 * (what is shown is old, and the table is being asked) or "lost", `onGone()` where another game has no such seat.
 */
export function follow({ seat, onView, onHints, onLink, onGone }) {
  const query = new URLSearchParams({ ...(seat ? { seat } : {}), page });
  let source = null;
  let link = "";
  let newest = null;
  let heard = now();
  let polls = 0;
  let pollTimer = 0;
  let hiddenTimer = 0;
  let lostTimer = 0;

  function tell(state) {
    if (state !== "lost") {
      clearTimeout(lostTimer);
      lostTimer = 0;
    }
    if (state !== link) onLink((link = state));
  }

  function lose() {
    if (!lostTimer && link !== "lost") lostTimer = setTimeout(() => tell("lost"), newest ? GRACE_MS : 0);
  }

  /** Nothing was heard for long: what is shown is old from this moment on, and lost if nothing comes soon. */
  function doubt() {
    if (!newest || link === "lost") return lose();
    tell("waking");
    lose();
  }

  function take(view, state) {
    heard = now();
    tell(state);
    if (newest && view.match === newest.match && view.seq < newest.seq) return;
    if (document.body.dataset.join !== view.join_url) return location.reload(); // the code that it shows leads nowhere now
    newest = view;
    const { hints } = view; // before the page puts in what it shows
    onView(view);
    if (hints) onHints?.(hints);
  }

  async function ask() {
    const answer = await fetch(`/state?${query}`, { cache: "no-store", signal: AbortSignal.timeout?.(5000) });
    if (answer.status === 404) onGone?.();
    if (!answer.ok) throw new Error(`state: ${answer.status}`);
    return answer.json();
  }

  function listen() {
    stop();
    source = new EventSource(`/events?${query}`);
    source.addEventListener("view", (event) => take(JSON.parse(event.data), "live"));
    source.addEventListener("hints", (event) => onHints?.(JSON.parse(event.data)));
    source.addEventListener("beat", () => {
      heard = now();
      tell("live");
    });
    source.onerror = () => {
      if (source?.readyState === EventSource.CLOSED) poll(); // refused: the cap, or the seat went to another phone
      else lose(); // the browser tries again by itself
    };
  }

  function stop() {
    source?.close();
    source = null;
    clearTimeout(pollTimer);
  }

  async function poll() {
    stop();
    try {
      take(await ask(), "polling");
      polls += 1;
      if (polls % TRY_STREAM_EVERY === 0) return listen();
    } catch {
      lose();
    }
    pollTimer = setTimeout(poll, POLL_MS);
  }

  /** Everything anew: first the state, which also gives a new phone its secret, then the stream. */
  async function resync() {
    stop();
    clearTimeout(hiddenTimer);
    if (silence_ms(heard) > SILENT_MS) doubt();
    try {
      take(await ask(), link === "live" ? "live" : "connecting");
    } catch {
      lose();
    }
    listen();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") resync();
    else hiddenTimer = setTimeout(stop, HIDDEN_MS);
  });
  addEventListener("pageshow", (event) => event.persisted && resync());
  addEventListener("pagehide", stop);
  addEventListener("online", resync);
  setInterval(() => {
    if (source && document.visibilityState === "visible" && silence_ms(heard) > SILENT_MS) {
      heard = now();
      doubt();
      listen();
    }
  }, 1000);

  onLink((link = "connecting"));
  resync();
}
