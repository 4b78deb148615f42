"""The rods reader: drawn tables whose truth is known, and how it doubts.

A black tip is a dark spot and nothing more, and a rod that hangs shows its tips like one that fell: both were once told
as loose rods with full confidence.
"""

import itertools
import math
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.arrays import Floats
from companion.game.brought import default_kit
from companion.game.readings import SURE, MarkRole, RodsReading
from tests.clock import Clock
from vision.readers import READERS
from vision.sim.virtual import VirtualTable
from vision.tables.board.view import BoardView
from vision.tables.rods.choice import choose
from vision.tables.rods.fuse import fused
from vision.tables.rods.left import may_be_of, pieces_of
from vision.tables.rods.limits import LIMITS
from vision.tables.rods.tips import CLASSES, RodMaps, Tip, find_tips
from vision.tables.rods.wires import Wire, lines_of, places_along, shapes

KIT = default_kit("suspend")
Count = Counter[tuple[str | None, str | None]]


def table(seats: str, seed: int) -> VirtualTable:
    clock = Clock(0.0)
    return VirtualTable(KIT, seats=seats, seed=seed, clock=clock, wait=clock.wait)


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
    truth, reading, color = four_players()
    seen = Counter((rod.color, rod.zone) for rod in reading.rods)
    assert {key: n for key, n in (seen - truth + (truth - seen)).items() if key[1] != "stand"} == {}
    assert reading.die.color == color


def test_what_is_sure_is_so_and_nothing_that_hangs_is_sure_to_lie_there() -> None:
    truth, reading, _ = four_players()
    sure = Counter((rod.color, rod.zone) for rod in reading.rods if rod.confidence >= SURE)
    assert not sure - truth
    assert sure.total() >= 15


def test_rods_are_outlined_along_their_wires() -> None:
    _, reading, _ = four_players()
    marks = {mark.kind for mark in reading.marks()}
    assert marks == {"rod", "color_die"}
    assert all(len(mark.outline_mm) > 8 for mark in reading.marks() if mark.role is MarkRole.PIECE)
    for rod, mark in zip(reading.rods, reading.marks(), strict=False):  # a line on the wire hid its colored ends
        away = [math.dist(at, corner) for at in rod.path_mm for corner in mark.outline_mm]
        assert min(away) > 1.5 * reading.wire_mm


def test_a_rod_that_one_of_two_pictures_shows_is_doubted() -> None:
    _, reading, _ = four_players()
    less = replace(reading, rods=reading.rods[1:])
    both = fused([less, reading])
    assert not both.agree
    doubted = next(rod for rod in both.reading.rods if rod.path_mm == reading.rods[0].path_mm)
    assert doubted.confidence < SURE
    assert fused([reading, reading]).agree


NOWHERE: Any = None
VIEW = BoardView(np.zeros((500, 700, 3), np.uint8), NOWHERE, (0.0, 0.0), 2.5, np.ones(3))
STAND_MM = np.array([350.0, 250.0])
LENGTHS_MM = {color: length - 8.0 for color, length in KIT.piece("rod").lengths_mm.items()}
"""Between the tips of a rod."""


def bent(a_mm: tuple[float, float], b_mm: tuple[float, float], length_mm: float) -> Floats:
    """A wire's middle line between two points."""
    return shapes(np.array([a_mm]), np.array([b_mm]), np.array([length_mm]), places_along(length_mm))[0][0]


def shown(*rods: tuple[str, Floats], blend: str | None = None, wires: bool = True) -> RodMaps:
    """What the network would see of rods; tips are of two colours by halves where `blend` is one."""
    maps = {name: np.zeros((250, 350), np.float32) for name in CLASSES}
    wire_ways, tip_ways = np.zeros((2, 250, 350), np.float32), np.zeros((2, 250, 350), np.float32)
    for color, path in rods:
        cells = (VIEW.to_cells(path) / 2).astype(np.float32)
        if wires:
            cv2.polylines(maps["wire"], [np.round(cells * 16).astype(np.int32)], False, 1.0, 3, cv2.LINE_8, 4)
        for x, y in (cells[0], cells[-1]):
            for name in (color, blend or color):
                cv2.circle(maps[name], (round(float(x)), round(float(y))), 3, 0.5 if blend else 1.0, -1)
        for at, inner in ((cells[0], cells[3]), (cells[-1], cells[-4])):
            way = (inner - at) / np.linalg.norm(inner - at)
            for map_, value in zip(tip_ways, way, strict=True):
                cv2.circle(map_, (round(float(at[0])), round(float(at[1]))), 4, float(value), -1)
        for a, b in itertools.pairwise(cells):
            angle = 2 * float(np.arctan2(*(b - a)[::-1]))
            ends = [(round(float(x)), round(float(y))) for x, y in (a, b)]
            for map_, value in zip(wire_ways, (np.cos(angle), np.sin(angle)), strict=True):
                cv2.line(map_, ends[0], ends[1], float(value), 5)
    tips = np.sum([maps[name] for name in CLASSES[2:]], axis=0)
    maps["wire"] = np.clip(maps["wire"] - tips, 0, 1)
    maps["mat"] = 1 - maps["wire"] - tips
    return RodMaps(maps, wire_ways, tip_ways, np.zeros((250, 350), np.float32))


def told(seen: RodMaps) -> tuple[list[Tip], list[Wire]]:
    tips = find_tips(VIEW, seen)
    return tips, list(choose(lines_of(VIEW, seen), tips, LENGTHS_MM, 4, STAND_MM).lying)


def test_what_hangs_is_no_lying_rod() -> None:
    """Bent upright it looks straight from above, and too short."""
    length_mm = LENGTHS_MM["blue"]
    path = bent((300, 200), (390, 230), length_mm)
    assert [wire.color for wire in told(shown(("blue", path)))[1]] == ["blue"]
    assert told(shown(("blue", np.linspace(path[0], path[-1], 40))))[1] == []


def test_a_piece_of_wire_of_no_rod_told_may_be_of_rods_that_are_not_much_longer() -> None:
    """A black rod with both tips on other rods was not counted, and the count was sure."""
    told, hidden = bent((40, 60), (180, 90), LENGTHS_MM["green"]), bent((60, 200), (115, 215), LENGTHS_MM["black"])
    looks = shown(("green", told), ("black", hidden))
    for name in CLASSES[2:]:
        looks.classes[name][:] = 0
    lines = lines_of(VIEW, replace(looks, classes=looks.classes | {"mat": 1 - looks.classes["wire"]}))
    assert pieces_of(lines, [told, hidden], (0, 0, 400, 300), STAND_MM) == []
    ((piece, _),) = pieces_of(lines, [told], (0, 0, 400, 300), STAND_MM)
    assert "black" in may_be_of(piece, LENGTHS_MM)
    assert "orange" not in may_be_of(piece, LENGTHS_MM)


def test_a_plain_tip_hides_a_rod_away_from_the_stand_and_not_by_it() -> None:
    """Every tip of a hanging rod made its color's count unsure: from above half of them showed no wire."""
    for at, is_hidden in (((20, 60), True), ((330, 160), False)):
        looks = shown(("blue", bent(at, (at[0] + 90, at[1] + 20), LENGTHS_MM["blue"])), wires=False)
        chosen = choose(lines_of(VIEW, looks), find_tips(VIEW, looks)[:1], LENGTHS_MM, 4, STAND_MM)
        assert (bool(chosen.lone) or chosen.more["blue"] > LIMITS.hardly) is is_hidden


@pytest.mark.parametrize(("hangs", "is_told"), [(0.1, True), (0.97, False)])
def test_a_flat_tip_by_the_stand_may_be_of_a_fallen_rod(hangs: float, is_told: bool) -> None:
    """The other end of a fallen rod was covered: nothing was told of it, and its fall was not entered (seed 802)."""
    looks = shown(("blue", bent((330, 160), (420, 180), LENGTHS_MM["blue"])), wires=False)
    looks = replace(looks, hangs=np.full((250, 350), hangs, np.float32))
    chosen = choose(lines_of(VIEW, looks), find_tips(VIEW, looks)[:1], LENGTHS_MM, 4, STAND_MM)
    assert any(one.color == "blue" and one.likely > 0.2 for one in chosen.perhaps) is is_told


def test_a_rod_told_in_doubt_makes_the_other_colors_of_its_tips_unsure() -> None:
    """A green tip was taken for a doubtful black rod's, and nothing spoke of one more green rod."""
    tips = [Tip(x, y, {"green": 0.9, "blue": 0.1}, 0.9, (0.0, 0.0)) for x, y in ((60.0, 60.0), (150.0, 80.0))]
    looks = shown(("blue", bent((60, 60), (150, 80), LENGTHS_MM["blue"])))
    chosen = choose(lines_of(VIEW, looks), tips, LENGTHS_MM, 4, STAND_MM)
    assert [(wire.color, wire.likely < 0.9) for wire in chosen.lying] == [("blue", True)]
    assert chosen.more["green"] > LIMITS.hardly


def test_no_die_is_told_where_none_lies() -> None:
    over = table("AB", 5)
    over.remove(over.truth()["dice"][0]["id"])
    picture = over.frame()
    assert picture is not None
    assert eye(over).read(picture).die is None


def test_what_hangs_in_doubt_may_lie_there_and_is_said() -> None:
    """One that had fallen by the stand was told to hang, in doubt: nobody was asked, and a match took it for hung."""
    half_mm = 0.97 * LENGTHS_MM["blue"] / 2
    path = np.linspace((330 - half_mm, 200.0), (330 + half_mm, 210.0), 40)
    looks = replace(shown(("blue", path)), hangs=np.full((250, 350), 0.5, np.float32))
    chosen = choose(lines_of(VIEW, looks), find_tips(VIEW, looks), LENGTHS_MM, 4, STAND_MM)
    (hung,) = chosen.hanging
    assert hung.likely < 1
    (it,) = [one for one in chosen.perhaps if one.hangs]
    assert it.color == "blue"
    assert it.hangs == pytest.approx(hung.likely, abs=0.02)
    assert 0.001 < it.likely < 1 - it.hangs
