"""Several readings of one settled table made into one: what all show stands, what they disagree on is doubted.

Noise and a breathing lamp turn a reading that hangs by a hair; a second picture of the same table tells. Margins are
averaged and keep their own error, for most of it is the same in every picture, widened by what the pictures differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from companion.margin import Margin
from companion.readings import SURE, EyesReading, Kind, Overlap, Piece, RestsOn

SAME_MM = 5.0
"""Pieces of one kind and colour that two pictures show no further apart are one: at rest nothing moves."""
HIGHEST_IN_DOUBT = SURE - 0.01
"""A piece that one picture does not show, or shows otherwise, is at most so sure: the match asks a person."""
LEAST_REST = 0.5
"""That one piece rests on another is told from this mean confidence on."""
DISAGREE = "the pictures of the table at rest do not agree"

T = TypeVar("T")
Seat = dict[int, Piece]
"""One piece as the pictures (by index) show it."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One reading of several, and whether they agreed on all pieces and faces."""

    reading: EyesReading
    agree: bool


def fused(readings: Sequence[EyesReading]) -> Fused:
    """One reading of a table that lay still, with places and outlines as the last picture shows them.

    A piece that less than half of the pictures show is left out. A ninja's value and a die's owner are told where no
    two pictures tell different ones, an eye only where all tell the same. Raises: ValueError: no readings.
    """
    if not readings:
        raise ValueError("found no readings, expected at least one of the table at rest")
    seats = _seats(readings)
    kept = [seat for seat in seats if 2 * len(seat) >= len(readings)]
    pieces = _named([_one(seat, len(readings)) for seat in kept])
    names = [
        {seat[i].id: piece.id for seat, piece in zip(kept, pieces, strict=True) if i in seat}
        for i in range(len(readings))
    ]
    reading = EyesReading(
        table=readings[-1].table,
        pieces=tuple(pieces),
        overlaps=_overlaps(readings, names),
        rests_on=_rests_on(readings, names),
    )
    return Fused(reading, all(_is_agreed(seat, len(readings)) for seat in seats))


def _seats(readings: Sequence[EyesReading]) -> list[Seat]:
    """The last picture's pieces in their order, then those that only earlier ones show."""
    seats: list[Seat] = []
    for index in reversed(range(len(readings))):
        pieces = readings[index].pieces
        pairs = sorted(
            (apart, a, b)
            for a, seat in enumerate(seats)
            for b, piece in enumerate(pieces)
            if (apart := _apart_mm(next(iter(seat.values())), piece)) <= SAME_MM
        )
        taken: dict[int, int] = {}
        for _, a, b in pairs:
            if b not in taken and a not in taken.values():
                taken[b] = a
                seats[a][index] = pieces[b]
        seats += [{index: piece} for b, piece in enumerate(pieces) if b not in taken]
    return seats


def _apart_mm(a: Piece, b: Piece) -> float:
    """Infinite for pieces that cannot be one; a die's colour is its owner's, and perhaps told in one only."""
    if a.kind is not b.kind or (a.kind in (Kind.TERRITORY, Kind.SAMURAI) and a.color != b.color):
        return math.inf
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _is_agreed(seat: Seat, pictures: int) -> bool:
    return len(seat) == pictures and len({(p.value, p.marked_up, p.color) for p in seat.values()}) == 1


def _one(seat: Seat, pictures: int) -> Piece:
    """One piece of all that show it; `seat` begins with the latest."""
    shown = list(seat.values())
    is_agreed = _is_agreed(seat, pictures)
    confidence = sum(piece.confidence for piece in shown) / pictures
    if not is_agreed:
        confidence = min(confidence, HIGHEST_IN_DOUBT)
    value = _told(piece.value for piece in shown)
    color = _told(piece.color for piece in shown)
    ups = {piece.marked_up for piece in shown}
    latest = shown[0]
    piece = replace(latest, value=value, color=color, marked_up=latest.marked_up if len(ups) == 1 else None)
    is_told = piece.color is not None and (
        piece.value is not None if piece.kind is Kind.NINJA else piece.marked_up is not None
    )
    if piece.kind in (Kind.NINJA, Kind.EMPIRE_DIE):
        reason = None if is_told else latest.reason if is_agreed else DISAGREE
    else:
        reason = latest.reason
    tilts = [p.tilt_deg for p in shown if p.tilt_deg is not None]
    tilt_deg = round(fmean(tilts), 2) if tilts else None
    return replace(piece, confidence=round(confidence, 3), reason=reason, tilt_deg=tilt_deg)


def _told(said: Iterable[T | None]) -> T | None:
    """The one thing that was said, None where nothing was, or two things were."""
    told = {one for one in said if one is not None}
    return told.pop() if len(told) == 1 else None


def _named(pieces: list[Piece]) -> list[Piece]:
    """The pieces with ids of their own: one that only an earlier picture shows may bear the id of another."""
    used: set[str] = set()
    named = []
    for piece in pieces:
        stem, _, _ = piece.id.rpartition("_")
        free = (f"{stem}_{n}" for n in range(1, len(pieces) + 2))
        id = piece.id if piece.id not in used else next(name for name in free if all(name != p.id for p in pieces))
        used.add(id)
        named.append(replace(piece, id=id))
    return named


def _overlaps(readings: Sequence[EyesReading], names: list[dict[str, str]]) -> tuple[Overlap, ...]:
    margins: dict[tuple[str, str], list[Margin]] = {}
    for reading, name in zip(reversed(readings), reversed(names), strict=True):
        for pair in reading.overlaps:
            if pair.piece in name and pair.over in name:
                margin = Margin(margin_mm=pair.margin_mm, sigma_mm=pair.sigma_mm)
                margins.setdefault((name[pair.piece], name[pair.over]), []).append(margin)
    return tuple(Overlap.of(piece, over, _mean(told)) for (piece, over), told in margins.items())


def _mean(margins: list[Margin]) -> Margin:
    """The mean, with the mean square of the errors and of the differences."""
    mean_mm = fmean(m.margin_mm for m in margins)
    square = fmean(m.sigma_mm**2 + (m.margin_mm - mean_mm) ** 2 for m in margins)
    return Margin(margin_mm=round(mean_mm, 3), sigma_mm=round(math.sqrt(square), 3))


def _rests_on(readings: Sequence[EyesReading], names: list[dict[str, str]]) -> tuple[RestsOn, ...]:
    """A picture that does not show one piece on another counts against it."""
    told: dict[tuple[str, str], float] = {}
    for reading, name in zip(reversed(readings), reversed(names), strict=True):
        for rest in reading.rests_on:
            if rest.piece in name and rest.on in name:
                pair = name[rest.piece], name[rest.on]
                told[pair] = told.get(pair, 0.0) + rest.confidence / len(readings)
    return tuple(
        RestsOn(piece=piece, on=on, confidence=round(confidence, 3))
        for (piece, on), confidence in told.items()
        if confidence >= LEAST_REST
    )
