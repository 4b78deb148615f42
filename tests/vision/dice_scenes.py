"""Dice on a rendered table, built by hand: which value, where, how large, seen from how steep."""

import numpy as np
from numpy.typing import NDArray

from bench.drawn.dice import MARGIN_PX, camera_of, render
from bench.drawn.die import Die, DieLight, DieMaterial, rotation

WHITE = (0.88, 0.92, 0.93)
BLACK = (0.04, 0.04, 0.04)
RED = (0.1, 0.08, 0.7)
TURNS = {  # turns of the standing die that bring each value up; its own top is 1, its front 2, its right 3
    1: np.eye(3),
    6: rotation(0, np.pi),
    2: rotation(0, -np.pi / 2),
    5: rotation(0, np.pi / 2),
    3: rotation(1, -np.pi / 2),
    4: rotation(1, np.pi / 2),
}


def die(
    value: int, at: tuple[float, float] = (0, 0), yaw_deg: float = 20, lean_deg: float = 0, body=WHITE, pip=BLACK
) -> Die:
    """A die with `value` up at table place (x, y), in half sides."""
    material = DieMaterial(body=np.array(body, np.float32), pip=np.array(pip, np.float32), spacing=0.52, gloss=0.3)
    turn = rotation(2, np.radians(yaw_deg)) @ rotation(0, np.radians(lean_deg)) @ TURNS[value]
    inner = (1 - material.rounding) * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    lift = float(-(inner @ turn.T)[:, 2].min() + material.rounding)
    return Die(
        values=(3, 4, 5, 2, 1, 6),
        swaps=(False, True, False),
        turn=turn.astype(np.float32),
        at=np.array([*at, lift], np.float32),
        material=material,
        is_leaning=lean_deg != 0,
    )


def photograph(
    dice: list[Die],
    die_px: float = 50,
    pitch_deg: float = 12,
    size: tuple[int, int] = (480, 360),
    table=(0.3, 0.42, 0.3),
) -> NDArray[np.uint8]:
    """The picture, BGR, of dice on a plain, slightly grainy table."""
    w, h = size
    rng = np.random.default_rng(7)
    camera = camera_of(rng, w, h, die_px, np.radians(pitch_deg), 0.0)
    key, ambient = np.full(3, 0.5, np.float32), np.full(3, 0.55, np.float32)
    light = DieLight(np.array([0.35, -0.3, 0.89], np.float32), key, ambient, ())
    ground = np.ones((h + 2 * MARGIN_PX, w + 2 * MARGIN_PX, 3), np.float32) * np.array(table, np.float32)
    ground += rng.normal(0, 0.012, ground.shape).astype(np.float32)
    picture, _ = render(camera, light, dice, ground)
    return np.clip(picture * 255, 0, 255).astype(np.uint8)
