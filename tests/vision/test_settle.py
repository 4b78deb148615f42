"""Is anything moving: noise, flicker and slow slides on small synthetic frames."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.settle import Settle

Picture = NDArray[np.uint8]


def frame(seed: int, *, die_at: int | None = None, gain: float = 1.0, noise: float = 3.0) -> Picture:
    rng = np.random.default_rng(seed)
    picture = np.full((320, 480, 3), 90.0)
    picture[:, 240:] = 130.0
    if die_at is not None:
        picture[100:130, die_at : die_at + 30] = 240.0
    return np.clip(picture * gain + rng.normal(0, noise, picture.shape), 0, 255).astype(np.uint8)


def fed(settle: Settle, frames: list[Picture], from_s: float = 0.0, step_s: float = 0.1) -> list[bool]:
    return [settle.take(picture, from_s + i * step_s).is_still for i, picture in enumerate(frames)]


@pytest.mark.parametrize("noise", [0.5, 4.0, 12.0])
def test_a_noisy_still_table_settles_after_its_rest(noise: float) -> None:
    still = fed(Settle(rest_s=0.5), [frame(i, noise=noise) for i in range(12)])
    assert still == [False] * 5 + [True] * 7


def test_flicker_of_the_lamp_is_no_motion() -> None:
    gains = [1.0, 1.06, 0.95, 1.03, 0.97, 1.05, 1.0, 0.96, 1.04, 1.0]
    still = fed(Settle(rest_s=0.3), [frame(i, gain=g) for i, g in enumerate(gains)])
    assert still[-1] is True


def test_a_die_that_moves_is_motion_and_then_the_table_has_changed() -> None:
    settle = Settle(rest_s=0.3)
    fed(settle, [frame(i, die_at=50) for i in range(8)])
    settle.mark_seen()
    assert settle.take(frame(50, die_at=50), 0.85).has_changed is False
    assert settle.take(frame(51, die_at=80), 0.9).is_still is False
    assert fed(settle, [frame(60 + i, die_at=80) for i in range(6)], 1.0)[-1] is True
    assert settle.take(frame(70, die_at=80), 1.7).has_changed is True


def test_a_slow_slide_never_settles() -> None:
    frames = [frame(i, die_at=50 + 3 * i) for i in range(30)]
    assert not any(fed(Settle(rest_s=0.5), frames))


def test_only_the_play_area_counts() -> None:
    settle = Settle(rest_s=0.3)
    settle.watch_only((0, 0, 200, 320))
    assert fed(settle, [frame(i, die_at=300 + 20 * (i % 3)) for i in range(8)])[-1] is True
