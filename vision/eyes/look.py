"""One frame's way through: pose, view from above, pieces found, fitted from the table upward, margins measured."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from calibration.pose import Pose
from companion.errors import ReadingError, ReadingFault
from companion.kit import Kit
from companion.readings import Kind
from vision.eyes import bodies, circles, cubes, hands, inks, ninjas, propped, rims, stand, support
from vision.eyes.bodies import Place, Solid
from vision.eyes.circles import Circle
from vision.eyes.color import Colors, colors_of
from vision.eyes.sight import STEP_MM, Floats, LightStore, Mask, Sight, see
from vision.scene import BEVEL_MM


@dataclass(frozen=True, eq=False)
class Shapes:
    """The kit's pieces as solids."""

    territory: Solid
    samurai: Solid
    empire_die: Solid
    ninja: Solid
    territory_radius_mm: float
    samurai_radius_mm: float

    @classmethod
    def of(cls, kit: Kit) -> Shapes:
        territory, samurai = kit.piece(Kind.TERRITORY), kit.piece(Kind.SAMURAI)
        return cls(
            bodies.disk(territory.size_mm("diameter"), territory.size_mm("height"), BEVEL_MM[Kind.TERRITORY], 240),
            bodies.disk(samurai.size_mm("diameter"), samurai.size_mm("height"), BEVEL_MM[Kind.SAMURAI], 48),
            bodies.cube(kit.piece(Kind.EMPIRE_DIE).size_mm("side"), BEVEL_MM[Kind.EMPIRE_DIE]),
            bodies.cube(kit.piece(Kind.NINJA).size_mm("side"), BEVEL_MM[Kind.NINJA]),
            territory.size_mm("diameter") / 2,
            samurai.size_mm("diameter") / 2,
        )


@dataclass(frozen=True, eq=False)
class Found:
    """A piece found: what it is, where, and how well it is known."""

    kind: Kind
    color: str | None
    solid: Solid
    fit: rims.Fit
    under: support.Under = field(default_factory=lambda: support.Under(0.0, 0.0, 0.0))
    value: int | None = None
    marked_up: bool | None = None
    confidence: float = 1.0
    reason: str | None = None
    spread_mm: float = 0.0
    is_crescent: bool = False
    is_propped: bool = False

    @property
    def place(self) -> Place:
        return self.fit.place

    @property
    def tilt_deg(self) -> float:
        """How far it leans: a disk's own axis, a cube's most upward one."""
        if not self.solid.is_round:
            return self.place.tilt_deg
        return float(np.degrees(np.arccos(min(1.0, abs(self.place.axes[2, 2])))))

    @property
    def outline_mm(self) -> Floats:
        return bodies.footprint(self.solid, self.fit.place)


@dataclass(frozen=True, eq=False)
class Looked:
    """All that one picture shows; `rests_on` holds (upper, lower, confidence) as indices of `pieces`."""

    pose: Pose
    sight: Sight
    colors: Colors
    pieces: list[Found]
    rests_on: list[tuple[int, int, float]]


NEAR_MM = 20.0
"""Pairs nearer than this are measured."""
ALTERNATIVE_MM = 1.5
"""A piece nearer to a rim than this may lie on it or beside it: both are tried."""
CRESCENT_MM2, CRESCENT_SUPPORT, CRESCENT_MM = 40.0, 0.06, 0.3
"""A crescent of this area, with so much of a rim, tells of a samurai under others, known to this error."""
CRESCENT_DEEP_PX = 1.4
"""Thinner crescents are walls or blurred rims."""
CRESCENT_GAP_MM = 4.0
"""Colour so near to a samurai may be of one below it."""
UNSEEN_MM, UNSEEN_CONFIDENCE = 0.6, 0.7
"""A samurai that lies on another that was not found is seen so far from where it is."""
LITTLE_RIM = 0.3
"""A samurai of whose rim less is seen is held near where its crescent says."""
LEANS_MM = 3.0
"""Two pieces that seem to stand in one another lean on each other: neither is known better than this."""
RIM_WORTH = 180.0
"""A whole rim's mean square (pixels) counts so often as the logarithm of a likelihood: its samples err together."""
WAY_SIGMA_MM = 0.14
"""A footprint contradicts the way in which a samurai lies with this standard error."""
SWAP_AHEAD = 0.4
"""The other way is taken when it is likelier by this logarithm."""
RIVAL_SHARE = 0.35
"""The part of the difference to the other way of lying that stays open near a rim."""
LEAST_RIM, SURE_SUPPORT = 0.33, 0.4
"""A circle with fewer votes must show so much of its rim in the picture itself."""
TWIN_MM = 4.0
"""Two circles nearer than this and of one colour are one disk's two rims."""
LEAN_DEPTH_MM = 0.8
"""A ninja that reaches so far over a rim is no longer just badly placed."""
TOUCH_MM = 0.05
"""Disks that overlap by less only touch."""
CRESCENT_SURE = 0.85
"""How sure it is that a samurai of which a crescent is seen lies under the one of its colour that covers its middle."""
UNSURE = 0.6
"""Below this confidence in which of two samurai lies above, both ways are laid."""
EVEN = 0.51
"""At most this confidence comes from a pair that shows no rim across at all."""
LEAST_GAIN = 0.15
"""The other way must show so much more of the two rims (shares summed)."""
ALIKE_MM = 0.1
"""Places nearer than this are the same."""
LAID_MM, RIM_MM = 0.15, 15.0
"""A disk whose underside moves by less, as far out as its rim, lies."""
MOST_SWAPS = 3
"""Pairs of one table laid the other way, at most."""
INTO_MM = 1.0
"""A disk cannot stand in a die: where it seems to by more, it leans, or the die does."""
PROPPED_MM, PROPPED_CONFIDENCE = 0.25, 0.8
"""What the fit of a samurai leaning on a die does not show of its own error, and how sure it is that it leans there."""
BARED_MM, HALF_HIDDEN_MM = 0.3, 0.8
"""A die under leaning samurai is known worse than its edges say, and one of which little is seen worse still."""
HALF_HIDDEN_PX = 1.5
"""A die under one leaning samurai is one whose edges that are seen fit at least so well."""
PROPPED_NEAR_MM = 16.0
"""What was taken for a lying samurai may be one that leans on a die as near as this."""
SHARED_MM2 = 3.0
"""Pieces whose footprints share more lie on each other."""
CLOSE_MM = 14.0
"""Two circles nearer than this must both show rims of their own."""


def look(picture: np.ndarray, pose: Pose, kit: Kit, shapes: Shapes, store: LightStore | None = None) -> Looked:  # type: ignore[type-arg]
    """The pieces of a picture. What `store` holds of it is good until the next picture."""
    sight = see(picture, pose, kit, store)
    colors = colors_of(sight)
    _no_hand(sight, colors)
    pieces = _territories(sight, colors, shapes)
    dice = _dice(sight, colors, shapes, kit)
    samurai = _samurai(sight, colors, shapes, kit, pieces)
    pieces, rests_on = _settled(sight, colors, shapes, pieces, dice, samurai)
    steep = [piece for piece in pieces if piece.is_propped]
    pieces = [_marked(sight, piece, steep) if piece.kind is Kind.EMPIRE_DIE else piece for piece in pieces]
    pieces = _owned(pieces, kit.piece(Kind.EMPIRE_DIE).count_each)
    pieces += _ninjas(sight, colors, shapes, pieces)
    return Looked(pose, sight, colors, pieces, rests_on)


def _no_hand(sight: Sight, colors: Colors) -> None:
    """Raises: ReadingError(hand_in_view)."""
    known = cv2.dilate(colors.red | colors.blue | colors.white, np.ones((5, 5), np.uint8))
    area = hands.hand_mm2(sight, colors, known)
    if area > hands.LEAST_MM2:
        raise ReadingError(
            ReadingFault.HAND_IN_VIEW,
            f"a hand or a sleeve covers about {area / 100:.0f} cm2 of the play area: take it away and read again",
        )


def _marked(sight: Sight, die: Found, steep: list[Found]) -> Found:
    above = [disk for disk in steep if _shared_mm2(die, disk) > SHARED_MM2]
    covers = tuple(bodies.silhouette(sight.view, disk.solid, disk.place).pixels for disk in above)
    owner, is_up, reason = inks.mark_of(replace(sight, covers=covers), die.solid, die.place)
    if die.spread_mm >= LEANS_MM and not is_up:
        return replace(die, reason=inks.COVERED)
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
    foreign = ninjas.foreign_mask(sight, colors)
    disks = []
    for piece in pieces:
        if piece.kind is Kind.EMPIRE_DIE:
            ninjas.strike(sight, foreign, piece.solid, piece.place)
        elif piece.kind is Kind.TERRITORY:
            disks.append((piece.place.middle_mm[:2], shapes.territory_radius_mm, 2 * piece.solid.half_height_mm))
    found = []
    for top in ninjas.find_ninjas(sight, colors, foreign, shapes.ninja, disks):
        base = ninjas.height_at(top.x_mm, top.y_mm, disks)
        place = bodies.upright(top.x_mm, top.y_mm, base + shapes.ninja.half_height_mm, top.angle_deg)
        fit = rims.Fit(place, np.diag([0.1, 0.1, 1.0, 0.1, 0.1, 0.01]), 1.0, 1.0, 1.0, 0.0)
        ninja = Found(Kind.NINJA, "black", shapes.ninja, fit, value=top.value, confidence=top.score, reason=top.reason)
        if any(_hangs_over(ninja, disk) for disk in pieces if disk.solid.is_round):
            ninja = replace(ninja, value=None, reason="it leans on the rim of a disk")
        found.append(ninja)
    return found


def _hangs_over(ninja: Found, disk: Found) -> bool:
    """Whether a ninja lies on a disk's rim with its middle outside: nothing but the rim and the table holds it."""
    middle, radius = disk.place.middle_mm[:2], radius_mm(disk)
    is_outside = float(np.hypot(*(ninja.place.middle_mm[:2] - middle))) > radius + 0.5
    return is_outside and bodies.depth_in_disk(ninja.solid, ninja.place, middle, radius) > LEAN_DEPTH_MM


def _territories(sight: Sight, colors: Colors, shapes: Shapes) -> list[Found]:
    seen = []
    for color in ("red", "blue"):
        circle = circles.find_territory(colors.of(color), shapes.territory_radius_mm)
        if circle is not None:
            x, y = sight.to_table(np.array([circle.column, circle.row]))
            place = bodies.upright(x, y, shapes.territory.half_height_mm)
            seen.append((color, rims.coarse(sight, shapes.territory, place, 9.0)))
    fits = rims.fit_disks(sight, shapes.territory, [place for _, place in seen], [color for color, _ in seen], rounds=2)
    return [
        Found(Kind.TERRITORY, color, shapes.territory, fit)
        for (color, _), fit in zip(seen, fits, strict=True)
        if fit.coverage > 0.25
    ]


def _dice(sight: Sight, colors: Colors, shapes: Shapes, kit: Kit) -> list[Found]:
    side = 2 * shapes.empire_die.half_height_mm
    places = []
    for square in cubes.find_squares(sight, colors, side):
        xy = sight.at_height(np.array([square.x_mm, square.y_mm]), side)
        places.append(bodies.upright(xy[0], xy[1], side / 2, square.angle_deg))
    fits = cubes.fit_cubes(sight, shapes.empire_die, places, rounds=2)
    return [Found(Kind.EMPIRE_DIE, None, shapes.empire_die, fit) for fit in fits]


def _samurai(sight: Sight, colors: Colors, shapes: Shapes, kit: Kit, territories: list[Found]) -> list[Found]:
    radius = shapes.samurai_radius_mm
    kernel = np.ones((3, 3), np.uint8)
    near = cv2.dilate(colors.red | colors.blue, kernel, iterations=2)
    blind = cv2.dilate(colors.white, kernel, iterations=2)
    edges = circles.edges_of(sight, colors, near, blind)
    for t in territories:
        column, row = sight.to_grid(t.place.middle_mm[:2])
        edges = edges.without(circles.on_rim(edges, column, row, shapes.territory_radius_mm / STEP_MM, 2.2))
    most = 2 * kit.piece(Kind.SAMURAI).count_each + 6
    seen = circles.find_circles(edges, near.shape, radius / STEP_MM, 0.2, most)
    found: list[Found] = []
    colored = [(circle, color) for circle in seen if (color := _color_at(sight, colors, edges, circle, radius))]
    middles = [sight.at_height(sight.to_table(np.array([c.column, c.row])), 4.0) for c, _ in colored]
    places = [bodies.upright(x, y, shapes.samurai.half_height_mm) for x, y in middles]
    fits = rims.fit_disks(sight, shapes.samurai, places, [color for _, color in colored], rounds=2)
    for (circle, color), xy, fit in zip(colored, middles, fits, strict=True):
        if fit.coverage < (LEAST_RIM if circle.support < SURE_SUPPORT else 0.12) or fit.residual_px > 1.5:
            continue
        if np.hypot(*(fit.place.middle_mm[:2] - xy)) > 6.0:
            continue
        if _is_twin(fit, color, found):
            continue
        found.append(Found(Kind.SAMURAI, color, shapes.samurai, fit, confidence=min(1.0, circle.support)))
    for color in ("red", "blue"):
        left = _unexplained(sight, colors, shapes, [*territories, *found], color)
        more = (
            _crescents(
                sight, shapes, _not_rims(sight, shapes, edges, [*territories, *found], color), left, found, color
            )
            if left
            else []
        )
        found += more
        found = _lifted(
            sight, found, _unexplained(sight, colors, shapes, [*territories, *found], color) if more else left
        )
    return found


def _lifted(sight: Sight, samurai: list[Found], left: list[Mask]) -> list[Found]:
    """Samurai beside colour that nothing explains: one that was not found may carry them."""
    if not left:
        return samurai
    columns_rows = np.argwhere(np.any(left, axis=0))[:, ::-1].astype(np.float64)
    judged = []
    for disk in samurai:
        seen = sight.to_grid(sight.seen_at(disk.place.middle_mm[:2], float(disk.place.middle_mm[2]) + 2.0))
        beside = (radius_mm(disk) + CRESCENT_GAP_MM) / STEP_MM
        if np.hypot(*(columns_rows - seen).T).min() < beside:
            spread = float(np.hypot(disk.spread_mm, UNSEEN_MM))
            disk = replace(disk, spread_mm=spread, confidence=min(disk.confidence, UNSEEN_CONFIDENCE))
        judged.append(disk)
    return judged


def _crescents(
    sight: Sight, shapes: Shapes, edges: circles.EdgeMap, left: list[Mask], found: list[Found], color: str
) -> list[Found]:
    """Samurai of which little is seen beside those that lie on them: colour that nothing else explains."""
    radius = shapes.samurai_radius_mm / STEP_MM
    more: list[Found] = []
    at = edges.at.astype(int)
    for mine in left:
        near = cv2.dilate(mine, np.ones((5, 5), np.uint8))
        own = edges.without(near[at[:, 1], at[:, 0]] == 0)
        if len(own.at) < 8:
            continue
        board = circles.vote(own, mine.shape, radius)
        _, best, _, (column, row) = cv2.minMaxLoc(board)
        if best < CRESCENT_SUPPORT:
            continue
        xy = sight.at_height(sight.to_table(np.array([float(column), float(row)])), 4.0)
        place = bodies.upright(xy[0], xy[1], shapes.samurai.half_height_mm)
        fit = rims.fit_disk(sight, shapes.samurai, place, color, rounds=3, is_crescent=True)
        if fit.coverage < 0.06 or np.hypot(*(fit.place.middle_mm[:2] - xy)) > 6.0 or _is_twin(fit, color, found + more):
            continue
        more.append(
            Found(Kind.SAMURAI, color, shapes.samurai, fit, confidence=0.6, spread_mm=CRESCENT_MM, is_crescent=True)
        )
    return more


def _on_view(sight: Sight, shapes: Shapes, pieces: list[Found], color: str) -> list[tuple[float, float, float]]:
    """Where the view from above shows disks: the column and row of the middle and the radius in its pixels."""
    seen = []
    for piece in pieces:
        if piece.kind is Kind.TERRITORY and piece.color != color:
            continue
        column, row = sight.to_grid(sight.seen_at(piece.place.middle_mm[:2], float(piece.place.middle_mm[2]) + 2.0))
        radius = shapes.territory_radius_mm if piece.kind is Kind.TERRITORY else shapes.samurai_radius_mm
        seen.append((float(column), float(row), radius / STEP_MM))
    return seen


def _unexplained(sight: Sight, colors: Colors, shapes: Shapes, pieces: list[Found], color: str) -> list[Mask]:
    """What of a colour no disk found explains: each part that is large and broad enough to be a piece's."""
    left = colors.of(color).copy()
    for column, row, radius in _on_view(sight, shapes, pieces, color):
        cv2.circle(left, (round(column), round(row)), round(radius + 1.5), 0, -1)
    return large_parts(left)


def large_parts(left: Mask) -> list[Mask]:
    """The parts of a mask that are large and broad enough to be a piece's."""
    if cv2.countNonZero(left) * STEP_MM**2 < CRESCENT_MM2:
        return []
    deep = cv2.distanceTransform(left, cv2.DIST_L2, 3)
    if deep.max() < CRESCENT_DEEP_PX:
        return []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(left)
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] * STEP_MM**2 >= CRESCENT_MM2]
    masks = [labels == i for i in large]
    return [mask.astype(np.uint8) for mask in masks if deep[mask].max() >= CRESCENT_DEEP_PX]


def _not_rims(sight: Sight, shapes: Shapes, edges: circles.EdgeMap, pieces: list[Found], color: str) -> circles.EdgeMap:
    """The edges that are no found disk's rim."""
    gone = np.zeros(len(edges.at), np.bool_)
    for column, row, radius in _on_view(sight, shapes, pieces, color):
        gone |= circles.on_rim(edges, column, row, radius)
    return edges.without(gone)


def _color_at(sight: Sight, colors: Colors, edges: circles.EdgeMap, circle: Circle, radius_mm: float) -> str | None:
    """The colour just inside the rim where the rim is seen."""
    on = circles.on_rim(edges, circle.column, circle.row, radius_mm / STEP_MM)
    d = edges.at[on] - np.array([circle.column, circle.row], np.float32)
    d /= np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-6)[:, None]
    inside = np.array([circle.column, circle.row]) + d * (radius_mm - 3.5) / STEP_MM
    c = inside[:, 0].round().astype(int).clip(0, colors.red.shape[1] - 1)
    r = inside[:, 1].round().astype(int).clip(0, colors.red.shape[0] - 1)
    red, blue = int((colors.red[r, c] > 0).sum()), int((colors.blue[r, c] > 0).sum())
    if red + blue < 0.4 * max(len(c), 1) or red + blue < 6:
        return None
    return "red" if red > blue else "blue"


def _is_twin(fit: rims.Fit, color: str, found: list[Found]) -> bool:
    for other in found:
        apart = float(np.hypot(*(fit.place.middle_mm[:2] - other.place.middle_mm[:2])))
        if apart < TWIN_MM and color == other.color:
            return True
        if apart < CLOSE_MM and color == other.color and fit.clear < 0.08:
            return True
    return False


def _settled(
    sight: Sight, colors: Colors, shapes: Shapes, territories: list[Found], dice: list[Found], samurai: list[Found]
) -> tuple[list[Found], list[tuple[int, int, float]]]:
    """The pieces laid on each other from the table upward."""
    base = [support.support_of(t.solid, t.place) for t in territories]
    stood = [_stood(sight, die, territories) for die in dice]
    stood, steep = _propped(sight, shapes, stood, samurai, territories)
    hidden, leaning = _half_hidden(sight, colors, shapes, stood, territories)
    stood, steep = stood + hidden, steep + leaning
    samurai = [disk for disk in samurai if not _is_taken(disk, steep, stood)]
    uppers, laid = _tried(sight, samurai, base, _layers(sight, samurai))
    laid = dict(enumerate(_rivalled(sight, [laid[i] for i in range(len(samurai))], territories)))
    kept = _apart([laid[i] for i in range(len(samurai))])
    uppers = {(kept.index(i), kept.index(j)): c for (i, j), c in uppers.items() if i in kept and j in kept}
    laid = {k: laid[i] for k, i in enumerate(kept)}
    stood, lying = _leaning(stood, [laid[i] for i in range(len(kept))])
    pieces = territories + stood + lying + steep
    first = len(territories) + len(stood)
    rests = [(first + i, first + j, c) for (i, j), c in uppers.items()]
    for i, upper in enumerate(steep):
        under = [j for j, lower in enumerate(lying) if _shared_mm2(upper, lower) > SHARED_MM2]
        rests += [(first + len(lying) + i, first + j, PROPPED_CONFIDENCE) for j in under]
    return pieces, rests


def _propped(
    sight: Sight, shapes: Shapes, dice: list[Found], samurai: list[Found], territories: list[Found]
) -> tuple[list[Found], list[Found]]:
    """Samurai that lean steeply on dice, and the dice, those under them found anew by what is seen of them."""
    stood, steep = [], []
    for die in dice:
        suspects = {disk.color or "red" for disk in samurai if _stands_in(disk, die)}
        bared, leaning = _bared(sight, shapes, die, suspects, territories)
        stood.append(bared)
        steep += leaning
    return stood, steep


def _half_hidden(
    sight: Sight, colors: Colors, shapes: Shapes, dice: list[Found], territories: list[Found]
) -> tuple[list[Found], list[Found]]:
    """Dice of which samurai that lean on them hide so much that they were not found, and those samurai."""
    side = 2 * shapes.empire_die.half_height_mm
    stood, steep = [], []
    for squares in cubes.find_half_hidden(sight, colors, side, [die.place.middle_mm[:2] for die in dice]):
        tried = []
        for square in squares:
            place = bodies.upright(square.x_mm, square.y_mm, side / 2, square.angle_deg)
            die = Found(Kind.EMPIRE_DIE, None, shapes.empire_die, rims.Fit(place, np.eye(6), 0.0, 0.0, 1.0, 9.0))
            tried.append(_bared(sight, shapes, die, set(), territories))
        die, leaning = max(tried, key=lambda pair: sum(disk.fit.coverage for disk in pair[1]))
        if len(leaning) > 1 or (leaning and die.fit.residual_px < HALF_HIDDEN_PX):
            stood.append(die)
            steep += leaning
    return stood, steep


def _bared(
    sight: Sight, shapes: Shapes, die: Found, suspects: set[str], territories: list[Found]
) -> tuple[Found, list[Found]]:
    """A die and the samurai that lean on it, each found by what is seen of it; `suspects`: colours to look for."""

    def ground(xy_mm: Floats) -> float:
        on = (t for t in territories if np.hypot(*(xy_mm - t.place.middle_mm[:2])) < shapes.territory_radius_mm)
        return max((2 * t.solid.half_height_mm for t in on), default=0.0)

    disk = shapes.samurai
    prop = propped.Prop(sight, die.solid, die.place, disk, shapes.samurai_radius_mm, ground, propped.LOOSE_SIGMA_MM)
    fits = propped.lean_on(prop, suspects)
    if fits:
        spread = BARED_MM if die.fit.coverage > 0 else HALF_HIDDEN_MM
        bared = replace(sight, covers=tuple(bodies.silhouette(sight.view, disk, fit.place).pixels for _, fit in fits))
        level = bodies.upright(*die.place.middle_mm[:2], die.solid.half_height_mm, die.place.angle_deg)
        fit = cubes.fit_cube(bared, die.solid, level)
        die = _stood(bared, replace(die, fit=fit, under=support.FLAT), territories)
        prop = replace(prop, place=die.place, sigma_mm=propped.DIE_SIGMA_MM)
        fit = propped.held(prop, die.fit, [fit.place for _, fit in fits])
        die = replace(die, fit=fit, spread_mm=float(np.hypot(die.spread_mm, spread)))
        prop = replace(prop, place=die.place)
        fits = [(color, propped.fitted(prop, fit.place, color)) for color, fit in fits]
    return die, [
        Found(Kind.SAMURAI, color, disk, fit, confidence=PROPPED_CONFIDENCE, spread_mm=PROPPED_MM, is_propped=True)
        for color, fit in fits
    ]


def _stands_in(disk: Found, die: Found) -> bool:
    """Whether a disk taken for lying would stand in a die."""
    return bodies.depth_in_disk(die.solid, die.place, disk.place.middle_mm[:2], radius_mm(disk)) > INTO_MM


def _is_taken(disk: Found, steep: list[Found], dice: list[Found]) -> bool:
    """Whether a samurai found lying is part of one that leans on a die: a disk that lies cannot stand in a die."""
    return any(_stands_in(disk, die) for die in dice) and any(
        disk.color == other.color
        and float(np.hypot(*(disk.place.middle_mm - other.place.middle_mm)[:2])) < PROPPED_NEAR_MM
        for other in steep
    )


def _shared_mm2(a: Found, b: Found) -> float:
    """The area that two footprints share."""
    return float(cv2.intersectConvexConvex(a.outline_mm.astype(np.float32), b.outline_mm.astype(np.float32))[0])


Uppers = dict[tuple[int, int], float]


def _tried(
    sight: Sight, samurai: list[Found], base: list[support.Support], uppers: Uppers
) -> tuple[Uppers, dict[int, Found]]:
    """Samurai laid on each other; pairs of which it is not sure who lies above are laid the other way too.

    The height and the tilt that the right order gives a disk bring its outline onto the rim in the picture, so the
    order counts in which more of both rims is met. A pair that fits alike either way, and shows no rim across, only
    touches: it is left out.
    """
    laid = _all_laid(sight, samurai, base, uppers)
    for _ in range(MOST_SWAPS):
        best: tuple[float, Uppers, dict[int, Found]] | None = None
        for pair in [pair for pair, sure in uppers.items() if sure < UNSURE]:
            swapped, other = _swapped(sight, samurai, base, uppers, laid, pair)
            gain = sum(other[k].fit.coverage - laid[k].fit.coverage for k in pair)
            if gain > LEAST_GAIN and (best is None or gain > best[0]):
                swapped[pair[::-1]] = min(0.5 + gain, 1.0)
                best = gain, swapped, other
        if best is None:
            break
        _, uppers, laid = best
    for pair in [pair for pair, sure in uppers.items() if sure <= EVEN]:
        _, other = _swapped(sight, samurai, base, uppers, laid, pair)
        moved = [np.linalg.norm(other[k].place.middle_mm - laid[k].place.middle_mm) for k in pair]
        if max(moved) < ALIKE_MM:
            uppers = {p: sure for p, sure in uppers.items() if p != pair}
    return uppers, laid


def _all_laid(sight: Sight, samurai: list[Found], base: list[support.Support], uppers: Uppers) -> dict[int, Found]:
    """The samurai laid in this order, from the table upward."""
    return _laid_again(sight, samurai, base, uppers, {}, set(range(len(samurai))))


def _swapped(
    sight: Sight,
    samurai: list[Found],
    base: list[support.Support],
    uppers: Uppers,
    laid: dict[int, Found],
    pair: tuple[int, int],
) -> tuple[Uppers, dict[int, Found]]:
    """One pair the other way round, with all that lies on it; the others stay as they were laid."""
    other = {(p if p != pair else pair[::-1]): sure for p, sure in uppers.items()}
    moved = set(pair)
    while more := {i for i, j in other if j in moved and i not in moved}:
        moved |= more
    return other, _laid_again(sight, samurai, base, other, laid, moved)


def _laid_again(
    sight: Sight,
    samurai: list[Found],
    base: list[support.Support],
    uppers: Uppers,
    known: dict[int, Found],
    moved: set[int],
) -> dict[int, Found]:
    laid = {i: disk for i, disk in known.items() if i not in moved}
    for level in _upward(len(samurai), uppers):
        mine = [i for i in level if i in moved]
        below = [
            base + [support.support_of(laid[j].solid, laid[j].place) for j in sorted(laid) if (i, j) in uppers]
            for i in mine
        ]
        laid |= dict(zip(mine, _lie(sight, [samurai[i] for i in mine], below), strict=True))
    return laid


def _apart(samurai: list[Found]) -> list[int]:
    """Which samurai to keep: of two that came to lie in one place the one whose rim is seen better."""
    kept: list[int] = []
    for i in sorted(range(len(samurai)), key=lambda k: -samurai[k].fit.coverage):
        middle, color = samurai[i].place.middle_mm[:2], samurai[i].color
        if all(samurai[k].color != color or np.hypot(*(samurai[k].place.middle_mm[:2] - middle)) > 2.0 for k in kept):
            kept.append(i)
    return sorted(kept)


def _leaning(dice: list[Found], samurai: list[Found]) -> tuple[list[Found], list[Found]]:
    """Dice and samurai whose footprints overlap lean on one another, in a way that is not measured: said so."""
    for d, die in enumerate(dice):
        for s, disk in enumerate(samurai):
            if _stands_in(disk, die):
                dice[d] = replace(dice[d], spread_mm=max(die.spread_mm, LEANS_MM), confidence=0.5)
                samurai[s] = replace(disk, spread_mm=max(disk.spread_mm, LEANS_MM), confidence=0.5)
    return dice, samurai


def _rivalled(sight: Sight, disks: list[Found], territories: list[Found]) -> list[Found]:
    """Samurai near rims laid the likelier way, on the rim or beside it, with what the other way would measure."""
    judged = list(disks)
    for territory in territories:
        below = [support.support_of(territory.solid, territory.place)]
        for i, rival in _rivals(sight, judged, territory, below).items():
            disk = judged[i]
            ahead = _way_cost(disk, rival, territory) - _way_cost(rival, disk, territory)
            if ahead > SWAP_AHEAD and _lies_alone(disk, below):
                disk, rival = rival, disk
            spread = RIVAL_SHARE * abs(margin_mm(rival, territory) - margin_mm(disk, territory))
            judged[i] = replace(disk, spread_mm=float(np.hypot(disk.spread_mm, spread)))
    return judged


def _rivals(sight: Sight, disks: list[Found], territory: Found, below: list[support.Support]) -> dict[int, Found]:
    """The disks (by their places in the list) that may as well lie the other way, on the rim or beside it, laid so."""
    margins = [margin_mm(disk, territory) for disk in disks]
    beside = [i for i, d in enumerate(disks) if d.under.is_flat and -0.7 < margins[i] < 0.3 and d.under.height_mm < 0.5]
    upon = [i for i, d in enumerate(disks) if not d.under.is_flat and margins[i] < 0.9]
    raised = [_drawn_in(disks[i], territory, margins[i]) for i in beside]
    unders = [support.rest(disk.solid, disk.place, below) for disk in raised]
    laid = _refitted(sight, raised + [disks[i] for i in upon], unders + [support.FLAT] * len(upon))
    raised, lowered = laid[: len(beside)], laid[len(beside) :]
    raised = _refitted(sight, raised, [support.rest(disk.solid, disk.place, below) for disk in raised])
    likely = {i: rival for i, rival in zip(beside, raised, strict=True) if margin_mm(rival, territory) > 0.0}
    return likely | {i: rival for i, rival in zip(upon, lowered, strict=True) if margin_mm(rival, territory) < 0.15}


def _drawn_in(disk: Found, territory: Found, margin: float) -> Found:
    """A disk moved toward a territory until it surely lies on its rim."""
    toward = territory.place.middle_mm[:2] - disk.place.middle_mm[:2]
    shift = toward / float(np.hypot(*toward)) * max(0.5 - margin, 0.0)
    moved = bodies.Place(disk.place.middle_mm + np.append(shift, 0.0), disk.place.axes)
    return replace(disk, fit=replace(disk.fit, place=moved))


def _way_cost(disk: Found, other: Found, territory: Found) -> float:
    """What speaks against a way of lying: how badly the rim fits, and a footprint that contradicts it."""
    margin = margin_mm(disk, territory)
    wrong = max(margin, 0.0) if disk.under.is_flat else max(-margin, 0.0)
    seen = (disk.fit.coverage + other.fit.coverage) / 2
    return RIM_WORTH * seen * disk.fit.residual_px**2 + 0.5 * (wrong / WAY_SIGMA_MM) ** 2


def _lies_alone(disk: Found, below: list[support.Support]) -> bool:
    """Whether nothing but the territory and the table carries a samurai."""
    under = support.rest(disk.solid, disk.place, below)
    apart = np.hypot(under.slope_x - disk.under.slope_x, under.slope_y - disk.under.slope_y)
    return abs(under.height_mm - disk.under.height_mm) < 0.5 and float(apart) < 0.02


def _stood(sight: Sight, die: Found, territories: list[Found]) -> Found:
    """A die as it stands beside or on the territory nearest to it."""
    near: tuple[float, Found] | None = None
    for territory in territories:
        margin = margin_mm(die, territory)
        if near is None or margin > near[0]:
            near = margin, territory
    if near is None or near[0] < -stand.BESIDE_MM:
        return die
    territory = near[1]
    middle, radius = territory.place.middle_mm[:2], radius_mm(territory)
    below = [support.support_of(t.solid, t.place) for t in territories if margin_mm(die, t) > -stand.BESIDE_MM]
    ways = stand.ways_to_stand(sight, die.solid, die.fit, middle, radius, below)
    best = ways[0][0]
    margins = [bodies.depth_in_disk(die.solid, way.fit.place, middle, radius) for way, _ in ways]
    spread = float(np.sqrt(sum(w * (m - margins[0]) ** 2 for (_, w), m in zip(ways, margins, strict=True))))
    return replace(die, fit=best.fit, under=best.under, spread_mm=spread, confidence=ways[0][1])


def radius_mm(territory: Found) -> float:
    """A disk's radius: its polygon's corners lie a little outside the circle."""
    sides = len(territory.solid.core_mm) // 2
    core = float(np.abs(territory.solid.core_mm[:, 0]).max())
    return core / (1 + (np.pi / sides) ** 2 / 6) + territory.solid.round_mm


def margin_mm(piece: Found, territory: Found) -> float:
    """The depth of a piece's footprint in a territory."""
    return bodies.depth_in_disk(piece.solid, piece.place, territory.place.middle_mm[:2], radius_mm(territory))


def _upward(count: int, uppers: dict[tuple[int, int], float]) -> list[list[int]]:
    """Samurai from the table upward, level by level: each after all that it lies on."""
    levels: list[list[int]] = []
    left = list(range(count))
    while left:
        free = [i for i in left if not any((i, j) in uppers for j in left)] or left[:1]
        levels.append(free)
        left = [i for i in left if i not in free]
    return levels


def _layers(sight: Sight, samurai: list[Found]) -> dict[tuple[int, int], float]:
    """(upper, lower) of samurai that overlap: the one whose rim is seen across the other lies above."""
    uppers: dict[tuple[int, int], float] = {}
    for i in range(len(samurai)):
        for j in range(i):
            a, b = samurai[i], samurai[j]
            radius = radius_mm(a)
            apart = float(np.hypot(*(a.place.middle_mm[:2] - b.place.middle_mm[:2])))
            if apart > 2 * radius - TOUCH_MM:
                continue
            if a.color == b.color and a.is_crescent != b.is_crescent and apart < radius:
                uppers[(j, i) if a.is_crescent else (i, j)] = CRESCENT_SURE
                continue
            ahead = _ahead(sight, a, b, radius)
            pair = (i, j) if ahead > 0 else (j, i)
            uppers[pair] = 0.5 + 0.5 * min(abs(ahead), 1.0)
    return uppers


def _ahead(sight: Sight, a: Found, b: Found, radius: float) -> float:
    """How surely `a` lies above `b` (negative: below): by the colour where they overlap, else by whose rim is drawn."""
    if a.color != b.color:
        middle = (a.place.middle_mm + b.place.middle_mm) / 2
        toward = b.place.middle_mm[:2] - a.place.middle_mm[:2]
        apart = max(float(np.hypot(*toward)), 1e-6)
        across = np.array([-toward[1], toward[0]]) / apart
        half = float(np.sqrt(max(radius**2 - apart**2 / 4, 0.0)))
        u, v = np.meshgrid(np.linspace(-0.5, 0.5, 5) * (2 * radius - apart), np.linspace(-0.8, 0.8, 9) * half)
        points = middle[:2] + u.reshape(-1, 1) * toward / apart + v.reshape(-1, 1) * across
        inside = [np.hypot(*(points - s.place.middle_mm[:2]).T) < radius - 0.4 for s in (a, b)]
        points = points[inside[0] & inside[1]]
        if len(points) >= 3:
            pixels = sight.view.to_pixels(np.column_stack([points, np.full(len(points), middle[2] + 3.0)]))
            light = cv2.remap(
                sight.light, pixels[:, :1].astype(np.float32), pixels[:, 1:].astype(np.float32), cv2.INTER_LINEAR
            )
            red, blue = rims.hue_of(light.reshape(-1, 3) / 65535.0, sight.paper)
            share = float((red > blue).mean())
            return (2 * share - 1) * (1.0 if a.color == "red" else -1.0)
    mine = rims.line_strength(sight, a.solid, a.place, b.place.middle_mm[:2], radius)
    other = rims.line_strength(sight, b.solid, b.place, a.place.middle_mm[:2], radius)
    return (mine - other) / max(mine + other, 1e-6)


def _refitted(sight: Sight, disks: list[Found], unders: list[support.Under]) -> list[Found]:
    """Disks of one kind found anew, each laid on its underside."""
    if not disks:
        return []
    places = [support.laid(disk.place, disk.solid, under) for disk, under in zip(disks, unders, strict=True)]
    fits = rims.fit_disks(
        sight,
        disks[0].solid,
        places,
        [disk.color or "red" for disk in disks],
        rounds=2,
        are_crescents=[0 < disk.fit.coverage < LITTLE_RIM for disk in disks],
    )
    return [replace(disk, fit=fit, under=under) for disk, fit, under in zip(disks, fits, unders, strict=True)]


def _lie(sight: Sight, disks: list[Found], below: list[list[support.Support]]) -> list[Found]:
    """Disks laid each on what is below it, their places found anew at each change of their tilt."""
    laid = list(disks)
    moving = list(range(len(laid)))
    for _ in range(3):
        unders = {i: support.rest(laid[i].solid, laid[i].place, below[i]) for i in moving}
        moving = [i for i in moving if _change(laid[i].under, unders[i]) >= LAID_MM]
        for i, disk in zip(
            moving, _refitted(sight, [laid[i] for i in moving], [unders[i] for i in moving]), strict=True
        ):
            laid[i] = disk
    return laid


def _change(old: support.Under, new: support.Under) -> float:
    """How far an underside moved, in mm at a samurai's rim."""
    slopes = abs(new.slope_x - old.slope_x) + abs(new.slope_y - old.slope_y)
    return abs(new.height_mm - old.height_mm) + RIM_MM * slopes
