"""Hints are computed in parallel to the match: a thread of its own computes them once for each state and seat.

The view is on the phones at once; the hints follow as a message of their own. An unchanged state costs nothing. If a
newer state arrives, the older one is given up between two seats.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from companion.game.game import Game
from companion.game.values import Hint
from companion.game.view import HintsView, HintView
from companion.match.secrets import Held, known_to

S = TypeVar("S")
A = TypeVar("A")

PLAYOUTS = 300
"""Playouts of each move: a state gets the same hints each time, on a busy box too. Chosen by hand: 0.2 s here."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The state for hints, named as in `HintsView`, and the seats that somebody looks at."""

    match: str
    judged: int
    seats: frozenset[str]
    state: Any = field(compare=False)
    secrets: Held = field(default_factory=dict, repr=False)
    """Each seat's own secrets: used for that seat's hints alone."""


class Thinker(Generic[S, A]):
    """Computes the hints of connected seats; `tell` is called with each as soon as it is ready."""

    def __init__(self, game: Game[S, A], within_s: float, tell: Callable[[HintsView], None]) -> None:
        self._game = game
        self._within_s = within_s
        self._tell = tell
        self._changed = threading.Condition()
        self._wanted: Wanted | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)
        self._thread.start()

    def want(self, wanted: Wanted) -> None:
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
        done: Wanted | None = None
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
            except Exception:  # the thread's edge: this state gets no more hints, the next one does
                _LOGGER.exception("no hints for this state")
            done = wanted

    def _order(self, wanted: Wanted) -> list[str]:
        """The seats to move first."""
        first = self._game.rules.to_move(wanted.state)
        return sorted(wanted.seats, key=lambda seat: (seat not in first, seat))

    def _thought(self, wanted: Wanted, seat: str) -> HintsView:
        within_ms = 1000 * self._within_s / len(wanted.seats)
        try:
            over = self._game.rules.outcome(wanted.state) is not None
            state = known_to(self._game, wanted.state, seat, wanted.secrets)
            found = (
                ()
                if over or within_ms <= 0
                else self._game.page.hints(state, seat, within_ms=within_ms, playouts=PLAYOUTS)
            )
        except Exception:  # the thread's edge: optional help must not end the thread
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
        is_plain = hint.chance is not None and all(abs(hint.chance - other) > (hint.error or 0.0) for other in rivals)
        shown.append(hint.chance if is_plain else None)
    return tuple(shown)
