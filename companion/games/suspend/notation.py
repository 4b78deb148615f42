"""Reads and writes events of Suspend as one line of text; docs/notation.md shows them."""

import re

from companion.game.errors import NotationError
from companion.game.whole import whole_of
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

STOP = "stop"
_EVENT = re.compile(r"^([A-Za-z]+) +(rolls|hangs|touches|slides|drops|other hand|fell|tells|rests|removes)\b *(.*)$")
_HANG = re.compile(r"^(\w+)(?: +from +(\w+))?(?: +on +(\w+))?$")
_PLAIN: dict[str, type[Touched] | type[Slid] | type[Dropped] | type[OtherHand] | type[Rested]] = {
    "touches": Touched,
    "slides": Slid,
    "drops": Dropped,
    "other hand": OtherHand,
    "rests": Rested,
}
_TOLD = {"just hung": True, "another": False}
"""A piece that fell, as people enter it."""
_PLAIN_VERBS = {kind: verb for verb, kind in _PLAIN.items()}


def _pieces(text: str) -> tuple[str, ...]:
    pieces: list[str] = []
    for word in text.replace(",", " ").split():
        if word == "-":
            continue
        color, star, number = word.partition("*")
        count = whole_of(number, 1, 99) if star else 1
        if color not in COLORS or count is None:
            raise NotationError(f"{word!r} is no piece, expected a color such as black, or orange*2", word)
        pieces += [color] * count
    return tuple(pieces)


def event_text(event: Event) -> str:
    """The event as one line."""
    match event:
        case Rolled(seat, color):
            return f"{seat} rolls {color}"
        case Hung(seat, color, source, spot):
            source_text = f" from {source}" if source and source != seat else ""
            return f"{seat} hangs {color}{source_text}" + (f" on {spot}" if spot is not Spot.OPEN else "")
        case Fell(seat, pieces):
            return f"{seat} fell {' '.join(pieces)}"
        case Told(seat, is_just_hung):
            return f"{seat} tells {next(words for words, told in _TOLD.items() if told is is_just_hung)}"
        case Removed(seat, color):
            return f"{seat} removes {color}"
        case Stopped():
            return STOP
        case _:
            return f"{event.seat} {_PLAIN_VERBS[type(event)]}"


def event_of_text(text: str, state: SuspendState | None = None) -> Event:
    """The event that a line means. Raises: NotationError."""
    line = " ".join(text.split())
    if line == STOP:
        return Stopped()
    found = _EVENT.match(line)
    if not found:
        raise NotationError(
            f"{text!r} is not an event, expected one such as 'A rolls blue', 'A hangs blue from B', 'A touches', "
            "'A slides', 'A drops', 'A other hand', 'A fell black red', 'A tells another', 'A rests', 'A removes red' "
            "or 'stop'",
            "action",
        )
    seat, verb, rest = found.groups()
    if verb in _PLAIN:
        if rest:
            raise NotationError(f"{line!r} goes on after {verb!r}, expected nothing there", "action")
        return _PLAIN[verb](seat)
    if verb == "fell":
        pieces = _pieces(rest)
        if not pieces:
            raise NotationError(f"{line!r} names no piece, expected colors such as 'A fell black red'", "action")
        return Fell(seat, pieces)
    if verb == "tells":
        if rest not in _TOLD:
            raise NotationError(f"{line!r} tells {rest!r}, expected one of {', '.join(_TOLD)}", "action")
        return Told(seat, _TOLD[rest])
    if verb == "hangs":
        return _hung(seat, rest, line)
    if rest not in COLORS:
        raise NotationError(f"{line!r} has the color {rest!r}, expected one of {', '.join(COLORS)}", "action")
    return Rolled(seat, rest) if verb == "rolls" else Removed(seat, rest)


def _hung(seat: str, rest: str, line: str) -> Hung:
    found = _HANG.match(rest)
    if not found or found[1] not in COLORS:
        raise NotationError(f"{line!r} does not parse, expected such as 'A hangs blue from B'", "action")
    color, source, spot = found.groups()
    if spot is not None and spot not in tuple(Spot):
        raise NotationError(f"{line!r} has the spot {spot!r}, expected one of {', '.join(Spot)}", "action")
    return Hung(seat, color, None if source == seat else source, Spot(spot or Spot.OPEN))
