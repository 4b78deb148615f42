"""Reads the kept pictures of a match again with today's readers, to find rulings that would differ.

An entry's overview and its sharper pieces, with the lens, make its frame again."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.arrays import Picture
from calibration.lens import Lens
from companion.game.board import board_of_text
from companion.game.brought import board_of_kit, default_kit
from companion.game.errors import ReadingError
from companion.game.game import Game
from companion.game.says import Says
from companion.game.values import Doubt, Illegal, Proposal, Ruling
from companion.match.present import shown_of
from companion.record.fold import Folded, Step
from hardware.picture_file import pixels_of
from vision.readers import reader_of

PictureOf = Callable[[str], bytes | None]
NOT_KEPT = "its pictures are not kept: nothing to read again"
NOT_READ = "its picture cannot be read again: {why}"
ASKED = "the table would ask: {question}"
NOTHING = "the table would show nothing new"


class ReadAgain:
    """Reads the frames of one match again. `pictures` gives the kept data by SHA-256."""

    def __init__(self, game: Game[Any, Any], pictures: PictureOf, board: str | None = None):
        self._game, self._pictures = game, pictures
        self._reader = reader_of(game)
        self._kit = None if self._reader is None else default_kit(game.name)
        self._board = board

    def otherwise(
        self, folded: Folded[Any, Any], step: Step[Any, Any], ruled: tuple[Ruling, ...]
    ) -> tuple[Ruling, ...] | Says | None:
        """The rulings from reading the picture again; a sentence if it cannot be read. None: the same, or no camera."""
        shown = {} if self._reader is None else {one.piece: one for one in shown_of(step.entry)}
        if None not in shown:
            return None
        try:
            lens, frame = self._frame(shown)
        except LookupError:
            return Says(NOT_KEPT)
        try:
            reading = self._read(lens, frame)
        except ReadingError as error:
            return Says(NOT_READ, {"why": error.sentence})
        eyes = self._game.eyes
        past = [s.action for s in reversed(folded.steps) if s.entry.seq < step.entry.seq]
        try:
            found = eyes.interpret(step.before, eyes.settled(reading, None), past)
        except Illegal as refused:
            return (Ruling(None, refused.says, refused.rule),)
        if isinstance(found, Doubt):
            return Says(ASKED, {"question": found.says})
        if not isinstance(found, Proposal):
            return Says(NOTHING)
        now = self._game.rules.apply(step.before, found.actions[0])
        return None if _told(now.rulings) == _told(ruled) else now.rulings

    def _frame(self, shown: Mapping[str | None, Any]) -> tuple[Lens, Picture]:
        """The lens and the frame, put together from the kept pictures. Raises: LookupError: a picture is missing."""
        about, small = self._kept(shown[None])
        lens = msgspec.convert(about["lens"], Lens, strict=False)
        size = (lens.width_px, lens.height_px)
        frame = np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        for piece, one in shown.items():
            if piece is not None:
                near, part = self._kept(one)
                x0, y0 = near["at_px"]
                frame[y0 : y0 + part.shape[0], x0 : x0 + part.shape[1]] = part
        return lens, frame

    def _kept(self, one: Any) -> tuple[Mapping[str, Any], Picture]:
        about, picture = self._pictures(one.about), self._pictures(one.picture)
        if about is None or picture is None:
            raise LookupError(one.picture)
        decoded = pixels_of(picture, is_calibrated=True)
        if decoded is None:
            raise LookupError(one.picture)
        return json.loads(about), decoded

    def _read(self, lens: Lens, frame: Picture) -> Any:
        assert self._reader is not None
        assert self._kit is not None
        options: dict[str, Any] = {}
        if any(option.key == "board" for option in self._reader.options):
            options["board"] = board_of_text(self._board) if self._board else board_of_kit(self._kit)
        eye = self._reader.open_table(lens, self._kit, **options)
        return eye.fuse([eye.read(frame)]).reading


def _told(rulings: tuple[Ruling, ...]) -> list[tuple[str, str]]:
    """Rulings without their numbers, which differ a little from picture to picture."""
    return [(ruling.says.template, ruling.rule) for ruling in rulings]
