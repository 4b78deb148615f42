"""The drill: pieces on ten marked places are read, and the result is the table's certificate."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.lens import Lens
from calibration.light import judge
from calibration.moved import movement
from calibration.pose import Pose, find_pose
from companion.app.kept import Certificate, DrillPlace
from companion.game.errors import ReadingError
from companion.game.kit import Kit
from companion.game.readings import MarkRole, Reading
from companion.game.says import Says

PLACES = 10
REACH_MM = 20.0
"""Maximum distance between a piece and the place it stands on, mm."""
WORST_MM, RMS_MM = 2.0, 1.0
"""Maximum errors of a passed drill, mm: a hand lays a piece on a cross to about half a millimetre."""
MOVED_MM = 1.0
LIGHT_RATIO = 1.6
"""Maximum change of the white paper's brightness in any colour channel, as a factor. Beyond it the lamps have
changed."""


def places_mm(kit: Kit) -> list[tuple[float, float]]:
    """The ten marked places of a kit's play area: they are printed on its mat, and shown on the drill's page.

    They reach from the middle to near the rim, because errors of the lens grow outwards.
    """
    width, height = kit.mat.width_mm, kit.mat.height_mm
    shares = ((0.08, 0.1), (0.36, 0.1), (0.64, 0.1), (0.92, 0.1), (0.22, 0.5), (0.78, 0.5),
              (0.08, 0.9), (0.36, 0.9), (0.64, 0.9), (0.92, 0.9))  # fmt: skip
    return [(round(width * x, 1), round(height * y, 1)) for x, y in shares]


@dataclass(frozen=True, slots=True)
class Drilled:
    """The result of one look: the places without a piece, and the certificate once all places have one."""

    says: Says
    missing: tuple[int, ...]
    certificate: Certificate | None = None


def drilled(
    picture: Any, reading: Reading, lens: Lens, kit: Kit, *, lens_sha256: str, table: str, now_s: float
) -> Drilled:
    """Compares a reading with the marked places. Raises: ReadingError."""
    pose = find_pose(picture, lens, kit)
    light = judge(picture, pose, kit)
    pieces = [mark for mark in reading.marks() if mark.role is MarkRole.PIECE]
    found, missing = [], []
    for number, (x, y) in enumerate(places_mm(kit), 1):
        near = min(pieces, key=lambda p: np.hypot(p.x_mm - x, p.y_mm - y), default=None)
        if near is None or np.hypot(near.x_mm - x, near.y_mm - y) > REACH_MM:
            missing.append(number)
            continue
        sigma = float(pose.sigma_mm(np.array([(x, y, near.height_mm)]))[0])
        off_x, off_y = round(near.x_mm - x, 2), round(near.y_mm - y, 2)
        found.append(DrillPlace(x_mm=x, y_mm=y, off_x_mm=off_x, off_y_mm=off_y, sigma_mm=round(sigma, 2)))
    if missing:
        numbers = ", ".join(map(str, missing))
        return Drilled(Says("no piece is seen on {numbers}: lay one on each", {"numbers": numbers}), tuple(missing))
    offs = np.array([(place.off_x_mm, place.off_y_mm) for place in found])
    lengths = np.linalg.norm(offs, axis=1)
    worst, rms = float(lengths.max()), float(np.sqrt((lengths**2).mean()))
    is_passed = worst <= WORST_MM and rms <= RMS_MM
    x, y, z = pose.translation_mm.tolist()
    b, g, r = light.white_bgr.tolist()
    certificate = Certificate(
        at=time.strftime("%Y-%m-%d %H:%M", time.localtime(now_s)),
        table=table,
        places=tuple(found),
        worst_mm=round(worst, 2),
        rms_mm=round(rms, 2),
        is_passed=is_passed,
        lens_sha256=lens_sha256,
        rotation=tuple(map(tuple, pose.rotation.tolist())),
        translation_mm=(x, y, z),
        white_bgr=(b, g, r),
    )
    words = "passed: at most {worst} mm off" if is_passed else "failed: up to {worst} mm off, {most} mm are allowed"
    return Drilled(Says(words, {"worst": round(worst, 1), "most": WORST_MM}), (), certificate)


def expired(certificate: Certificate, pose: Pose | None, white_bgr: Any, lens_sha256: str, kit: Kit) -> Says | None:
    """Why a certificate is no longer valid: another lens file, a moved camera, other light. None: it is valid."""
    if certificate.lens_sha256 != lens_sha256:
        return Says("the lens was calibrated again")
    if pose is None:
        return None
    then = Pose(
        pose.lens,
        np.array(certificate.rotation),
        np.array(certificate.translation_mm),
        np.zeros((6, 6)),
        0.0,
        pose.fiducials,
    )
    slipped = movement(then, pose, kit)
    if slipped.is_moved and slipped.by_mm > MOVED_MM:
        return Says("the camera was moved by {mm} mm", {"mm": round(slipped.by_mm)})
    if white_bgr is not None:
        ratios = np.asarray(white_bgr) / np.maximum(np.array(certificate.white_bgr), 1e-6)
        if ratios.max() > LIGHT_RATIO or ratios.min() < 1 / LIGHT_RATIO:
            return Says("the light changed")
    return None


def no_reading(error: ReadingError) -> Drilled:
    """A picture that cannot be read."""
    return Drilled(error.sentence, tuple(range(1, PLACES + 1)))
