"""Doubts about dice that may be foreign objects or have another support, and about blurred pieces.

An empire die has edges where a cube of its size has them: of 2309 labelled dice all had at least 0.6 of them in place.

A die on a ninja or on another die looks like a die on the table, slightly larger and up to a centimetre away. One
picture cannot always distinguish it from a die on the table whose edges have odd light. So the die keeps its place,
with an error that covers the other place too. Three facts indicate a hidden support. A cube as high as a ninja or a die
fits its edges more closely. White that no die explains is visible next to it. Or it seems to overlap a ninja.

Fiducials show blur only in the corners of the picture. If an edge is wider than the window in which it is measured, the
result may be wrong by that width and still fit well. So each piece is judged by the width of its own outline.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import Mask
from companion.game.readings import Kind
from vision.measure import cube_fit
from vision.measure.bodies import Fit, Place, silhouette
from vision.measure.colors import Colors, round_kernel
from vision.measure.cube_fit import measured_share, show_dice
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, STEP_PX, PreparedImage, profiles
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Shapes, is_above, margin_mm, shared_mm2, unexplained_white


def keep_cubes(image: PreparedImage, dice: list[Detection], samurai: list[Detection]) -> list[Detection]:
    """The dice with edges like a cube's, at their first or present place. If a samurai touches a die, the die may lean
    on it (on a stack by twenty degrees). Its place then gets a larger error."""
    kept = []
    for die in dice:
        is_one = die.is_cube or is_cube(float(measured_share(show_dice(image, die.solid, [die.place]))[0]), die.fit)
        touches = any(margin_mm(die, disk) > -LIMITS.same_mm for disk in samurai)
        if touches and (not is_one or die.fit.residual_px > LIMITS.max_level_misfit):
            kept.append(replace(die, spread_mm=max(die.spread_mm, LIMITS.same_mm), confidence=LIMITS.in_doubt))
        elif is_one:
            kept.append(die)
    return kept


def is_cube(share: float, fit: Fit) -> bool:
    """Whether a white object has a cube's edges.

    `share`: the part of its edges that was measured. `fit.coverage`: the part of these that fit.
    """
    return share * fit.coverage >= LIMITS.usual


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
        and piece.doubt_mm < LIMITS.touch_mm
        and not any(shared_mm2(piece, on) for on in steep)
    ]
    if not dice:
        return pieces
    white = unexplained_white(image, colors, pieces + ninjas)
    is_beside = {i: _beside_mm2(image, white, pieces[i]) > LIMITS.small_mm2 for i in dice}
    asked = [
        i for i in dice if is_beside[i] or (is_level(pieces[i]) and pieces[i].fit.residual_px > LIMITS.min_raised_px)
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
    return die.tilt_deg < LIMITS.level_deg


def _met_better(image: PreparedImage, pieces: list[Detection], starts: list[tuple[int, Place]]) -> dict[int, Place]:
    """The places, by the dice's indices, with a better fit of the edges; the best of several."""
    fits = cube_fit.fit_cubes(image, pieces[starts[0][0]].solid, [place for _, place in starts]) if starts else []
    better = {}
    for (i, _), fit in sorted(zip(starts, fits, strict=True), key=lambda pair: -pair[1].residual_px):
        if LIMITS.fit_ratio * fit.residual_px < pieces[i].fit.residual_px:
            better[i] = fit.place
    return better


def lifted(image: PreparedImage, die: Detection, by_mm: float) -> Place:
    """The place, higher by `by_mm`, at which the die's top appears in the same pixels."""
    x, y, z = die.place.middle_mm.tolist()
    top_mm = z + die.solid.half_height_mm
    xy = image.at_height(image.seen_at(np.array([x, y]), top_mm), top_mm + by_mm)
    return Place(np.array([*xy, z + by_mm]), die.place.axes)


def _beside_mm2(image: PreparedImage, white: Mask, die: Detection) -> float:
    """The area of this white next to a die."""
    corners = die.place.points(np.sign(die.solid.core_mm) * die.solid.half_height_mm)
    hull = cv2.convexHull(image.to_grid(image.seen_at(corners[:, :2], corners[:, 2])).astype(np.float32))
    ring = cv2.fillConvexPoly(np.zeros_like(white), np.round(hull).astype(np.int32), 255)
    near = np.asarray(cv2.dilate(ring, round_kernel(2 * round(LIMITS.reach_mm / STEP_MM) + 1)), np.uint8)
    return cv2.countNonZero(near & white) * STEP_MM**2


def doubt_leaning(pieces: list[Detection]) -> list[Detection]:
    """The pieces, with doubts about pairs in an unmeasured contact: dice and ninjas that seem to overlap, and samurai
    with a ninja over their rim."""
    judged = list(pieces)
    ninjas = [i for i, piece in enumerate(pieces) if piece.kind is Kind.NINJA]
    dice = [i for i, piece in enumerate(pieces) if piece.kind is Kind.EMPIRE_DIE]
    for i in dice:
        for k in dice + ninjas:
            die, other = pieces[i], pieces[k]
            if i == k or is_above(other, die) or shared_mm2(die, other) <= LIMITS.small_mm2:
                continue
            confidence = min(die.confidence, LIMITS.in_doubt)
            judged[i] = replace(die, spread_mm=max(die.spread_mm, LIMITS.same_mm), confidence=confidence)
            if other.kind is Kind.NINJA:
                judged[k] = replace(other, value=None, reason=BELOW)
    for i, piece in enumerate(pieces):
        if piece.kind is Kind.SAMURAI and any(_reaches_over(pieces[k], piece) for k in ninjas):
            judged[i] = replace(piece, spread_mm=max(piece.spread_mm, LIMITS.ninja_error_mm))
    return judged


def _reaches_over(ninja: Detection, disk: Detection) -> bool:
    """Whether a ninja's footprint crosses a disk's rim: the ninja may be on the disk, or the disk lean on the ninja."""
    shared, whole = shared_mm2(ninja, disk), cv2.contourArea(ninja.outline_mm.astype(np.float32))
    return LIMITS.small_mm2 < shared < whole - LIMITS.small_mm2


BLURRED = "the picture is soft where it lies: wipe the lens, or focus it"


def doubt_blurred(image: PreparedImage, pieces: Sequence[Detection]) -> list[Detection]:
    """The pieces. A blurred piece is unsure, its error covers the blur, and it has no value or owner. Territories are
    too large to be blurred as a whole."""
    judged = list(pieces)
    for k, piece in enumerate(pieces):
        wide_px = _edge_width_px(image, piece) if piece.kind is not Kind.TERRITORY else 0.0
        if wide_px > LIMITS.max_edge_width_px:
            judged[k] = _in_doubt(image, piece, wide_px)
    return judged


def _in_doubt(image: PreparedImage, piece: Detection, wide_px: float) -> Detection:
    off_mm = wide_px / 2 / float(image.view.project(piece.place.middle_mm[None])[1][0])
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


def _edge_width_px(image: PreparedImage, piece: Detection) -> float:
    """Width of the edge (standard deviation) in the most blurred quarter of an outline, by the steepest profiles there;
    0: too little edge is visible."""
    outline = silhouette(image.view, piece.solid, piece.place, SHARED.rim_spacing_px)
    _, lights = profiles(image.light, outline.pixels, outline.normals, LIMITS.blur_reach_px)
    spans, rows = np.ptp(lights, axis=1), np.arange(len(lights))
    channel = spans.argmax(axis=1)
    span, light = spans[rows, channel], lights[rows, :, channel]
    run = round(1 / STEP_PX)
    slope = np.abs(light[:, run:] - light[:, :-run]).max(axis=1)
    widths = span / np.maximum(slope, LIMITS.tiny) / math.sqrt(2 * math.pi)
    x, y = outline.normals.T
    quarter = np.where(span > SHARED.min_contrast, (x > y) * 2 + (x > -y), -1)
    parts = [np.sort(widths[quarter == k]) for k in range(LIMITS.blur_sectors)]
    known = [part[len(part) // LIMITS.blur_sectors] for part in parts if len(part) >= LIMITS.blur_sectors]
    return float(max(known, default=0.0))
