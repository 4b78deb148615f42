"""Requirements on Center Point's board file: roles, a route for every colour, equal lengths; each refusal in one
sentence."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from companion.game.board import Board, check_distinct, spot_of_role, spots_of_role
from companion.game.errors import KitError
from companion.games.race.core import SIX, reached
from companion.games.race.sheet import check_ways

if TYPE_CHECKING:
    from companion.games.center_point.engine import CenterTables

INNER = "IN"

Roles = tuple[list[dict[str, str]], list[tuple[str, ...]], list[str]]


def roles_of(board: Board, name: str) -> Roles:
    """Each colour's bypasses (spot: where it leads), safeties and start."""
    bypass: list[dict[str, str]] = []
    for color in board.colors:
        own = board.roles[color].get("bypass")
        if not isinstance(own, dict) or not own or any(spot not in board.next for spot in own):
            raise KitError(f"{name}: {color}.bypass is {own!r}, expected a table of ring spots and where each leads")
        for spot, entry in own.items():
            if entry != INNER and entry not in board.next:
                raise KitError(f"{name}: {color}.bypass.{spot} leads to {entry!r}, expected a ring spot or {INNER}")
        bypass.append(own)
        if len(spots_of_role(board, color, "inner", name)) != len(spots_of_role(board, color, "home", name)):
            raise KitError(f"{name}: {color}.inner and {color}.home differ in number, expected a spot for each marker")
    safeties = [spots_of_role(board, color, "safety", name) for color in board.colors]
    starts = [spot_of_role(board, color, "start", name) for color in board.colors]
    roles = [(spot, f"{color}'s start") for color, spot in zip(board.colors, starts, strict=True)]
    roles += [(spot, f"{color}'s safety") for color, own in zip(board.colors, safeties, strict=True) for spot in own]
    roles += [(spot, f"{color}'s bypass") for color, own in zip(board.colors, bypass, strict=True) for spot in own]
    for spot, role in roles:
        if spot not in board.next:
            raise KitError(f"{name}: {spot}, {role}, has no step in [next], expected a ring spot")
    check_distinct(roles, name)
    return bypass, safeties, starts


def travelled(t: CenterTables, color: int) -> dict[str, int]:
    """Positions travelled from the start to the inner circle: the longest route, the shortest, and the route without
    the short cut from a foreign bypass into the inner circle."""
    start = t.starts[color]
    return {
        "longest": len(t.routes[color][t.place[start]]),
        "shortest": reached([start], partial(t.ahead, color))[INNER],
        "without_last": reached([start], partial(t.ahead, color, through_last=False))[INNER],
    }


def check(t: CenterTables, name: str) -> None:
    """Refuses a board that the rules cannot be played on. Raises: KitError with the reason."""
    for spot, to in t.board.next.items():
        if len(to) != 1:
            raise KitError(
                f"{name}: next.{spot} has {len(to)} steps, expected one: short cuts are told by the bypasses"
            )
    check_ways(t, "center_point", name, partial(travelled, t), (), "inner")
    for c, color in enumerate(t.colors):
        way = t.routes[c][t.place[t.starts[c]]]
        own = [spot for spot in way if spot in t.bypass[c] or spot in t.safeties[c]]
        missing = ({*t.bypass[c], *t.safeties[c]}) - set(own)
        if missing:
            raise KitError(f"{name}: {sorted(missing)[0]} is {color}'s but not on its route from {t.starts[c]}")
        for a, b in pairwise(own):
            apart = way.index(b) - way.index(a)
            if apart <= SIX:
                raise KitError(f"{name}: {a} and {b} of {color} are {apart} steps apart, expected more than {SIX}")
