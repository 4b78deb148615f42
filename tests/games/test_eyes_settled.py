"""Looks at a table at rest: what one told stays told while nothing moves, what two contradict is doubted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.game.readings import SURE, EyesReading, Kind, Piece, TableFit
from companion.games.eyes_of_the_emperor.settled import DOUBTED, SAME_MM, SILENT_A_TELLING, TURNED_DEG, settled

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
        ((UNTOLD, DIE), "blue", False),
        ((DIE, UNTOLD, UNTOLD, DIE, UNTOLD), "blue", False),
        ((DIE, OTHER), None, True),
        ((DIE, OTHER, DIE), None, True),
        ((DIE, UNTOLD, OTHER, UNTOLD), None, True),
        ((UNTOLD, UNTOLD), None, False),
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
        ((DIE, DIE, *MANY, *MANY), "blue"),
        ((DIE, *MANY, DIE, *MANY, DIE, *MANY), "blue"),
        ((DIE, *MANY, UNTOLD), None),
        ((DIE, DIE, *MANY, *MANY, UNTOLD), None),
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


def test_the_odds_of_looks_are_pooled_and_never_add_up() -> None:
    # an owner with log odds of 2.7 counted as a fact; five looks in the same light share their error
    weak = replace(DIE, color=None, red_odds=-2.7)
    for odds, looked in (
        (-2.7, (weak,) * 5),
        (-2.7, (weak, UNTOLD, UNTOLD)),
        (0.0, (weak, replace(weak, red_odds=2.7))),
    ):
        die = looks(*looked)
        assert (die.color, round(die.owner_odds, 9)) == (None, odds)
    assert looks(DIE, replace(weak, red_odds=2.7)).owner_odds < -6


def test_looks_at_which_it_was_not_found_leave_nothing_of_the_doubt() -> None:
    assert looks(DIE, *MANY, UNTOLD, None, DIE).color == "blue"


@pytest.mark.parametrize(
    "moved",
    [
        {"x_mm": DIE.x_mm + SAME_MM + 0.1},
        {"angle_deg": 10.0 + TURNED_DEG + 0.1},
        {"angle_deg": 100.0 - TURNED_DEG - 0.1},
    ],
)
def test_a_die_that_was_moved_is_looked_at_anew(moved: dict[str, float]) -> None:
    assert looks(DIE, replace(UNTOLD, **moved)).color is None
    assert looks(DIE, replace(OTHER, **moved)).color == "red"
    assert looks(DIE, OTHER, replace(OTHER, **moved)).color == "red"
    assert looks(DIE, None, UNTOLD).color is None


def test_a_quarter_turn_of_what_is_measured_is_none_of_the_die() -> None:
    assert looks(DIE, replace(UNTOLD, angle_deg=99.5)).color == "blue"
    assert looks(DIE, replace(UNTOLD, angle_deg=None)).color == "blue"


def test_what_lies_still_keeps_its_place_and_does_not_creep() -> None:
    creeping = [replace(DIE, x_mm=300.0 + 0.4 * step, angle_deg=10.0 + 0.2 * step) for step in range(4)]
    assert [(die.x_mm, die.angle_deg) for die in (looks(*creeping[:n]) for n in (1, 2, 3))] == [(300.0, 10.0)] * 3
    assert looks(*creeping).x_mm == creeping[-1].x_mm


def test_an_eye_is_told_by_the_newest_look_alone() -> None:
    up, unclear = replace(DIE, marked_up=True), replace(UNTOLD, marked_up=None, reason="glare")
    assert looks(up, DIE).marked_up is False  # a hand turned it over in its place
    die = looks(up, unclear)
    assert (die.color, die.marked_up, die.reason) == ("blue", None, "glare")


def test_only_the_same_kind_of_piece_is_the_same() -> None:
    assert looks(replace(DIE, id="ninja_1", kind=Kind.NINJA, color="black", value=4), UNTOLD).color is None
    red, blue = (
        replace(DIE, id=color, kind=Kind.SAMURAI, color=color, x_mm=x) for color, x in (("red", 0), ("blue", 0.5))
    )
    assert looks(red, blue) == blue


def samurai(id: str, x_mm: float, confidence: float = 0.98) -> Piece:
    return replace(DIE, id=id, kind=Kind.SAMURAI, color="red", x_mm=x_mm, marked_up=None, confidence=confidence)


@pytest.mark.parametrize(
    ("seen_with", "is_sure"),
    [
        ([0.98, 0.94], True),
        ([0.94, 0.98, 0.6], True),
        ([0.98, *[0.9] * SILENT_A_TELLING], True),
        ([0.98, *[0.9] * SILENT_A_TELLING, 0.9], False),
        ([0.9, 0.6], False),
    ],
)
def test_a_samurai_that_was_surely_there_stays_so_while_it_lies_still(seen_with: list[float], is_sure: bool) -> None:
    # after a bump of the camera a stack that nobody had touched was asked about
    assert (looks(*(samurai("s", 300.0, sure) for sure in seen_with)).confidence >= SURE) is is_sure
    assert looks(samurai("s", 300.0), samurai("s", 302.0, 0.6)).confidence == 0.6


def test_the_top_of_a_stack_is_not_moved_by_a_bump_of_the_camera() -> None:
    # the lower die was taken for gone, and the upper one for another
    def by(x_mm: float, die: Piece) -> EyesReading:
        camera = TableFit(reprojection_px=0.1, below_camera_mm=(x_mm, 200.0), camera_height_mm=1140.0)
        return replace(seen(die), table=camera)

    higher = 1 + 28.0 / (1140.0 - 56.0)
    first, later = (replace(DIE, x_mm=x + (300.0 - x) * higher) for x in (400.0, 480.0))
    assert abs(later.x_mm - first.x_mm) > 2 * SAME_MM
    (die,) = settled(by(480.0, replace(later, color=None)), settled(by(400.0, first), None)).pieces
    assert (die.x_mm, die.color) == (first.x_mm, "blue")
    for camera_mm in (400.0, 520.0):  # pushed under the same camera, or where no die stands on another
        (die,) = settled(by(camera_mm, replace(later, color=None)), settled(by(400.0, first), None)).pieces
        assert (die.x_mm, die.color) == (later.x_mm, None)
    twice = settled(by(400.0, first), settled(by(480.0, later), settled(by(400.0, first), None)))
    assert twice.pieces[0].x_mm == first.x_mm
    again = settled(by(480.0, later), settled(by(400.0, first), None))
    (die,) = settled(by(560.0, replace(DIE, color=None, x_mm=560.0 + (300.0 - 560.0) * higher)), again).pieces
    assert (die.x_mm, die.color) == (first.x_mm, "blue")
    flat, pushed = (replace(p, kind=Kind.SAMURAI, angle_deg=None) for p in (first, later))
    (disk,) = settled(by(480.0, pushed), settled(by(400.0, flat), None)).pieces
    assert disk.x_mm == later.x_mm
