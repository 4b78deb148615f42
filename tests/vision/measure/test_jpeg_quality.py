"""Poor JPEG pictures: how coarse they are is measured, and no owner is told by colours that they may have bent."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from companion.game.readings import Kind
from tests.scenes import KIT, WIDE_LENS, empire_die, shared_renderer, territory
from tests.vision.wide_table import LIT
from vision.measure import prepared
from vision.measure.prepared import is_coarse_jpeg, quantization_step
from vision.sim.scene import Scene
from vision.tables.eyes import eye_owner, open_eye

pytestmark = pytest.mark.nightly

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


def compressed(picture: np.ndarray, quality: int) -> np.ndarray:  # type: ignore[type-arg]
    _, written = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(written, cv2.IMREAD_COLOR), np.uint8)


def test_the_step_of_a_jpeg_is_measured() -> None:
    picture, _ = table(1)
    for quality in (50, 60, 70, 80, 85, 90):
        scale = 50 / quality if quality < 50 else 2 - quality / 50
        assert quantization_step(compressed(picture, quality)) == pytest.approx(round(TABLE_STEP * scale), abs=1.0)
    assert is_coarse_jpeg(compressed(picture, 85))
    assert not is_coarse_jpeg(compressed(picture, 90))


def test_a_picture_that_was_never_compressed_is_not_coarse_and_one_without_detail_is() -> None:
    picture, _ = table(1)
    assert not is_coarse_jpeg(picture)
    assert not is_coarse_jpeg(compressed(picture, 30)[3:, 5:])  # its blocks lie elsewhere: nothing is known of it
    assert is_coarse_jpeg(np.full((480, 640, 3), 90, np.uint8))


@pytest.mark.parametrize(("seed", "quality"), [(3, 50), (7, 60), (35, 70), (38, 70), (67, 70)])
def test_no_owner_is_told_by_a_colour_that_compression_bent(
    seed: int, quality: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture, at = table(seed)
    poor = compressed(picture, quality)

    def told() -> list[str | None]:
        dice = [p for p in open_eye(WIDE_LENS, KIT).read(poor).pieces if p.kind is Kind.EMPIRE_DIE]
        return [min(dice, key=lambda p: math.dist((p.x_mm, p.y_mm), xy)).color for xy in at]

    assert all(color in (None, owner) for color, owner in zip(told(), OWNERS, strict=True))
    monkeypatch.setattr(prepared, "is_coarse_jpeg", lambda _: False)
    monkeypatch.setattr(eye_owner, "_agreed", lambda mark, _: mark)  # the side's edge would not bear it out either
    assert not all(color in (None, owner) for color, owner in zip(told(), OWNERS, strict=True))
