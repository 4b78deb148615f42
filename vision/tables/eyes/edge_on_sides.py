"""The eye on a side seen nearly edge-on, a pixel or two high: its colour, from the ink's effect on the die's edge.

Such a side has no separate pixels: they also hold the bright top and the table's colour. So the whole edge is fitted,
from the top over the side to the table. Its profile is nearly the same along the edge, except that the eye's ink
absorbs light. For each ink the change is drawn: light taken away in the shape of the eye, then the camera's curve and
the halved colour of compressed pictures. This is compared with the picture. The table colours a side by an unknown
amount, so several fits must agree.
Source: a likelihood ratio with a linear ground, e.g. Kay, Fundamentals of Statistical Signal Processing II, ch. 4; the
colour transform and its halving: ITU-T T.871.
"""

import math
from dataclasses import dataclass, replace
from functools import cache
from statistics import median

import cv2
import numpy as np

from calibration.edges import linear_of, shown_of
from vision.measure.bodies import Place
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import LUMA, Floats, PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.oblique_faces import FOOT_PLACES, KEEPS, face_corners, foot_tints, halved, inked, level_axes

CORRELATED = np.array([2.0, 6.0, 6.0])
"""Factors of the variances of luma and of the two colours: neighbouring pixels have common errors, more so in
colour."""
FLOOR = np.array([0.004, 0.003, 0.003])
"""Minimum standard errors of luma and of the two colours, as shares of the picture's range."""


@dataclass(frozen=True, slots=True)
class EdgeWeights:
    """Settings of one fit. `beyond_px`: fitted width beyond the top's edge and the foot. `step_px`: distance of knots.
    `ends`: ignored part at the side's ends (sides). `is_motley`: the edge may change along the side like the table
    before it."""

    beyond_px: float = 2.2
    step_px: float = 0.7
    ends: float = 0.09
    is_motley: bool = False


WAYS = (EdgeWeights(), EdgeWeights(beyond_px=4.0), EdgeWeights(ends=0.036), EdgeWeights(step_px=1.0))
MOTLEY_WAY = EdgeWeights(is_motley=True)


@dataclass(frozen=True, slots=True)
class EdgeOnFit:
    """The result of one fit: log odds of blue ink against red, and the light missing in the shape of an eye, as a share
    and in sigmas."""

    blue_odds: float
    share: float
    sigmas: float

    @property
    def red_odds(self) -> float:
        """The log odds of red ink. Small odds of the fits are mostly noise of the table's colour in the side."""
        return -self.blue_odds * abs(self.blue_odds) / LIMITS.edge_on_noise

    @property
    def is_eye(self) -> bool:
        """Whether light is missing in the shape of an eye."""
        has_share = LIMITS.min_edge_on_share < self.share < LIMITS.max_absorption
        return has_share and self.sigmas > LIMITS.edge_on_middle_sigmas


@dataclass(frozen=True, eq=False)
class _Side:
    """A side in the picture: the light (R, C, 3) from 0 to 1 around it, and places along it (sides) and across it
    (pixels, towards its foot). `high_px`: its height. `skew`: offset of its foot along it (sides). `eyes`: the eye in
    both directions."""

    light: Floats
    paper: Floats
    along: Floats
    across: Floats
    high_px: float
    skew: float
    eyes: tuple[Floats, Floats]
    tints: Floats


def fit_edge_on_eye(image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float) -> EdgeOnFit | None:
    """The eye on a side of a die: the weakest odds of all fits; None: too little of the side is visible.

    The odds are 0 if the fits disagree, or if hardly any light is missing.
    """
    side = _side(image, place, half_mm, axis, sign)
    if side is None:
        return None
    is_motley = float(np.ptp(side.tints, axis=0).max()) > LIMITS.edge_on_motley
    found: list[EdgeOnFit] = []
    for way in (*WAYS, *([MOTLEY_WAY] if is_motley else [])):
        glimpse = _weighed(side, way)
        if glimpse is None:
            return None
        found.append(glimpse)
        if glimpse.blue_odds * found[0].blue_odds <= 0:
            return replace(glimpse, blue_odds=0.0)
    weakest = min((glimpse.blue_odds for glimpse in found), key=abs)
    return EdgeOnFit(weakest, *(median(getattr(glimpse, name) for glimpse in found) for name in ("share", "sigmas")))


def _side(image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float) -> _Side | None:
    corners = face_corners(image, place, half_mm, axis, sign)
    tints = foot_tints(image, place, half_mm, axis, sign)
    left, top = (np.floor(corners.min(axis=0)).astype(int) - LIMITS.edge_on_margin_px) // 2 * 2
    right, bottom = (np.ceil(corners.max(axis=0)).astype(int) + LIMITS.edge_on_margin_px) // 2 * 2
    rows, columns = image.light.shape[:2]
    if tints is None or left < 0 or top < 0 or right > columns or bottom > rows:
        return None
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)
    to_picture = np.asarray(cv2.getPerspectiveTransform(square, corners.astype(np.float32)), np.float64)
    up = math.copysign(0.5, place.axes[2, level_axes(place, axis)[1]])
    middle, *ends, head, foot = _seen(to_picture, np.array([(0, 0), (-0.5, 0), (0.5, 0), (0, up), (0, -up)]))
    length = float(np.linalg.norm(ends[1] - ends[0]))
    along = (ends[1] - ends[0]) / length
    across = np.array([-along[1], along[0]])
    if (foot - head) @ across < 0:
        across = -across
    x, y = np.meshgrid(np.arange(left, right, dtype=float), np.arange(top, bottom, dtype=float))
    apart = np.stack([x, y], axis=-1) - middle
    size = (right - left, bottom - top)
    area = float(cv2.contourArea(corners.astype(np.float32))) / LIMITS.edge_on_points**2
    eyes = [_drawn(to_picture, points, (left, top), size, area) for points in _INKED]
    return _Side(
        light=image.light[top:bottom, left:right].astype(np.float64) / 65535,
        paper=image.paper,
        along=apart @ along / length,
        across=apart @ across,
        high_px=float((foot - head) @ across),
        skew=float((foot - head) @ along) / length,
        eyes=(eyes[0], eyes[1]),
        tints=tints,
    )


def _seen(to_picture: Floats, points: Floats) -> Floats:
    """Pixels of points (N, 2) of a face, given in sides from its middle."""
    return np.asarray(cv2.perspectiveTransform(points[None].astype(np.float64), to_picture)[0])


def _drawn(to_picture: Floats, points: Floats, first: tuple[int, int], size: tuple[int, int], area: float) -> Floats:
    """The share of each pixel that shows inked points of a face, under the camera's blur."""
    x, y = ((_seen(to_picture, points) - first + 0.5) * SHARED.drawn_samples).T
    width, height = size[0] * SHARED.drawn_samples, size[1] * SHARED.drawn_samples
    fine = np.histogram2d(y, x, bins=(height, width), range=((0, height), (0, width)))[0] * (
        area * SHARED.drawn_samples**2
    )
    soft = cv2.GaussianBlur(fine.astype(np.float32), (0, 0), LIMITS.oblique_blur_px * SHARED.drawn_samples)
    return np.asarray(cv2.resize(soft, size, interpolation=cv2.INTER_AREA), np.float64)


def _weighed(side: _Side, way: EdgeWeights) -> EdgeOnFit | None:
    reach = 0.5 - abs(side.skew) / 2 - way.ends
    last = side.high_px / 2 + way.beyond_px
    here = (np.abs(side.along) < reach) & (np.abs(side.across) < last)
    if reach < LIMITS.min_edge_on_middle:
        return None
    terms = _profile(side, way, reach, last)
    terms = terms[..., np.abs(terms[here]).max(axis=0) > LIMITS.min_edge_on_term]
    gram = terms[here].T @ terms[here]
    gram += np.eye(len(gram)) * LIMITS.edge_on_ridge * float(np.trace(gram)) / len(gram)
    ground = terms[here] @ np.linalg.inv(np.linalg.cholesky(gram)).T
    shown = shown_of(side.light)
    bare = np.clip(terms @ np.linalg.solve(gram, terms[here].T @ shown[here]), SHARED.dim, SHARED.share_range[1])
    table = linear_of(bare[here & (side.across > last - 1)].mean(axis=0)) / side.paper
    light = linear_of(bare)
    seen = _without(ground, shown[here] @ _LUMA_COLOR)

    @cache
    def inks(turned: int, tint: float) -> dict[str, Floats]:
        """The change (N, 3) of the pixels by each ink if it absorbs all light."""
        lit = (1 - tint + tint * table / table.max()) * side.paper
        eye = side.eyes[turned]
        return {color: _without(ground, _change(bare, light, eye, keeps * lit)[here]) for color, keeps in KEEPS.items()}

    freedom = max(len(seen) - ground.shape[1] - 1, 1)
    drawn = LIMITS.edge_on_tints[LIMITS.drawn_tint]
    shapes = [_shape(seen, inks(turned, drawn), freedom) for turned in range(len(side.eyes))]
    turned = max(range(len(shapes)), key=lambda k: shapes[k][0])
    sigmas, share, variance = shapes[turned]
    if sigmas < LIMITS.edge_on_sigmas:
        return EdgeOnFit(0.0, share, sigmas)
    far = {color: math.inf for color in KEEPS}
    for tint in LIMITS.edge_on_tints:
        for color, ink in inks(turned, tint).items():
            best = float((ink * seen / variance).sum() / (ink**2 / variance).sum())
            off = seen - min(max(best, 0.0), LIMITS.max_absorption) * ink
            far[color] = min(far[color], float((off**2 / variance).sum()))
    return EdgeOnFit((far["red"] - far["blue"]) / 2, share, sigmas)


def _shape(seen: Floats, inks: dict[str, Floats], freedom: int) -> tuple[float, float, Floats]:
    """The light missing in the shape of an eye: its significance in sigmas, its share, and the unexplained variances
    (3,) of luma and of the two colours."""
    luma = (inks["red"][:, 0] + inks["blue"][:, 0]) / 2
    weight = max(float(luma @ luma), LIMITS.tiny)
    share = float(luma @ seen[:, 0]) / weight
    rest = [float(((seen[:, 0] - share * luma) ** 2).sum())]
    for k in (1, 2):
        both = np.column_stack([inks["red"][:, k], inks["blue"][:, k]])
        rest.append(float(((seen[:, k] - both @ np.linalg.lstsq(both, seen[:, k], rcond=None)[0]) ** 2).sum()))
    variance = np.array(rest) / freedom * CORRELATED + FLOOR**2
    return share * math.sqrt(weight / variance[0]), share, variance


def _change(bare: Floats, light: Floats, eye: Floats, keeps: Floats) -> Floats:
    """Change (R, C, 3) of a bare edge's luma and colours by ink in the shape of `eye`; `keeps` (3,): light kept."""
    inked_light = np.maximum(light - LIMITS.drawn_absorption * eye[..., None] * keeps, LIMITS.ink_light)
    change = (shown_of(inked_light) - bare) @ _LUMA_COLOR
    change[..., 1:] = halved(change[..., 1:].astype(np.float32), 0, 0)
    return np.asarray(change / LIMITS.drawn_absorption)


def _profile(side: _Side, way: EdgeWeights, reach: float, last: float) -> Floats:
    """Basis functions (R, C, N) of an edge without an eye: a profile across, and a coarser one along it."""
    along, across = np.clip(side.along / reach, -1.5, 1.5), np.clip(side.across, -last, last)
    fine = _hats(across, last, 2 * last / way.step_px, 3)
    coarse = _hats(across, last, last / way.step_px, 2)
    changing = [along]
    if way.is_motley:
        changing += [np.interp(side.along, FOOT_PLACES, tint) for tint in side.tints.T]
    return np.concatenate([fine, *(coarse * change[..., None] for change in changing)], axis=-1)


def _hats(across: Floats, last: float, steps: float, least: int) -> Floats:
    at = np.linspace(-last, last, max(least, round(steps) + 1))
    return np.asarray(np.maximum(0.0, 1 - np.abs(across[..., None] - at) / (at[1] - at[0])))


def _without(ground: Floats, values: Floats) -> Floats:
    return values - ground @ (ground.T @ values)


def _inked_points(is_turned: bool) -> Floats:
    at = ((np.arange(LIMITS.edge_on_points) + 0.5) / LIMITS.edge_on_points - 0.5).astype(np.float32)
    u, v = np.meshgrid(at, at)
    has_ink = (inked(v, u) if is_turned else inked(u, v)) > 0
    return np.column_stack([u[has_ink], v[has_ink]]).astype(np.float64)


_INKED = (_inked_points(False), _inked_points(True))
_LUMA_COLOR = np.column_stack([LUMA, np.array([1.0, 0, 0]) - LUMA, np.array([0, 0, 1.0]) - LUMA])
"""From blue, green, red to luma, and to blue and red minus luma."""
