"""A network that finds an eye on a die's top, also one that a mirrored lamp nearly outshines."""

from functools import cache

import cv2
import numpy as np

from calibration.arrays import Floats32
from vision.measure.bodies import Place, Solid
from vision.measure.networks import MODELS, Network
from vision.measure.prepared import PreparedImage
from vision.tables.eyes.limits import LIMITS


@cache
def _network() -> Network:
    return Network(MODELS / "top_eye.onnx")


def log_odds(image: PreparedImage, solid: Solid, place: Place, axis: int, sign: float) -> float:
    """The log odds that this face of a die shows an eye."""
    network = _network()
    side, _ = network.size_px
    return float(network(face_of(image, solid, place, axis, sign, side)[None])[0, 0])


def face_of(
    image: PreparedImage, solid: Solid, place: Place, axis: int, sign: float, side: int, around: int = 0
) -> Floats32:
    """The light of a face, saturation = 1. The die is `LIMITS.most` as wide as the picture (3, side, side), which gets
    `around` more pixels on each edge."""
    u, v = (a for a in range(3) if a != axis)
    reach = solid.half_height_mm / LIMITS.most * (side + 2 * around - 1) / side
    side += 2 * around
    body = np.zeros((4, 3))
    body[:, axis] = sign * solid.half_height_mm
    body[:, u], body[:, v] = [-reach, reach, reach, -reach], [-reach, -reach, reach, reach]
    pixels = image.view.to_pixels(place.points(body)).astype(np.float32)
    to = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * (side - 1)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warp = cv2.getPerspectiveTransform(to, pixels)
    face = cv2.warpPerspective(image.light, warp, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray((face / (65535 * image.saturation)).transpose(2, 0, 1), np.float32)
