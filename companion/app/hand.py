"""The cards in a photograph of a hand, for the phone that took it: read in memory, kept nowhere."""

from threading import Lock

import cv2
import numpy as np

from calibration.arrays import Picture
from companion.game.cards import card_seen
from companion.game.errors import ReadingError, ReadingFault
from hardware.picture_file import must_be_small, pixels_of
from vision.photo.cards.reader import CardsEye, open_eye

LONG_SIDE_PX = 1920
"""Maximum picture size for reading a hand; phones send many more pixels than needed."""


class HandEye:
    """Reads photographs of hands, one at a time; its networks are loaded with the first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._eye: CardsEye | None = None

    def __call__(self, photograph: bytes) -> list[str]:
        """The cards, as `companion.game.cards` writes them. Raises: ReadingError."""
        must_be_small(photograph, "that")
        with self._lock:  # one at a time: two large ones at once are too much for a small box
            picture = _decoded(photograph)
            self._eye = self._eye or open_eye()
            reading = self._eye.read(np.asarray(picture, np.uint8))
        return [card_seen(card.rank, card.suit) for card in reading.cards]


def _decoded(photograph: bytes) -> Picture:
    try:
        picture = pixels_of(photograph, is_calibrated=False)
    except cv2.error:
        picture = None
    if picture is None:
        raise ReadingError(ReadingFault.NOT_AN_IMAGE, "that is not a photograph: take a picture of your cards")
    scale = min(1.0, LONG_SIDE_PX / max(picture.shape[:2]))
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
