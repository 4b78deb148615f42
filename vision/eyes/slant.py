"""From where the light of a room comes, as the white dice of a picture show it.

A die's walls that look toward a window are bright, and the round between its top and a wall that looks away fades over
more pixels than one that looks toward it. One direction and strength for the whole table that explain both best are
searched over a grid. A wall seen in the dark says only that the light does not come from its side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.eyes.bodies import Place, Solid, faces_seen, motions_of
from vision.eyes.cubes import HELD, lines_of
from vision.eyes.ridges import Ridges, Shown, ridges_of
from vision.eyes.sight import Floats, Glow, Sight
from vision.eyes.steps import robust_steps

LEVEL, UPRIGHT = 0.99, 0.1
"""Only tops this level (cosine) and walls this upright are asked."""
SEEN = 0.12
"""A wall is looked at that is turned toward the camera by this (a cosine)."""
ACROSS, BARE_PERCENTILE = np.linspace(-0.6, 0.6, 5), 70
"""Where walls are looked at, in half sides; an eye's ink darkens less than the rest of them."""
WALLS = (0.12, 0.18, 0.24, 0.30, 0.36)
WALL_USUAL, WALL_SPREAD = 0.22, 0.08
"""The light of a wall that gets none of the lamps' (paper = 1): the room's, and what the table throws back."""
WALL_GAIN, MOST_LIT = 0.9, 1.5
"""How much brighter it is for each unit of the lamps' light, up to so many."""
WALL_SIGMA = 0.13
LIT, WIDTH_PX = (-1.0, 0.0, 1.0), (1.75, 1.47, 0.87)
"""How wide the light's fall is at an edge by the lamps' light that the wall beyond it gets."""
LIT_FLOODED, WIDTH_FLOODED_PX = (-0.5, 0.0, 1.5), (1.6, 1.18, 1.1)
"""The same where the top is too bright for the camera: such falls hardly narrow where the wall is lit."""
WIDTH_SIGMA_PX = 0.25
SHARPER_PX, SHARPER_SPREAD_PX = np.arange(-0.3, 0.61, 0.1), 0.3
"""A camera's blur makes all of them narrower by so much."""
WALL_WORTH, WIDTH_WORTH = 1.4, 1.0
"""What each counts; the two halves of an edge err together."""
MOST = 6.0
"""What errs by many sigmas counts as much as this, squared."""
FLAT_WORTH = 0.1
"""A slant costs this, squared: without a sign of any there is none."""
GLOW_SIGMA = np.array([0.2, 0.2, 0.25, 0.3])
"""How well the slant is known from walls and widths, and how far outlines and ridges differ from one picture to the
next."""
_TURNS = np.arange(24) * (2 * np.pi / 24)
_SIZES = np.array([0.0, 0.12, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0])
_GRID = (_SIZES[:, None, None] * np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])).reshape(-1, 2)


def slanted(sight: Sight, solid: Solid, shown: Shown) -> Sight:
    """The sight with the `slant` that walls and widths of dice tell of; 0 where they show none."""
    edges, flanks = shown.edges, shown.flanks
    first, second = edges.first[flanks.part], edges.second[flanks.part]
    asked = flanks.is_found & edges.is_outline[flanks.part]
    asked &= (first[:, 2] > LEVEL) & (np.abs(second[:, 2]) < UPRIGHT)
    outward, light = _walls_of(sight, solid, shown.places)
    cost = FLAT_WORTH * np.square(_GRID).sum(axis=1)
    cost = cost + _walls(_GRID @ outward.T, light)
    cost = cost + _widths(_GRID @ second[asked, :2].T, flanks.width_px[asked], flanks.is_flooded[asked])
    likely = np.exp((cost.min() - cost) / 2)
    x, y = (likely @ _GRID / likely.sum()).tolist()
    return replace(sight, glow=Glow((x, y)))


def aglow(sight: Sight, shown: Shown, stands: Sequence[bool]) -> Sight:
    """The sight with the glow that explains the edges of all dice that stand well (`stands`) at once.

    Every die is moved by itself, the glow is common to all: a least-squares step with what is known of both before.
    """
    pairs = [
        (place, mine)
        for place, mine, is_well in zip(shown.places, ridges_of(sight, shown), stands, strict=True)
        if is_well and len(mine)
    ]
    if not pairs:
        return sight
    places, found = [place for place, _ in pairs], [mine for _, mine in pairs]
    ridges = Ridges.joined(found)
    of = np.repeat(np.arange(len(found)), [len(mine) for mine in found])
    moves = motions_of(sight.view, places, lines_of(found), of, (0, 1, 5))
    slopes = np.zeros((len(of), 3 * len(found) + 4))
    slopes[np.arange(len(of))[:, None], 3 * of[:, None] + np.arange(3)] = moves
    slopes[:, -4:] = ridges.by_glow
    held = np.diag(np.concatenate([np.tile([HELD[0], HELD[0], HELD[1]], len(found)), 1 / np.square(GLOW_SIGMA)]))
    certain = 1 / np.square(ridges.sigma_px)
    step, *_ = robust_steps(
        slopes, ridges.offset_px, certain, certain, 2.5 * ridges.sigma_px, np.zeros_like(of), held, rounds=6
    )
    x, y, outline_px, ridge_px = step[0, -4:].tolist()
    glow = sight.glow
    return replace(
        sight,
        glow=Glow((glow.slant[0] + x, glow.slant[1] + y), glow.outline_px + outline_px, glow.ridge_px + ridge_px),
    )


def _walls_of(sight: Sight, solid: Solid, places: Sequence[Place]) -> tuple[Floats, Floats]:
    """Where the walls (N) of level dice that the camera sees look to (N, 2), and how bright they are."""
    walls = [
        (place.axes[:2, axis] * sign, _wall_light(sight, solid, place, axis, sign))
        for place in places
        if np.abs(place.axes[2]).max() >= LEVEL
        for axis, sign, _, is_up in faces_seen(sight.view, solid, place, SEEN)
        if not is_up
    ]
    seen = [(outward, light) for outward, light in walls if light is not None]
    return np.array([outward for outward, _ in seen]).reshape(-1, 2), np.array([light for _, light in seen])


def _wall_light(sight: Sight, solid: Solid, place: Place, axis: int, sign: float) -> float | None:
    """How bright a wall of a die is (paper = 1) where it has no ink; None where the picture does not show it."""
    along, up = (a for a in range(3) if a != axis)
    grid = solid.half_height_mm * ACROSS
    body = np.zeros((len(ACROSS), len(ACROSS), 3))
    body[..., axis], body[..., along], body[..., up] = sign * solid.half_height_mm, grid, grid[:, None]
    x, y = np.round(sight.view.to_pixels(place.points(body.reshape(-1, 3)))).astype(int).T
    rows, columns = sight.light.shape[:2]
    inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
    if not inside.any():
        return None
    seen = sight.light[y[inside], x[inside]] / (65535.0 * sight.paper)
    return float(np.percentile(seen.mean(axis=1), BARE_PERCENTILE))


def _walls(lit: Floats, light: Floats) -> Floats:
    """What walls (N) of this light cost by how they are lit under each slant (G, N)."""
    usual = np.array(WALLS)
    expected = usual[:, None, None] + WALL_GAIN * lit.clip(0.0, MOST_LIT)
    costs = WALL_WORTH * _cost((light - expected) / WALL_SIGMA).sum(axis=2)
    costs += np.square((usual - WALL_USUAL) / WALL_SPREAD)[:, None]
    return np.asarray(costs.min(axis=0))


def _widths(lit: Floats, width_px: Floats, is_flooded: Floats) -> Floats:
    """What falls (N) of this width cost, in the same way."""
    expected = np.where(is_flooded, np.interp(lit, LIT_FLOODED, WIDTH_FLOODED_PX), np.interp(lit, LIT, WIDTH_PX))
    off = (width_px - expected) + SHARPER_PX[:, None, None]
    costs = WIDTH_WORTH * _cost(off / WIDTH_SIGMA_PX).sum(axis=2)
    costs += np.square(SHARPER_PX / SHARPER_SPREAD_PX)[:, None]
    return np.asarray(costs.min(axis=0))


def _cost(off: Floats) -> Floats:
    squared = np.square(off)
    return np.asarray(squared / (1 + squared / MOST))
