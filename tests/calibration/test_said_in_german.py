"""Why a picture cannot be read is a sentence with a template: every phone hears it in its own language."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.errors import ReadingError
from tests.scenes import KIT, SMALL_LENS
from web.words import translate

DARK, GREY = 3, 120


@pytest.mark.parametrize(("level", "german"), [(DARK, "Macht Licht an"), (GREY, "keine der Marken 0, 1, 2, 3 aus")])
def test_a_picture_without_fiducials_is_explained_in_german(level: int, german: str) -> None:
    """German phones read 'none of the fiducials is seen' below a German headline."""
    picture = np.full((SMALL_LENS.height_px, SMALL_LENS.width_px, 3), level, np.uint8)
    cv2.rectangle(picture, (100, 100), (300, 200), (level * 2, level * 2, level * 2), -1)
    with pytest.raises(ReadingError) as refused:
        find_pose(picture, SMALL_LENS, KIT)
    assert str(refused.value) == translate(refused.value.sentence, "en")
    assert german in translate(refused.value.sentence, "de")
