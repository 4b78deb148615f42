"""What the eyes say of a race game: the roll in the tray, or the legal move that makes the position on the table.

The legal moves are few, so the observed position is matched against the position after each: one fits, and it is
proposed; several or none fit, and the people are asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.game import Choice, Doubt, Proposal
from companion.games._race import core as engine
from companion.games._race.state import DieRolled, RaceState
from companion.readings import SURE, BoardReading
from companion.says import Says

if TYPE_CHECKING:
    from companion.games._race.game import RaceGame


def interpret(
    game: RaceGame, state: RaceState, reading: BoardReading, before: Any = None
) -> Proposal[Any] | Doubt[Any] | None:
    """The roll or the move that a settled table shows, a question where it does not say, None while nothing did."""
    if game.outcome(state) is not None or reading.between:
        return None
    if state.die is None:
        return _roll(game, state, reading, before)
    seen = _seen(game, state, reading)
    if seen == standing(game, state):
        return None
    legal = game.legal(state)
    fitting = [move for move in legal if standing(game, game.apply(state, move.action).state) == seen]
    is_sure = all(spot.confidence >= SURE for spot in reading.spaces.values())
    if len(fitting) == 1 and is_sure:
        return Proposal((fitting[0].action,), fitting[0].text)
    asked = fitting or legal
    values = {"seat": state.turn, "die": state.die}
    if fitting:
        says = Says("{seat} rolled a {die}: which move was made?", values)
    else:
        says = Says("no move of {seat} with a {die} leads to this table: which move was meant?", values)
    choices = tuple(Choice(move.move, move.text, move.action) for move in asked)
    return Doubt("move", says, choices, asked[0].rule if asked else game.cites.turn)


def _roll(game: RaceGame, state: RaceState, reading: BoardReading, before: Any) -> Proposal[Any] | Doubt[Any] | None:
    """The one die in the tray. A die that may still lie there from the last roll is asked about."""
    tray = [die for die in reading.dice if die.in_tray]
    seat = next(iter(game.to_move(state)))
    if len(tray) != 1:
        return None
    value = tray[0].value
    if value is not None and tray[0].confidence >= SURE:
        rolled = DieRolled(seat, value)
        says = Says("{seat} rolled a {value}", {"seat": seat, "value": value})
        if not (isinstance(before, DieRolled) and before.value == value):
            return Proposal((rolled,), says)
        again = Says("did {seat} roll a {value} too?", {"seat": seat, "value": value})
        return Doubt("roll", again, (Choice("yes", says, rolled), Choice("no", Says("not yet"))), game.cites.roll)
    choices = tuple(Choice(str(n), Says("a {value}", {"value": n}), DieRolled(seat, n)) for n in engine.DIE)
    return Doubt("roll", Says("what did {seat} roll?", {"seat": seat}), choices, game.cites.roll)


def standing(game: RaceGame, state: RaceState) -> dict[str, str]:
    """The colour on each circle of the way; markers at the beginning and arrived ones, all alike, are left out."""
    left_out = {game.home, game.tables(state).names[game.tables(state).done]}
    return {
        spot.removesuffix("!"): color for color, spots in state.pieces.items() for spot in spots if spot not in left_out
    }


def _seen(game: RaceGame, state: RaceState, reading: BoardReading) -> dict[str, str]:
    tables = game.tables(state)
    return {spot: seen.color for spot, seen in reading.spaces.items() if spot in tables.place}
