"""The events of Suspend: each with its line of text and its words. docs/notation.md shows the lines."""

import re
from enum import StrEnum

import msgspec

from companion.game.errors import NotationError
from companion.game.says import Says
from companion.games.suspend.house import COLORS
from companion.games.suspend.state import Pile, SuspendState, pile_says


class Spot(StrEnum):
    """Place of a hung piece."""

    OPEN = "open"
    """A free notch or straight section."""
    OCCUPIED = "occupied"
    CONNECTOR = "connector"


class Fact(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    seat: str


class Rolled(Fact, frozen=True, tag="rolled", omit_defaults=True):
    """The color die shows a color; at `at_mm` on the table, if a camera saw it."""

    color: str
    at_mm: tuple[float, float] | None = None


class Hung(Fact, frozen=True, tag="hung"):
    """A piece hangs and the hand is away. `source`: its pile (None: the player's own; ``draw``: the draw pile)."""

    color: str
    source: str | None = None
    spot: Spot = Spot.OPEN


class Touched(Fact, frozen=True, tag="touched"):
    """The piece made the structure touch the play surface."""


class Slid(Fact, frozen=True, tag="slid"):
    """The piece slid from an open spot to an occupied one."""


class Dropped(Fact, frozen=True, tag="dropped"):
    """The piece dropped before the hand was away, and brought nothing down."""


class OtherHand(Fact, frozen=True, tag="other_hand"):
    """The other hand touched a suspended piece."""


class Fell(Fact, frozen=True, tag="fell"):
    """Pieces fell, by color; `seat` caused it."""

    pieces: tuple[str, ...]


class Told(Fact, frozen=True, tag="told"):
    """Which of several pieces of one color fell: the one that `seat` has just hung, or another."""

    is_just_hung: bool


class Rested(Fact, frozen=True, tag="rested", omit_defaults=True):
    """The structure has stopped, with the hand away: the turn is judged.

    A camera also reports the tips that it sees, color and place (mm), and the pieces of each pile that it does not see,
    or sees too many.
    """

    hanging: tuple[tuple[str, float, float], ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    doubled: tuple[tuple[str, str], ...] = ()


class Removed(Fact, frozen=True, tag="removed"):
    """A piece was taken off, in the duel or in a solo sculpture."""

    color: str


class Stopped(msgspec.Struct, frozen=True, tag="stopped", tag_field="kind", forbid_unknown_fields=True):
    """The players agree to stop: time is up, or the sculpture is done."""


Event = Rolled | Hung | Touched | Slid | Dropped | OtherHand | Fell | Told | Rested | Removed | Stopped

STOP, JUST_HUNG = "stop", "just hung"
_COLOR = "|".join(COLORS)
_PIECES = rf"({_COLOR})(\*\d{{1,2}})?"
_PLAIN: dict[str, type[Touched] | type[Slid] | type[Dropped] | type[OtherHand] | type[Rested]] = {
    "touches": Touched,
    "slides": Slid,
    "drops": Dropped,
    "other hand": OtherHand,
    "rests": Rested,
}
_PLAIN_VERBS = {kind: verb for verb, kind in _PLAIN.items()}
_EVENT = re.compile(
    rf"(?P<seat>[A-Za-z]+) ((?P<plain>{'|'.join(_PLAIN)})|rolls (?P<rolled>{_COLOR})|removes (?P<removed>{_COLOR})"
    rf"|fell (?P<fell>{_PIECES}( {_PIECES})*)|tells (?P<told>{JUST_HUNG}|another)"
    rf"|hangs (?P<hung>{_COLOR})( from (?P<source>\w+))?( on (?P<spot>{'|'.join(Spot)}))?)"
)


def event_text(event: Event) -> str:
    match event:
        case Rolled(seat, color):
            return f"{seat} rolls {color}"
        case Hung(seat, color, source, spot):
            source_text = f" from {source}" if source and source != seat else ""
            return f"{seat} hangs {color}{source_text}" + (f" on {spot}" if spot is not Spot.OPEN else "")
        case Fell(seat, pieces):
            return f"{seat} fell {' '.join(pieces)}"
        case Told(seat, is_just_hung):
            return f"{seat} tells {JUST_HUNG if is_just_hung else 'another'}"
        case Removed(seat, color):
            return f"{seat} removes {color}"
        case Stopped():
            return STOP
        case _:
            return f"{event.seat} {_PLAIN_VERBS[type(event)]}"


def event_of_text(text: str, state: SuspendState | None = None) -> Event:
    """The event that a line means. Raises: NotationError."""
    line = " ".join(text.replace(",", " ").split())
    if line == STOP:
        return Stopped()
    found = _EVENT.fullmatch(line)
    if found is None:
        raise NotationError(
            f"{text!r} is not an event, expected one such as 'A rolls blue', 'A hangs blue from B', 'A touches', "
            "'A slides', 'A drops', 'A other hand', 'A fell black red', 'A tells another', 'A rests', 'A removes red' "
            "or 'stop'",
            "action",
        )
    seat, source = found["seat"], found["source"]
    if found["plain"]:
        return _PLAIN[found["plain"]](seat)
    if found["rolled"]:
        return Rolled(seat, found["rolled"])
    if found["removed"]:
        return Removed(seat, found["removed"])
    if found["told"]:
        return Told(seat, found["told"] == JUST_HUNG)
    if found["hung"]:
        return Hung(seat, found["hung"], None if source == seat else source, Spot(found["spot"] or Spot.OPEN))
    counts = (word.partition("*")[::2] for word in found["fell"].split())
    return Fell(seat, tuple(color for color, count in counts for _ in range(int(count or 1))))


def says(event: Event) -> Says:
    match event:
        case Rolled(seat, color):
            return Says("{seat} rolls {color}", {"seat": seat, "color": color})
        case Hung(seat, color, None):
            return Says("{seat} hangs {color}", {"seat": seat, "color": color})
        case Hung(seat, color, source):
            values = {"seat": seat, "color": color, "source": pile_says(source or seat)}
            return Says("{seat} hangs {color} from {source}", values)
        case Touched(seat):
            return Says("the piece of {seat} makes the structure touch the table", {"seat": seat})
        case Slid(seat):
            return Says("the piece of {seat} slides to an occupied spot", {"seat": seat})
        case Dropped(seat):
            return Says("the piece of {seat} drops before the hand is away", {"seat": seat})
        case OtherHand(seat):
            return Says("the other hand of {seat} touches a suspended piece", {"seat": seat})
        case Fell(_, pieces):
            return Says("{pieces} fell", {"pieces": Pile.of(pieces).says})
        case Rested():
            return Says("nothing moves")
        case Told(seat, is_just_hung):
            words = "{seat}: the piece just hung fell" if is_just_hung else "{seat}: another piece fell"
            return Says(words, {"seat": seat})
        case Removed(seat, color):
            return Says("{seat} removes {color}", {"seat": seat, "color": color})
        case Stopped():
            return Says("the players stop")
