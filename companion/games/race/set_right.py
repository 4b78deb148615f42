"""Corrections by people against the record: a roll that was misread, or a table to play on with as it is."""

from __future__ import annotations

from companion.game.errors import NotationError
from companion.game.says import Says
from companion.games.race.state import PositionSet, RollCorrected

SetRight = RollCorrected | PositionSet


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
