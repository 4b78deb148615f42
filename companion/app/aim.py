"""Advice for the camera's arm, in words: raise it, turn it, move it, focus it, give it light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.lens import Lens
from calibration.light import measure
from calibration.markers import find_fiducials
from calibration.pose import Pose, find_pose
from companion.game.errors import ReadingError
from companion.game.kit import Kit
from companion.game.says import Says, counted, listed

MOST_TILT_DEG = 15.0
MOST_ASIDE_SHARE = 0.12
"""Maximum sideways offset of the camera from the middle, as a share of its height."""
ROOM = 0.97
"""Fiducials should lie within this share of the half picture."""
CORNERS = (Says("top left"), Says("top right"), Says("bottom right"), Says("bottom left"))
SHARP_PX, SOFT_PX = 0.8, 1.3


@dataclass(frozen=True, slots=True)
class Aimed:
    """The aim of the camera: the advice, whether it is good, the fiducials' corners, the height in mm."""

    says: Says
    is_good: bool
    markers: tuple[tuple[int, Any], ...] = ()
    height_mm: float | None = None
    blur_px: float | None = None
    evenness: float | None = None


def aimed(picture: Any, lens: Lens, kit: Kit) -> Aimed:
    """The aim of the camera over a kit's mat, from a picture and a lens that may be a rough one."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    seen = find_fiducials(grey, lens, kit.mat)
    markers = tuple((fiducial.id, fiducial.corners_px) for fiducial in seen)
    if len(seen) < 3:
        absent = [
            CORNERS[i] if i < 4 else Says("{id}", {"id": i}) for i in sorted(kit.mat.markers) if i not in dict(markers)
        ]
        words = "{n} of {all} fiducials are seen: lay out the {absent}, or raise the camera until they are in view"
        values = {"n": len(seen), "all": len(kit.mat.markers), "absent": listed(absent)}
        return Aimed(Says(words, values), False, markers)
    try:
        pose = find_pose(picture, lens, kit)
    except ReadingError as error:
        return Aimed(error.sentence, False, markers)
    light = measure(picture, pose, kit)
    papers = [float(paper.mean()) for paper in light.paper_bgr.values()]
    says, is_good = _todo(pose, kit)
    return Aimed(says, is_good, markers, float(pose.centre_mm[2]), pose.blur_px, min(papers) / max(max(papers), 1e-6))


def _todo(pose: Pose, kit: Kit) -> tuple[Says, bool]:
    half = np.array([pose.lens.width_px, pose.lens.height_px]) / 2
    side = kit.mat.marker_mm / 2
    corners = np.array(
        [(x + u, y + v, 0.0) for x, y in kit.mat.markers.values() for u in (-side, side) for v in (-side, side)]
    )
    reach = np.abs((pose.to_pixels(corners) - half) / half).max(axis=1)
    out = int((reach.reshape(-1, 4).max(axis=1) > 1).sum())
    x, y, height = pose.centre_mm
    tilt = float(np.degrees(np.arccos(np.clip(pose.rotation[2, 2], -1, 1))))
    aside = np.array([kit.mat.width_mm / 2 - x, kit.mat.height_mm / 2 - y])
    if tilt > MOST_TILT_DEG:
        words = "the camera is tilted by {n} degrees, at most {most} are allowed: point it straight down"
        return Says(words, {"n": round(tilt), "most": round(MOST_TILT_DEG)}), False
    if reach.max() > ROOM:
        # with the camera turned to the middle, the farthest corner would be as far as the mean of opposite corners
        raise_cm = max(1, round(float(height * (reach.max() / ROOM - 1)) / 10))
        if out:
            corner = counted(out, "one corner is outside the picture", "{count} corners are outside the picture")
            return Says("raise the camera {cm} cm: {corner}", {"cm": raise_cm, "corner": corner}), False
        return Says("raise the camera {cm} cm: the fiducials are at the edge of the picture", {"cm": raise_cm}), False
    if np.linalg.norm(aside) > MOST_ASIDE_SHARE * height and tilt > MOST_TILT_DEG / 2:
        way = ("right" if aside[0] > 0 else "left") if abs(aside[0]) > abs(aside[1]) else (
            "bottom" if aside[1] > 0 else "top"
        )  # fmt: skip
        words = "move the camera {cm} cm towards the {way} of the picture, and point it straight down"
        return Says(words, {"cm": round(float(np.abs(aside).max()) / 10), "way": way}), False
    words = "well aimed: {cm} cm up, tilted by {n} degrees, all fiducials in the picture"
    return Says(words, {"cm": round(float(height) / 10), "n": round(tilt)}), True
