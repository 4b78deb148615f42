"""The entry of the reader: from a picture to an `EyesReading`, and the reading drawn on the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import wrap

import numpy as np

from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose, unseen_mm
from companion.game.kit import Kit
from companion.game.margin import Call
from companion.game.readings import ANOTHER_BELOW, SURE, EyesReading, Hideout, Kind, Overlap, Piece, RestsOn, TableFit
from vision.drawing import DOUBT_INK, RIM_INK, Drawing, Ink, ink_of, told
from vision.measure.bodies import View, top_face
from vision.measure.prepared import LightBuffer
from vision.photo.dice.face import FaceReader
from vision.readers import Fused, Picture
from vision.tables.eyes.detect import Detections, detect_pieces
from vision.tables.eyes.fuse import fused
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.margins import overlaps
from vision.tables.eyes.pieces import Detection, Shapes


def open_eye(lens: Lens, kit: Kit) -> EyesEye:
    """The reader for one camera and kit."""
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
        """Like `read`, with a known pose."""
        judge(picture, pose, self.kit)
        return reading_of(detect_pieces(picture, pose, self.kit, self.shapes, self._store, self._faces), self.kit)

    def fuse(self, readings: Sequence[EyesReading]) -> Fused[EyesReading]:
        """Fuses several readings of one settled table. Raises: ValueError: no readings."""
        return fused(readings)

    def draw(self, picture: Picture, reading: EyesReading) -> Picture:
        """A copy of the picture with outlines, names and margins; margins too close to call are magnified."""
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
    hideouts = tuple(
        Hideout(
            kind=Kind.EMPIRE_DIE,
            x_mm=h.at_mm[0],
            y_mm=h.at_mm[1],
            behind=tuple(ids[i] for i in h.behind),
            on_it=tuple(ids[i] for i in h.on_it),
            one_on_it=tuple(ids[i] for i in h.one_on_it),
        )
        for h in detections.hideouts
    )
    return EyesReading(
        table=table,
        pieces=pieces,
        overlaps=overlaps(detections.pieces, ids, detections.pose),
        rests_on=rests,
        hideouts=hideouts,
    )


def px_a_mm(pose: Pose, kit: Kit) -> float | None:
    """Pixels per millimetre in the middle of the mat; None for a virtual table's camera, which was not calibrated with
    a board and cannot be moved."""
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
    outline = tuple(map(tuple, np.round(found.outline_mm, 3).tolist()))
    top = top_face(found.solid, found.place) if found.kind is not Kind.TERRITORY else np.empty((0, 3))
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
        top_mm=tuple(map(tuple, np.round(top, 2).tolist())),
    )


def draw_reading(picture: Picture, reading: EyesReading, pose: Pose, kit: Kit) -> Picture:
    """A copy of the picture (H, W, 3) with the reading on it.

    Outlines are in the plane of the territories' rims, where overlaps are decided. The upper face of a die has its own
    outline above it.
    """
    drawing = Drawing(picture)
    pieces = {piece.id: piece for piece in reading.pieces}

    for piece in reading.pieces:
        ink = _ink(piece)
        outline = pose.to_pixels(np.array([(x, y, kit.rim_mm) for x, y in piece.footprint_mm], np.float64))
        is_ground = piece.kind is Kind.TERRITORY
        drawing.outline(outline, ink, is_dashed=piece.confidence < SURE, is_ground=is_ground)
        around = outline
        if piece.kind in (Kind.EMPIRE_DIE, Kind.NINJA) and piece.top_mm:
            top = pose.to_pixels(np.array(piece.top_mm))
            drawing.outline(top, ink, is_dashed=True)
            around = np.vstack([outline, top])
        if is_ground:
            around = outline.mean(0)[None]
        drawing.label(_lines(piece, reading), around, ink)
    for pair in reading.overlaps:
        if pair.ruling is Call.TOO_CLOSE:
            piece, over = pieces[pair.piece], pieces[pair.over]
            deepest = min(piece.footprint_mm, key=lambda p: math.dist(p, (over.x_mm, over.y_mm)))
            at = pose.to_pixels(np.array([(*deepest, kit.rim_mm)]))[0]
            if pair.other_outline_mm:
                other = np.array([(x, y, kit.rim_mm) for x, y in pair.other_outline_mm], np.float64)
                drawing.outline(pose.to_pixels(other), DOUBT_INK, is_dashed=True)
            drawing.magnify(at, f"{_name(piece.id)}: {_length(pair)}", DOUBT_INK)
    return drawing.finished()


def _ink(piece: Piece) -> Ink:
    if piece.kind is Kind.TERRITORY:
        return RIM_INK
    is_told = piece.value is not None if piece.kind is Kind.NINJA else True
    if piece.kind is Kind.EMPIRE_DIE:
        is_told = piece.marked_up is not None
    return ink_of(piece.confidence, is_told)


def _lines(piece: Piece, reading: EyesReading) -> list[str]:
    """The text for a piece: its name and face, the piece under it, its distance to a near rim, its doubt."""
    name = _name(piece.id)
    if piece.kind is Kind.EMPIRE_DIE:
        name += {True: ": eye up", False: ": eye not up", None: ": eye?"}[piece.marked_up]
    if piece.kind is Kind.NINJA:
        name += ": ?" if piece.value is None else f": {piece.value}"
    lines = [name]
    lines += [f"on {_name(p.on)}" for p in reading.rests_on if p.piece == piece.id and not p.on.startswith("territory")]
    for pair in reading.overlaps:
        if pair.piece == piece.id and abs(pair.margin_mm) < LIMITS.written_margin_mm:
            says = {Call.CLEAR: "clear of", Call.OVERLAPS: "overlaps", Call.TOO_CLOSE: "too close to"}[pair.ruling]
            lines.append(f"{says} {_name(pair.over)}: {_length(pair)}")
    if piece.reason is not None and (piece.reason != ANOTHER_BELOW or piece.confidence < SURE):
        lines += wrap(piece.reason, LIMITS.max_reason_letters)
    if piece.confidence < SURE:
        lines.append(f"unsure, {told(piece.confidence)}")
    return lines


def _length(pair: Overlap) -> str:
    length = f"{pair.margin_mm:+.2f} mm, σ {pair.sigma_mm:.2f}"
    return length if pair.other_mm is None else f"{length}, or {pair.other_mm:+.2f}"


def _name(id: str) -> str:
    return id.replace("_", " ")
