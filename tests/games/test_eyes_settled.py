"""Looks at a table at rest: what one told stays told while nothing moves, what two contradict is doubted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.readings import SURE, EyesReading, Kind, Piece, TableFit
from companion.games.eyes_of_the_emperor.settled import DOUBTED, SILENT_A_TELLING, settled

DIE = Piece(
    id="die",
    kind=Kind.EMPIRE_DIE,
    color="blue",
    x_mm=300.0,
    y_mm=200.0,
    angle_deg=10.0,
    footprint_mm=(),
    marked_up=False,
)
UNTOLD = replace(DIE, id="empire_die_2", color=None, reason="its eye is on a face that the camera does not see")
OTHER = replace(DIE, id="empire_die_red_1", color="red")


def seen(*pieces: Piece) -> EyesReading:
    return EyesReading(table=TableFit(reprojection_px=0.1), pieces=pieces, overlaps=(), rests_on=())


def looks(*pieces: Piece | None) -> Piece:
    """One die as the last of several looks leaves it; None: a look that does not find it."""
    reading: EyesReading | None = None
    for piece in pieces:
        reading = settled(seen() if piece is None else seen(piece), reading)
    (found,) = reading.pieces
    return found


@pytest.mark.parametrize(
    ("told", "owner", "is_contradicted"),
    [
        ((DIE, UNTOLD), "blue", False),
        ((DIE, UNTOLD, UNTOLD, DIE, UNTOLD), "blue", False),
        ((DIE, OTHER), None, True),
        ((DIE, UNTOLD, OTHER, UNTOLD), None, True),
    ],
)
def test_an_owner_told_once_is_told_until_another_is(
    told: tuple[Piece, ...], owner: str | None, is_contradicted: bool
) -> None:
    # on a still table phones asked whose a die was, and a shadow later they did not
    die = looks(*told)
    assert die.color == owner
    assert (die.reason == DOUBTED) is is_contradicted
    assert (die.confidence < SURE) is is_contradicted
    assert die.id == told[-1].id  # what else the newest look says of it goes by this


MANY = (UNTOLD,) * SILENT_A_TELLING


@pytest.mark.parametrize(
    ("told", "owner"),
    [
        ((DIE, *MANY), "blue"),
        ((*MANY, *MANY, DIE, *MANY), "blue"),  # an eye that comes to be seen is no shadow
        ((DIE, *MANY, UNTOLD), None),
        ((DIE, *MANY, UNTOLD, DIE, DIE, DIE), None),  # nor does it change its mind a second time
    ],
)
def test_an_owner_that_hardly_any_look_tells_comes_to_be_doubted_and_stays_so(
    told: tuple[Piece, ...], owner: str | None
) -> None:
    # one shadow made a die the other emperor's for as long as it lay still
    die = looks(*told)
    assert die.color == owner
    assert (die.reason == DOUBTED) is (owner is None)
    assert die.confidence == 1.0  # whether its eye looks up is as sure as it was seen
    assert looks(*told, replace(DIE, x_mm=310.0)).color == "blue"


def samurai(id: str, x_mm: float, confidence: float = 0.98) -> Piece:
    return replace(DIE, id=id, kind=Kind.SAMURAI, color="red", x_mm=x_mm, marked_up=None, confidence=confidence)


@pytest.mark.parametrize(
    ("seen_with", "is_sure"),
    [([0.98, 0.94], True), ([0.98, *[0.9] * SILENT_A_TELLING], True), ([0.98, *[0.9] * SILENT_A_TELLING, 0.9], False)],
)
def test_a_samurai_that_was_surely_there_stays_so_while_it_lies_still(seen_with: list[float], is_sure: bool) -> None:
    # after a bump of the camera a stack that nobody had touched was asked about
    assert (looks(*(samurai("s", 300.0, sure) for sure in seen_with)).confidence >= SURE) is is_sure
    assert looks(samurai("s", 300.0), samurai("s", 302.0, 0.6)).confidence == 0.6
