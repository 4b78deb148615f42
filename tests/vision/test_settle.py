"""Is anything moving: noise, flicker and slow slides on small synthetic frames."""

from __future__ import annotations

import numpy as np

from calibration.arrays import Picture
from vision.frame.settle import Settle


def frame(seed: int, *, die_at: int | None = None, gain: float = 1.0, noise: float = 3.0) -> Picture:
    rng = np.random.default_rng(seed)
    picture = np.full((320, 480, 3), 90.0)
    picture[:, 240:] = 130.0
    if die_at is not None:
        picture[100:130, die_at : die_at + 30] = 240.0
    return np.clip(picture * gain + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)


def fed(settle: Settle, frames: list[Picture], from_s: float = 0.0, step_s: float = 0.1) -> list[bool]:
    return [settle.take(picture, from_s + i * step_s).is_still for i, picture in enumerate(frames)]


def test_a_noisy_still_table_settles_after_its_rest() -> None:
    still = fed(Settle(rest_s=0.5), [frame(i, noise=12.0) for i in range(12)])
    assert still == [False] * 5 + [True] * 7


def test_a_die_that_moves_is_motion_and_then_the_table_has_changed() -> None:
    settle = Settle(rest_s=0.3)
    fed(settle, [frame(i, die_at=50) for i in range(8)])
    settle.mark_seen()
    settle.take(frame(50, die_at=50), 0.85)
    assert not settle.has_changed
    assert settle.take(frame(51, die_at=80), 0.9).is_still is False
    assert (fed(settle, [frame(60 + i, die_at=80) for i in range(6)], 1.0)[-1], settle.has_changed) == (True, True)


def test_a_samurai_that_slides_on_its_own_colour_is_motion() -> None:
    """Only green was looked at: a red disk on a red one shows next to nothing there."""

    def on_its_own(seed: int) -> Picture:
        picture = frame(seed, noise=1.5)
        picture[:] = picture // 8
        picture[..., 2] += 120
        picture[100:140, 50 + 6 * seed : 90 + 6 * seed, 2] += 30
        return picture

    assert not any(fed(Settle(rest_s=0.2), [on_its_own(i) for i in range(20)]))


def test_flicker_of_the_lamp_is_no_motion_though_paper_is_clipped() -> None:
    gains = [1.0, 1.08, 0.93, 1.04, 0.95, 1.06, 1.0, 0.94, 1.05, 1.0]

    def with_paper(seed: int, gain: float) -> Picture:
        picture = frame(seed, gain=gain)
        picture[20:60, 20:60] = min(255, round(290 * gain))
        picture[30:50, 30:50] = round(30 * gain)
        return picture

    assert fed(Settle(rest_s=0.5), [with_paper(i, g) for i, g in enumerate(gains)])[-1] is True


def test_blocks_of_a_poor_jpeg_that_flip_here_and_there_are_no_motion() -> None:
    """Three cells anywhere in the picture were motion: a camera that sends poor JPEGs never saw its table at rest."""

    def blocky(seed: int) -> Picture:
        picture = frame(0, noise=0.0)
        for row, column in ((3, 5), (12, 40), (20, 22), (33, 51), (8, 30)):
            if (row + seed) % 2:
                picture[8 * row : 8 * row + 8, 8 * column : 8 * column + 8] += 8
        return picture

    assert fed(Settle(rest_s=0.5), [blocky(i) for i in range(8)]) == [False] * 5 + [True] * 3
