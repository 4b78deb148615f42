"""Photographs of hands that a phone sends: what is none is said, and a bomb is not set off."""

from __future__ import annotations

import io

import cv2
import pytest
from PIL import Image

from companion.app.hand import HandEye
from companion.game.errors import ReadingError


def png(side_px: int) -> bytes:
    file = io.BytesIO()
    Image.new("1", (side_px, side_px)).save(file, "PNG")
    return file.getvalue()


def test_only_the_header_of_a_photograph_with_too_many_pixels_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone could send 110 KB that took 5 GB."""

    def decodes(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(cv2, "imdecode", decodes)
    with pytest.raises(ReadingError, match="too large to be decoded"):
        HandEye()(png(12_000))
