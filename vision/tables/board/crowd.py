"""Spots that hold more than one marker: a second one stands beside the one that was read.

One marker explains a disk of its size and colour. What stands beside that disk, is as broad and plain as a marker, and
is nearest to the same spot is another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.game.readings import BetweenSeen
from vision.measure.sampling import sampled
from vision.tables.board.between import marker_at, same_look
from vision.tables.board.limits import LIMITS
from vision.tables.board.markers import ColorMarkers
from vision.tables.board.signs import Sign, hues_of, patches_of
from vision.tables.board.view import BoardView, Floats, Floats32


def crowded_spots(
    view: BoardView,
    spots_mm: Floats,
    markers: Mapping[str, ColorMarkers],
    between: Sequence[BetweenSeen],
    across_mm: float,
) -> frozenset[int]:
    """The spots where a second marker stands beside the one that was read."""
    signs = [
        sign
        for found in markers.values()
        for sign, chance in zip(found.signs, found.chances, strict=True)
        if chance >= LIMITS.usual_marker
    ]
    looks = [found.likest for found in markers.values() if found.likest is not None]
    if not signs or not looks:
        return frozenset()
    feet = np.array([spots_mm[sign.spot] + sign.foot_mm for sign in signs])
    turns = np.arange(LIMITS.crowd_turns) * 2 * np.pi / LIMITS.crowd_turns
    ring = across_mm * np.column_stack([np.cos(turns), np.sin(turns)])
    places = (feet[:, None] + ring).reshape(-1, 2)
    owners = np.repeat(np.arange(len(signs)), len(ring))
    is_near = _nearest(places, spots_mm) == np.array([sign.spot for sign in signs])[owners]
    places, owners = places[is_near], owners[is_near]
    seconds = [
        (owner, at) for owner, at in zip(owners.tolist(), _markers_near(view, places, looks, across_mm), strict=True)
    ]
    seconds += [
        (int(np.hypot(*(feet - (one.x_mm, one.y_mm)).T).argmin()), np.array((one.x_mm, one.y_mm))) for one in between
    ]
    return frozenset(
        signs[owner].spot
        for owner, at in seconds
        if at is not None and _is_second(at, owner, signs, feet, spots_mm, across_mm)
    )


def _nearest(places_mm: Floats, spots_mm: Floats) -> NDArray[np.int64]:
    """The spot nearest to each place (N, 2)."""
    return np.asarray(np.hypot(*(places_mm[:, None] - spots_mm).transpose(2, 0, 1)).argmin(axis=1), np.int64)


def _markers_near(view: BoardView, places_mm: Floats, looks: Sequence[Sign], across_mm: float) -> list[Floats | None]:
    """The place of a marker of one of these looks about each place (N, 2); None without one."""
    found: list[Floats | None] = [None] * len(places_mm)
    inner_mm = LIMITS.between_inner * across_mm / 2
    steps = np.arange(-inner_mm, inner_mm + 0.1, LIMITS.crowd_step_mm)
    disk = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    disk = disk[np.hypot(*disk.T) <= inner_mm]
    cells = view.to_cells((places_mm[:, None] + disk).reshape(-1, 2)).astype(np.float32)
    seen = np.asarray(sampled(view.light, cells.reshape(len(places_mm), len(disk), 2)), np.float32)
    hue, strength, light = hues_of(seen)
    for look in looks:
        may = _looks_like(hue, strength, light, look).mean(axis=1) >= LIMITS.crowd_cover
        for k in np.flatnonzero(may).tolist():
            patch = patches_of(view, places_mm[k : k + 1])
            same = _looks_like(patch.hue[0], patch.strength[0], patch.light[0], look)
            told = marker_at(patch.shown[0], same, across_mm)
            if told is not None and told[0] >= LIMITS.crowd_plain:
                found[k] = places_mm[k] + told[1]
    return found


def _looks_like(hue: Floats32, strength: Floats32, light: Floats32, look: Sign) -> NDArray[np.bool_]:
    """Which of cells look like a marker, in the same light too."""
    low, high = LIMITS.between_strengths
    return same_look(hue, strength, look) & (light > low * look.light) & (light < high * look.light)


def _is_second(
    at_mm: Floats, owner: int, signs: Sequence[Sign], feet: Floats, spots_mm: Floats, across_mm: float
) -> bool:
    """Whether a marker found at a place is none of those that were read, and stands nearest to the spot of one."""
    apart = np.hypot(*(feet - at_mm).T) / across_mm
    others = np.delete(apart, owner)
    is_own = _nearest(at_mm[None], spots_mm)[0] == signs[owner].spot
    return bool(
        is_own
        and LIMITS.second_marker[0] <= apart[owner] <= LIMITS.second_marker[1]
        and (others >= LIMITS.between_free).all()
    )
