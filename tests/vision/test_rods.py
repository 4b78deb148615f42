"""The rods reader: drawn tables whose truth is known, and how it doubts.

A black tip is a dark spot and nothing more, and a rod that hangs shows its tips like one that fell: both were once told
as loose rods with full confidence.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from companion.errors import KitError
from companion.kit import default_kit
from companion.readings import SURE, RodsReading
from vision.readers import READERS
from vision.sim.virtual import VirtualTable
from vision.tables.rods import RodsEye
from vision.tables.rods_fuse import fused
from vision.tables.rods_wires import shapes

KIT = default_kit("suspend")
Count = Counter[tuple[str | None, str | None]]


def table(seats: str, seed: int) -> VirtualTable:
    now = [0.0]
    return VirtualTable(
        KIT, seats=seats, seed=seed, clock=lambda: now[0], wait=lambda s: now.__setitem__(0, now[0] + s)
    )


def eye(over: VirtualTable) -> Any:
    return READERS["rods"].open_table(over.lens, KIT)


@lru_cache(maxsize=1)
def four_players() -> tuple[Count, RodsReading, str]:
    """Three rods hang, one lies by the stand, the rest in the piles; and the colour rolled."""
    over = table("ABCD", 3)
    rods = [rod["id"] for rod in over.truth()["rods"]]
    for id in (rods[1], rods[9], rods[14]):
        over.hang(id)
    over.lay(rods[6], "stand")
    over.roll(value=4, is_cocked=False)
    over._wait(20.0)
    picture = over.frame()
    assert picture is not None
    truth = over.truth()
    count = Counter((rod["color"], rod["zone"]) for rod in truth["rods"] if rod["zone"] != "hung")
    return count, eye(over).read(picture), truth["dice"][0]["face_color"]


def test_loose_rods_are_counted_by_color_and_zone() -> None:
    truth, reading, _ = four_players()
    seen = Counter((rod.color, rod.zone) for rod in reading.rods)
    assert {key: n for key, n in seen.items() if key[1] != "stand"} == {
        key: n for key, n in truth.items() if key[1] != "stand"
    }


def test_what_is_sure_is_so_and_what_may_hang_is_never_sure() -> None:
    truth, reading, _ = four_players()
    sure = Counter((rod.color, rod.zone) for rod in reading.rods if rod.confidence >= SURE)
    assert not sure - truth
    assert sure.total() >= 15
    assert all(rod.confidence < SURE for rod in reading.rods if rod.zone == "stand")


def test_the_color_die_is_read() -> None:
    _, reading, color = four_players()
    assert reading.die is not None
    assert reading.die.color == color


def test_rods_are_outlined_along_their_wires() -> None:
    _, reading, _ = four_players()
    marks = {mark.kind for mark in reading.marks()}
    assert marks == {"rod", "color_die"}
    assert all(len(mark.outline_mm) > 8 for mark in reading.marks())


def test_a_rod_that_one_of_two_pictures_shows_is_doubted() -> None:
    _, reading, _ = four_players()
    less = replace(reading, rods=reading.rods[1:])
    both = fused([less, reading])
    assert not both.agree
    doubted = next(rod for rod in both.reading.rods if rod.path_mm == reading.rods[0].path_mm)
    assert doubted.confidence < SURE
    assert fused([reading, reading]).agree


def test_two_colors_of_the_die_are_none() -> None:
    _, reading, _ = four_players()
    assert reading.die is not None
    other = replace(reading, die=replace(reading.die, color="red" if reading.die.color != "red" else "blue"))
    die = fused([reading, other]).reading.die
    assert die is not None
    assert die.color is None
    assert die.reason


@pytest.mark.parametrize("chord_mm", [70.0, 80.0, 99.0])
def test_shapes_are_as_long_as_the_wire(chord_mm: float) -> None:
    found = shapes(np.array([0.0, 0.0]), np.array([chord_mm, 0.0]), 100.0)
    assert len(found)
    for path in found:
        ends = np.linalg.norm(path[0]) + np.linalg.norm(path[-1] - (chord_mm, 0.0))
        assert abs(np.linalg.norm(np.diff(path, axis=0), axis=1).sum() + ends - 100.0) < 2.0


def test_points_too_far_apart_are_no_ends_of_a_wire() -> None:
    assert not len(shapes(np.array([0.0, 0.0]), np.array([104.0, 0.0]), 100.0))


def test_a_kit_without_a_stand_is_refused() -> None:
    mat = replace(KIT.mat, areas_mm={name: box for name, box in KIT.mat.areas_mm.items() if name != "stand_mm"})
    with pytest.raises(KitError, match="stand_mm"):
        RodsEye(table("AB", 1).lens, replace(KIT, mat=mat))
