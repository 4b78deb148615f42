"""A settled table as the eyes read it, and the pictures that support a ruling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec


@dataclass(frozen=True, slots=True, kw_only=True)
class Crop:
    """A part of a frame (PNG or JPEG bytes), and as JSON bytes its place in it, lens, pose and outlines."""

    picture: bytes
    about: bytes
    piece: str | None = None


class Look(Protocol):
    """One settled table as the eyes read it."""

    @property
    def reading(self) -> Any:
        """The reading, a value of `companion.game.readings`."""

    @property
    def at_s(self) -> float:
        """When the frame was taken, seconds of the monotonic clock."""

    def crop(self, x_mm: float, y_mm: float, piece: str) -> Crop:
        """The picture around a place on the table."""

    def close_up(self, places_mm: Mapping[str, tuple[float, float]]) -> Crop:
        """One picture of all these places and nothing else, named after the first."""

    def overview(self) -> Crop:
        """The whole play area, at a lower resolution."""


class CropOutline(msgspec.Struct, frozen=True):
    """An outline as `OutlineView`, and the kind and place of its piece, which older logs do not contain."""

    points_px: tuple[tuple[float, float], ...]
    role: str = ""
    label: str = ""
    name: str | None = None
    kind: str | None = None
    at_mm: tuple[float, float] | None = None


class CropAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The part of `Crop.about` that pages need, with its position in the frame; further fields are ignored here."""

    width_px: int
    height_px: int
    outlines: tuple[CropOutline, ...] = ()
    at_px: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
