"""This game's pieces: their solids, their detections, and platforms that carry ninjas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from calibration.arrays import Floats, Floats32, Mask
from companion.game.brought import default_kit
from companion.game.kit import Kit
from companion.game.readings import Kind
from vision.measure import bodies
from vision.measure.bodies import Place, Solid
from vision.measure.colors import Colors, erase_body, erase_fiducials
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.tables.eyes import support
from vision.tables.eyes.limits import LIMITS


@dataclass(frozen=True, eq=False)
class Shapes:
    """The kit's pieces as solids."""

    territory: Solid
    samurai: Solid
    empire_die: Solid
    ninja: Solid

    @classmethod
    def of(cls, kit: Kit) -> Shapes:
        own = default_kit(kit.game)
        solids = []
        for kind in (Kind.TERRITORY, Kind.SAMURAI, Kind.EMPIRE_DIE, Kind.NINJA):
            sizes_mm = {**own.piece(kind).sizes_mm, **kit.piece(kind).sizes_mm}  # a kit need not tell the bevel
            bevel_mm = sizes_mm["bevel"]
            if "side" in sizes_mm:
                solids.append(bodies.cube(sizes_mm["side"], bevel_mm))
            else:
                diameter_mm = sizes_mm["diameter"]
                sides = round(math.pi * diameter_mm / (2 * STEP_MM))
                solids.append(bodies.disk(diameter_mm, sizes_mm["height"], bevel_mm, sides))
        return cls(*solids)


@dataclass(frozen=True, eq=False)
class Lying:
    """One possible pose of a piece: its fit, its underside, and its share among all poses. `rests`: whether it is on
    the territory in question (True) or next to it (False); None: unknown."""

    fit: bodies.Fit
    under: support.Underside
    share: float
    rests: bool | None = None


@dataclass(frozen=True, eq=False)
class Detection:
    """A piece found: its kind, its place and its confidence. `fit` is the most probable of the `ways`, or the only
    fit."""

    kind: Kind
    color: str | None
    solid: Solid
    fit: bodies.Fit
    under: support.Underside = field(default_factory=lambda: support.Underside(0.0, 0.0, 0.0))
    value: int | None = None
    marked_up: bool | None = None
    confidence: float = 1.0
    reason: str | None = None
    red_odds: float = 0.0
    """The log odds that a die is red's and not blue's, by its eye."""
    ways: tuple[Lying, ...] = ()
    land: str | None = None
    """The ways are measured to the territory of this colour."""
    ways_mm: float = 0.0
    """Standard deviation of its margin over the ways."""
    spread_mm: float = 0.0
    """Additional standard error of its place."""
    rise_mm: float = 0.0
    """Standard error of its height, which moves the piece along its line of sight."""
    is_crescent: bool = False
    is_blurred: bool = False
    """Whether it is so blurred that the lens should be wiped."""
    is_shaded: bool = False
    is_leaning: bool = False
    is_cube: bool = False
    """Whether a die showed enough of its edges at its first place."""
    raised: Place | None = None
    """The place of a die on another piece that it hides."""
    flat: Detection | None = None
    """A samurai as first found, before it was placed on its supports."""

    @cached_property
    def place(self) -> Place:
        return self.fit.place

    @property
    def tilt_deg(self) -> float:
        """Its tilt: of a disk's own axis, or of a cube's most upward axis."""
        if not self.solid.is_round:
            return self.place.tilt_deg
        return float(np.degrees(np.arccos(min(1.0, abs(self.place.axes[2, 2])))))

    @property
    def doubt_mm(self) -> float:
        """Standard error of its place from the ways and the additional error, without that of the fits."""
        return math.hypot(self.ways_mm, self.spread_mm)

    @cached_property
    def outline_mm(self) -> Floats:
        return bodies.footprint(self.solid, self.fit.place)


def found_samurai(
    shapes: Shapes,
    color: str,
    fit: bodies.Fit,
    confidence: float,
    spread_mm: float,
    *,
    is_crescent: bool = False,
    is_shaded: bool = False,
) -> Detection:
    """A samurai with the probability that it exists, and the additional error of its place."""
    return Detection(
        Kind.SAMURAI,
        color,
        shapes.samurai,
        fit,
        confidence=confidence,
        spread_mm=spread_mm,
        is_crescent=is_crescent,
        is_shaded=is_shaded,
    )


def is_above(piece: Detection, other: Detection) -> bool:
    """Whether a piece's underside is as high as another piece's top."""
    base_mm = float(piece.place.middle_mm[2]) - piece.solid.half_height_mm
    return base_mm > float(other.place.middle_mm[2]) + other.solid.half_height_mm - LIMITS.contact_mm


def stands_in(disk: Detection, die: Detection) -> bool:
    """Whether a flat disk would overlap a die."""
    return margin_mm(die, disk) > LIMITS.touch_mm


def shared_mm2(a: Detection, b: Detection) -> float:
    """The common area of two footprints."""
    return float(cv2.intersectConvexConvex(a.outline_mm.astype(np.float32), b.outline_mm.astype(np.float32))[0])


def margin_mm(piece: Detection, territory: Detection) -> float:
    """The depth of a piece's footprint in a territory."""
    return margin_at_mm(piece, piece.place, territory)


def margin_at_mm(piece: Detection, place: Place, territory: Detection) -> float:
    """Like `margin_mm` for the piece at another place."""
    return bodies.depth_in_disk(piece.solid, place, territory.place.middle_mm[:2], territory.solid.radius_mm)


def own_variance(piece: Detection, way: Lying, territory: Detection) -> float:
    """The variance of a piece's depth in one pose, by its fit, mm2."""
    toward = toward_rim(way.fit.place, territory)
    is_die = piece.kind is Kind.EMPIRE_DIE
    misfit = max(way.fit.residual_px - LIMITS.fits_px[is_die], 0.0)
    hidden = max(LIMITS.nearly_all - way.fit.coverage, 0.0) if piece.kind is Kind.SAMURAI else 0.0
    unseen = LIMITS.floor_mm[is_die] + LIMITS.misfit_mm[is_die] * misfit + LIMITS.contact_mm * hidden
    inside_mm = margin_at_mm(piece, way.fit.place, territory) - 2 * piece.solid.radius_mm
    # only colour shows a rim between red and blue
    is_hard = not way.under.is_flat if is_die else inside_mm > 0
    hard = LIMITS.pose_mm**2 if is_hard else 0.0
    return unseen**2 + hard + float(toward @ way.fit.covariance[:2, :2] @ toward)


def toward_rim(place: Place, territory: Detection) -> Floats:
    """The direction (2,) from the middle of a territory to a place."""
    return bodies.unit(place.middle_mm[:2] - territory.place.middle_mm[:2])


@dataclass(frozen=True, eq=False)
class Platform:
    """A piece that can carry ninjas: its outline on the table (N, 2) and the height of its top, mm."""

    outline_mm: Floats32
    height_mm: float
    is_die: bool = False

    @classmethod
    def of(cls, piece: Detection) -> Platform:
        """The top of a detected piece."""
        height = float(piece.place.middle_mm[2]) + piece.solid.half_height_mm
        return cls(piece.outline_mm.astype(np.float32), height, piece.kind is Kind.EMPIRE_DIE)

    def bears(self, xy_mm: Floats) -> bool:
        """Whether a piece with its middle at (x, y) can be on this piece."""
        return cv2.pointPolygonTest(self.outline_mm, (float(xy_mm[0]), float(xy_mm[1])), False) >= 0


def stand_on_highest(
    image: PreparedImage, seen_mm: Floats, side_mm: float, raised: Sequence[Platform]
) -> tuple[Floats, float]:
    """The place (x, y) of a die and the height of its underside in mm, given where the view from above shows its top's
    middle. It is on the highest platform that can carry it. A higher die is nearer to the point below the camera."""
    for piece in sorted(raised, key=lambda piece: -piece.height_mm):
        xy = image.at_height(seen_mm, piece.height_mm + side_mm)
        if piece.bears(xy):
            return xy, piece.height_mm
    return image.at_height(seen_mm, side_mm), 0.0


def draw_over(image: PreparedImage, mask: Mask, piece: Detection, beyond_mm: float = 0.0, value: int = 255) -> None:
    """Draws a piece into the view from above, with its blurred rim and a margin of `beyond_mm`."""
    if piece.solid.is_round and not piece.is_leaning:
        reach = (piece.solid.radius_mm + beyond_mm) / STEP_MM + SHARED.pixel_blur_px
        column, row = image.shown_at(piece.place.middle_mm)
        x, y, around = (round(float(size) * 2**SHARED.subpixel_bits) for size in (column, row, reach))
        cv2.circle(mask, (x, y), around, value, -1, shift=SHARED.subpixel_bits)
    else:
        bare = np.full_like(mask, 255)
        erase_body(image, bare, piece.solid, piece.place)
        mask[bare == 0] = value


def unexplained_white(image: PreparedImage, colors: Colors, pieces: list[Detection]) -> Mask:
    """The white that no found die explains: neither ninjas' pips nor lamps mirrored in their tops."""
    white = colors.white.copy()
    for piece in pieces:
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA):
            erase_body(image, white, piece.solid, piece.place)
    erase_fiducials(image, white)
    return white
