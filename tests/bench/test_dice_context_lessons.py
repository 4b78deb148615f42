"""What the network learns from that tells dice by what is about them: what a find is, and crops from near and afar."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.dice_context import Lessons, Varied  # noqa: E402
from bench.train.dice_context_lessons import PIECE_PX, Lesson, is_die  # noqa: E402
from bench.train.dice_data import Sample  # noqa: E402
from vision.dice_face import CROP_PX  # noqa: E402
from vision.dice_find import Found  # noqa: E402


def lesson(*, is_die: bool, is_hard: bool = True, source: str = "rendered") -> Lesson:
    """Grey, with a red square on the left of the middle; as large in both pieces."""
    piece = np.full((PIECE_PX, PIECE_PX, 3), 128, np.uint8)
    middle = PIECE_PX // 2
    piece[middle - 6 : middle + 6, middle - 24 : middle - 12] = (0, 0, 255)
    return Lesson(piece, piece, is_die, is_hard, can_roll=True, source=source)


@pytest.mark.parametrize(
    ("x", "side_px", "is_one"),
    [(50.0, 20.0, True), (58.0, 20.0, None), (50.0, 34.0, None), (50.0, 6.0, False), (90.0, 20.0, False)],
)
def test_a_find_is_the_die_it_covers_and_nothing_is_said_of_one_that_nearly_does(
    x: float, side_px: float, is_one: bool | None
) -> None:
    dice = np.array([(50, 50, 20, 20, 3, 1.0)], np.float32)
    sample = Sample(b"", dice, True, "rendered")
    assert is_die(Found(x, 50.0, side_px, side_px, 0.9), sample) is is_one
    hidden = Sample(b"", dice * np.array([1, 1, 1, 1, 1, 0.2], np.float32), True, "rendered")
    assert is_die(Found(50.0, 50.0, 20.0, 20.0, 0.9), hidden) is None


def test_both_crops_of_a_find_are_turned_alike() -> None:
    near, far, told = Lessons([lesson(is_die=True)], "cpu").batch(np.random.default_rng(2), 40)
    assert near.shape == far.shape == (40, 3, CROP_PX, CROP_PX)
    assert torch.equal(told, torch.ones(40))
    ways = []
    for shown in (near, far):
        red = (shown[:, 0] - shown[:, 2]).clamp(min=0)
        weight = red.sum((1, 2))
        at = torch.arange(CROP_PX) - (CROP_PX - 1) / 2
        x, y = (red.sum(1) * at).sum(1) / weight, (red.sum(2) * at).sum(1) / weight
        ways.append(torch.atan2(y, x))
    off = torch.remainder(ways[0] - ways[1] + np.pi, 2 * np.pi) - np.pi
    assert off.abs().max() < 0.35
    assert ways[0].std() > 1.0


def test_hard_finds_and_each_kind_have_their_share() -> None:
    lessons = [lesson(is_die=True), *[lesson(is_die=True, is_hard=False)] * 50, *[lesson(is_die=False)] * 50]
    _, _, told = Lessons([*lessons, lesson(is_die=False, source="cards")], "cpu").batch(np.random.default_rng(3), 2000)
    assert float(told.mean()) == pytest.approx(0.44 / (0.44 + 0.30 * 0.75 + 0.08 * 0.75), abs=0.05)


def test_crops_are_varied_and_stay_what_the_reader_is_shown() -> None:
    near, far, _ = Lessons([lesson(is_die=True)], "cpu").batch(np.random.default_rng(4), 60)
    shown = Varied(5, "cpu")(near, far)
    assert shown.shape == (60, 6, CROP_PX, CROP_PX)
    assert shown.min() >= -0.5 - 1e-3
    assert shown.max() <= 0.5 + 1e-3
    changed = (shown[:, 3:] - (far - 0.5)).abs().amax((1, 2, 3)) > 0.02
    assert 0.4 < float(changed.float().mean()) < 0.8
