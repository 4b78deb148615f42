"""Random rooms for a table: camera, mount, light and covering.

`room_by_chance` makes a whole room from a seed, for matches that play themselves. The benchmarks draw the parts
separately.
"""

import math
import string
from dataclasses import dataclass

import numpy as np

from calibration.lens import Lens
from calibration.pose import Pose
from companion.game.kit import Kit
from vision.sim.film import Film
from vision.sim.render import overhead
from vision.sim.scene import Lighting, SceneLamp, Surface

SIZES_PX = ((2304, 1296), (1536, 864), (2028, 1520), (1920, 1080))
FINE_SIZES_PX = ((2304, 1296), (2028, 1520))
MARKER_REACH_MM = 42.0
FINE_PX_MM = 1.35
"""Pixels per mm at the height of the mat's middle in the coarsest of the samples."""
COLORS = (
    ("felt", (74, 120, 92)),
    ("felt", (90, 98, 104)),
    ("felt", (150, 128, 100)),
    ("cloth", (110, 110, 106)),
    ("cloth", (132, 100, 68)),
    ("cloth", (122, 122, 82)),
    ("wood", (150, 108, 68)),
    ("wood", (188, 150, 108)),
    ("even", (96, 130, 120)),
)


@dataclass(frozen=True, slots=True)
class Rig:
    """One camera: its name, lens and film."""

    name: str
    lens: Lens
    film: Film


def rig(index: int, rng: np.random.Generator, is_fine: bool) -> Rig:
    """A random camera; `is_fine`: with a picture size of the samples."""
    sizes = FINE_SIZES_PX if is_fine else SIZES_PX
    width, height = sizes[index % len(sizes)]
    focal = width * rng.uniform(0.74, 0.86)
    lens = Lens(
        width_px=width,
        height_px=height,
        fx_px=focal,
        fy_px=focal * rng.uniform(0.999, 1.001),
        cx_px=width / 2 + rng.normal(0, 9),
        cy_px=height / 2 + rng.normal(0, 9),
        distortion=(*rng.normal(0, (0.05, 0.03, 0.0005, 0.0005)), 0.0),
        rms_px=0.05,
    )
    film = Film(
        exposure=rng.uniform(0.85, 1.1),
        blur_px=rng.uniform(0.4, 0.9),
        vignetting=rng.uniform(0.1, 0.4),
        shot_noise=rng.uniform(0.008, 0.03),
        read_noise=rng.uniform(0.001, 0.003),
        sharpening=rng.uniform(0.2, 0.9),
    )
    return Rig(string.ascii_uppercase[index], lens, film)


def mount(
    lens: Lens,
    kit: Kit,
    rng: np.random.Generator,
    is_fine: bool = False,
    *,
    unit_mm: float = 1.0,
    heights: tuple[float, float] = (900.0, 1500.0),
    tilts_deg: tuple[float, float] = (6.0, 14.0),
    aims_mm: float = 25.0,
) -> tuple[Pose, dict[str, float]]:
    """A random camera pose with all fiducials in the picture, and its parameters; `is_fine`: near enough for the
    samples' resolution.

    Args:
        heights: minimum and maximum, in units of `unit_mm`.
        tilts_deg: standard deviation and limit. aims_mm: standard deviation of the aim around the mat's middle.
    """
    reach = (-MARKER_REACH_MM, MARKER_REACH_MM)
    corners = np.array([(x + u, y + v, 0.0) for x, y in kit.mat.markers.values() for u in reach for v in reach])
    while True:
        how = {
            "height_mm": unit_mm * rng.uniform(*heights),
            "tilt_deg": abs(rng.normal(0, tilts_deg[0])) % tilts_deg[1],
            "tilt_dir_deg": rng.uniform(0, 360),
            "roll_deg": float(np.clip(rng.normal(0, 4), -10, 10)),
        }
        pose = overhead(
            lens,
            height_mm=how["height_mm"],
            tilt_deg=how["tilt_deg"],
            toward_deg=how["tilt_dir_deg"],
            roll_deg=how["roll_deg"],
            aim_mm=(kit.mat.width_mm / 2 + rng.normal(0, aims_mm), kit.mat.height_mm / 2 + rng.normal(0, aims_mm)),
        )
        px = pose.to_pixels(corners)
        is_in = ((px > 4) & (px < np.array([lens.width_px, lens.height_px]) - 5)).all()
        if is_in and not (is_fine and lens.fx_px / pose.centre_mm[2] < FINE_PX_MM):
            return pose, {k: round(float(v), 4) for k, v in how.items()}


WINDOWS = 0.4
"""Share of rooms that a window lights from the side."""


def lighting(rng: np.random.Generator, middle_mm: tuple[float, float]) -> Lighting:
    """A random room: one or two lamps above the table, wide or narrow, or a window at the side."""
    if rng.random() < WINDOWS:
        turn, far = rng.uniform(0, 2 * math.pi), rng.uniform(1000, 2200)
        x, y = middle_mm[0] + far * math.cos(turn), middle_mm[1] + far * math.sin(turn)
        lamps: tuple[SceneLamp, ...] = (
            SceneLamp((x, y, float(rng.uniform(700, 1500))), float(rng.uniform(600, 1400))),
        )
    else:
        lamps = tuple(
            SceneLamp(
                (float(rng.uniform(-500, 1500)), float(rng.uniform(-900, 1600)), float(rng.uniform(1500, 2400))),
                float(rng.uniform(60, 900)),
                float(rng.uniform(0.4, 1.0)),
            )
            for _ in range(int(rng.integers(1, 3)))
        )
    warm = rng.uniform(-0.12, 0.12)
    return Lighting(
        lamps=lamps,
        ambient=float(rng.uniform(0.25, 0.65)),
        level=float(rng.uniform(0.7, 1.05)),
        tint=(1 + warm, 1.0, 1 - warm),
    )


def surface(rng: np.random.Generator, seed: int) -> Surface:
    """A random covering."""
    weave, color = COLORS[int(rng.integers(len(COLORS)))]
    shade = rng.uniform(0.85, 1.12)
    red, green, blue = (int(min(215, c * shade)) for c in color)
    return Surface(weave=weave, color=(red, green, blue), grain=float(rng.uniform(0.5, 1.2)), seed=seed)


@dataclass(frozen=True, slots=True)
class Room:
    """A table's room: its camera, light and covering."""

    lens: Lens
    film: Film
    pose: Pose
    lighting: Lighting
    surface: Surface


HEIGHTS = (0.95, 1.3)
"""Lowest and highest camera, as a multiple of the height of the virtual table's camera."""
TILTS_DEG = (5.0, 12.0)


def room_by_chance(kit: Kit, seed: int, height_mm: float, *, is_fine: bool) -> Room:
    """A random room for a kit's mat, with all fiducials in the picture. `height_mm`: usual height of the camera.
    `is_fine`: with the samples' resolution."""
    rng = np.random.default_rng((seed, 77))
    width, height = kit.mat.width_mm, kit.mat.height_mm
    camera = rig(int(rng.integers(len(SIZES_PX))), rng, is_fine)
    pose, _ = mount(camera.lens, kit, rng, unit_mm=height_mm, heights=HEIGHTS, tilts_deg=TILTS_DEG, aims_mm=15.0)
    return Room(camera.lens, camera.film, pose, lighting(rng, (width / 2, height / 2)), surface(rng, seed))
