"""The stages of a table and the transitions between them. The door obeys them, and docs/decisions.md prints them."""

from enum import StrEnum
from typing import NamedTuple

from companion.game.errors import Refused
from companion.game.says import Says


class Stage(StrEnum):
    """The state of a table."""

    NO_MATCH = "no match"
    LOOKING_BACK = "looking back"
    PREPARING = "preparing"
    PLAYING = "playing"
    ENDED = "ended"


class StageEvent(StrEnum):
    """The events that can change a table's stage."""

    CHOSEN = "a match is chosen"
    CHOSEN_INSTEAD = "another match is chosen, and this one may end"
    STANDS = "the new match stands"
    FAILED = "the new match cannot begin"
    DECIDED = "an entry decides the match"
    TAKEN_BACK = "that entry is taken back"
    NEXT = "the phones begin the next match"
    CLOSED = "the table is closed"


class Transition(NamedTuple):
    """A turn that may happen at a stage. `to` None: back to the stage before."""

    at: Stage
    turn: StageEvent
    to: Stage | None
    does: str


TRANSITIONS = (
    Transition(Stage.NO_MATCH, StageEvent.CHOSEN, Stage.PREPARING, "opens eyes and log"),
    Transition(
        Stage.LOOKING_BACK, StageEvent.CHOSEN, Stage.PREPARING, "opens eyes and log; the last match can still be saved"
    ),
    Transition(Stage.PREPARING, StageEvent.STANDS, Stage.PLAYING, "gives up the match before, and starts to look"),
    Transition(Stage.PREPARING, StageEvent.FAILED, None, "closes what was opened; a match before goes on"),
    Transition(
        Stage.PLAYING, StageEvent.CHOSEN_INSTEAD, Stage.PREPARING, "opens eyes and log; the present match goes on"
    ),
    Transition(
        Stage.PLAYING, StageEvent.NEXT, Stage.PLAYING, "gives up the match, and begins a log with the same seats"
    ),
    Transition(Stage.PLAYING, StageEvent.DECIDED, Stage.ENDED, "shows the result"),
    Transition(Stage.ENDED, StageEvent.TAKEN_BACK, Stage.PLAYING, "goes on with the same match"),
    Transition(Stage.ENDED, StageEvent.NEXT, Stage.PLAYING, "begins a log with the same seats"),
    Transition(Stage.ENDED, StageEvent.CHOSEN, Stage.PREPARING, "opens eyes and log"),
    *(
        Transition(
            stage,
            StageEvent.CLOSED,
            Stage.NO_MATCH,
            "closes eyes and log; an unfinished match goes on at the next start",
        )
        for stage in (Stage.PLAYING, Stage.ENDED)
    ),
)
"""All transitions. The writer of the match takes `DECIDED`, `TAKEN_BACK` and `NEXT`, the door's queue the others."""

GOES_ON = Says("A match is going on: end it first, or go back to it.")


class MatchGoesOn(Refused):
    """A match was chosen while another one is played that may not end."""


def after(stage: Stage, turn: StageEvent) -> Stage | None:
    """The stage that a turn leads to; None: the stage before. Raises: MatchGoesOn, Refused.

    >>> after(Stage.NO_MATCH, StageEvent.CHOSEN).value
    'preparing'
    """
    for transition in TRANSITIONS:
        if (transition.at, transition.turn) == (stage, turn):
            return transition.to
    if turn is StageEvent.CHOSEN:
        raise MatchGoesOn(GOES_ON)
    raise Refused(Says("the table is at '{stage}': this is not possible now", {"stage": stage.value}))


def printed() -> str:
    """The transitions as a table in Markdown."""
    rows = (f"| {at} | {turn} | {to or '(as before)'} | {does} |" for at, turn, to, does in TRANSITIONS)
    return "\n".join(("| stage | what happens | next stage | the table |", "| --- | --- | --- | --- |", *rows))
