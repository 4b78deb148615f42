"""One frame's way through: pose, view from above, pieces found, fitted from the table upward, margins measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.pose import Pose
from companion.errors import ReadingError, ReadingFault
from companion.kit import Kit
from companion.readings import Kind
from vision.dice_face import FaceReader
from vision.dice_table import die_at
from vision.eyes import (
    afloat,
    beyond,
    bodies,
    circles,
    cubes,
    hands,
    inks,
    lone,
    ninjas,
    rims,
    soft,
    support,
    twins,
    upheld,
)
from vision.eyes.bearing import find_bearing
from vision.eyes.behind import ones_in_doubt
from vision.eyes.bodies import apart_mm
from vision.eyes.color import Colors, colors_of
from vision.eyes.cutoff import camera_end
from vision.eyes.foreign import foreign_mask, strike
from vision.eyes.genuine import doubted, genuine, has_corners, is_cube
from vision.eyes.hidden import find_hidden
from vision.eyes.laying import find_layers, in_places_apart, laid_likelier, lay_samurai
from vision.eyes.leaning import borne_mm, find_half_hidden, find_propped, is_taken, said_to_lean, stand_die
from vision.eyes.mat import must_not_be_swapped, must_show_pieces
from vision.eyes.mirrored import Mirrors
from vision.eyes.perched import perched
from vision.eyes.pieces import (
    LEANS_MM,
    PROPPED_CONFIDENCE,
    SHARED_MM2,
    Found,
    Shapes,
    is_above,
    is_in_die,
    radius_mm,
    shared_mm2,
)
from vision.eyes.raised import Raised
from vision.eyes.ridges import met, shown_of
from vision.eyes.rim_colors import rims_px
from vision.eyes.samurai import find_samurai
from vision.eyes.sight import LightStore, Sight, see
from vision.eyes.slant import aglow, slanted
from vision.eyes.tipped import LEANING, tipped
from vision.eyes.tipping import tipped_over
from vision.eyes.tops import BESIDE
from vision.readers import Picture

LEAN_DEPTH_MM, OUTSIDE_MM = 0.8, 0.5
"""A ninja that reaches so far over a rim is no longer just badly placed, with its middle so far beside the disk."""
CLEAR_PIPS = 0.87
"""Pips that match their pattern so well (correlation) need no second opinion ..."""
BORNE_OUT = 0.4
"""... and else the dice reader must give their value at least this chance."""
STANDS_PX = 1.0
"""Dice whose edges fit worse, in sigmas, may lean: they do not tell of the glow."""
BEARS_DEG = 8.0
"""What leans more bears no ninja that lies level, and a ninja on its rim lies in no way that is known."""
UNCLEAR = "its pips are not clear"
HIDDEN_ROUNDS = 2
"""Hidden samurai are looked for again where some were found: others may have been mistaken for them."""


@dataclass(frozen=True, eq=False)
class Looked:
    """All that one picture shows; `rests_on` holds (upper, lower, confidence) as indices of `pieces`."""

    pose: Pose
    sight: Sight
    colors: Colors
    pieces: list[Found]
    rests_on: list[tuple[int, int, float]]


def look(
    picture: Picture,
    pose: Pose,
    kit: Kit,
    shapes: Shapes,
    store: LightStore | None = None,
    faces: FaceReader | None = None,
) -> Looked:
    """The pieces of a picture. What `store` holds of it is good until the next picture; with `faces` the dice reader is
    asked about a ninja's value that its pips do not show clearly."""
    sight = see(picture, pose, kit, store)
    colors = colors_of(sight)
    must_show_pieces(sight, colors)
    _no_hand(sight, colors)
    territories = _territories(sight, colors, shapes)
    must_not_be_swapped(sight, colors, territories)
    sight = replace(sight, rim_px=rims_px(sight, territories))
    territories = _fitted(sight, shapes, [(t.color or "red", t.place) for t in territories])
    sight, dice = _dice(sight, colors, shapes, territories)
    samurai, edges = find_samurai(sight, colors, shapes, kit, territories)
    stood = doubted(genuine(sight, [stand_die(sight, die, territories) for die in dice], samurai))
    pieces, rests_on = _settled(sight, colors, shapes, territories, stood, samurai)
    changed: list[Found] | None = None
    for _ in range(HIDDEN_ROUNDS):
        hidden, mistaken = find_hidden(sight, colors, shapes, edges, pieces, rests_on, changed)
        if not hidden:
            break
        changed = hidden + mistaken
        samurai = _without(samurai, mistaken) + hidden
        pieces, rests_on = _settled(sight, colors, shapes, territories, stood, samurai)
    pieces = beyond.doubted(sight, colors, pieces)
    judged = perched(sight, colors, shapes, pieces, {upper for upper, _, _ in rests_on})
    pieces, rests_on = twins.told_apart(sight, shapes, pieces, judged, rests_on)
    pieces = lone.doubted(pieces)
    ninjas_seen = _ninjas(sight, colors, shapes, pieces)
    if faces is not None:
        ninjas_seen = _asked(picture, pose, ninjas_seen, faces)
    count_each = kit.piece(Kind.EMPIRE_DIE).count_each
    bearing, ninjas_seen = find_bearing(sight, colors, shapes, pieces, ninjas_seen, 2 * count_each)
    pieces = upheld.raised(sight, colors, shapes, pieces + bearing, ninjas_seen, 2 * count_each)
    over = [piece for piece in pieces if piece.is_propped] + ninjas_seen
    places = [piece.place for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    mirrors = Mirrors(sight, shapes.empire_die, places)
    pieces = [_marked(sight, piece, over, mirrors) if piece.kind is Kind.EMPIRE_DIE else piece for piece in pieces]
    pieces = ones_in_doubt(sight, upheld.leaning(_owned(pieces, count_each) + ninjas_seen))
    pieces = afloat.doubted(sight, colors, shapes, soft.doubted(sight, pieces))
    return Looked(pose, sight, colors, pieces, rests_on)


def _without(flat: list[Found], laid: list[Found]) -> list[Found]:
    """The samurai as they were found without those that were laid."""
    return [disk for disk in flat if not any(disk is other.flat for other in laid)]


def _no_hand(sight: Sight, colors: Colors) -> None:
    """Raises: ReadingError(hand_in_view)."""
    known = cv2.dilate(colors.red | colors.blue | colors.white, np.ones((5, 5), np.uint8))
    area = hands.hand_mm2(sight, known)
    if area > hands.LEAST_MM2:
        raise ReadingError(
            ReadingFault.HAND_IN_VIEW,
            f"a hand, a sleeve or a deep shadow covers about {area / 100:.0f} cm2 of the play area: take it away and "
            "read again",
        )


def _marked(sight: Sight, die: Found, over: list[Found], mirrors: Mirrors) -> Found:
    """A die with what its faces show; `over`: samurai that lean on dice, and ninjas, which may stand on one."""
    above = [o for o in over if (o.is_propped or is_above(o, die)) and shared_mm2(die, o) > SHARED_MM2]
    covers = tuple(bodies.silhouette(sight.view, other.solid, other.place).pixels for other in above)
    sight = replace(sight, covers=covers)
    owner, is_up, reason = inks.mark_of(sight, die.solid, die.place, mirrors.may_hide_an_eye)
    if die.spread_mm >= LEANS_MM and not is_up:
        return replace(die, reason=inks.COVERED)
    if die.raised is not None:
        other, other_up, _ = inks.mark_of(sight, die.solid, die.raised, lambda _: mirrors.may_hide_an_eye(die.place))
        if (owner, is_up) != (other, other_up):
            owner, is_up = owner if owner == other else None, is_up if is_up == other_up else None
            reason = upheld.ASTRAY
    return replace(die, color=owner, marked_up=is_up, reason=reason)


def _owned(pieces: list[Found], count_each: int) -> list[Found]:
    """Where one side's dice are all seen, a die whose colour is not told is the other side's: the set has no more."""
    owners = [piece.color for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    whole = [color for color in ("red", "blue") if owners.count(color) == count_each]
    if len(whole) != 1 or len(owners) > 2 * count_each:
        return pieces
    other = "blue" if whole[0] == "red" else "red"
    return [
        replace(piece, color=other, reason=None if piece.marked_up is not None else piece.reason)
        if piece.kind is Kind.EMPIRE_DIE and piece.color is None
        else piece
        for piece in pieces
    ]


def _ninjas(sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found]) -> list[Found]:
    foreign = foreign_mask(sight, colors)
    dice = [piece for piece in pieces if piece.kind is Kind.EMPIRE_DIE]
    for die in dice:
        strike(sight, foreign, die.solid, die.place)
    raised = [Raised.of(piece) for piece in pieces if piece.tilt_deg < BEARS_DEG]
    found = []
    side_mm = 2 * shapes.ninja.half_height_mm
    for top in ninjas.find_ninjas(sight, colors, foreign, shapes.ninja, raised):
        at = sight.at_height(top.seen_mm(sight, side_mm), side_mm)
        if top.value is None and is_in_die(at, dice):
            continue  # a die's own shadow: nothing stands in a die
        fit = rims.Fit(top.place(shapes.ninja), np.diag([0.1, 0.1, 1.0, 0.1, 0.1, 0.01]), 1.0, 1.0, 1.0, 0.0)
        ninja = Found(Kind.NINJA, "black", shapes.ninja, fit, value=top.value, confidence=top.score, reason=top.reason)
        found.append(_leaned(sight, ninja, [p for p in pieces if p.solid.is_round and p.tilt_deg < BEARS_DEG]))
    return found


def _leaned(sight: Sight, ninja: Found, disks: list[Found]) -> Found:
    """A ninja that seems to stand, laid on the rim that it leans on: its value does not count then."""
    for disk in disks:
        if is_above(ninja, disk) or not _is_outside(ninja, disk):
            continue
        place = tipped(sight, ninja.solid, ninja.place, disk, disks)
        if place is not None or _hangs_over(ninja, disk):
            fit = ninja.fit if place is None else replace(ninja.fit, place=place)
            return replace(ninja, fit=fit, value=None, reason=LEANING)
    return ninja


def _asked(picture: Picture, pose: Pose, found: list[Found], faces: FaceReader) -> list[Found]:
    """The ninjas, without the values that the dice reader does not bear out where the pips are not clear, and without
    those that stand in one whose value is clear: what lies between two dice may look like one."""
    side_mm = 2 * found[0].solid.half_height_mm if found else 0.0
    unclear = [k for k, ninja in enumerate(found) if ninja.value is not None and ninja.confidence < CLEAR_PIPS]
    places = [found[k].place for k in unclear]
    boxes = [
        die_at(pose, (x, y), place.angle_deg, side_mm, z - side_mm / 2)
        for place in places
        for x, y, z in [place.middle_mm.tolist()]
    ]
    kept = list(found)
    for k, chances in zip(unclear, faces.look(picture, boxes), strict=True):
        if chances[kept[k].value or 0] < BORNE_OUT:
            kept[k] = replace(kept[k], value=None, reason=UNCLEAR)
    clear = [ninja for ninja in kept if ninja.value is not None]
    return [n for n in kept if n.reason != UNCLEAR or all(apart_mm(n.place, o.place) > BESIDE * side_mm for o in clear)]


def _is_outside(ninja: Found, disk: Found) -> bool:
    """Whether the middle of a ninja lies beside a disk: it cannot stand on it."""
    return apart_mm(ninja.place, disk.place) > radius_mm(disk) + OUTSIDE_MM


def _hangs_over(ninja: Found, disk: Found) -> bool:
    """Whether a ninja lies far over a disk's rim."""
    depth_mm = bodies.depth_in_disk(ninja.solid, ninja.place, disk.place.middle_mm[:2], radius_mm(disk))
    return depth_mm > LEAN_DEPTH_MM


def _territories(sight: Sight, colors: Colors, shapes: Shapes) -> list[Found]:
    seen = []
    for color in ("red", "blue"):
        circle = circles.find_territory(colors.of(color), shapes.territory_radius_mm)
        if circle is not None:
            x, y = sight.to_table(np.array([circle.column, circle.row]))
            place = bodies.upright(x, y, shapes.territory.half_height_mm)
            seen.append((color, rims.coarse(sight, shapes.territory, place, 9.0)))
    return _fitted(sight, shapes, seen)


def _fitted(sight: Sight, shapes: Shapes, seen: list[tuple[str, bodies.Place]]) -> list[Found]:
    """The territories at these places of which enough is seen."""
    fits = rims.fit_disks(sight, shapes.territory, [place for _, place in seen], [color for color, _ in seen], rounds=2)
    return [
        Found(Kind.TERRITORY, color, shapes.territory, fit)
        for (color, _), fit in zip(seen, fits, strict=True)
        if fit.coverage > 0.25
    ]


def _dice(sight: Sight, colors: Colors, shapes: Shapes, territories: list[Found]) -> tuple[Sight, list[Found]]:
    """White dice taken to lie flat, and the sight that knows from them where the light comes from and the camera
    ends."""
    side = 2 * shapes.empire_die.half_height_mm
    places = []
    for square in cubes.find_squares(sight, colors, side):
        at = np.array([square.x_mm, square.y_mm])
        under = borne_mm(sight.at_height(at, side), territories)
        x, y = sight.at_height(at, side + under)
        places.append(bodies.upright(x, y, side / 2 + under, square.angle_deg))
    if not places:
        return sight, []
    die = shapes.empire_die
    places = [fit.place for fit in cubes.fit_cubes(sight, die, places, rounds=1)]
    sight = replace(sight, end=camera_end(sight, die, places))
    shown = shown_of(sight, die, places)
    shown = cubes.found_again(sight, die, shown)
    are_square = has_corners(sight, die, list(shown.places))
    if not are_square.any():
        return sight, []
    if not are_square.all():
        shown = shown_of(sight, die, [place for place, is_one in zip(shown.places, are_square, strict=True) if is_one])
    sight = slanted(sight, die, shown)
    fits = cubes.fit_shown(sight, shown)
    shown = shown_of(sight, die, [fit.place for fit in fits])
    sight = aglow(sight, shown, [fit.residual_px < STANDS_PX for fit in fits])
    fits = cubes.fit_shown(sight, shown)
    are_cubes = [is_cube(share, fit) for share, fit in zip(met(shown).tolist(), fits, strict=True)]
    return sight, [
        Found(Kind.EMPIRE_DIE, None, die, fit, is_cube=is_one) for fit, is_one in zip(fits, are_cubes, strict=True)
    ]


def _settled(
    sight: Sight, colors: Colors, shapes: Shapes, territories: list[Found], dice: list[Found], samurai: list[Found]
) -> tuple[list[Found], list[tuple[int, int, float]]]:
    """The pieces laid on each other from the table upward."""
    base = [support.support_of(t.solid, t.place) for t in territories]
    stood, steep = find_propped(sight, shapes, dice, samurai, territories)
    hidden, leaning = find_half_hidden(sight, colors, shapes, stood, territories)
    stood, steep = stood + hidden, steep + leaning
    samurai = [replace(disk, flat=disk) for disk in samurai if not is_taken(disk, steep, stood)]
    uppers, laid = lay_samurai(sight, samurai, base, find_layers(sight, samurai))
    laid = tipped_over(sight, laid, base, uppers)
    laid = dict(enumerate(laid_likelier(sight, [laid[i] for i in range(len(samurai))], territories)))
    kept = in_places_apart([laid[i] for i in range(len(samurai))])
    uppers = {(kept.index(i), kept.index(j)): c for (i, j), c in uppers.items() if i in kept and j in kept}
    laid = {k: laid[i] for k, i in enumerate(kept)}
    stood, lying = said_to_lean(stood, [laid[i] for i in range(len(kept))])
    pieces = territories + stood + lying + steep
    first = len(territories) + len(stood)
    rests = [(first + i, first + j, c) for (i, j), c in uppers.items()]
    for i, upper in enumerate(steep):
        under = [j for j, lower in enumerate(lying) if shared_mm2(upper, lower) > SHARED_MM2]
        rests += [(first + len(lying) + i, first + j, PROPPED_CONFIDENCE) for j in under]
    return pieces, rests
