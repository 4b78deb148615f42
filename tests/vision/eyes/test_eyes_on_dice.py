"""Whose eye a die bears, seen flat, at a glance, under a lamp or behind another piece."""

from __future__ import annotations

import json
import math
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.pose import find_pose
from companion.game.readings import TOLD_ODDS, EyesReading, Kind, Piece, owner_of
from tests.scenes import KIT, SIDE_UP, WIDE_LENS, empire_die, shared_renderer, territory
from tests.vision.wide_table import LENS, LIT, SHAPES, nearest
from vision.measure import bodies, prepared
from vision.measure.prepared import PreparedImage, is_coarse_jpeg, linear_table, prepare, quantization_step
from vision.measure.room_light import saturation_level
from vision.readers import Picture
from vision.sim import render
from vision.sim.film import Film
from vision.sim.pieces import Material, lying
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Lighting, Scene, SceneLamp
from vision.sim.virtual import VirtualTable
from vision.tables.eyes import eye_owner, oblique_faces, open_eye
from vision.tables.eyes.detect import _owned
from vision.tables.eyes.eye_owner import LampReflections, hidden_share
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection


def compressed(picture: Picture, quality: int) -> Picture:
    _, written = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR), np.uint8)


# ---- An empire die's eye seen at a glance angle, under a mirrored lamp, or settled by the other dice.


TURNS = (0.0, 90.0, 180.0, 270.0)
PLACES = {("red", turn): (690.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)} | {
    ("blue", turn): (310.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)
}
"""Dice about 190 mm beside the camera's foot: their inner sides are seen at some 10 degrees."""


@lru_cache(maxsize=1)
def oblique_image() -> PreparedImage:
    scene = Scene(
        bodies=tuple(
            empire_die(color, at, angle_deg=turn, id=f"{color}{turn:.0f}") for (color, turn), at in PLACES.items()
        )
    )
    picture = shared_renderer(LENS, height_mm=1100).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def oblique_place(color: str, turn: float) -> bodies.Place:
    x, y = PLACES[color, turn]
    return bodies.upright(x, y, SHAPES.empire_die.half_height_mm, turn)


def marks_of(color: str, turn: float) -> list[oblique_faces.EyeFit]:
    seen, die, place = oblique_image(), SHAPES.empire_die, oblique_place(color, turn)
    sides = eye_owner.sides_seen(seen, die, place, LIMITS.min_oblique_cosine)
    marks = (oblique_faces.fit_eye(seen, place, die.half_height_mm, axis, sign) for axis, sign, _ in sides)
    return [mark for mark in marks if mark is not None]


def inner_turn(color: str) -> float:
    """The turn that shows the eye to the camera: the only one whose inner side is marked."""
    inner = {turn: max((m.share for m in marks_of(color, turn)), default=0.0) for turn in TURNS}
    return max(inner, key=inner.__getitem__)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_on_a_side_seen_flat_tells_its_owner(color: str) -> None:
    turn = inner_turn(color)
    odds, is_up, _ = eye_owner.read_eye(oblique_image(), SHAPES.empire_die, oblique_place(color, turn))
    assert (owner_of(odds), is_up) == (color, False)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_turned_away_is_not_invented(color: str) -> None:
    opposite = (inner_turn(color) + 180.0) % 360
    odds, is_up, reason = eye_owner.read_eye(oblique_image(), SHAPES.empire_die, oblique_place(color, opposite))
    assert (owner_of(odds), is_up) == (None, False)
    assert reason


def owned_dice(*colors: str | None) -> list[Any]:
    fit = bodies.Fit(bodies.upright(0.0, 0.0, 14.0), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    odds = {"red": TOLD_ODDS, "blue": -TOLD_ODDS, None: 0.0}
    return [
        Detection(Kind.EMPIRE_DIE, None, SHAPES.empire_die, fit, marked_up=False, reason="?", red_odds=odds[color])
        for color in colors
    ]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (("red", "red", None, "blue"), ("red", "red", "blue", "blue")),
        (("red", "red", None), ("red", "red", "blue")),
        (("red", None, "blue", None), ("red", None, "blue", None)),
        (("red", "red", "blue", "blue", None), ("red", "red", "blue", "blue", None)),
    ],
)
def test_when_one_sides_dice_are_all_seen_the_rest_are_the_others(
    seen: tuple[str | None, ...], told: tuple[str | None, ...]
) -> None:
    assert tuple(die.color for die in _owned(owned_dice(*seen), 2)) == told


# ---- White tops that show no eye: where a lamp may be mirrored in them nothing is said, elsewhere they are bare.


HEIGHT_MM = 1200.0
POSE = overhead(WIDE_LENS, height_mm=HEIGHT_MM)
AT = ((250.0, 200.0), (740.0, 180.0), (260.0, 520.0), (730.0, 530.0))
SIDE_MM = KIT.piece(Kind.EMPIRE_DIE).size_mm("side")
DIE = bodies.cube(SIDE_MM, 1.6)


def lamp_mirrored_in(at: tuple[float, float], height_mm: float = 1900.0) -> SceneLamp:
    """A lamp that the camera sees mirrored in the middle of a level top there."""
    away = (np.array(at) - (500.0, 350.0)) / (HEIGHT_MM - SIDE_MM) * (height_mm - SIDE_MM)
    x_mm, y_mm = (np.array(at) + away).tolist()
    return SceneLamp((x_mm, y_mm, height_mm), 200.0)


def read(lamp: SceneLamp, film: Film, marked: int, jpeg: int | None = None) -> EyesReading:
    """Four dice under a lamp, the eye of one (by its place in `AT`, if any) looking up; the picture as a JPEG of this
    quality, if any."""
    colors = ("red", "blue", "blue", "red")
    dice = tuple(
        empire_die(color, at, marked_up=i == marked, angle_deg=12.0 + 20 * i, id=f"d{i}")
        for i, (color, at) in enumerate(zip(colors, AT, strict=True))
    )
    scene = Scene(bodies=dice, lighting=Lighting(lamps=(lamp,), ambient=0.35))
    picture = Renderer(KIT, POSE, film).picture(scene)
    return open_eye(WIDE_LENS, KIT).read(picture if jpeg is None else compressed(picture, jpeg))


def die_at(reading: EyesReading, i: int) -> Piece:
    return nearest(reading, Kind.EMPIRE_DIE, AT[i])


@pytest.mark.nightly
@pytest.mark.parametrize(("gloss", "told"), [(0.0, True), (4.0, None)])
def test_an_eye_that_a_mirrored_lamp_outshines_is_not_denied(
    monkeypatch: pytest.MonkeyPatch, gloss: float, told: bool | None
) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(gloss, 0.15, 0.36)})
    die = die_at(read(lamp_mirrored_in(AT[0]), Film(), marked=0), 0)
    assert die.marked_up is told
    assert (die.reason == eye_owner.MIRRORED) is (told is None)


@pytest.mark.nightly
@pytest.mark.parametrize("jpeg", [30, 40, 50, 60])
def test_nor_in_a_poor_jpeg(monkeypatch: pytest.MonkeyPatch, jpeg: int) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(4.0, 0.15, 0.36)})
    assert die_at(read(lamp_mirrored_in(AT[0]), Film(), marked=0, jpeg=jpeg), 0).marked_up is None


@pytest.mark.nightly
def test_tops_too_bright_for_the_camera_are_bare_where_no_lamp_is_mirrored(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bool, bool]] = []

    class Listening(LampReflections):
        def may_hide_an_eye(self, place: bodies.Place) -> bool:
            inks = eye_owner.inks_on(self._image, DIE, place)
            is_white = any(ink.is_up and ink.is_saturated for ink in inks)
            asked.append((is_white, super().may_hide_an_eye(place)))
            return asked[-1][1]

    monkeypatch.setattr("vision.tables.eyes.detect.LampReflections", Listening)
    reading = read(SceneLamp((2300.0, 350.0, 1300.0), 300.0), Film(exposure=2.2), marked=3)
    assert len(asked) == 3
    assert all(is_white and not hides for is_white, hides in asked)
    assert [die_at(reading, i).marked_up for i in range(4)] == [False, False, False, True]


# ---- An empire die's side that another piece stands before tells nothing of whose it is.


AT_MM = (206.26, 304.20)


def read_beside(other_mm: tuple[float, float]) -> tuple[str | None, str | None]:
    """The owner told, and why none is, of a red die whose eye looks away, with another red die there."""
    table = VirtualTable(KIT, is_grain_anew=False, clock=lambda: 0.0, wait=lambda _: None)
    kept = json.loads(table.saved())
    kept["pieces"] = [piece for piece in kept["pieces"] if piece["kind"] == "territory"]
    turns = ((*AT_MM, [0.70064, 0.0954, -0.70064, 0.0954]), (*other_mm, [-0.65861, 0.0, 0.0, 0.75249]))
    for i, (x_mm, y_mm, turn) in enumerate(turns, 1):
        die = lying(KIT, Kind.EMPIRE_DIE, "red", (x_mm, y_mm), id=f"empire_die_red_{i}", top=SIDE_UP)
        kept["pieces"].append(
            {"id": die.id, "kind": die.kind, "color": die.color, "at_mm": (x_mm, y_mm, 14.0), "turn": turn}
        )
    table.restore(json.dumps(kept))
    picture = table.frame()
    assert picture is not None
    die = nearest(open_eye(table.lens, KIT).read(picture), Kind.EMPIRE_DIE, AT_MM)
    return die.color, die.reason


@pytest.mark.nightly
@pytest.mark.parametrize("other_mm", [(233.46, 327.42), (234.0, 330.0), (300.0, 327.42)])
def test_the_end_of_another_die_before_a_side_is_no_eye_on_it(other_mm: tuple[float, float]) -> None:
    """A corner of red's other die, with its eye up, hid a part of the side: blue's eye was told there, and surely."""
    assert read_beside(other_mm) == (None, "its eye is on a face that the camera does not see")


@pytest.mark.nightly
def test_what_hides_a_face_is_told_by_the_larger_part() -> None:
    face = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], np.float32)
    corner, edge = face + np.float32(8), face + np.array([9, 0], np.float32)
    assert hidden_share(face, [corner, edge]) == pytest.approx(0.1)
    assert hidden_share(face, []) == 0.0


# ---- Cameras that end below the highest value: what they cut off is told by what shows no noise.


TOPS = [bodies.upright(*at, SIDE_MM / 2, 12.0) for at in AT]
WINDOW = SceneLamp((2300.0, 350.0, 1300.0), 300.0)


def picture(film: Film, lamp: SceneLamp = WINDOW, marked: int | None = None) -> NDArray[np.uint8]:
    dice = tuple(empire_die("red", at, marked_up=i == marked, angle_deg=12.0, id=f"d{i}") for i, at in enumerate(AT))
    scene = Scene(bodies=dice, lighting=Lighting(lamps=(lamp,), ambient=0.35))
    return Renderer(KIT, POSE, film).picture(scene)


def at_video_levels(full: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As cameras give it that end at 235 and begin at 16."""
    return np.rint(16 + full * (219 / 255)).astype(np.uint8)


def levels(light: NDArray[np.float64]) -> list[float]:
    table = linear_table().astype(np.float64)
    return [round(float(np.interp(x * 65535, table, np.arange(256.0)))) for x in light]


def seen(shown: NDArray[np.uint8]) -> PreparedImage:
    return prepare(shown, POSE, KIT)


@pytest.mark.nightly
@pytest.mark.parametrize("noise", [0.003, 0.006, 0.012])
def test_the_end_of_a_camera_that_ends_early_is_told(noise: float) -> None:
    bright = picture(Film(exposure=1.3, shot_noise=noise))
    assert levels(saturation_level(seen(bright), DIE, TOPS)) == [255, 255, 255]
    assert levels(saturation_level(seen(at_video_levels(bright)), DIE, TOPS)) == [235, 235, 235]


@pytest.mark.nightly
def test_an_eye_outshone_by_a_lamp_is_not_denied_at_video_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "MATERIALS", {**render.MATERIALS, "ivory": Material(4.0, 0.15, 0.36)})
    shown = at_video_levels(picture(Film(), lamp_mirrored_in(AT[0]), marked=0))
    die = die_at(open_eye(WIDE_LENS, KIT).read(shown), 0)
    assert die.marked_up is None
    assert die.reason == eye_owner.MIRRORED


# ---- Poor JPEG pictures: how coarse they are is measured, and no owner is told by colours that they may have bent.


OWNERS = ("red", "blue", "red", "blue")
TABLE_STEP = 29
"""The step of wave (3, 3) at quality 50, ITU-T T.81, table K.1."""


def table(seed: int) -> tuple[np.ndarray, list[tuple[float, float]]]:  # type: ignore[type-arg]
    """A picture of four dice near the point under the camera, their eyes on sides that are seen flat, and where."""
    rng = np.random.default_rng(seed)
    turns = rng.uniform(0, 2 * math.pi) + np.arange(4) * math.pi / 2
    at = [(500 + r * math.cos(a), 350 + r * math.sin(a)) for a, r in zip(turns, rng.uniform(60, 170, 4), strict=True)]
    dice = [
        empire_die(color, xy, angle_deg=float(rng.uniform(0, 360)), id=f"d{i}")
        for i, (color, xy) in enumerate(zip(OWNERS, at, strict=True))
    ]
    bodies = (territory("red", (200.0, 350.0)), territory("blue", (800.0, 350.0)), *dice)
    renderer = shared_renderer(WIDE_LENS, height_mm=1150.0)
    return renderer.picture(Scene(bodies=bodies, lighting=LIT), seed), at


@pytest.mark.nightly
def test_the_step_of_a_jpeg_is_measured() -> None:
    picture, _ = table(1)
    for quality in (50, 60, 70, 80, 85, 90):
        scale = 50 / quality if quality < 50 else 2 - quality / 50
        assert quantization_step(compressed(picture, quality)) == pytest.approx(round(TABLE_STEP * scale), abs=1.0)
    assert is_coarse_jpeg(compressed(picture, 85))
    assert not is_coarse_jpeg(compressed(picture, 90))


@pytest.mark.nightly
def test_a_picture_that_was_never_compressed_is_not_coarse_and_one_without_detail_is() -> None:
    picture, _ = table(1)
    assert not is_coarse_jpeg(picture)
    assert not is_coarse_jpeg(compressed(picture, 30)[3:, 5:])  # its blocks lie elsewhere: nothing is known of it
    assert is_coarse_jpeg(np.full((480, 640, 3), 90, np.uint8))


@pytest.mark.nightly
@pytest.mark.parametrize(("seed", "quality"), [(3, 50), (7, 60), (35, 70), (38, 70), (67, 70)])
def test_no_owner_is_told_by_a_colour_that_compression_bent(
    seed: int, quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, at = table(seed)
    poor = compressed(picture, quality)

    def told() -> list[str | None]:
        reading = open_eye(WIDE_LENS, KIT).read(poor)
        return [nearest(reading, Kind.EMPIRE_DIE, xy).color for xy in at]

    assert all(color in (None, owner) for color, owner in zip(told(), OWNERS, strict=True))
    monkeypatch.setattr(prepared, "is_coarse_jpeg", lambda _: False)
    # taken for a fine picture it would be
    assert told() != [None] * len(OWNERS)
