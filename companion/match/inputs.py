"""Inputs that people send to a match. Each becomes an entry, or is refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from companion.game.names import BUTTON, NO_NAMES
from companion.game.says import Says
from companion.game.view import HintsView, HistoryLine, MatchView


def author(by: str) -> Says:
    """The author of an entry, in words: a person's name stays as it is.

    >>> str(author("button")), author("Back")
    ('the button', Says(template='{name}', values={'name': 'Back'}))
    """
    if by not in NO_NAMES:
        return Says("{name}", {"name": by})
    return Says("the button") if by == BUTTON else Says("{role}", {"role": by})


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSeat:
    """A phone takes a seat under a name; `phone` is that phone's own secret id.

    `holder` was the seat's player when the person tapped (None: nobody). If somebody else sits there by now, the tap is
    refused, so that nobody loses a seat unseen.
    """

    seat: str
    name: str
    phone: str
    holder: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveSeat:
    """A phone leaves its seat."""

    seat: str
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndThrow:
    """The throw is over (a button, or a phone): look at the table now."""

    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to the open question `question`, by a person's name, from the phone of `seat` (None: of no seat).

    `reason` is why, for an answer that goes against the rules or the record.
    """

    question: str
    choice: str
    by: str
    seat: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct:
    """A person corrects a fact of entry `entry`, with a reason."""

    entry: int
    fact: str
    value: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back entry `entry`, which `MatchView.undo` names: a stale page undoes nothing.

    `back_to`: take back everything from the newest action with this text on, such as ``A knocks``.
    """

    entry: int
    by: str
    back_to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginAnew:
    """Begin the next match after `match` (named as in `MatchView.match`); everybody keeps the seat.

    `is_given_up`: the match is unfinished and shall end; the phones of the other seats have to agree with that of
    `seat`. `goes_on`: `seat` wants to play on after all.
    """

    match: str
    by: str
    is_given_up: bool = False
    seat: str | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallReferee:
    """Somebody calls for a person to look; `entry` is the entry that the call is about, if any."""

    by: str
    words: str | Says = ""
    entry: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefereeCame:
    """The call of entry `entry` is settled."""

    entry: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOff:
    """The person who made the call of entry `entry` takes it back."""

    entry: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A person makes a move of `MatchView.moves` by a tap: at `seat`, with `values` for the questions of the move."""

    seat: str
    move: str
    by: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """A seat gives its own phone a secret (its hand); empty: forget it."""

    seat: str
    by: str
    text: str = field(repr=False)


Input = (
    Tell
    | TakeSeat
    | LeaveSeat
    | EndThrow
    | Act
    | Answer
    | Correct
    | Undo
    | CallReferee
    | RefereeCame
    | CallOff
    | BeginAnew
)


NEXT_HAS_BEGUN = Says("the next match has begun already: look at the page again")
"""The answer to an input that is for an earlier match."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an input: entered as log number `entry`, or refused with a sentence in `refused`."""

    entry: int | None
    refused: Says | None = None


class Subscription(Protocol):
    """A stream of whole views and their hints: only the newest of each waits."""

    def next(self, timeout_s: float) -> MatchView | HintsView | None:
        """The newest view not yet taken, or the newest hints; None if `timeout_s` passed without one (send a
        heartbeat)."""

    @property
    def is_closed(self) -> bool:
        """True once the match is closing: end the stream."""

    def close(self) -> None:
        """Closes the stream, for a lost phone or a server that ends: a waiting `next` returns None at once. May be
        called twice."""


class Door(Protocol):
    """The part of a match that pages may use; `companion.match.match.Match` implements it. Safe from any thread."""

    def view(self, seat: str | None = None) -> MatchView:
        """The newest whole view, for a seat or a watcher."""

    def history(self) -> tuple[HistoryLine, ...]:
        """All entries, newest first; a view has only the newest lines."""

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        """The last view and all lines of the match that was played to its end before this one, as a watcher saw
        them."""

    def hints(self, seat: str) -> HintsView | None:
        """The newest hints for a seat; None without hints for the present state."""

    def submit(self, given: Input, timeout_s: float = 5.0, of: str | None = None) -> Receipt:
        """Puts an input on the queue and waits until it is durably entered or refused. `of` names the match that it is
        for; None: the present one."""

    def subscribe(
        self, seat: str | None = None, phone: str | None = None, on_news: Callable[[], None] = lambda: None
    ) -> Subscription:
        """A stream of views; the first `next` gives the newest at once.

        `on_news` is called when there may be something new or the stream was closed. The call may come from any thread
        and with locks held, so it must only wake somebody who then calls `next(0)`.
        """

    def seats_of(self, phone: str) -> tuple[str, ...]:
        """The seats that this phone holds now, from the log: only for these may it act or see secrets."""

    def heard(self, seat: str) -> None:
        """Notes that the phone of `seat` has just asked or tapped: it is connected, even without a stream."""

    def picture(self, sha256: str) -> bytes | None:
        """A kept picture (JPEG bytes), or None when it is unknown or was pruned."""

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, or None while blind."""
