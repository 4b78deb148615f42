"""An empire die's eye seen at a glance angle, under a mirrored lamp, or settled by the other dice."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from calibration.lens import Lens
from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.scenes import KIT, empire_die, shared_renderer
from vision.measure import bodies
from vision.measure.prepared import PreparedImage, prepare
from vision.sim.scene import Scene
from vision.tables.eyes import eye_owner, oblique_faces
from vision.tables.eyes.detect import _owned
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes

LENS = Lens(
    width_px=1920,
    height_px=1080,
    fx_px=1460.0,
    fy_px=1462.0,
    cx_px=952.0,
    cy_px=544.0,
    distortion=(-0.03, 0.012, -0.0005, 0.0003, 0.0),
    rms_px=0.1,
)
SHAPES = Shapes.of(KIT)
TURNS = (0.0, 90.0, 180.0, 270.0)
PLACES = {("red", turn): (690.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)} | {
    ("blue", turn): (310.0, 100.0 + 150 * i) for i, turn in enumerate(TURNS)
}
"""Dice about 190 mm beside the camera's foot: their inner sides are seen at some 10 degrees."""


@lru_cache(maxsize=1)
def image() -> PreparedImage:
    scene = Scene(
        bodies=tuple(
            empire_die(color, at, angle_deg=turn, id=f"{color}{turn:.0f}") for (color, turn), at in PLACES.items()
        )
    )
    picture = shared_renderer(LENS, height_mm=1100).picture(scene)
    return prepare(picture, find_pose(picture, LENS, KIT), KIT)


def place_of(color: str, turn: float) -> bodies.Place:
    x, y = PLACES[color, turn]
    return bodies.upright(x, y, SHAPES.empire_die.half_height_mm, turn)


def marks_of(color: str, turn: float) -> list[oblique_faces.EyeFit]:
    return eye_owner._marks_on(image(), SHAPES.empire_die, place_of(color, turn))[1]


def inner_turn(color: str) -> float:
    """The turn that shows the eye to the camera: the only one whose inner side is marked."""
    inner = {turn: max((m.share for m in marks_of(color, turn)), default=0.0) for turn in TURNS}
    return max(inner, key=inner.__getitem__)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_on_a_side_seen_flat_tells_its_owner(color: str) -> None:
    turn = inner_turn(color)
    found = eye_owner.read_eye(image(), SHAPES.empire_die, place_of(color, turn))
    assert found == (color, False, None)


@pytest.mark.parametrize("color", ["red", "blue"])
def test_the_fit_over_the_whole_face_tells_the_same_colour(color: str) -> None:
    best = max(marks_of(color, inner_turn(color)), key=lambda m: m.sigmas)
    assert eye_owner.is_eye(best)
    assert best.color == color


def test_a_top_that_is_darker_but_bears_no_eye_is_not_called_bare(monkeypatch: pytest.MonkeyPatch) -> None:
    dark = eye_owner.FaceInk(2, 1.0, True, 0.99, 0.5 * LIMITS.min_top_tint, -0.04, 3 * LIMITS.min_dip, False)
    bare = replace(dark, dip=0.0)
    monkeypatch.setattr(eye_owner, "_marks_on", lambda *_: (None, []))
    for seen, told in ((dark, None), (bare, False)):
        monkeypatch.setattr(eye_owner, "inks_on", lambda *_, seen=seen: [seen])
        owner, is_up, reason = eye_owner.read_eye(image(), SHAPES.empire_die, place_of("red", 0.0))
        assert (owner, is_up) == (None, told)
        assert (reason == eye_owner.DARKER) is (seen is dark)


def test_a_fainter_mark_must_be_surer() -> None:
    (share, sigmas), (faint, surer) = LIMITS.side_rules
    assert faint < share
    assert surer > sigmas
    between = (faint + share) / 2
    assert eye_owner.is_eye(oblique_faces.EyeFit(1.1 * share, 1.1 * sigmas, 0.0, 0.0, 0.0, True))
    assert not eye_owner.is_eye(oblique_faces.EyeFit(between, 1.1 * sigmas, 0.0, 0.0, 0.0, True))
    assert eye_owner.is_eye(oblique_faces.EyeFit(between, 1.1 * surer, 0.0, 0.0, 0.0, True))
    assert not eye_owner.is_eye(oblique_faces.EyeFit(0.9 * faint, 9.0, 0.0, 0.0, 0.0, True))
    assert not eye_owner.is_eye(oblique_faces.EyeFit(1.0, 9.0, 0.0, 0.0, 0.0, False))


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_eye_turned_away_is_not_invented(color: str) -> None:
    opposite = (inner_turn(color) + 180.0) % 360
    owner, is_up, reason = eye_owner.read_eye(image(), SHAPES.empire_die, place_of(color, opposite))
    assert (owner, is_up) == (None, False)
    assert reason


def test_a_colour_in_doubt_is_not_said() -> None:
    sure, kept, agrees = LIMITS.sure_color_log_odds, LIMITS.sure_channel_log_odds, LIMITS.agreeing_log_odds
    between = (kept + agrees) / 2
    for odds, misfit, by_kept, color in (
        (0.0, 1.0, 1.1 * kept, "blue"),
        (0.0, 1.0, -1.1 * kept, "red"),
        (0.0, 1.0, between, None),
        (1.1 * sure, 1.0, between, "blue"),
        (-1.1 * sure, 1.0, -between, "red"),
        (1.1 * sure, 1.0, -between, None),
        (0.9 * sure, 1.0, between, None),
        (1.1 * sure, 1.0, 0.9 * agrees, None),
        (1.1 * sure, 1.1 * LIMITS.max_ink_chi2, 1.1 * kept, None),
    ):
        assert oblique_faces.EyeFit(0.8, 9.0, odds, misfit, by_kept, True).color == color


@pytest.mark.parametrize("color", ["red", "blue"])
def test_an_ink_keeps_back_no_more_than_it_can(color: str) -> None:
    """Red light mirrored in a side hides what a blue eye keeps back of it, and makes a red eye keep back nothing."""
    rng = np.random.default_rng(5)
    eye = np.clip(rng.normal(0.2, 0.3, 400), 0.0, 1.0)
    base = oblique_faces._upright(np.ones((400, 1)))
    keeps = oblique_faces.KEEPS[color] * np.array([0.9, 0.9, 0.6])
    shares = -np.outer(eye - eye.mean(), keeps) + rng.normal(0.0, 0.1, (400, 3))
    odds = oblique_faces.odds_by_absorption(*oblique_faces.lack_of(shares, eye, base))
    assert (odds if color == "blue" else -odds) > LIMITS.sure_channel_log_odds


@pytest.mark.parametrize("color", ["red", "blue"])
def test_a_side_in_which_a_piece_is_mirrored_bears_no_eye(color: str) -> None:
    marked = inner_turn(color)
    for turn, is_eye in ((marked, True), ((marked + 180.0) % 360, False)):
        place = place_of(color, turn)
        sides = [ink for ink in eye_owner.inks_on(image(), SHAPES.empire_die, place) if not ink.is_up]
        mirrored = [replace(ink, red=-0.04, blue=2 * LIMITS.min_side_tint, dip=-0.05) for ink in sides]
        found = [eye_owner._confirmed_by_shape(ink, image(), SHAPES.empire_die, place) for ink in mirrored]
        assert len(found) >= 1
        assert any(ink.blue > LIMITS.min_side_tint for ink in found) is is_eye
        assert sum(ink.blue > LIMITS.min_side_tint for ink in found) <= 1


def test_colour_is_drawn_as_pictures_keep_it() -> None:
    drawn = np.zeros((6, 8))
    drawn[2, 3] = 4.0  # the second column and first row of a block, where the drawing begins with a whole one
    halved = oblique_faces.halved(drawn, 0, 0)
    assert halved.sum() == pytest.approx(4.0)
    assert halved[2:4, 2:4] == pytest.approx(0.75 * 0.75)
    shifted = np.roll(drawn, 1, axis=(0, 1))  # the same place of the picture in a drawing that begins one pixel earlier
    assert np.array_equal(oblique_faces.halved(shifted, 1, 1)[3:5, 3:5], halved[2:4, 2:4])
    assert oblique_faces.halved(np.ones((5, 7)), 1, 0) == pytest.approx(1.0)


def test_a_flat_grey_face_bears_no_mark() -> None:
    rng = np.random.default_rng(3)
    plain = image()
    grey = PreparedImage(
        np.clip(rng.normal(20000, 900, plain.light.shape), 0, 65535).astype(np.uint16),
        plain.view,
        plain.paper,
        plain.top,
        plain.kit,
    )
    for turn in TURNS:
        for axis in range(3):
            for sign in (-1.0, 1.0):
                half = SHAPES.empire_die.half_height_mm
                mark = oblique_faces.fit_eye(grey, place_of("red", turn), half, axis, sign)
                assert mark is None or not eye_owner.is_eye(mark)


def dice(*colors: str | None) -> list[Any]:
    fit = bodies.Fit(bodies.upright(0.0, 0.0, 14.0), np.eye(6), 1.0, 1.0, 1.0, 0.0)
    return [Detection(Kind.EMPIRE_DIE, color, SHAPES.empire_die, fit, marked_up=False, reason="?") for color in colors]


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
    assert tuple(die.color for die in _owned(dice(*seen), 2)) == told
