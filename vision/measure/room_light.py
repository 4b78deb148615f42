"""The direction of a room's light, measured on the white dice of a picture.

Walls of a die that face a window are bright. The rounding between its top and a wall fades over more pixels if the wall
looks away from the window. A grid search finds the one direction and strength for the whole table that explains both
best. A dark wall only shows that the light does not come from its side.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats
from vision.measure.bodies import ALL_ROUND, Place, Solid, faces_seen, motions_of, robust_steps
from vision.measure.cube_fit import LEVEL_FREE, DiceShown, Ridges, as_outline, held_level, ridges_of
from vision.measure.limits import LIMITS
from vision.measure.prepared import PreparedImage, RoomLight, linear_table, paper_pixels

TRIED = np.array([-2, -1, 0, 1, 2])
"""Tried values of a quantity that all dice of a picture share, as multiples of its scatter around the usual value."""
SHARPER_PX = TRIED * LIMITS.width_sigma_px
"""Tried differences in sharpness between cameras: a sharper camera makes all falls narrower by the same width."""
_AT = ((np.arange(LIMITS.face_samples) + 0.5) / LIMITS.face_samples - 0.5) * LIMITS.sampled_face
"""Sampled places of a face along each axis, in sides from its middle."""
_GRID = (np.linspace(0, 2, len(ALL_ROUND))[:, None, None] * ALL_ROUND).reshape(-1, 2)
"""Tried directions of the light."""


def with_light_direction(image: PreparedImage, solid: Solid, shown: DiceShown) -> PreparedImage:
    """The image with the light's `direction` from walls and edge widths of dice; 0 without evidence."""
    edges, flanks = shown.edges, shown.flanks
    first, second = edges.first[flanks.part], edges.second[flanks.part]
    asked = flanks.is_found & edges.is_outline[flanks.part] & (first[:, 2] > 0.5) & (np.abs(second[:, 2]) < 0.5)
    outward, light = _walls_of(image, solid, shown.places)
    cost = _walls(_GRID @ outward.T, light)
    cost += _widths(_GRID @ second[asked, :2].T, flanks.width_px[asked], flanks.is_saturated[asked])
    likely = np.exp((cost.min() - cost) / 2)
    x, y = (likely @ _GRID / likely.sum()).tolist()
    return replace(image, room_light=RoomLight((x, y)))


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
        room_light=RoomLight(
            (room_light.direction[0] + x, room_light.direction[1] + y),
            room_light.outline_px + outline_px,
            room_light.ridge_px + ridge_px,
        ),
    )


def _walls_of(image: PreparedImage, solid: Solid, places: Sequence[Place]) -> tuple[Floats, Floats]:
    """The outward directions (N, 2) of the visible walls of level dice, and their brightness (N,)."""
    walls = [
        (place.axes[:2, axis] * sign, _wall_light(image, solid, place, axis, sign))
        for place in places
        for axis, sign, _, is_up in faces_seen(image.view, solid, place, LIMITS.min_face_cosine)
        if not is_up
    ]
    seen = [(outward, light) for outward, light in walls if light is not None]
    return np.array([outward for outward, _ in seen]).reshape(-1, 2), np.array([light for _, light in seen])


def _wall_light(image: PreparedImage, solid: Solid, place: Place, axis: int, sign: float) -> float | None:
    """The brightness of a wall (paper = 1) without ink; None: outside the picture."""
    along, up = (a for a in range(3) if a != axis)
    grid = 2 * solid.half_height_mm * _AT
    body = np.zeros((len(grid), len(grid), 3))
    body[..., axis], body[..., along], body[..., up] = sign * solid.half_height_mm, grid, grid[:, None]
    x, y = np.round(image.view.to_pixels(place.points(body.reshape(-1, 3)))).astype(int).T
    rows, columns = image.light.shape[:2]
    inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
    if not inside.any():
        return None
    seen = image.light[y[inside], x[inside]] / (65535.0 * image.paper)
    return float(np.percentile(seen.mean(axis=1), LIMITS.bare_percentile))


def _walls(lit: Floats, light: Floats) -> Floats:
    """The cost (G,) of walls with this brightness (N,), given the lamps' light on them under each direction (G, N)."""
    usual = LIMITS.wall_usual + LIMITS.wall_spread * TRIED
    return _cost((light - usual[:, None, None] - lit.clip(0.0, None)) / LIMITS.wall_sigma)


def _widths(lit: Floats, width_px: Floats, is_saturated: NDArray[np.bool_]) -> Floats:
    """The cost (G,) of edges of this width (N,), given the lamps' light on their walls under each direction (G, N)."""
    tables = (LIMITS.width_saturated_px, LIMITS.width_px)
    expected = np.where(is_saturated, *(np.interp(lit, (-1, 0, 1), table) for table in tables))
    return _cost((width_px - expected + SHARPER_PX[:, None, None]) / LIMITS.width_sigma_px)


def _cost(off: Floats) -> Floats:
    """The cost (G,) of differences in sigmas (T, G, N), for the best of the tried values."""
    squared = np.square(off)
    costs = (squared / (1 + squared / LIMITS.outlier_sigmas**2)).sum(axis=2) + np.square(TRIED)[:, None]
    return np.asarray(costs.min(axis=0))


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
