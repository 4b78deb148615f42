"""Lenses of the Pi's camera modules as their makers describe them: a start, until the lens itself is calibrated.

Source: the data sheets' focal length and pixel pitch (Module 1: 3.60 mm, 1.4 um; Module 2: 3.04 mm, 1.12 um; Module 3:
4.74 mm, wide 2.75 mm, 1.4 um; HQ with the 6 mm lens: 1.55 um). Pieces differ from each other by some per cent, so the
stated errors are large.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.camera_mode import CameraMode
from calibration.lens import Lens


@dataclass(frozen=True, slots=True)
class Profile:
    """A module: its focal length as a share of the whole picture's width, k1, and the standard error of the first."""

    title: str
    focal_share: float
    k1: float
    sigma_share: float


PROFILES: Mapping[str, Profile] = {
    "ov5647": Profile("Camera Module 1", 0.992, -0.02, 0.03),
    "imx219": Profile("Camera Module 2", 0.828, -0.02, 0.03),
    "imx708": Profile("Camera Module 3", 0.760, -0.02, 0.03),
    "imx708_wide": Profile("Camera Module 3 Wide", 0.426, -0.036, 0.05),
    "imx477": Profile("HQ Camera, 6 mm lens", 0.910, -0.06, 0.06),
}
UNKNOWN = Profile("a camera that is not known", 0.80, 0.0, 0.15)
"""About 64 degrees wide, as most webcams are: enough to aim by."""


def profile_of(model: str | None) -> Profile:
    """The profile of a sensor by libcamera's name for it.

    >>> profile_of("imx708_wide_noir").title, profile_of("imx219").title, profile_of(None) is UNKNOWN
    ('Camera Module 3 Wide', 'Camera Module 2', True)
    """
    names = sorted((name for name in PROFILES if model and model.startswith(name)), key=len)
    return PROFILES[names[-1]] if names else UNKNOWN


def start_lens(size_px: tuple[int, int], mode: CameraMode | None) -> Lens:
    """The lens that such a camera should have at this picture size; the crop of its mode is taken into account."""
    profile = profile_of(None if mode is None else mode.model)
    width, height = size_px
    focal = profile.focal_share * width
    sigma = profile.sigma_share * focal
    spread = np.diag([sigma, sigma, 0.01 * width, 0.01 * width, 0.03, 0.03, 0.001, 0.001, 0.0]) ** 2
    spread[0, 1] = spread[1, 0] = 0.999 * sigma**2
    return Lens(
        width_px=width,
        height_px=height,
        fx_px=focal,
        fy_px=focal,
        cx_px=(width - 1) / 2,
        cy_px=(height - 1) / 2,
        distortion=(profile.k1, 0.0, 0.0, 0.0, 0.0),
        rms_px=0.0,
        covariance=tuple(map(tuple, spread.tolist())),
        mode=mode,
    )
