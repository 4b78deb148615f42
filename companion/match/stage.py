"""The stages of a table and the transitions between them. The door obeys them, and docs/decisions.md lists them."""

from collections.abc import Mapping
from enum import StrEnum

from companion.game.errors import Refused
from companion.game.says import Says


class Stage(StrEnum):
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


TRANSITIONS: Mapping[tuple[Stage, StageEvent], Stage | None] = {
    (Stage.NO_MATCH, StageEvent.CHOSEN): Stage.PREPARING,
    (Stage.LOOKING_BACK, StageEvent.CHOSEN): Stage.PREPARING,
    (Stage.PREPARING, StageEvent.STANDS): Stage.PLAYING,
    (Stage.PREPARING, StageEvent.FAILED): None,
    (Stage.PLAYING, StageEvent.CHOSEN_INSTEAD): Stage.PREPARING,
    (Stage.PLAYING, StageEvent.NEXT): Stage.PLAYING,
    (Stage.PLAYING, StageEvent.DECIDED): Stage.ENDED,
    (Stage.ENDED, StageEvent.TAKEN_BACK): Stage.PLAYING,
    (Stage.ENDED, StageEvent.NEXT): Stage.PLAYING,
    (Stage.ENDED, StageEvent.CHOSEN): Stage.PREPARING,
    (Stage.PLAYING, StageEvent.CLOSED): Stage.NO_MATCH,
    (Stage.ENDED, StageEvent.CLOSED): Stage.NO_MATCH,
}
"""The next stage for each event that may happen at a stage; None: the stage before. The writer of the match takes
`DECIDED`, `TAKEN_BACK` and `NEXT`, the door's queue the others."""

GOES_ON = Says("A match is going on: end it first, or go back to it.")


class MatchGoesOn(Refused):
    """A match was chosen while another one is played that may not end."""


def after(stage: Stage, turn: StageEvent) -> Stage | None:
    """The stage that an event leads to; None: the stage before. Raises: MatchGoesOn, Refused.

    >>> after(Stage.NO_MATCH, StageEvent.CHOSEN).value
    'preparing'
    """
    if (stage, turn) in TRANSITIONS:
        return TRANSITIONS[stage, turn]
    if turn is StageEvent.CHOSEN:
        raise MatchGoesOn(GOES_ON)
    raise Refused(Says("the table is at '{stage}': this is not possible now", {"stage": stage.value}))
