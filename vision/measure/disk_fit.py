"""The disk that fits a measured rim.

A rim's samples have correlated errors, because shade changes slowly along the rim. The covariance of a fit includes
this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.measure.bodies import UNFITTED_PX, Fit, Place, Solid, motions_of, robust_steps, silhouette
from vision.measure.edges import find_edges
from vision.measure.limits import LIMITS
from vision.measure.prepared import PreparedImage
from vision.measure.rims import Samples, measure_rims, spacing_px


def fit_roughly(image: PreparedImage, solid: Solid, place: Place, search_px: float) -> Place:
    """A disk moved to the nearest edges of its colour, up to some millimetres away."""
    outline = silhouette(image.view, solid, place, spacing_px=LIMITS.coarse_px)
    edges = find_edges(image.light, outline.pixels, outline.normals, search_px)
    slopes = motions_of(image.view, [place], outline, np.zeros(len(outline.pixels), np.int64), [0, 1])
    strong = (edges.strength > 4).astype(float)
    if strong.sum() < 8:
        return place
    weight, step, held = strong, np.zeros(2), np.eye(2) * 1e-6
    for _ in range(8):
        weighed = slopes.T * weight
        last, step = step, np.linalg.solve(weighed @ slopes + held, weighed @ edges.offset_px)
        if np.abs(step - last).max() < LIMITS.still_mm:
            break
        weight = strong / (1 + np.square(edges.offset_px - slopes @ step))
    return place.moved(np.array([step[0], step[1], 0, 0, 0, 0]))


def fit_disk(
    image: PreparedImage,
    solid: Solid,
    place: Place,
    color: str,
    rounds: int,
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
    free: tuple[int, ...] = (0, 1),
    rounds: int = 3,
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
        stepped = _stepped(image, solid, [now[i] for i in active], is_red, free, crescent, shaded)
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
    free: tuple[int, ...],
    is_crescent: NDArray[np.bool_],
    is_shaded: NDArray[np.bool_] | None,
) -> list[Fit]:
    """One fitting step of each disk to its measured rim; coverage 0 if too little of the rim is visible."""
    columns = list(free)
    samples = Samples.of_disks(image.view, solid, places)
    of, starts = samples.of, samples.starts
    rim = measure_rims(image, samples, is_red, is_shaded=is_shaded)
    slopes = motions_of(image.view, places, samples.outline, of, columns)
    certain = rim.seen / rim.sigma_px**2
    weight = np.where(is_crescent[of], certain / (1 + (rim.offset_px / LIMITS.trust_px) ** 2) ** 2, certain)
    held = np.eye(len(columns)) * 1e-6
    step, normal, left, weight = robust_steps(
        slopes, rim.offset_px, certain, weight, 2 * rim.sigma_px, of, held, rounds=4
    )
    inverse = np.linalg.inv(normal)
    misfit, whole = np.add.reduceat(weight * left**2, starts), np.add.reduceat(weight * rim.sigma_px**2, starts)
    spread = np.maximum(1.0, misfit / np.maximum(whole, 1e-9))
    residual = np.sqrt(misfit / np.maximum(np.add.reduceat(weight, starts), 1e-9))
    good = rim.seen & (np.abs(left) < 4 * rim.sigma_px)
    means = [np.bincount(of, mask) / np.bincount(of) for mask in (good, good & rim.clear, rim.own)]
    enough = np.bincount(of, rim.seen) >= LIMITS.min_rim_samples
    fits = []
    for k, place in enumerate(places):
        if not enough[k]:
            fits.append(Fit(place, np.eye(6) * 4.0, 0.0, 0.0, float(means[2][k]), UNFITTED_PX))
            continue
        moved, covariance = np.zeros(6), np.zeros((6, 6))
        moved[columns] = np.clip(step[k], -4, 4)
        covariance[np.ix_(columns, columns)] = (
            inverse[k] * LIMITS.correlated_samples * LIMITS.rim_spacing_px / spacing_px(solid) * spread[k]
        )
        coverage, clear, own = (float(mean[k]) for mean in means)
        fits.append(Fit(place.moved(moved), covariance, coverage, clear, own, float(residual[k])))
    return fits


# Apparent shift of rims, per colour, in one picture. Blur, coarse colour compression and light from one side shift rims
# outward by up to a fifth of a pixel. The shift differs between red and blue, but is equal for all rims of a colour in
# one picture. The kit gives a large disk's size, so its rim shows the shift.


def rim_shift_px(image: PreparedImage, disks: Mapping[str, tuple[Solid, Place]]) -> tuple[float, float]:
    """Outward shift in px of the rims of red and of blue disks, measured on one large disk per colour.

    A colour whose disk cannot be measured gets the other colour's shift; 0 if neither can.
    """
    shifts: dict[str, float] = {}
    for color, (solid, place) in disks.items():
        samples = Samples.of_disks(image.view, solid, [place])
        rim = measure_rims(image, samples, np.array([color == "red"]))
        is_clear = rim.seen & rim.clear
        if is_clear.mean() < LIMITS.min_clear_rim:
            continue
        slopes = motions_of(image.view, [place], samples.outline, samples.of, [0, 1])
        place_and_out = np.column_stack([slopes, np.ones(len(slopes))])
        certain = is_clear / rim.sigma_px**2
        held = np.eye(3) * 1e-6
        step, *_ = robust_steps(
            place_and_out, rim.offset_px, certain, certain, 2 * rim.sigma_px, samples.of, held, rounds=5
        )
        shifts[color] = LIMITS.kept_shift * float(np.clip(step[0, 2], -LIMITS.max_shift_px, LIMITS.max_shift_px))
    either = sum(shifts.values()) / max(len(shifts), 1)
    return shifts.get("red", either), shifts.get("blue", either)
