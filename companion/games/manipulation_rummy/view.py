"""The phones' view of Manipulation Rummy: the table for all, a hand for its owner alone until the round is over."""

from collections.abc import Sequence
from typing import Any

from companion.games.manipulation_rummy import moves
from companion.games.manipulation_rummy.house import points_of
from companion.games.manipulation_rummy.state import Action, Phase, RummyState

OPEN_HANDS = (Phase.DEAL, Phase.OVER)
"""In these phases the hands of the round are on the table, counted."""


def view(state: RummyState, seat: str | None, past: Sequence[Action] = ()) -> dict[str, Any]:
    players = []
    finals = moves.finals(state) if state.phase is Phase.OVER else {}
    for at, name in enumerate(state.seats):
        hand = state.hands[at]
        is_open = state.phase in OPEN_HANDS or name == seat
        players.append(
            {
                "seat": name,
                "cards_held": hand.size,
                "is_told": hand.is_known if is_open or state.phase is Phase.SHOW else None,
                "hand": list(hand.cards) if is_open else None,
                "points": points_of(hand.cards, state.house) if is_open and hand.is_known else None,
                "total": state.totals[at],
                "final": int(finals[name]) if finals else None,
                "rounds_won": state.rounds_won[at],
                "scored": state.scored[at] if state.scored else None,
                "parts": _parts(state, at),
            }
        )
    return {
        "round": state.round,
        "turn": state.turn,
        "phase": str(state.phase),
        "draws": state.draws,
        "stock": state.stock,
        "packs": state.packs,
        "goal": state.house.goal,
        "is_last_turn": state.is_last_turn,
        "knocked": state.knocked,
        "melds": [list(meld) for meld in state.table],
        "players": players,
        "dealt": _dealt(state),
    }


def _parts(state: RummyState, at: int) -> list[int]:
    """The sum that a seat scored in the round that was just counted: what each other hand brought, then the bonus."""
    if state.phase not in OPEN_HANDS or not state.scored or not state.scored[at]:
        return []
    points = [points_of(hand.cards, state.house) for hand in state.hands]
    parts = [left - min(points) for left in points]
    return [part for part in (*parts, state.scored[at] - sum(parts)) if part]


def _dealt(state: RummyState) -> dict[str, Any] | None:
    """Number of cards in each place, for a virtual table that deals them; None once the
    hands are shown."""
    if state.phase in (*OPEN_HANDS, Phase.SHOW):
        return None
    held = {seat: hand.size for seat, hand in zip(state.seats, state.hands, strict=True)}
    return {"round": state.round, "held": held, "laid": sum(map(len, state.table)), "turn": state.turn}
