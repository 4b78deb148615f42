"""A network that compares the possible poses of a die with the picture.

For each pose it gets the picture around the die, and a drawing of the die's faces and of the territories in that pose.
Both are seen from above, with the camera to the right. The network gives each pose a log likelihood.
"""

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from vision.measure.bodies import Place, Solid, turns, unit
from vision.measure.limits import LIMITS as SHARED
from vision.measure.networks import MODELS, Network
from vision.measure.prepared import PreparedImage
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection

SIDE = LIMITS.patch_px
MIDDLE = (SIDE - 1) / 2
_SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
_FACES = [np.insert(_SQUARE, axis, 1.0, axis=1) for axis in range(3)]
"""The corners of a die's faces in half sides, by body axis: of the two faces on an axis a camera sees at most one."""


@cache
def _network() -> Network:
    return Network(MODELS / "die_poses.onnx")


def log_likelihoods(image: PreparedImage, solid: Solid, places: list[Place], territories: list[Detection]) -> Floats:
    """The log likelihood (N,) of each place of a die, up to a common constant."""
    patches = np.stack([patch_of(image, solid, place, territories) for place in places])
    mirrored = np.ascontiguousarray(patches[:, :, ::-1])  # has the same camera, and errors of its own
    said = _network()(np.concatenate([patches, mirrored])).astype(np.float64)
    return (said[: len(patches), 0] + said[len(patches) :, 0]) / 2


def patch_of(image: PreparedImage, solid: Solid, place: Place, territories: list[Detection]) -> Floats32:
    """The network's input for one place (7, SIDE, SIDE): three channels of light, three faces, the territories."""
    middle = place.middle_mm
    ahead = np.append(unit(image.pose.centre_mm[:2] - middle[:2]), 0.0)
    step_mm = LIMITS.patch_sides * 2 * solid.half_height_mm / SIDE
    axes = step_mm * np.stack([ahead, (-ahead[1], ahead[0], 0.0)])
    here, right, down = image.view.to_pixels(np.vstack([middle, middle + MIDDLE / 2 * axes]))
    to_pixels = np.column_stack([right - here, down - here]) / (MIDDLE / 2)
    to_patch = np.linalg.inv(to_pixels)

    def drawn(points_mm: list[Floats]) -> NDArray[np.uint8]:
        """The polygons of these points, filled."""
        drawing = np.zeros((SIDE, SIDE), np.uint8)
        for points in points_mm:
            at = (image.view.to_pixels(points) - here) @ to_patch.T + MIDDLE
            fixed = np.round(at * 2**SHARED.subpixel_bits).astype(np.int32)
            cv2.fillPoly(drawing, [fixed], 255, cv2.LINE_AA, SHARED.subpixel_bits)
        return drawing

    affine = np.column_stack([to_pixels, here - to_pixels @ (MIDDLE, MIDDLE)])
    seen = cv2.warpAffine(
        image.light,
        affine,
        (SIDE, SIDE),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    faces = np.zeros((len(_FACES), SIDE, SIDE), np.uint8)
    for face, corners in zip(faces, _faces_seen(image, solid, place), strict=False):
        face[:] = cv2.GaussianBlur(drawn([corners]), (0, 0), SHARED.pixel_blur_px)
    lands = drawn([_top_rim(land) for land in territories])
    light = np.sqrt(seen.astype(np.float32).transpose(2, 0, 1))
    top = light[:, faces[0] > 255 * LIMITS.nearly_all]
    paper = np.median(top, axis=1) if top.size else light.max(axis=(1, 2))
    light /= np.maximum(paper, 1)[:, None, None]
    return np.concatenate([light, np.concatenate([faces, lands[None]]) / np.float32(255)])


def _top_rim(land: Detection) -> Floats:
    """Points (N, 3) of the rim of a territory's top."""
    turned = turns(len(land.solid.core_mm) // 2)
    rim = land.solid.radius_mm * np.column_stack([np.cos(turned), np.sin(turned)])
    return np.column_stack([land.place.middle_mm[:2] + rim, np.full(len(rim), 2 * land.solid.half_height_mm)])


def _faces_seen(image: PreparedImage, solid: Solid, place: Place) -> list[Floats]:
    """The corners (4, 3) of the faces that the camera sees, the most upward face first, then the more frontal side."""
    toward = (image.pose.centre_mm - place.middle_mm) @ place.axes
    up = int(np.argmax(np.abs(place.axes[2])))
    seen = np.flatnonzero(np.abs(toward) > solid.half_height_mm).tolist()
    order = sorted(seen, key=lambda axis: (axis != up, -abs(toward[axis])))
    half_mm = solid.half_height_mm
    return [
        place.points(half_mm * _FACES[axis] * np.where(np.eye(3)[axis], np.sign(toward[axis]), 1.0)) for axis in order
    ]
