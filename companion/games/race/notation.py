"""The notation of the race games: positions, moves and rolls as short lines, both ways.

>>> spots_of_position("r: A5 home*3; y: A52")
{'r': ('A5', 'home', 'home', 'home'), 'y': ('A52',)}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion.game.errors import NotationError

_COUNTED = re.compile(r"^(?P<spot>[^*]+)\*(?P<count>[1-9]\d?)$")
_MANY = re.compile(r"^[^*]+\*[0-9]+$")
_MOVE = re.compile(
    r"^(?:(?P<color>[a-z]) )?"
    r"(?:(?P<verb>enter|retake) (?P<spot>\S+)|(?P<origin>[^\s-]+)-(?P<to>\S+))"
    r"(?P<sent>(?: x\([a-z]\))*)$"
)
DECLINE = "decline"
_DECLINE = re.compile(rf"^(?P<seat>[a-z]) {DECLINE}$")
_ROLL = re.compile(r"^(?:(?P<seat>[a-z]) )?d(?P<value>\d)$")


def spots_of_position(text: str) -> dict[str, tuple[str, ...]]:
    """The spots listed for each letter. Raises: NotationError for text that is not a position."""
    found: dict[str, tuple[str, ...]] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        letter, colon, rest = part.partition(":")
        letter = letter.strip()
        if not colon or not re.fullmatch(r"[a-z]", letter):
            raise NotationError(
                f"the position has {part!r}, expected a colour and its spots, as in 'r: A5 home*3'", "position"
            )
        if letter in found:
            raise NotationError(f"the position lists {letter} twice, expected each colour once", "position")
        spots: list[str] = []
        for word in rest.split():
            counted = _COUNTED.match(word)
            if "*" in word and not counted:
                if _MANY.match(word):
                    spot, _, number = word.partition("*")
                    raise NotationError(
                        f"the position has {spot!r} {number[:20]} times, expected a number from 1 to 99", "position"
                    )
                raise NotationError(
                    f"the position has {word!r}, expected a spot and a number, as in 'home*3'", "position"
                )
            spots += [counted["spot"]] * int(counted["count"]) if counted else [word]
        found[letter] = tuple(spots)
    return found


def position_of_spots(pieces: Mapping[str, Iterable[str]]) -> str:
    """The position of the colours' spots; equal spots are counted.

    >>> position_of_spots({"red": ("home", "home", "A5", "A8!")})
    'r: home*2 A5 A8!'
    """
    parts = []
    for color, spots in pieces.items():
        counts: dict[str, int] = {}
        for spot in spots:
            counts[spot] = counts.get(spot, 0) + 1
        words = (spot if n == 1 else f"{spot}*{n}" for spot, n in counts.items())
        parts.append(" ".join([f"{color[0]}:", *words]))
    return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class MoveText:
    """A move as written: letters for colours; `verb` is ``enter``, ``retake`` or None."""

    color: str | None
    verb: str | None
    origin: str | None
    to: str
    sent: tuple[str, ...]


def parse_move(text: str) -> MoveText | None:
    """The parts of a move's text; None for other text.

    >>> parse_move("g O22-g.r1")
    MoveText(color='g', verb=None, origin='O22', to='g.r1', sent=())
    >>> parse_move("A9-A15 x(y)").sent
    ('y',)
    """
    match = _MOVE.match(" ".join(text.split()))
    if not match:
        return None
    sent = tuple(re.findall(r"x\((.)\)", match["sent"] or ""))
    origin = match["origin"].removesuffix("!") if match["origin"] else None
    return MoveText(match["color"], match["verb"], origin, (match["to"] or match["spot"]).removesuffix("!"), sent)


def move_text(move: MoveText) -> str:
    """The text of a move's parts.

    >>> move_text(MoveText(None, "enter", None, "A5", ("y",)))
    'enter A5 x(y)'
    """
    color = f"{move.color} " if move.color else ""
    way = f"{move.verb} {move.to}" if move.verb else f"{move.origin}-{move.to}"
    return color + way + "".join(f" x({letter})" for letter in move.sent)


def parse_decline(text: str) -> str | None:
    """The letter of the seat that declines a further roll; None for other text.

    >>> parse_decline("r decline"), parse_decline("r d4")
    ('r', None)
    """
    match = _DECLINE.match(" ".join(text.split()))
    return match["seat"] if match else None


def parse_roll(text: str) -> tuple[str | None, int] | None:
    """The seat's letter (None: the seat to roll) and the value of a roll; None for other text.

    >>> parse_roll("r d4"), parse_roll("d6"), parse_roll("A8-A12")
    (('r', 4), (None, 6), None)
    """
    match = _ROLL.match(" ".join(text.split()))
    return (match["seat"], int(match["value"])) if match else None
