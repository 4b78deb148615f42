"""The phones' view of a race game: the board's circles in mm, the pieces, the die, the actions open now."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from companion.game.board import Board
from companion.game.game import JsonObject
from companion.game.says import Says
from companion.games._race import status
from companion.games._race.state import DieRolled, Moved, RaceState, RollCorrected

if TYPE_CHECKING:
    from companion.games._race.game import RaceGame


def view(game: RaceGame, state: RaceState) -> JsonObject:
    """The whole table, the same for every seat: a race game has no secrets.

    `pieces` lists each marker with its colour, spot and centre in mm (board frame). `may` lists the legal moves with
    origin and target. `rolls` lists the entries for each value of the die that is due. `score` counts the markers
    arrived. `signs` are the circles that a colour owns, or that have a name: their role and colour. `places` are their
    names in words, `ways` the steps.
    Raises: NotationError where the state is impossible.
    """
    board = game.board(state)
    pieces: list[dict[str, Any]] = []
    for color, spots in state.pieces.items():
        home = iter(board.roles[color]["home"])
        inner = iter(board.roles[color].get("inner", ()))
        for spot in spots:
            circle = next(home) if spot == game.home else spot.removesuffix("!")
            circle = circle if circle in board.spots else next(inner)
            x_mm, y_mm = board.spots[circle]
            has_right = spot.endswith("!")
            pieces.append(
                {"color": color, "spot": spot.removesuffix("!"), "x_mm": x_mm, "y_mm": y_mm, "has_right": has_right}
            )
    over = game.outcome(state)
    legal = () if status.broken(game, state) else game.legal(state)
    tables = game.tables(state)
    return {
        "board": board.name,
        "size_mm": list(board.size_mm),
        "circle_mm": board.circle_mm,
        "spots": {spot: list(place) for spot, place in board.spots.items()},
        "seats": list(state.seats),
        "pieces": pieces,
        "to_move": list(game.to_move(state)),
        "rolling": list(state.rolling),
        "first_rolls": dict(state.first_rolls),
        "die": state.die,
        "held": state.held,
        "again": state.again,
        "may": [
            {
                "move": move.move,
                "color": move.action.color,
                "origin": move.action.origin,
                "to": move.action.to,
                "to_mm": list(board.spots[_circle(board, pieces, move.action)]),
            }
            for move in legal
            if isinstance(move.action, Moved)
        ],
        "rolls": [
            {"move": move.move, "seat": move.action.seat, "value": move.action.value}
            for move in legal
            if isinstance(move.action, DieRolled)
        ],
        "piece": game.piece,
        "home": game.home,
        "colors": {
            seat: [tables.colors[c] for c in own] for seat, own in zip(state.seats, tables.colors_of_seat, strict=True)
        },
        "signs": _signs(board),
        "places": dict(_places(board, tables.names[tables.done])),
        "ways": _ways(board),
        "score": dict(game.score(state)),
        "winners": list(over.winners) if over else [],
        "position": game.state_text(state),
    }


def recent(actions: Sequence[Any]) -> JsonObject:
    """The last roll and the last move, to be marked on the board."""
    rolled = next((a for a in reversed(actions) if isinstance(a, DieRolled | RollCorrected)), None)
    moved = next((a for a in reversed(actions) if isinstance(a, Moved)), None)
    return {
        "last_roll": None if rolled is None else {"seat": rolled.seat, "value": rolled.value},
        "last_move": None if moved is None else {"color": moved.color, "origin": moved.origin, "to": moved.to},
    }


def _circle(board: Board, pieces: list[dict[str, Any]], action: Moved) -> str:
    """The circle that a move leads to: of the places where markers arrive, the next that is free."""
    if action.to in board.spots:
        return action.to
    taken = {(piece["x_mm"], piece["y_mm"]) for piece in pieces}
    inner: tuple[str, ...] = tuple(board.roles[action.color]["inner"])
    return next((spot for spot in inner if board.spots[spot] not in taken), inner[-1])


ROLES = ("home", "start", "entrance", "refuge", "safety", "inner")


def _signs(board: Board) -> dict[str, dict[str, str | None]]:
    signs: dict[str, dict[str, str | None]] = {}
    for color in board.colors:
        for role in ROLES:
            named = board.roles[color].get(role, ())
            for spot in (named,) if isinstance(named, str) else named:
                signs[spot] = {"role": role, "color": color}
    for beast, star in board.sections.get("beasts", {}).items():
        signs[beast], signs[star] = {"role": "beast", "color": None}, {"role": "star", "color": None}
    world = board.sections.get("world", {}).get("spot")
    return signs if world is None else {**signs, world: {"role": "world", "color": None}}


def _places(board: Board, inner: str) -> Iterator[tuple[str, Says]]:
    """The circles that a colour owns, in the words of the rule sheets, and the middle. A move names all arrival places
    `inner`."""
    for color in board.colors:
        roles, told = board.roles[color], {"color": color}
        yield roles["start"], Says("{color}'s start", told)
        if "entrance" in roles:
            yield roles["entrance"], Says("{color}'s refuge entrance", told)
        for number, spot in enumerate(roles.get("refuge", ()), 1):
            yield spot, Says("{color}'s refuge {number}", {**told, "number": number})
        for spot in roles.get("safety", ()):
            yield spot, Says("{color}'s safety ({circle})", {**told, "circle": spot})
        for spot in roles.get("bypass", ()):
            yield spot, Says("{color}'s bypass ({circle})", {**told, "circle": spot})
        for spot in (inner, *roles["inner"]) if "inner" in roles else ():
            yield spot, Says("the inner circle")
    world = board.sections.get("world", {}).get("spot")
    if world is not None:
        yield world, Says("THE WORLD")


def _ways(board: Board) -> list[list[Any]]:
    """The steps between circles, each as two places in mm and the colour whose own step it is, None for all."""
    steps: list[tuple[str, str, str | None]] = [
        (spot, to, None) for spot, all_to in board.next.items() for to in all_to
    ]
    for color in board.colors:
        role = board.roles[color]
        steps += [(spot, to, color) for spot, to in role.get("bypass", {}).items() if to in board.spots]
        refuge = [role["entrance"], *role["refuge"]] if "entrance" in role else []
        steps += [(spot, to, color) for spot, to in itertools.pairwise(refuge)]
    return [[*board.spots[spot], *board.spots[to], color] for spot, to, color in steps]
