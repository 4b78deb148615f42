"""Race boards: circles with their places in mm and the steps between them, read from a board file (TOML).

Rules, reader, page and printable board are all made from this one file. The requirements of every race board are
checked here (places, names, steps). Each game checks its own requirements, from `Board.sections`.

- One spot has its place: `A0 = [36, 250]`.
- A row of spots has the places of its ends: `"O0..O12" = [[46, 46], [454, 46]]`.
- A ring, clockwise, has its middle and its first spot: `"A0..A55" = { middle = [250, 250], first = [36, 250] }`.
- `lanes` lists the spots along which pieces step.
- A line for a single spot, below its row or ring or in `[next]`, overrides it.
"""

import cmath
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from companion.game.errors import KitError
from companion.game.toml_table import FileKind, TomlTable, table_of_text

PointMm = tuple[float, float]
BOARD_FILE = FileKind(called="a board file", error=KitError)

_RUN = re.compile(r"(?P<stem>\S*?)(?P<first>\d{1,3})\.\.(?P=stem)(?P<last>\d{1,3})")
MOST_IN_A_RUN = 500
PICTURE = re.compile(r"\w[\w-]*\.(?:svg|png|jpg|webp)", re.ASCII)

COLORS_OF_A_BOARD = 4
PIECES_OF_A_COLOR = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A race board: each circle's centre in `spots` (mm; origin top-left, x right, y down), and its `next` steps.

    `colors` go clockwise from the top-left corner; `roles` has each colour's table, `sections` the others."""

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
    picture: str | None = None
    """The file next to the board file that phones draw under the circles."""

    def owners(self) -> dict[str, tuple[str | None, bool]]:
        """The spots with a role: its colour (None: common to all), and whether it is that colour's start."""
        found: dict[str, tuple[str | None, bool]] = {}
        for table in self.sections.values():
            found |= dict.fromkeys(self._spots_in(table), (None, False))
        for color, roles in self.roles.items():
            for role, value in roles.items():
                for spot in self._spots_in({role: value}):
                    if spot not in found or role == "home":
                        found[spot] = color, False
            found[roles["start"]] = color, True
        return found

    def _spots_in(self, table: Mapping[str, Any]) -> Iterable[str]:
        """The spots in a table of the file; of a mapping from spot to spot only the keys."""
        for key, value in table.items():
            values = [key] if key in self.spots else [value] if isinstance(value, str) else value
            values = values if isinstance(values, list | dict) else []
            yield from (spot for spot in values if isinstance(spot, str) and spot in self.spots)


@lru_cache(maxsize=16)
def board_of_text(text: str, name: str = "board file") -> Board:
    """The board in a TOML text; `name` is its name in errors. Raises: KitError, in one sentence."""
    data = table_of_text(text, name, BOARD_FILE)
    places = data.table("spots", "a table of spots")
    spots: dict[str, PointMm] = {}
    for key in places:
        spots |= _places(places, key)
    steps = _lanes(data) if "lanes" in data else {}
    if "next" in data or not steps:
        following = data.table("next", "a table of spots")
        steps |= {spot: _steps(following, spot) for spot in following}
    plain = {"game", "board", "size_mm", "circle_mm", "marker_mm", "lanes", "spots", "next", "picture"}
    tables = {key: data.values[key] for key in data if key not in plain}
    for key, value in tables.items():
        if not isinstance(value, dict):
            raise data.error(f"{key} is not a key of a board file, expected one of {', '.join(sorted(plain))}")
    roles = {key: value for key, value in tables.items() if "home" in value}
    board = Board(
        game=data.text("game"),
        name=data.text("board"),
        size_mm=data.point_mm("size_mm"),
        circle_mm=data.length_mm("circle_mm"),
        marker_mm=data.length_mm("marker_mm"),
        spots=spots,
        next=steps,
        colors=tuple(roles),
        roles=roles,
        sections={key: value for key, value in tables.items() if key not in roles},
        picture=data.text_or_none("picture"),
    )
    if board.picture is not None and not PICTURE.fullmatch(board.picture):
        data.refuse("picture", "the name of an SVG, PNG, JPG or WebP file next to the board file")
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


def _names(data: TomlTable, at: str, text: str) -> list[str]:
    """The spots that a text lists, with runs of numbers, such as ``SB0 D0.1..D0.6 SB1``."""
    found: list[str] = []
    for word in text.split():
        run = _RUN.fullmatch(word)
        if run is not None and not 0 < int(run["last"]) - int(run["first"]) < MOST_IN_A_RUN:
            raise data.error(f"{at} has {word!r}, expected the numbers of a run to rise, such as A0..A9")
        numbers = (None,) if run is None else range(int(run["first"]), int(run["last"]) + 1)
        found += [word if run is None else f"{run['stem']}{number}" for number in numbers]
    return found


def _lanes(data: TomlTable) -> dict[str, tuple[str, ...]]:
    lanes = data.values["lanes"]
    if not isinstance(lanes, list) or not all(isinstance(lane, str) for lane in lanes):
        data.refuse("lanes", "a list of texts such as 'A0..A55 A0'")
    steps: dict[str, tuple[str, ...]] = {}
    for lane in lanes:
        for spot, to in pairwise(_names(data, "lanes", lane)):
            steps[spot] = (*steps.get(spot, ()), to)
    return steps


def _places(data: TomlTable, key: str) -> dict[str, PointMm]:
    """The place of a spot, or the places of the spots that `key` lists: along a line, or clockwise round a middle."""
    value = data.values[key]
    is_ring, is_line = isinstance(value, dict), isinstance(value, list) and bool(value) and isinstance(value[0], list)
    if not is_ring and not is_line:
        return {key: data.point_mm(key)}
    spots = _names(data, f"spots.{key}", key)
    if is_ring and spots:
        ring = data.table(key)
        middle, start = complex(*ring.point_mm("middle")), complex(*ring.point_mm("first"))
        places = [middle + (start - middle) * cmath.exp(2j * math.pi * i / len(spots)) for i in range(len(spots))]
    elif len(value) == 2 <= len(spots):
        ends = replace(data, values={"first": value[0], "last": value[1]}, at=f"spots.{key}.")
        first, last = complex(*ends.point_mm("first")), complex(*ends.point_mm("last"))
        places = [first + (last - first) * i / (len(spots) - 1) for i in range(len(spots))]
    else:
        data.refuse(key, "the places of the first and the last of its spots")
    return {spot: (round(place.real, 3), round(place.imag, 3)) for spot, place in zip(spots, places, strict=True)}


def _steps(data: TomlTable, spot: str) -> tuple[str, ...]:
    value = data.values[spot]
    steps = [value] if isinstance(value, str) else value
    if not isinstance(steps, list) or not steps or not all(isinstance(step, str) for step in steps):
        data.refuse(spot, "the name of a spot or a list of names")
    return tuple(steps)
