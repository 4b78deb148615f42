"""The phones' view of Suspend: everything is open, so every seat sees the same."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from companion.game.values import Move
from companion.games.suspend.events import Event, Hung
from companion.games.suspend.house import ELIMINATED_AT, Mode
from companion.games.suspend.moves import legal
from companion.games.suspend.rules import colors_open, is_hanging, sources
from companion.games.suspend.state import SuspendState


def view(state: SuspendState, seat: str | None = None, past: Sequence[Event] = ()) -> dict[str, Any]:
    players = []
    for at, seat in enumerate(state.seats):
        players.append(
            {
                "seat": seat,
                "is_in": seat in state.players,
                "pile": asdict(state.piles[at]),
                "pieces": state.piles[at].total,
                "points_at_risk": state.piles[at].notches(state.house),
                "points": state.points[at] if state.house.mode is Mode.EXPERT else None,
                "removed": state.removed[at] if state.removed else None,
            }
        )
    return {
        "mode": str(state.house.mode),
        "turn": state.turn,
        "phase": str(state.phase),
        "color": state.color,
        "sources": {color: list(sources(state, color)) for color in colors_open(state)} if is_hanging(state) else {},
        "players": players,
        "draw_pile": asdict(state.draw_pile),
        "hung": asdict(state.hung),
        "winners": list(state.winners),
        "sheet": [list(row) for row in state.sheet],
        "limit": ELIMINATED_AT,
        "may": [_told(move) for move in legal(state) if move.action is not None],
    }


def _told(move: Move[Event]) -> dict[str, Any]:
    """A move that a tap on the drawing makes: its kind, and the color and source if it has them."""
    event = move.action
    assert event is not None
    kind = type(event).__struct_config__.tag
    told = {
        "move": move.move,
        "kind": kind,
        "color": getattr(event, "color", None),
        "seat": getattr(event, "seat", None),
    }
    return told | ({"source": event.source or event.seat} if isinstance(event, Hung) else {})
