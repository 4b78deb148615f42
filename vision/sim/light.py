"""Light on a table: the light that reaches a face, and the soft shadows of pieces on level ground.

A wide lamp and the room's light are sums of a few points and directions. A shadow map belongs to one height. Each
piece's outline is projected from every point of light on that plane, and the lost shares of light are added.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats, Floats32
from companion.game.kit import Mat
from vision.sim.marks import linear
from vision.sim.scene import Body, Lighting, RoundDisk, Surface
from vision.sim.solids import Capsule

PAPER = (240, 240, 238)
INK = (30, 30, 31)
BORDER_MODULES = 1.35
"""White margin around the black square, in modules (the kit requires at least one)."""
SHEET_MM = (105.0, 75.0)
"""Margin of the covering beyond the play area, x and y."""
DESK = (118, 84, 56)
TEXTURE_MM = 0.8
TEXTURE_FROM_MM = -420.0


def texture(surface: Surface, mat: Mat) -> Floats32:
    """Brightness (H, W) of a covering, about 1, in cells of `TEXTURE_MM` from `TEXTURE_FROM_MM` in x and y."""
    width, height = (int((mm - 2 * TEXTURE_FROM_MM) / TEXTURE_MM) for mm in (mat.width_mm, mat.height_mm))
    return _texture(surface.weave, surface.grain, surface.seed, width, height)


@lru_cache(maxsize=6)
def _texture(weave: str, grain: float, seed: int, width: int, height: int) -> Floats32:
    rng = np.random.default_rng(seed)

    def noise(across: float, along: float) -> Floats32:
        """Noise with standard deviation 1, with grains of `across` x `along` cells."""
        small = rng.standard_normal((max(4, int(height / along)) + 3, max(4, int(width / across)) + 3), np.float32)
        big = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
        return np.asarray(big / big.std(), np.float32)

    if weave == "even":
        shade = 0.01 * noise(90, 90)
    elif weave == "felt":
        shade = 0.035 * noise(1.6, 1.6) + 0.03 * noise(5, 5) + 0.03 * noise(60, 60) + 0.02 * noise(160, 160)
    elif weave == "cloth":
        shade = 0.05 * noise(45, 1.7) + 0.05 * noise(1.7, 45) + 0.02 * noise(1.3, 1.3) + 0.015 * noise(120, 120)
    else:
        shade = _wood(noise, height)
    shade = (1 + np.float32(grain) * shade).astype(np.float32)
    shade.flags.writeable = False
    return shade


def _wood(noise, height: int) -> Floats32:  # type: ignore[no-untyped-def]
    rows = np.arange(height, dtype=np.float32)[:, None]
    rings = np.sin(rows * 0.09 + 2.2 * noise(240, 60) + 0.6 * noise(60, 12))
    plank = 150
    seams = np.where(rows % plank < 1.5, -0.25, 0).astype(np.float32)
    tone = np.sin(np.floor(rows / plank) * 2.4)
    shade: Floats32 = 0.09 * rings + 0.05 * noise(50, 2.2) + 0.03 * noise(160, 1.6) + 0.05 * tone + seams
    return shade


def marker_cells(mat: Mat, id: int) -> NDArray[np.uint8]:
    """The fiducial's modules with its black border, 255: white."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, mat.dictionary))
    modules = dictionary.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, id, modules), np.uint8)


def covering(x_mm: Floats32, y_mm: Floats32, surface: Surface, mat: Mat) -> Floats32:
    """Reflectance (H, W, 3) of the covering and the desk at table points (H, W)."""
    cover = _woven(surface, mat, x_mm, y_mm)
    desk_surface = Surface(weave="wood", color=DESK, seed=surface.seed + 1)
    out_x = np.maximum(-SHEET_MM[0] - x_mm, x_mm - mat.width_mm - SHEET_MM[0])
    out_y = np.maximum(-SHEET_MM[1] - y_mm, y_mm - mat.height_mm - SHEET_MM[1])
    beyond = np.clip(np.maximum(out_x, out_y) + np.float32(0.5), 0, 1)
    if surface.weave == "wood" or not beyond.any():
        return cover
    desk = _woven(desk_surface, mat, x_mm, y_mm)
    return np.asarray(cover + beyond[..., None] * (desk - cover), np.float32)


def _woven(surface: Surface, mat: Mat, x_mm: Floats32, y_mm: Floats32) -> Floats32:
    u = (x_mm - TEXTURE_FROM_MM) * np.float32(1 / TEXTURE_MM)
    v = (y_mm - TEXTURE_FROM_MM) * np.float32(1 / TEXTURE_MM)
    shade = cv2.remap(texture(surface, mat), u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return shade[..., None] * linear(surface.color)


def paper(x_mm: Floats32, y_mm: Floats32, mat: Mat, id: int) -> tuple[NDArray[np.bool_], Floats32]:
    """Mask of the points (N,) of the paper's plane on fiducial `id`'s sheet, and their reflectance (N, 3)."""
    cells = marker_cells(mat, id)
    module = mat.marker_mm / len(cells)
    cx, cy = mat.markers[id]
    u, v = (x_mm - cx) / module + len(cells) / 2, (y_mm - cy) / module + len(cells) / 2
    on = (np.minimum(u, v) > -BORDER_MODULES) & (np.maximum(u, v) < len(cells) + BORDER_MODULES)
    inside = (np.minimum(u, v) >= 0) & (np.maximum(u, v) < len(cells))
    last = len(cells) - 1
    dark = cells[np.clip(v.astype(int), 0, last), np.clip(u.astype(int), 0, last)] == 0
    return on, np.where((inside & dark)[:, None], linear(INK), linear(PAPER)).astype(np.float32)


Caster = Body | Capsule

LAMP_SPOTS = 10
"""Number of points that replace one wide lamp."""
SKY_RINGS = ((20.0, 4), (42.0, 5), (68.0, 4))
"""The room's light: rings of directions (elevation in degrees, number)."""
MOST_MAPS = 12
"""Number of heights whose shadow maps are kept."""
CELL_MM = 1.0
MARGIN_MM = 180.0
"""Margin of a shadow map around the play area."""
FADE_CELLS = 110
"""Width over which a shadow map fades out at its border, because an arm reaches beyond it."""
BOUNCE = 0.4
"""Light on a face that looks down, reflected from the table, as a share of the light on a face that looks up."""


@dataclass(frozen=True, slots=True)
class LightPoints:
    """Points (N, 3) of lamps, and directions (M, 3) of the room's light; on level ground each has shares with sum 1."""

    lamp_mm: Floats
    lamp_share: Floats
    sky: Floats
    sky_share: Floats


def spots_of(lighting: Lighting) -> LightPoints:
    """The lighting as points and directions."""
    points, shares = [], []
    golden = math.pi * (3 - math.sqrt(5))
    total = sum(lamp.share for lamp in lighting.lamps)
    for lamp in lighting.lamps:
        for i in range(LAMP_SPOTS):
            reach = lamp.size_mm / 2 * math.sqrt((i + 0.5) / LAMP_SPOTS)
            x, y, z = lamp.at_mm
            points.append((x + reach * math.cos(i * golden), y + reach * math.sin(i * golden), z))
            shares.append(lamp.share / total / LAMP_SPOTS)
    sky = []
    for elevation_deg, count in SKY_RINGS:
        up, out = math.sin(math.radians(elevation_deg)), math.cos(math.radians(elevation_deg))
        turn = elevation_deg  # rings must not line up
        sky += [
            (out * math.cos(2 * math.pi * i / count + turn), out * math.sin(2 * math.pi * i / count + turn), up)
            for i in range(count)
        ]
    directions = np.array(sky)
    weight = directions[:, 2] * np.sqrt(1 - directions[:, 2] ** 2)
    return LightPoints(np.array(points), np.array(shares), directions, weight / weight.sum())


def level_light(spots: LightPoints, x_mm: Floats32, y_mm: Floats32, middle_mm: tuple[float, float]) -> Floats32:
    """The lamps' light on level ground at points, 1 at the table's middle (inverse square, cosine)."""

    def light(x: Floats32, y: Floats32) -> Floats32:
        total = np.zeros(np.shape(x), np.float32)
        groups = range(0, len(spots.lamp_mm), LAMP_SPOTS)
        for i in groups:
            lx, ly, lz = spots.lamp_mm[i : i + LAMP_SPOTS].mean(0)
            share = spots.lamp_share[i : i + LAMP_SPOTS].sum()
            at_middle = ((lx - middle_mm[0]) ** 2 + (ly - middle_mm[1]) ** 2 + lz * lz) ** 1.5
            total += np.float32(share * at_middle) / ((x - lx) ** 2 + (y - ly) ** 2 + np.float32(lz * lz)) ** 1.5
        return total

    return light(np.asarray(x_mm, np.float32), np.asarray(y_mm, np.float32))


def falling_on(spots: LightPoints, normals: Floats32, at_mm: Floats, ground: Floats32) -> tuple[Floats32, Floats32]:
    """The lamps' and the room's light on faces with these normals (3, N), as shares (N,) and (N, 3) of that on level
    ground.

    `ground`: the reflectance (3,) of the surroundings, which reflect light.
    """
    to_lamp = spots.lamp_mm - at_mm
    to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True)
    lamp = np.maximum(to_lamp.astype(np.float32) @ normals, 0).T @ (spots.lamp_share / to_lamp[:, 2]).astype(np.float32)
    sky_share = (spots.sky_share / spots.sky[:, 2]).astype(np.float32)
    sky = np.maximum(spots.sky.astype(np.float32) @ normals, 0).T @ sky_share
    back = np.float32(BOUNCE) * (1 - normals[2])[:, None] * ground[None] / np.float32(0.4)
    return lamp, sky[:, None] + back


def glare(spots: LightPoints, normals: Floats32, to_camera: Floats, at_mm: Floats, roughness: float) -> Floats32:
    """Mirrored light (N,) of the lamps towards the camera, 1 where the middle of a lamp is mirrored."""
    to_lamp = spots.lamp_mm - at_mm
    to_lamp /= np.linalg.norm(to_lamp, axis=1, keepdims=True)
    view = to_camera.astype(np.float32)[:, None]
    mirrored = 2 * (normals * view).sum(0) * normals - view
    near = np.exp((to_lamp.astype(np.float32) @ mirrored - 1) / np.float32(roughness * roughness))
    return np.asarray(near.T @ spots.lamp_share.astype(np.float32))


def outline_points(caster: Caster) -> Floats:
    """Points (N, 3) in the table frame whose hull approximates the caster."""
    if isinstance(caster, Capsule):
        angles = np.arange(8) * (math.pi / 4)
        ring = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles]) * caster.radius_mm
        caps = [np.array(end) + ring for end in (caster.start_mm, caster.end_mm)]
        return np.vstack(caps)
    hull = caster.solid.hull(16 if isinstance(caster.solid, RoundDisk) and caster.solid.radius_mm < 60 else 48)
    inner = caster.solid.half_mm - caster.solid.bevel_mm
    swell = 1 + 0.6 * caster.solid.bevel_mm / inner if caster.is_die else 1.0
    points: Floats = hull * swell @ caster.rotation.T + np.array(caster.at_mm)
    return points


def top_mm(caster: Caster) -> float:
    """Height of the caster's highest point."""
    if isinstance(caster, Capsule):
        return max(caster.start_mm[2], caster.end_mm[2]) + caster.radius_mm
    return caster.highest_mm


def above(points: Floats, height_mm: float) -> Floats:
    """Points (N, 3) whose hull is the part of a hull above a height. If nothing is above it, the points are moved up to
    that height, because the caster's rounded rim may still reach above it."""
    is_high = points[:, 2] >= height_mm
    high, low = points[is_high], points[~is_high]
    if not len(low):
        return points
    if not len(high):
        return np.column_stack([points[:, :2], np.full(len(points), height_mm)])
    # intersections of the plane with the segments between high and low points
    rise = (high[:, None, 2] - height_mm) / (high[:, None, 2] - low[None, :, 2])
    passing = high[:, None] + (low[None] - high[:, None]) * rise[..., None]
    return np.vstack([high, passing.reshape(-1, 3)])


class Shadows:
    """Shadow maps by height for one table. Outlines are kept between frames, because most pieces do not move."""

    def __init__(self, spots: LightPoints, width_mm: float, height_mm: float) -> None:
        self._spots = spots
        self._size = (round((height_mm + 2 * MARGIN_MM) / CELL_MM), round((width_mm + 2 * MARGIN_MM) / CELL_MM))
        rows, columns = (np.minimum(np.arange(n), np.arange(n)[::-1]) / FADE_CELLS for n in self._size)
        self._fade = np.minimum(np.minimum(rows[:, None], columns[None]), 1).astype(np.float32)
        self._outlines: dict[tuple[Caster, float], list[NDArray[np.int32]]] = {}
        self._maps: dict[float, tuple[list[Caster], tuple[NDArray[np.uint8], NDArray[np.uint8]]]] = {}

    def on_table(self, caster: Caster) -> Floats:
        """Points (N, 3) of the table whose hull approximates a caster's shadow."""
        cells = np.vstack([outline.reshape(-1, 2) for outline in self._cast(caster, 0.0)]) / 16
        places = (cells + 0.5) * CELL_MM - MARGIN_MM
        return np.column_stack([places, np.zeros(len(places))])

    def maps(self, casters: tuple[Caster, ...], height_mm: float) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
        """Lost shares of the lamps' and of the room's light per cell, 255 for all; None: no caster is high enough."""
        tall = [c for c in casters if top_mm(c) > height_mm + 0.4]
        if not tall:
            return None
        was = self._maps.get(height_mm)
        if was is not None and was[0] == tall:
            return was[1]
        known = {(c, height_mm): self._outlines.get((c, height_mm)) or self._cast(c, height_mm) for c in tall}
        self._outlines = {k: v for k, v in self._outlines.items() if k[1] != height_mm} | known
        spots = self._spots
        maps = []
        first = 0
        for shares in (spots.lamp_share, spots.sky_share):
            taken = np.zeros(self._size, np.uint8)
            steps = np.diff(np.round(np.concatenate([[0], np.cumsum(shares)]) * 255)).astype(int)
            for i, step in enumerate(steps):
                one = np.zeros(self._size, np.uint8)
                for outlines in known.values():
                    cv2.fillConvexPoly(one, outlines[first + i], int(step), cv2.LINE_AA, 4)
                cv2.add(taken, one, dst=taken)
            first += len(shares)
            soft = cv2.GaussianBlur(taken, (0, 0), 1.0)
            maps.append(np.asarray(cv2.multiply(soft, self._fade, dtype=cv2.CV_8U), np.uint8))
        self._maps = {k: v for k, v in self._maps.items() if len(self._maps) < MOST_MAPS} | {
            height_mm: (tall, (maps[0], maps[1]))
        }
        return maps[0], maps[1]

    def _cast(self, caster: Caster, height_mm: float) -> list[NDArray[np.int32]]:
        points = above(outline_points(caster), height_mm)
        rise = (points[:, 2] - height_mm)[None, :, None]
        lamps = self._spots.lamp_mm[:, None]
        from_lamp = points[None] + (points[None] - lamps) * (rise / (lamps[..., 2:] - points[None, :, 2:]))
        sky = self._spots.sky[:, None]
        from_sky = points[None] - sky * (rise / sky[..., 2:])
        cells = (np.concatenate([from_lamp, from_sky])[..., :2] + MARGIN_MM) / CELL_MM - 0.5
        fixed = np.clip(np.round(cells * 16), -(2**20), 2**20).astype(np.int32)
        return [cv2.convexHull(one) for one in fixed]


def tint(lighting: Lighting) -> Floats32:
    """Colour of the lamps' light, linear (3,), blue first."""
    return np.asarray(lighting.tint[::-1], np.float32)


def skylight() -> Floats32:
    """Colour of the room's light: slightly cooler than the lamps."""
    white = linear((248, 252, 255))
    return np.asarray(white / white.mean())
