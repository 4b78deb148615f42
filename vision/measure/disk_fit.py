"""Disks: found by circles of a known radius, then fitted to their measured rim.

A rim's samples have correlated errors, because shade changes slowly along the rim. The covariance of a fit includes
this.

Circles of a known radius in the view from above: large disks by their colour, small ones by votes of edges.

Source: D. H. Ballard, Generalizing the Hough transform to detect arbitrary shapes, Pattern Recognition 13 (1981).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats32, Mask
from calibration.edges import median
from vision.measure.bodies import Fit, Place, Solid, motions_of, robust_steps
from vision.measure.colors import Colors
from vision.measure.limits import LIMITS
from vision.measure.prepared import STEP_MM, PreparedImage
from vision.measure.rims import Samples, measure_rims, spacing_px


@dataclass(frozen=True, eq=False, slots=True)
class Circle:
    """A circle in the view from above: its middle (column, row) and the share of its rim with votes. `rim`: the numbers
    of the edges on it."""

    column: float
    row: float
    support: float
    rim: NDArray[np.intp]


def find_large_disk(mask: Mask, radius_mm: float) -> Circle | None:
    """The large disk of one colour: the best overlap of a disk with the mask. None: less than about half is visible."""
    shrink = LIMITS.disk_cell_px
    small = cv2.resize(mask, None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    radius = radius_mm / STEP_MM / shrink
    reach = int(np.ceil(radius * LIMITS.disk_ring))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    far = np.hypot(x, y)
    # the score grows with mask pixels inside the disk and falls with those just outside
    kernel = np.where(far <= radius, 1.0, np.where(far <= reach, -0.5, 0.0)).astype(np.float32)
    padded = cv2.copyMakeBorder(small, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
    score = cv2.filter2D(padded, cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
    _, best, _, (c, r) = cv2.minMaxLoc(score)
    support = best / (np.pi * radius**2)
    if support < LIMITS.min_disk_share:
        return None
    return Circle(
        (c - reach + 0.5) * shrink - 0.5, (r - reach + 0.5) * shrink - 0.5, float(support), np.zeros(0, np.intp)
    )


@dataclass(frozen=True, eq=False)
class EdgeMap:
    """Edge pixels of the view from above, row by row: places (N, 2) as (column, row), unit gradients (N, 2) and weights
    (N,)."""

    at: Floats32
    toward: Floats32
    weight: Floats32

    def of(self, which: NDArray[np.intp]) -> "EdgeMap":
        """A selection of the edges, in their order."""
        return EdgeMap(self.at.take(which, axis=0), self.toward.take(which, axis=0), self.weight.take(which))

    def without(self, gone: NDArray[np.intp]) -> "EdgeMap":
        """All edges except these."""
        kept = np.ones(len(self.at), np.bool_)
        kept[gone] = False
        return self.of(np.flatnonzero(kept))

    def shifted(self, left: int, top: int) -> "EdgeMap":
        """The edges in the coordinates of a window with this top left corner."""
        return EdgeMap(self.at - np.array([left, top], np.float32), self.toward, self.weight)


_SLOPES = [cv2.getDerivKernels(dx, 1 - dx, cv2.FILTER_SCHARR, normalize=True) for dx in (1, 0)]
"""Kernels that measure the change of a picture per pixel, to the right and down."""


def edges_of(image: PreparedImage, colors: Colors, near: Mask, blind: Mask) -> EdgeMap:
    """Edges within `near` and outside `blind`: steps of brightness or hue, each weighted up to 1 above the noise."""
    inside = (near > 0) & (blind == 0)
    left, top, width, height = cv2.boundingRect(inside.astype(np.uint8))
    if not width:
        return EdgeMap(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
    x0, y0 = max(left - LIMITS.edge_soft_px, 0), max(top - LIMITS.edge_soft_px, 0)
    window = (slice(y0, top + height + LIMITS.edge_soft_px), slice(x0, left + width + LIMITS.edge_soft_px))
    root = cv2.sqrt(np.clip(image.top[window], 0, LIMITS.max_edge_light))
    hue = (colors.redness[window] - colors.blueness[window]) * np.float32(LIMITS.hue_weight)
    at = np.flatnonzero(inside[window])
    slopes, sizes = [], []
    for channel in (*cv2.split(root)[::-1], hue):
        soft = cv2.GaussianBlur(channel, (0, 0), LIMITS.pixel_blur_px)
        pair = [cv2.sepFilter2D(soft, cv2.CV_32F, *kernel).ravel().take(at) for kernel in _SLOPES]
        size = cv2.magnitude(*pair).ravel()
        slopes.append(pair)
        usual = median(size[:: LIMITS.median_step_px]) + LIMITS.min_noise / 2
        sizes.append(size / np.float32(LIMITS.full_edge * usual))
    best, total = np.zeros(len(at), np.int64), sizes[0]
    for k in range(1, len(sizes)):
        best[sizes[k] > total] = k
        total = np.maximum(total, sizes[k])
    strong = np.flatnonzero(total > LIMITS.min_edge)
    g = np.array(slopes)[best[strong], :, strong]
    g /= np.maximum(np.hypot(g[:, 0], g[:, 1]), 1e-9)[:, None]
    rows, columns = np.divmod(at[strong], hue.shape[1])
    places = np.column_stack([columns + x0, rows + y0]).astype(np.float32)
    return EdgeMap(places, g.astype(np.float32), np.minimum(total[strong], 1.0))


def vote(edges: EdgeMap, shape: tuple[int, int], radius_px: float) -> Floats32:
    """The votes for each place as the middle of a circle: 1 if a whole rim of full weight votes."""
    rows, columns = shape
    way = np.float32(radius_px) * edges.toward
    at = np.rint(np.concatenate([edges.at + way, edges.at - way])).astype(np.int64)
    x, y = at[:, 0], at[:, 1]
    ok = np.flatnonzero((x >= 0) & (y >= 0) & (x < columns) & (y < rows))
    weight = np.concatenate([edges.weight, edges.weight]).take(ok)
    board = np.bincount((y * columns + x).take(ok), weights=weight, minlength=rows * columns)
    spread = cv2.GaussianBlur(board.reshape(shape).astype(np.float32), (9, 9), LIMITS.vote_spread_px)
    # a rim two pixels wide casts 2 * circumference votes; a Gaussian has 1 / (2 pi sigma^2) at its middle
    return spread * np.float32(LIMITS.vote_spread_px**2 / (2 * radius_px))


def on_rim(
    edges: EdgeMap, column: float, row: float, radius_px: float, within_px: float = LIMITS.rim_width_px
) -> NDArray[np.intp]:
    """The numbers of the edges on a circle's rim: near the rim and across it."""
    outer = radius_px + within_px
    first, last = np.searchsorted(edges.at[:, 1], np.array([row - outer, row + outer], np.float32))
    d = edges.at[first:last] - np.array([column, row], np.float32)
    far2 = np.einsum("ij,ij->i", d, d)
    near = np.flatnonzero((far2 < outer**2) & (far2 > max(radius_px - within_px, 0.0) ** 2))
    across = np.abs(np.einsum("ij,ij->i", d.take(near, axis=0), edges.toward[first:last].take(near, axis=0)))
    return np.asarray(near[across > 0.8 * np.sqrt(far2[near])] + first)


def find_circles(edges: EdgeMap, shape: tuple[int, int], radius_px: float, least: float, most: int) -> list[Circle]:
    """Circles, the best supported first; each removes its rim's edges from the search."""
    board = vote(edges, shape, radius_px)
    found: list[Circle] = []
    is_left = np.ones(len(edges.at), np.bool_)
    while len(found) < most:
        _, best, _, (c, r) = cv2.minMaxLoc(board)
        if best < least:
            break
        rim = on_rim(edges, c, r, radius_px)
        gone = rim[is_left[rim]]
        if not len(gone):
            break
        found.append(Circle(float(c), float(r), float(best), rim))
        # remove only this rim's votes: they are within two radii of it
        reach = round(2 * radius_px) + 2 * LIMITS.edge_soft_px
        x0, y0 = max(c - reach, 0), max(r - reach, 0)
        window = (slice(y0, r + reach + 1), slice(x0, c + reach + 1))
        board[window] -= vote(edges.of(gone).shifted(x0, y0), board[window].shape, radius_px)
        is_left[gone] = False
    return found


def fit_disk(
    image: PreparedImage,
    solid: Solid,
    place: Place,
    color: str,
    rounds: int = LIMITS.fit_rounds,
    is_crescent: bool = False,
) -> Fit:
    """The disk near `place` whose rim fits best, moved within its plane.

    `is_crescent`: little of the rim is visible, next to rims of other disks that must not attract it.
    """
    return fit_disks(image, solid, [place], [color], rounds=rounds, are_crescents=[is_crescent])[0]


def fit_disks(
    image: PreparedImage,
    solid: Solid,
    places: Sequence[Place],
    colors: Sequence[str],
    rounds: int = LIMITS.fit_rounds,
    are_crescents: Sequence[bool] = (),
    are_shaded: Sequence[bool] = (),
) -> list[Fit]:
    """Like `fit_disk` for several disks, each fitted alone; `are_shaded` as in `measure_rims`."""
    fits: list[Fit | None] = [None] * len(places)
    now = list(places)
    active = list(range(len(places)))
    for _ in range(rounds):
        if not active:
            break
        crescent = np.array([bool(are_crescents) and are_crescents[i] for i in active])
        is_red = np.array([colors[i] == "red" for i in active])
        shaded = np.array([are_shaded[i] for i in active]) if any(are_shaded) else None
        stepped = _stepped(image, solid, [now[i] for i in active], is_red, crescent, shaded)
        moving = []
        for i, fit in zip(active, stepped, strict=True):
            if fit.coverage > 0 and float(np.abs(fit.place.middle_mm - now[i].middle_mm).max()) > LIMITS.settled_mm:
                moving.append(i)
            fits[i], now[i] = fit, fit.place
        active = moving
    return [fit for fit in fits if fit is not None]


def _stepped(
    image: PreparedImage,
    solid: Solid,
    places: list[Place],
    is_red: NDArray[np.bool_],
    is_crescent: NDArray[np.bool_],
    is_shaded: NDArray[np.bool_] | None,
) -> list[Fit]:
    """One fitting step of each disk to its measured rim; coverage 0 if too little of the rim is visible."""
    samples = Samples.of_disks(image.view, solid, places)
    of, starts = samples.of, samples.starts
    rim = measure_rims(image, samples, is_red, is_shaded=is_shaded)
    slopes = motions_of(image.view, places, samples.outline, of, [0, 1])
    certain = rim.seen / rim.sigma_px**2
    weight = np.where(is_crescent[of], certain / (1 + (rim.offset_px / LIMITS.trust_px) ** 2) ** 2, certain)
    held = np.eye(2) * 1e-6
    step, normal, left, weight = robust_steps(slopes, rim.offset_px, certain, weight, 2 * rim.sigma_px, of, held)
    misfit, whole = np.add.reduceat(weight * left**2, starts), np.add.reduceat(weight * rim.sigma_px**2, starts)
    spread = np.maximum(1.0, misfit / np.maximum(whole, 1e-9))
    residual = np.sqrt(misfit / np.maximum(np.add.reduceat(weight, starts), 1e-9))
    good = rim.seen & (np.abs(left) < LIMITS.fitting_sigmas * rim.sigma_px)
    coverage, clear = ((np.bincount(of, mask) / np.bincount(of)).tolist() for mask in (good, good & rim.clear))
    steps = np.pad(step.clip(-LIMITS.max_step, LIMITS.max_step), ((0, 0), (0, 1)))
    together = LIMITS.correlated_samples * LIMITS.rim_spacing_px / spacing_px(solid)
    covariances = np.linalg.inv(normal) * (together * spread)[:, None, None]
    enough = np.bincount(of, rim.seen) >= LIMITS.min_rim_samples
    fits = []
    for k, place in enumerate(places):
        if not enough[k]:
            fits.append(Fit(place, np.eye(6) * LIMITS.max_step**2, 0.0, 0.0, LIMITS.unfitted_px))
            continue
        covariance = np.zeros((6, 6))
        covariance[:2, :2] = covariances[k]
        moved = Place(place.middle_mm + steps[k], place.axes)
        fits.append(Fit(moved, covariance, coverage[k], clear[k], float(residual[k])))
    return fits


# Apparent shift of rims, per colour, in one picture. Blur, coarse colour compression and light from one side shift rims
# outward by up to a fifth of a pixel. The shift differs between red and blue, but is equal for all rims of a colour in
# one picture. The kit gives a large disk's size, so its rim shows the shift.


def rim_shift_px(image: PreparedImage, solid: Solid, disks: Mapping[str, Place]) -> tuple[float, float]:
    """Outward shift in px of the rims of red and of blue disks, measured on one large disk per colour.

    A colour whose disk cannot be measured gets the other colour's shift; 0 if neither can.
    """
    if not disks:
        return 0.0, 0.0
    places = list(disks.values())
    samples = Samples.of_disks(image.view, solid, places)
    rim = measure_rims(image, samples, np.array([color == "red" for color in disks]))
    slopes = motions_of(image.view, places, samples.outline, samples.of, [0, 1])
    place_and_out = np.column_stack([slopes, np.ones(len(slopes))])
    certain = (rim.seen & rim.clear) / rim.sigma_px**2
    held = np.eye(3) * 1e-6
    step, *_ = robust_steps(place_and_out, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, held)
    shifts = dict(zip(disks, (LIMITS.kept_shift * step[:, 2]).tolist(), strict=True))
    either = sum(shifts.values()) / len(shifts)
    return shifts.get("red", either), shifts.get("blue", either)
