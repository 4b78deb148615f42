"""The lights of a room, found by the shadows of the white dice in a picture.

A dome over the table is divided into cells that give level ground equal light under an even sky. A die hides some cells
from each place around it, and their light is missing there. All places together give each cell's share of the light;
none is negative, and together they are 1. Cells that no die hides from any seen place share what is left.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import Floats, Floats32
from vision.measure.bodies import Place, Solid, faces_seen, motions_of, robust_steps, silhouette
from vision.measure.cube_fit import LEVEL_FREE, DiceShown, Ridges, as_outline, held_level, ridges_of
from vision.measure.limits import LIMITS
from vision.measure.prepared import PreparedImage, RoomLight, linear_table, paper_pixels

_AT = ((np.arange(LIMITS.face_samples) + 0.5) / LIMITS.face_samples - 0.5) * LIMITS.sampled_face
"""Sampled places of a face along each axis, in sides from its middle."""
_CELL = 2 / LIMITS.circle_points
"""Distance of two cells' horizontal parts; radius of the dome: 1."""


def _grid(reach: float, step: float) -> Floats:
    """Points (N, 2) of a square around 0."""
    along = np.arange(-reach, reach + step / 2, step)
    return np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)


_LEVEL = _grid(1.0, _CELL)
_LEVEL = _LEVEL[np.square(_LEVEL).sum(axis=1) < LIMITS.dome]
_DOME = np.column_stack([_LEVEL, np.sqrt(1 - np.square(_LEVEL).sum(axis=1))])
"""Directions (C, 3) of the cells."""


def with_lights(
    image: PreparedImage, solid: Solid, dice: Sequence[Place], lands: Sequence[tuple[Solid, Place]]
) -> PreparedImage:
    """The image with its room light by the shadows of these dice on the mat and on `lands`.

    Source: Daube-Witherspoon & Muehllehner, IEEE Transactions on Medical Imaging 5 (1986) 61.
    """
    mat = image.kit.mat
    away_mm = 2 * image.pose.centre_mm[2] * _DOME
    cells_mm = np.array([mat.width_mm / 2, mat.height_mm / 2, 0]) + away_mm
    image = replace(image, covers=tuple(silhouette(image.view, solid, place).pixels for place in dice))
    missing, both = np.zeros(len(_DOME), np.float32), np.zeros((len(_DOME), len(_DOME)), np.float32)
    for die in dice:
        for places, light in _around(image, solid, die, lands):
            hidden = _hidden(solid, dice, places, cells_mm)
            missing += hidden.T @ (1 - light)
            both += hidden.T @ hidden
    shares = np.ones(len(_DOME), np.float32)
    for _ in range(LIMITS.light_rounds):
        shares *= np.maximum(missing, 0) / np.maximum(both @ shares, LIMITS.tiny)
    shares /= max(float(shares.sum()), 1.0)
    is_unseen = both.diagonal() == 0
    shares[is_unseen] = (1 - float(shares.sum())) / max(int(is_unseen.sum()), 1)
    x, y = (shares @ (away_mm[:, :2] / away_mm[:, 2:])).tolist()
    return replace(image, covers=(), room_light=RoomLight((x, y), lights=(cells_mm, shares) if both.any() else None))


def _around(
    image: PreparedImage, solid: Solid, die: Place, lands: Sequence[tuple[Solid, Place]]
) -> Iterator[tuple[Floats, Floats32]]:
    """Bare places (N, 3) around a die and their light (N,), usually 1: of the mat and of each territory."""
    level = die.middle_mm[:2] + _grid(2 * 2 * solid.half_height_mm, LIMITS.shadow_step_mm)
    inside_mm = [land.radius_mm - np.hypot(*(level - place.middle_mm[:2]).T) for land, place in lands]
    beyond_mm = np.min([np.full(len(level), np.inf), *(-mm for mm in inside_mm)], axis=0)
    heights_mm = [0.0, *(2 * land.half_height_mm for land, _ in lands)]
    for on_mm, height_mm in zip([beyond_mm, *inside_mm], heights_mm, strict=True):
        places = np.column_stack([level, np.full(len(level), height_mm)])[on_mm > LIMITS.shadow_step_mm]
        pixels = image.view.to_pixels(places)
        is_seen = ~image.is_covered(pixels, LIMITS.inner_px[0])
        if is_seen.any():
            light = image.nearest_px(pixels[is_seen])
            hues = light + LIMITS.dim * image.paper
            hues /= np.median(hues, axis=0)
            most, least = hues.max(axis=1), hues.min(axis=1)
            is_bare = (most < 2) & (least > LIMITS.min_shade) & (most < LIMITS.max_shade_ratio * least)
            bright = light.sum(axis=1) / max(float(np.median(light.sum(axis=1))), LIMITS.tiny)
            yield places[is_seen][is_bare], bright[is_bare].astype(np.float32)


def _hidden(solid: Solid, dice: Sequence[Place], places: Floats, cells_mm: Floats) -> Floats32:
    """Whether dice hide each cell from each place (N, C): 0 or 1."""
    hidden, half_mm = np.zeros((len(places), len(cells_mm)), bool), solid.half_height_mm
    for die in dice:
        at, to = ((ends - die.middle_mm) @ die.axes for ends in (places, cells_mm))
        if not len(at) or np.linalg.norm(at, axis=1).min() > 2 * 2 * 2 * half_mm:
            continue
        first, last = np.zeros_like(hidden, np.float32), np.ones_like(hidden, np.float32)
        for start, end in zip(at.T.astype(np.float32), to.T.astype(np.float32), strict=True):
            way = end - start[:, None]
            way[way == 0] = LIMITS.tiny
            inverse = 1 / way
            middle, reach = -start[:, None] * inverse, half_mm * np.abs(inverse)
            np.maximum(first, middle - reach, out=first)
            np.minimum(last, middle + reach, out=last)
        hidden |= first < last
    return hidden.astype(np.float32)


def mirrored_light(image: PreparedImage, place: Place) -> float:
    """The light that a die's top mirrors to the camera: shares of lamps by the square of the slope between each lamp
    and the mirrored direction. Infinite if no shadow was measured."""
    i = int(np.argmax(np.abs(place.axes[2])))
    up = place.axes[:, i] * np.sign(place.axes[2, i])
    toward = image.pose.centre_mm - place.middle_mm
    mirrored = 2 * float(toward @ up) * up - toward
    if image.room_light.lights is None:
        return math.inf
    cells_mm, shares = image.room_light.lights
    to = cells_mm - place.middle_mm
    if mirrored[2] <= 0:
        return 0.0
    apart2 = np.square(to[:, :2] / to[:, 2:] - mirrored[:2] / mirrored[2]).sum(axis=1)
    return float((shares / (apart2 + _CELL**2 / 2)).sum())


def with_edge_shifts(image: PreparedImage, solid: Solid, shown: DiceShown, stands: Sequence[bool]) -> PreparedImage:
    """The image with the room light that best explains the edges of all well-placed dice (`stands`).

    One least-squares step: each die moves on its own, the light is common to all, with priors for both.
    """
    pairs = [
        (place, mine)
        for place, mine, is_well in zip(shown.places, ridges_of(image, shown), stands, strict=True)
        if is_well and len(mine)
    ]
    if not pairs:
        return image
    places, found = [place for place, _ in pairs], [mine for _, mine in pairs]
    ridges = Ridges.joined(found)
    of = np.repeat(np.arange(len(found)), [len(mine) for mine in found])
    moves = motions_of(image.view, places, as_outline(found), of, LEVEL_FREE)
    slopes = np.zeros((len(of), 3 * len(found) + 4))
    slopes[np.arange(len(of))[:, None], 3 * of[:, None] + np.arange(3)] = moves
    slopes[:, -4:] = ridges.by_light
    held = np.eye(slopes.shape[1]) / LIMITS.room_light_sigma**2
    held[:-4, :-4] = np.kron(np.eye(len(found)), held_level(solid))
    certain = 1 / np.square(ridges.sigma_px)
    step, *_ = robust_steps(
        slopes, ridges.offset_px, certain, certain, LIMITS.outlier_sigmas * ridges.sigma_px, np.zeros_like(of), held
    )
    x, y, outline_px, ridge_px = step[0, -4:].tolist()
    room_light = image.room_light
    return replace(
        image,
        room_light=replace(
            room_light,
            direction=(room_light.direction[0] + x, room_light.direction[1] + y),
            outline_px=room_light.outline_px + outline_px,
            ridge_px=room_light.ridge_px + ridge_px,
        ),
    )


# The saturation level of a camera. Most cameras saturate at the highest value that a picture holds. Some saturate
# lower: video levels, or white balance applied after the sensor was full. Clipped light shows no noise, so the
# brightest tops of dice look even on such a camera.


_TABLE = linear_table().astype(np.float64)
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
    is_even = rough < LIMITS.max_even * _paper_noise(image)
    if not (is_even & (middle > highest - LIMITS.alike_levels).all(axis=1)).any():
        return end
    return np.where(highest < LIMITS.full_level, np.interp(highest, np.arange(256.0), _TABLE) / 65535.0, end)


def _paper_noise(image: PreparedImage) -> float:
    """The noise on the fiducials' paper, in values of 0 to 255 (standard deviation)."""
    height, width = image.light.shape[:2]
    steps = []
    for _, x, y in paper_pixels(image.view, image.kit):
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        light = np.where(inside[:, None], image.light[np.where(inside, y, 0), np.where(inside, x, 0)], np.nan)
        levels = np.interp(light, _TABLE, np.arange(256.0)).reshape(-1, LIMITS.paper_samples, 3)
        steps.append(np.diff(levels, axis=1).reshape(-1, 3))
    known = np.vstack(steps)
    known = np.abs(known[np.isfinite(known).all(axis=1)])
    return float(np.sqrt(np.mean(np.minimum(known, LIMITS.max_paper_step) ** 2) / 2)) if len(known) else 0.0


def _top(image: PreparedImage, solid: Solid, place: Place) -> Floats | None:
    """The light (N, 3) of a die's top, in 16 bits, row by row; None: the top is not level or not in the picture."""
    seen = next(
        (
            (axis, sign)
            for axis, sign, _, is_up in faces_seen(image.view, solid, place, LIMITS.min_face_cosine)
            if is_up
        ),
        None,
    )
    if seen is None:
        return None
    axis, sign = seen
    u, v = (a for a in range(3) if a != axis)
    at = _AT * 2 * solid.half_height_mm
    body = np.zeros((len(at), len(at), 3))
    body[..., axis], body[..., u], body[..., v] = sign * solid.half_height_mm, at[None, :], at[:, None]
    x, y = np.rint(image.view.to_pixels(place.points(body.reshape(-1, 3)))).astype(int).T
    height, width = image.light.shape[:2]
    if x.min() < 0 or y.min() < 0 or x.max() >= width or y.max() >= height:
        return None
    return np.asarray(image.light[y, x], np.float64)
