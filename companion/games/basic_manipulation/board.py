"""Requirements on Basic Manipulation's board file: roles, routes, equal lengths; each refusal in one sentence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from companion.game.board import PIECES_OF_A_COLOR, Board, check_distinct, spot_of_role, spots_of_role
from companion.game.errors import KitError
from companion.games.race.core import reached
from companion.games.race.sheet import check_ways

if TYPE_CHECKING:
    from companion.games.basic_manipulation.engine import ManipulationTables

Roles = tuple[list[str], list[str], list[tuple[str, ...]], dict[str, str], str]


def roles_of(board: Board, name: str) -> Roles:
    """Starts, entrances and refuges by colour, the BEASTs (spot: its STAR-BEAST), THE WORLD."""
    starts = [spot_of_role(board, color, "start", name) for color in board.colors]
    entrances = [spot_of_role(board, color, "entrance", name) for color in board.colors]
    refuges = [spots_of_role(board, color, "refuge", name) for color in board.colors]
    beasts = board.sections.get("beasts", {})
    world: Any = board.sections.get("world", {}).get("spot")
    if world not in board.spots:
        raise KitError(f"{name}: world.spot is {world!r}, expected the name of a spot")
    if not beasts or any(a not in board.next or b not in board.next for a, b in beasts.items()):
        raise KitError(f"{name}: [beasts] is {beasts!r}, expected each BEAST's spot and its STAR-BEAST's")
    roles = [(world, "THE WORLD")]
    roles += [(spot, "a BEAST") for spot in beasts] + [(spot, "a STAR-BEAST") for spot in beasts.values()]
    for c, color in enumerate(board.colors):
        if entrances[c] != f"{color[0]}.hre":
            raise KitError(f"{name}: {color}.entrance is {entrances[c]!r}, expected {color[0]}.hre: notation needs it")
        if len(refuges[c]) != PIECES_OF_A_COLOR:
            raise KitError(f"{name}: {color}.refuge lists {len(refuges[c])} spots, expected {PIECES_OF_A_COLOR}")
        roles += [(starts[c], f"{color}'s start"), (entrances[c], f"{color}'s entrance")]
        roles += [(spot, f"{color}'s refuge") for spot in refuges[c]]
    check_distinct(roles, name)
    for spot in (*starts, *entrances):
        if spot not in board.next:
            raise KitError(f"{name}: no step leads on from {spot}, expected one in [next]")
    return starts, entrances, refuges, dict(beasts), world


def travelled(t: ManipulationTables, color: int) -> dict[str, int]:
    """Spaces from the start round to the entrance, on to the last of the refuge, and the shortest route to THE
    WORLD."""
    spot, lap = t.starts[color], 0
    while spot != t.entrances[color] and lap <= len(t.board.spots):
        spot = t.steps(color, spot, rested=False)[0]
        lap += 1
    ways = reached([t.starts[color]], partial(t.steps, color, rested=True))
    return {"entrance": lap, "refuge": lap + len(t.refuges[color]), "world": ways.get(t.world, 0)}


def check(t: ManipulationTables, name: str) -> None:
    """Refuses a board that the rules cannot be played on. Raises: KitError with the reason."""
    for spot, to in t.board.next.items():
        for other in to:
            if other not in t.board.next and other != t.world:
                raise KitError(f"{name}: no step leads on from {other}, the next of {spot}, expected one in [next]")
    check_ways(t, "basic_manipulation", name, partial(travelled, t), [t.world], "refuge")
