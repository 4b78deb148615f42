"""Samurai of which a narrow crescent is seen: on the mat, and on ground of their own colour."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from companion.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, samurai, territory
from tests.vision.eyes.test_oblique_faces import LENS, SHAPES
from vision.eyes import hidden_disks, open_eye
from vision.eyes import samurai as samurai_finder
from vision.eyes.detect import _without
from vision.eyes.hidden_disks import _met_again, find_hidden
from vision.eyes.pieces import Detection
from vision.eyes.rim_arcs import Arc
from vision.eyes.samurai import _is_shadow
from vision.eyes.stacking import _gained
from vision.eyes.support import Underside
from vision.measure.bodies import Fit, upright
from vision.measure.circles import EdgeMap
from vision.measure.colors import colors_of
from vision.measure.prepared import prepare
from vision.measure.rims import line_strength
from vision.measure.views import Outline
from vision.sim.render import Renderer, overhead
from vision.sim.rest import let_down
from vision.sim.scene import Body, Scene

LOW_ON_MM = KIT.piece("samurai").size_mm("height")
LAND_MM = KIT.piece("territory").size_mm("height")
NO_EDGES = EdgeMap(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
PAIRS = {
    "on the mat": ("red", "blue", (250.0, 200.0), (254.5, 196.5), 0.0),
    "on its own land": ("red", "blue", (640.0, 350.0), (645.0, 352.5), LAND_MM),
    "under one of its colour": ("blue", "blue", (400.0, 520.0), (403.0, 521.8), 0.0),
}
"""A samurai and the one that covers nine tenths of it: their colours, where they lie, and on what height."""


@lru_cache(maxsize=1)
def covered() -> tuple[EyesReading, dict[str, Body]]:
    bodies = [territory("red", at=(640, 350))]
    for name, (color, upper, low_at, high_at, on_mm) in PAIRS.items():
        bodies.append(samurai(color, low_at, on_mm=on_mm, id=f"low {name}"))
        bodies.append(samurai(upper, high_at, on_mm=on_mm + LOW_ON_MM, id=f"high {name}"))
    bodies += [samurai("blue", (860, 200), id="alone"), samurai("red", (700, 330), on_mm=LAND_MM, id="bare")]
    picture = Renderer(KIT, overhead(LENS, height_mm=1100)).picture(Scene(bodies=tuple(bodies)))
    return open_eye(LENS, KIT).read(picture), {body.id: body for body in bodies}


def nearest(reading: EyesReading, body: Body, color: str) -> tuple[float, Piece]:
    x, y = body.at_mm[:2]
    mine = [p for p in reading.pieces if p.kind is Kind.SAMURAI and p.color == color]
    return min(((float(np.hypot(p.x_mm - x, p.y_mm - y)), p) for p in mine), key=lambda each: each[0])


@pytest.mark.parametrize("name", PAIRS)
def test_the_covered_one_is_found(name: str) -> None:
    reading, bodies = covered()
    apart_mm, piece = nearest(reading, bodies[f"low {name}"], PAIRS[name][0])
    assert apart_mm < 2.0
    assert piece.confidence < 0.95


@pytest.mark.parametrize("name", PAIRS)
def test_it_lies_under_the_other(name: str) -> None:
    reading, bodies = covered()
    low, high = (
        nearest(reading, bodies[f"{which} {name}"], PAIRS[name][k])[1] for k, which in enumerate(("low", "high"))
    )
    assert low.id != high.id
    assert (high.id, low.id) in {(rest.piece, rest.on) for rest in reading.rests_on}


def test_nothing_is_invented_and_what_lies_in_the_open_stays_sure() -> None:
    reading, bodies = covered()
    assert len(reading.pieces) == len(bodies)
    for id, color in (("alone", "blue"), ("bare", "red")):
        apart_mm, piece = nearest(reading, bodies[id], color)
        assert apart_mm < 1.0
        assert piece.confidence > 0.95


BETWEEN = {"red": (300.0, 250.0), "blue": (560.0, 430.0)}
"""The colour of the uppermost of three samurai of which the lower two are red, and where the middle one lies."""


@lru_cache(maxsize=1)
def threes() -> EyesReading:
    bodies = [territory("red", at=(640, 200)), territory("blue", at=(240, 480))]
    for upper, (x, y) in BETWEEN.items():
        for k, color in enumerate(("red", "red", upper)):
            at = (x + 9.0 * (k - 1), y + 2.0 * (k - 1))
            bodies.append(samurai(color, at, on_mm=k * LOW_ON_MM, id=f"{upper} {k}"))
    return open_eye(LENS, KIT).read(Renderer(KIT, overhead(LENS, height_mm=1100)).picture(Scene(bodies=tuple(bodies))))


@pytest.mark.parametrize("upper", BETWEEN)
def test_one_between_two_is_found_where_its_rim_runs_across_the_lower(upper: str) -> None:
    reading, (x, y) = threes(), BETWEEN[upper]
    near = [piece for piece in reading.pieces if np.hypot(piece.x_mm - x, piece.y_mm - y) < 25]
    low, middle, high = sorted(near, key=lambda piece: piece.x_mm)
    assert [low.color, middle.color, high.color] == ["red", "red", upper]
    assert np.hypot(middle.x_mm - x, middle.y_mm - y) < 2.0
    assert {(high.id, middle.id), (middle.id, low.id)} <= {(rest.piece, rest.on) for rest in reading.rests_on}


PILE = (("red", 6.5, -111.2), ("red", 5.1, -101.6), ("blue", -2.1, -67.6), ("blue", 8.6, -105.2))
"""Samurai let down one after the other at a red territory's rim (mm from its middle): of the second a crescent shows,
red on red, between the two blue ones that lean on it."""


@pytest.mark.parametrize("turn_deg", [15, 150, 285, 345])
def test_one_is_found_whose_circle_is_voted_for_under_those_that_cover_it(turn_deg: int) -> None:
    bodies = [territory("red", at=(500, 350))]
    turn = complex(math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg)))
    for k, (color, x, y) in enumerate(PILE):
        at = complex(500, 350) + turn * complex(x, y)
        rested = let_down(samurai(color, (at.real, at.imag), on_mm=60.0, id=f"{color} {k}"), bodies)
        assert rested is not None
        bodies.append(rested)
    picture = Renderer(KIT, overhead(LENS, height_mm=1100)).picture(Scene(bodies=tuple(bodies)))
    reading = open_eye(LENS, KIT).read(picture)
    assert nearest(reading, bodies[2], "red")[0] < 3.0
    assert sum(piece.kind is Kind.SAMURAI for piece in reading.pieces) == len(PILE)


def test_a_circle_of_which_no_rim_is_drawn_is_a_shadow() -> None:
    land = territory("red", at=(640, 350))
    bodies = (land, samurai("red", (700, 330), on_mm=LAND_MM, id="there"))
    pose = overhead(LENS, height_mm=1100)
    image = prepare(Renderer(KIT, pose).picture(Scene(bodies=bodies)), pose, KIT)
    place = upright(640, 350, LAND_MM / 2)
    ground = Detection(Kind.TERRITORY, "red", SHAPES.territory, Fit(place, np.eye(6), 1.0, 1.0, 1.0, 0.1))
    found = [fitted(0.2, 0.3, (700.0, 330.0)), fitted(0.2, 0.3, (600.0, 390.0)), fitted(0.5, 0.3, (600.0, 300.0))]
    colors = colors_of(image)
    told = [_is_shadow(image, colors, SHAPES, disk, [ground], found) for disk in found]
    assert told == [False, True, False]


@pytest.mark.parametrize(
    ("off_mm", "residual_px", "on_mm", "is_moved"),
    [
        (2.0, 0.6, LAND_MM, True),
        (2.0, 0.2, LAND_MM, False),
        (0.1, 0.6, LAND_MM, False),
        (20.0, 0.6, LAND_MM, False),
        (2.0, 0.6, LAND_MM + LOW_ON_MM, False),
    ],
)
def test_a_rim_that_fits_badly_is_met_where_it_is_drawn(
    off_mm: float, residual_px: float, on_mm: float, is_moved: bool
) -> None:
    """Not where it fits well, lies right already, nothing is near, or another samurai bears it."""
    bodies = (territory("red", at=(640, 350)), samurai("red", (700, 330), on_mm=LAND_MM, id="there"))
    pose = overhead(LENS, height_mm=1100)
    image = prepare(Renderer(KIT, pose).picture(Scene(bodies=bodies)), pose, KIT)
    seen_mm = image.seen_at(np.array([700.0, 330.0]), LAND_MM + LOW_ON_MM)
    flat_mm = image.at_height(seen_mm, LOW_ON_MM)  # as if it lay on the table
    x, y = (image.at_height(seen_mm, on_mm + LOW_ON_MM) - (off_mm, 0.0)).tolist()
    found = fitted(0.5, residual_px, (float(flat_mm[0]) - off_mm, float(flat_mm[1])))
    laid = replace(found.fit, place=upright(x, y, on_mm + LOW_ON_MM / 2))
    disk = replace(found, fit=laid, under=Underside(on_mm, 0.0, 0.0), flat=found)
    again = _met_again(image, colors_of(image), SHAPES, disk, [disk])
    assert (again is not None) == is_moved
    if again is not None:
        assert np.hypot(*(again.place.middle_mm[:2] - flat_mm)) < 0.5
        assert again.place.middle_mm[2] == found.place.middle_mm[2]
        assert again.spread_mm > 0.4


@pytest.mark.parametrize(
    ("shares", "kept", "gone"),
    [
        ({"a": 0.5, "b": 1.0, "hidden": 1.0}, ["hidden"], ["a"]),  # a is the hidden one, found aside
        ({"a": 0.7, "b": 1.0, "hidden": 0.7}, [], []),  # a shadow splits its rim
        ({"a": 0.5, "b": 0.7, "hidden": 0.7}, [], []),  # it would take a's place, and is b's
        ({"a": 1.0, "b": 1.0, "hidden": 0.7}, ["hidden"], []),
    ],
)
def test_a_samurai_goes_only_for_one_that_stays(
    monkeypatch: pytest.MonkeyPatch, shares: dict[str, float], kept: list[str], gone: list[str]
) -> None:
    disks = {"a": flat((400.0, 300.0)), "hidden": flat((404.0, 300.0)), "b": flat((408.0, 300.0))}
    names = {disk.place.middle_mm[0]: name for name, disk in disks.items()}
    monkeypatch.setattr(hidden_disks, "_hidden_under", lambda *_: [disks["hidden"]])
    monkeypatch.setattr(hidden_disks, "covered_pixels", lambda *_: np.zeros((1, 1), np.uint8))
    monkeypatch.setattr(hidden_disks, "arc_at", lambda *args: arc(40, shares[names[args[3].middle_mm[0]]], 0.3))
    pose = overhead(LENS, height_mm=1100)
    image = prepare(Renderer(KIT, pose).picture(Scene(bodies=())), pose, KIT)
    found, mistaken = find_hidden(
        image, colors_of(image), SHAPES, NO_EDGES, [disks["a"], disks["b"]], [], [disks["hidden"]]
    )
    assert [names[disk.place.middle_mm[0]] for disk in found] == kept
    assert [names[disk.place.middle_mm[0]] for disk in mistaken] == gone


def test_what_crosses_two_samurai_is_no_rim_of_theirs() -> None:
    """The edge of a blue one above two red ones along the rim of the lower: no line of the red ones' own."""
    low, high, third = (400.0, 300.0), (420.0, 300.0), (392.0, 300.0)
    bodies = [territory("red", at=(640, 350)), samurai("red", low, id="low")]
    bodies += [
        samurai("red", high, on_mm=LOW_ON_MM, id="high"),
        samurai("blue", third, on_mm=2 * LOW_ON_MM, id="third"),
    ]
    pose = overhead(LENS, height_mm=1100)
    image = prepare(Renderer(KIT, pose).picture(Scene(bodies=tuple(bodies))), pose, KIT)
    disks = [
        flat(tuple(image.at_height(image.seen_at(np.array(at), z), LOW_ON_MM))) for at, z in ((low, 4.0), (high, 8.0))
    ]
    below, above = disks
    bare = line_strength(image, below.solid, below.place, above.place.middle_mm[:2], 22.0)
    own = line_strength(image, below.solid, below.place, above.place.middle_mm[:2], 22.0, "red")
    assert bare is not None
    assert own is None or own < bare / 2
    upper = line_strength(image, above.solid, above.place, below.place.middle_mm[:2], 22.0, "red")
    assert upper is None or upper > 3.0


def test_a_circle_taken_for_a_shadow_is_no_samurai(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = (territory("red", at=(640, 350)), samurai("red", (700, 330), on_mm=LAND_MM, id="there"))
    pose = overhead(LENS, height_mm=1100)
    picture = Renderer(KIT, pose).picture(Scene(bodies=bodies))
    assert [p.kind for p in open_eye(LENS, KIT).read(picture).pieces].count(Kind.SAMURAI) == 1
    monkeypatch.setattr(samurai_finder, "_is_shadow", lambda *_: True)
    assert Kind.SAMURAI not in [p.kind for p in open_eye(LENS, KIT).read(picture).pieces]


@pytest.mark.parametrize(("turn_deg", "off_mm", "beside_mm"), [(0, 14, 18), (60, 14, 18), (120, 7, 28)])
def test_of_two_under_a_third_the_upper_one_is_told(turn_deg: int, off_mm: float, beside_mm: float) -> None:
    """By the rim that is drawn across the other where the third leaves both bare."""
    bodies = [territory("red", at=(640, 350)), territory("blue", at=(240, 480))]
    pairs = []
    for k, (x, y) in enumerate([(300, 200), (520, 150), (820, 180), (800, 520)]):
        c, s = np.cos(np.radians(turn_deg + 20 * k)), np.sin(np.radians(turn_deg + 20 * k))
        low, high = samurai("red", (x, y)), samurai("red", (x + off_mm * c, y + off_mm * s), on_mm=LOW_ON_MM)
        third = samurai("blue", (x - beside_mm * s, y + beside_mm * c), on_mm=2 * LOW_ON_MM)
        bodies += [replace(body, id=f"{name} {k}") for name, body in (("low", low), ("high", high), ("third", third))]
        pairs.append((high, low))
    picture = Renderer(KIT, overhead(LENS, height_mm=1100)).picture(Scene(bodies=tuple(bodies)))
    reading = open_eye(LENS, KIT).read(picture)
    told = {(rest.piece, rest.on) for rest in reading.rests_on}
    found = [[nearest(reading, body, "red")[1].id for body in pair] for pair in pairs]
    assert [(high, low) in told for high, low in found] == [True] * len(pairs)


def arc(length_mm: float, drawn: float, scatter_px: float) -> Arc:
    """An arc of which a share is drawn, so far from where it is expected."""
    count = round(length_mm)
    is_drawn = np.arange(count) < round(count * drawn)
    nowhere = Outline(np.zeros((count, 2)), np.zeros((count, 2)), np.zeros((count, 3)))
    return Arc(nowhere, "red", is_drawn, np.full(count, scatter_px), 1.0)


@pytest.mark.parametrize(
    ("found", "is_rim", "is_short"),
    [
        (arc(40, 0.7, 0.5), True, False),
        (arc(40, 0.5, 0.5), False, False),
        (arc(40, 0.7, 1.2), False, False),
        (arc(40, 0.95, 1.2), True, False),
        (arc(30, 0.95, 1.2), False, False),
        (arc(40, 0.95, 1.4), False, False),
        (arc(18, 1.0, 0.3), False, True),
        (arc(18, 0.7, 0.3), False, False),
        (arc(18, 1.0, 0.8), False, False),
        (arc(14, 1.0, 0.2), False, False),
    ],
)
def test_a_short_arc_must_be_drawn_in_full(found: Arc, is_rim: bool, is_short: bool) -> None:
    assert (found.is_rim, found.is_short_rim) == (is_rim, is_short)


def flat(at_mm: tuple[float, float], color: str = "red") -> Detection:
    place = upright(*at_mm, SHAPES.samurai.half_height_mm)
    return Detection(Kind.SAMURAI, color, SHAPES.samurai, Fit(place, np.eye(6), 1.0, 1.0, 1.0, 0.2))


def test_a_mistaken_samurai_goes_and_no_other() -> None:
    """However near the others lie, and wherever it was moved when it was laid."""
    near, nearer, other = flat((400.0, 300.0)), flat((402.5, 300.0)), flat((402.4, 300.0), "blue")
    laid = replace(flat((403.9, 301.0)), flat=nearer)
    assert _without([near, nearer, other], [laid]) == [near, other]
    assert _without([near, nearer], [flat((400.0, 300.0))]) == [near, nearer]


def fitted(coverage: float, residual_px: float, at_mm: tuple[float, float] = (400.0, 300.0)) -> Detection:
    disk = flat(at_mm)
    return replace(disk, fit=replace(disk.fit, coverage=coverage, residual_px=residual_px))


def test_much_more_of_two_rims_outweighs_meeting_less_of_them_more_closely() -> None:
    """As read: two samurai whose rims showed 0.65 and 0.67 laid one way, and 0.79 and 0.85 laid the other."""
    one_way, other_way = [fitted(0.65, 0.162), fitted(0.67, 0.160)], [fitted(0.79, 0.202), fitted(0.85, 0.190)]
    assert _gained(one_way, other_way) > 0.1
    assert _gained(other_way, one_way) < -0.1
    assert _gained([fitted(0.70, 0.16)], [fitted(0.74, 0.20)]) < 0


def test_a_rim_that_fits_well_in_one_way_only_outweighs_one_that_fits_badly_either_way() -> None:
    """As read: a samurai in the open met within 0.12 pixels one way and 0.24 the other, and one in a shadow."""
    one_way, other_way = [fitted(0.68, 0.12), fitted(0.64, 0.56)], [fitted(0.70, 0.24), fitted(0.60, 0.46)]
    assert _gained(one_way, other_way) < -0.1
