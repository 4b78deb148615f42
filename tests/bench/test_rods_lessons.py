"""What the network of rods learns from: wires in the colors of their tips, where rods are lacquered."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.rods import FINE, Seer, _lacquered  # noqa: E402
from vision.tables.rods_net import CLASSES  # noqa: E402

STEEL, RED, MAT = (0.6, 0.6, 0.6), (0.2, 0.2, 0.9), (0.3, 0.5, 0.3)


def test_a_lacquered_wire_has_the_color_of_its_tip_and_the_mat_stays() -> None:
    rows = 40
    name, owners = np.zeros((rows, rows), np.uint8), np.zeros((rows, rows), np.uint8)
    name[18:22, 6:34], name[18:22, 34:38] = CLASSES.index("wire"), CLASSES.index("red")
    owners[18:22, 6:38] = CLASSES.index("red")
    light = np.array([MAT, STEEL, *[RED] * (len(CLASSES) - 2)], np.float32)[name].repeat(FINE, 0).repeat(FINE, 1)
    seen = _lacquered(light, name, owners, np.random.default_rng(2))
    wire = seen[40, 40]
    assert wire[2] > 2.5 * wire[0]  # red, brighter or darker
    np.testing.assert_allclose(seen[5, 5], MAT, atol=0.01)
    np.testing.assert_array_equal(_lacquered(light, name * 0, owners, np.random.default_rng(2)), light)


def test_the_network_says_all_classes_what_hangs_and_both_ways_of_every_second_cell() -> None:
    said = Seer().eval()(torch.zeros(1, 3, 64, 96))
    assert said.shape == (1, len(CLASSES) + 5, 64 // FINE, 96 // FINE)
