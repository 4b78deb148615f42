"""Where the light of a room comes from, as the white dice of a picture show it.

The walls of a die that face a window are bright. The round between its top and a wall fades over more pixels where the
wall looks away from the window. One direction and strength for the whole table is searched on a grid: the one that
explains both best. A wall in the dark only says that the light does not come from its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.measure.bodies import Place, Solid
from vision.measure.cube_fit import HELD, as_outline
from vision.measure.least_squares import robust_steps
from vision.measure.prepared import Floats, PreparedImage, RoomLight
from vision.measure.ridges import DiceShown, Ridges, ridges_of
from vision.measure.views import faces_seen, motions_of

LEVEL, UPRIGHT = 0.99, 0.1
"""Only tops this level (cosine) and walls this upright (sine) count."""
SEEN = 0.12
"""A wall counts that is turned toward the camera by this cosine."""
ACROSS, BARE_PERCENTILE = np.linspace(-0.6, 0.6, 5), 70
"""Where walls are sampled, in half sides. The percentile is above what an eye's ink can darken."""
WALLS = (0.12, 0.18, 0.24, 0.30, 0.36)
WALL_USUAL, WALL_SPREAD = 0.22, 0.08
"""A wall without the lamps' light (paper = 1) gets the room's, and what the table reflects."""
WALL_GAIN, MOST_LIT = 0.9, 1.5
"""How much brighter it is for each unit of the lamps' light, up to a limit."""
WALL_SIGMA = 0.13
LIT, WIDTH_PX = (-1.0, 0.0, 1.0), (1.75, 1.47, 0.87)
"""The width of the light's fall at an edge, by the lamps' light on the wall beyond it."""
LIT_SATURATED, WIDTH_SATURATED_PX = (-0.5, 0.0, 1.5), (1.6, 1.18, 1.1)
"""The same next to a saturated top: there the fall hardly narrows on a lit wall."""
WIDTH_SIGMA_PX = 0.25
SHARPER_PX, SHARPER_SPREAD_PX = np.arange(-0.3, 0.61, 0.1), 0.3
"""A sharper camera makes all of them narrower, by one of these."""
WALL_WORTH, WIDTH_WORTH = 1.4, 1.0
"""Weight of each half: the two halves of an edge err together."""
MOST = 6.0
"""An outlier counts at most this, as a square of sigmas."""
FLAT_WORTH = 0.1
"""A direction costs this times its square: without a sign of any there is none."""
ROOM_LIGHT_SIGMA = np.array([0.2, 0.2, 0.25, 0.3])
"""How well the direction is known from walls and widths, and how far outlines and ridges differ from one picture to the
next."""
_TURNS = np.arange(24) * (2 * np.pi / 24)
_SIZES = np.array([0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0])
_GRID = (_SIZES[:, None, None] * np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])).reshape(-1, 2)


def with_light_direction(image: PreparedImage, solid: Solid, shown: DiceShown) -> PreparedImage:
    """The image with the `direction` that walls and widths of dice tell of; 0 where they show none."""
    edges, flanks = shown.edges, shown.flanks
    first, second = edges.first[flanks.part], edges.second[flanks.part]
    asked = flanks.is_found & edges.is_outline[flanks.part]
    asked &= (first[:, 2] > LEVEL) & (np.abs(second[:, 2]) < UPRIGHT)
    outward, light = _walls_of(image, solid, shown.places)
    cost = FLAT_WORTH * np.square(_GRID).sum(axis=1)
    cost = cost + _walls(_GRID @ outward.T, light)
    cost = cost + _widths(_GRID @ second[asked, :2].T, flanks.width_px[asked], flanks.is_saturated[asked])
    likely = np.exp((cost.min() - cost) / 2)
    x, y = (likely @ _GRID / likely.sum()).tolist()
    return replace(image, room_light=RoomLight((x, y)))


def with_edge_shifts(image: PreparedImage, shown: DiceShown, stands: Sequence[bool]) -> PreparedImage:
    """The image with the room light that best explains the edges of all dice that stand well (`stands`).

    One least-squares step in which each die moves by itself and the light is common to all, with priors for both.
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
    moves = motions_of(image.view, places, as_outline(found), of, (0, 1, 5))
    slopes = np.zeros((len(of), 3 * len(found) + 4))
    slopes[np.arange(len(of))[:, None], 3 * of[:, None] + np.arange(3)] = moves
    slopes[:, -4:] = ridges.by_light
    held = np.diag(np.concatenate([np.tile([HELD[0], HELD[0], HELD[1]], len(found)), 1 / np.square(ROOM_LIGHT_SIGMA)]))
    certain = 1 / np.square(ridges.sigma_px)
    step, *_ = robust_steps(
        slopes, ridges.offset_px, certain, certain, 2.5 * ridges.sigma_px, np.zeros_like(of), held, rounds=6
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
    """The outward directions (N, 2) of the visible walls of level dice, and how bright they are (N,)."""
    walls = [
        (place.axes[:2, axis] * sign, _wall_light(image, solid, place, axis, sign))
        for place in places
        if np.abs(place.axes[2]).max() >= LEVEL
        for axis, sign, _, is_up in faces_seen(image.view, solid, place, SEEN)
        if not is_up
    ]
    seen = [(outward, light) for outward, light in walls if light is not None]
    return np.array([outward for outward, _ in seen]).reshape(-1, 2), np.array([light for _, light in seen])


def _wall_light(image: PreparedImage, solid: Solid, place: Place, axis: int, sign: float) -> float | None:
    """How bright a wall is (paper = 1) where it has no ink; None outside of the picture."""
    along, up = (a for a in range(3) if a != axis)
    grid = solid.half_height_mm * ACROSS
    body = np.zeros((len(ACROSS), len(ACROSS), 3))
    body[..., axis], body[..., along], body[..., up] = sign * solid.half_height_mm, grid, grid[:, None]
    x, y = np.round(image.view.to_pixels(place.points(body.reshape(-1, 3)))).astype(int).T
    rows, columns = image.light.shape[:2]
    inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
    if not inside.any():
        return None
    seen = image.light[y[inside], x[inside]] / (65535.0 * image.paper)
    return float(np.percentile(seen.mean(axis=1), BARE_PERCENTILE))


def _walls(lit: Floats, light: Floats) -> Floats:
    """The cost (G,) of walls of this light (N,), lit like this under each direction (G, N)."""
    usual = np.array(WALLS)
    expected = usual[:, None, None] + WALL_GAIN * lit.clip(0.0, MOST_LIT)
    costs = WALL_WORTH * _cost((light - expected) / WALL_SIGMA).sum(axis=2)
    costs += np.square((usual - WALL_USUAL) / WALL_SPREAD)[:, None]
    return np.asarray(costs.min(axis=0))


def _widths(lit: Floats, width_px: Floats, is_saturated: NDArray[np.bool_]) -> Floats:
    """The same for falls (N) of this width."""
    expected = np.where(is_saturated, np.interp(lit, LIT_SATURATED, WIDTH_SATURATED_PX), np.interp(lit, LIT, WIDTH_PX))
    off = (width_px - expected) + SHARPER_PX[:, None, None]
    costs = WIDTH_WORTH * _cost(off / WIDTH_SIGMA_PX).sum(axis=2)
    costs += np.square(SHARPER_PX / SHARPER_SPREAD_PX)[:, None]
    return np.asarray(costs.min(axis=0))


def _cost(off: Floats) -> Floats:
    squared = np.square(off)
    return np.asarray(squared / (1 + squared / MOST))
