"""From a picture to detections: prepare it, find the pieces, fit them from the table upward, and doubt unclear ones."""

import math
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np

from calibration.arrays import Floats, Picture
from calibration.pose import Pose
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Kit
from companion.game.readings import ANOTHER_BELOW, CHANCE_WRONG, DECIDED, SURE, TOLD_ODDS, Kind
from companion.game.says import Says
from vision.measure import bodies, cube_fit, disk_fit, hands, white_squares
from vision.measure.colors import Colors, colors_of
from vision.measure.cube_fit import measured_share, show_dice
from vision.measure.disk_fit import rim_shift_px
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import LightBuffer, PreparedImage, prepare
from vision.measure.room_light import saturation_level, with_edge_shifts, with_lights
from vision.tables.eyes import eye_owner, support
from vision.tables.eyes.checks import (
    ON_IT,
    cm2,
    doubt_covered,
    must_hide_no_samurai,
    must_not_be_swapped,
    must_show_pieces,
)
from vision.tables.eyes.die_doubts import (
    ASTRAY,
    doubt_blurred,
    doubt_leaning,
    is_cube,
    judge_raised_dice,
    keep_cubes,
)
from vision.tables.eyes.die_poses import base_height_mm, stand_die
from vision.tables.eyes.disk_doubts import doubt_heaped, doubt_heights, doubt_raised, doubt_unexplained
from vision.tables.eyes.hidden_disks import (
    doubt_overlapping,
    find_leaning_disks,
    find_slivers,
    is_part_of_leaning,
)
from vision.tables.eyes.hideouts import DieHideout, find_hideouts
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.ninjas import read_ninjas
from vision.tables.eyes.pieces import Detection, Shapes, is_above, shared_mm2
from vision.tables.eyes.samurai import find_samurai
from vision.tables.eyes.stacking import drop_coinciding, find_layers, lay_likelier, stack_samurai


@dataclass(frozen=True, eq=False)
class Detections:
    """All detections in one picture. `rests_on`: (upper, lower, confidence), as indices of `pieces`."""

    pose: Pose
    image: PreparedImage
    colors: Colors
    pieces: list[Detection]
    rests_on: list[tuple[int, int, float]]
    hideouts: tuple[DieHideout, ...] = ()
    """Possible hiding places of an empire die that was not found."""


def detect_pieces(
    picture: Picture,
    pose: Pose,
    kit: Kit,
    shapes: Shapes,
    store: LightBuffer | None = None,
) -> Detections:
    """The pieces of a picture. Arrays in `store` are valid until the next picture."""
    image, colors, territories, dice = find_dice(picture, pose, kit, shapes, store)
    samurai = find_samurai(image, colors, shapes, kit, territories)
    stood = keep_cubes(image, [stand_die(image, die, territories) for die in dice], samurai)
    pieces, rests_on = _settled(image, colors, shapes, territories, stood, samurai)
    pieces = doubt_heaped(image, doubt_unexplained(image, colors, pieces), rests_on)
    count_each = kit.piece(Kind.EMPIRE_DIE).count_each
    is_die_missed = sum(piece.kind is Kind.EMPIRE_DIE for piece in pieces) < 2 * count_each
    if is_die_missed:
        pieces = doubt_raised(image, shapes, pieces)
    pieces = doubt_heights(pieces, rests_on)
    ninjas_seen = read_ninjas(image, colors, shapes, pieces)
    image = eye_owner.with_black_tops(image, ninjas_seen)
    pieces = judge_raised_dice(image, colors, shapes, pieces, ninjas_seen, 2 * count_each)
    over = [piece for piece in pieces if piece.is_leaning] + ninjas_seen
    standing = [piece for piece in pieces if piece.kind is not Kind.TERRITORY] + ninjas_seen
    pieces = [_marked(image, piece, over, standing) if piece.kind is Kind.EMPIRE_DIE else piece for piece in pieces]
    must_hide_no_samurai(image, colors, pieces + ninjas_seen)
    pieces = _owned(doubt_covered(image, colors, pieces, ninjas_seen), count_each)
    pieces = doubt_leaning(pieces + ninjas_seen)
    pieces = [_bare(image, piece) for piece in pieces]
    pieces = doubt_blurred(image, pieces)
    hideouts = find_hideouts(image, colors, shapes, pieces) if is_die_missed else ()
    return Detections(pose, image, colors, pieces, rests_on, hideouts)


def find_dice(
    picture: Picture, pose: Pose, kit: Kit, shapes: Shapes, store: LightBuffer | None = None
) -> tuple[PreparedImage, Colors, list[Detection], list[Detection]]:
    """The prepared picture with its colors, the territories, and the empire dice as if all stood level.

    Raises: ReadingError: a hand is in view, or the picture cannot be read.
    """
    image = prepare(picture, pose, kit, store)
    colors = colors_of(image)
    must_show_pieces(image, colors)
    _no_hand(image, colors)
    territories = _territories(image, colors, shapes)
    must_not_be_swapped(image, colors, territories)
    places = {t.color or "red": t.place for t in territories}
    image = replace(image, rim_shift_px=rim_shift_px(image, shapes.territory, places))
    territories = _fitted(image, shapes, list(places.items()))
    image, dice = _dice(image, colors, shapes, territories)
    return image, colors, territories, dice


def _no_hand(image: PreparedImage, colors: Colors) -> None:
    """Raises: ReadingError(hand_in_view)."""
    known = np.asarray(cv2.dilate(colors.red | colors.blue | colors.white, np.ones((5, 5), np.uint8)), np.uint8)
    area = hands.hand_mm2(image, known)
    if area > SHARED.min_hand_mm2:
        raise ReadingError(
            ReadingFault.HAND_IN_VIEW,
            Says(
                "a hand, a sleeve or a deep shadow covers about {area} cm2 of the play area: take it away and "
                "read again",
                {"area": cm2(area)},
            ),
        )


def _marked(
    image: PreparedImage,
    die: Detection,
    over: list[Detection],
    standing: list[Detection],
) -> Detection:
    """A die with its owner and eye. `over`: pieces perhaps on it; `standing`: perhaps before its sides."""
    side_mm = 2 * die.solid.half_height_mm
    above = [o for o in over if (o.is_leaning or is_above(o, die)) and shared_mm2(die, o) > LIMITS.small_mm2]
    beside = [o for o in standing if o is not die and bodies.apart_mm(o.place, die.place) < 2 * side_mm]
    image = replace(
        image,
        covers=tuple(_outline_px(image, other) for other in above),
        standing=tuple((other.place.middle_mm, _outline_px(image, other)) for other in beside),
    )
    odds, is_up, reason = eye_owner.read_eye(image, die.solid, die.place)
    if die.doubt_mm >= LIMITS.same_mm and not is_up:
        return replace(die, reason=eye_owner.COVERED)
    if die.raised is not None:
        other, other_up, _ = eye_owner.read_eye(image, die.solid, die.raised)
        if is_up != other_up:
            is_up, reason = None, ASTRAY
        odds = (odds + other) / 2  # both places are equally likely
    most = TOLD_ODDS if is_up else DECIDED - 1  # a side alone decides no owner
    odds = min(max(odds, -most), most)
    return replace(die, red_odds=odds, marked_up=is_up, reason=reason)


def _bare(image: PreparedImage, piece: Detection) -> Detection:
    """A doubtful die without a visible eye: then certainly no eye is up."""
    is_told = piece.marked_up or (piece.marked_up is False and piece.confidence >= SURE)
    if piece.kind is not Kind.EMPIRE_DIE or is_told or piece.reason in eye_owner.PERHAPS or image.is_coarse_jpeg:
        return piece
    if piece.reason == ON_IT and piece.doubt_mm < LIMITS.same_mm:  # a white object may hide an eye
        return piece
    if not eye_owner.shows_no_eye(image, piece.solid, piece.place):
        return piece
    return replace(piece, marked_up=False, confidence=1.0, reason=piece.reason if piece.color is None else None)


def _outline_px(image: PreparedImage, piece: Detection) -> Floats:
    return bodies.silhouette(image.view, piece.solid, piece.place).pixels


def _owned(pieces: list[Detection], count_each: int) -> list[Detection]:
    """The pieces, with the owners of dice that one picture decides: by all odds, with `count_each` dice of each."""
    dice = [i for i, piece in enumerate(pieces) if piece.kind is Kind.EMPIRE_DIE]
    ways = [
        (math.exp(sum(pieces[i].red_odds * (is_red - 0.5) for i, is_red in zip(dice, way, strict=True))), way)
        for way in product((True, False), repeat=len(dice))
        if max(way.count(True), way.count(False)) <= max(count_each, len(dice) - count_each)
    ]
    whole = sum(chance for chance, _ in ways)
    owned = list(pieces)
    for k, i in enumerate(dice):
        red = sum(chance for chance, way in ways if way[k])
        color = "red" if whole - red < CHANCE_WRONG * whole else "blue" if red < CHANCE_WRONG * whole else None
        is_told = color is not None and pieces[i].marked_up is not None
        owned[i] = replace(pieces[i], color=color, reason=None if is_told else pieces[i].reason)
    return owned


def _territories(image: PreparedImage, colors: Colors, shapes: Shapes) -> list[Detection]:
    seen = []
    for color in ("red", "blue"):
        circle = disk_fit.find_large_disk(colors.of(color), shapes.territory.radius_mm)
        if circle is not None:
            x, y = image.to_table(np.array([circle.column, circle.row]))
            place = bodies.upright(x, y, shapes.territory.half_height_mm)
            seen.append((color, place))
    return _fitted(image, shapes, seen)


def _fitted(image: PreparedImage, shapes: Shapes, seen: list[tuple[str, bodies.Place]]) -> list[Detection]:
    """The territories at these places with enough visible rim."""
    fits = disk_fit.fit_disks(image, shapes.territory, [place for _, place in seen], [color for color, _ in seen])
    return [
        Detection(Kind.TERRITORY, color, shapes.territory, fit)
        for (color, _), fit in zip(seen, fits, strict=True)
        if fit.coverage > LIMITS.some
    ]


def _dice(
    image: PreparedImage, colors: Colors, shapes: Shapes, territories: list[Detection]
) -> tuple[PreparedImage, list[Detection]]:
    """The image with the light's direction and the camera's saturation, and white dice, fitted flat on the table."""
    side = 2 * shapes.empire_die.half_height_mm
    places = []
    for square in white_squares.find_squares(image, colors, side):
        at = np.array([square.x_mm, square.y_mm])
        under = base_height_mm(image.at_height(at, side), territories)
        x, y = image.at_height(at, side + under)
        places.append(bodies.upright(x, y, side / 2 + under, square.angle_deg))
    if not places:
        return image, []
    die = shapes.empire_die
    places = [fit.place for fit in cube_fit.fit_cubes(image, die, places, rounds=1)]
    image = replace(image, saturation=saturation_level(image, die, places))
    shown = cube_fit.relocated(image, die, show_dice(image, die, places))
    image = with_lights(image, die, shown.places, [(land.solid, land.place) for land in territories])
    fits = cube_fit.fit_shown(image, die, shown)
    shown = show_dice(image, die, [fit.place for fit in fits])
    image = with_edge_shifts(image, die, shown, [fit.residual_px < LIMITS.max_level_misfit for fit in fits])
    fits = cube_fit.fit_shown(image, die, shown)
    found = [
        Detection(Kind.EMPIRE_DIE, None, die, fit, is_cube=is_cube(share, fit))
        for share, fit in zip(measured_share(shown).tolist(), fits, strict=True)
    ]
    return image, [found[i] for i in drop_coinciding(found)]


def _settled(
    image: PreparedImage,
    colors: Colors,
    shapes: Shapes,
    territories: list[Detection],
    dice: list[Detection],
    samurai: list[Detection],
) -> tuple[list[Detection], list[tuple[int, int, float]]]:
    """The pieces with their supports, fitted from the table upward."""
    stood, steep = find_leaning_disks(image, shapes, dice, samurai, territories)
    samurai = [replace(disk, flat=disk) for disk in samurai if not is_part_of_leaning(disk, steep, stood)]
    laid, uppers = _laid(image, samurai, territories)
    slivers = find_slivers(image, colors, shapes, [*territories, *stood, *steep, *laid])
    if slivers:
        samurai += [replace(disk, flat=disk) for disk in slivers]
        laid, uppers = _laid(image, samurai, territories)
    kept = drop_coinciding(laid)
    uppers = {(kept.index(i), kept.index(j)): c for (i, j), c in uppers.items() if i in kept and j in kept}
    stood, lying = doubt_overlapping(stood, [laid[i] for i in kept])
    first = len(territories) + len(stood)
    rests = [(first + i, first + j, c) for (i, j), c in uppers.items()]
    for i, upper in enumerate(steep):
        under = [j for j, lower in enumerate(lying) if shared_mm2(upper, lower) > LIMITS.small_mm2]
        rests += [(first + len(lying) + i, first + j, LIMITS.most) for j in under]
        if any(lying[j].color == upper.color for j in under):  # samurai that lean over others may hide another samurai
            steep[i] = replace(upper, reason=ANOTHER_BELOW)
    return territories + stood + lying + steep, rests


def _laid(
    image: PreparedImage, samurai: list[Detection], territories: list[Detection]
) -> tuple[list[Detection], dict[tuple[int, int], float]]:
    """Samurai on each other and on the territories; also the confidence of each pair (upper, lower)."""
    base = [support.support_of(t.solid, t.place) for t in territories]
    uppers, laid = stack_samurai(image, samurai, base, find_layers(image, samurai))
    return lay_likelier(image, [laid[i] for i in range(len(samurai))], territories), uppers
