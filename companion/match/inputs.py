"""Inputs of people and of the box. Each becomes an entry, or is refused in one sentence.

A phone sends an input as one JSON object, ``{"do": "undo", "seat": "red", "entry": 12}``; the server adds who sent it.
Inputs name their match and their object (the entry, the question), so that a tap on an old page changes nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from companion.game.names import BUTTON, NO_NAMES
from companion.game.says import Says
from companion.game.view import HintsView, HistoryLine, MatchView, StepView


def author(by: str) -> Says:
    """The author of an entry, in words: a person's name stays as it is.

    >>> str(author("button")), author("Back")
    ('the button', Says(template='{name}', values={'name': 'Back'}))
    """
    if by not in NO_NAMES:
        return Says("{name}", {"name": by})
    return Says("the button") if by == BUTTON else Says("{role}", {"role": by})


Name = Annotated[str, Meta(max_length=200)]
Words = Annotated[str, Meta(max_length=200)]
Key = Annotated[str, Meta(min_length=1, max_length=100)]
Value = Annotated[str, Meta(min_length=1, max_length=3500)]
Own = Annotated[str, Meta(max_length=0)]
"""Filled in by the server: no page may send it."""


class _Input(Struct, frozen=True, kw_only=True, tag_field="do", forbid_unknown_fields=True):
    """The phone's seat (None: the box), its page's match (None: the present one), and the author's name."""

    seat: Key | None = None
    match: Key | None = None
    by: Own = ""


class TakeSeat(_Input, frozen=True, kw_only=True, tag="take_seat"):
    """A phone takes a seat under a name; `phone` is its own secret id.

    `holder`: the seat's player when the person tapped; if somebody else has the seat by now, they keep it. `number`: of
    the table, typed by newcomers. `is_lost`: the holder's phone has lost the seat, and the others are asked."""

    seat: Key
    name: Name
    phone: Own = ""
    holder: Name | None = None
    number: Annotated[str, Meta(max_length=12)] = ""
    is_stand_in: bool = False
    is_lost: bool = False


class Admit(_Input, frozen=True, kw_only=True, tag="admit"):
    """A seated phone answers a claim of `MatchView.claims`: whether that phone gets the seat."""

    claim: int
    is_admitted: bool


class LeaveSeat(_Input, frozen=True, kw_only=True, tag="leave_seat"):
    seat: Key
    phone: Own = ""


class EndThrow(_Input, frozen=True, kw_only=True, tag="end_throw"):
    """The throw is over: look at the table now. `judged`: the page's number; a later entry makes it needless."""

    judged: int | None = None


class Answer(_Input, frozen=True, kw_only=True, tag="answer"):
    """An answer to the open question `question`; `reason` is why, if it goes against the rules or the record."""

    question: Key
    choice: Value
    reason: Words = ""


class Correct(_Input, frozen=True, kw_only=True, tag="correct"):
    """A person corrects a fact of entry `entry`, with a reason. `name` is who signs it on the phone."""

    entry: int
    fact: Key
    value: Key
    reason: Words
    name: Name = ""


class Undo(_Input, frozen=True, kw_only=True, tag="undo"):
    """Take back entry `entry`, which `MatchView.undo` names: a stale page undoes nothing."""

    entry: int


class IsBack(_Input, frozen=True, kw_only=True, tag="put_back"):
    """A person says that everything of `MatchView.put_back` of entry `entry` is back."""

    entry: int


class BeginAnew(_Input, frozen=True, kw_only=True, tag="begin_anew"):
    """Begin the next match after `match`. `is_given_up`: `seat` asks to end an unfinished one; `goes_on`: `seat`
    takes that back."""

    match: Key
    is_given_up: bool = False
    goes_on: bool = False


class CallReferee(_Input, frozen=True, kw_only=True, tag="call_referee"):
    """Somebody calls for a person to look, perhaps about entry `entry`; `sentence` is the box's own."""

    words: Words = ""
    sentence: Says | None = None
    entry: int | None = None


class RefereeCame(_Input, frozen=True, kw_only=True, tag="referee_came"):
    """The call of entry `entry` is settled."""

    entry: int


class CallOff(_Input, frozen=True, kw_only=True, tag="call_off"):
    """The person who made the call of entry `entry` takes it back."""

    entry: int


class SettleObjection(_Input, frozen=True, kw_only=True, tag="settle"):
    """A seat's wish about the objection of entry `entry`: take back what it is about, or let it stand."""

    seat: Key
    entry: int
    choice: Literal["take_back", "stand"]


class Act(_Input, frozen=True, kw_only=True, tag="act"):
    """A person makes a move of `MatchView.moves` by a tap: at `seat`, with `values` for the questions of the move."""

    seat: Key
    move: Key
    values: dict[Key, Value] = {}


class Tell(_Input, frozen=True, kw_only=True, tag="tell"):
    """A seat gives its own phone a secret (its hand); empty: forget it."""

    seat: Key
    text: Annotated[str, Meta(max_length=500)]

    def __repr__(self) -> str:
        return f"Tell(seat={self.seat!r}, by={self.by!r})"


Input = (
    Tell
    | TakeSeat
    | Admit
    | LeaveSeat
    | EndThrow
    | Act
    | Answer
    | Correct
    | Undo
    | IsBack
    | CallReferee
    | RefereeCame
    | CallOff
    | SettleObjection
    | BeginAnew
)


NEXT_HAS_BEGUN = Says("the next match has begun already: look at the page again")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an input: entered as log number `entry`, or refused with a sentence in `refused`."""

    entry: int | None
    refused: Says | None = None


class Subscription(Protocol):
    """A stream of whole views and their hints: only the newest of each waits."""

    def next(self, timeout_s: float) -> MatchView | HintsView | None:
        """The newest view not yet taken, or the newest hints; None after `timeout_s` (send a heartbeat)."""

    @property
    def is_closed(self) -> bool:
        """True once the match is closing: end the stream."""

    def close(self) -> None:
        """Closes the stream: a waiting `next` returns None at once. May be called twice."""


class Door(Protocol):
    """The part of a match that pages may use; `companion.match.match.Match` implements it. Safe from any thread."""

    def view(self, seat: str | None = None) -> MatchView:
        """The newest whole view, for a seat or a watcher."""

    def history(self) -> tuple[HistoryLine, ...]:
        """All entries, newest first; a view has only the newest lines."""

    def steps(self) -> tuple[StepView, ...]:
        """The standing actions, oldest first, for a replay."""

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        """The last view and all lines of the match that ended before this one, as a watcher saw them."""

    def hints(self, seat: str) -> HintsView | None:
        """The newest hints for a seat; None without hints for the present state."""

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        """Puts an input on the queue and waits until it is durably entered or refused."""

    def subscribe(self, seat: str | None = None, on_news: Callable[[], None] = lambda: None) -> Subscription:
        """A stream of views; the first `next` gives the newest at once. `on_news` may be called from any thread, under
        locks: it only wakes somebody who calls `next(0)`."""

    def seats_of(self, phone: str | None) -> tuple[str, ...]:
        """The seats that this phone holds now, from the log: only for these may it act or see secrets. None: a phone
        that is not known."""

    def heard(self, seat: str) -> None:
        """Notes that the phone of `seat` has just asked or tapped: it is connected, even without a stream."""

    def picture(self, sha256: str) -> bytes | None:
        """A kept picture (JPEG bytes), or None when it is unknown or was pruned."""

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, or None while blind."""
