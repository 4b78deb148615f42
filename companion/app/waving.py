"""Automatic pictures of the waved board: still, sharp and new ones, and how much of the view they cover."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from calibration.charuco import CalibrationBoard, CharucoCorners, find_board
from calibration.edges import Floats
from calibration.from_boards import BoardPicture, LensFit, fit_lens
from companion.game.errors import LensError
from companion.game.says import Says

STILL_SHARE = 0.004
"""Maximum median movement of the corners between two looks at a still board, as a share of the picture's width."""
NEW_SHARE = 0.05
"""Minimum distance between a new outline of the board and every earlier one, as a share of the picture's width."""
LEAST_SEEN = 10
ENOUGH, MOST = 10, 30
NINTHS = 9


@dataclass(slots=True)
class Waving:
    """Collects pictures of one board."""

    board: CalibrationBoard
    kept: list[BoardPicture] = field(default_factory=list)
    fit: LensFit | None = None
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
    def covered(self) -> list[bool]:
        """Which of the picture's nine parts, row by row, hold corners of kept pictures."""
        found = [False] * NINTHS
        for kept in self.kept:
            columns = np.clip((3 * kept.seen.pixels[:, 0] / kept.width_px).astype(int), 0, 2)
            rows = np.clip((3 * kept.seen.pixels[:, 1] / kept.height_px).astype(int), 0, 2)
            for ninth in set((3 * rows + columns).tolist()):
                found[ninth] = True
        return found

    @property
    def is_enough(self) -> bool:
        """Whether the pictures determine the lens in all parts of the picture."""
        return self.fit is not None and len(self.kept) >= ENOUGH and all(self.covered)

    def _try(self) -> None:
        if len(self.kept) < 4 or len(self.kept) > MOST:
            return
        try:
            self.fit = fit_lens(self.kept, self.board)
        except LensError:
            self.fit = None  # what is missing shows in the coverage

    def _next(self) -> Says:
        if self.is_enough:
            return Says("done: the lens is calibrated")
        bare = [name for name, is_covered in zip(PLACES, self.covered, strict=True) if not is_covered]
        if bare:
            return Says("now move it to the {place} of the picture", {"place": bare[0]})
        if self.fit is None:
            return Says("tilt it: lift one edge by a hand's width, then another")
        return Says("good: {n} more, each tilted differently", {"n": max(1, ENOUGH - len(self.kept))})


PLACES = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")


def _outline(seen: CharucoCorners, board: CalibrationBoard) -> Floats:
    """The board's four corners in the picture, shape (4, 2), also those outside of it."""
    flat = board.corners_mm[seen.ids, :2]
    homography = cv2.findHomography(flat, seen.pixels)[0]
    width, height = board.across * board.square_mm, board.down * board.square_mm
    corners = np.array([(0, 0, 1), (width, 0, 1), (width, height, 1), (0, height, 1)], np.float64) @ homography.T
    return np.asarray(corners[:, :2] / corners[:, 2:])
