"""The steps of a table's set-up that look at pictures: aim the camera, wave the board, run the drill.

The drill reads pieces on ten marked places, and its result is the table's certificate.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from calibration.arrays import Floats
from calibration.charuco import CalibrationBoard, CharucoCorners, find_board
from calibration.from_boards import NINTHS, BoardPicture, LensFit, covered, fit_lens
from calibration.lens import Lens
from calibration.light import judge, measure
from calibration.markers import find_fiducials
from calibration.paper.boards import drill_places_mm
from calibration.pose import Pose, find_pose, movement
from companion.app.kept import Certificate, DrillPlace
from companion.game.errors import LensError, ReadingError
from companion.game.kit import Kit
from companion.game.readings import MarkRole, Reading
from companion.game.says import Says, counted, listed

MOST_TILT_DEG = 15.0
MOST_ASIDE_SHARE = 0.12
"""Maximum sideways offset of the camera from the middle, as a share of its height."""
ROOM = 0.97
"""Fiducials should lie within this share of the half picture."""
CORNERS = (Says("top left"), Says("top right"), Says("bottom right"), Says("bottom left"))
SHARP_PX, SOFT_PX = 0.8, 1.3


@dataclass(frozen=True, slots=True)
class Aimed:
    """The aim of the camera: the advice, whether it is good, the fiducials' corners, the height in mm."""

    says: Says
    is_good: bool
    markers: tuple[tuple[int, Any], ...] = ()
    height_mm: float | None = None
    blur_px: float | None = None
    evenness: float | None = None


def aimed(picture: Any, lens: Lens, kit: Kit) -> Aimed:
    """The aim of the camera over a kit's mat, from a picture and a lens that may be a rough one."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    seen = find_fiducials(grey, lens, kit.mat)
    markers = tuple((fiducial.id, fiducial.corners_px) for fiducial in seen)
    if len(seen) < 3:
        absent = [
            CORNERS[i] if i < 4 else Says("{id}", {"id": i}) for i in sorted(kit.mat.markers) if i not in dict(markers)
        ]
        words = "{n} of {all} fiducials are seen: lay out the {absent}, or raise the camera until they are in view"
        values = {"n": len(seen), "all": len(kit.mat.markers), "absent": listed(absent)}
        return Aimed(Says(words, values), False, markers)
    try:
        pose = find_pose(picture, lens, kit)
    except ReadingError as error:
        return Aimed(error.sentence, False, markers)
    light = measure(picture, pose, kit)
    papers = [float(paper.mean()) for paper in light.paper_bgr.values()]
    says, is_good = _todo(pose, kit)
    return Aimed(says, is_good, markers, float(pose.centre_mm[2]), pose.blur_px, min(papers) / max(max(papers), 1e-6))


def _todo(pose: Pose, kit: Kit) -> tuple[Says, bool]:
    half = np.array([pose.lens.width_px, pose.lens.height_px]) / 2
    side = kit.mat.marker_mm / 2
    corners = np.array(
        [(x + u, y + v, 0.0) for x, y in kit.mat.markers.values() for u in (-side, side) for v in (-side, side)]
    )
    reach = np.abs((pose.to_pixels(corners) - half) / half).max(axis=1)
    out = int((reach.reshape(-1, 4).max(axis=1) > 1).sum())
    x, y, height = pose.centre_mm
    tilt = pose.tilt_deg
    aside = np.array([kit.mat.width_mm / 2 - x, kit.mat.height_mm / 2 - y])
    if tilt > MOST_TILT_DEG:
        words = "the camera is tilted by {n} degrees, at most {most} are allowed: point it straight down"
        return Says(words, {"n": round(tilt), "most": round(MOST_TILT_DEG)}), False
    if reach.max() > ROOM:
        # with the camera turned to the middle, the farthest corner would be as far as the mean of opposite corners
        raise_cm = max(1, round(float(height * (reach.max() / ROOM - 1)) / 10))
        if out:
            corner = counted(out, "one corner is outside the picture", "{count} corners are outside the picture")
            return Says("raise the camera {cm} cm: {corner}", {"cm": raise_cm, "corner": corner}), False
        return Says("raise the camera {cm} cm: the fiducials are at the edge of the picture", {"cm": raise_cm}), False
    if np.linalg.norm(aside) > MOST_ASIDE_SHARE * height and tilt > MOST_TILT_DEG / 2:
        way = ("right" if aside[0] > 0 else "left") if abs(aside[0]) > abs(aside[1]) else (
            "bottom" if aside[1] > 0 else "top"
        )  # fmt: skip
        words = "move the camera {cm} cm towards the {way} of the picture, and point it straight down"
        return Says(words, {"cm": round(float(np.abs(aside).max()) / 10), "way": way}), False
    words = "well aimed: {cm} cm up, tilted by {n} degrees, all fiducials in the picture"
    return Says(words, {"cm": round(float(height) / 10), "n": round(tilt)}), True


STILL_SHARE = 0.004
"""Maximum median movement of the corners between two looks at a still board, as a share of the picture's width."""
NEW_SHARE = 0.05
"""Minimum distance between a new outline of the board and every earlier one, as a share of the picture's width."""
LEAST_SEEN = 10
ENOUGH, MOST = 10, 30


@dataclass(slots=True)
class Waving:
    board: CalibrationBoard
    kept: list[BoardPicture] = field(default_factory=list)
    fit: LensFit | None = None
    is_kept: bool = False
    says: Says = field(default_factory=lambda: Says("hold the printed board in front of the camera"))
    _last: dict[int, Floats] = field(default_factory=dict)
    _outlines: list[Floats] = field(default_factory=list)

    def look(self, picture: Any) -> bool:
        """Looks at one more frame; True if it was kept."""
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
        height, width = grey.shape
        seen = find_board(grey, self.board)
        before, self._last = self._last, dict(zip(seen.ids.tolist(), seen.pixels, strict=True))
        if len(seen.ids) < LEAST_SEEN:
            self.says = Says("hold the printed board in front of the camera, with most of it in the picture")
            return False
        shared = [np.linalg.norm(self._last[i] - before[i]) for i in self._last if i in before]
        if len(shared) < LEAST_SEEN / 2 or float(np.median(shared)) > STILL_SHARE * width:
            self.says = Says("hold it still for a moment")
            return False
        outline = _outline(seen, self.board)
        if any(np.abs(outline - other).max() < NEW_SHARE * width for other in self._outlines):
            self.says = self._next()
            return False
        self.kept.append(BoardPicture(f"{len(self.kept) + 1}", width, height, seen))
        self._outlines.append(outline)
        self._try()
        self.says = self._next()
        return True

    @property
    def is_enough(self) -> bool:
        """Whether the pictures determine the lens in all parts of the picture."""
        return self.fit is not None and len(self.kept) >= ENOUGH and all(covered(self.kept))

    def _try(self) -> None:
        if len(self.kept) < 4 or len(self.kept) > MOST:
            return
        try:
            self.fit = fit_lens(self.kept, self.board)
        except LensError:
            self.fit = None  # what is missing shows in the coverage

    def _next(self) -> Says:
        if self.is_enough:
            done, keep = Says("done: the lens is calibrated"), Says("enough pictures: press Keep this lens")
            return done if self.is_kept else keep
        bare = [name for name, is_covered in zip(NINTHS, covered(self.kept), strict=True) if not is_covered]
        if bare:
            return Says("now move it to the {place} of the picture", {"place": bare[0]})
        if self.fit is None:
            return Says("tilt it: lift one edge by a hand's width, then another")
        return Says("good: {n} more, each tilted differently", {"n": max(1, ENOUGH - len(self.kept))})


def _outline(seen: CharucoCorners, board: CalibrationBoard) -> Floats:
    """The board's four corners in the picture, shape (4, 2), also those outside of it."""
    flat = board.corners_mm[seen.ids, :2]
    homography = cv2.findHomography(flat, seen.pixels)[0]
    width, height = board.across * board.square_mm, board.down * board.square_mm
    corners = np.array([(0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1)], np.float64) @ homography.T
    return np.asarray(corners[:, :2] / corners[:, 2:])


REACH_MM = 20.0
"""Maximum distance between a piece and the place it stands on, mm."""
WORST_MM, RMS_MM = 2.0, 1.0
"""Maximum errors of a passed drill, mm: a hand lays a piece on a cross to about half a millimetre."""
MOVED_MM = 1.0
LIGHT_RATIO = 1.6
"""Maximum change of the white paper's brightness in any colour channel, as a factor: else the lamps have changed."""


@dataclass(frozen=True, slots=True)
class Drilled:
    """The result of one look: the places without a piece, and the certificate once all places have one."""

    says: Says
    missing: tuple[int, ...]
    certificate: Certificate | None = None


def drilled(
    picture: Any, reading: Reading, lens: Lens, kit: Kit, *, lens_sha256: str, table: str, now_s: float
) -> Drilled:
    """Compares a reading with the marked places. Raises: ReadingError."""
    pose = find_pose(picture, lens, kit)
    light = judge(picture, pose, kit)
    pieces = [mark for mark in reading.marks() if mark.role is MarkRole.PIECE]
    found, missing = [], []
    for number, (x, y) in enumerate(drill_places_mm(kit), 1):
        near = min(pieces, key=lambda p: np.hypot(p.x_mm - x, p.y_mm - y), default=None)
        if near is None or np.hypot(near.x_mm - x, near.y_mm - y) > REACH_MM:
            missing.append(number)
            continue
        sigma = float(pose.sigma_mm(np.array([(x, y, near.height_mm)]))[0])
        off_x, off_y = round(near.x_mm - x, 2), round(near.y_mm - y, 2)
        found.append(DrillPlace(x_mm=x, y_mm=y, off_x_mm=off_x, off_y_mm=off_y, sigma_mm=round(sigma, 2)))
    if missing:
        numbers = ", ".join(map(str, missing))
        return Drilled(Says("no piece is seen on {numbers}: lay one on each", {"numbers": numbers}), tuple(missing))
    offs = np.array([(place.off_x_mm, place.off_y_mm) for place in found])
    lengths = np.linalg.norm(offs, axis=1)
    worst, rms = float(lengths.max()), float(np.sqrt((lengths**2).mean()))
    is_passed = worst <= WORST_MM and rms <= RMS_MM
    x, y, z = pose.translation_mm.tolist()
    b, g, r = light.white_bgr.tolist()
    certificate = Certificate(
        at=time.strftime("%Y-%m-%d %H:%M", time.localtime(now_s)),
        table=table,
        places=tuple(found),
        worst_mm=round(worst, 2),
        rms_mm=round(rms, 2),
        is_passed=is_passed,
        lens_sha256=lens_sha256,
        rotation=tuple(map(tuple, pose.rotation.tolist())),
        translation_mm=(x, y, z),
        white_bgr=(b, g, r),
    )
    words = "passed: at most {worst} mm off" if is_passed else "failed: up to {worst} mm off, {most} mm are allowed"
    return Drilled(Says(words, {"worst": round(worst, 1), "most": WORST_MM}), (), certificate)


def expired(certificate: Certificate, pose: Pose | None, white_bgr: Any, lens_sha256: str, kit: Kit) -> Says | None:
    """Why a certificate is no longer valid: another lens file, a moved camera, other light. None: it is valid."""
    if certificate.lens_sha256 != lens_sha256:
        return Says("the lens was calibrated again")
    if pose is None:
        return None
    then = Pose(
        pose.lens,
        np.array(certificate.rotation),
        np.array(certificate.translation_mm),
        np.zeros((6, 6)),
        0.0,
        pose.fiducials,
    )
    slipped = movement(then, pose, kit)
    if slipped.is_moved and slipped.by_mm > MOVED_MM:
        return Says("the camera was moved by {mm} mm", {"mm": round(slipped.by_mm)})
    if white_bgr is not None:
        ratios = np.asarray(white_bgr) / np.maximum(np.array(certificate.white_bgr), 1e-6)
        if ratios.max() > LIGHT_RATIO or ratios.min() < 1 / LIGHT_RATIO:
            return Says("the light changed")
    return None
