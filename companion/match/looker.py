"""Checks that the table is laid as it should be: put back after an undo, put right after a wrong move, and set up.

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
from companion.game.values import AS_IT_LIES, Checked, Laid, SetUp
from companion.record.body import BODIES, Acted, Answered, Retracted, Unread
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


@dataclass(frozen=True, slots=True)
class ToLay(Generic[S]):
    """The current state, the table as it was left instead, and the entry that made the difference."""

    now: S
    left: S
    entry: int
    is_mistake: bool = False
    """Whether people answered that a move was wrong, and did not take back a right one."""


def to_lay(game: Game[S, A], folded: Folded[S, A]) -> ToLay[S] | None:
    """The difference after the newest move of pieces, if it was taken back or its table was to be put right; else None.

    Actions that moved no piece (such as an answer) are skipped, whether they stand or were taken back.
    """
    for entry in reversed(folded.entries):
        if isinstance(entry.body, Unread) and BODIES[entry.kind] is Acted:  # another version's: its effect is unknown
            return None
        try:
            if isinstance(entry.body, Answered) and not entry.body.enters:
                if (wrong := _wrong(game, folded, entry)) is not None:
                    return wrong
                continue
            action = action_of(entry)
            if action is None:
                continue
            is_back = entry.seq in folded.retracted
            then = partial(_as_entered, game, folded, entry.seq if is_back else folded.seq)
            left = game.table.as_left(folded.state, action, lambda then=then: then().state)  # type: ignore[misc]
            if left is None:
                continue
            if is_back:
                undone = max(e.seq for e in folded.entries if isinstance(e.body, Retracted))
                return ToLay(folded.state, left, undone)
            answered = ((e, e.body) for e in folded.entries if isinstance(e.body, Answered))
            answer = next((e for e, body in answered if e.seq < entry.seq <= e.seq + body.enters), None)
            return None if answer is None else _wrong(game, folded, answer)
        except (CompanionError, LookupError):  # it does not fit the state
            return None
    return None


def _wrong(game: Game[S, A], folded: Folded[S, A], answer: Entry) -> ToLay[S] | None:
    """The difference after an answer about a wrong move; None after any other. Raises: Illegal."""
    assert isinstance(answer.body, Answered)
    then = _as_entered(game, folded, answer.body.entry)
    choices = () if then.doubt is None else then.doubt.choices
    lies = next((choice for choice in choices if choice.key == AS_IT_LIES), None)
    if lies is None or lies.action is None:
        return None
    left = game.rules.apply(then.state, lies.action).state
    return ToLay(folded.state, left, answer.seq, is_mistake=True)


def _as_entered(game: Game[S, A], folded: Folded[S, A], seq: int) -> Folded[S, A]:
    """The match as it stood with the entry of this number, without later retractions."""
    return folded if seq == folded.seq else fold(game, (e for e in folded.entries if e.seq <= seq), folded)


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
        lay = to_lay(game := self._game, folded)
        since = folded.last.entry.seq if folded.last else None, folded.retracted, lay and lay.entry
        if since != self._since:  # something was judged, answered or taken back: earlier results are no longer valid
            self._since, self._was_right, self._back = since, False, ()
        if lay is not None and game.table.put_back(lay.now, lay.left):
            back = game.table.seen_back(lay.now, lay.left, self.reading, self._back, self._earlier)
            if self.reading is not None:  # results from before the table went dark are kept
                self._back = back
            return LaidNow(back=back)
        if self.reading is None:
            return LaidNow()
        set_up = self._game.table.seen_set_up(folded.state, self.reading, self._kit, was_right=self._was_right)
        self._was_right = self._was_right or (set_up is not None and set_up.laid is Laid.YES)
        return LaidNow(set_up=set_up)
