"""Requirements on Basic Manipulation's board file: roles, routes, equal lengths; each refusal in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.game.board import PIECES_OF_A_COLOR, Board, check_distinct, spot_of_role, spots_of_role
from companion.game.errors import KitError

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
    return {"entrance": lap, "refuge": lap + len(t.refuges[color]), "world": _shortest(t, color, t.world)}


def _shortest(t: ManipulationTables, color: int, goal: str) -> int:
    seen, edge, steps = {t.starts[color]}, [t.starts[color]], 0
    while edge and goal not in edge:
        edge = [
            to for to in dict.fromkeys(s for spot in edge for s in t.steps(color, spot, rested=True)) if to not in seen
        ]
        seen.update(edge)
        steps += 1
    return steps if edge else 0


def check(t: ManipulationTables, name: str) -> None:
    """Refuses a board that the rules cannot be played on. Raises: KitError with the reason."""
    board = t.board
    if board.game != "basic_manipulation":
        raise KitError(f"{name}: is a board of {board.game}, expected one of basic_manipulation")
    roles = [board.roles[color] for color in t.colors]
    known = {spot for role in roles for spot in (*role["home"], *role["refuge"])} | set(board.next) | {t.world}
    for spot in board.spots:
        if spot not in known:
            raise KitError(f"{name}: {spot} has neither a step in [next] nor a role, expected one: it is unreachable")
    for spot, to in board.next.items():
        for other in to:
            if other not in board.next and other != t.world:
                raise KitError(f"{name}: no step leads on from {other}, the next of {spot}, expected one in [next]")
    reached = frozenset[str]().union(*(t.reach(c) for c in range(len(t.colors))))
    lost = [spot for spot in (*board.next, t.world) if spot not in reached]
    if lost:
        raise KitError(f"{name}: {lost[0]} cannot be reached by any colour from its start, expected every spot to be")
    told = board.sections.get("routes", {})
    expected = {**travelled(t, 0), **told}
    for c, color in enumerate(t.colors):
        for key, count in travelled(t, c).items():
            if count != expected[key]:
                said = "as [routes] says" if key in told else f"as for {t.colors[0]}"
                raise KitError(f"{name}: the {key} route of {color} is {count}, expected {expected[key]} {said}")
