"""The pieces of the virtual table in a file, so that they keep their places after a restart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import click
import msgspec
from msgspec import Meta, Struct

from companion.game.errors import CompanionError
from companion.game.kit import Kit
from companion.game.text_file import keep_text
from vision.sim.pieces import colors_of
from vision.sim.virtual import VirtualTable

Millimetres = Annotated[float, Meta(ge=-5000, le=5000)]
CARD_COLOR, MOST_CARDS = "white", 8 * 53
"""The colour of cards, and their maximum number: 8 packs with one joker each."""
Part = Annotated[float, Meta(ge=-1.001, le=1.001)]
UNIT_ERROR = 1e-3
"""Maximum error of the length of a rotation (a unit quaternion), for rounding."""


class PiecesError(CompanionError, ValueError):
    """Kept pieces that cannot be laid on the table."""


class _Piece(Struct, frozen=True):
    id: str
    kind: str
    color: str
    at_mm: tuple[Millimetres, Millimetres, Millimetres]
    turn: tuple[Part, Part, Part, Part]


class _Pieces(Struct, frozen=True):
    pieces: tuple[_Piece, ...]


class KeptPieces:
    """The file with the pieces of one virtual table. Its faults are reported and end nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_failing = False

    def lay_on(self, table: VirtualTable) -> None:
        """Lays the kept pieces on the table. A file that cannot be used is set aside, and the table keeps its starting
        layout."""
        try:
            text = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._set_aside(f"cannot be read ({error.strerror})")
            return
        try:
            _check(msgspec.json.decode(text, type=_Pieces), table.kit)
            table.restore(text.decode())
        except (msgspec.MsgspecError, CompanionError, RecursionError, ValueError) as error:
            self._set_aside(f"does not hold the pieces of a virtual table ({error})")

    def keep(self, text: str) -> None:
        """Writes the pieces whole or not at all, so that a kill leaves the earlier file."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            keep_text(self._path, text)
        except OSError as error:
            if not self._is_failing:
                _say(
                    f"{self._path}: cannot be written ({error.strerror}): the table goes on, but after a restart its "
                    "pieces lie as they lay before; free the disk"
                )
            self._is_failing = True
            return
        if self._is_failing:
            _say(f"{self._path}: is written again, the pieces are kept")
        self._is_failing = False

    def _set_aside(self, why: str) -> None:
        stem, suffix = self._path.stem, self._path.suffix
        number = 1
        while (aside := self._path.with_name(f"{stem}.unused-{number}{suffix}")).exists():
            number += 1
        try:
            self._path.rename(aside)
        except OSError as error:
            _say(f"{self._path}: {why}: the table is set up again; remove that file (it cannot be renamed: {error})")
            return
        _say(f"{self._path}: {why}: the table is set up again, and the file is kept as {aside.name}")


def _check(kept: _Pieces, kit: Kit) -> None:
    """Checks that these can be a set's pieces at places of a table. Raises: PiecesError."""
    for piece in kept.pieces:
        of_kit = next((k for k in kit.pieces if k.kind == piece.kind), None)
        if of_kit is None or piece.color not in (colors_of(of_kit) or (CARD_COLOR,)):
            raise PiecesError(f"{piece.id} is a {piece.color} {piece.kind}, expected a piece of the set")
        if abs(sum(part * part for part in piece.turn) - 1.0) > 2 * UNIT_ERROR:
            raise PiecesError(f"{piece.id} is turned by {piece.turn}, expected a quaternion of length 1")
    ids = Counter(piece.id for piece in kept.pieces)
    if ids and max(ids.values()) > 1:
        raise PiecesError(f"{ids.most_common(1)[0][0]} is there twice, expected every piece once")
    for (kind, color), count in Counter((piece.kind, piece.color) for piece in kept.pieces).items():
        of_kit = kit.piece(kind)
        most = MOST_CARDS if of_kit.shape == "card" else of_kit.count_each
        if count > most:
            raise PiecesError(f"there are {count} {color} {kind}, expected {most} at most")


def _say(sentence: str) -> None:
    click.echo(f"companion: {sentence}", err=True)
