"""Reads and writes states and events of Suspend as one line of text; docs/notation.md shows them."""

import re
from dataclasses import fields

from companion.game.errors import NotationError
from companion.game.whole import whole_of
from companion.games.suspend.house import COLORS, DRAW, SEATS, House, house_of
from companion.games.suspend.state import (
    Dropped,
    Event,
    Fallen,
    Fell,
    Hung,
    OtherHand,
    Phase,
    Pile,
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


def pile_of_text(text: str) -> Pile:
    """A pile such as ``orange*2 black``; ``-`` for none. Raises: NotationError.

    >>> str(pile_of_text("black orange*2"))
    'orange*2 black'
    """
    return Pile.of(_pieces(text))


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


def house_text(house: House) -> str:
    """The mode and the house rules that differ from the defaults, as ``key=value`` with spaces."""
    words = [f"mode={house.mode}"]
    default = House()
    for field in fields(House):
        value = getattr(house, field.name)
        if field.name != "mode" and value != getattr(default, field.name):
            words.append(f"{field.name}={str(value).lower() if isinstance(value, bool) else value}")
    return " ".join(words)


def state_text(state: SuspendState) -> str:
    """The state as one line."""
    parts = [
        house_text(state.house),
        f"round {state.round} {state.starter}",
        " ".join(filter(None, (f"turn {state.turn} {state.phase}", state.color, state.source))),
    ]
    if state.mover:
        parts.append(f"mover {state.mover}")
    if state.lost_turn:
        parts.append(f"lost {state.lost_turn}")
    if state.fallen:
        parts.append(f"fallen {state.fallen}")
    if state.players != state.seats:
        parts.append(f"players {' '.join(state.players)}")
    parts += [f"{seat} {pile}" for seat, pile in zip(state.seats, state.piles, strict=True)]
    parts += [f"draw {state.draw_pile}", f"hung {state.hung}"]
    if state.off.total:
        parts.append(f"off {state.off}")
    if any(state.points):
        parts.append("points " + _by_seat(state, state.points))
    if state.removed:
        parts.append("removed " + _by_seat(state, state.removed))
    if state.winners:
        parts.append(f"won {' '.join(state.winners)}")
    return "; ".join(parts)


def _by_seat(state: SuspendState, numbers: tuple[int, ...]) -> str:
    return " ".join(f"{seat}={number}" for seat, number in zip(state.seats, numbers, strict=True))


def state_of_text(text: str) -> SuspendState:
    """The state that a line means. Raises: NotationError that names the part."""
    house, parts = _parts(text)
    seats = tuple(seat for seat in SEATS if seat in parts)
    known = {"round", "turn", "mover", "lost", "fallen", "players", "draw", "hung", "off", "points", "removed", "won"}
    for key in parts:
        if key not in known and key not in seats:
            raise NotationError(f"the state has {key!r}, expected one of {', '.join(sorted(known))} or a seat", key)
    begun, turn = parts.get("round", "").split(), parts.get("turn", "").split()
    number = whole_of(begun[0]) if len(begun) == 2 else None
    if number is None:
        raise NotationError(f"round has {parts.get('round', '')!r}, expected a number and who began it", "round")
    if not 2 <= len(turn) <= 4 or turn[1] not in tuple(Phase):
        raise NotationError(
            f"turn has {parts.get('turn', '')!r}, expected a seat and one of {', '.join(Phase)}", "turn"
        )
    fallen = parts.get("fallen")
    if fallen is not None and fallen not in tuple(Fallen):
        raise NotationError(f"fallen is {fallen!r}, expected one of {', '.join(Fallen)}", "fallen")
    return SuspendState(
        seats=seats,
        house=house,
        players=tuple(parts.get("players", " ".join(seats)).split()),
        round=number,
        starter=begun[1],
        turn=turn[0],
        phase=Phase(turn[1]),
        color=turn[2] if len(turn) > 2 else None,
        source=turn[3] if len(turn) > 3 else None,
        mover=parts.get("mover"),
        lost_turn=parts.get("lost"),
        fallen=Fallen(fallen) if fallen else None,
        piles=tuple(pile_of_text(parts[seat]) for seat in seats),
        draw_pile=pile_of_text(parts.get(DRAW, "")),
        hung=pile_of_text(parts.get("hung", "")),
        off=pile_of_text(parts.get("off", "")),
        points=_numbers(parts, "points", seats) or (0,) * len(seats),
        removed=_numbers(parts, "removed", seats),
        winners=tuple(parts.get("won", "").split()),
    )


def _parts(text: str) -> tuple[House, dict[str, str]]:
    house = House()
    parts: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        key, _, rest = part.partition(" ")
        if "=" in key:
            house = house_of(dict(word.partition("=")[::2] for word in part.split()))
        elif key in parts:
            raise NotationError(f"the state has {key!r} twice, expected it once", key)
        else:
            parts[key] = rest.strip()
    return house, parts


def _numbers(parts: dict[str, str], key: str, seats: tuple[str, ...]) -> tuple[int, ...]:
    if key not in parts:
        return ()
    pairs = dict(word.partition("=")[::2] for word in parts[key].split())
    numbers = [number for value in pairs.values() if (number := whole_of(value)) is not None]
    if tuple(pairs) != seats or len(numbers) != len(seats):
        raise NotationError(f"{key} has {parts[key]!r}, expected seat=number for {', '.join(seats)}", key)
    return tuple(numbers)


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
