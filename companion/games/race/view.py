"""The phones' view of a race game: the board's circles in mm, the pieces, the die, the actions open now."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.game.board import Board
from companion.game.says import Says
from companion.game.values import JsonObject
from companion.games.race.flow import legal, outcome, to_move
from companion.games.race.flow import score as score_of
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import DieRolled, Moved, RaceState, RollCorrected
from companion.games.race.states import broken
from companion.games.race.text import state_text

BESIDE = 0.3
"""How far the second marker on a circle is drawn beside the first, by the circle's width."""
ARRIVAL = "inner"
"""The key of the circles where arrived markers lie."""


def view(sheet: RaceSheet, state: RaceState, seat: str | None = None, past: Sequence[Any] = ()) -> JsonObject:
    """The whole table, the same for every seat: a race game has no secrets.

    `pieces` lists each marker with its colour, spot and centre in mm (board frame). `may` lists the legal moves with
    origin and target. `rolls` lists the entries for each value of the die that is due. `score` counts the markers
    arrived. `signs` are the circles that a colour owns, or that have a name: their role and colour. `places` are their
    names in words, `ways` the steps.
    Raises: NotationError where the state is impossible.
    """
    board = tables_of(sheet, state).board
    pieces: list[dict[str, Any]] = []
    for color, spots in state.pieces.items():
        home = iter(board.roles[color]["home"])
        inner = iter(board.roles[color].get("inner", ()))
        for spot in spots:
            circle = next(home) if spot == sheet.home else spot.removesuffix("!")
            circle = circle if circle in board.spots else next(inner)
            x_mm, y_mm = board.spots[circle]
            x_mm += BESIDE * board.circle_mm * sum(piece["spot"] == circle for piece in pieces)
            has_right = spot.endswith("!")
            pieces.append(
                {"color": color, "spot": spot.removesuffix("!"), "x_mm": x_mm, "y_mm": y_mm, "has_right": has_right}
            )
    over = outcome(sheet, state)
    moves = () if broken(sheet, state) else legal(sheet, state)
    tables = tables_of(sheet, state)
    return {
        "board": board.name,
        "size_mm": list(board.size_mm),
        "circle_mm": board.circle_mm,
        "picture": board.picture and f"games/{sheet.name}/boards/{board.picture}",
        "spots": {spot: list(place) for spot, place in board.spots.items()},
        "seats": list(state.seats),
        "pieces": pieces,
        "to_move": list(to_move(sheet, state)),
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
            for move in moves
            if isinstance(move.action, Moved)
        ],
        "rolls": [
            {"move": move.move, "seat": move.action.seat, "value": move.action.value}
            for move in moves
            if isinstance(move.action, DieRolled)
        ],
        "piece": sheet.piece,
        "home": sheet.home,
        "colors": {
            seat: [tables.colors[c] for c in own] for seat, own in zip(state.seats, tables.colors_of_seat, strict=True)
        },
        "signs": _signs(sheet, board),
        "places": dict(_places(sheet, board, tables.names[tables.done])),
        "ways": _ways(sheet, board),
        "score": {seat: score.points for seat, score in score_of(sheet, state).items()},
        "winners": list(over.winners) if over else [],
        "position": state_text(sheet, state),
        **_last(past),
    }


def _last(past: Sequence[Any]) -> JsonObject:
    """The last roll and the last move, to be marked on the board."""
    rolled = next((a for a in reversed(past) if isinstance(a, DieRolled | RollCorrected)), None)
    moved = next((a for a in reversed(past) if isinstance(a, Moved)), None)
    return {
        "last_roll": None if rolled is None else {"seat": rolled.seat, "value": rolled.value},
        "last_move": None if moved is None else {"color": moved.color, "origin": moved.origin, "to": moved.to},
    }


def _circle(board: Board, pieces: list[dict[str, Any]], action: Moved) -> str:
    """The circle that a move leads to: of the places where markers arrive, the next that is free."""
    if action.to in board.spots:
        return action.to
    taken = {(piece["x_mm"], piece["y_mm"]) for piece in pieces}
    inner: tuple[str, ...] = tuple(board.roles[action.color][ARRIVAL])
    return next((spot for spot in inner if board.spots[spot] not in taken), inner[-1])


def _signs(sheet: RaceSheet, board: Board) -> dict[str, dict[str, str | None]]:
    """The circles that bear a colour's shape, and those with a letter."""
    signs: dict[str, dict[str, str | None]] = {}
    for color in board.colors:
        for role in (role for role in sheet.roles if role.is_signed):
            signs |= {spot: {"role": role.key, "color": color} for spot in _spots(board, color, role.key)}
    marks = sheet.marks(board)
    return signs | {spot: {"role": m.role, "color": None, "letter": m.letter} for spot, m in marks.items()}


def _spots(board: Board, color: str, key: str) -> tuple[str, ...]:
    """The circles that a colour's table names under a key."""
    named = board.roles[color].get(key, ())
    return (named,) if isinstance(named, str) else tuple(named)


def _places(sheet: RaceSheet, board: Board, done: str) -> Iterator[tuple[str, Says]]:
    """The names in words of the circles that have one. A move names all places of arrival by one word, `done`."""
    for color in board.colors:
        for role in sheet.roles:
            spots = _spots(board, color, role.key)
            for number, spot in enumerate((done, *spots) if role.key == ARRIVAL and spots else spots, 1):
                if role.says is not None:
                    yield spot, Says(role.says.template, {"color": color, "circle": spot, "number": number})
    for spot, mark in sheet.marks(board).items():
        if mark.says is not None:
            yield spot, mark.says


def _ways(sheet: RaceSheet, board: Board) -> list[list[Any]]:
    """The steps between circles, each as two places in mm and the colour whose own step it is, None for all."""
    steps: list[tuple[str, str, str | None]] = [
        (spot, to, None) for spot, all_to in board.next.items() for to in all_to
    ]
    for color in board.colors:
        for role in sheet.roles:
            own = board.roles[color].get(role.key, ())
            if isinstance(own, Mapping):
                steps += [(spot, to, color) for spot, to in own.items() if to in board.spots]
            elif role.is_lane:
                first = _spots(board, color, role.lane_from) if role.lane_from else ()
                steps += [(spot, to, color) for spot, to in itertools.pairwise((*first, *own))]
    return [[*board.spots[spot], *board.spots[to], color] for spot, to, color in steps]
