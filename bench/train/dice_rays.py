"""Traces dice and similar blocks with bench/train/dice_rays.cu: a thousandth of a second per picture on a GPU.

The path-traced scenes of `bench.train.dice_rooms` take a second each, so half a million finds would take days. Needs a
compiler, nvcc or g++, and rooms of measured light as arrays. Lengths are half sides of a die, colours linear RGB; the
table is z = 0.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.train.compiled import compiled
from bench.train.dice_prints import GROUND_PX, PRINT_PX

Floats = NDArray[np.float32]

SOURCE = Path(__file__).with_name("dice_rays.cu")
SIDE_PX, MOST = 256, 28
"""A picture's side, px, and the maximum number of things in a scene, limited by the bits of a mask."""
NOTHING = 255
"""Value in "first" of a pixel that shows the table, or nothing."""
ROOMS = (
    "bridge", "city", "hall", "lab", "venice", "forest", "park", "sunset", "dawn", "night", "sky", "sunrise",
)  # fmt: skip
"""Rooms that training is lit by; others measure (bench/dice_rooms.py)."""
BOX, CYLINDER = 0, 1
PLAIN, DIE, ON_TOP, ON_ALL = 0, 1, 2, 3
"""Surfaces of a thing: one colour, pips, a print on its upper side, a print on every side."""
FROM_BELOW = 0.02
"""Relative frequency of samples for light from below the table."""


def _struct(**fields: int) -> np.dtype:
    return np.dtype([(name, np.float32, (n,)) if n > 1 else (name, np.float32) for name, n in fields.items()])


THING = _struct(
    at=3, right=3, ahead=3, up=3, half=3, rounding=1, ball=1, shape=1, skin=1, body=3, other=3, marble_edge=1, wave=12,
    phase=4, pip=3, red=3, has_red=1, pip_radius=1, spacing=1, spread=6, six_rows=1, big_one=1, drill=1, is_square=1,
    is_ring=1, values=6, swaps=3, print=1, roughness=1, specular=1, metal=1, clear=1, milk=1, bends=1,
    absorb=3,
)  # fmt: skip
"""A thing: where it is and its axes in the room, its half sides (of a cylinder: radius, radius, half height), how it is
rounded, `ball`: the radius of a sphere that cuts its corners; then what `bench.train.dice_solid.Material` tells.
Of the light that is not mirrored, `clear` goes into the body; per half side of its way there `absorb` of it is lost and
`milk` scattered; `bends`: the index of refraction."""
SCENE = _struct(
    eye=3, right=3, down=3, forward=3, focal_px=1, ground=1, ground_scale=1, ground_turn=1, ground_x=1, ground_y=1,
    ground_roughness=1, ground_specular=1, room=1, room_turn=1, room_gain=1, lamp_toward=6, lamp_light=6, lamp_cos=2,
    lamps=1, things=1,
)  # fmt: skip
"""The camera, the ground, the room and up to two round lamps, far off; `things`: how many."""


class _World(ctypes.Structure):
    _fields_ = (
        ("scenes", ctypes.c_void_p), ("things", ctypes.c_void_p), ("most", ctypes.c_int),
        ("grounds", ctypes.c_void_p), ("prints", ctypes.c_void_p), ("ground_px", ctypes.c_int),
        ("print_px", ctypes.c_int), ("rooms", ctypes.c_void_p), ("rows", ctypes.c_void_p),
        ("columns", ctypes.c_void_p), ("room_h", ctypes.c_int), ("room_w", ctypes.c_int), ("side_px", ctypes.c_int),
        ("samples", ctypes.c_int), ("bounces", ctypes.c_int), ("light", ctypes.c_void_p), ("first", ctypes.c_void_p),
        ("all", ctypes.c_void_p),
    )  # fmt: skip


@cache
def library(on_gpu: bool) -> ctypes.CDLL:
    """The tracer. Raises: FileNotFoundError: no compiler."""
    found = compiled(SOURCE, on_gpu)
    found.trace.argtypes = [_World, ctypes.c_int]
    return found


def evened(light: Floats) -> Floats:
    """Rooms of light (n, rows, columns, 3), their first row up, brought to one brightness."""
    rows = light.shape[1]
    share = np.sin((np.arange(rows) + 0.5) / rows * np.pi)[:, None, None]
    return np.asarray(light * (2 / np.pi / np.mean(light * share, axis=(1, 2, 3), keepdims=True)), np.float32)


def sums_of(light: Floats) -> tuple[Floats, Floats]:
    """Running sums of rooms' brightness, for sampling light: of the rows (n, rows) and within each (n, rows,
    columns)."""
    rows = light.shape[1]
    bright = light.mean(3) + 1e-4
    bright[:, rows // 2 :] *= FROM_BELOW
    within = np.cumsum(bright * np.sin((np.arange(rows) + 0.5) / rows * np.pi)[None, :, None], axis=2)
    return np.cumsum(within[:, :, -1], axis=1).astype(np.float32), within.astype(np.float32)


def trace(
    scenes: int, arrays: dict[str, int], room_px: tuple[int, int], samples: int, bounces: int = 5, *, on_gpu: bool
) -> None:
    """Traces `scenes` scenes. `arrays` has the addresses of these:

    "scenes" and "things" (SCENE, THING, MOST of these per scene), "grounds" and "prints" (bytes), "rooms", "rows",
    "columns", and "light", the output (scenes, SIDE_PX, SIDE_PX, 3). Optional outputs, (scenes, SIDE_PX, SIDE_PX), are
    "first" (bytes), the number of the thing at the middle of a pixel, or NOTHING; and "all" (uint32), bits of all
    things that each would show there alone.

    Raises: RuntimeError: the GPU failed.
    """
    rows, columns = room_px
    sizes = {"most": MOST, "ground_px": GROUND_PX, "print_px": PRINT_PX, "room_h": rows, "room_w": columns}
    world = _World(**arrays, **sizes, side_px=SIDE_PX, samples=samples, bounces=bounces)
    error = library(on_gpu).trace(world, scenes)
    if error:
        raise RuntimeError(f"The GPU stopped tracing with CUDA's error {error}.")
