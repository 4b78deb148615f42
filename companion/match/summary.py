"""Facts about a finished match: its length, its closest call, how often people were asked."""

from __future__ import annotations

from typing import Any

from companion.game.says import Says, counted
from companion.game.values import Ruling
from companion.match.people import ASKED
from companion.record.body import Amended, Answered, Retracted
from companion.record.fold import Folded, Step

MINUTE_S = 60


def facts(folded: Folded[Any, Any]) -> tuple[Says, ...]:
    """The noteworthy facts of a match, each in a line."""
    entries = [entry for entry in folded.entries if entry.seq not in folded.retracted]
    if not folded.steps:
        return ()
    minutes = round((folded.steps[-1].entry.at_s - folded.entries[0].at_s) / MINUTE_S)
    asked = sum(
        isinstance(entry.body, Answered) or (isinstance(entry.body, Amended) and entry.body.reason == ASKED)
        for entry in entries
    )
    undone = sum(isinstance(entry.body, Retracted) for entry in folded.entries)
    said: list[Says] = []
    if minutes >= 0:  # a clock that was set back meanwhile gives no duration
        words = ("played in one minute", "played in {count} minutes")
        said.append(counted(minutes, *words, none="played in less than a minute"))
    said += [
        counted(len(folded.steps), "one ruling", "{count} rulings"),
        counted(asked, "one question was asked", "{count} questions were asked", none="no question was asked"),
    ]
    if undone:
        said.append(counted(undone, "one undo", "{count} undos"))
    found = closest(folded)
    if found is not None and found[1].margin is not None:
        said.append(Says("the closest call: {mm} mm", {"mm": round(abs(found[1].margin.margin_mm), 1)}))
    return tuple(said)


def closest(folded: Folded[Any, Any]) -> tuple[Step[Any, Any], Ruling] | None:
    """The ruling with the smallest margin, with its step; None if nothing was measured."""
    measured = [
        (abs(ruling.margin.margin_mm), -step.entry.seq, step, ruling)
        for step in folded.steps
        for ruling in step.rulings
        if ruling.margin is not None
    ]
    if not measured:
        return None
    *_, step, ruling = min(measured, key=lambda row: row[:2])
    return step, ruling
