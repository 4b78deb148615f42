"""Doubts about dice that may be foreign objects or have another support, and about blurred pieces.

An empire die has corners and edges where a cube of its size has them. Of 2309 labelled dice none lacked more than one
corner, and all had at least 0.6 of their edges in place. Of 118 white objects mistaken for dice (paper, coins and caps
of family tables) three quarters fail one of the two tests.

A die on a ninja or on another die looks like a die on the table, slightly larger and up to a centimetre away. One
picture cannot always distinguish it from a die on the table whose edges have odd light. So the die keeps its place,
with an error that covers the other place too. Three facts indicate a hidden support. A cube as high as a ninja or a die
fits its edges more closely. White that no die explains is visible next to it. Or it seems to overlap a ninja.

Fiducials show blur only in the corners of the picture. If an edge is wider than the window in which it is measured, the
result may be wrong by that width and still fit well. So each piece is judged by the width of its own outline.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.game.readings import Kind
from vision.measure import cube_fit
from vision.measure.bodies import Fit, Place, Solid, silhouettes
from vision.measure.colors import Colors, round_kernel
from vision.measure.cube_fit import measured_share, show_dice
from vision.measure.prepared import STEP_MM, STEP_PX, Floats, Mask, PreparedImage, profiles
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, is_above, margin_mm, shared_mm2, unexplained_white

_SIGNS = np.array([(x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) if x or y])
_CORNERS = _SIGNS[(_SIGNS != 0).all(axis=1)]


def has_corners(image: PreparedImage, solid: Solid, places: list[Place]) -> NDArray[np.bool_]:
    """Whether each white top (D,) has the corners of a square."""
    at = np.vstack([LIMITS.corner_inside * _CORNERS, LIMITS.corner_outside * _CORNERS, LIMITS.middle_ring * _SIGNS])
    top = np.column_stack([at, np.ones(len(at))]) * solid.half_height_mm
    light = (
        image.light_at(np.vstack([place.points(top) for place in places])).mean(axis=1).reshape(len(places), len(at))
    )
    corner, beyond, within = np.split(light, [len(_CORNERS), 2 * len(_CORNERS)], axis=1)
    is_dark = corner < LIMITS.missing_of_top * np.median(within, axis=1)[:, None]
    is_missing = is_dark & (corner < LIMITS.missing_of_outside * beyond)
    return np.asarray(is_missing.sum(axis=1) <= LIMITS.max_missing_corners)


def keep_cubes(
    image: PreparedImage, dice: list[Detection], cornerless: list[Detection], samurai: list[Detection]
) -> list[Detection]:
    """The dice with edges like a cube's, at their first or present place. A samurai may touch a die, also a
    `cornerless` one. Then it may lean on it, by twenty degrees on a stack, and its place gets a larger error."""
    kept = []
    for die in dice + cornerless:
        share = 0.0 if die in cornerless else float(measured_share(show_dice(image, die.solid, [die.place]))[0])
        is_one = die.is_cube or is_cube(share, die.fit)
        touches = any(margin_mm(die, disk) > -LIMITS.stands_beside_mm for disk in samurai)
        if touches and (not is_one or die.fit.residual_px > LIMITS.max_level_misfit):
            kept.append(replace(die, spread_mm=max(die.spread_mm, LIMITS.leaning_error_mm), confidence=LIMITS.in_doubt))
        elif is_one:
            kept.append(die)
    return kept


def is_cube(share: float, fit: Fit) -> bool:
    """Whether a white object has a cube's edges: by the measured `share` of its edges, and the share of these that
    fit."""
    return share * fit.coverage >= LIMITS.min_right_edges


ASTRAY = "it may stand on another piece, and its eye is seen otherwise then"
BELOW = "an empire die lies on it or leans on it"


def judge_raised_dice(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection], ninjas: list[Detection], count: int
) -> list[Detection]:
    """The pieces. Dice that may be on a hidden piece get that place as `raised`. `count`: number of dice in the set; if
    all are visible, no die hides another."""
    steep = [piece for piece in pieces if piece.is_leaning]
    dice = [
        i
        for i, piece in enumerate(pieces)
        if piece.kind is Kind.EMPIRE_DIE
        and piece.doubt_mm < LIMITS.unsure_die_mm
        and not any(shared_mm2(piece, on) for on in steep)
    ]
    if not dice:
        return pieces
    white = unexplained_white(image, colors, pieces + ninjas)
    is_beside = {i: _beside_mm2(image, white, pieces[i]) > LIMITS.min_other_white_mm2 for i in dice}
    asked = [
        i
        for i in dice
        if is_beside[i] or (is_level(pieces[i]) and pieces[i].fit.residual_px > LIMITS.min_raised_residual)
    ]
    if not asked:
        return pieces
    are_seen = sum(piece.kind is Kind.EMPIRE_DIE for piece in pieces) >= count
    side, small = 2 * shapes.empire_die.half_height_mm, 2 * shapes.ninja.half_height_mm
    starts = [
        (i, lifted(image, pieces[i], by_mm))
        for i in asked
        if is_level(pieces[i])
        for by_mm in ([small] if are_seen and not is_beside[i] else [small, side])
    ]
    higher = _met_better(image, pieces, starts)
    judged = list(pieces)
    for i in asked:
        if i in higher:
            judged[i] = replace(pieces[i], raised=higher[i])
        elif is_beside[i]:
            confidence = min(pieces[i].confidence, LIMITS.in_doubt)
            judged[i] = replace(pieces[i], raised=lifted(image, pieces[i], side), confidence=confidence)
    return judged


def is_level(die: Detection) -> bool:
    """Whether a die is level on its support."""
    return die.tilt_deg < LIMITS.max_level_die_deg


def _met_better(image: PreparedImage, pieces: list[Detection], starts: list[tuple[int, Place]]) -> dict[int, Place]:
    """The places, by the dice's indices, with a better fit of the edges; the best of several."""
    for rounds in (1, 2):  # most are dropped after the first round
        dice, places = [i for i, _ in starts], [place for _, place in starts]
        fits = cube_fit.fit_cubes(image, pieces[dice[0]].solid, places, rounds=rounds) if dice else []
        closer = [(i, f) for i, f in zip(dice, fits, strict=True) if f.residual_px < pieces[i].fit.residual_px]
        starts = [(i, fit.place) for i, fit in closer]
    closer.sort(key=lambda pair: -pair[1].residual_px)
    pairs = [(i, fit, pieces[i].fit.residual_px) for i, fit in closer]
    return {
        i: fit.place
        for i, fit, was_px in pairs
        if fit.residual_px < LIMITS.max_raised_ratio * was_px
        and was_px**2 - fit.residual_px**2 > LIMITS.min_raised_gain
    }


def lifted(image: PreparedImage, die: Detection, by_mm: float) -> Place:
    """The place, higher by `by_mm`, at which the die's top appears in the same pixels."""
    x, y, z = die.place.middle_mm.tolist()
    top_mm = z + die.solid.half_height_mm
    xy = image.at_height(image.seen_at(np.array([x, y]), top_mm), top_mm + by_mm)
    return Place(np.array([*xy, z + by_mm]), die.place.axes)


def _beside_mm2(image: PreparedImage, white: Mask, die: Detection) -> float:
    """The area of this white next to a die."""
    corners = die.place.points(np.sign(die.solid.core_mm) * die.solid.half_height_mm)
    seen = image.to_grid(image.seen_at(corners[:, :2], corners[:, 2]))
    reach = round(LIMITS.white_reach_mm / STEP_MM)
    (left, top), (right, bottom) = _window(seen, reach, white)
    ring = np.zeros((max(bottom - top, 0), max(right - left, 0)), np.uint8)
    if not ring.size:
        return 0.0
    hull = cv2.convexHull((seen - (left, top)).astype(np.float32))
    cv2.fillConvexPoly(ring, np.round(hull).astype(np.int32), 255)
    ring = np.asarray(cv2.dilate(ring, round_kernel(2 * reach + 1)), np.uint8)
    return cv2.countNonZero(ring & white[top:bottom, left:right]) * STEP_MM**2


def _window(seen: Floats, reach: int, mask: Mask) -> tuple[tuple[int, int], tuple[int, int]]:
    """The part of a mask, (left, top) and (right, bottom), around these places with a margin of `reach`."""
    low = np.floor(seen.min(axis=0)).astype(int) - reach - 1
    high = np.ceil(seen.max(axis=0)).astype(int) + reach + 2
    height, width = mask.shape
    left, top = np.clip(low, 0, (width, height)).tolist()
    right, bottom = np.clip(high, 0, (width, height)).tolist()
    return (left, top), (right, bottom)


def doubt_leaning(pieces: list[Detection]) -> list[Detection]:
    """The pieces, with doubts about pairs in an unmeasured contact: dice and ninjas that seem to overlap, and samurai
    with a ninja over their rim."""
    judged = list(pieces)
    ninjas = [i for i, piece in enumerate(pieces) if piece.kind is Kind.NINJA]
    dice = [i for i, piece in enumerate(pieces) if piece.kind is Kind.EMPIRE_DIE]
    for i in dice:
        for k in dice + ninjas:
            die, other = pieces[i], pieces[k]
            if i == k or is_above(other, die) or shared_mm2(die, other) <= LIMITS.max_shared_mm2:
                continue
            confidence = min(die.confidence, LIMITS.in_doubt)
            judged[i] = replace(die, spread_mm=max(die.spread_mm, LIMITS.leaning_error_mm), confidence=confidence)
            if other.kind is Kind.NINJA:
                judged[k] = replace(other, value=None, reason=BELOW)
    for i, piece in enumerate(pieces):
        if piece.kind is Kind.SAMURAI and any(_reaches_over(pieces[k], piece) for k in ninjas):
            judged[i] = replace(piece, spread_mm=max(piece.spread_mm, LIMITS.oval_error_mm))
    return judged


def _reaches_over(ninja: Detection, disk: Detection) -> bool:
    """Whether a ninja's footprint crosses a disk's rim: the ninja may be on the disk, or the disk lean on the ninja."""
    shared, whole = shared_mm2(ninja, disk), cv2.contourArea(ninja.outline_mm.astype(np.float32))
    return LIMITS.max_shared_mm2 < shared < whole - LIMITS.max_shared_mm2


BLURRED = "the picture is soft where it lies: wipe the lens, or focus it"


def doubt_blurred(image: PreparedImage, pieces: Sequence[Detection]) -> list[Detection]:
    """The pieces. A blurred piece is unsure, its error covers the blur, and it has no value or owner."""
    judged = list(pieces)
    for k, wide_px in widths_px(image, pieces).items():
        if wide_px > LIMITS.max_edge_width_px:
            judged[k] = _in_doubt(image, pieces[k], wide_px)
    return judged


def _in_doubt(image: PreparedImage, piece: Detection, wide_px: float) -> Detection:
    off_mm = LIMITS.blur_error_per_px * wide_px / float(image.view.project(piece.place.middle_mm[None])[1][0])
    return replace(
        piece,
        spread_mm=float(np.hypot(piece.spread_mm, off_mm)),
        confidence=min(piece.confidence, LIMITS.in_doubt),
        color=None if piece.kind is Kind.EMPIRE_DIE else piece.color,
        red_odds=0.0,
        value=None,
        marked_up=None,
        reason=piece.reason if piece.kind is Kind.SAMURAI else BLURRED,
        is_blurred=True,
    )


def widths_px(image: PreparedImage, pieces: Sequence[Detection]) -> dict[int, float]:
    """The widths of pieces' edges (standard deviation) by their indices. Without territories, which are too large to
    blur as a whole, and pieces with too little visible edge."""
    alike: dict[int, tuple[Solid, list[int]]] = {}
    for k, piece in enumerate(pieces):
        if piece.kind is not Kind.TERRITORY:
            alike.setdefault(id(piece.solid), (piece.solid, []))[1].append(k)
    if not alike:
        return {}
    pixels, normals, sectors = [], [], []
    for solid, which in alike.values():
        found = silhouettes(image.view, solid, [pieces[k].place for k in which], LIMITS.blur_spacing_px)
        of = np.repeat(np.arange(len(which)), found.counts)
        pixels.append(found.outline.pixels)
        normals.append(found.outline.normals)
        x, y = found.outline.normals.T
        quarter = (x > y) * 2 + (x > -y)
        sectors.append(np.array(which)[of] * LIMITS.blur_sectors + quarter)
    widths = _edge_widths_px(image, np.concatenate(pixels), np.concatenate(normals))
    return _softest(widths, np.concatenate(sectors))


def _edge_widths_px(image: PreparedImage, pixels: Floats, normals: Floats) -> Floats:
    """Width of the steepest edge in each profile across an outline (N,), as of a Gaussian step; NaN: no edge."""
    _, lights = profiles(image.light, pixels, normals, LIMITS.blur_reach_px)
    spans = lights.max(axis=1) - lights.min(axis=1)
    channel = spans.argmax(axis=1)
    rows = np.arange(len(lights))
    span, light = spans[rows, channel], lights[rows, :, channel]
    run = round(1 / STEP_PX)
    slope = np.abs(light[:, run:] - light[:, :-run]).max(axis=1)
    return np.where(
        span > LIMITS.min_profile_contrast, span / np.maximum(slope, LIMITS.tiny) / np.sqrt(2 * np.pi), np.nan
    )


def _softest(widths: Floats, sectors: NDArray[np.int64]) -> dict[int, float]:
    """The width in each piece's most blurred sector, by the piece's index."""
    known = np.isfinite(widths)
    widths, sectors = widths[known], sectors[known]
    order = np.lexsort((widths, sectors))
    which, first, counts = np.unique(sectors[order], return_index=True, return_counts=True)
    sharp = widths[order][first + counts // LIMITS.blur_sectors]
    softest: dict[int, float] = {}
    for sector, count, width in zip(which.tolist(), counts.tolist(), sharp.tolist(), strict=True):
        if count >= LIMITS.min_profiles:
            piece = sector // LIMITS.blur_sectors
            softest[piece] = max(softest.get(piece, 0.0), width)
    return softest
