"""Facts around an event, as entries added to the tournament's: devices, claims, calls, tables with a camera."""

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

from companion.event import facts as tournament
from companion.event.facts import Result
from companion.event.hub.roles import Role
from companion.game.says import Says


class JoinBy(StrEnum):
    """The way a player's phone joins."""

    CARD = "card"
    """A personal link, printed on the player's card."""
    CODE = "code"
    """Today's code of the hall."""
    OPEN = "open"
    """A tap on a free name."""


class _HallFact(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """Something that happened."""


class GameChosen(_HallFact, frozen=True, tag="played"):
    """The event's game and house rules, which assigned tables begin: a known game's name, or any other's title."""

    game: str
    options: dict[str, str] = {}


class Joined(_HallFact, frozen=True, tag="joined"):
    """A device is let in with a role; a player's device belongs to an entrant."""

    device: str
    role: Role
    name: str
    entrant: str | None = None
    way: JoinBy = JoinBy.OPEN
    mark: str = ""
    """A hash of the address it joined from; empty: not known."""


class Joining(_HallFact, frozen=True, tag="joining"):
    """The organiser chooses how players' phones join; the hall's code of each day follows from `key`."""

    way: JoinBy
    key: str = ""


class Revoked(_HallFact, frozen=True, tag="revoked"):
    device: str


class Claimed(_HallFact, frozen=True, tag="claimed"):
    """A player says how their table ended. It counts once everybody at the table says the same."""

    round: int
    table: int
    entrant: str
    result: Result


class HallCalled(_HallFact, frozen=True, tag="called"):
    """Somebody wants the referee at a table: a player, the table itself, or two claims that differ."""

    round: int
    table: int
    words: str = ""
    """The words as typed, or the template of the hub's own sentence."""
    values: dict[str, str] = {}
    is_own: bool = False
    """The hub calls by itself: its words are translated. Words that a person typed never are."""

    @property
    def says(self) -> Says:
        """The words as a page translates them."""
        is_own = self.is_own or bool(self.values)
        return Says(self.words, self.values) if is_own else Says("{words}", {"words": self.words})


class HallCallClosed(_HallFact, frozen=True, tag="came"):
    """A call is done with; `entry` is the call's number."""

    entry: int


class HallCallWithdrawn(_HallFact, frozen=True, tag="called_off"):
    """Who called takes the call back; `entry` is the call's number."""

    entry: int


class Enrolled(_HallFact, frozen=True, tag="enrolled"):
    """A table with a box of its own may report to this hub."""

    box: str
    hall: str = ""
    """The hall that it stands in; hubs of other halls do not hear it."""


class Removed(_HallFact, frozen=True, tag="removed"):
    box: str


class Assigned(_HallFact, frozen=True, tag="assigned"):
    """A table of a round is played at a box; None: at none."""

    round: int
    table: int
    box: str | None


class Late(_HallFact, frozen=True, tag="late"):
    """A box's result that came when its table had another already: kept, and shown to the referee."""

    round: int
    table: int
    box: str
    result: Result


class CheckInOpened(_HallFact, frozen=True, tag="check_in_opened"):
    """Players say from now on that they are here, until this round is paired."""

    round: int


class CheckedIn(_HallFact, frozen=True, tag="checked_in"):
    """An entrant is here for a round, or is not after all."""

    round: int
    entrant: str
    is_here: bool = True


class ClockSet(_HallFact, frozen=True, tag="clock"):
    """The round's clock now: the time left, and whether it runs."""

    round: int
    left_s: float
    is_running: bool


HallFact = (
    GameChosen | Joined | Joining | Revoked | Claimed | HallCalled | HallCallClosed | HallCallWithdrawn | Enrolled
    | Removed | Assigned | Late | CheckInOpened | CheckedIn | ClockSet
)  # fmt: skip
Fact = tournament.Fact | HallFact


class HubEntry(tournament.EventEntry, frozen=True):
    """An entry of an event's log: tournament and hall facts in one order. `key` is entered once at most."""

    fact: Fact  # type: ignore[assignment]
    device: str = ""
    """The device it was said on; empty: the hub itself."""
    key: str | None = None

    @property
    def is_hall(self) -> bool:
        """Whether this fact is of the hall only and does not change the tournament."""
        return isinstance(self.fact, HallFact)


KEY_MOST = 80
"""Maximum length of a key in the database."""


def key_of(id_: str) -> str:
    """The key for an id: the id itself, or the hash of a long one."""
    return id_ if len(id_) <= KEY_MOST else hashlib.sha256(id_.encode()).hexdigest()


def plain(value: Any) -> Any:
    """Structs and fractions as JSON values."""
    return msgspec.json.decode(tournament.to_json(value))
