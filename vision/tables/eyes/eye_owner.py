"""The eye on an empire die: the visible face that shows it, and the log odds of its ink, red against blue.

A network finds an eye that is too faint for its hue. Even an overexposed white top shows its eye, because ink reflects
little light. Only a lamp mirrored in the varnish outshines it. So a saturated top may hide an eye only if it mirrors a
lamp to the camera.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.readings import SURE
from vision.measure.bodies import Place, Solid, faces_seen, silhouette
from vision.measure.limits import LIMITS as SHARED
from vision.measure.prepared import PreparedImage
from vision.measure.rims import hue_of
from vision.measure.room_light import mirrored_light
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.oblique_faces import EyeFit, face_corners, fit_eye
from vision.tables.eyes.pieces import Detection
from vision.tables.eyes.top_eye import face_of, log_odds

UNSEEN_TOP = "no face that looks up is seen"
COVERED = "another piece lies or leans on it and covers a part of its top"
FAINT = "its top may show a faint eye"
MIRRORED = "a lamp is mirrored in its top: an eye there would not be seen"
FLAT_EYE = "its eye is seen too flat to tell its colour for sure"
UNSEEN_EYE = "its eye is on a face that the camera does not see"
GLARE = "glare washes out the colour of its eye"
PERHAPS = (FAINT, MIRRORED, GLARE)
"""Reasons under which an eye may be on the top."""
FAINT_ODDS = math.log(SURE / (1 - SURE))
"""A top has an eye, or none, with higher log odds of the network."""
_AT = (np.arange(LIMITS.face_samples) - (LIMITS.face_samples - 1) / 2) / LIMITS.face_samples * 2 * LIMITS.flat_reach
_LEFT, _RIGHT = -LIMITS.eye_half_width > _AT, LIMITS.eye_half_width < _AT
_IRIS = np.hypot(_AT[None, :], _AT[:, None]) < LIMITS.iris_radius
_EYE = np.hypot(_AT[None, :], _AT[:, None]) < LIMITS.eye_half_width


def read_eye(image: PreparedImage, solid: Solid, place: Place) -> tuple[float, bool | None, str | None]:
    """(log odds of red, whether the eye is up, reason for an unknown): by the top's hue, or else by the shape of an eye
    on each face, or else by the network of tops. On a partly covered die only a visible eye counts.
    """
    half = solid.half_height_mm
    top = next((face for face in faces_seen(image.view, solid, place, LIMITS.min_cosine) if face[3]), None)
    if image.covers:
        return _half_covered(image, place, half, top)
    if top is None:
        return 0.0, None, UNSEEN_TOP
    red, blue, is_saturated = _ink(image, place, half, *top[:2])
    by_hue = _odds_by_hue(red, blue, LIMITS.trace)
    if by_hue is not None:
        return by_hue, True, None
    mark = fit_eye(image, place, half, *top[:2])
    if mark is not None and mark.is_central and mark.sigmas > 2 * LIMITS.sigmas:
        return mark.red_odds, True, None if mark.red_odds else GLARE
    sides = [
        mark
        for axis, sign in sides_seen(image, solid, place, LIMITS.min_cosine)
        if (mark := fit_eye(image, place, half, axis, sign)) is not None and is_eye(mark)
    ]
    if sides:
        return sum(mark.red_odds for mark in sides), False, FLAT_EYE
    odds = log_odds(image, solid, place, *top[:2])
    if abs(odds) < FAINT_ODDS:
        return 0.0, None, FAINT
    if odds > 0:
        return 0.0, True, GLARE
    if is_saturated and _mirrors_lamp(image, place):
        return 0.0, None, MIRRORED
    return 0.0, False, UNSEEN_EYE


def with_black_tops(image: PreparedImage, ninjas: Sequence[Detection]) -> PreparedImage:
    """The image with the light of ninjas' black tops: it shows how white a mirrored lamp makes ink."""
    tops = []
    for ninja in ninjas:
        for axis, sign, _, is_up in faces_seen(image.view, ninja.solid, ninja.place, LIMITS.min_cosine):
            if is_up:
                light = face_of(image, ninja.solid, ninja.place, axis, sign, LIMITS.face_samples)[:, 6:-6, 6:-6]
                tops.append((mirrored_light(image, ninja.place), float(np.quantile(light, LIMITS.fifth))))
    return replace(image, room_light=replace(image.room_light, black_tops=tuple(tops)))


def _mirrors_lamp(image: PreparedImage, place: Place) -> bool:
    """Whether a die's top may mirror so much light to the camera that ink on it looks white.

    The paper's exposure excludes it, or black tops that mirror half as much. Saturated paper may be twice as bright.
    """
    mirrored = mirrored_light(image, place)
    paper = float((image.paper / image.saturation).min())
    exposure = paper if paper < SHARED.saturated_share else 2.0
    if exposure * mirrored < LIMITS.max_mirrored:
        return False
    alike = [(by, black) for by, black in image.room_light.black_tops if by > LIMITS.half * mirrored]
    return not alike or any(black > LIMITS.most or black * mirrored > LIMITS.half * by for by, black in alike)


def sides_seen(image: PreparedImage, solid: Solid, place: Place, least_cosine: float) -> list[tuple[int, float]]:
    """The visible sides of a die without another piece before them: body axis and sign.

    The end of another die before a side looked like an eye on the side.
    """
    found = []
    for axis, sign, _, is_up in faces_seen(image.view, solid, place, least_cosine):
        if not is_up:
            outward = place.axes[:, axis] * sign
            middle = place.middle_mm + outward * solid.half_height_mm
            before = [outline for at, outline in image.standing if float(outward @ (at - middle)) > 0]
            corners = face_corners(image, place, solid.half_height_mm, axis, sign)
            if hidden_share(corners, before) < LIMITS.trace:
                found.append((axis, sign))
    return found


def hidden_share(corners: Floats32, before: Sequence[Floats]) -> float:
    """The largest share of a face with these corners in the picture that one of several convex outlines covers."""
    area = max(float(cv2.contourArea(corners)), LIMITS.tiny)
    return max(
        (float(cv2.intersectConvexConvex(corners, one.astype(np.float32))[0]) / area for one in before), default=0.0
    )


def is_eye(mark: EyeFit) -> bool:
    """Whether a side shows an eye."""
    return mark.is_central and mark.share > LIMITS.some and mark.sigmas > LIMITS.sigmas


def _odds_by_hue(red: float, blue: float, least: float) -> float | None:
    """The log odds of red by the tints of a top; None: it shows no single ink."""
    tint = max(red, blue)
    is_one_ink = tint > least and min(red, blue) < LIMITS.half * tint
    return LIMITS.hue_weight * (red - blue) if is_one_ink else None


def _half_covered(
    image: PreparedImage, place: Place, half: float, top: tuple[int, float, float, bool] | None
) -> tuple[float, bool | None, str | None]:
    """Odds, eye and reason from the uncovered part of a die's top."""
    if top is not None:
        axis, sign = top[:2]
        at = _AT * 2 * half
        u, v = (a for a in range(3) if a != axis)
        body = np.zeros((LIMITS.face_samples, LIMITS.face_samples, 3))
        body[..., axis], body[..., u], body[..., v] = sign * half, at[None, :], at[:, None]
        pixels = image.view.to_pixels(place.points(body.reshape(-1, 3)))
        hidden = image.is_covered(pixels, LIMITS.outline_px).reshape(LIMITS.face_samples, LIMITS.face_samples)
        red, blue, *_ = _ink(image, place, half, axis, sign, hidden)
        odds = _odds_by_hue(red, blue, LIMITS.trace)
        if odds is not None and not hidden[_IRIS].any():
            return odds, True, None
    return 0.0, None, COVERED


def _ink(
    image: PreparedImage, place: Place, half: float, axis: int, sign: float, hidden: NDArray[np.bool_] | None = None
) -> tuple[float, float, bool]:
    """A face's middle against its surroundings in red and blue, and whether it is saturated."""
    u, v = (a for a in range(3) if a != axis)
    reach = half * 2 * LIMITS.flat_reach
    body = np.zeros((4, 3))
    body[:, axis] = sign * half
    body[:, u] = [-reach, reach, reach, -reach]
    body[:, v] = [-reach, -reach, reach, reach]
    pixels = image.view.to_pixels(place.points(body)).astype(np.float32)
    count, flags = LIMITS.face_samples, cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    to = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * (count - 1)
    warp = cv2.getPerspectiveTransform(to, pixels)
    face = cv2.warpPerspective(image.light, warp, (count, count), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    light: Floats = face.reshape(-1, 3).astype(np.float64) / 65535
    inks = []
    for values in hue_of(light, image.paper):
        cells = values.reshape(count, count)
        if hidden is not None:
            bare = ~hidden & ~_EYE
            cells = np.where(hidden, np.median(cells[bare]) if bare.any() else np.inf, cells)
        if abs(place.axes[2, u]) > abs(place.axes[2, v]):
            cells = cells.T  # rows now go down the face: the table colours whole rows alike
        left, right = cells[:, _LEFT].mean(axis=1), cells[:, _RIGHT].mean(axis=1)
        inks.append(float((cells - np.maximum(left, right)[:, None])[_IRIS].mean()))
    least = (light / image.saturation).min(axis=1)[_EYE.ravel()]
    is_saturated = float(np.quantile(least, LIMITS.trace)) > LIMITS.most
    return inks[0], inks[1], is_saturated


def shows_no_eye(image: PreparedImage, solid: Solid, place: Place) -> bool:
    """Whether all visible faces of a die are white, without an eye, whatever its tilt.

    An eye is a hole in the white. The die must be where its level fit expects it, without a mirrored lamp.
    """
    seen = silhouette(image.view, solid, place).pixels
    scale = float(image.view.project(place.middle_mm[None])[1][0])
    iris_px = LIMITS.iris_radius * 2 * solid.half_height_mm * scale
    low = np.maximum(np.floor(seen.min(axis=0) - iris_px).astype(int), 0)
    high = np.ceil(seen.max(axis=0) + iris_px).astype(int)
    part = image.light[low[1] : high[1], low[0] : high[0]] / 65535
    light = cv2.blur((part / image.paper).astype(np.float32), ksize=(3, 3))
    bright, dark = light.max(axis=2), light.min(axis=2)
    white = np.asarray((dark > (1 - SHARED.max_pale) * bright) & (bright > SHARED.max_black), np.uint8)
    outline = np.zeros_like(white)
    cv2.fillPoly(outline, [np.rint(seen - low).astype(np.int32)], 1)
    _, labels = cv2.connectedComponents(white)
    mine = np.asarray(labels == np.bincount(labels[(outline & white) > 0], minlength=1).argmax(), np.uint8)
    filled = np.zeros_like(white)
    cv2.drawContours(filled, cv2.findContours(mine, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], -1, 1, cv2.FILLED)
    inside = np.asarray(cv2.erode(filled, np.ones((3, 3), np.uint8)), np.uint8)
    holes = cv2.connectedComponentsWithStats(inside & (1 - mine))[2][1:, cv2.CC_STAT_AREA]
    iris_px2 = math.pi * iris_px**2
    washed = (part > SHARED.saturated_share * image.saturation).any(axis=2) & (mine > 0)
    return (
        max(holes.tolist(), default=0) < LIMITS.few * iris_px2
        and (mine & outline).sum() > LIMITS.nearly_all * outline.sum()
        and (washed.sum() < iris_px2 or not _mirrors_lamp(image, place))
    )
