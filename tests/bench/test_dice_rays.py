"""Traced scenes that teach what a die is: light adds up, dice show their pips, and places are labelled as they are."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from bench.train import dice_rays
from bench.train.dice_blocks import KINDS, Foot, scene, value_of
from bench.train.dice_prints import DRAWN, GROUND_PX, PRINT_PX, ground, prints
from bench.train.dice_rays import BOX, DIE, MOST, NOTHING, PLAIN, SCENE, SIDE_PX, THING
from bench.train.dice_solid import PIPS

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ builds the tracer")
GREY = 186
"""Half as bright as white, as bytes tell it."""


def traced(scenes: np.ndarray, things: np.ndarray, samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Light, what is first, and all that would be, of each pixel; on a grey table in even white light."""
    room = dice_rays.evened(np.ones((1, 16, 32, 3), np.float32))
    rows, columns = dice_rays.sums_of(room)
    sides = (len(scenes), SIDE_PX, SIDE_PX)
    light, first, every = np.zeros((*sides, 3), np.float32), np.zeros(sides, np.uint8), np.zeros(sides, np.uint32)
    arrays = {
        "scenes": scenes, "things": things, "grounds": np.full((1, GROUND_PX, GROUND_PX, 3), GREY, np.uint8),
        "prints": np.zeros((1, PRINT_PX, PRINT_PX, 3), np.uint8), "rooms": room, "rows": rows, "columns": columns,
        "light": light, "first": first, "all": every,
    }  # fmt: skip
    addresses = {name: np.ascontiguousarray(one).ctypes.data for name, one in arrays.items()}
    dice_rays.trace(len(scenes), addresses, (16, 32), samples, on_gpu=False)
    return light, first, every


def masks(things: list[np.ndarray], samples: int = 4, **told: object) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a camera sees from straight above, 16 px to a half side."""
    scenes, all_things = np.zeros(1, SCENE), np.zeros((1, MOST), THING)
    all_things[0, : len(things)] = things
    camera = {"eye": (0, 0, 161), "right": (1, 0, 0), "down": (0, -1, 0), "forward": (0, 0, -1), "focal_px": 16 * 160}
    rest = {"ground_scale": 10, "ground_roughness": 1, "room_gain": 1, "things": len(things)}
    for name, value in {**camera, **rest, **told}.items():
        scenes[0][name] = value
    light, first, every = traced(scenes, all_things, samples)
    return light[0], first[0], every[0]


def seen(things: list[np.ndarray], samples: int = 4, **told: object) -> np.ndarray:
    return masks(things, samples, **told)[0]


def die(value: int, **more: object) -> np.ndarray:
    """White, with black pips, `value` up."""
    thing = np.zeros((), THING)
    told = {
        "at": (0, 0, 1), "right": (1, 0, 0), "ahead": (0, 1, 0), "up": (0, 0, 1), "half": 1, "rounding": 0.05,
        "ball": 9, "shape": BOX, "skin": DIE, "body": 1, "pip": 0, "pip_radius": 0.2, "spacing": 0.5, "spread": 1,
        "six_rows": 1, "big_one": 1, "values": (2, 5, 3, 4, value, 7 - value), "roughness": 1,
    }  # fmt: skip
    for name, one in {**told, **more}.items():
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


@needs_compiler
def test_masks_tell_what_is_first_and_what_is_hidden() -> None:
    above = die(1, at=(0.5, 0, 3.2), clear=1, bends=1.5)
    _, first, every = masks([die(1), above], samples=1)
    middle = SIDE_PX // 2
    assert (first[middle, middle], every[middle, middle]) == (1, 0b11)
    assert (first[middle, middle - 12], every[middle, middle - 12]) == (0, 0b01)
    assert (first[5, 5], every[5, 5]) == (NOTHING, 0)
    assert (every & 1).sum() == pytest.approx(32**2, rel=0.05)


@needs_compiler
def test_a_clear_die_lets_light_through_and_colours_it() -> None:
    inner = slice(SIDE_PX // 2 - 10, SIDE_PX // 2 + 10)
    plain = {"skin": PLAIN, "body": 0.01, "bends": 1.5, "specular": 0.5}
    dark, clear, red, milky, dark_milk = (
        seen([die(1, **plain, **more)], samples=16)[inner, inner].mean((0, 1))
        for more in (
            {}, {"clear": 1}, {"clear": 1, "absorb": (0, 1, 1)}, {"clear": 1, "milk": 1},
            {"clear": 1, "milk": 1, "absorb": (1, 1, 1)},
        )
    )  # fmt: skip
    assert clear.mean() > 5 * dark.mean()
    assert clear.mean() < 0.6
    assert red[0] > 2.5 * red[1]
    assert dark_milk.mean() < 0.6 * milky.mean() < 0.6


@needs_compiler
def test_a_clear_die_shows_the_pips_of_its_lower_side_and_has_a_light_shadow() -> None:
    glass = {"clear": 1, "bends": 1.5, "specular": 0.5, "pip_radius": 0.35}
    top = SIDE_PX // 2 + 9
    spot = slice(top - 2, top + 2)
    six, bare = (seen([die(1, **glass, values=(2, 5, 3, 4, 1, low))], 32)[spot, spot].mean() for low in (6, 1))
    assert six < 0.8 * bare
    lamp = {"lamps": 1, "lamp_toward": (0.7, 0, 0.714, 0, 0, 1), "lamp_light": (900.0,) * 6, "lamp_cos": (0.999,) * 2}
    shade = (slice(SIDE_PX // 2 - 8, SIDE_PX // 2 + 8), slice(SIDE_PX // 2 - 30, SIDE_PX // 2 - 20))
    assert seen([die(1, **glass)], 16, **lamp)[shade].mean() > 1.5 * seen([die(1)], 16, **lamp)[shade].mean()


def test_scenes_of_all_kinds_label_their_dice() -> None:
    shown = prints(2 * len(DRAWN))
    made = [scene(np.random.default_rng(seed), shown, 3, 2) for seed in range(80)]
    for found, things, dice, _ in made:
        count = int(found["things"])
        is_die = things["skin"] == DIE
        assert np.all(things["half"][:count].min(1) > 0)
        assert np.all(things["half"][count:] == 0)
        assert dice.shape[1:] == (7,)
        assert dice.dtype == np.float32
        assert is_die[dice[:, 0].astype(int)].all()
        inside = ((dice[:, 1:3] > 0) & (dice[:, 1:3] < SIDE_PX)).all(1)
        assert inside.any() == is_die.any()
    every = np.concatenate([dice for _, _, dice, _ in made])
    assert len(every) > 100
    assert set(every[:, 5].tolist()) == set(range(7))
    assert sum(KINDS.values()) == pytest.approx(1)


@needs_compiler
def test_labels_lie_where_the_masks_say() -> None:
    shown = prints(2 * len(DRAWN))
    made = [scene(np.random.default_rng(seed), shown, 1, 1) for seed in range(30)]
    _, first, every = traced(np.stack([m[0] for m in made]), np.stack([m[1] for m in made]), 1)
    checked = 0
    for k, (_, _, dice, _) in enumerate(made):
        for thing, x, y, width, height, _, _ in dice.tolist():
            rows, columns = np.nonzero(every[k] >> int(thing) & 1)
            box = np.array([x - width / 2, y - height / 2, x + width / 2, y + height / 2])
            if box.min() > 0 and box.max() < SIDE_PX:
                shown_box = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
                assert np.abs(box - shown_box).max() < 2
                assert ((first[k] == int(thing)) <= (every[k] >> int(thing) & 1)).all()
                checked += 1
    assert checked > 20


def test_the_value_is_that_of_the_face_that_looks_up() -> None:
    assert [value_of(die(value)) for value in PIPS] == list(PIPS)
    assert value_of(die(1, right=(0, 0, -1), up=(1, 0, 0))) == 5
    assert value_of(die(1, right=(0.8, 0, -0.6), up=(0.6, 0, 0.8))) == 0


def test_feet_that_touch_do_not_overlap() -> None:
    foot, rng = Foot(1, 2, 2, 1, 0.4), np.random.default_rng(0)
    for _ in range(20):
        assert not foot.meets(foot.beside(rng, 1, 1.5, 0.001, 0.5))
        assert foot.meets(foot.beside(rng, 1, 1.5, -0.01, 0.5))


def test_prints_of_one_seed_are_alike_and_name_their_kind() -> None:
    one, same = prints(2 * len(DRAWN), 4), prints(2 * len(DRAWN), 4)
    assert np.array_equal(one.pictures, same.pictures)
    assert [DRAWN[k % len(DRAWN)][0] for k in one.of("domino", "coin")] == ["domino", "domino", "coin"] * 2


def test_grounds_of_one_seed_are_alike_bytes() -> None:
    for seed in range(12):
        one, same = ground(np.random.default_rng(seed)), ground(np.random.default_rng(seed))
        assert one.shape == (GROUND_PX, GROUND_PX, 3)
        assert one.dtype == np.uint8
        assert np.array_equal(one, same)
