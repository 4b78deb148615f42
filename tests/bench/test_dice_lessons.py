"""What the finder learns: a die is warm about its middle, and a drawn table without dice is none."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.dice_data import draw_clutter  # noqa: E402
from bench.train.dice_nets import FIND_CHANNELS, STRIDE_PX, find_loss  # noqa: E402
from bench.train.dice_squares import HEAT_REACH, SIDE_PX, targets  # noqa: E402


@pytest.mark.parametrize("side_px", [12.0, 40.0, 120.0])
def test_a_die_is_warm_in_full_about_its_middle_and_counts_once_however_large(side_px: float) -> None:
    made = targets(torch.tensor([[(97.0, 90.0, side_px, side_px, 4.0, 1.0)]]))[0].numpy()
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
    want = targets(torch.tensor([[(96.0, 96.0, 80.0, 80.0, 2.0, 1.0)]]))
    out = torch.zeros((1, FIND_CHANNELS, *want.shape[2:]))
    out[:, 0] = torch.where(want[:, 0] == 1, 5.0, -6.0)
    right = float(find_loss(out, want, 0.0))
    out[:, 0] = -6.0
    cold = float(find_loss(out, want, 0.0))
    out[:, 0] = torch.where(want[:, 0] == 1, 5.0, -6.0)
    out[:, 0, :4, :4] = 5.0
    assert cold > right + 4
    assert float(find_loss(out, want, 0.0)) > right + 4


def test_drawn_tables_without_dice_are_each_another_and_name_none() -> None:
    first, second = draw_clutter(2)
    assert not len(first.dice)
    assert not len(second.dice)
    assert np.ptp(first.picture()) > 30
    assert (first.picture() != second.picture()).mean() > 0.5


def test_of_a_die_that_the_squares_edge_cuts_off_the_part_that_is_seen_is_to_be_found() -> None:
    """As labels give it where a picture ends: the finder had learned the whole box of one and a part of the other."""
    seen_px, side_px = 25.0, 40.0
    rows = torch.tensor([[(SIDE_PX - seen_px + side_px / 2, 96.0, side_px, side_px, 3.0, 1.0)]])
    out = targets(rows)[0].numpy()
    row, column = np.unravel_index(int(out[0].argmax()), out[0].shape)
    width_px, height_px = 32 * np.exp(out[3:5, row, column])
    assert (width_px, height_px) == pytest.approx((seen_px, side_px))
    assert (column + 0.5 + out[1, row, column]) * 4 == pytest.approx(SIDE_PX - seen_px / 2)
