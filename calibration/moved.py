"""Detects that the camera, or the mat, was moved since the match's reference pose, and tracks the pose of a stream.

`PoseWatch.look` takes every frame and returns the current pose and the movement. It refuses (`camera_moved`) if the
visible fiducials have moved but are too few for a new pose: the old pose would give wrong rulings.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.edges import Picture
from calibration.lens import Floats, Lens
from calibration.markers import find_fiducials
from calibration.pose import Pose, find_pose, must_show_play_area
from companion.game.errors import ReadingError, ReadingFault
from companion.game.kit import Kit
from companion.game.says import Says

MOVED_MM = 0.5
"""Minimum movement of the table in the picture; smaller shifts do not matter, because every picture has its own
pose."""
MOVED_SIGMAS = 5.0
"""Minimum movement in standard errors."""
MOVED_PX = 3.0
"""Maximum distance of a lone fiducial from its place (RMS of its corners) before something counts as moved."""


@dataclass(frozen=True, slots=True)
class Movement:
    """Largest shift of the table in the picture, over the play area, with its standard error."""

    by_mm: float
    sigma_mm: float

    @property
    def is_moved(self) -> bool:
        """Whether the shift is a movement: large enough to matter, and larger than noise."""
        return self.by_mm > MOVED_MM and self.by_mm > MOVED_SIGMAS * self.sigma_mm


def movement(reference: Pose, now: Pose, kit: Kit) -> Movement:
    """The error of `reference` for a picture with the pose `now`, over the play area's corners and middle."""
    places = _places_mm(kit)
    slips = reference.to_table(now.to_pixels(places)) - places[:, :2]
    errors = reference.covariance_mm2(places, between_pictures=True) + now.covariance_mm2(places, between_pictures=True)
    lengths = np.linalg.norm(slips, axis=1)
    worst = int(lengths.argmax())
    along = slips[worst] / max(float(lengths[worst]), 1e-9)
    return Movement(float(lengths[worst]), float(np.sqrt(along @ errors[worst] @ along)))


@dataclass(frozen=True, eq=False, slots=True)
class Sighting:
    """The pose of one frame, and the movement since the reference pose."""

    pose: Pose
    movement: Movement


class PoseWatch:
    """Tracks a match's camera: the pose of each frame, and movements. Not thread-safe."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.reference: Pose | None = None
        self._last: Pose | None = None

    def look(self, picture: Picture) -> Sighting:
        """The pose in this picture. After a movement the new pose becomes the reference.

        Raises: ReadingError: as `find_pose`; `camera_moved`: fewer than three fiducials are visible, and they have
            moved; `out_of_picture`: a part of the play area is outside the picture.
        """
        try:
            pose = find_pose(picture, self.lens, self.kit, self._last)
        except ReadingError as error:
            if error.code == ReadingFault.NO_FIDUCIALS and self.reference is not None:
                self._refuse_when_moved(picture, self.reference)
            raise
        self._last = pose
        must_show_play_area(pose, self.kit)
        if self.reference is None:
            self.reference = pose
        slipped = movement(self.reference, pose, self.kit)
        if slipped.is_moved:
            self.reference = pose
        return Sighting(pose, slipped)

    def _refuse_when_moved(self, picture: Picture, reference: Pose) -> None:
        grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        places = reference.expected_px(self.kit)
        for fiducial in find_fiducials(np.asarray(grey, np.uint8), self.lens, self.kit.mat):
            off_px = float(np.sqrt(((fiducial.corners_px - places[fiducial.id]) ** 2).sum(axis=1).mean()))
            if off_px > MOVED_PX:
                raise ReadingError(
                    ReadingFault.CAMERA_MOVED,
                    Says(
                        "fiducial {id} is {px} px from its place, and too few others are visible to show how the "
                        "camera moved: uncover at least three fiducials",
                        {"id": fiducial.id, "px": f"{off_px:.0f}"},
                    ),
                )


def _places_mm(kit: Kit) -> Floats:
    width, height = kit.mat.width_mm, kit.mat.height_mm
    return np.array(
        [(0, 0, 0), (width, 0, 0), (width, height, 0), (0, height, 0), (width / 2, height / 2, 0)], np.float64
    )
