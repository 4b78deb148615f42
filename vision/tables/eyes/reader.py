"""The entry of the reader: from a picture to an `EyesReading`, and the reading drawn on the picture.

Fuses several readings of one settled table: common results stay, contradictory ones become unsure.

Noise and a flickering lamp can turn a close decision; a second picture of the same table reveals this. Margins are
averaged. Their error stays, because most of it is common to all pictures. Differences between the pictures increase it.

The depth of pieces in territories, with standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import NormalDist, fmean
from textwrap import wrap
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Picture
from calibration.lens import Lens
from calibration.light import judge
from calibration.pose import Pose, find_pose, unseen_mm
from companion.game.kit import Kit
from companion.game.margin import TOO_CLOSE_SIGMAS, Call, Margin
from companion.game.readings import (
    ANOTHER_BELOW,
    HIGHEST_IN_DOUBT,
    SURE,
    EyesReading,
    Hideout,
    Kind,
    Overlap,
    Piece,
    RestsOn,
    TableFit,
    pooled,
)
from vision.drawing import DOUBT_INK, RIM_INK, Drawing, Ink, ink_of, told
from vision.measure.bodies import View, apart_mm, footprint, top_face
from vision.measure.prepared import LightBuffer
from vision.readers import Fused
from vision.tables.eyes.detect import Detections, detect_pieces
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.pieces import Detection, Lying, Shapes, margin_at_mm, margin_mm, own_variance, toward_rim

NORMAL = NormalDist()
DOUBT_SIGMAS, SURE_SIGMAS = TOO_CLOSE_SIGMAS - 0.5, TOO_CLOSE_SIGMAS + 0.5
"""A margin that is too close to call has fewer sigmas than the first, a sure one more than the second."""
MOST_ACROSS = 2 * NORMAL.cdf(-TOO_CLOSE_SIGMAS)
"""Maximum share of a mixture beyond the rim if its margin is called."""
HALF_NORMAL = math.sqrt(1 - 2 / math.pi)
"""Standard deviation of half a normal distribution."""


def overlaps(pieces: list[Detection], ids: list[str], pose: Pose) -> tuple[Overlap, ...]:
    """The overlap of every empire die and samurai with every territory within `LIMITS.measured_mm`."""
    pairs = [
        (p, t)
        for t, territory in enumerate(pieces)
        if territory.kind is Kind.TERRITORY
        for p, piece in enumerate(pieces)
        if piece.kind in (Kind.EMPIRE_DIE, Kind.SAMURAI) and margin_mm(piece, territory) > -LIMITS.measured_mm
    ]
    if not pairs:
        return ()
    upper, lower = (np.array([pieces[i].place.middle_mm for i in mine]) for mine in zip(*pairs, strict=True))
    between = pose.covariance_between_mm2(lower, upper)
    told = []
    for (p, t), placed in zip(pairs, between, strict=True):
        overlap = Overlap.of(ids[p], ids[t], margin_of(pieces[p], pieces[t], pose, placed))
        other = other_way(pieces[p], pieces[t], overlap.margin_mm)
        if other is not None:
            outline = footprint(pieces[p].solid, other.fit.place)
            depth = round(margin_at_mm(pieces[p], other.fit.place, pieces[t]), 3)
            overlap = overlap.or_else(depth, tuple((x, y) for x, y in np.round(outline, 3).tolist()))
        told.append(overlap)
    return tuple(told)


def other_way(piece: Detection, territory: Detection, margin_mm: float) -> Lying | None:
    """The most probable pose on the other side of the rim; None: no pose there has enough weight."""
    across = [
        way
        for way in piece.ways
        if way.share > MOST_ACROSS and margin_at_mm(piece, way.fit.place, territory) * margin_mm < 0
    ]
    return max(across, key=lambda way: way.share, default=None)


def margin_of(piece: Detection, territory: Detection, pose: Pose, placed_mm2: Floats | None = None) -> Margin:
    """The depth of a piece's footprint in a territory, over all its possible poses, and its standard error.

    Each pose's depth has the error of its fit; all poses form a mixture, whose standard deviation is the error. If too
    much of the mixture is on the other side of the rim, the error grows until the margin is too close to call.
    `placed_mm2` (2, 2): the pose's part, `Pose.covariance_between_mm2` of both middles, if already computed.
    """
    if placed_mm2 is None:
        placed_mm2 = pose.covariance_between_mm2(territory.place.middle_mm[None], piece.place.middle_mm[None])[0]
    shared = _shared_variance(piece, territory, pose, placed_mm2)
    ways = piece.ways or (Lying(piece.fit, piece.under, 1.0),)
    depths = np.array([margin_at_mm(piece, way.fit.place, territory) for way in ways])
    variances = np.array([shared + own_variance(piece, way, territory) for way in ways])
    is_its_land = piece.land == territory.color
    sides = [0 if way.rests is None or not is_its_land else 1 if way.rests else -1 for way in ways]
    return mixture(depths, variances, np.array([way.share for way in ways]), np.array(sides))


def mixture(depths_mm: Floats, variances_mm2: Floats, shares: Floats, sides: NDArray[np.int64]) -> Margin:
    """The mean of a mixture of depths (N,) and its error.

    A piece on a territory overlaps it, a piece next to it does not. If this is known for a pose (`sides` 1 and -1; 0:
    unknown), the whole pose is on that side of the rim, however near.

    >>> sure, one_in_a_hundred = np.array([1.0, 0.0]), np.array([0.99, 0.01])
    >>> depths, variances, sides = np.array([-0.3, 1.5]), np.array([0.02, 0.02]), np.array([-1, 1])
    >>> print(*(mixture(depths, variances, shares, sides).call() for shares in (sure, one_in_a_hundred)))
    clear too_close
    """
    # a pose's kind settles its side only if its fit is good, with an error below twice that of a contact
    bound = np.where(variances_mm2 < (2 * LIMITS.contact_mm) ** 2, sides, 0)
    depths_mm = np.where(bound > 0, np.maximum(depths_mm, 0), np.where(bound < 0, np.minimum(depths_mm, 0), depths_mm))
    mean = float(shares @ depths_mm)
    sigma = math.sqrt(float(shares @ (variances_mm2 + np.square(depths_mm - mean))))
    facing = math.copysign(1.0, mean)
    across = [NORMAL.cdf(-z) for z in (facing * depths_mm / np.sqrt(variances_mm2)).tolist()]
    # a pose with a poor fit is on one side only if both its depth and its kind say so
    other_side = float(shares @ np.where(bound == 0, np.maximum(across, sides * facing < 0), bound * facing < 0))
    if other_side > MOST_ACROSS or (abs(mean) < LIMITS.pose_mm and not bound.all()):
        sigma = max(sigma, abs(mean) / DOUBT_SIGMAS)
    elif bound.all() and abs(mean) < SURE_SIGMAS * sigma:
        # cutting the mixture off at the rim makes it narrower, with its mean further from the rim
        sigma = max(HALF_NORMAL * sigma, abs(mean) / SURE_SIGMAS)
        mean = facing * SURE_SIGMAS * sigma
    return Margin(round(mean, 4), round(sigma, 4))


def _shared_variance(piece: Detection, territory: Detection, pose: Pose, placed_mm2: Floats) -> float:
    """The variance common to all poses of the piece."""
    toward = toward_rim(piece.place, territory)
    aside = (piece.place.middle_mm - pose.centre_mm)[:2] / float(pose.centre_mm[2] - piece.place.middle_mm[2])
    variance = LIMITS.floor_mm[0] ** 2 + piece.spread_mm**2 + (float(toward @ aside) * piece.rise_mm) ** 2
    if piece.kind is Kind.EMPIRE_DIE:
        px_a_mm = pose.lens.fx_px / float(pose.centre_mm[2] - piece.place.middle_mm[2])
        variance += max(LIMITS.fine_px_per_mm / px_a_mm - 1, 0.0) ** 2
        variance += (LIMITS.blur_error_mm * max(pose.blur_px - LIMITS.max_blur_px, 0.0)) ** 2
    variance += (LIMITS.hidden_error_mm * max(LIMITS.some - piece.fit.coverage, 0.0)) ** 2
    if piece.raised is not None:  # both places are equally likely
        variance += (apart_mm(piece.place, piece.raised) / 2) ** 2
    return variance + float(toward @ (placed_mm2 + territory.fit.covariance[:2, :2]) @ toward)


DISAGREE = "the pictures of the still table do not agree"

T = TypeVar("T")
Sightings = dict[int, Piece]
"""One piece in the pictures that show it (by index), the latest first."""


def fused(readings: Sequence[EyesReading]) -> Fused[EyesReading]:
    """Fuses readings of a settled table, with the places and outlines of the last picture.

    A die in less than half of the pictures is left out. A samurai in any picture is kept, but unsure. A ninja's value
    and a die's owner are kept if no two pictures contradict each other, an eye only if all agree. A picture without a
    die's owner does not weaken what all pictures show of its eye. The pictures agree if all show the same pieces,
    faces, tilts and supports.
    Raises: ValueError: no readings.
    """
    if not readings:
        raise ValueError("found no readings, expected at least one of the table at rest")
    count = len(readings)
    every = _sightings(readings)
    kept = [shown for shown in every if 2 * len(shown) >= count or next(iter(shown.values())).kind is Kind.SAMURAI]
    pieces = _named([_one(shown, count) for shown in kept])
    names = [
        {shown[i].id: piece.id for shown, piece in zip(kept, pieces, strict=True) if i in shown} for i in range(count)
    ]
    rests, is_one_order = _rests_on(readings, names)
    partly_seen = {piece.id for shown, piece in zip(kept, pieces, strict=True) if len(shown) < count}
    reading = EyesReading(
        table=readings[-1].table,
        pieces=tuple(pieces),
        overlaps=_overlaps(readings, names, partly_seen),
        rests_on=rests,
        hideouts=_hideouts(readings, names),
    )
    are_agreed = all(_is_consistent(shown, count) and _has_one_face(shown.values()) for shown in every)
    return Fused(reading, is_one_order and are_agreed)


def _sightings(readings: Sequence[EyesReading]) -> list[Sightings]:
    """The last picture's pieces in order, then the pieces that only earlier pictures show."""
    every: list[Sightings] = []
    for index in reversed(range(len(readings))):
        pieces = readings[index].pieces
        pairs = sorted(
            (apart, a, b)
            for a, shown in enumerate(every)
            for b, piece in enumerate(pieces)
            if (apart := _apart_mm(next(iter(shown.values())), piece)) <= LIMITS.same_mm
        )
        taken: dict[int, int] = {}
        for _, a, b in pairs:
            if b not in taken and a not in taken.values():
                taken[b] = a
                every[a][index] = pieces[b]
        every += [{index: piece} for b, piece in enumerate(pieces) if b not in taken]
    return every


def _apart_mm(a: Piece, b: Piece) -> float:
    """The distance of two pieces; infinite if they cannot be the same. A die's owner may differ."""
    if a.kind is not b.kind or (a.kind in (Kind.TERRITORY, Kind.SAMURAI) and a.color != b.color):
        return math.inf
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _has_one_face(shown: Iterable[Piece]) -> bool:
    return len({(piece.value, piece.marked_up, piece.color) for piece in shown}) == 1


def _is_consistent(shown: Sightings, pictures: int) -> bool:
    """Whether all pictures show the piece, and alike; a picture may lack a die's owner."""
    tilts = {piece.tilt_deg for piece in shown.values()}
    measured = [tilt for tilt in tilts if tilt is not None]
    leans_alike = len(tilts) == 1 or (
        len(measured) == len(tilts) and max(measured) - min(measured) <= LIMITS.same_tilt_deg
    )
    faces = {(piece.value, piece.marked_up) for piece in shown.values()}
    owners = {piece.color for piece in shown.values()} - {None}
    return len(shown) == pictures and leans_alike and len(faces) == 1 and len(owners) <= 1


def _one(shown: Sightings, pictures: int) -> Piece:
    """One piece from all pictures that show it."""
    pieces = list(shown.values())
    latest = pieces[0]
    is_consistent = _is_consistent(shown, pictures)
    confidence = min(piece.confidence for piece in pieces)
    if not is_consistent:
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    value, color = _the_only_one(piece.value for piece in pieces), _the_only_one(piece.color for piece in pieces)
    is_up = latest.marked_up if len({piece.marked_up for piece in pieces}) == 1 else None
    reason = latest.reason
    if latest.kind in (Kind.NINJA, Kind.EMPIRE_DIE):
        is_told = color is not None and (value if latest.kind is Kind.NINJA else is_up) is not None
        reason = None if is_told else latest.reason if _has_one_face(pieces) else DISAGREE
    elif any(piece.reason == ANOTHER_BELOW for piece in pieces):
        reason = ANOTHER_BELOW
    tilt_deg = latest.tilt_deg
    if is_consistent and tilt_deg is not None:
        tilt_deg = round(fmean(piece.tilt_deg for piece in pieces if piece.tilt_deg is not None), 2)
    return replace(
        latest,
        value=value,
        color=color,
        red_odds=None if latest.red_odds is None else pooled([piece.owner_odds for piece in pieces]),
        marked_up=is_up,
        tilt_deg=tilt_deg,
        confidence=round(confidence, 3),
        reason=reason,
    )


def _the_only_one(said: Iterable[T | None]) -> T | None:
    known = {one for one in said if one is not None}
    return known.pop() if len(known) == 1 else None


def _named(pieces: list[Piece]) -> list[Piece]:
    """The pieces with unique names: a piece of an earlier picture may have the name of another piece."""
    used: set[str] = set()
    named = []
    for piece in pieces:
        stem, _, _ = piece.id.rpartition("_")
        free = (f"{stem}_{n}" for n in range(1, 2 * len(pieces) + 2))
        taken = used | {other.id for other in pieces}
        name = piece.id if piece.id not in used else next(name for name in free if name not in taken)
        used.add(name)
        named.append(replace(piece, id=name))
    return named


def _hideouts(readings: Sequence[EyesReading], names: list[dict[str, str]]) -> tuple[Hideout, ...] | None:
    """The hideouts of the newest picture with any; None if one picture was not searched."""
    told = [
        tuple(
            replace(
                hideout,
                behind=tuple(name[id] for id in hideout.behind if id in name),
                on_it=tuple(name[id] for id in hideout.on_it if id in name),
                one_on_it=tuple(name[id] for id in hideout.one_on_it) if set(hideout.one_on_it) <= name.keys() else (),
            )
            for hideout in reading.hideouts
        )
        for reading, name in zip(readings, names, strict=True)
        if reading.hideouts is not None
    ]
    if len(told) < len(readings):
        return None
    return next((hideouts for hideouts in reversed(told) if hideouts), ())


def _overlaps(
    readings: Sequence[EyesReading], names: list[dict[str, str]], partly_seen: set[str]
) -> tuple[Overlap, ...]:
    margins: dict[tuple[str, str], list[Margin]] = {}
    others: dict[tuple[str, str], Overlap] = {}
    for reading, name in zip(reversed(readings), reversed(names), strict=True):
        for pair in reading.overlaps:
            if pair.piece in name and pair.over in name:
                margin = Margin(margin_mm=pair.margin_mm, sigma_mm=pair.sigma_mm)
                key = name[pair.piece], name[pair.over]
                margins.setdefault(key, []).append(margin)
                if pair.other_mm is not None:
                    others.setdefault(key, pair)
    told = []
    for key, said in margins.items():
        overlap = Overlap.of(*key, _mean(said, is_doubted=not partly_seen.isdisjoint(key)))
        other = others.get(key)
        if other is not None and other.other_mm is not None:
            overlap = overlap.or_else(other.other_mm, other.other_outline_mm)
        told.append(overlap)
    return tuple(told)


def _mean(margins: list[Margin], is_doubted: bool) -> Margin:
    """The mean margin. Its variance adds the mean variance and the variance between the pictures."""
    mean_mm = fmean(m.margin_mm for m in margins)
    sigma_mm = math.sqrt(fmean(m.sigma_mm**2 + (m.margin_mm - mean_mm) ** 2 for m in margins))
    if is_doubted:
        sigma_mm = max(sigma_mm, abs(mean_mm) / DOUBT_SIGMAS)
    return Margin(margin_mm=round(mean_mm, 3), sigma_mm=round(sigma_mm, 3))


def _rests_on(readings: Sequence[EyesReading], names: list[dict[str, str]]) -> tuple[tuple[RestsOn, ...], bool]:
    """The pairs of a piece on another, and whether all pictures agree.

    A picture without a pair lowers the pair's confidence.
    """
    said: dict[tuple[str, str], float] = {}
    pictures: dict[tuple[str, str], int] = {}
    for reading, name in zip(reversed(readings), reversed(names), strict=True):
        for rest in reading.rests_on:
            if rest.piece in name and rest.on in name:
                pair = name[rest.piece], name[rest.on]
                said[pair] = said.get(pair, 0.0) + rest.confidence / len(readings)
                pictures[pair] = pictures.get(pair, 0) + 1
    rests: dict[tuple[str, str], RestsOn] = {}
    for (piece, on), confidence in sorted(said.items(), key=lambda item: -item[1]):
        if confidence >= LIMITS.in_doubt and (on, piece) not in rests:
            rests[piece, on] = RestsOn(piece=piece, on=on, confidence=round(confidence, 3))
    return tuple(rests[pair] for pair in said if pair in rests), all(n == len(readings) for n in pictures.values())


class EyesEye:
    """Reads pictures of an Eyes of the Emperor table."""

    def __init__(self, lens: Lens, kit: Kit) -> None:
        self.lens = lens
        self.kit = kit
        self.shapes = Shapes.of(kit)
        self._store = LightBuffer()

    def read(self, picture: Picture) -> EyesReading:
        """The table as the picture shows it. Raises: ReadingError: it cannot be read."""
        return self.read_at(picture, find_pose(picture, self.lens, self.kit))

    def read_at(self, picture: Picture, pose: Pose) -> EyesReading:
        judge(picture, pose, self.kit)
        return reading_of(detect_pieces(picture, pose, self.kit, self.shapes, self._store), self.kit)

    def fuse(self, readings: Sequence[EyesReading]) -> Fused[EyesReading]:
        return fused(readings)

    def draw(self, picture: Picture, reading: EyesReading) -> Picture:
        """A copy of the picture with outlines, names and margins; margins too close to call are magnified."""
        return draw_reading(picture, reading, find_pose(picture, self.lens, self.kit), self.kit)


open_eye = EyesEye


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
            area_mm2=h.area_mm2,
            level_mm2=h.level_mm2,
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
        red_odds=round(found.red_odds, 2) if found.kind is Kind.EMPIRE_DIE else None,
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
    face = {Kind.NINJA: piece.value, Kind.EMPIRE_DIE: piece.marked_up}.get(piece.kind, True)
    return ink_of(piece.confidence, face is not None)


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
        if pair.piece == piece.id and abs(pair.margin_mm) < LIMITS.same_mm:
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
