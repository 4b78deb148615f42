"""What the networks learn from: crops show what the reader will be shown, and a die is warm about its middle."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.dice_crops import LEAST_INKS_APART, Crops, inks_of, two_inks  # noqa: E402
from bench.train.dice_data import HEAT_REACH, SIDE_PX, draw_clutter, targets  # noqa: E402
from bench.train.dice_nets import FIND_CHANNELS, STRIDE_PX, find_loss  # noqa: E402
from bench.train.dice_pool import DIE_PX, NO_DIE, PIECE_PX, Pieces  # noqa: E402
from vision.dice_face import CHANNELS, CROP_PX, INKS, REACH, with_inks  # noqa: E402


def pieces(value: int, colour: tuple[int, int, int], count: int = 4) -> Pieces:
    """Squares as large as a die on grey."""
    pictures = np.full((count, PIECE_PX, PIECE_PX, 3), 128, np.uint8)
    low, high = round((PIECE_PX - DIE_PX) / 2), round((PIECE_PX + DIE_PX) / 2)
    pictures[:, low:high, low:high] = colour
    classes, sizes = np.full(count, value, np.int64), np.full(count, 40, np.float32)
    return Pieces(pictures, classes, sizes, np.ones(count, bool))


def test_crops_hold_the_die_in_the_middle_at_the_readers_size_and_keep_their_class() -> None:
    crops = Crops([(0.5, pieces(3, (20, 20, 20)), False), (0.5, pieces(NO_DIE, (128, 128, 128)), False)], False, 1)
    x, classes = crops.batch(200)
    assert x.shape == (200, 3, CROP_PX, CROP_PX)
    assert set(classes.tolist()) == {3, NO_DIE}
    edge = x[:, :, :, :4].flatten(1).mean(1)
    middle = x[:, :, CROP_PX // 2 - 4 : CROP_PX // 2 + 4, CROP_PX // 2 - 4 : CROP_PX // 2 + 4].flatten(1).mean(1)
    apart = (edge - middle).abs()
    assert apart[classes == 3].median() > 4 * apart[classes == NO_DIE].median()
    dark = ((x[classes == 3] - edge[classes == 3, None, None, None]).abs().amax(1) > 0.12).float().mean((1, 2))
    assert float(dark.median()) == pytest.approx(1 / REACH**2, rel=0.35)


def test_inks_in_training_are_those_of_the_reader_but_for_their_signs() -> None:
    rng = np.random.default_rng(3)
    crops = rng.integers(0, 256, (3, CROP_PX, CROP_PX, 3)).astype(np.uint8)
    crops[..., 1] = crops[..., 1] // 3 + 80  # three spreads that differ well
    crops[..., 0] = crops[..., 0] // 8
    colours = torch.from_numpy(crops[..., ::-1].transpose(0, 3, 1, 2).astype(np.float32)) / 255 - 0.5
    found = inks_of(colours, rng).numpy()
    wanted = np.stack([with_inks(crop)[3:] for crop in crops])
    assert wanted.shape[1] + 3 == CHANNELS[INKS]
    signs = np.sign((found * wanted).sum((2, 3), keepdims=True))
    np.testing.assert_allclose(found * signs, wanted, atol=2e-3)


@pytest.mark.parametrize("side_px", [12.0, 40.0, 120.0])
def test_a_die_is_warm_in_full_about_its_middle_and_counts_once_however_large(side_px: float) -> None:
    made = targets([(97.0, 90.0, side_px, side_px, 4.0, 1.0)])
    heat, weight = made[0], made[7]
    rows, columns = np.nonzero(heat == 1)
    away_px = np.hypot((columns + 0.5) * STRIDE_PX - 97, (rows + 0.5) * STRIDE_PX - 90)
    assert away_px.max() <= max(STRIDE_PX, HEAT_REACH * side_px + 1e-3)
    assert len(rows) >= np.pi * (HEAT_REACH * side_px / STRIDE_PX) ** 2 * 0.7
    assert weight[heat == 1].sum() == pytest.approx(1)
    assert (weight[heat < 1] == 1).all()
    assert (made[5][heat > 0.4] == 4).all()
    assert heat[0, 0] < 0.01


def test_the_finder_is_told_off_for_a_cold_die_as_much_as_for_a_warm_table() -> None:
    want = torch.from_numpy(targets([(96.0, 96.0, 80.0, 80.0, 2.0, 1.0)]))[None]
    out = torch.zeros((1, FIND_CHANNELS, *want.shape[2:]))
    out[:, 0] = torch.where(want[:, 0] == 1, 5.0, -6.0)
    right = float(find_loss(out, want, 0.0))
    out[:, 0] = -6.0
    cold = float(find_loss(out, want, 0.0))
    out[:, 0] = torch.where(want[:, 0] == 1, 5.0, -6.0)
    out[:, 0, :4, :4] = 5.0
    assert cold > right + 4
    assert float(find_loss(out, want, 0.0)) > right + 4


def test_a_dyed_die_keeps_pips_that_differ_from_it() -> None:
    crop = np.full((CROP_PX, CROP_PX, 3), 225, np.uint8)
    is_pip = np.zeros((CROP_PX, CROP_PX), bool)
    for x in (24, 40):
        is_pip[28:36, x - 4 : x + 4] = True
    crop[is_pip] = 20
    lone, dyed = 0, 0
    for seed in range(60):
        made = two_inks(np.random.default_rng(seed), crop).astype(float)
        if (made == crop).all():
            lone += 1
            continue
        dyed += 1
        apart = np.abs(made[is_pip].mean(0) - made[~is_pip].mean(0)).max()
        assert apart > 0.4 * LEAST_INKS_APART, seed
    assert dyed > 3 * lone


def test_drawn_tables_without_dice_are_each_another_and_name_none() -> None:
    first, second = draw_clutter(2)
    assert not len(first.dice)
    assert not len(second.dice)
    assert np.ptp(first.picture()) > 30
    assert (first.picture() != second.picture()).mean() > 0.5


def test_of_a_die_that_the_squares_edge_cuts_off_the_part_that_is_seen_is_to_be_found() -> None:
    """As labels give it where a picture ends: the finder had learned the whole box of one and a part of the other."""
    seen_px, side_px = 25.0, 40.0
    out = targets([(SIDE_PX - seen_px + side_px / 2, 96.0, side_px, side_px, 3, 1.0)])
    row, column = np.unravel_index(int(out[0].argmax()), out[0].shape)
    width_px, height_px = 32 * np.exp(out[3:5, row, column])
    assert (width_px, height_px) == pytest.approx((seen_px, side_px))
    assert (column + 0.5 + out[1, row, column]) * 4 == pytest.approx(SIDE_PX - seen_px / 2)
