"""The eye on a die's face, fitted over the whole face: for oblique faces without a clear part of the eye.

The face's light is a smooth ground (free along its height, of low order across), minus the light that ink absorbs in
the shape of the eye, under the camera's blur. The fit gives the absorbed share, with an error from the residuals. Ink
absorbs light in every channel, red ink least in red, blue ink least in blue. So the two inks are compared by the light
missing in each channel. It is fitted with the eye at the resolution of colour (half of the picture's).
Source: a matched filter with a linear ground, e.g. Kay, Fundamentals of Statistical Signal Processing II, ch. 4.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import Floats, Floats32
from calibration.edges import medians
from vision.measure.bodies import Place
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import PreparedImage
from vision.tables.eyes.limits import LIMITS


def lack_of(shares: Floats, eye: Floats, base: Floats) -> tuple[Floats, Floats]:
    """The light missing in each channel (3,) in the shape of an eye, and its covariance (3, 3), from the residuals.

    `shares` (pixels, 3): measured light relative to a bare face. `eye`: the eye at the resolution of colour.
    """
    clean = eye - base @ (base.T @ eye)
    weight = max(float(clean @ clean), LIMITS.tiny)
    lack = -(clean @ shares) / weight
    rest = shares + np.outer(clean, lack)
    return lack, rest.T @ rest / max(len(rest) - base.shape[1] - 1, 1) / weight


def odds_by_absorption(lack: Floats, covariance: Floats) -> float:
    """Log odds of blue ink against red, from the light missing in each channel.

    Varnish mirrors light, so a face may lack less light than its ink absorbs, but not more. One factor, 0.2 to 1,
    applies to all channels.
    """
    covariance = LIMITS.kept_correlation * covariance + LIMITS.trace**2 * np.eye(3) + LIMITS.fifth**2
    far = {}
    for color, keeps in KEEPS.items():
        certain = np.linalg.inv(covariance + np.diag((LIMITS.trace * keeps) ** 2))
        seen = float(np.clip(keeps @ certain @ lack / (keeps @ certain @ keeps), LIMITS.fifth, 1))
        off = lack - seen * keeps
        far[color] = float(off @ certain @ off)
    return (far["red"] - far["blue"]) / 2


BEYOND_GREEN = np.array([(1.0, 0.0), (-1.0, -1.0), (0.0, 1.0)])
KEEPS = {"red": np.array([1.0, 1.0, LIMITS.own_absorbed]), "blue": np.array([LIMITS.own_absorbed, 1.0, 1.0])}
"""Share of blue, green and red light that each ink absorbs."""


FOOT_PLACES = LIMITS.flat_reach * np.linspace(-1, 1, LIMITS.face_samples)
"""Places along a side, in sides, before whose foot the mirrored table is sampled."""
FOOT_MM = np.arange(LIMITS.rim_mm, LIMITS.reach_mm + LIMITS.rim_mm, LIMITS.rim_mm)


@dataclass(frozen=True, slots=True)
class EyeFit:
    """The result of fitting the eye to a face.

    `share`: missing share of the light in the eye's shape (0: none, 1: all), with its `sigmas`. `blue_odds`: log odds
    of blue ink against red by the light missing in each channel. `is_central`: the eye fits best in the middle.
    """

    share: float
    sigmas: float
    blue_odds: float = 0.0
    is_central: bool = False
    is_coarse_jpeg: bool = False

    @property
    def red_odds(self) -> float:
        """The log odds of red ink."""
        return -self.blue_odds * LIMITS.channel_weight * (LIMITS.coarse_share if self.is_coarse_jpeg else 1)


@dataclass(frozen=True, slots=True)
class DrawnEye:
    """The eye as a camera would show it at the pixels of a face: in brightness, and in colour."""

    light: Floats
    color: Floats


def fit_eye(image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float) -> EyeFit | None:
    """The eye fitted to the face of a die on that body axis and side; None: too little of the face is visible."""
    pixels = face_corners(image, place, half_mm, axis, sign)
    left, top = np.floor(pixels.min(axis=0)).astype(int) - 2
    right, bottom = np.ceil(pixels.max(axis=0)).astype(int) + 2
    rows, columns = image.light.shape[:2]
    if left < 0 or top < 0 or right > columns or bottom > rows:
        return None
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], np.float32)
    to_face = np.asarray(cv2.getPerspectiveTransform(pixels, corners), np.float64)
    high_px = float(cv2.contourArea(pixels) / max(float(np.linalg.norm(pixels[1] - pixels[0])), LIMITS.tiny))
    tall = min(LIMITS.flat_reach, 0.5 - SHARED.pixel_blur_px / max(high_px, LIMITS.tiny))
    if tall <= 0:
        return None
    x, y = np.meshgrid(np.arange(left, right, dtype=float), np.arange(top, bottom, dtype=float))
    across, along = _faced(to_face, x, y)
    here = (np.abs(across) < LIMITS.flat_reach) & (np.abs(along) < tall)
    if here.sum() < LIMITS.min_oblique_pixels:
        return None
    light = image.light[top:bottom, left:right][here].astype(np.float64) / 65535 / image.paper
    fine = (
        (np.arange(n * SHARED.drawn_samples) + 0.5) / SHARED.drawn_samples - 0.5 + first
        for n, first in ((right - left, left), (bottom - top, top))
    )
    fine_across, fine_along = (f.astype(np.float32) for f in _faced(to_face, *np.meshgrid(*fine)))

    def eye(slide: float, is_turned: bool) -> DrawnEye:
        u, v = fine_across - np.float32(slide), fine_along
        soft = _blurred(inked(v, u) if is_turned else inked(u, v))
        return DrawnEye(soft[here], halved(soft, left % 2, top % 2)[here])

    ground = _ground(across[here], along[here], tall, max(2, round(2 * tall * high_px) + 1))
    mark = _weighed(light, ground, _motley(image, place, half_mm, axis, sign, across[here], along[here]), eye)
    return None if mark is None else replace(mark, is_coarse_jpeg=image.is_coarse_jpeg)


def level_axes(place: Place, axis: int) -> tuple[int, int]:
    """The two body axes parallel to the face on this axis, the more level axis first."""
    u, v = (a for a in range(3) if a != axis)
    return (v, u) if abs(place.axes[2, u]) > abs(place.axes[2, v]) else (u, v)


def face_corners(image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float) -> Floats32:
    """The corners (4, 2) of a face in the picture: (-, -), (+, -), (+, +), (-, +) along its level axes."""
    u, v = level_axes(place, axis)
    body = np.zeros((4, 3))
    body[:, axis] = sign * half_mm
    body[:, u], body[:, v] = [-half_mm, half_mm, half_mm, -half_mm], [-half_mm, -half_mm, half_mm, half_mm]
    return image.view.to_pixels(place.points(body)).astype(np.float32)


def _motley(
    image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float, across: Floats, along: Floats
) -> Floats | None:
    """Basis functions (N, terms) for a multicoloured table mirrored in a side; None: the table there has one colour."""
    seen = foot_tints(image, place, half_mm, axis, sign)
    if seen is None:
        return None
    tints = [np.interp(across, FOOT_PLACES, tint) for tint in seen.T]
    return np.column_stack([*tints, *(tint * along for tint in tints)])


def foot_tints(image: PreparedImage, place: Place, half_mm: float, axis: int, sign: float) -> Floats | None:
    """The table's blue and red beyond green, (P, 2), before a side's foot at `FOOT_PLACES` along it; None: a top."""
    normal = place.axes[:, axis] * sign
    flat = float(np.hypot(normal[0], normal[1]))
    if flat < LIMITS.min_side_sine:
        return None
    level = place.axes[:, level_axes(place, axis)[0]]
    foot = place.middle_mm + normal * half_mm + np.outer(FOOT_PLACES * 2 * half_mm, level)
    before = foot[:, None, :2] + FOOT_MM[:, None] * (normal[:2] / flat)
    height = np.full(before.shape[0] * before.shape[1], max(float(place.middle_mm[2]) - half_mm, 0.0))
    light = image.light_at(np.column_stack([before.reshape(-1, 2), height]))
    return np.asarray((light @ BEYOND_GREEN).reshape(*before.shape[:2], 2).mean(axis=1))


def _faced(to_face: Floats, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Pixels as places on the face, in sides from its middle."""
    p = to_face @ np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    return (p[0] / p[2]).reshape(x.shape), (p[1] / p[2]).reshape(x.shape)


def inked(u: Floats32, v: Floats32) -> Floats32:
    """Mask of the eye's ink: its outline and its iris."""
    radius = (LIMITS.eye_half_width**2 + LIMITS.eye_half_height**2) / (2 * LIMITS.eye_half_height)
    u2 = u * u
    far2 = u2 + np.square(np.abs(v) + np.float32(radius - LIMITS.eye_half_height))
    is_line = (far2 < radius**2) & (far2 > (radius - LIMITS.eye_line) ** 2)
    return (is_line | (u2 + v * v < LIMITS.iris_radius**2)).astype(np.float32)


def _blurred(fine: Floats32) -> Floats:
    """A drawing with `drawn_samples` points per pixel, as the camera's pixels show it."""
    soft = cv2.GaussianBlur(fine, (0, 0), SHARED.pixel_blur_px * SHARED.drawn_samples)
    size = (soft.shape[1] // SHARED.drawn_samples, soft.shape[0] // SHARED.drawn_samples)
    return cv2.resize(soft, size, interpolation=cv2.INTER_AREA).astype(np.float64)


def halved(soft: Floats, x_odd: int, y_odd: int) -> Floats:
    """A drawing (R, C) or (R, C, N) at the resolution of colour in pictures (4:2:0): the mean of two by two pixels.

    `x_odd` and `y_odd`: 1 if the drawing begins in the second column or row of such a block. Source: ITU-T T.871, 4.
    """
    rows, columns = soft.shape[:2]
    edges = (y_odd, (rows + y_odd) % 2, x_odd, (columns + x_odd) % 2)
    whole = cv2.copyMakeBorder(soft, *edges, cv2.BORDER_REPLICATE)
    size = (whole.shape[1], whole.shape[0])
    half = cv2.resize(whole, (size[0] // 2, size[1] // 2), interpolation=cv2.INTER_AREA)
    spread = cv2.resize(half, size, interpolation=cv2.INTER_LINEAR)
    return spread[y_odd : y_odd + rows, x_odd : x_odd + columns].astype(np.float64)


def _ground(across: Floats, along: Floats, tall: float, knots: int) -> Floats:
    """Basis functions (pixels, terms) of a face without an eye."""
    at = np.linspace(-tall, tall, knots)
    hats = np.maximum(0.0, 1 - np.abs(along[:, None] - at) / (at[1] - at[0]))
    powers = [across[:, None] ** k for k in range(1, LIMITS.ground_order + 1)]
    return np.hstack([hats, *powers, (across * along)[:, None]])


def _weighed(
    light: Floats, ground: Floats, motley: Floats | None, eye: Callable[[float, bool], DrawnEye]
) -> EyeFit | None:
    """The eye's direction, of two, with the better fit, with and without the table's colours in the ground."""
    base = _upright(ground)
    tinted = _upright(np.hstack([ground, motley])) if motley is not None else None
    freedom = max(len(light) - ground.shape[1] - 1, 1)
    best: tuple[float, EyeFit] | None = None
    for is_turned in (False, True):
        first = eye(0.0, is_turned)
        clean = first.light - base @ (base.T @ first.light)
        weight = float(clean @ clean)
        if weight < LIMITS.tiny:
            continue
        bare = light - np.outer(first.light, clean @ light / weight)
        bare = base @ (base.T @ bare)
        bare = np.maximum(bare, medians(bare).clip(SHARED.min_noise) / 2)
        shares = light / bare
        shares -= base @ (base.T @ shares)
        lack = -(clean @ shares) / weight
        rest = shares + np.outer(clean, lack)
        misfit = float(np.linalg.slogdet(rest.T @ rest / freedom + np.eye(3) * 1e-8)[1])
        if best is not None and misfit >= best[0]:
            continue
        level = first.light @ bare / first.light.sum()
        floor = np.diag((SHARED.min_noise / level) ** 2)
        covariance = rest.T @ rest / freedom / weight + floor
        share, sigma = float(lack.mean()), float(np.sqrt(LIMITS.luma_correlation * covariance.mean()))
        mark = EyeFit(share, share / sigma)
        if mark.sigmas > LIMITS.sigmas:
            whole = shares.mean(axis=1)
            gain = float((clean @ whole) ** 2 / weight)
            is_central = all(
                gain > _gain(eye(slide, is_turned).light, base, whole)
                for slide in LIMITS.eye_slide * np.array([-2, -1, 1, 2])
            )
            lacks = [lack_of(shares, first.color, each) for each in ([base] if tinted is None else [base, tinted])]
            odds = sum(odds_by_absorption(*each) for each in lacks) / len(lacks)
            mark = EyeFit(share, mark.sigmas, odds, is_central)
        best = misfit, mark
    return None if best is None else best[1]


def _upright(ground: Floats) -> Floats:
    """The ground's basis functions made orthonormal by their Gram matrix: a tenth of the work of a QR decomposition."""
    gram = ground.T @ ground
    lower = np.linalg.cholesky(gram + np.eye(len(gram)) * LIMITS.tiny * float(np.trace(gram)) / len(gram))
    return np.asarray(ground @ np.linalg.inv(lower).T)


def _gain(eye: Floats, base: Floats, shares: Floats) -> float:
    """The variance that an eye explains; only light missing counts, not additional light."""
    clean = eye - base @ (base.T @ eye)
    weight = float(clean @ clean)
    return max(-float(clean @ shares), 0.0) ** 2 / weight if weight > LIMITS.tiny else 0.0
