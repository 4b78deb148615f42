"""All readers, a line each. `open` makes an eye from a set-up; an eye reads a picture and draws what it read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens
from companion.kit import Kit

Picture = NDArray[np.uint8]


class Eye(Protocol):
    """Reads pictures of one kind. Pictures are BGR, shape (H, W, 3)."""

    def read(self, picture: Picture) -> Any:
        """A reading (a frozen dataclass of `companion.readings`). Raises: ReadingError."""

    def draw(self, picture: Picture, reading: Any) -> Picture:
        """A copy of the picture with the reading drawn on it."""


class TableEye(Eye, Protocol):
    """An eye of a table that is watched: several pictures of it at rest are read and made one reading."""

    def fuse(self, readings: Sequence[Any]) -> Fused:
        """One reading of several of the same table, the last picture's last. Raises: ValueError: none."""


class Fused(Protocol):
    """One reading of several, and whether they agreed in all that matters."""

    @property
    def reading(self) -> Any:
        """As an eye's `read` gives it."""

    @property
    def agree(self) -> bool:
        """False: one more picture would tell more."""


@dataclass(frozen=True, slots=True)
class Reader:
    """How a reader is found and what it needs: a lens and the kit of `game` when it measures."""

    name: str
    says: str
    module: str
    game: str | None = None

    @property
    def is_calibrated(self) -> bool:
        """Whether it needs a lens and a kit."""
        return self.game is not None

    def open(self, lens: Lens | None = None, kit: Kit | None = None) -> Eye:
        """The eye, from the module's `open_eye(lens, kit)` or `open_eye()`."""
        make: Callable[..., Eye] = import_module(self.module).open_eye
        return make(lens, kit) if self.is_calibrated else make()

    def open_table(self, lens: Lens, kit: Kit) -> TableEye:
        """The eye of a table that is watched. Raises: ValueError: this reader measures no table."""
        if not self.is_calibrated:
            raise ValueError(f"the reader {self.name!r} watches no table: expected one with a game")
        return cast(TableEye, self.open(lens, kit))


READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        Reader("dice", "Dice on any photograph, no calibration.", "vision.dice"),
        Reader("cards", "Playing cards on any photograph, no calibration.", "vision.cards"),
        Reader(
            "eyes",
            "An Eyes of the Emperor table from a calibrated overhead picture.",
            "vision.eyes",
            "eyes_of_the_emperor",
        ),
    )
}
