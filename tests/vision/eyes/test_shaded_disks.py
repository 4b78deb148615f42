"""Samurai on ground of their own colour, known by their shade alone, and what only looks like a piece."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from companion.game.readings import EyesReading, Kind, Piece
from tests.scenes import KIT, empire_die, ninja, samurai, shared_renderer, territory
from tests.vision.eyes.test_oblique_faces import LENS
from vision.measure.colors import components_of
from vision.sim.scene import Body, Lighting, Scene, SceneLamp
from vision.tables.eyes import open_eye

pytestmark = pytest.mark.nightly

SOFT = Lighting(lamps=(SceneLamp((900.0, -300.0, 1800.0), 700.0),), ambient=0.6)
"""A room whose light comes from everywhere draws every rim as a broad, faint band of shade."""


@lru_cache(maxsize=1)
def on_own_ground() -> tuple[EyesReading, dict[str, Body]]:
    """Two samurai on a territory of their colour, one across the other, and a heap of ninjas."""
    land = territory("blue", at=(640, 350))
    bodies = {
        body.id: body
        for body in (
            land,
            samurai("blue", (596, 393), on_mm=3, id="low"),
            samurai("blue", (586, 385), on_mm=7, id="high"),
            empire_die("red", (300, 560)),
            *(
                ninja(v, (200 + 17.0 * (i % 4), 150 + 17.0 * (i // 4)), id=f"n{i}")
                for i, v in enumerate((1, 6, 2, 4) * 3)
            ),
        )
    }
    scene = Scene(bodies=tuple(bodies.values()), lighting=SOFT)
    picture = shared_renderer(LENS, height_mm=1270).picture(scene)
    return open_eye(LENS, KIT).read(picture), bodies


def near(reading: EyesReading, body: Body, within_mm: float) -> list[Piece]:
    x, y = body.at_mm[:2]
    return [p for p in reading.pieces if p.kind is body.kind and np.hypot(p.x_mm - x, p.y_mm - y) < within_mm]


@pytest.mark.parametrize(("id", "within_mm"), [("high", 1.5), ("low", 1.5)])
def test_a_samurai_on_its_own_colour_is_found(id: str, within_mm: float) -> None:
    reading, bodies = on_own_ground()
    assert [piece.color for piece in near(reading, bodies[id], within_mm)] == ["blue"]


def test_one_alone_on_its_own_colour_is_found_in_noise() -> None:
    """A fifth of its rim is voted for: a crescent of shade is all that shows."""
    middle = (620.0, 330.0)
    scene = Scene(bodies=(territory("blue", at=(640, 350)), samurai("blue", middle, on_mm=3)), lighting=SOFT)
    picture = shared_renderer(LENS, height_mm=1270).picture(scene)
    noise = np.random.default_rng(1).normal(0, 22, picture.shape)
    reading = open_eye(LENS, KIT).read(np.clip(picture + noise, 0, 255).astype(np.uint8))
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    assert [piece.color for piece in found] == ["blue"]
    assert np.hypot(found[0].x_mm - middle[0], found[0].y_mm - middle[1]) < 1.0


def test_which_of_them_lies_on_the_other_is_told() -> None:
    reading, bodies = on_own_ground()
    low, high = near(reading, bodies["low"], 1.5)[0], near(reading, bodies["high"], 1.5)[0]
    assert [(r.piece, r.on) for r in reading.rests_on] == [(high.id, low.id)]


def test_every_ninja_of_a_heap_larger_than_eight_is_read() -> None:
    reading, bodies = on_own_ground()
    tops = {id: [piece.value for piece in near(reading, bodies[id], 4.0)] for id in bodies if id.startswith("n")}
    assert tops == {f"n{i}": [v] for i, v in enumerate((1, 6, 2, 4) * 3)}


def test_nothing_else_is_read() -> None:
    reading, bodies = on_own_ground()
    assert len(reading.pieces) == len(bodies)


def test_parts_are_numbered_and_measured() -> None:
    mask = np.zeros((40, 60), np.uint8)
    mask[5:9, 10:20] = 255
    mask[20:30, 40:43] = 255
    mask[30, 43] = 255  # corners join
    count, labels, stats = components_of(mask)
    assert count == 3
    first, second = labels[6, 12], labels[25, 41]
    assert labels[30, 43] == second != first
    assert stats[first].tolist() == [10, 5, 10, 4, 40]
    assert stats[second, 4] == 31
