"""Likelihood of a die's pose from its light: each visible face has one light, its surroundings have the ground's.

A pose that assigns ground pixels to a face, or face pixels to the ground, costs the difference. Pixels are compared
twice. The first comparison assigns each pixel to the region of its centre; shading within a face hardly matters there.
The second mixes all regions as the camera's blur does, and so measures edges to a part of a pixel. A side is white even
in the shade. So a region no brighter than the shadow at its foot is that shadow.
"""

from dataclasses import dataclass
from functools import reduce

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.edges import median
from vision.measure.bodies import Place, Solid
from vision.measure.limits import LIMITS
from vision.measure.prepared import Floats, Floats32, PreparedImage

_SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
_FACES = [np.insert(_SQUARE, axis, 1.0, axis=1) for axis in range(3)]
"""The corners of a die's faces in half sides, by body axis."""


@dataclass(frozen=True, eq=False)
class Patch:
    """The N pixels around a die: `inside` (H, W) and `at` (2, N) as x and y. Their light and its square root, (3, N).
    The cost of each pixel as ground, in both comparisons. The ground's colours (3, K), linear."""

    corner: tuple[int, int]
    inside: NDArray[np.bool_]
    at: Floats32
    light: Floats32
    root: Floats32
    ground: Floats32
    fine_ground: Floats32
    colors: Floats32
    least: Floats32
    """The weakest channel of each pixel's light (N,)."""


@dataclass(frozen=True, eq=False)
class Facet:
    """One visible face in a patch: its body axis and sign and its outward normal. `covers`: pixels whose middle is on
    it. `share` (N,): its share of each pixel under the camera's blur."""

    axis: int
    sign: float
    normal: Floats
    covers: NDArray[np.bool_]
    share: Floats32


def patch_around(image: PreparedImage, solid: Solid, places: list[Place]) -> Patch:
    """The pixels covered by any of these places, with a margin."""
    hulls = [cv2.convexHull(_swollen(image, solid, place).astype(np.float32)) for place in places]
    points = np.vstack(hulls)[:, 0]
    height, width = image.light.shape[:2]
    around, ring = round(LIMITS.plate_px), round(2 * LIMITS.blur_px)
    reach = around + ring + 2
    x0, y0 = np.maximum(np.floor(points.min(axis=0)).astype(int) - reach, 0)
    x1, y1 = np.minimum(np.ceil(points.max(axis=0)).astype(int) + reach, (width - 1, height - 1))
    light = image.light[y0 : y1 + 1, x0 : x1 + 1].astype(np.float32) * np.float32(1 / 65535)
    covered = np.zeros(light.shape[:2], np.uint8)
    for hull in hulls:
        cv2.fillConvexPoly(covered, np.round(hull[:, 0] - (x0, y0)).astype(np.int32), 255)
    where = np.asarray(cv2.dilate(covered, np.ones((2 * around + 1,) * 2, np.uint8)), np.uint8)
    outside = np.asarray(cv2.dilate(where, np.ones((2 * ring + 1,) * 2, np.uint8)), np.uint8) & ~where
    cv2.setRNGSeed(1)
    criteria = (cv2.TERM_CRITERIA_EPS, 0, LIMITS.still)
    seen = np.sqrt(light[outside > 0][::2])
    _, _, colors = cv2.kmeans(seen, LIMITS.grounds, None, criteria, 2, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    inside = where > 0
    if image.covers:
        at = np.argwhere(inside)[:, ::-1]
        inside[inside] = ~image.is_covered((at + np.array([x0, y0])).astype(np.float64), around)
    rows, columns = np.nonzero(inside)
    mine = np.ascontiguousarray(light[inside].T)
    root = np.sqrt(mine)
    shaded = np.vstack([np.square(colors) * shade for shade in (1, 0.5)]).astype(np.float32).T
    return Patch(
        (int(x0), int(y0)),
        inside,
        np.array([columns, rows], np.float32),
        mine,
        root,
        _cost(_nearest(root, colors.T), LIMITS.face_sigma),
        _cost(_nearest(root, np.sqrt(shaded)), LIMITS.face_sigma),
        shaded,
        reduce(np.minimum, mine),
    )


def patch_cost(image: PreparedImage, solid: Solid, place: Place, patch: Patch) -> float:
    """The cost of a die at this place: the negative logarithm of a likelihood."""
    facets = _facets(image, solid, place, patch)
    px_a_mm = float(image.view.project(place.middle_mm[None])[1][0])
    cost = _cost_apart(patch, facets) + _cost_blurred(patch, facets)
    return cost / px_a_mm**2 / LIMITS.as_one_mm2 + _cost_of_sides(image, solid, place, patch, facets)


def _facets(image: PreparedImage, solid: Solid, place: Place, patch: Patch) -> list[Facet]:
    toward = (image.pose.centre_mm - place.middle_mm) @ place.axes
    signs = np.sign(toward)
    seen = np.flatnonzero(np.abs(toward) > solid.half_height_mm).tolist()
    if not seen:
        return []
    body = np.concatenate([_FACES[axis] * np.where(np.eye(3)[axis], signs[axis], 1.0) for axis in seen])
    pixels = image.view.to_pixels(place.points(body * solid.half_height_mm)) - patch.corner
    corners = pixels.reshape(-1, 4, 2)
    return [
        Facet(axis, signs[axis], place.axes[:, axis] * signs[axis], _drawn(quadrangle, patch), share)
        for axis, quadrangle, share in zip(seen, corners, _shares(corners, patch.at), strict=True)
    ]


def _drawn(corners: Floats, patch: Patch) -> NDArray[np.bool_]:
    """Mask of a patch's pixels inside a quadrangle."""
    drawing = np.zeros(patch.inside.shape, np.uint8)
    cv2.fillConvexPoly(
        drawing, np.round(corners * 2**LIMITS.subpixel_bits).astype(np.int32), 1, shift=LIMITS.subpixel_bits
    )
    return np.asarray(drawing[patch.inside] > 0)


def _shares(corners: Floats, at: Floats32) -> Floats32:
    """The share (F, N) of each pixel covered by quadrangles (F, 4, 2) under the camera's blur."""
    sides = np.roll(corners, -1, axis=1) - corners
    normals = np.stack([sides[..., 1], -sides[..., 0]], axis=-1) / np.maximum(np.hypot(*sides.T), 1e-6).T[..., None]
    inward = np.sign(np.einsum("fij,fij->fi", normals, corners.mean(axis=1, keepdims=True) - corners)) / (
        np.sqrt(3) * LIMITS.pixel_blur_px
    )
    normals *= inward[..., None]
    far = normals.reshape(-1, 2).astype(np.float32) @ at
    far -= np.einsum("fij,fij->fi", normals, corners).astype(np.float32).reshape(-1, 1)
    steps = far.clip(-1, 1).reshape(len(corners), 4, -1)  # as blurred by a box of the same standard deviation
    # the shares of two opposite sides, each (1 + step) / 2, overlap by their sum minus one
    pairs = steps[:, :2] + steps[:, 2:]
    pairs *= np.float32(0.5)
    np.maximum(pairs, 0, out=pairs)
    share: Floats32 = pairs[:, 0] * pairs[:, 1]
    return share


def _cost_apart(patch: Patch, facets: list[Facet]) -> float:
    """Compares each pixel with the region around it: a face's median, or the ground's nearest colour."""
    cost = patch.ground.copy()
    for facet in facets:
        here = np.flatnonzero(facet.covers)
        if len(here) >= LIMITS.min_samples:
            mine = patch.root.take(here, axis=1)
            cost[here] = _cost(_squares(mine - _median(mine)), LIMITS.face_sigma)
    return float(cost.sum())


def _cost_blurred(patch: Patch, facets: list[Facet]) -> float:
    """Compares each pixel with the mixture of all regions' light that the camera's blur gives."""
    mixed = np.zeros_like(patch.light)
    ground = np.ones(mixed.shape[1], np.float32)
    for facet in facets:
        ground -= facet.share
        _add_light(mixed, patch, facet)
    cost = patch.fine_ground.copy()
    own = np.flatnonzero(ground < LIMITS.min_contrast)
    cost[own] = _cost(_squares(np.sqrt(mixed.take(own, axis=1)) - patch.root.take(own, axis=1)), LIMITS.face_sigma)
    both = np.flatnonzero((ground >= LIMITS.min_contrast) & (ground < 1 - LIMITS.min_contrast))
    seen = patch.colors[:, :, None] * ground.take(both)
    seen += mixed.take(both, axis=1)[:, None]
    far = np.sqrt(seen, out=seen)
    far -= patch.root.take(both, axis=1)[:, None]
    cost[both] = _cost(_squares(far).min(axis=0), LIMITS.face_sigma)
    return float(cost.sum())


def _add_light(mixed: Floats32, patch: Patch, facet: Facet) -> None:
    """Adds a face's share of linear light: one colour, or a gradient along a side that is large enough."""
    core = np.flatnonzero(facet.share > LIMITS.nearly * float(facet.share.max()))
    if not len(core):
        return
    if len(core) < LIMITS.min_samples or facet.normal[2] > 0.5:
        mixed += _median(patch.light.take(core, axis=1)) * facet.share
        return
    terms = np.vstack([np.ones_like(patch.at[:1]), patch.at])
    inner, light = terms.take(core, axis=1), patch.light.take(core, axis=1)
    slopes = np.linalg.solve(inner @ inner.T + np.eye(3, dtype=np.float32) * LIMITS.still, inner @ light.T)
    sloped = slopes.T @ terms
    np.clip(sloped, 0, 1, out=sloped)
    sloped *= facet.share
    mixed += sloped


def _cost_of_sides(image: PreparedImage, solid: Solid, place: Place, patch: Patch, facets: list[Facet]) -> float:
    """Cost of sides that are darker than a white side can be next to the ground at its foot."""
    up = int(np.argmax(np.abs(place.axes[2])))
    half = solid.half_height_mm
    bare = sum(facet.share for facet in facets) < np.float32(LIMITS.min_contrast)
    cost = 0.0
    for facet in facets:
        core = facet.share > LIMITS.nearly
        if facet.axis == up or core.sum() < LIMITS.min_samples:
            continue
        (across,) = {0, 1, 2} - {facet.axis, up}
        body = np.zeros((4, 3))
        body[:, facet.axis], body[:, up] = facet.sign * half, -np.sign(place.axes[2, up]) * half
        body[:, across] = LIMITS.nearly * half * np.array([-1.0, 1.0, 1.0, -1.0])
        foot = place.points(body)
        out = np.array([*facet.normal[:2], 0.0]) / max(float(np.hypot(*facet.normal[:2])), 1e-9)
        foot += out * np.repeat(LIMITS.foot_mm, 2)[:, None]
        beside = _drawn(image.view.to_pixels(foot) - patch.corner, patch) & bare
        if beside.sum() < LIMITS.min_samples:
            continue
        side, ground = (median(patch.least[mask]) + LIMITS.min_noise for mask in (core, beside))
        cost += LIMITS.side_weight * float(np.clip(LIMITS.side_lead - np.log(side / ground), 0, 1))
    return cost


def _median(values: Floats32) -> Floats32:
    middle = values.shape[1] // 2
    return np.partition(values, middle, axis=1)[:, middle : middle + 1]


def _squares(difference: Floats32) -> Floats32:
    difference *= difference
    return np.asarray(difference[0] + difference[1] + difference[2])


def _nearest(root: Floats32, colors: Floats32) -> Floats32:
    return np.asarray(_squares(root[:, None] - colors[:, :, None]).min(axis=0))


def _cost(square: Floats32, sigma: float) -> Floats32:
    return np.asarray(np.minimum(square / np.float32(sigma**2), np.float32(LIMITS.outlier_sigmas**2)))


def _swollen(image: PreparedImage, solid: Solid, place: Place) -> Floats:
    return image.view.to_pixels(place.points(np.sign(solid.core_mm) * solid.half_height_mm))
