"""Lenses of made-up cameras, one a line."""

from __future__ import annotations

from calibration.lens import Lens

BENDS = (-0.03, 0.012, -0.0005, 0.0003, 0.0)
"""The distortion of Camera Module 3."""


def lens(
    size_px: tuple[int, int],
    focal_px: tuple[float, float],
    middle_px: tuple[float, float],
    bends: tuple[float, float, float, float, float] = BENDS,
    rms_px: float = 0.1,
) -> Lens:
    """A lens by its picture's size, focal lengths and middle."""
    (width, height), (fx, fy), (cx, cy) = size_px, focal_px, middle_px
    return Lens(
        width_px=width, height_px=height, fx_px=fx, fy_px=fy, cx_px=cx, cy_px=cy, distortion=bends, rms_px=rms_px
    )
