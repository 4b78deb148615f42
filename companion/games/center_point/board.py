"""The roles of circles in Center Point's board file; each refusal in one sentence."""

from companion.game.board import Board, check_distinct, spot_of_role, spots_of_role
from companion.game.errors import KitError

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
