"""What was read, drawn on its picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision.drawing import DOUBT_INK, MAGNIFIED, SURE_INK, UNTOLD_INK, Drawing, ink_of, told

GREY = 128


def paper(width: int = 900, height: int = 600) -> Any:
    return np.full((height, width, 3), GREY, np.uint8)


def square(x: float, y: float, side: float = 50) -> list[tuple[float, float]]:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def plates_px(picture: Any) -> int:
    """Pixels of the labels' ground: darker than the paper, and no ink."""
    return int((picture.max(2) < GREY // 2).sum())


def crowd() -> list[list[tuple[float, float]]]:
    return [square(250 + 75 * i, 180 + 75 * k) for i in range(4) for k in range(3)]


def labelled(squares: list[list[tuple[float, float]]]) -> Any:
    drawing = Drawing(paper())
    for i, corners in enumerate(squares):
        drawing.outline(corners, SURE_INK)
        drawing.label([f"piece {i}", "lies here"], corners, SURE_INK)
    return drawing.finished()


def test_no_label_hides_a_piece_or_another_label() -> None:
    """Names were written over the pieces, white on white, and margins of neighbours over each other."""
    shown = labelled(crowd())
    for corners in crowd():
        x, y = (round(v) + 3 for v in corners[0])
        assert (shown[y : y + 44, x : x + 44].max(2) < GREY).mean() < 0.1
    assert plates_px(shown) > 12 * 0.95 * plates_px(labelled(crowd()[:1]))


def test_doubt_is_dashed_for_those_who_cannot_tell_its_colour() -> None:
    def inked(is_dashed: bool) -> int:
        drawing = Drawing(paper())
        drawing.outline(square(100, 100, 200), DOUBT_INK, is_dashed=is_dashed)
        return int((drawing.finished()[..., 2] > GREY + 20).sum())

    assert 0.35 < inked(True) / inked(False) < 0.65


def test_what_is_magnified_shows_the_pixels_of_that_place() -> None:
    picture = paper(1200, 800)
    picture[300:304, 500:504] = (255, 0, 255)
    drawing = Drawing(picture)
    drawing.magnify((502, 302), "here", DOUBT_INK)
    shown = drawing.finished()
    spot = np.abs(shown.astype(int) - (255, 0, 255)).max(2) < 60
    spot[280:320, 480:520] = False
    ys, xs = np.nonzero(spot)
    assert np.ptp(xs) + 1 == pytest.approx(4 * MAGNIFIED, abs=4)
    assert np.ptp(ys) + 1 == pytest.approx(4 * MAGNIFIED, abs=4)


def test_a_confidence_is_never_rounded_up() -> None:
    assert told(0.949) == "0.94"
    assert told(1.0) == "1.00"
    assert ink_of(0.949) == DOUBT_INK
    assert ink_of(0.95) == SURE_INK
    assert ink_of(1.0, is_told=False) == UNTOLD_INK
