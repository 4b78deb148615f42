"""Small pictures of a mat with known millimetres, drawn through a real lens model."""

from __future__ import annotations

from functools import cache, lru_cache

import cv2
import numpy as np
import pytest
from PIL import ExifTags, Image

from calibration.charuco import CalibrationBoard, board_of
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import PAPER_MM, Pose, find_pose
from companion.game.brought import default_kit
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Kit
from tests.lenses import lens

KIT: Kit = default_kit("eyes_of_the_emperor")
LENS = lens((960, 720), (780.0, 780.4), (476.2, 362.9), (-0.03, 0.015, -0.0004, 0.0003, 0.0))
PX_PER_MM = 2.4
BORDER_MM = 150.0
SUPERSAMPLED, STRIDE = 2, 8
PAPER, INK, FELT = 0.85, 0.05, (0.06, 0.25, 0.08)  # linear light; felt as blue, green, red


@cache
def camera(x_mm=480.0, y_mm=360.0, height_mm=1050.0, tilt=(0.05, -0.03), roll=0.02, lens=LENS) -> Pose:
    """A camera over (x, y), tilted by two angles and rolled, in radians."""
    rotation = cv2.Rodrigues(np.array([tilt[0], tilt[1], 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0]
    translation = -rotation @ np.array([x_mm, y_mm, -height_mm])
    return Pose(lens, rotation, translation, np.zeros((6, 6)), 0.0, 4)


@lru_cache(maxsize=2)  # 90 MB each
def _mat(ids: tuple[int, ...], pushed: tuple[tuple[int, float], ...]) -> np.ndarray:
    mat = KIT.mat
    size = (int((mat.height_mm + 2 * BORDER_MM) * PX_PER_MM), int((mat.width_mm + 2 * BORDER_MM) * PX_PER_MM))
    art = np.empty((*size, 3), np.float32)
    art[:] = FELT
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary))
    for i in ids:
        x, y = mat.markers[i]
        x += dict(pushed).get(i, 0.0)
        side = int(mat.marker_mm * PX_PER_MM)
        cells = dictionary.markerSize + 2
        code = cv2.aruco.generateImageMarker(dictionary, i, cells * 25, borderBits=1)
        printed = cv2.resize(code, (side, side), interpolation=cv2.INTER_AREA) / np.float32(255)
        left, top = (round((v + BORDER_MM) * PX_PER_MM) - side // 2 for v in (x, y))
        quiet = side // 8
        art[top - quiet : top + side + quiet, left - quiet : left + side + quiet] = PAPER
        art[top : top + side, left : left + side] = (INK + (PAPER - INK) * printed)[..., None]
    return art


def picture(
    pose: Pose,
    ids: tuple[int, ...] = (0, 1, 2, 3),
    *,
    light: float = 1.0,
    blur_px: float = 0.7,
    noise: float = 1.5,
    seed: int = 1,
    pushed: tuple[tuple[int, float], ...] = (),
) -> np.ndarray:
    """The mat as that camera sees it: BGR, sRGB, `light` 1 is well lit; `pushed` moves fiducials by mm along x."""
    return _exposed(_seen(pose, ids, pushed), light, blur_px, noise, seed)


def _exposed(seen: np.ndarray, light: float, blur_px: float, noise: float, seed: int) -> np.ndarray:
    seen = np.clip(cv2.GaussianBlur(seen, (0, 0), blur_px) * light, 0, 1)
    coded = np.where(seen <= 0.0031308, seen * 12.92, 1.055 * seen ** (1 / 2.4) - 0.055) * 255
    coded += np.random.default_rng(seed).normal(0, noise, coded.shape)
    return np.clip(np.round(coded), 0, 255).astype(np.uint8)


@lru_cache(maxsize=8)
def _seen(pose: Pose, ids: tuple[int, ...], pushed: tuple[tuple[int, float], ...]) -> np.ndarray:
    """The light that falls on each pixel: shape (H, W, 3), linear."""
    lens, places = pose.lens, _places(pose)
    art = _mat(ids, pushed)
    seen = cv2.remap(art, places[..., 0], places[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return cv2.resize(seen, (lens.width_px, lens.height_px), interpolation=cv2.INTER_AREA)


@lru_cache(maxsize=1)
def _places(pose: Pose) -> np.ndarray:
    """Where on the drawn mat each part of a pixel looks: shape (n H, n W, 2)."""
    lens, n = pose.lens, SUPERSAMPLED
    ways = _rays(lens, n) @ pose.rotation.astype(np.float32)
    x, y, height = pose.centre_mm.astype(np.float32)
    reach = (height - PAPER_MM) / ways[:, 2]
    places = np.column_stack([x + reach * ways[:, 0], y + reach * ways[:, 1]])
    places = (places + BORDER_MM) * PX_PER_MM - 0.5
    return np.asarray(places.reshape(lens.height_px * n, lens.width_px * n, 2), np.float32)


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG file whose header says how the camera was held, as a phone writes it (1 upright, 3 upside down)."""
    header = Image.Exif()
    header[ExifTags.Base.Orientation] = orientation
    body = b"Exif\0\0" + header.tobytes().removeprefix(b"Exif\0\0")
    return jpeg[:2] + b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body + jpeg[2:]


BOARD = "charuco:7x5,30,22,DICT_5X5_100"
SEVEN_BY_FIVE = board_of(BOARD)
TILTS = (  # rotation vectors (rad) and places of the board's middle (mm) that determine a lens
    ((0.5, 0.0, 0.0), (-80, -50, 420)),
    ((-0.5, 0.1, 0.1), (90, 60, 430)),
    ((0.0, 0.55, 0.2), (-90, 50, 420)),
    ((0.1, -0.55, -0.1), (80, -60, 430)),
    ((0.4, 0.4, 0.0), (0, 0, 360)),
    ((-0.4, 0.35, 0.3), (-10, 10, 380)),
    ((0.35, -0.4, 1.2), (60, 70, 470)),
)


@lru_cache(maxsize=1)
def _rays(lens: Lens, n: int) -> np.ndarray:
    """Where each part of a pixel looks, seen from the camera: shape (n H n W, 3); worked out every so many parts and
    linear between, which is right to a thousandth of a pixel."""
    columns, rows = lens.width_px * n, lens.height_px * n
    xs, ys = (np.arange(-(STRIDE + 1) / 2, count + STRIDE, STRIDE) for count in (columns, rows))
    parts = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    coarse = lens.rays(parts / n + (1 / n - 1) / 2).reshape(len(ys), len(xs), 2).astype(np.float32)
    # part 0 lies half a stride and half a part beyond the coarse grid's first
    fine = cv2.resize(coarse, (len(xs) * STRIDE, len(ys) * STRIDE), interpolation=cv2.INTER_LINEAR)
    rays = fine[STRIDE : STRIDE + rows, STRIDE : STRIDE + columns].reshape(-1, 2)
    return np.column_stack([rays, np.ones(len(rays), np.float32)])


@cache
def board_picture(
    turn: tuple[float, ...],
    place: tuple[float, ...],
    *,
    light: float = 1.0,
    blur_px: float = 0.7,
    board: CalibrationBoard = SEVEN_BY_FIVE,
    lens: Lens = LENS,
):
    """A ChArUco board, 7 x 5 of 30 mm squares, before a lens: BGR. `place` is its middle in the camera's frame, mm."""
    wide_mm, high_mm = board.across * board.square_mm, board.down * board.square_mm
    dots = 4  # a dot is 1/4 mm, about a part of a pixel
    margin_mm = 10
    size = (int((wide_mm + 2 * margin_mm) * dots), int((high_mm + 2 * margin_mm) * dots))
    printed = board.opencv().generateImage(size, marginSize=margin_mm * dots).astype(np.float32) / 255
    n = 2
    rotation = cv2.Rodrigues(np.array(turn, np.float64))[0]
    corner = np.array(place, np.float64) - rotation @ np.array([wide_mm / 2, high_mm / 2, 0.0])
    rays = _rays(lens, n) @ rotation.astype(np.float32)  # in the board's frame
    start = (-rotation.T @ corner).astype(np.float32)
    reach = -start[2] / rays[:, 2]
    at = ((start + reach[:, None] * rays)[:, :2] + margin_mm) * dots - 0.5
    at = np.asarray(at.reshape(lens.height_px * n, lens.width_px * n, 2), np.float32)
    art = INK + (PAPER - INK) * printed
    seen = cv2.remap(art, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=0.2)
    seen = cv2.resize(seen, (lens.width_px, lens.height_px), interpolation=cv2.INTER_AREA)
    grey = _exposed(seen, light, blur_px, 1.5, abs(hash(turn)) % 1000)
    return np.repeat(grey[..., None], 3, axis=2)


def assert_refused(shown: np.ndarray, said: str, code: ReadingFault, lens: Lens = LENS, kit: Kit = KIT) -> None:
    """The picture has no pose, or a light that cannot be read by."""
    with pytest.raises(ReadingError, match=said) as refused:
        judge(shown, find_pose(np.ascontiguousarray(shown), lens, kit), kit)
    assert refused.value.code == code
