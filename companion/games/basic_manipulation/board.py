"""The roles of circles in Basic Manipulation's board file; each refusal in one sentence."""

from typing import Any

from companion.game.board import PIECES_OF_A_COLOR, Board, check_distinct, spot_of_role, spots_of_role
from companion.game.errors import KitError

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
