"""A camera that is not as its lens file says, a slow one, and a certificate that no longer holds: each is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from calibration.lens import CameraMode, save_lens
from calibration.light import judge
from calibration.paper.boards import drill_places_mm
from calibration.pose import find_pose
from companion.app.camera_loop import CameraLoop
from companion.app.kept import Kept
from companion.app.steps import LIGHT_RATIO, drilled, expired
from companion.game.readings import Mark, MarkRole
from companion.game.says import Says
from companion.game.view import Sight
from hardware.camera import Frame
from tests.calibration.pictures import KIT, LENS, camera, picture
from tests.cli.test_table import Camera, Eyes, Match

WHOLE = CameraMode(
    adapter="picamera2", model="imx708", sensor_px=(2304, 1296), crop_px=(0, 0, 4608, 2592), focus_dioptres=0.9
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"crop_px": (768, 432, 3072, 1728)}, "3072 x 1728"),
        ({"focus_dioptres": 1.4}, "its focus is at 1.40"),
    ],
)
def test_a_camera_that_is_not_as_its_lens_file_says_is_blind(changed: dict[str, Any], said: str) -> None:
    source, match, eyes = Camera(), Match(), Eyes()
    eyes.lens = replace(eyes.lens, mode=WHOLE)
    source.blindness = None
    source.frames = [Frame(np.zeros((4, 4, 3), np.uint8), 1.0, 0, replace(WHOLE, **changed))]
    CameraLoop(source, eyes).advance(match)  # type: ignore[arg-type]
    ((sight, code, words),) = match.sights
    assert (sight, code) == (Sight.BLIND, "wrong_lens")
    assert said in words


class Laid:
    """A reading with a piece near each of the ten places."""

    def __init__(self, off_mm: float = 0.2, without: int | None = None) -> None:
        self.off_mm, self.without = off_mm, without

    def marks(self) -> tuple[Mark, ...]:
        return tuple(
            Mark(
                id=str(i),
                role=MarkRole.PIECE,
                kind="samurai",
                label=Says("x"),
                outline_mm=(),
                x_mm=x + self.off_mm,
                y_mm=y,
            )
            for i, (x, y) in enumerate(drill_places_mm(KIT), 1)
            if i != self.without
        )


def drill(reading: Laid, shown: Any) -> Any:
    return drilled(shown, reading, LENS, KIT, lens_sha256="abc", table="T", now_s=0.0)  # type: ignore[arg-type]


def test_a_drill_passes_fails_or_says_which_place_is_bare() -> None:
    shown = picture(camera())
    assert "no piece is seen on 4" in str(drill(Laid(without=4), shown).says)
    passed, failed = drill(Laid(), shown).certificate, drill(Laid(2.6), shown).certificate
    assert (passed.is_passed, passed.worst_mm, failed.is_passed) == (True, 0.2, False)
    assert len(passed.places) == 10


def test_a_certificate_expires_by_camera_lens_and_light_and_by_nothing_else(tmp_path: Path) -> None:
    shown = picture(camera())
    certificate = drill(Laid(), shown).certificate
    pose = find_pose(shown, LENS, KIT)
    white = judge(shown, pose, KIT).white_bgr
    assert expired(certificate, pose, white, "abc", KIT) is None
    again = picture(camera(), seed=9)
    assert expired(certificate, find_pose(again, LENS, KIT), white * 1.2, "abc", KIT) is None
    assert expired(certificate, pose, white, "other", KIT) == Says("the lens was calibrated again")
    assert expired(certificate, pose, white * (1, 1, LIGHT_RATIO * 1.1), "abc", KIT) == Says("the light changed")
    moved = find_pose(picture(camera(x_mm=484.0)), LENS, KIT)
    assert "the camera was moved by" in str(expired(certificate, moved, white, "abc", KIT))
    kept = Kept(tmp_path)
    kept.certify(certificate)
    assert kept.certificate() == certificate
    kept.expire(Says("the light changed"))
    kept.expire(Says("something else"))
    assert kept.certificate() == msgspec.structs.replace(certificate, expired=Says("the light changed"))
    save_lens(LENS, kept.lens_file)
    assert len(kept.lens_sha256()) == 64
    (tmp_path / "certificate.json").write_text("{")
    assert kept.certificate() is None
