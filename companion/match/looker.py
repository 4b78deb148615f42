"""Is the table laid as it should be? After an undo: are the pieces back. Before the first throw: is it set up.

A look is no entry: what it says here is shown while it holds, decides nothing and is forgotten. It follows from the log
and the newest reading, so a restart finds it again with its first look.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from companion.game.errors import CompanionError
from companion.game.game import Checked, Game, Laid, SetUp
from companion.game.kit import Kit
from companion.game.parts import checking, seeing
from companion.record.entry import Entry
from companion.record.fold import Folded, Kind, fold

S = TypeVar("S")
A = TypeVar("A")

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaidNow:
    """What the newest look says: of each thing to put back by hand and what else lies elsewhere, and of the set-up."""

    back: tuple[Checked, ...] = ()
    set_up: SetUp | None = None


def taken_back(game: Game[S, A], folded: Folded[S, A]) -> tuple[S, S] | None:
    """The match as it stands, and a state that lies as the table was left last, where that was taken back.

    What moved no piece (an edge that was passed, an answer) is passed over, standing or taken back.
    """
    for entry in reversed(folded.entries):
        if entry.kind != Kind.ACTION:
            continue
        try:
            action = game.action_of_json(entry.body["action"])
            if not checking(game).moves_pieces(action):
                continue
            if entry.seq not in folded.retracted:
                return None
            left = checking(game).as_left(folded.state, action)
            return folded.state, left if left is not None else _as_entered(game, folded, entry)
        except (CompanionError, LookupError):  # another version's: it cannot be told what it did
            return None
    return None


def _as_entered(game: Game[S, A], folded: Folded[S, A], entry: Entry) -> S:
    """The match as it stood with an entry, whatever was taken back since."""
    return fold(game, (e for e in folded.entries if e.seq <= entry.seq), folded).state


class Looker(Generic[S, A]):
    """Compares the newest settled reading with how the table should lie. One thread's."""

    def __init__(self, game: Game[S, A], kit: Kit | None) -> None:
        self._game, self._kit = game, kit
        self.reading: Any | None = None
        """The table as it is seen at rest, with what looks before told of what lies still; None: it cannot be seen."""
        self._settled: Any | None = None
        self._earlier: Any | None = None
        self._since: object = None
        self._was_right = False
        self._back: tuple[Checked, ...] = ()

    def saw(self, reading: Any | None) -> None:
        """The table at rest as it was read; None: it cannot be seen. A hand or a movement leaves what was seen last."""
        self.reading = None
        if reading is not None:
            self.reading = self._settled = seeing(self._game).settled(reading, self._settled)

    def now(self, folded: Folded[S, A]) -> LaidNow:
        """What the newest look says of the match as it stands. Never raises: what only helps may not hinder a throw."""
        try:
            return self._compare(folded)
        except Exception:
            _LOGGER.exception("the table could not be compared with how it should lie")
            return LaidNow()
        finally:
            self._earlier = self._settled

    def _compare(self, folded: Folded[S, A]) -> LaidNow:
        since = folded.last.entry.seq if folded.last else None, folded.retracted
        if since != self._since:  # another throw was judged or taken back: what was seen before is of no meaning now
            self._since, self._was_right, self._back = since, False, ()
        undone = taken_back(self._game, folded)
        if undone is not None and checking(self._game).put_back(*undone):
            back = checking(self._game).seen_back(*undone, self.reading, self._back, self._earlier)
            if self.reading is not None:  # what was seen before it went dark is not forgotten
                self._back = back
            return LaidNow(back=back)
        if self.reading is None:
            return LaidNow()
        set_up = checking(self._game).seen_set_up(folded.state, self.reading, self._kit, was_right=self._was_right)
        self._was_right = self._was_right or (set_up is not None and set_up.laid is Laid.YES)
        return LaidNow(set_up=set_up)
