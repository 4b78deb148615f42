"""The saturation level of a camera.

Most cameras end at the highest value that a picture holds. Some end lower: video levels, or white balance after the
sensor was full. Clipped light shows no noise, so the brightest tops of dice look even there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.measure.bodies import Place, Solid
from vision.measure.edges import linear_table
from vision.measure.prepared import SIDE_SAMPLES, Floats, PreparedImage, paper_pixels
from vision.measure.views import faces_seen

INNER, SAMPLES = 0.66, 16
"""The part of a top that is sampled, in sides, and the samples each way."""
LEVEL_COSINE = 0.9
"""Tops that lean more are lit otherwise."""
EVEN = 0.57
"""A saturated top scatters about a smooth one by less than this share of the noise on paper. In 250 labelled pictures
the evenest of the brightest tops came to 0.13 to 0.56 where most of them were saturated, and to 0.64 or more, most to
0.8, where none was."""
ALIKE_LEVELS = 2.0
"""... and none is brighter by more than this."""
FULL_LEVEL = 250.0
"""A camera that reaches this saturates where pictures do."""
MOST_STEP = 8.0
"""Maximum difference of neighbours on paper (0 to 255) that is still noise and not an object."""
_TABLE = linear_table().astype(np.float64)
_AT = (np.arange(SAMPLES) - (SAMPLES - 1) / 2) / SAMPLES * INNER
_SMOOTH = np.array([(1, x, y, x * x, x * y, y * y) for y in _AT for x in _AT])
_FIT = np.linalg.pinv(_SMOOTH)


def saturation_level(image: PreparedImage, solid: Solid, places: Sequence[Place]) -> Floats:
    """The saturation level (3,), blue first, measured on dice at these places.

    1 if it is the highest value of a picture, or if nothing is saturated.
    """
    tops = [values for place in places if (values := _top(image, solid, place)) is not None]
    end = np.ones(3)
    if not tops:
        return end
    levels = np.interp(np.array(tops), _TABLE, np.arange(256.0))
    rough = np.sqrt(np.var(levels - _SMOOTH @ (_FIT @ levels), axis=1).mean(axis=1))
    middle = np.median(levels, axis=1)
    highest = middle.max(axis=0)
    is_even = rough < EVEN * _paper_noise(image)
    if not (is_even & (middle > highest - ALIKE_LEVELS).all(axis=1)).any():
        return end
    return np.where(highest < FULL_LEVEL, np.interp(highest, np.arange(256.0), _TABLE) / 65535.0, end)


def _paper_noise(image: PreparedImage) -> float:
    """The noise on the fiducials' paper, in values of 0 to 255 (standard deviation)."""
    height, width = image.light.shape[:2]
    steps = []
    for _, x, y in paper_pixels(image.view, image.kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        light = np.where(inside[:, None], image.light[np.where(inside, y, 0), np.where(inside, x, 0)], np.nan)
        levels = np.interp(light, _TABLE, np.arange(256.0)).reshape(-1, SIDE_SAMPLES, 3)
        steps.append(np.diff(levels, axis=1).reshape(-1, 3))
    known = np.vstack(steps)
    known = np.abs(known[np.isfinite(known).all(axis=1)])
    return float(np.sqrt(np.mean(np.minimum(known, MOST_STEP) ** 2) / 2)) if len(known) else 0.0


def _top(image: PreparedImage, solid: Solid, place: Place) -> Floats | None:
    """The light (N, 3) of a die's top, as 16 bits, in rows and columns."""
    seen = next(((axis, sign) for axis, sign, _, is_up in faces_seen(image.view, solid, place, 0.1) if is_up), None)
    if seen is None:
        return None
    axis, sign = seen
    if abs(place.axes[2, axis]) < LEVEL_COSINE:
        return None
    u, v = (a for a in range(3) if a != axis)
    at = _AT * 2 * solid.half_height_mm
    body = np.zeros((SAMPLES, SAMPLES, 3))
    body[..., axis], body[..., u], body[..., v] = sign * solid.half_height_mm, at[None, :], at[:, None]
    x, y = np.rint(image.view.to_pixels(place.points(body.reshape(-1, 3)))).astype(int).T
    height, width = image.light.shape[:2]
    if x.min() < 0 or y.min() < 0 or x.max() >= width or y.max() >= height:
        return None
    return np.asarray(image.light[y, x], np.float64)
