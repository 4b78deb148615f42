"""Whether the camera, or the mat under it, was moved since the match's reference pose; and a stream's pose in time.

`PoseWatch.look` in every frame: it gives the pose of now and says what moved. With too few fiducials left for a new
pose, and those that are seen in another place, it refuses with `camera_moved`: the old pose would rule wrongly.
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
"""Shorter shifts of the table under the picture are let be: every picture brings its own pose anyway."""
MOVED_SIGMAS = 5.0
"""A shift counts only when it is this many standard errors long."""
MOVED_PX = 3.0
"""A lone fiducial this far (RMS of its corners) from its place says that something moved."""


@dataclass(frozen=True, slots=True)
class Movement:
    """How far the table slipped under the picture at the worst place of the play area, with its standard error."""

    by_mm: float
    sigma_mm: float

    @property
    def is_moved(self) -> bool:
        """Whether that is a movement: long enough to matter and too long to be noise."""
        return self.by_mm > MOVED_MM and self.by_mm > MOVED_SIGMAS * self.sigma_mm


def movement(reference: Pose, now: Pose, kit: Kit) -> Movement:
    """How wrong `reference` would be for a picture with the pose `now`: at the play area's corners and its middle."""
    places = _places_mm(kit)
    slips = reference.to_table(now.to_pixels(places)) - places[:, :2]
    errors = reference.covariance_mm2(places, between_pictures=True) + now.covariance_mm2(places, between_pictures=True)
    lengths = np.linalg.norm(slips, axis=1)
    worst = int(lengths.argmax())
    along = slips[worst] / max(float(lengths[worst]), 1e-9)
    return Movement(float(lengths[worst]), float(np.sqrt(along @ errors[worst] @ along)))


@dataclass(frozen=True, eq=False, slots=True)
class Sighting:
    """The pose of one frame, and the movement since the frame before that set the reference."""

    pose: Pose
    movement: Movement


class PoseWatch:
    """A match's camera: the pose frame by frame, and whether it was moved. One thread at a time."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.reference: Pose | None = None
        self._last: Pose | None = None

    def look(self, picture: Picture) -> Sighting:
        """The pose in this picture. A movement takes the new pose as the reference from then on.

        Raises: ReadingError: as `find_pose`; `camera_moved` where fewer than three fiducials are seen and those lie
            elsewhere than they did; `out_of_picture` where a part of the play area is no longer seen.
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
