"""Corrections by people against the record: a roll that was misread, or a table to play on with as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion.game.errors import NotationError
from companion.game.game import Applied, Ruling
from companion.game.says import Says
from companion.games._race import core as engine
from companion.games._race import status
from companion.games._race.state import DieRolled, PositionSet, RaceState, RollCorrected

if TYPE_CHECKING:
    from companion.games._race.game import RaceGame

SetRight = RollCorrected | PositionSet


def why_not(game: RaceGame, state: RaceState, action: SetRight) -> tuple[Says, str] | None:
    """Why it cannot be set right like this, and the paragraph; None where it can."""
    if isinstance(action, RollCorrected):
        if state.die is None or action.seat != state.turn:
            return Says(
                "no roll of {seat} waits for its move: nothing to correct", {"seat": action.seat}
            ), game.cites.roll
        if action.value not in engine.DIE:
            return Says("the die shows {value}, expected 1 to 6", {"value": action.value}), game.cites.roll
        return None
    if state.rolling:
        return Says("the first turn is not settled: set the table up as at the beginning"), game.cites.first
    faults = status.broken(game, replace(state, pieces=action.pieces))
    return (faults[0].says, faults[0].rule) if faults else None


def applied(game: RaceGame, state: RaceState, action: SetRight) -> Applied[RaceState]:
    """The state after a correction. A table accepted as it is counts as the move that was due."""
    if isinstance(action, RollCorrected):
        values = {"seat": action.seat, "value": action.value, "was": state.die}
        ruling = Ruling(action.seat, Says("the roll of {seat} counts as {value}, not {was}", values), game.cites.roll)
        rolled = game.rolled(replace(state, die=None), DieRolled(action.seat, action.value))
        return Applied(rolled.state, (ruling, *rolled.rulings))
    laid = replace(state, pieces=action.pieces)
    core = game.core(laid)
    says = Says("the table counts as it is")
    rulings = [Ruling(None, says, game.cites.board)]
    if state.die is not None and state.die != engine.SIX:
        core.turn = (core.turn + 1) % len(state.seats)
    again = state.die == engine.SIX and game.may_decline
    now = replace(game.after(laid, core), held=0, again=again)
    over = game.outcome(now)
    if over is not None:
        rulings.append(Ruling(None, over.says, over.rule))
    return Applied(now, tuple(rulings))


def written(action: SetRight, position: str) -> str:
    """The action as one short line; `position` is that of its pieces."""
    return f"{action.seat[0]} was d{action.value}" if isinstance(action, RollCorrected) else f"set {position}"


def says(action: SetRight) -> Says:
    """The action in words."""
    if isinstance(action, RollCorrected):
        return Says("the roll of {seat} was a {value}", {"seat": action.seat, "value": action.value})
    return Says("the table is taken as it is")


def parsed(text: str, words: dict[str, str], pieces: dict[str, tuple[str, ...]] | None) -> SetRight | None:
    """The action that a line means, None for another line; `pieces` are those of its position, already parsed.

    Raises: NotationError.
    """
    if text.startswith("set "):
        if pieces is None:
            raise NotationError("the table to play on with names no position, expected one such as 'r: A5 home*3'")
        return PositionSet(pieces)
    letter, was, value = text.partition(" was d")
    if not was:
        return None
    if not value.isdecimal():
        raise NotationError(f"the roll {text!r} has no number, expected one such as 'r was d5'", "value")
    return RollCorrected(words.get(letter, letter), int(value))
