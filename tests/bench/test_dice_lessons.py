"""What the face readers learn from: crops show what the reader will be shown, with the class of their piece."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from bench.train.dice_crops import Crops, inks_of  # noqa: E402
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
