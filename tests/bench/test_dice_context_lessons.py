"""What the network learns from that tells dice by what is about them: what a find is, and crops from near and afar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.dice_context import HARD, SHARES, Lessons, Varied  # noqa: E402
from bench.train.dice_context_lessons import PIECE_PX, Lesson, is_die  # noqa: E402
from bench.train.dice_data import Sample  # noqa: E402
from bench.train.dice_nets import Context  # noqa: E402
from bench.train.dice_traced import Traced  # noqa: E402
from bench.train.nets import export  # noqa: E402
from vision.dice_face import CROP_PX  # noqa: E402
from vision.dice_find import Found  # noqa: E402
from vision.networks import Network  # noqa: E402


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
    lessons = Lessons([lesson(is_die=True)], "cpu")
    picked, near, far = lessons.batch(40)
    assert near.shape == far.shape == (40, 3, CROP_PX, CROP_PX)
    assert torch.equal(lessons.is_die[picked], torch.ones(40))
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
    shown = Lessons([*lessons, lesson(is_die=False, source="cards")], "cpu")
    picked, _, _ = shown.batch(2000)
    dice, none = SHARES["rendered", True], (SHARES["rendered", False] + SHARES["cards", False]) * HARD
    assert float(shown.is_die[picked].mean()) == pytest.approx(dice / (dice + none), abs=0.05)


def test_what_was_got_wrong_is_shown_more_often() -> None:
    shown = Lessons([lesson(is_die=True), lesson(is_die=True)], "cpu")
    for _ in range(20):
        shown.learned(torch.tensor([0, 1]), torch.tensor([3.0, 0.0]))
    picked, _, _ = shown.batch(1000)
    assert 0.9 < float((picked == 0).float().mean()) < 1


def test_traced_finds_are_lessons_among_the_others() -> None:
    grey = torch.full((4, PIECE_PX, PIECE_PX, 3), 128, dtype=torch.uint8)
    more = Traced(grey, grey, torch.tensor([1.0, 1.0, 1.0, 0.0]), torch.tensor([True] * 4))
    shown = Lessons([lesson(is_die=True), lesson(is_die=False)], "cpu", more)
    picked, _, _ = shown.batch(4000)
    share = torch.bincount(picked, minlength=6) / 4000
    full = (
        HARD * (SHARES["rendered", True] + SHARES["rendered", False]) + SHARES["traced", True] + SHARES["traced", False]
    )
    assert float(share[2:5].sum()) == pytest.approx(SHARES["traced", True] / full, abs=0.04)
    assert float(share[5]) == pytest.approx(SHARES["traced", False] / full, abs=0.04)


def test_crops_are_varied_and_stay_what_the_reader_is_shown() -> None:
    _, near, far = Lessons([lesson(is_die=True)], "cpu").batch(60)
    shown = Varied(5, "cpu")(near, far)
    assert shown.shape == (60, 6, CROP_PX, CROP_PX)
    assert shown.min() >= -0.5 - 1e-3
    assert shown.max() <= 0.5 + 1e-3
    changed = (shown[:, 3:] - (far - 0.5)).abs().amax((1, 2, 3)) > 0.02
    assert 0.4 < float(changed.float().mean()) < 0.8


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_network_in_bytes_says_what_it_says_in_halves_and_is_half_as_large(tmp_path: Path) -> None:
    torch.manual_seed(1)
    net, size = Context(), (6, CROP_PX, CROP_PX)
    for bits in (8, 16):
        export(net, size, tmp_path / f"{bits}.onnx", bits=bits)
    shown = np.random.default_rng(6).random((20, *size), np.float32) - 0.5
    in_bytes, in_halves = (Network(tmp_path / f"{bits}.onnx")(shown)[:, 0] for bits in (8, 16))
    assert np.abs(in_bytes - in_halves).max() < 0.1 * in_halves.std() + 0.01
    assert (tmp_path / "8.onnx").stat().st_size < 0.55 * (tmp_path / "16.onnx").stat().st_size
