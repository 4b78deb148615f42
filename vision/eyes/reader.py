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
from vision.eyes.annotate import draw_reading
from vision.eyes.detect import Detections, detect_pieces
from vision.eyes.fuse import fused
from vision.eyes.margins import overlaps
from vision.eyes.pieces import Detection, Shapes
from vision.measure.prepared import LightBuffer
from vision.measure.views import View
from vision.readers import Fused, Picture


def open_eye(lens: Lens, kit: Kit) -> EyesEye:
    """The reader of one camera over one set."""
    return EyesEye(lens, kit)


class EyesEye:
    """Reads pictures of an Eyes of the Emperor table."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.shapes = Shapes.of(kit)
        self._store = LightBuffer()
        self._faces = FaceReader()

    def read(self, picture: Picture) -> EyesReading:
        """The table as the picture shows it. Raises: ReadingError: it cannot be read."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> EyesReading:
        """The same with a known pose."""
        judge(picture, pose, self.kit)
        return reading_of(detect_pieces(picture, pose, self.kit, self.shapes, self._store, self._faces), self.kit)

    def fuse(self, readings: Sequence[EyesReading]) -> Fused[EyesReading]:
        """One reading of several of the same table at rest. Raises: ValueError: no readings."""
        return fused(readings)

    def draw(self, picture: Picture, reading: EyesReading) -> Picture:
        """A copy of the picture with outlines, names and margins, and with what is too close magnified."""
        return draw_reading(picture, reading, find_pose(picture, self.lens, self.kit), self.kit)


def reading_of(detections: Detections, kit: Kit) -> EyesReading:
    """The detections as a reading."""
    ids = _ids(detections.pieces)
    pieces = tuple(_piece(found, id) for found, id in zip(detections.pieces, ids, strict=True))
    rests = tuple(RestsOn(piece=ids[a], on=ids[b], confidence=round(c, 3)) for a, b, c in detections.rests_on)
    x, y, z = detections.pose.centre_mm
    table = TableFit(
        reprojection_px=round(detections.pose.reprojection_px, 4),
        fiducials=detections.pose.fiducials,
        below_camera_mm=(round(float(x), 1), round(float(y), 1)),
        camera_height_mm=round(abs(float(z)), 1),
        unseen_mm=unseen_mm(detections.pose, kit),
        soft_pieces=sum(piece.is_blurred for piece in detections.pieces),
        rim_mm=kit.rim_mm,
        px_a_mm=px_a_mm(detections.pose, kit),
    )
    return EyesReading(
        table=table, pieces=pieces, overlaps=overlaps(detections.pieces, ids, detections.pose), rests_on=rests
    )


def px_a_mm(pose: Pose, kit: Kit) -> float | None:
    """How many pixels a millimetre measures in the middle of the mat; None for a drawn table's camera, which no board
    calibrated and nobody can hang lower."""
    if not pose.lens.pictures:
        return None
    middle = np.array([[kit.mat.width_mm / 2, kit.mat.height_mm / 2, 0.0]])
    return round(float(View(pose).project(middle)[1][0]), 2)


def _ids(pieces: list[Detection]) -> list[str]:
    counts: dict[str, int] = {}
    ids = []
    for piece in pieces:
        stem = (
            piece.kind.value if piece.color is None or piece.kind is Kind.NINJA else f"{piece.kind.value}_{piece.color}"
        )
        counts[stem] = counts.get(stem, 0) + 1
        ids.append(stem if piece.kind is Kind.TERRITORY else f"{stem}_{counts[stem]}")
    return ids


def _piece(found: Detection, id: str) -> Piece:
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
