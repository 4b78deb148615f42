"""What the network of second looks learns from: a spot, its print and a marker change together."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.board_again import SIDE, Look, Pairs, varied  # noqa: E402
from bench.train.board_again_data import Pair, Spots  # noqa: E402

PRINT, RED = (200, 200, 190), (40, 30, 200)


def spots() -> Spots:
    """Four spots of one print; red markers on the last two."""
    shown = np.full((4, SIDE, SIDE, 3), PRINT, np.uint8)
    shown[2:] = RED
    pairs = [Pair(0, "red", False, 1.0), Pair(1, "red", False, 1.0), Pair(2, "red", True, 1.0)]
    return Spots(shown, np.full_like(shown, PRINT), pairs, {"red": [2, 3]})


def test_a_spot_is_shown_beside_its_print_and_another_marker_of_the_color() -> None:
    x, is_marker = Pairs([spots(), spots()], "cpu").batch(np.random.default_rng(1))
    assert x.shape == (len(is_marker), 3, 3, SIDE, SIDE)
    red = torch.tensor(RED) / 255
    for one, there in zip(x, is_marker, strict=True):
        own, alike, like = (part[:, 20, 20] for part in one)
        assert torch.allclose(own, red) == bool(there)
        assert torch.allclose(alike, torch.tensor(PRINT) / 255)
        assert torch.allclose(like, red) or not like.any()
    assert 0.3 < float(is_marker.mean()) < 0.5


def test_what_is_varied_stays_alike_or_unlike() -> None:
    torch.manual_seed(4)
    x, is_marker = Pairs([spots()], "cpu").batch(np.random.default_rng(2))
    x = varied(x, np.random.default_rng(3))
    assert float(x.min()) >= 0
    assert float(x.max()) <= 1
    own, like = (x[:, k, :, 15:26, 15:26].mean(dim=(2, 3)) for k in (0, 2))
    apart = (own - like).abs().amax(dim=1)[like.amax(dim=1) > 0.1]
    there = is_marker[like.amax(dim=1) > 0.1] > 0
    assert float(apart[there].median()) < 0.15 < float(apart[~there].median())


def test_the_network_says_one_number_of_each() -> None:
    assert Look().eval()(torch.zeros(2, 9, SIDE, SIDE)).shape == (2, 1)
