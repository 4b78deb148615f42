"""Pieces held up by dice: empire dice on one that they hide, or leaning on one beside them, and samurai on ninjas.

A die on a ninja or on another die looks like one on the table, a little larger and up to a centimetre aside. One
picture does not always tell it from a die on the table whose edges lie in odd light. So it stays where it seems to
stand, and its error covers the other place too. Three things tell of it: a cube as high as a ninja or a die above the
table meets its edges more closely; white that no die explains shows beside it; or it seems to stand in a ninja. Of 764
labelled dice on the table and on territories 30 are met so much more closely, ten have such white beside them, and none
of 10 800 pairs share ground. Of 54 dice on others it is 35, 37 and 10.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.readings import Kind
from vision.eyes.leaning_ninjas import LEANING
from vision.eyes.pieces import LEANS_MM, Detection, Shapes, is_above, radius_mm, shared_mm2
from vision.eyes.raised_disks import OVAL_ERROR_MM
from vision.measure import cube_fit
from vision.measure.bodies import Place, apart_mm
from vision.measure.colors import Colors
from vision.measure.masks import erase_body, erase_fiducials, round_kernel
from vision.measure.prepared import STEP_MM, Floats, Mask, PreparedImage

LEVEL_DEG = 0.5
"""A die that leans more was fitted with what it leans on."""
UNSURE_MM = 1.0
"""One with a larger error already is not judged again."""
WORSE, BETTER, GAIN = 0.45, 0.7, 0.2
"""Edges with a larger residual (sigmas) are tried higher up. There the residual must be less by this factor, and its
square by this difference."""
BESIDE_MM, WHITE_MM2 = 9.0, 10.0
"""White is searched so far beside a die; more of it than the second belongs to another."""
TOUCHING_MM, ASKEW_PX, ASKEW_SHARE = 14.0, 0.9, 0.895
"""A die so near to another one or to a ninja (between facing sides) whose edges fit so badly, and of which so few show,
leans on it: seven of nine that did, and four of 160 that stood in a crowd."""
INTO_MM2 = 4.0
"""What shares more of the table with a die stands in it, or one of them is elsewhere."""
UNCERTAIN = 0.5
"""The confidence in the face of a die that leans on something, or that is held up in an unknown way."""
SET_UP_MM = 19.0
"""Dice are set up on one another in the middles of territories (Eyes of the Emperor, Instructions 2). So near to one,
the white beside a die is the one below it."""
ASTRAY = "it may stand on another piece, and its eye is seen otherwise then"
BELOW = "an empire die lies on it or leans on it"


def judge_raised_dice(
    image: PreparedImage, colors: Colors, shapes: Shapes, pieces: list[Detection], ninjas: list[Detection], count: int
) -> list[Detection]:
    """The pieces; dice that may stand on a piece which they hide get that place as `raised`. `count`: how many dice the
    set has; where all are seen, none hides another."""
    steep = [piece for piece in pieces if piece.is_leaning]
    dice = [
        i
        for i, piece in enumerate(pieces)
        if piece.kind is Kind.EMPIRE_DIE
        and piece.doubt_mm < UNSURE_MM
        and not any(shared_mm2(piece, on) for on in steep)
    ]
    if not dice:
        return pieces
    white = _unexplained(image, colors, pieces + ninjas)
    is_beside = {i: _beside_mm2(image, white, pieces[i]) > WHITE_MM2 for i in dice}
    asked = [i for i in dice if is_beside[i] or (_is_level(pieces[i]) and pieces[i].fit.residual_px > WORSE)]
    if not asked:
        return pieces
    are_seen = sum(piece.kind is Kind.EMPIRE_DIE for piece in pieces) >= count
    side, small = 2 * shapes.empire_die.half_height_mm, 2 * shapes.ninja.half_height_mm
    starts = [
        (i, _lifted(image, pieces[i], by_mm))
        for i in asked
        if _is_level(pieces[i])
        for by_mm in ([small] if are_seen and not is_beside[i] else [small, side])
    ]
    higher = _met_better(image, pieces, starts)
    judged = list(pieces)
    for i in asked:
        if i in higher:
            judged[i] = replace(pieces[i], raised=higher[i])
        elif is_beside[i]:
            confidence = pieces[i].confidence if _is_set_up(pieces[i], pieces) else min(pieces[i].confidence, UNCERTAIN)
            judged[i] = replace(pieces[i], raised=_lifted(image, pieces[i], side), confidence=confidence)
    return judged


def _is_level(die: Detection) -> bool:
    """Whether a die stands level."""
    return die.tilt_deg < LEVEL_DEG


def _is_set_up(die: Detection, pieces: list[Detection]) -> bool:
    """Whether a die stands where dice are set up on one another."""
    return any(p.kind is Kind.TERRITORY and apart_mm(p.place, die.place) < SET_UP_MM for p in pieces)


def _is_askew(die: Detection) -> bool:
    """Whether a die that seems to stand level shows edges as no level one would."""
    is_doubted = die.tilt_deg >= LEVEL_DEG or die.doubt_mm >= UNSURE_MM
    return not is_doubted and die.fit.residual_px > ASKEW_PX and die.fit.coverage < ASKEW_SHARE


def _met_better(image: PreparedImage, pieces: list[Detection], starts: list[tuple[int, Place]]) -> dict[int, Place]:
    """The places, by the dice's indices, where edges are met more closely; the closest of several."""
    for rounds in (1, 2):  # most are given up after the first
        dice, places = [i for i, _ in starts], [place for _, place in starts]
        fits = cube_fit.fit_cubes(image, pieces[dice[0]].solid, places, rounds=rounds) if dice else []
        closer = [(i, f) for i, f in zip(dice, fits, strict=True) if f.residual_px < pieces[i].fit.residual_px]
        starts = [(i, fit.place) for i, fit in closer]
    closer.sort(key=lambda pair: -pair[1].residual_px)
    return {i: fit.place for i, fit in closer if _is_better(fit.residual_px, pieces[i].fit.residual_px)}


def _is_better(residual_px: float, than_px: float) -> bool:
    return residual_px < BETTER * than_px and than_px**2 - residual_px**2 > GAIN


def _lifted(image: PreparedImage, die: Detection, by_mm: float) -> Place:
    """The place so much higher that shows the die's top where it is seen."""
    x, y, z = die.place.middle_mm.tolist()
    top_mm = z + die.solid.half_height_mm
    xy = image.at_height(image.seen_at(np.array([x, y]), top_mm), top_mm + by_mm)
    return Place(np.array([*xy, z + by_mm]), die.place.axes)


def _unexplained(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> Mask:
    """The white that no found die explains. A ninja's pips are white too, and a lamp in its top."""
    white = colors.white.copy()
    for piece in pieces:
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA):
            erase_body(image, white, piece.solid, piece.place)
    erase_fiducials(image, white)
    return white


def _beside_mm2(image: PreparedImage, white: Mask, die: Detection) -> float:
    """How much of this white lies beside a die."""
    corners = die.place.points(np.sign(die.solid.core_mm) * die.solid.half_height_mm)
    seen = image.to_grid(np.array([image.seen_at(corner[:2], float(corner[2])) for corner in corners]))
    reach = round(BESIDE_MM / STEP_MM)
    (left, top), (right, bottom) = _window(seen, reach, white)
    ring = np.zeros((max(bottom - top, 0), max(right - left, 0)), np.uint8)
    if not ring.size:
        return 0.0
    hull = cv2.convexHull((seen - (left, top)).astype(np.float32))
    cv2.fillConvexPoly(ring, np.round(hull).astype(np.int32), 255)
    ring = np.asarray(cv2.dilate(ring, round_kernel(2 * reach + 1)), np.uint8)
    return cv2.countNonZero(ring & white[top:bottom, left:right]) * STEP_MM**2


def _window(seen: Floats, reach: int, mask: Mask) -> tuple[tuple[int, int], tuple[int, int]]:
    """The part of a mask, (left, top) and (right, bottom), that holds these places with so much about them."""
    low = np.floor(seen.min(axis=0)).astype(int) - reach - 1
    high = np.ceil(seen.max(axis=0)).astype(int) + reach + 2
    height, width = mask.shape
    left, top = np.clip(low, 0, (width, height)).tolist()
    right, bottom = np.clip(high, 0, (width, height)).tolist()
    return (left, top), (right, bottom)


def doubt_leaning(pieces: list[Detection]) -> list[Detection]:
    """The pieces; unsure are dice and ninjas that seem to stand in one another, dice askew beside another die or a
    ninja, and samurai with a ninja over their rim: they lie on each other in a way that is not measured."""
    judged = list(pieces)
    ninjas = [i for i, piece in enumerate(pieces) if piece.kind is Kind.NINJA]
    dice = [i for i, piece in enumerate(pieces) if piece.kind is Kind.EMPIRE_DIE]
    for i in dice:
        for k in dice + ninjas:
            die, other = pieces[i], pieces[k]
            if i == k or apart_mm(die.place, other.place) > _reach_mm(die, other) or is_above(other, die):
                continue
            is_in = other.reason != LEANING and shared_mm2(die, other) > INTO_MM2
            if is_in or _is_askew(die):
                confidence = min(die.confidence, UNCERTAIN)
                judged[i] = replace(die, spread_mm=max(die.spread_mm, LEANS_MM), confidence=confidence)
            if is_in and other.kind is Kind.NINJA:
                judged[k] = replace(other, value=None, reason=BELOW)
    for i, piece in enumerate(pieces):
        if piece.kind is Kind.SAMURAI and any(_reaches_over(pieces[k], piece) for k in ninjas):
            judged[i] = replace(piece, spread_mm=max(piece.spread_mm, OVAL_ERROR_MM))
    return judged


def _reaches_over(ninja: Detection, disk: Detection) -> bool:
    """Whether a ninja lies over a disk's rim: the one may stand on the other, or the disk lean on it."""
    if apart_mm(ninja.place, disk.place) > _reach_mm(disk, ninja):
        return False
    shared, whole = shared_mm2(ninja, disk), cv2.contourArea(ninja.outline_mm.astype(np.float32))
    return INTO_MM2 < shared < whole - INTO_MM2


def _reach_mm(upper: Detection, lower: Detection) -> float:
    """Pieces with middles further apart do not touch."""
    half_mm = radius_mm(upper) if upper.solid.is_round else upper.solid.half_height_mm
    return half_mm + lower.solid.half_height_mm + TOUCHING_MM
