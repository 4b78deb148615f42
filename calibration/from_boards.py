"""Calibrates a lens from pictures of a ChArUco board, with standard errors, or says why the pictures do not suffice.

Source: Zhang, A flexible new technique for camera calibration, 2000; the covariance of the lens alone by eliminating
the boards' poses (Triggs et al., Bundle adjustment: a modern synthesis, 2000, section 6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.arrays import Floats
from calibration.charuco import CalibrationBoard, CharucoCorners
from calibration.lens import Lens
from companion.game.errors import LensError
from companion.game.says import Says, counted, joined

LEAST_PICTURES = 4
LEAST_CORNERS = 8
"""Minimum corners of a usable picture: four determine the board's pose, the others the lens."""
MOST_NAMED = 3
"""Maximum number of unusable pictures named in a message."""
WORST_RMS_PX = 1.0
"""Maximum residual; beyond it the board has other sizes, or is bent."""
STRANGER_RATIO, STRANGER_PX = 4.0, 0.2
"""A picture is left out if its residual exceeds the median by this factor, and exceeds this length."""
WORST_FOCAL_SHARE = 0.005
"""Maximum standard error of the focal length, as a share of it, for a valid lens."""
WORST_CENTRE_SHARE = 0.01
"""Maximum standard error of the optical centre, as a share of the picture's width."""
LEAST_TURN_DEG = 8.0
"""Minimum angle between the boards of two pictures."""
K3_SIGMAS = 3.0
"""k3 is fitted only if it exceeds this many standard errors: otherwise it distorts uncovered parts."""

NINTHS = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")
"""The parts of a picture, row by row."""


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """One picture of the board: its name, its size in pixels and its visible corners. The fit adds the residual, or
    the reason why the picture is left out."""

    name: str
    width_px: int
    height_px: int
    seen: CharucoCorners
    rms_px: float | None = None
    left_out: Says | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LensFit:
    """A lens, the pictures behind it, and the parts of the picture without corners, in words."""

    lens: Lens
    pictures: tuple[BoardPicture, ...]
    uncovered: tuple[str, ...]

    @property
    def sigmas(self) -> Floats:
        """Standard errors of fx fy cx cy (pixels) k1 k2 p1 p2 k3, shape (9,)."""
        assert self.lens.covariance is not None
        return np.sqrt(np.diag(np.array(self.lens.covariance)))


def fit_lens(pictures: Sequence[BoardPicture], board: CalibrationBoard) -> LensFit:
    """The lens that took these pictures. Raises: LensError: the pictures do not determine it; with the reason."""
    if not pictures:
        raise LensError(Says("none of the files is a picture, expected pictures of the board: nothing was calibrated"))
    _one_size(pictures)
    pictures = [replace(picture, left_out=_useless(picture, board)) for picture in pictures]
    if not any(len(p.seen.ids) for p in pictures):
        words = (
            "none of the {n} pictures shows the board, expected {across} x {down} squares with markers of {dictionary}"
            ": check --board"
        )
        of_board = {"across": board.across, "down": board.down, "dictionary": board.dictionary}
        raise LensError(Says(words, {"n": len(pictures), **of_board}))
    solved = _solved(pictures, board)
    worst = max(STRANGER_RATIO * float(np.median(list(solved.rms_px.values()))), STRANGER_PX)
    odd = {name for name, rms_px in solved.rms_px.items() if rms_px > worst}
    if odd:
        why = Says("its corners do not fit the other pictures: the board was bent, or moved during the exposure")
        pictures = [replace(p, left_out=why) if p.name in odd else p for p in pictures]
        solved = _solved(pictures, board)
    _determined(solved)
    seen = covered([p for p in pictures if p.left_out is None])
    return LensFit(
        lens=solved.lens,
        pictures=tuple(replace(p, rms_px=solved.rms_px.get(p.name)) for p in pictures),
        uncovered=tuple(name for name, is_covered in zip(NINTHS, seen, strict=True) if not is_covered),
    )


@dataclass(frozen=True, slots=True)
class _Solved:
    lens: Lens
    rms_px: dict[str, float]
    facing: Floats
    """The boards' normals in the camera's frame, shape (N, 3)."""


def _one_size(pictures: Sequence[BoardPicture]) -> None:
    names: dict[tuple[int, int], list[str]] = {}
    for picture in pictures:
        names.setdefault((picture.width_px, picture.height_px), []).append(picture.name)
    if len(names) > 1:
        words = (
            "the pictures have {n} sizes, expected one: use pictures of one camera, in the size that it will use for "
            "the table"
        )
        have = ("one has {size} pixels: {name}", "{count} have {size} pixels, the first is {name}")
        usual_first = sorted(names.items(), key=lambda each: -len(each[1]))
        sizes = [
            counted(len(some), *have, {"size": f"{width} x {height}", "name": some[0]})
            for (width, height), some in usual_first
        ]
        raise LensError(joined([Says(words, {"n": len(names)}), *sizes[:MOST_NAMED]]))


def _useless(picture: BoardPicture, board: CalibrationBoard) -> Says | None:
    """Why a picture is unusable by itself; None: it is usable."""
    ids = picture.seen.ids
    if not len(ids):
        return Says("no board is seen")
    if len(ids) < LEAST_CORNERS:
        values = {"n": len(ids), "least": LEAST_CORNERS}
        return Says("only {n} corners are sharp, expected at least {least}", values)
    is_line = np.linalg.matrix_rank(board.corners_mm[ids, :2] - board.corners_mm[ids[0], :2]) < 2
    return Says("its corners are on one line") if is_line else None


def _solved(pictures: Sequence[BoardPicture], board: CalibrationBoard) -> _Solved:
    """The lens by the pictures that are not left out. Raises: LensError."""
    serving = [p for p in pictures if p.left_out is None]
    if len(serving) < LEAST_PICTURES:
        words = (
            "only {n} of {all} pictures are usable, expected at least {least}: take more pictures of the whole board, "
            "sharp and at various tilts"
        )
        says = Says(words, {"n": len(serving), "all": len(pictures), "least": LEAST_PICTURES})
        out = [Says("{name}: {why}", {"name": p.name, "why": p.left_out}) for p in pictures if p.left_out]
        raise LensError(joined([says, *out[:MOST_NAMED]]))
    without = _fitted(serving, board, cv2.CALIB_FIX_K3)
    if sum(len(p.seen.ids) for p in serving) < 4 * board.corners_mm.shape[0]:
        return without
    free = _fitted(serving, board, 0)
    assert free.lens.covariance is not None
    return free if abs(free.lens.distortion[4]) > K3_SIGMAS * np.sqrt(free.lens.covariance[8][8]) else without


def _fitted(serving: Sequence[BoardPicture], board: CalibrationBoard, flags: int) -> _Solved:
    points = [board.corners_mm[p.seen.ids] for p in serving]
    size = (serving[0].width_px, serving[0].height_px)
    try:
        _, matrix, distortion, rvecs, tvecs = cv2.calibrateCamera(
            [p.astype(np.float32) for p in points],
            [p.seen.pixels.astype(np.float32) for p in serving],
            size,
            None,
            None,
            flags=flags,
        )
    except cv2.error as error:
        words = (
            "the pictures do not determine the lens (no solution was found): take more, tilted by 20 to 40 degrees in "
            "different directions"
        )
        raise LensError(Says(words)) from error
    coefficients = np.asarray(distortion, np.float64).ravel()[:5]
    free = 9 if not flags & cv2.CALIB_FIX_K3 else 8
    normal, squares, count, rms = np.zeros((free, free)), 0.0, 0, dict[str, float]()
    for picture, at, rvec, tvec in zip(serving, points, rvecs, tvecs, strict=True):
        drawn, slopes = cv2.projectPoints(at.reshape(-1, 1, 3), rvec, tvec, matrix, coefficients)
        off = picture.seen.pixels - drawn.reshape(-1, 2)
        of_pose, of_lens = slopes[:, :6], slopes[:, 6 : 6 + free]
        shared = of_pose.T @ of_lens
        normal += of_lens.T @ of_lens - shared.T @ np.linalg.pinv(of_pose.T @ of_pose) @ shared
        squares += float((off**2).sum())
        count += len(at)
        rms[picture.name] = float(np.sqrt((off**2).sum(axis=1).mean()))
    spare = max(2 * count - 6 * len(points) - free, 1)
    covariance = np.zeros((9, 9))
    covariance[:free, :free] = np.linalg.pinv(normal, rcond=1e-18, hermitian=True) * squares / spare
    k1, k2, p1, p2, k3 = map(float, coefficients)
    lens = Lens(
        width_px=size[0],
        height_px=size[1],
        fx_px=float(matrix[0, 0]),
        fy_px=float(matrix[1, 1]),
        cx_px=float(matrix[0, 2]),
        cy_px=float(matrix[1, 2]),
        distortion=(k1, k2, p1, p2, k3),
        rms_px=float(np.sqrt(squares / count)),
        pictures=len(points),
        covariance=tuple(map(tuple, covariance.tolist())),
    )
    return _Solved(lens, rms, np.array([cv2.Rodrigues(rvec)[0][:, 2] for rvec in rvecs]))


def _determined(solved: _Solved) -> None:
    lens = solved.lens
    if lens.rms_px > WORST_RMS_PX:
        words = (
            "the corners are {px} px RMS off the best-fitting lens, expected at most {most}: check the board's sizes "
            "in --board, and that it is flat"
        )
        raise LensError(Says(words, {"px": f"{lens.rms_px:.2f}", "most": f"{WORST_RMS_PX:g}"}))
    turn_deg = np.degrees(np.arccos(np.clip((solved.facing @ solved.facing.T).min(), -1, 1)))
    if turn_deg < LEAST_TURN_DEG:
        words = (
            "the board faces the same way in all {n} pictures (within {deg} degrees), expected different tilts: tilt it"
            " by 20 to 40 degrees to each side"
        )
        raise LensError(Says(words, {"n": lens.pictures, "deg": f"{turn_deg:.0f}"}))
    sigma = np.sqrt(np.diag(np.array(lens.covariance)))
    focal = float(max(sigma[0] / lens.fx_px, sigma[1] / lens.fy_px))
    centre = float(max(sigma[2], sigma[3]) / lens.width_px)
    if not focal < WORST_FOCAL_SHARE or not centre < WORST_CENTRE_SHARE:
        words = (
            "the pictures leave the focal length uncertain by {share} and the centre by {px} px, expected at most "
            "{most_share} and {most_px} px: take more, nearer and more tilted"
        )
        most = {"most_share": f"{WORST_FOCAL_SHARE:.1%}", "most_px": f"{WORST_CENTRE_SHARE * lens.width_px:.0f}"}
        raise LensError(Says(words, {"share": f"{focal:.1%}", "px": f"{centre * lens.width_px:.0f}", **most}))


def covered(pictures: Sequence[BoardPicture]) -> list[bool]:
    """Which of `NINTHS` hold corners of these pictures."""
    found = [False] * len(NINTHS)
    for picture in pictures:
        size = np.array([picture.width_px, picture.height_px])
        columns, rows = np.clip((3 * (picture.seen.pixels + 0.5) / size).astype(int), 0, 2).T
        for ninth in set((3 * rows + columns).tolist()):
            found[ninth] = True
    return found
