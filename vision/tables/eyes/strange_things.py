"""Foreign things that may hide a samurai, and things on a piece that hide a part of it.

Anything that is neither mat nor piece counts. A shade does not: it is darker than the mat and of its hue. A thing as
broad as a samurai may hide one without any other sign, so such a table is not read.

The tops of found pieces are checked. A die's top is white apart from the eye in its middle, a samurai's has its colour
all over. Another colour is a thing on it. Its edges then run elsewhere, and the thing may be mistaken for an eye or
hide one.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from companion.game.errors import ReadingError, ReadingFault
from companion.game.readings import Kind
from companion.game.says import Says
from vision.measure import bodies
from vision.measure.colors import Colors, dark_or_foreign, erase_body, erase_fiducials, is_shade, usual
from vision.measure.prepared import AROUND_MM, STEP_MM, Floats, Mask, PreparedImage
from vision.measure.rims import hue_of
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, radius_mm


def must_hide_no_samurai(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> None:
    """Raises: ReadingError(hand_in_view): a thing outside these pieces is as broad as a samurai."""
    strange = strange_mask(image, colors, pieces)
    inside_mm = np.asarray(cv2.distanceTransform(strange, cv2.DIST_L2, 5)) * STEP_MM
    _, reach_mm, _, (column, row) = cv2.minMaxLoc(inside_mm)
    if reach_mm < LIMITS.hiding_radius_mm:
        return
    _, labels = cv2.connectedComponents(strange)
    area_mm2 = int((labels == labels[row, column]).sum()) * STEP_MM**2
    raise ReadingError(
        ReadingFault.HAND_IN_VIEW,
        Says(
            "something that is not a piece covers about {area} cm2 of the play area and may hide a samurai: take it "
            "away and read again",
            {"area": f"{area_mm2 / 100:.0f}"},
        ),
    )


def strange_mask(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> Mask:
    """The parts that are neither mat nor shade nor any of these pieces, in the view from above of the play area."""
    mask = foreign_mask(image, colors, pieces)
    erase_fiducials(image, mask)
    beside = round(AROUND_MM / STEP_MM)
    inside = np.zeros_like(mask)
    inside[beside:-beside, beside:-beside] = mask[beside:-beside, beside:-beside]
    return inside


def foreign_mask(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> Mask:
    """The same including the surroundings of the play area; fiducials are not erased."""
    mask = dark_or_foreign(image, colors) | colors.white
    mat = (colors.mat / usual(colors.shade)).astype(np.float32) * colors.shade[..., None]
    mask[is_shade(cv2.blur(image.top, (3, 3)) / mat)] = 0
    lands = [piece for piece in pieces if piece.kind is Kind.TERRITORY]
    for land in lands:
        mask |= colors.of(str(land.color))
    for land in lands:
        within = np.zeros_like(mask)
        middle = np.rint(image.shown_at(land.place.middle_mm)).astype(int).tolist()
        cv2.circle(within, middle, round((radius_mm(land) + LIMITS.land_wall_mm) / STEP_MM), 255, -1)
        mask[within > 0] = ~colors.of(str(land.color))[within > 0]
    for piece in pieces:
        if piece.kind is not Kind.TERRITORY:
            erase_body(image, mask, piece.solid, piece.place)
    return mask


ON_IT = "something that is no piece lies on it or before it"
_STEPS = np.linspace(-LIMITS.flat_reach, LIMITS.flat_reach, 25)
_FACE = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)
_FRAME = _FACE[np.hypot(*_FACE.T) > LIMITS.eye_reach]
_DISK = _FACE[np.hypot(*_FACE.T) < LIMITS.flat_reach] / LIMITS.flat_reach
COVERED_MM = {Kind.EMPIRE_DIE: 1.5, Kind.SAMURAI: 0.8}
"""Error, mm, of the place of a partly covered piece: its edges are drawn to those of the thing."""


def doubt_covered(
    image: PreparedImage, colors: Colors, pieces: list[Detection], ninjas: list[Detection]
) -> list[Detection]:
    """The pieces, unsure if they are dice and samurai under a foreign thing that is surely not a ninja. It may hide an
    eye or look like one, so neither a die's owner nor its eye is reported."""
    surely = [ninja for ninja in ninjas if ninja.confidence > LIMITS.unread_confidence]
    known = [piece for piece in pieces + surely if piece.kind is not Kind.TERRITORY]
    outlines = bodies.outlines_px(
        image.view, [(piece.solid, piece.place) for piece in known], 2 * LIMITS.strange_outline_px
    )
    low, high = (np.array([edge(outline, axis=0) for outline in outlines]) for edge in (np.min, np.max))
    judged = {}
    for i, piece in enumerate(known):
        if piece.kind is Kind.NINJA:
            continue
        meets = ((low < high[i] + LIMITS.strange_outline_px) & (high > low[i] - LIMITS.strange_outline_px)).all(axis=1)
        others = tuple(outlines[k] for k in np.flatnonzero(meets).tolist() if k != i)
        if _strange_share(replace(image, covers=others), colors, piece) > LIMITS.max_strange:
            judged[id(piece)] = _covered(piece)
    return [judged.get(id(piece), piece) for piece in pieces]


def _strange_share(image: PreparedImage, colors: Colors, piece: Detection) -> float:
    """The foreign share of a piece's top, as far as no other piece covers it."""
    places = _top_mm(piece)
    bare = places[~image.is_covered(image.view.to_pixels(places), LIMITS.strange_outline_px)]
    if len(bare) < LIMITS.min_bare_top * len(places):
        return 0.0
    light = image.light_at(bare)
    if piece.solid.is_round:
        redness, blueness = hue_of(light, np.ones(3))
        is_own = redness > colors.red_from if piece.color == "red" else blueness > colors.blue_from
    else:
        least = light.min(axis=1)
        left = light / np.median(light[least >= np.percentile(least, LIMITS.white_percentile)], axis=0)
        mean = left.mean(axis=1)
        is_own = (mean > LIMITS.dull_light) & (np.ptp(left, axis=1) < LIMITS.tinted_light * mean)
    return float(1 - is_own.mean())


def _top_mm(piece: Detection) -> Floats:
    """Places (N, 3) all over a samurai's top, or around a possible eye on a die's."""
    half = piece.solid.half_height_mm
    if piece.solid.is_round:
        spots = (radius_mm(piece) - LIMITS.samurai_rim_mm) * _DISK
    else:
        spots = 2 * half * _FRAME
    up = 2 if piece.solid.is_round else int(np.abs(piece.place.axes[2]).argmax())
    top = np.full((len(spots), 3), np.copysign(half, piece.place.axes[2, up]))
    top[:, [(up + 1) % 3, (up + 2) % 3]] = spots
    return piece.place.points(top)


def _covered(piece: Detection) -> Detection:
    is_die = piece.kind is Kind.EMPIRE_DIE
    return replace(
        piece,
        color=None if is_die else piece.color,
        marked_up=None,
        confidence=min(piece.confidence, LIMITS.covered_confidence),
        spread_mm=float(np.hypot(piece.spread_mm, COVERED_MM[piece.kind])),
        reason=ON_IT,
    )
