"""Decides whether a look is entered without a press.

A look is entered by itself if it shows something new and the game says that the turn is whole. New means: not shown by
the table as it lay after the newest entry. So an undone move, which still lies there, is not entered again, and the die
of the match before is no roll.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Generic, TypeVar

from companion.game.errors import CompanionError
from companion.game.game import Game
from companion.game.says import Says
from companion.game.values import Doubt, NotYet, Proposal

S = TypeVar("S")
A = TypeVar("A")
Found = Proposal[A] | Doubt[A] | None


class Unpressed(Generic[S, A]):
    """The looks since the newest entry. One thread's. `lag_s`: maximum age of a frame, s."""

    def __init__(self, game: Game[S, A], lag_s: float) -> None:
        self._game, self._lag_s = game, lag_s
        self._since_s = -math.inf
        self._is_known = False
        self._lay: Proposal[A] | Doubt[A] | None = None
        """The interpretation of the table as it lay after the newest entry, if that `_is_known`."""
        self.is_unsure = False
        """Whether the table shows something new that needs a press."""

    def entered(self, at_s: float, undone: tuple[A, ...] = ()) -> None:
        """Takes note of an entry that changed the state, at a monotonic moment.

        `undone`: the actions that it took back: the table shows them until it is put back.
        """
        self._since_s, self._is_known, self.is_unsure = at_s, bool(undone), False
        self._lay = Proposal(undone, Says("")) if undone else None

    def lay(self, confirmed_s: float, found: Callable[[], Found[A]]) -> None:
        """Takes note of how the table lies after the newest entry.

        `confirmed_s` is the newest frame that still showed it. `found` gives the game's interpretation of it.
        """
        if not self._is_known and confirmed_s >= self._since_s + self._lag_s:
            with contextlib.suppress(CompanionError):
                self._is_known, self._lay = True, _shown(found)

    def is_whole(self, found: Callable[[], Found[A]]) -> bool:
        """Whether a new look shows a whole turn that was not there before."""
        try:
            shown = _shown(found)
        except CompanionError:  # it cannot be judged now
            return False
        if shown is None or not self._is_known:
            self._is_known, self._lay, self.is_unsure = True, shown, False
            return False
        is_new = not self._is_as_it_lay(shown)
        is_whole = is_new and isinstance(shown, Proposal) and shown.is_whole
        self.is_unsure = is_new and not is_whole
        return is_whole

    def _is_as_it_lay(self, shown: Proposal[A] | Doubt[A]) -> bool:
        match self._lay, shown:
            case Proposal(actions=before), Proposal(actions=now):
                has_moved = self._game.eyes.has_moved
                return len(before) == len(now) and not any(map(has_moved, before, now))
            case Doubt() as before, Doubt() as now:
                return (before.key, before.says) == (now.key, now.says)
        return False


def _shown(found: Callable[[], Found[A]]) -> Found[A]:
    """An interpretation; None if nobody has acted. Raises: CompanionError if the table cannot be judged."""
    try:
        return found()
    except NotYet:
        return None
