"""The audience of a match: streams of whole views, connected seats, and a thread for hints. Thread-safe."""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from companion.game.game import Game
from companion.game.values import A, Hint, S
from companion.game.view import HintsView, HintView, MatchView
from companion.match.people import Held, known_to
from companion.match.present import ViewInputs

HEARD_S = 15.0
"""Time for which a phone without a stream counts as connected after a request, s: it loads or polls every 3 s."""
KEPT_S = 600.0
"""Time for which a seat is kept for a phone that went away, s: it sleeps, or its owner fetches a drink."""


class Audience:
    """Gives all watchers the newest view and hints; nothing waits for them. `look` takes a snapshot of the match from
    the connected and kept seats, `present` makes a seat's view, also from another seat's."""

    def __init__(
        self,
        look: Callable[[frozenset[str], Callable[[str], bool]], ViewInputs],
        present: Callable[[ViewInputs, str | None, MatchView | None], MatchView],
        monotonic_s: Callable[[], float],
    ) -> None:
        self._look = look
        self._present = present
        self._monotonic_s = monotonic_s
        self.changed = threading.Condition()
        self.version = 0
        self.is_closed = False
        self._streams: set[ViewStream] = set()
        self._here: Counter[str] = Counter()
        """Number of streams of each seat. Kept as a counter, because every view asks for it for every phone."""
        self._heard_s: dict[str, float] = {}
        self._left_s: dict[str, float] = {}
        self._opened_s = monotonic_s()
        self._seen = look(frozenset(), lambda seat: True)
        self._views: dict[str | None, MatchView] = {}
        self._hints: dict[str, HintsView] = {}

    def hints(self, seat: str | None) -> HintsView | None:
        return None if seat is None else self._hints.get(seat)

    def hint(self, hints: HintsView) -> None:
        """Gives a seat's phones its hints."""
        with self.changed:
            self._hints[hints.seat] = hints
            self._wake()

    def view(self, seat: str | None) -> MatchView:
        """The newest whole view, for a seat or a watcher."""
        self.notice_gone()
        return self.newest(seat)

    def newest(self, seat: str | None) -> MatchView:
        """The view that was published last; made once for all streams of a seat."""
        with self.changed:
            if seat not in self._views:
                other = next(iter(self._views.values()), None)
                self._views[seat] = self._present(self._seen, seat, other)
            return self._views[seat]

    def _wake(self) -> None:
        """Wakes all streams: there may be news. The lock must be held."""
        self.changed.notify_all()
        for wake in {stream.on_news for stream in self._streams}:
            wake()

    def subscribe(self, seat: str | None, on_news: Callable[[], None]) -> "ViewStream":
        """A stream of views; the first `next` gives the newest at once."""
        stream = ViewStream(self, seat, on_news)
        with self.changed:
            self._streams.add(stream)
            if seat is not None:
                self._here[seat] += 1
        self.publish()
        return stream

    def heard(self, seat: str) -> None:
        """Notes that the phone of `seat` has just asked or tapped."""
        with self.changed:
            self._heard_s[seat] = self._monotonic_s()

    def forget(self, seat: str) -> None:
        """Forgets when `seat` was last heard: its holder has left it."""
        with self.changed:
            self._heard_s.pop(seat, None)
            self._left_s.pop(seat, None)

    def connected(self) -> frozenset[str]:
        """The seats whose phone has a stream or was heard a moment ago."""
        since_s = self._monotonic_s() - HEARD_S
        with self.changed:
            here = {seat for seat, streams in self._here.items() if streams}
            return frozenset(here | {seat for seat, at_s in self._heard_s.items() if at_s > since_s})

    def is_kept(self, seat: str) -> bool:
        """Whether the phone of `seat` is connected, or went away less than `KEPT_S` ago, or before this box started."""
        with self.changed:
            gone_s = max(self._heard_s.get(seat, self._opened_s), self._left_s.get(seat, self._opened_s))
            return bool(self._here[seat]) or gone_s > self._monotonic_s() - KEPT_S

    def notice_gone(self) -> None:
        """Publishes if a phone without a stream appeared or fell silent, or a seat is kept no longer."""
        seen = self._seen
        if self.connected() != seen.connected or not all(map(self.is_kept, seen.kept)):
            self.publish()

    def publish(self) -> None:
        """Publishes a new view if something has changed."""
        with self.changed:
            # under the lock: an older snapshot must not be published after a newer one
            seen = self._look(self.connected(), self.is_kept)
            if seen != self._seen or not self.version:
                self._seen = seen
                self._views = {}
                self.version += 1
                self._wake()

    def gone(self, stream: "ViewStream") -> None:
        with self.changed:
            if stream in self._streams:
                self._streams.remove(stream)
                if stream.seat is not None:
                    self._here[stream.seat] -= 1
                    self._left_s[stream.seat] = self._monotonic_s()
            self.changed.notify_all()
        stream.on_news()
        if not self.is_closed:
            self.publish()

    def close(self) -> None:
        """Ends all streams: the match is closing."""
        with self.changed:
            self.is_closed = True
            self._wake()


class ViewStream:
    """One phone's stream of whole views; only the newest waits. Implements `companion.match.inputs.Subscription`."""

    def __init__(self, audience: Audience, seat: str | None, on_news: Callable[[], None]) -> None:
        self._audience = audience
        self._taken = 0
        self._hinted: HintsView | None = None
        self._closed = False
        self.seat = seat
        self.on_news = on_news

    def next(self, timeout_s: float) -> MatchView | HintsView | None:
        """The newest view not yet taken, else the newest hints; None after the time, or once closed."""
        audience = self._audience
        with audience.changed:
            if timeout_s > 0:
                audience.changed.wait_for(lambda: self.is_closed or self._has_news(), timeout=timeout_s)
            if self.is_closed:
                return None
            if not self._has_news():
                audience.notice_gone()  # a phone that falls silent causes no event, so this checks for it
            if audience.version == self._taken:
                hints = audience.hints(self.seat)
                self._hinted, news = hints, hints if hints is not self._hinted else None
                return news
            self._taken = audience.version
            return audience.newest(self.seat)

    def _has_news(self) -> bool:
        return self._audience.version != self._taken or self._audience.hints(self.seat) is not self._hinted

    @property
    def is_closed(self) -> bool:
        """True once the match is closing or the phone is gone."""
        return self._closed or self._audience.is_closed

    def close(self) -> None:
        """Closes the stream. May be called twice."""
        if not self._closed:
            self._closed = True
            self._audience.gone(self)


PLAYOUTS = 300
"""Playouts of each move: a state gets the same hints each time, on a busy box too. Chosen by hand: 0.2 s here."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HintRequest:
    """The state for hints, named as in `HintsView`, and the seats that somebody looks at."""

    match: str
    judged: int
    seats: frozenset[str]
    state: Any = field(compare=False)
    secrets: Held = field(default_factory=dict, repr=False)
    """Each seat's own secrets: used for that seat's hints alone."""


class Thinker(Generic[S, A]):
    """Computes the hints of connected seats in a thread of its own; a newer state makes it give up an older one."""

    def __init__(self, game: Game[S, A], within_s: float, tell: Callable[[HintsView], None]) -> None:
        self._game = game
        self._within_s = within_s
        self._tell = tell
        self._changed = threading.Condition()
        self._wanted: HintRequest | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
        self._thread.start()

    def want(self, wanted: HintRequest) -> None:
        """Asks for hints for this state and these seats; an earlier request is given up."""
        with self._changed:
            if wanted != self._wanted:
                self._wanted = wanted
                self._changed.notify_all()

    def close(self) -> None:
        """Ends the thread, after the hints of the seat in progress."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        done: HintRequest | None = None
        told: set[str] = set()
        while True:
            with self._changed:
                while self._wanted == done and not self._is_closed:
                    self._changed.wait()
                if self._is_closed:
                    return
                wanted = self._wanted
                assert wanted is not None
            if done is None or (done.match, done.judged) != (wanted.match, wanted.judged):
                told = set()
            elif done.secrets != wanted.secrets:
                told -= {seat for seat in told if done.secrets.get(seat) != wanted.secrets.get(seat)}
            try:
                for seat in self._order(wanted):
                    if seat not in told and self._wanted is wanted and not self._is_closed:
                        self._tell(self._thought(wanted, seat))
                        told.add(seat)
            except Exception:  # the thread's catch-all: this state gets no more hints, the next one does
                _LOGGER.exception("no hints for this state")
            done = wanted

    def _order(self, wanted: HintRequest) -> list[str]:
        first = self._game.rules.to_move(wanted.state)
        return sorted(wanted.seats, key=lambda seat: (seat not in first, seat))

    def _thought(self, wanted: HintRequest, seat: str) -> HintsView:
        within_ms = 1000 * self._within_s / len(wanted.seats)
        try:
            over = self._game.rules.outcome(wanted.state) is not None
            state = known_to(self._game, wanted.state, seat, wanted.secrets)
            found = (
                ()
                if over or within_ms <= 0
                else self._game.page.hints(state, seat, within_ms=within_ms, playouts=PLAYOUTS)
            )
        except Exception:  # the thread's catch-all: optional help must not end the thread
            _LOGGER.exception("no hints for %s", seat)
            found = ()
        hints = tuple(
            HintView(says=h.text, why=h.why, rule=h.rule, move=h.move, chance=chance)
            for h, chance in zip(found, plain_chances(found), strict=True)
        )
        return HintsView(match=wanted.match, judged=wanted.judged, seat=seat, hints=hints)


def plain_chances(hints: Sequence[Hint[Any]]) -> tuple[float | None, ...]:
    """The chances of ranked hints that differ from the next one by more than their error; None for the others.

    >>> from companion.game.says import Says
    >>> def hint(chance, error): return Hint("red", None, None, Says(""), chance=chance, error=error)
    >>> plain_chances((hint(0.6, 0.05), hint(0.4, 0.05), hint(0.38, 0.05)))
    (0.6, None, None)
    """
    shown: list[float | None] = []
    for i, hint in enumerate(hints):
        rivals = [
            other.chance for other in (*hints[max(0, i - 1) : i], *hints[i + 1 : i + 2]) if other.chance is not None
        ]
        # a single move leaves nothing to choose
        is_told = hint.chance is not None and bool(rivals or hint.action is None)
        is_plain = is_told and all(abs((hint.chance or 0.0) - other) > (hint.error or 0.0) for other in rivals)
        shown.append(hint.chance if is_plain else None)
    return tuple(shown)
