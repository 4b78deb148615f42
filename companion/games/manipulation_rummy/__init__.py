"""Manipulation Rummy: the declaration. `rules` judge turns, `melds` the table, `scoring` counts, `hints` solve.

First called is `start` (rules), then `apply` with facts from `state`; `positions` judges what was observed, `notation`
writes it down, `reading` infers from the eyes, `view` is what phones show, `house` holds the switches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.game.errors import ImpossibleError
from companion.game.game import (
    Applied,
    Doubt,
    Explanation,
    Fault,
    Game,
    Hint,
    JsonObject,
    Move,
    Outcome,
    Proposal,
    PutBack,
    Tally,
)
from companion.game.options import no_board
from companion.game.parts import ChecksTable, KeepsSecrets, SeesTable
from companion.game.says import Says
from companion.games.manipulation_rummy import hands, moves, notation, positions, rules, scoring
from companion.games.manipulation_rummy import hints as _hints
from companion.games.manipulation_rummy.house import OPTIONS, TITLE, house_of
from companion.games.manipulation_rummy.melds import table_text
from companion.games.manipulation_rummy.reading import interpret
from companion.games.manipulation_rummy.state import Action, Melded, RummyState, Shown
from companion.games.manipulation_rummy.view import view


class ManipulationRummy(
    Game[RummyState, Action], SeesTable[RummyState, Action], ChecksTable[RummyState], KeepsSecrets[RummyState, Action]
):
    """Manipulation Rummy for two to five, A to E clockwise."""

    name = "manipulation_rummy"
    reader = "rummy"
    title = TITLE
    state_type = RummyState
    action_type = Action
    options = OPTIONS

    def start(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
    ) -> RummyState:
        no_board(board, TITLE)
        return rules.start(seats, options)

    def seats(self, state: RummyState) -> tuple[str, ...]:
        return state.seats

    def to_move(self, state: RummyState) -> tuple[str, ...]:
        return rules.to_move(state)

    def legal(self, state: RummyState) -> tuple[Move[Action], ...]:
        return moves.legal(state)

    def apply(self, state: RummyState, action: Action) -> Applied[RummyState]:
        return rules.apply(state, action)

    def explain(self, state: RummyState, action: Action) -> Explanation:
        return moves.explain(state, action)

    def status(self, state: RummyState) -> tuple[Fault, ...]:
        return positions.faults(state)

    def score(self, state: RummyState) -> Mapping[str, float]:
        return moves.score(state)

    def tally(self, state: RummyState) -> Mapping[str, Tally]:
        told = zip(state.seats, state.totals, state.rounds_won, strict=True)
        return {seat: Tally(points, rounds) for seat, points, rounds in told}

    def outcome(self, state: RummyState) -> Outcome | None:
        return moves.outcome(state)

    def view(self, state: RummyState, seat: str | None) -> JsonObject:
        return view(state, seat)

    def hints(
        self, state: RummyState, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Action], ...]:
        return _hints.hints(state, seat, within_ms)

    def interpret(
        self, state: RummyState, reading: Any, before: Action | None = None
    ) -> Proposal[Action] | Doubt[Action] | None:
        return interpret(state, reading)

    def act(self, state: RummyState, seat: str, move: str, values: Mapping[str, str]) -> Action:
        told = moves.told_action(state, seat, move, values)
        return told if told is not None else super().act(state, seat, move, values)

    def has_moved(self, before: Action, after: Action) -> bool:
        return True  # a look is compared with the recorded table, and each turn is another

    def moves_pieces(self, action: Any) -> bool:
        return isinstance(action, Melded)

    def place_mm(self, action: Action, piece: str) -> tuple[float, float] | None:
        return None

    def secret_of(self, state: RummyState, seat: str, text: str) -> hands.Cards:
        return hands.hand_of(state, seat, text)

    def kept(self, secret: hands.Cards, seat: str, before: RummyState, after: RummyState) -> hands.Cards | None:
        return hands.kept(secret, seat, before, after)

    def known_to(self, state: RummyState, seat: str, secret: hands.Cards) -> RummyState:
        return hands.known_to(state, seat, secret)

    def check(self, state: RummyState, seat: str, secret: hands.Cards, move: str, action: Action | None) -> None:
        if move == moves.melds(seat) and action is None:
            hands.check_melding(state, seat, secret)
        hands.check(state, seat, secret, Shown(seat, secret) if move == moves.shows(seat) else action)

    def says(self, action: Action) -> Says:
        return moves.says(action)

    def put_back(self, before: RummyState, after: RummyState) -> tuple[PutBack, ...]:
        return moves.put_back(before, after)

    def state_text(self, state: RummyState) -> str:
        return notation.state_text(state)

    def state_of_text(self, text: str) -> RummyState:
        return notation.state_of_text(text)

    def action_text(self, action: Action) -> str:
        return notation.action_text(action)

    def action_of_text(self, text: str, state: RummyState | None = None) -> Action:
        return notation.action_of_text(text)

    def state_of_table(self, table: str, hand: str, packs: int | None, options: Mapping[str, str]) -> RummyState:
        """A turn of player A with these cards, melding open (`positions.state_of_table`). Raises: NotationError."""
        return positions.state_of_table(table, hand, packs, options)

    def best_play(
        self, table: str, hand: str, packs: int | None, options: Mapping[str, str], *, within_ms: float = 300.0
    ) -> JsonObject:
        """The play that leaves the fewest points: ``points`` that leave the hand, cards ``laid``, the ``table`` after.

        The table after is text in the notation that `table` was given in. Raises: NotationError; ImpossibleError
        for a table and a hand that cannot be.
        """
        state = positions.state_of_table(table, hand, packs, options)
        for fault in positions.faults(state):
            raise ImpossibleError(f"this position cannot be: {fault.says} [{fault.rule}]", fault.where)
        best = _hints.best_play(state, state.seats[0], within_ms)
        return {"points": best.points, "laid": list(best.laid), "table": table_text(best.table)}

    def round_scores(
        self, points: Mapping[str, int], *, knocked: str | None, out: str | None, options: Mapping[str, str]
    ) -> dict[str, int]:
        """Each seat's score in a round. Raises: NotationError; Illegal for a knock with too many points."""
        house_of(options)  # no house rule changes a round's score, and a wrong one is still reported
        return scoring.count_round(points, knocked, out).scores

    def final_scores(self, totals: Mapping[str, tuple[int, int]], *, options: Mapping[str, str]) -> dict[str, int]:
        """The final scores by total and rounds won of each seat. Raises: NotationError before anybody has 150."""
        return scoring.count_finals(totals, house_of(options).box_bonus_for_finishers)


GAME = ManipulationRummy()
