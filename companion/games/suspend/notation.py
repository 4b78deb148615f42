"""Reads and writes events of Suspend as one line of text; docs/notation.md shows them."""

import re

from companion.game.errors import NotationError
from companion.games.suspend.house import COLORS
from companion.games.suspend.state import (
    Dropped,
    Event,
    Fell,
    Hung,
    OtherHand,
    Removed,
    Rested,
    Rolled,
    Slid,
    Spot,
    Stopped,
    SuspendState,
    Told,
    Touched,
)

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
