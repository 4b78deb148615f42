"""One table and what is played at it now: the door that pages ask, whichever game it leads to.

A match is one game's; people choose another on the start page, and the door then leads to that one. What looks at the
table (`Eyes`) and what else belongs to a match (buttons, lamp) is opened and closed with it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, Protocol

from companion.cli.matches import Ended, as_before, as_shown, ended, last_ended, opened_match
from companion.cli.playing import Chosen
from companion.errors import Refused
from companion.game import Game
from companion.inputs import BeginAnew, Input, Receipt, Subscription
from companion.kit import Kit
from companion.log import pictures_of
from companion.match import Match
from companion.referee import Thresholds
from companion.says import Says
from companion.view import HintsView, HistoryLine, MatchView

AnyMatch = Match[Any, Any]
NOBODY_PLAYS = Says("nothing is played at this table yet: choose a game first")


class Eyes(Protocol):
    """What looks at the table for one game."""

    @property
    def kit(self) -> Kit:
        """The set on the table."""

    def start(self, match: AnyMatch) -> None:
        """Begins to look, for a match."""

    def stop(self) -> None:
        """Ends it."""

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, None while there is none."""


OpenEyes = Callable[[Game[Any, Any], Chosen], Eyes | None]
"""What looks at a table of this game; None: nobody does, and people tap what happens."""


class House:
    """Implements `companion.inputs.Door` for whatever is played now, and `web.start.Starter`."""

    def __init__(
        self,
        folder: Path,
        open_eyes: OpenEyes,
        fit: Callable[[AnyMatch], AbstractContextManager[Any]] = lambda match: nullcontext(),
        thresholds: Thresholds | None = None,
    ) -> None:
        self._folder = folder
        self._open_eyes = open_eyes
        self._fit = fit
        self._thresholds = thresholds
        self._eyes: Eyes | None = None
        self._changing = threading.Lock()
        self._match: AnyMatch | None = None
        self._opened = ExitStack()

    def open(self, chosen: Chosen, *, is_new: bool = False) -> None:
        """Opens a match of what was chosen, in place of the one that is open. Raises: CompanionError, and then the
        table is as it was, or nothing is played."""
        game = chosen.open()
        if not is_new:
            chosen = as_before(self._folder, game, chosen)
        with self._changing:
            self._opened.close()
            self._match, self._opened = None, ExitStack()
            with ExitStack() as opened:
                eyes = self._open_eyes(game, chosen)
                looking = opened.enter_context(ExitStack())
                if eyes is not None:
                    looking.callback(eyes.stop)
                match = opened_match(
                    self._folder,
                    game,
                    options=chosen.options,
                    players=chosen.players,
                    board=chosen.board,
                    is_new=is_new,
                    live=None if eyes is None else eyes.live,
                    kit=None if eyes is None else eyes.kit,
                    has_eyes=eyes is not None,
                    thresholds=self._thresholds,
                )
                opened.callback(match.close)
                opened.push(looking.pop_all())  # what looks ends before the match does
                if eyes is not None:
                    eyes.start(match)
                opened.enter_context(self._fit(match))
                self._match, self._opened, self._eyes = match, opened.pop_all(), eyes

    def close(self) -> None:
        """Ends what is played, and what looks at it."""
        with self._changing:
            self._match = None
            self._opened.close()

    @property
    def match(self) -> AnyMatch:
        """What is played now. Raises: Refused."""
        if self._match is None:
            raise Refused(NOBODY_PLAYS)
        return self._match

    # the start page

    @property
    def playing(self) -> str | None:
        """The game that is played now."""
        return None if self._match is None else self._match.view().game

    @property
    def is_busy(self) -> bool:
        """Whether a match is going on that would be given up by another."""
        return self._match is not None and not self._match.is_over

    @property
    def has_ended(self) -> bool:
        """Whether a match was played to its end at this table."""
        return last_ended(self._folder) is not None

    def begin(self, game: str, players: int | None, options: dict[str, str], by: str) -> None:
        """Begins a new match; one that is going on is given up. Raises: CompanionError where it cannot begin."""
        chosen = Chosen(game=game, players=players, options=options, is_new=True)
        chosen.open()
        if self._match is not None:
            self._match.give_up(by)
        self.open(chosen, is_new=True)

    def ended(self, match: str) -> Ended | None:
        """How a match of this table ended; None while it has not, or where there is no such match. Raises: LogError."""
        return ended(self._folder, match)

    # the door

    def view(self, seat: str | None = None) -> MatchView:
        return self.match.view(seat)

    def history(self) -> tuple[HistoryLine, ...]:
        return self.match.history()

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        """The match that was played to its end before this one, or before the box was started. Raises: LogError."""
        before = None if self._match is None else self._match.before()
        if before is not None:
            return before
        path = last_ended(self._folder)
        return None if path is None else as_shown(path)

    def hints(self, seat: str) -> HintsView | None:
        return self.match.hints(seat)

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        receipt = self.match.submit(given, timeout_s)
        set_up = getattr(self._eyes, "set_up", None)  # a virtual table sets itself up for the next match
        if set_up is not None and isinstance(given, BeginAnew) and receipt.entry is not None and not given.goes_on:
            set_up()
        return receipt

    def subscribe(
        self, seat: str | None = None, phone: str | None = None, on_news: Callable[[], None] = lambda: None
    ) -> Subscription:
        return self.match.subscribe(seat, phone, on_news)

    def seats_of(self, phone: str) -> tuple[str, ...]:
        return self.match.seats_of(phone)

    def heard(self, seat: str) -> None:
        self.match.heard(seat)

    def picture(self, sha256: str) -> bytes | None:
        if self._match is not None:
            return self._match.picture(sha256)
        path = last_ended(self._folder)
        if path is None:
            return None
        with pictures_of(path) as picture:
            return picture(sha256)

    def live(self) -> bytes | None:
        return self.match.live()
