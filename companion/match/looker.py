"""Checks that the table is laid as it should be: put back after an undo, and set up before the first throw.

A look makes no entry. Its result is shown while it is valid, decides nothing, and is then forgotten. It follows from
the log and the newest reading, so a restart restores it with its first look.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from companion.game.errors import CompanionError
from companion.game.game import Game
from companion.game.kit import Kit
from companion.game.values import Checked, Laid, SetUp
from companion.record.body import BODIES, Acted, Unread
from companion.record.entry import Entry
from companion.record.fold import Folded, action_of, fold

S = TypeVar("S")
A = TypeVar("A")

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaidNow:
    """The result of the newest look: each thing to put back by hand, then other misplaced things, and the set-up."""

    back: tuple[Checked, ...] = ()
    set_up: SetUp | None = None


def taken_back(game: Game[S, A], folded: Folded[S, A]) -> tuple[S, S] | None:
    """The current state, and the state of the table as it was left; None unless the newest move of pieces was taken
    back.

    Actions that moved no piece (such as an answer) are skipped, whether they stand or were taken back.
    """
    for entry in reversed(folded.entries):
        if isinstance(entry.body, Unread) and BODIES[entry.kind] is Acted:  # another version's: its effect is unknown
            return None
        action = action_of(entry)
        if action is None:
            continue
        try:
            is_back = entry.seq in folded.retracted
            entered = partial(_as_entered, game, folded, entry) if is_back else lambda: folded.state
            left = game.table.as_left(folded.state, action, entered)
            if left is not None:
                return (folded.state, left) if is_back else None
        except (CompanionError, LookupError):  # it does not fit the state
            return None
    return None


def _as_entered(game: Game[S, A], folded: Folded[S, A], entry: Entry) -> S:
    """The match as it stood with an entry, without later retractions."""
    return fold(game, (e for e in folded.entries if e.seq <= entry.seq), folded).state


class Looker(Generic[S, A]):
    """Compares the newest settled reading with how the table should lie. One thread's."""

    def __init__(self, game: Game[S, A], kit: Kit | None) -> None:
        self._game, self._kit = game, kit
        self.reading: Any | None = None
        """The newest settled reading, merged with earlier looks at pieces that have not moved since; None: it cannot be
        seen."""
        self._settled: Any | None = None
        self._earlier: Any | None = None
        self._since: object = None
        self._was_right = False
        self._back: tuple[Checked, ...] = ()

    def saw(self, reading: Any | None) -> None:
        """Takes the newest settled reading; None: the table cannot be seen. A hand or a movement does not change it."""
        self.reading = None
        if reading is not None:
            self.reading = self._settled = self._game.eyes.settled(reading, self._settled)

    def now(self, folded: Folded[S, A]) -> LaidNow:
        """Compares the newest look with the match as it stands. Never raises: this help must not block a throw."""
        try:
            return self._compare(folded)
        except Exception:
            _LOGGER.exception("the table could not be compared with how it should lie")
            return LaidNow()
        finally:
            self._earlier = self._settled

    def _compare(self, folded: Folded[S, A]) -> LaidNow:
        since = folded.last.entry.seq if folded.last else None, folded.retracted
        if since != self._since:  # another throw was judged or taken back: earlier results are no longer valid
            self._since, self._was_right, self._back = since, False, ()
        undone = taken_back(self._game, folded)
        if undone is not None and self._game.table.put_back(*undone):
            back = self._game.table.seen_back(*undone, self.reading, self._back, self._earlier)
            if self.reading is not None:  # results from before the table went dark are kept
                self._back = back
            return LaidNow(back=back)
        if self.reading is None:
            return LaidNow()
        set_up = self._game.table.seen_set_up(folded.state, self.reading, self._kit, was_right=self._was_right)
        self._was_right = self._was_right or (set_up is not None and set_up.laid is Laid.YES)
        return LaidNow(set_up=set_up)
