"""Fuses several readings of one settled table: common results stay, contradictory ones become unsure.

Noise and a flickering lamp can turn a close decision; a second picture of the same table reveals this. Margins are
averaged. Their error stays, because most of it is common to all pictures. Differences between the pictures increase it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TypeVar

from companion.game.margin import TOO_CLOSE_SIGMAS, Margin
from companion.game.readings import ANOTHER_BELOW, HIGHEST_IN_DOUBT, EyesReading, Hideout, Kind, Overlap, Piece, RestsOn
from vision.readers import Fused
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.read_ninjas import LEANING

DISAGREE = "the pictures of the still table do not agree"
DOUBT_SIGMAS = TOO_CLOSE_SIGMAS - 0.5
"""Maximum margin, in sigmas, of a piece that is missing in a picture: too close to call."""

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
            if (apart := _apart_mm(next(iter(shown.values())), piece)) <= LIMITS.same_piece_mm
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
    if any(piece.reason == LEANING for piece in pieces):  # a leaning ninja has no valid value in any picture
        value = None
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
        marked_up=is_up,
        tilt_deg=tilt_deg,
        confidence=round(confidence, 3),
        reason=reason,
    )


def _the_only_one(said: Iterable[T | None]) -> T | None:
    """The only known value; None: no value, or different values."""
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
    """The hideouts of the newest picture with any; None if one picture was not searched.

    A picture that shows all dice has no hideouts. But fusing may leave out a die that only this picture shows, so the
    other pictures' hideouts still count.
    """
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
    """The pieces on each other, and whether all pictures agree; a picture without a pair lowers its confidence."""
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
        if confidence >= LIMITS.min_rest_confidence and (on, piece) not in rests:
            rests[piece, on] = RestsOn(piece=piece, on=on, confidence=round(confidence, 3))
    return tuple(rests[pair] for pair in said if pair in rests), all(n == len(readings) for n in pictures.values())
