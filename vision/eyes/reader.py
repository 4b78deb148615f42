"""The door of the reader: a picture in, an `EyesReading` out, and the reading drawn on the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose, unseen_mm
from companion.kit import Kit
from companion.readings import EyesReading, Kind, Piece, RestsOn, TableFit
from vision.dice_face import FaceReader
from vision.eyes.drawn import drawn
from vision.eyes.fuse import Fused, fused
from vision.eyes.look import Looked, look
from vision.eyes.margins import overlaps
from vision.eyes.pieces import Found, Shapes
from vision.eyes.sight import LightStore
from vision.readers import Picture


def open_eye(lens: Lens, kit: Kit) -> EyesEye:
    """The eye of one camera over one set."""
    return EyesEye(lens, kit)


class EyesEye:
    """Reads pictures of an Eyes of the Emperor table."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.shapes = Shapes.of(kit)
        self._store = LightStore()
        self._faces = FaceReader()

    def read(self, picture: Picture) -> EyesReading:
        """The table as the picture shows it. Raises: ReadingError."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> EyesReading:
        """The same where the pose is known."""
        judge(picture, pose, self.kit)
        return reading_of(look(picture, pose, self.kit, self.shapes, self._store, self._faces), self.kit)

    def fuse(self, readings: Sequence[EyesReading]) -> Fused:
        """One reading of several of the same table at rest. Raises: ValueError: none."""
        return fused(readings)

    def draw(self, picture: Picture, reading: EyesReading) -> Picture:
        """A copy of the picture with outlines, names, margins, and what is too close magnified."""
        return drawn(picture, reading, find_pose(picture, self.lens, self.kit), self.kit)


def reading_of(looked: Looked, kit: Kit) -> EyesReading:
    """What was seen, in the words of the promise."""
    ids = _ids(looked.pieces)
    pieces = tuple(_piece(found, id) for found, id in zip(looked.pieces, ids, strict=True))
    rests = tuple(RestsOn(piece=ids[a], on=ids[b], confidence=round(c, 3)) for a, b, c in looked.rests_on)
    x, y, z = looked.pose.centre_mm
    table = TableFit(
        reprojection_px=round(looked.pose.reprojection_px, 4),
        fiducials=looked.pose.fiducials,
        below_camera_mm=(round(float(x), 1), round(float(y), 1)),
        camera_height_mm=round(abs(float(z)), 1),
        unseen_mm=unseen_mm(looked.pose, kit),
        soft_pieces=sum(piece.is_soft for piece in looked.pieces),
    )
    return EyesReading(table=table, pieces=pieces, overlaps=overlaps(looked.pieces, ids, looked.pose), rests_on=rests)


def _ids(pieces: list[Found]) -> list[str]:
    counts: dict[str, int] = {}
    ids = []
    for piece in pieces:
        stem = (
            piece.kind.value if piece.color is None or piece.kind is Kind.NINJA else f"{piece.kind.value}_{piece.color}"
        )
        counts[stem] = counts.get(stem, 0) + 1
        ids.append(stem if piece.kind is Kind.TERRITORY else f"{stem}_{counts[stem]}")
    return ids


def _piece(found: Found, id: str) -> Piece:
    x, y, _ = found.place.middle_mm
    outline = tuple((a, b) for a, b in np.round(found.outline_mm, 3).tolist())
    return Piece(
        id=id,
        kind=found.kind,
        color=found.color,
        x_mm=round(float(x), 3),
        y_mm=round(float(y), 3),
        angle_deg=None if found.solid.is_round else round(found.place.angle_deg, 2),
        footprint_mm=outline,
        value=found.value,
        marked_up=found.marked_up,
        tilt_deg=round(found.tilt_deg, 2),
        confidence=round(float(min(max(found.confidence, 0.0), 1.0)), 3),
        reason=found.reason,
    )
