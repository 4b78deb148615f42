"""Traced scenes that teach what a die is: light adds up, dice show their pips, and places are labelled as they are."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from bench.train import dice_rays
from bench.train.dice_blocks import KINDS, Spot, _told, scene
from bench.train.dice_prints import DRAWN, GROUND_PX, PRINT_PX, prints
from bench.train.dice_rays import BOX, DIE, MOST, PLAIN, SCENE, SIDE_PX, THING
from bench.train.dice_solid import PIPS

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ builds the tracer")
GREY = 186
"""Half as bright as white, as bytes tell it."""


def seen(things: list[np.ndarray], samples: int = 4, **told: object) -> np.ndarray:
    """What a camera sees from straight above, 16 px to a half side, in even white light, on a grey table."""
    scenes, all_things = np.zeros(1, SCENE), np.zeros((1, MOST), THING)
    all_things[0, : len(things)] = things
    camera = {"eye": (0, 0, 161), "right": (1, 0, 0), "down": (0, -1, 0), "forward": (0, 0, -1), "focal_px": 16 * 160}
    rest = {"ground_scale": 10, "ground_roughness": 1, "room_gain": 1, "things": len(things)}
    for name, value in {**camera, **rest, **told}.items():
        scenes[0][name] = value
    room = dice_rays.evened(np.ones((1, 16, 32, 3), np.float32))
    rows, columns = dice_rays.sums_of(room)
    light = np.zeros((1, SIDE_PX, SIDE_PX, 3), np.float32)
    arrays = {
        "scenes": scenes, "things": all_things, "grounds": np.full((1, GROUND_PX, GROUND_PX, 3), GREY, np.uint8),
        "prints": np.zeros((1, PRINT_PX, PRINT_PX, 3), np.uint8), "rooms": room, "rows": rows, "columns": columns,
        "light": light,
    }  # fmt: skip
    addresses = {name: np.ascontiguousarray(one).ctypes.data for name, one in arrays.items()}
    dice_rays.trace(1, addresses, (16, 32), samples, on_gpu=False)
    return light[0]


def die(value: int) -> np.ndarray:
    """White, with black pips, `value` up."""
    thing = np.zeros((), THING)
    told = {
        "at": (0, 0, 1), "right": (1, 0, 0), "ahead": (0, 1, 0), "up": (0, 0, 1), "half": 1, "rounding": 0.05,
        "ball": 9, "shape": BOX, "skin": DIE, "body": 1, "pip": 0, "pip_radius": 0.2, "spacing": 0.5, "spread": 1,
        "six_rows": 1, "big_one": 1, "values": (2, 5, 3, 4, value, 7 - value), "roughness": 1,
    }  # fmt: skip
    for name, one in told.items():
        thing[name] = one
    return thing


@needs_compiler
def test_numpy_writes_the_tracers_structs() -> None:
    built = dice_rays.library(on_gpu=False)
    assert (built.bytes_of_thing(), built.bytes_of_scene()) == (THING.itemsize, SCENE.itemsize)


@needs_compiler
def test_a_grey_table_sends_on_half_of_the_rooms_light() -> None:
    white = dice_rays.evened(np.ones((1, 16, 32, 3), np.float32)).mean()
    assert seen([]).mean() / white == pytest.approx(0.5, rel=0.03)
    assert seen([], room_gain=0.2).mean() / white == pytest.approx(0.1, rel=0.03)


@needs_compiler
@pytest.mark.parametrize("value", PIPS)
def test_a_die_shows_the_pips_of_its_upper_side(value: int) -> None:
    bare = die(value)
    bare["skin"] = PLAIN
    inner = slice(SIDE_PX // 2 - 15, SIDE_PX // 2 + 15)
    dark = 1 - seen([die(value)])[inner, inner].mean() / seen([bare])[inner, inner].mean()
    assert dark == pytest.approx(value * np.pi * 0.2**2 / (2 * 15 / 16) ** 2, rel=0.1)


@needs_compiler
def test_a_lamp_throws_the_shadow_of_a_die_away_from_it() -> None:
    lamp = {
        "lamps": 1, "lamp_toward": (0.7, 0, 0.714, 0, 0, 1), "lamp_light": (900.0,) * 6, "lamp_cos": (0.999, 0.999)
    }  # fmt: skip
    row = seen([die(1)], samples=16, **lamp)[SIDE_PX // 2].mean(1)
    left, right = row[SIDE_PX // 2 - 32 : SIDE_PX // 2 - 18].mean(), row[SIDE_PX // 2 + 18 : SIDE_PX // 2 + 32].mean()
    assert left < 0.5 * right


def test_scenes_of_all_kinds_name_dice_and_what_is_none() -> None:
    shown = prints(2 * len(DRAWN))
    made = [scene(np.random.default_rng(seed), shown, 3, 2) for seed in range(60)]
    dice, none = ([s for _, _, spots, _ in made for s in spots if s.is_die is truth] for truth in (True, False))
    assert len(dice) > 60
    assert len(none) > 60
    for found, things, spots, _ in made:
        count = int(found["things"])
        assert np.all(things["half"][:count].min(1) > 0)
        assert np.all(things["half"][count:] == 0)
        assert any(s.is_die for s in spots) <= bool((things["skin"][:count] == DIE).any())
    assert sum(KINDS.values()) == pytest.approx(1)


def test_a_place_is_a_dies_where_it_covers_it_and_neither_where_it_nearly_does() -> None:
    stays = type("Stays", (), {"normal": staticmethod(lambda *_: 0.0)})()
    dice = [Spot(100, 100, 40)]
    told = [
        _told(stays, Spot(x, 100, side), dice) for x, side in ((100, 40), (116, 40), (100, 70), (100, 12), (180, 40))
    ]
    assert [None if t is None else t.is_die for t in told] == [True, None, None, False, False]
    assert _told(stays, Spot(-3, 100, 40), dice) is None


def test_prints_of_one_seed_are_alike_and_name_their_kind() -> None:
    one, same = prints(32, 4), prints(32, 4)
    assert np.array_equal(one.pictures, same.pictures)
    assert [DRAWN[k % len(DRAWN)][0] for k in one.of("domino", "coin")] == ["domino", "domino", "coin"] * 2
