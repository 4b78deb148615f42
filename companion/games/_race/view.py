"""What phones show of a race game: the board's circles in mm, who stands where, the die, what may be done now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.game import JsonObject
from companion.games._race import status
from companion.games._race.state import RaceState

if TYPE_CHECKING:
    from companion.games._race.game import RaceGame


def view(game: RaceGame, state: RaceState) -> JsonObject:
    """The whole table, the same for every seat: a race game has no secrets.

    `pieces` lists each marker with its colour, spot and centre in mm (board frame); `may` lists the texts of what the
    seat to move may do, `score` the markers arrived. Raises: NotationError where the state cannot be.
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
    moves = [] if status.broken(game, state) or state.die is None else [move.move for move in game.legal(state)]
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
        "may": moves,
        "score": dict(game.score(state)),
        "winners": list(over.winners) if over else [],
        "position": game.state_text(state),
    }
