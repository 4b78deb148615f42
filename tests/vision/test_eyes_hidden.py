"""Samurai of which a narrow crescent is seen: on the mat, and on ground of their own colour."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from companion.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, samurai, territory
from tests.vision.test_eyes_grazing import LENS
from vision.eyes import open_eye
from vision.render import Renderer, overhead
from vision.scene import Body, Scene

LOW_ON_MM = KIT.piece("samurai").size_mm("height")
LAND_MM = KIT.piece("territory").size_mm("height")
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
