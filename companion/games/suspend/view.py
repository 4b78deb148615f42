"""What phones show of Suspend: everything lies open, so every seat sees the same."""

from __future__ import annotations

from typing import Any

from companion.games.suspend.house import COLORS, Mode, notch_table
from companion.games.suspend.rules import colors_open, sources
from companion.games.suspend.state import Phase, Pile, SuspendState


def view(state: SuspendState) -> dict[str, Any]:
    """The piles, the structure, whose turn it is and with what."""
    is_hanging = state.phase is Phase.HANG
    players = []
    for at, seat in enumerate(state.seats):
        players.append(
            {
                "seat": seat,
                "is_in": seat in state.players,
                "pile": _counts(state.piles[at]),
                "pieces": state.piles[at].total,
                "points_at_risk": state.piles[at].notches(state.house),
                "points": state.points[at] if state.house.mode is Mode.EXPERT else None,
                "removed": state.removed[at] if state.removed else None,
            }
        )
    return {
        "mode": str(state.house.mode),
        "round": state.round,
        "turn": state.turn,
        "phase": str(state.phase),
        "color": state.color,
        "sources": {color: list(sources(state, color)) for color in colors_open(state)} if is_hanging else {},
        "mover": state.mover,
        "lost_turn": state.lost_turn,
        "players": players,
        "draw_pile": _counts(state.draw_pile),
        "hung": _counts(state.hung),
        "notches": dict(notch_table(state.house.notches)),
        "connector_in_play": state.house.connector_in_play,
        "winners": list(state.winners),
    }


def _counts(pile: Pile) -> dict[str, int]:
    return {color: pile.count(color) for color in COLORS}
