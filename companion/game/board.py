"""Race boards: circles with their places in mm and the steps between them, read from a board file (TOML).

Rules, reader, page and printable board are all made from this one file. The requirements of every race board are
checked here (places, names, steps). Each game checks its own requirements, from `Board.sections`.

The file places spots one by one (`A0 = [36, 250]`), in a row by its ends (`"O0..O12" = [[46, 46], [454, 46]]`) or in
a ring, clockwise (`"A0..A55" = { middle = [250, 250], first = [36, 250] }`). `lanes` lists the spots along which pieces
step. A line for one spot, below its row or ring or in `[next]`, counts instead.
"""

from __future__ import annotations

import cmath
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from companion.game.errors import KitError

PointMm = tuple[float, float]

_RUN = re.compile(r"(?P<stem>\S*?)(?P<first>\d{1,3})\.\.(?P=stem)(?P<last>\d{1,3})")
MOST_IN_A_RUN = 500

COLORS_OF_A_BOARD = 4
PIECES_OF_A_COLOR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A race board.

    `spots` gives each circle's centre in mm (board frame: origin top-left, x right, y down), `next` the steps that
    every colour may take from a spot. `colors` are the colours' words, clockwise from the top-left corner; `roles`
    holds each colour's own table of the file, `sections` every other table by its name.
    """

    game: str
    name: str
    size_mm: tuple[float, float]
    circle_mm: float
    marker_mm: float
    spots: Mapping[str, PointMm] = field(hash=False)
    next: Mapping[str, tuple[str, ...]] = field(hash=False)
    colors: tuple[str, ...]
    roles: Mapping[str, Mapping[str, Any]] = field(hash=False)
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)


@lru_cache(maxsize=16)
def board_of_text(text: str, name: str = "board file") -> Board:
    """The board in a TOML text; `name` is its name in errors. Raises: KitError, in one sentence."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise KitError(f"{name}: is not TOML ({error}), expected a board file: mend that line") from error
    spots: dict[str, PointMm] = {}
    for key, value in _table(data, "spots", name).items():
        spots |= _places(key, value, name)
    steps = _lanes(data["lanes"], name) if "lanes" in data else {}
    if "next" in data or not steps:
        steps |= {spot: _steps(to, f"next.{spot}", name) for spot, to in _table(data, "next", name).items()}
    plain = {"game", "board", "size_mm", "circle_mm", "marker_mm", "lanes", "spots", "next"}
    tables = {key: value for key, value in data.items() if key not in plain}
    for key, value in tables.items():
        if not isinstance(value, dict):
            raise KitError(f"{name}: {key} is not a key of a board file, expected one of {', '.join(sorted(plain))}")
    roles = {key: value for key, value in tables.items() if "home" in value}
    board = Board(
        game=_text(data, "game", name),
        name=_text(data, "board", name),
        size_mm=_place(data.get("size_mm"), "size_mm", name),
        circle_mm=_length(data, "circle_mm", name),
        marker_mm=_length(data, "marker_mm", name),
        spots=spots,
        next=steps,
        colors=tuple(roles),
        roles=roles,
        sections={key: value for key, value in tables.items() if key not in roles},
    )
    _check_colors(board, name)
    _check_steps(board, name)
    _check_places(board, name)
    return board


def spot_of_role(board: Board, color: str, key: str, name: str) -> str:
    """The one spot that a colour's table names under `key`. Raises: KitError."""
    spot = board.roles[color].get(key)
    if not isinstance(spot, str) or spot not in board.spots:
        raise KitError(f"{name}: {color}.{key} is {spot!r}, expected the name of a spot")
    return spot


def spots_of_role(board: Board, color: str, key: str, name: str) -> tuple[str, ...]:
    """The spots that a colour's table lists under `key`. Raises: KitError."""
    spots = board.roles[color].get(key)
    if not isinstance(spots, list) or not all(isinstance(spot, str) and spot in board.spots for spot in spots):
        raise KitError(f"{name}: {color}.{key} is {spots!r}, expected a list of names of spots")
    return tuple(spots)


def check_distinct(spots: Iterable[tuple[str, str]], name: str) -> None:
    """Checks that each spot has only one role; `spots` gives (spot, role). Raises: KitError."""
    seen: dict[str, str] = {}
    for spot, role in spots:
        if spot in seen:
            raise KitError(f"{name}: {spot} is both {seen[spot]} and {role}, expected one role a spot")
        seen[spot] = role


def _check_colors(board: Board, name: str) -> None:
    if len(board.colors) != COLORS_OF_A_BOARD or len({color[0] for color in board.colors}) != COLORS_OF_A_BOARD:
        found = ", ".join(board.colors) or "none"
        raise KitError(
            f"{name}: the colours with a home are {found}, expected {COLORS_OF_A_BOARD} whose first letters differ"
        )
    for color in board.colors:
        home = spots_of_role(board, color, "home", name)
        if len(home) != PIECES_OF_A_COLOR:
            raise KitError(f"{name}: {color}.home lists {len(home)} spots, expected {PIECES_OF_A_COLOR}")


def _check_steps(board: Board, name: str) -> None:
    for spot, to in board.next.items():
        for other in (spot, *to):
            if other not in board.spots:
                raise KitError(f"{name}: next.{spot} names {other!r}, which is no spot: add it to [spots]")


def _check_places(board: Board, name: str) -> None:
    if board.marker_mm > board.circle_mm:
        raise KitError(f"{name}: marker_mm is {board.marker_mm:g}, expected at most circle_mm {board.circle_mm:g}")
    width_mm, height_mm = board.size_mm
    half_mm = board.circle_mm / 2
    placed = list(board.spots.items())
    for i, (spot, (x_mm, y_mm)) in enumerate(placed):
        if not (half_mm <= x_mm <= width_mm - half_mm and half_mm <= y_mm <= height_mm - half_mm):
            raise KitError(f"{name}: the circle of {spot} leaves the sheet of {width_mm:g} x {height_mm:g} mm")
        for other, (u_mm, v_mm) in placed[:i]:
            apart_mm = math.hypot(x_mm - u_mm, y_mm - v_mm)
            if apart_mm < board.circle_mm:
                raise KitError(
                    f"{name}: the circles of {other} and {spot} overlap: their centres are {apart_mm:.1f} mm apart, "
                    f"expected at least {board.circle_mm:g}"
                )


def _table(data: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict) or not value:
        raise KitError(f"{name}: [{key}] is missing, expected a table of spots")
    return value


def _text(data: Mapping[str, Any], key: str, name: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise KitError(f"{name}: {key} is {value!r}, expected a text")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _length(data: Mapping[str, Any], key: str, name: str) -> float:
    value: Any = data.get(key)
    if not _is_number(value) or value <= 0:
        raise KitError(f"{name}: {key} is {value!r}, expected a length above 0 in mm")
    return float(value)


def _place(value: Any, at: str, name: str) -> PointMm:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
        raise KitError(f"{name}: {at} is {value!r}, expected [x, y] in mm")
    return float(value[0]), float(value[1])


def _names(text: str, at: str, name: str) -> list[str]:
    """The spots that a text lists, with runs of numbers.

    >>> _names("SB0 D0.1..D0.3 SB1", "lanes", "board")
    ['SB0', 'D0.1', 'D0.2', 'D0.3', 'SB1']
    """
    found: list[str] = []
    for word in text.split():
        run = _RUN.fullmatch(word)
        if run is not None and not 0 < int(run["last"]) - int(run["first"]) < MOST_IN_A_RUN:
            raise KitError(f"{name}: {at} has {word!r}, expected the numbers of a run to rise, such as A0..A9")
        numbers = (None,) if run is None else range(int(run["first"]), int(run["last"]) + 1)
        found += [word if run is None else f"{run['stem']}{number}" for number in numbers]
    return found


def _lanes(value: Any, name: str) -> dict[str, tuple[str, ...]]:
    """The steps along lanes: from each spot of a lane to the one after it."""
    if not isinstance(value, list) or not all(isinstance(lane, str) for lane in value):
        raise KitError(f"{name}: lanes is {value!r}, expected a list of texts such as 'A0..A55 A0'")
    steps: dict[str, tuple[str, ...]] = {}
    for lane in value:
        for spot, to in pairwise(_names(lane, "lanes", name)):
            steps[spot] = (*steps.get(spot, ()), to)
    return steps


def _places(key: str, value: Any, name: str) -> dict[str, PointMm]:
    """The place of a spot, or the places of the spots that `key` lists: along a line, or clockwise round a middle."""
    is_ring, is_line = isinstance(value, dict), isinstance(value, list) and bool(value) and isinstance(value[0], list)
    if not is_ring and not is_line:
        return {key: _place(value, f"spots.{key}", name)}
    spots = _names(key, f"spots.{key}", name)
    if is_ring and spots:
        middle, start = (_place(value.get(part), f"spots.{key}.{part}", name) for part in ("middle", "first"))
        out, turn = complex(*start) - complex(*middle), 2j * math.pi / len(spots)
        places = [complex(*middle) + out * cmath.exp(turn * i) for i in range(len(spots))]
    elif len(value) == 2 <= len(spots):
        first, last = (complex(*_place(end, f"spots.{key}", name)) for end in value)
        places = [first + (last - first) * i / (len(spots) - 1) for i in range(len(spots))]
    else:
        raise KitError(f"{name}: spots.{key} is {value!r}, expected the places of the first and the last of its spots")
    return {spot: (round(place.real, 3), round(place.imag, 3)) for spot, place in zip(spots, places, strict=True)}


def _steps(value: Any, at: str, name: str) -> tuple[str, ...]:
    steps = [value] if isinstance(value, str) else value
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) for step in steps):
        raise KitError(f"{name}: {at} is {value!r}, expected the name of a spot or a list of names")
    return tuple(steps)
