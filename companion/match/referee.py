"""The referee infers entries from a look at the settled table, and keeps the evidence for them.

All thresholds of the referee stand here, apart from two that define a value's meaning: `margin.TOO_CLOSE_SIGMAS` (a
margin nearer to zero is asked) and `readings.SURE` (a confidence below it is asked).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from companion.game.errors import Refused
from companion.game.evidence import Look
from companion.game.game import Game
from companion.game.says import Says
from companion.game.values import Choice, Doubt, Proposal, Ruling
from companion.record.body import Shown
from companion.record.entry import Writing, sha256_of, written
from companion.record.fold import Folded, action_body, asked_body

S = TypeVar("S")
A = TypeVar("A")

MOST_CROPS = 8
"""Maximum number of pieces cut out one by one for an entry; beyond it only the overview is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """The referee's waiting times."""

    wait_for_rest_s: float = 60.0
    """Maximum wait of an ended throw for the table to settle, s; after it the throw must be ended again."""
    frame_lag_s: float = 0.3
    """Maximum delay between a frame's exposure and its arrival, s: an older frame may not show the throw."""
    objection_s: float = 8.0
    """Time in which others may object to an entry, s; 0: nobody is asked."""
    hint_s: float = 0.24
    """Time to compute the hints of all seats together, s: each gets an equal share. 0: no hints."""
    has_referee: bool = True
    """Whether somebody can be called to the table."""
    enters_itself: bool = False
    """Whether a whole turn is entered without a press."""
    answer_s: float = 1.5
    """Maximum wait for a ruling after a throw was ended, s. Then the person is asked to watch the phones."""


NOTHING_NEW = Says("nothing on the table has changed since the last ruling: make the move first, then press")
LIES_AS_JUDGED = Says(
    "nothing has moved since the last ruling, so it still counts: throw again. If both threw and everything went "
    "outside, press again"
)
UNMOVED = Says("Nothing has moved since the last ruling. Did both of you throw, and did everything go outside?")
STILL_ASKED = Says("the table looks the same as before: answer the question, or correct the table and press again")


def judged(
    game: Game[S, A],
    folded: Folded[S, A],
    look: Look,
    reading: Any,
    start: A | None,
    by: str,
    *,
    before: A | None = None,
    is_pressed_again: bool = False,
) -> tuple[Writing, ...]:
    """The entries that follow from a look at the settled table: all actions of a proposal, or the question of a doubt.

    `start` is the look at a table that was set up, if nothing was entered since: pieces have their names from there.
    `before` is the newest look before this turn: what hands moved up to then is asked about.
    `is_pressed_again`: the previous press got `LIES_AS_JUDGED`, so people are asked whether there was a throw.
    Raises: Refused if the look shows nothing new; Illegal if the table cannot be judged.
    """
    found = game.eyes.interpret(folded.state, reading, past_of(folded, start))
    last = folded.last
    if last is not None and isinstance(found, Proposal) and len(found.actions) == 1:
        (action,) = found.actions
        if not game.eyes.has_moved(last.action, action):
            if not is_pressed_again or not last.rulings:
                raise Refused(LIES_AS_JUDGED)
            thrown = Choice("record", Says("Yes, count it as a throw"), action)
            not_thrown: Choice[A] = Choice("nothing", Says("No, nothing was thrown"))
            found = Doubt("unmoved", UNMOVED, (thrown, not_thrown), last.rulings[-1].rule)
    if before is not None and isinstance(found, Proposal):
        found = game.eyes.meddled(folded.state, reading, before) or found
    match found:
        case Proposal(actions=actions, note=note) if actions:
            return acted(game, folded.state, actions, by, look, note=note)
        case Doubt() as doubt:
            if _is_open(folded, doubt):
                raise Refused(STILL_ASKED)
            seen_in = [action for choice in doubt.choices for action in choice.actions]
            places = {
                name: next((p for a in seen_in if (p := game.eyes.place_mm(a, name)) is not None), None)
                for name in doubt.pieces
            }
            about = {name: (x_mm, y_mm) for name, x_mm, y_mm in doubt.places_mm}
            shown, evidence = _shown(look, places, about)
            return (written(by, asked_body(game, doubt, shown), evidence),)
        case _:
            raise Refused(NOTHING_NEW)


def acted(
    game: Game[S, A],
    state: S,
    actions: Iterable[A],
    by: str,
    look: Look | None = None,
    *,
    note: Says | None = None,
    reason: str = "",
) -> tuple[Writing, ...]:
    """The entries of consecutive actions, with the pictures that support their rulings. Raises: Illegal for the first
    action that the rules refuse: then none is entered.
    """
    writings = []
    for action in actions:
        applied = game.rules.apply(state, action)
        state = applied.state
        shown: tuple[Shown, ...] = ()
        evidence: tuple[bytes, ...] = ()
        if look is not None:
            asked = game.people.question(state)
            pieces = [*(asked.pieces if asked is not None else ()), *_named(applied.rulings)]
            places = {piece: game.eyes.place_mm(action, piece) for piece in pieces}
            shown, evidence = _shown(look, places)
        writings.append(written(by, action_body(game, action, shown, note, reason), evidence))
    return tuple(writings)


def past_of(folded: Folded[S, A], start: A | None) -> list[A]:
    """The standing actions, newest first, after the table that was set up, if nothing was entered since."""
    past = [step.action for step in reversed(folded.steps)]
    return past if start is None else [start, *past]


def _is_open(folded: Folded[S, A], doubt: Doubt[A]) -> bool:
    """Whether the same question is already open."""
    asked = folded.doubt
    return asked is not None and (asked.key, asked.says) == (doubt.key, doubt.says) and asked.choices == doubt.choices


def _named(rulings: Iterable[Ruling]) -> Iterator[str]:
    return (piece for ruling in rulings for piece in (ruling.piece, *ruling.pieces) if piece is not None)


def _shown(
    look: Look,
    places: Mapping[str, tuple[float, float] | None],
    together: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[tuple[Shown, ...], tuple[bytes, ...]]:
    """The evidence of an entry, and how its body names it: the overview, each piece with a place, and several places in
    one picture (`together`)."""
    placed = [(piece, place) for piece, place in places.items() if place is not None]
    crops = [look.overview(), *(look.crop(*place, piece) for piece, place in placed[:MOST_CROPS])]
    crops += [look.close_up(together)] if together else []
    named = tuple(Shown(crop.piece, sha256_of(crop.picture), sha256_of(crop.about)) for crop in crops)
    return named, tuple(data for crop in crops for data in (crop.picture, crop.about))
