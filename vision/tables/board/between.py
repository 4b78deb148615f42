"""Finds markers between spots, half-way between neighbours, in the colours with markers missing on the spots."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.board import PIECES_OF_A_COLOR, Board
from companion.game.readings import BetweenSeen
from vision.tables.board.edges import PATCH_CELLS, REACH, RING_MM
from vision.tables.board.limits import DIM, LIMITS
from vision.tables.board.markers import ColorMarkers
from vision.tables.board.signs import Sign, hue_gap_deg, hues_of, patches_of, sample_grid_mm
from vision.tables.board.view import CELL_MM, BoardView


def find_between(
    view: BoardView,
    board: Board,
    spots_mm: Floats,
    markers: Mapping[str, ColorMarkers],
    across_mm: float,
) -> tuple[BetweenSeen, ...]:
    """The markers between spots, the plainest first; at most as many of a colour as are missing on the spots."""
    standing = {
        color: [sign for sign, chance in zip(found.signs, found.chances, strict=True) if chance >= LIMITS.likely]
        for color, found in markers.items()
    }
    missing = {color: PIECES_OF_A_COLOR - len(signs) for color, signs in standing.items()}
    wanted = [color for color, count in missing.items() if count > 0]
    if not wanted:
        return ()
    names = list(board.spots)
    index = {name: i for i, name in enumerate(names)}
    links = sorted({tuple(sorted((index[a], index[b]))) for a, to in board.next.items() for b in to})
    middles = np.array([(spots_mm[a] + spots_mm[b]) / 2 for a, b in links])
    taken = np.array([spots_mm[sign.spot] + sign.foot_mm for signs in standing.values() for sign in signs]).reshape(
        -1, 2
    )
    looks = {color: likest for color in wanted if (likest := markers[color].likest) is not None}
    middles = middles[_may_hold(view, middles, tuple(looks.values()))]
    if not len(middles):
        return ()
    patches = patches_of(view, middles)
    hue, strength, _ = hues_of(patches.seen)
    found = []
    for color, likest in looks.items():
        same = same_look(hue, strength, likest)
        for k in np.flatnonzero(same.mean(axis=(1, 2)) >= LIMITS.seen_share).tolist():
            told = marker_at(patches.shown[k], same[k], across_mm)
            if told is not None:
                at = middles[k] + told[1]
                if not len(taken) or np.hypot(*(taken - at).T).min() >= LIMITS.high_share * across_mm:
                    found.append((told[0], color, at))
    kept: list[BetweenSeen] = []
    for _, color, at in sorted(found, key=lambda one: -one[0]):
        is_free = all(np.hypot(one.x_mm - at[0], one.y_mm - at[1]) >= LIMITS.high_share * across_mm for one in kept)
        if is_free and missing[color] > 0:
            missing[color] -= 1
            near = np.argsort(np.hypot(*(spots_mm - at).T))[:2]
            x, y = np.round(at, 1).tolist()
            kept.append(BetweenSeen(color=color, x_mm=x, y_mm=y, spots=(names[near[0]], names[near[1]])))
    return tuple(kept)


def _may_hold(view: BoardView, at_mm: Floats, looks: Sequence[Sign]) -> NDArray[np.bool_]:
    """Whether each place (N, 2) looks enough like one of these markers, by a sparse sample."""
    x, y = (along[:: LIMITS.coarse_cells, :: LIMITS.coarse_cells].ravel() for along in sample_grid_mm())
    cells = view.to_cells((at_mm[:, None] + np.column_stack([x, y])).reshape(-1, 2)).astype(np.float32)
    seen = view.light_at(cells.reshape(len(at_mm), len(x), 2))
    hue, strength, _ = hues_of(seen)
    may = np.zeros(len(at_mm), bool)
    for look in looks:
        may |= same_look(hue, strength, look).mean(axis=1) >= LIMITS.seen_share / 2
    return may


def same_look(hue: Floats32, strength: Floats32, likest: Sign) -> NDArray[np.bool_]:
    """Mask of the cells that look like a marker."""
    same = hue_gap_deg(hue, likest.hue_deg) < LIMITS.hue_deg
    return same & _are_alike(strength, likest.strength)


def _are_alike(values: Floats32, value: float) -> NDArray[np.bool_]:
    """Whether values are less than a factor larger or smaller than another value."""
    return np.asarray((values * LIMITS.same_ratio > value) & (values < LIMITS.same_ratio * value))


def marker_at(shown: Floats32, same: NDArray[np.bool_], across_mm: float) -> tuple[float, Floats] | None:
    """Evidence of a marker in a cut-out, and its place (x, y) from the middle; None: no marker. `same`: cells
    that look like a marker of the colour."""
    x, y = sample_grid_mm()
    best: tuple[float, Floats] | None = None
    inside = (np.hypot(x, y) < LIMITS.high_share * across_mm / 2).astype(np.float32)
    covers = cv2.filter2D(same.astype(np.float32), -1, inside / inside.sum(), borderType=cv2.BORDER_CONSTANT)
    steps = np.arange(-REACH, REACH + 1) * CELL_MM
    for dx in steps:
        for dy in steps:
            cover = float(covers[PATCH_CELLS + round(dy / CELL_MM), PATCH_CELLS + round(dx / CELL_MM)])
            if cover < LIMITS.high_share:
                continue
            far = np.hypot(x - dx, y - dy)
            inner = far < LIMITS.high_share * across_mm / 2
            ring = (far > across_mm / 2 + RING_MM[1]) & (far < across_mm / 2 + 2 * RING_MM[1])
            usual = np.median(shown[inner], axis=0)
            unlike = np.linalg.norm(shown[ring] - usual, axis=1) / (float(np.linalg.norm(usual)) + DIM)
            alone = float((unlike > LIMITS.alike).mean())
            if cover + alone >= (best[0] if best else 2 * LIMITS.high_share):
                best = (cover + alone, np.array([dx, dy]))
    return best


# Spots with two markers: a second marker next to the marker that was read. One marker explains a disk of its size and
# colour. Another area of marker size and colour next to it, nearest to the same spot, is a second marker.


def crowded_spots(
    view: BoardView,
    spots_mm: Floats,
    markers: Mapping[str, ColorMarkers],
    between: Sequence[BetweenSeen],
    across_mm: float,
) -> frozenset[int]:
    """The spots with a second marker next to the marker that was read."""
    signs = [
        sign
        for found in markers.values()
        for sign, chance in zip(found.signs, found.chances, strict=True)
        if chance >= LIMITS.likely
    ]
    looks = [found.likest for found in markers.values() if found.likest is not None]
    if not signs or not looks:
        return frozenset()
    feet = np.array([spots_mm[sign.spot] + sign.foot_mm for sign in signs])
    turns = np.arange(0, 2 * np.pi, 2 * LIMITS.max_off_mm / across_mm)
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
        if at is not None and _nearest(at[None], spots_mm)[0] == signs[owner].spot
    )


def _nearest(places_mm: Floats, spots_mm: Floats) -> NDArray[np.int64]:
    return np.asarray(np.hypot(*(places_mm[:, None] - spots_mm).transpose(2, 0, 1)).argmin(axis=1), np.int64)


def _markers_near(view: BoardView, places_mm: Floats, looks: Sequence[Sign], across_mm: float) -> list[Floats | None]:
    """The place of a marker with one of these looks near each place (N, 2); None: no marker."""
    found: list[Floats | None] = [None] * len(places_mm)
    inner_mm = LIMITS.high_share * across_mm / 2
    step_mm = LIMITS.coarse_cells * CELL_MM
    steps = np.arange(-inner_mm, inner_mm + step_mm, step_mm)
    disk = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    disk = disk[np.hypot(*disk.T) <= inner_mm]
    cells = view.to_cells((places_mm[:, None] + disk).reshape(-1, 2)).astype(np.float32)
    seen = view.light_at(cells.reshape(len(places_mm), len(disk), 2))
    hue, strength, light = hues_of(seen)
    for look in looks:
        may = _looks_like(hue, strength, light, look).mean(axis=1) >= 0.5
        for k in np.flatnonzero(may).tolist():
            patch = patches_of(view, places_mm[k : k + 1])
            same = _looks_like(*hues_of(patch.seen[0]), look)
            told = marker_at(patch.shown[0], same, across_mm)
            if told is not None:
                found[k] = places_mm[k] + told[1]
    return found


def _looks_like(hue: Floats32, strength: Floats32, light: Floats32, look: Sign) -> NDArray[np.bool_]:
    """Mask of the cells that look like a marker, also in brightness."""
    return same_look(hue, strength, look) & _are_alike(light, look.light)
