"""The connected parts of masks, looked for only where anything is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.measure.colors import components_of


def alike(mask: NDArray[np.uint8]) -> None:
    """The parts must be those that OpenCV finds in the whole mask."""
    count, labels, stats = components_of(mask)
    whole_count, whole, whole_stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    assert count == whole_count
    assert {tuple(row) for row in stats[1:].tolist()} == {tuple(row) for row in whole_stats[1:].tolist()}
    pairs = {(a, b) for a, b in zip(labels.ravel().tolist(), np.asarray(whole).ravel().tolist(), strict=True)}
    assert len(pairs) == count if (mask == 0).any() else len(pairs) == count - 1
    for i in range(1, count):
        x, y, width, height, area = stats[i]
        assert (labels[y : y + height, x : x + width] == i).sum() == area


def test_an_empty_mask_has_none() -> None:
    count, labels, stats = components_of(np.zeros((40, 60), np.uint8))
    assert (count, labels.shape, int(labels.max()), stats.shape) == (1, (40, 60), 0, (1, 5))


@pytest.mark.parametrize("corner", [(0, 0), (0, 45), (31, 0), (31, 45), (12, 20)])
def test_parts_in_the_middle_and_at_the_edges(corner: tuple[int, int]) -> None:
    mask = np.zeros((40, 60), np.uint8)
    row, column = corner
    mask[row : row + 9, column : column + 15] = np.random.default_rng(3).integers(0, 2, (9, 15)) * 255
    alike(mask)


def test_more_parts_than_sixteen_bits_number() -> None:
    mask = np.zeros((600, 600), np.uint8)
    mask[::2, ::2] = 255
    count, _, _ = components_of(mask)
    assert count == 300 * 300 + 1
