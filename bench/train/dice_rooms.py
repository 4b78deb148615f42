"""Path-traced dice: meshes in rooms of measured light, on grounds with grain, among everyday things.

Needs mitsuba (extra `train`) and a folder of rooms (equirectangular .exr), such as the CC0 ones in the npm package
@pmndrs/assets. Lengths are mm, colours linear RGB unless stated otherwise; the table is z = 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import cv2
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_rays import ROOMS
from bench.train.dice_scenes import Label, die_of, material_of, white_of
from bench.train.dice_solid import PIPS, Die, Floats, _body_colour, pips_at, pose_of
from bench.train.dice_tables import clutter, table

mi.set_variant("llvm_ad_rgb")
T: Any = mi.ScalarTransform4f

GRID = 84
"""Vertices along an edge of a die."""
DEPTH = 5
"""Bounces of light."""
STRAY = 40
"""Maximum difference of a pixel from its neighbours, grey levels; a larger one comes from a stray ray."""
Spec = dict[str, Any]


@dataclass(slots=True)
class Table:
    """A scene before it is rendered: what stands on the table; `taken` holds (x, y, radius) of each."""

    ground: Spec
    shapes: list[Any] = field(default_factory=list)
    taken: list[tuple[float, float, float]] = field(default_factory=list)
    dice: list[tuple[Die, float]] = field(default_factory=list)
    """Each with half its side in mm."""

    def is_free(self, x: float, y: float, radius: float) -> bool:
        """Whether a thing of this size may stand there."""
        return all(np.hypot(x - a, y - b) > radius + r for a, b, r in self.taken)


def cube_grid(count: int = GRID) -> tuple[Floats, NDArray[np.uint32]]:
    """Points of the cube +-1, (6 count ** 2, 3), and its triangles, turned outwards."""
    # closer together towards the edges, where a die is round
    line = np.sin(np.linspace(-np.pi / 2, np.pi / 2, count)) * 0.35 + np.linspace(-1, 1, count) * 0.65
    u, v = (a.ravel() for a in np.meshgrid(line, line, indexing="ij"))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(count - 1), np.arange(count - 1), indexing="ij"))
    a, b, c, d = i * count + j, (i + 1) * count + j, (i + 1) * count + j + 1, i * count + j + 1
    points, triangles = [], []
    for axis in range(3):
        for sign in (1.0, -1.0):
            p = np.empty((count * count, 3))
            p[:, axis], p[:, (axis + 1) % 3], p[:, (axis + 2) % 3] = sign, u, v
            two = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]) + len(points) * count * count
            points.append(p)
            triangles.append(two if sign > 0 else two[:, ::-1])
    return np.concatenate(points).astype(np.float32), np.concatenate(triangles).astype(np.uint32)


CUBE, TRIANGLES = cube_grid()


def die_mesh(die: Die, half_mm: float, drill: float, gloss: Spec) -> Any:
    """A die as a mesh with coloured vertices; `drill`: depth of its pips in half sides."""
    m = die.material
    inner = np.clip(CUBE, m.rounding - 1, 1 - m.rounding)
    out = CUBE - inner
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    p = inner + m.rounding * out
    far = np.linalg.norm(p, axis=1, keepdims=True)
    p *= np.minimum(1, m.ball / far)
    amount, tilt, values = pips_at(CUBE.T.astype(np.float32), die)
    pip = np.repeat(m.pip[:, None], len(p), 1)
    if m.red_ones is not None:
        pip = np.where((values == 1) | (values == 4), m.red_ones[:, None], pip)
    colour = (_body_colour(p.T, die) * (1 - amount) + pip * amount).T[:, ::-1]
    bowl = np.sqrt(np.clip(1 - (tilt**2).sum(0), 0, 1)) * (amount > 0.02)
    p = p - out * (drill * bowl * m.pip_radius)[:, None]
    room = p @ die.turn.T * half_mm + np.array([die.at[0], die.at[1], die.at[2] * half_mm])
    properties = mi.Properties()
    properties["mesh_bsdf"] = mi.load_dict({"type": "principled", "base_color": _vertex_colour(), **gloss})
    mesh = mi.Mesh("die", len(room), len(TRIANGLES), has_vertex_normals=True, props=properties)
    mesh.add_attribute("vertex_color", 3, np.ascontiguousarray(np.clip(colour, 0, 1) ** 2.2, np.float32).ravel())
    params = mi.traverse(mesh)
    params["vertex_positions"] = np.ascontiguousarray(room, np.float32).ravel()
    params["faces"] = TRIANGLES.ravel()
    params["vertex_normals"] = _normals(room).ravel()
    params.update()
    return mesh


def _vertex_colour() -> Spec:
    return {"type": "mesh_attribute", "name": "vertex_color"}


def _normals(room: NDArray[np.float64]) -> Floats:
    sides = np.cross(room[TRIANGLES[:, 1]] - room[TRIANGLES[:, 0]], room[TRIANGLES[:, 2]] - room[TRIANGLES[:, 0]])
    normals = np.zeros_like(room)
    for k in range(3):
        for axis in range(3):
            normals[:, axis] += np.bincount(TRIANGLES[:, k], sides[:, axis], len(room))
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.ascontiguousarray(normals / np.maximum(length, 1e-9), np.float32)


def picture_of(texture: Floats, is_colour: bool = True) -> Spec:
    """A texture, BGR 0 to 1 as displays show it (or heights, (h, w)), for a material."""
    data = texture[..., ::-1] if is_colour else texture[..., None]
    if is_colour:
        data = np.clip(data, 0, 1) ** 2.2
    bitmap = mi.Bitmap(np.ascontiguousarray(data, np.float32))
    return {"type": "bitmap", "bitmap": bitmap, "raw": True, "filter_type": "bilinear", "wrap_mode": "mirror"}


def surface(
    texture: Floats, roughness: float, specular: float = 0.5, heights: Floats | None = None, deep: float = 1.0
) -> Spec:
    """A printed or grained surface."""
    base: Spec = {
        "type": "principled",
        "base_color": picture_of(texture),
        "roughness": roughness,
        "specular": specular,
    }
    if heights is None:
        return base
    return {"type": "bumpmap", "arbitrary": picture_of(heights, False), "scale": deep, "bsdf": base}


def plain(rgb: Sequence[float], roughness: float = 0.5, metallic: float = 0.0) -> Spec:
    """One colour all over."""
    return {
        "type": "principled",
        "base_color": {"type": "rgb", "value": [float(v) for v in rgb]},
        "roughness": float(roughness),
        "metallic": float(metallic),
    }


@dataclass(frozen=True, slots=True)
class View:
    """A camera over the origin: `die_px` pixels for 16 mm there; angles in radians, 0 pitch: from straight above."""

    width_px: int
    height_px: int
    die_px: float
    pitch_rad: float
    roll_rad: float
    fov_deg: float

    @property
    def focal_px(self) -> float:
        """The focal length."""
        return float(self.width_px / 2 / np.tan(np.radians(self.fov_deg) / 2))

    @property
    def away_mm(self) -> float:
        """From the origin to the camera."""
        return self.focal_px * 16.0 / self.die_px

    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The camera's place and its axes (right, down, forward) as rows."""
        s, c = np.sin(self.pitch_rad), np.cos(self.pitch_rad)
        forward = np.array([0, s, -c])
        right, down = np.array([1.0, 0, 0]), np.array([0, -c, -s])
        a, b = np.cos(self.roll_rad), np.sin(self.roll_rad)
        return -forward * self.away_mm, np.stack([a * right + b * down, -b * right + a * down, forward])

    def project(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Pixels of points of the room, (n, 3) to (n, 2)."""
        eye, axes = self.axes()
        local = (points - eye) @ axes.T
        return np.asarray(local[:, :2] / local[:, 2:] * self.focal_px + np.array([self.width_px, self.height_px]) / 2)


def box_of(die: Die, half_mm: float, view: View) -> tuple[float, float, float, float]:
    """The die's box in the picture."""
    m = die.material
    points = CUBE[::7]
    inner = np.clip(points, m.rounding - 1, 1 - m.rounding)
    out = points - inner
    p = inner + m.rounding * out / np.linalg.norm(out, axis=1, keepdims=True)
    p = p * np.minimum(1, m.ball / np.linalg.norm(p, axis=1, keepdims=True))
    room = p @ die.turn.T * half_mm + np.array([die.at[0], die.at[1], die.at[2] * half_mm])
    spots = view.project(room)
    (x0, y0), (x1, y1) = spots.min(0), spots.max(0)
    w, h = view.width_px, view.height_px
    return float(np.clip(x0, 0, w)), float(np.clip(y0, 0, h)), float(np.clip(x1, 0, w)), float(np.clip(y1, 0, h))


def rendered(
    table: Table, view: View, room: Path, turn_deg: float, lamps: Sequence[Any], samples: int, seed: int
) -> Floats:
    """Linear BGR light of the scene, its median about 0.2."""
    eye, axes = view.axes()
    up = -axes[1]
    scene: Spec = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": DEPTH},
        "sensor": {
            "type": "perspective",
            "fov": view.fov_deg,
            "to_world": T().look_at(list(eye), list(eye + axes[2]), list(up)),
            "film": {
                "type": "hdrfilm",
                "width": view.width_px,
                "height": view.height_px,
                "rfilter": {"type": "box"},
            },
            "sampler": {"type": "independent", "sample_count": samples},
        },
        "room": {
            "type": "envmap",
            "filename": str(room),
            "to_world": T().rotate([0, 0, 1], turn_deg).rotate([1, 0, 0], 90),
        },
        "ground": {"type": "rectangle", "to_world": T().scale([450, 450, 1]), "bsdf": table.ground},
    }
    for k, shape in enumerate([*table.shapes, *lamps]):
        scene[f"thing_{k}"] = shape
    light = np.array(mi.render(mi.load_dict(scene), seed=seed))[..., :3]
    return np.ascontiguousarray(light[..., ::-1], np.float32)


def labels_of(table: Table, view: View) -> list[Label]:
    """Boxes and values of the table's dice that lie whole in the picture."""
    found = []
    for die, half_mm in table.dice:
        x0, y0, x1, y1 = box_of(die, half_mm, view)
        if x1 - x0 > 3 and y1 - y0 > 3:
            pose = pose_of(die, half_mm, *view.axes(), view.focal_px)
            found.append(Label((x0, y0, x1, y1), 0 if die.is_leaning else die.top()[2], pose=pose))
    return found


def developed(rng: np.random.Generator, light: Floats) -> NDArray[np.uint8]:
    """A telephone's picture of linear light: exposure, white balance, a tone curve, noise, sharpening, JPEG."""
    bright = float(np.percentile(light, 90)) + 1e-6
    x = light / bright * rng.uniform(0.45, 0.95) * (1 + rng.normal(0, 0.04, 3))
    x = np.clip(x, 0, None)
    x = x / (1 + 0.35 * x) * 1.25
    x = np.clip(x, 0, 1) ** (1 / rng.uniform(1.9, 2.5))
    x = _still(np.asarray(x * 255, np.uint8)) / 255
    if rng.random() < 0.5:
        x = cv2.GaussianBlur(x, (0, 0), rng.uniform(0.4, 1.0))
    if rng.random() < 0.5:
        x = x + rng.uniform(0.3, 1.0) * (x - cv2.GaussianBlur(x, (0, 0), 1.2))
    x = x + rng.normal(0, rng.choice([0.003, 0.01, 0.02]), x.shape)
    out = np.clip(x * 255 + 0.5, 0, 255).astype(np.uint8)
    jpeg = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(70, 97))])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _still(grainy: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Without the grain of too few rays a pixel."""
    calm = cv2.medianBlur(grainy, 3)
    is_stray = cv2.absdiff(grainy, calm).max(2, keepdims=True) > STRAY
    return np.asarray(cv2.fastNlMeansDenoisingColored(np.where(is_stray, calm, grainy), None, 7, 10, 5, 11), np.uint8)


SIZE_PX = (480, 384)
SAMPLES = 12
HALF_MM = 8.0
WHITE = 0.45
"""Share of scenes whose dice are plain white ones."""
GROUND_PX = 700
TILED = 0.3
"""Share of scenes with blocks that resemble dice, and no dice."""


TILE_PX = 160
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789&?+#.,:;!'-="


def _tile_print(rng: np.random.Generator, halves: int, body: Floats, ink: Floats) -> Floats:
    """The print on a tile of `halves` squares side by side: pips on two, a letter or nothing on one."""
    shown = np.full((TILE_PX, TILE_PX * halves, 3), np.clip(body * 255, 0, 255), np.uint8)
    ink = np.clip(ink * 255, 0, 255)
    has_letter = rng.random() < 0.7
    for half in range(halves):
        middle = np.array([TILE_PX * (half + 0.5), TILE_PX / 2])
        if halves == 2:
            step, radius = TILE_PX * rng.uniform(0.24, 0.3), int(TILE_PX * rng.uniform(0.06, 0.1))
            for u, v in PIPS.get(int(rng.integers(0, 7)), ()):
                at = (middle + step * np.array([u, v])).astype(int).tolist()
                cv2.circle(shown, at, radius, ink.tolist(), -1, cv2.LINE_AA)
        elif has_letter:
            at = (middle + TILE_PX * np.array([-0.25, 0.25])).astype(int).tolist()
            size = TILE_PX / 160 * float(rng.uniform(3, 5))
            cv2.putText(
                shown, str(rng.choice(list(LETTERS))), at, rng.integers(0, 5), size, ink.tolist(), 14, cv2.LINE_AA
            )
    if halves == 2:
        line = [(TILE_PX, int(0.1 * TILE_PX)), (TILE_PX, int(0.9 * TILE_PX))]
        cv2.line(shown, *line, ink.tolist(), int(rng.integers(2, 8)), cv2.LINE_AA)
    return np.asarray(shown, np.float32) / 255


def tiles(rng: np.random.Generator, table: Table) -> None:
    """Blocks that resemble dice: dominoes in rows, letter tiles, lumps of sugar, keys; apart or side by side."""
    halves = int(rng.choice([1, 2], p=[0.45, 0.55]))
    half_mm = float(rng.uniform(6, 12))
    tall_mm = half_mm * float(rng.choice([rng.uniform(0.3, 0.8), 2.0], p=[0.7, 0.3]))
    body = np.array(
        [[0.9, 0.93, 0.94], [0.06, 0.06, 0.07], rng.uniform(0.1, 0.95, 3)][rng.choice(3, p=[0.55, 0.2, 0.25])]
    )
    ink = np.full(3, 0.04) if body.mean() > 0.45 else np.full(3, 0.92)
    gloss = {"roughness": float(rng.uniform(0.08, 0.6)), "specular": float(rng.uniform(0.2, 0.6))}
    yaw, columns = float(rng.uniform(0, 360)), int(rng.integers(1, 4))
    gap = float(rng.choice([1.01, rng.uniform(1.02, 1.6)]))
    for k in range(int(rng.integers(1, 3)) * columns):
        x = (k % columns - (columns - 1) / 2) * 2 * half_mm * halves * gap
        y = (k // columns - 0.5) * 2 * half_mm * gap
        turn = T().rotate([0, 0, 1], yaw + float(rng.normal(0, 1.5))).translate([x, y, 0])
        paint = {"type": "principled", "base_color": {"type": "rgb", "value": (body[::-1] ** 2.2).tolist()}, **gloss}
        size = [half_mm * halves, half_mm, tall_mm / 2]
        shape = {"type": "cube", "to_world": turn.translate([0, 0, tall_mm / 2]).scale(size), "bsdf": paint}
        table.shapes.append(shape)
        skin = {**paint, "base_color": picture_of(_tile_print(rng, halves, body.astype(np.float32), ink))}
        top = turn.translate([0, 0, tall_mm + 0.05]).scale([half_mm * halves * 0.97, half_mm * 0.97, 1])
        table.shapes.append({"type": "rectangle", "to_world": top, "bsdf": skin})


def scene(rng: np.random.Generator, rooms: Path) -> tuple[NDArray[np.uint8], list[Label], bool]:
    """One large die, a group whose dice touch, or some thrown apart, on one of training's drawn grounds."""
    width, height = SIZE_PX
    ground = table(rng, GROUND_PX, GROUND_PX)
    if rng.random() < 0.4:
        ground = ground * rng.uniform(0.05, 0.4)
    for _ in range(int(rng.integers(0, 14))):
        clutter(rng, ground, tuple(rng.integers(0, GROUND_PX, 2).tolist()), float(rng.uniform(12, 40)))
    skin = surface(ground, float(rng.uniform(0.05, 0.8)), float(rng.uniform(0.1, 0.6)))
    made = Table({**skin, "base_color": {**skin["base_color"], "to_uv": T().scale([4, 4, 1])}})
    if rng.random() < TILED:
        tiles(rng, made)
        view = View(width, height, float(rng.uniform(50, 130)), float(np.radians(rng.uniform(0, 55))), 0.0, 40.0)
        room = rooms / f"{ROOMS[int(rng.integers(len(ROOMS)))]}.exr"
        light = rendered(made, view, room, float(rng.uniform(0, 360)), [], SAMPLES, int(rng.integers(1 << 30)))
        return developed(rng, light), [], bool(view.pitch_rad < np.radians(35))
    kind = int(rng.choice(3, p=[0.35, 0.4, 0.25]))
    count = (1, int(rng.integers(2, 7)), int(rng.integers(2, 6)))[kind]
    yaw = float(rng.uniform(0, 2 * np.pi)) if kind == 1 else None
    is_white = rng.random() < WHITE
    family = (white_of if is_white else material_of)(rng)
    spots = [np.zeros(2)]
    while len(spots) < count:
        near = spots[int(rng.integers(len(spots)))]
        if yaw is None:
            new = near + rng.normal(0, 30, 2)
        else:
            a = yaw + rng.integers(4) * np.pi / 2
            new = near + 2 * HALF_MM * rng.uniform(1.005, 1.06) * np.array([np.cos(a), np.sin(a)])
            new = new + rng.choice([0.0, rng.uniform(-6, 6)]) * np.array([-np.sin(a), np.cos(a)])
        if all(np.hypot(*(new - s)) > (2.0 if yaw is not None else 2.9) * HALF_MM for s in spots):
            spots.append(new)
    middle = np.mean(spots, axis=0)
    for spot in spots:
        x, y = (spot - middle).tolist()
        die = die_of(rng, family, (x, y), yaw)
        gloss = {"roughness": float(rng.uniform(0.08, 0.5)), "specular": float(rng.uniform(0.2, 0.6))}
        made.shapes.append(die_mesh(die, HALF_MM, float(rng.choice([0.0, rng.uniform(0.2, 0.9)])), gloss))
        made.dice.append((die, HALF_MM))
    reach = max(float(np.hypot(*(s - middle))) for s in spots) + 13
    pitch = float(np.radians(rng.uniform(0, 55)))
    view = View(
        width, height, float(rng.uniform(0.4, 0.95)) * height / 2 / reach * 16, pitch, float(rng.normal(0, 0.4)), 40.0
    )
    room = rooms / f"{ROOMS[int(rng.integers(len(ROOMS)))]}.exr"
    light = rendered(made, view, room, float(rng.uniform(0, 360)), [], SAMPLES, int(rng.integers(1 << 30)))
    return developed(rng, light), labels_of(made, view), bool(pitch < np.radians(35))


@click.command()
@click.option("--rooms", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of .exr rooms.")
@click.option("--count", default=300)
@click.option("--first-seed", default=0)
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(rooms: Path, count: int, first_seed: int, out: Path) -> None:
    """Fills a bank of path-traced scenes, in the form of the labelled photographs."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    with (out / "labels.jsonl").open("a", encoding="utf-8") as file:
        for seed in range(first_seed, first_seed + count):
            picture, labels, can_roll = scene(np.random.default_rng((seed, 8)), rooms)
            name = f"images/{seed:06d}.jpg"
            cv2.imwrite(str(out / name), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
            dice = [{"box": d.box, "value": d.value, "seen": d.seen, "pose": d.pose} for d in labels]
            file.write(json.dumps({"image": name, "source": "rooms", "dice": dice, "can_roll": can_roll}) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
