"""One die as a solid: a rounded cube of half side 1 with pips, traced and shaded per pixel.

Frames: in the room x is right, y away from the camera's foot, z up, and the table is z = 0. In a die's frame its faces
are at +-1. Lengths are half sides of a die. Colours are BGR, 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import Floats32
from vision.photo.dice.pose import from_ahead

TRACE_STEPS = 14
PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}
"""Places of a face's pips, in units of the spacing."""


@dataclass(slots=True)
class DieMaterial:
    """The material of a die. Colours BGR 0 to 1; lengths in half sides."""

    body: Floats32
    pip: Floats32
    rounding: float = 0.2
    ball: float = 9.0
    """Radius of the sphere that cuts the corners off; 9: uncut."""
    pip_radius: float = 0.2
    spacing: float = 0.5
    spread: tuple[float, ...] = (1.0,) * 6
    """Per value 1 to 6: factor for the distance of its pips from the middle."""
    six_rows: float = 1.0
    """Distance of the two rows of a six relative to their length: makers differ from 0.5 to 1."""
    bulge: float = 0.0
    """Bulge of the faces, which distorts their reflections."""
    bulge_power: float = 0.0
    """0: spherical bulge; larger: faces flat in the middle, with worn edges."""
    polish: float = 0.06
    """Reflectance of a face for a lamp seen at a right angle."""
    depth: float = 0.5
    """Strength of shading on the walls of a pip."""
    gloss: float = 0.5
    sharpness: float = 60.0
    marble: Floats32 | None = None
    marble_scale: float = 2.0
    marble_edge: float = 1.0
    """Sharpness of the border between the two colours of a marbled body."""
    clear: float = 0.0
    """Visible share of the background through the body."""
    big_one: float = 1.0
    red_ones: Floats32 | None = None
    square_pips: bool = False
    ring: bool = False
    logo: bool = False
    circled_one: float = 0.0
    """Radius of a thin circle around the single pip; 0: none."""


@dataclass(slots=True)
class Die:
    """A die in the room: `turn` rotates its own frame to the room's, `at` is its centre."""

    values: tuple[int, int, int, int, int, int]
    """Values of the faces +x, -x, +y, -y, +z, -z in its own frame."""
    swaps: tuple[bool, bool, bool]
    """Per axis: whether 2, 3 and 6 have the other orientation."""
    turn: Floats32
    at: Floats32
    material: DieMaterial
    seed: int = 0
    is_leaning: bool = False
    shadow: float = field(default=0.6)

    def top(self) -> tuple[int, int, int]:
        """(axis, sign, value) of the face that looks up most."""
        up = self.turn[2]
        axis = int(np.argmax(np.abs(up)))
        sign = 1 if up[axis] > 0 else -1
        return axis, sign, self.values[2 * axis + (sign < 0)]


def pose_of(die: Die, half: float, eye: Floats32, axes: Floats32, focal_px: float) -> tuple[float, float, float, float]:
    """The pose of a die of this half side relative to a pinhole camera (its position; its axes as rows).

    Returns the unit normal of its upper face to the right and down, relative to the ray to the face. Also the face's
    side in pixels, and its angle in radians, after the smallest rotation that makes it face the camera.
    """
    axis, sign, _ = die.top()
    middle = axes @ (np.array([*die.at[:2], die.at[2] * half]) - eye)
    from_camera = from_ahead(middle / np.linalg.norm(middle)).T
    up = axes @ die.turn[:, axis] * sign
    normal, edge = from_camera @ up, from_camera @ axes @ die.turn[:, (axis + 1) % 3]
    right, down, _ = from_ahead(-normal).T @ edge
    side_px = 2 * half * focal_px / float((middle + half * up)[2])
    return float(normal[0]), float(normal[1]), side_px, float(np.arctan2(down, right))


@dataclass(slots=True)
class DieLight:
    """The light of a scene: a distant key light, soft boxes on a ceiling, and ambient light."""

    toward: Floats32
    key: Floats32
    ambient: Floats32
    boxes: tuple[tuple[float, float, float, float, float], ...]
    """(x, y, half width, half height, strength) on a plane 20 above the table."""
    softness: float = 8.0
    room: float = 0.0
    """Brightness of the mirrored ceiling, relative to the ambient light."""


@dataclass(slots=True)
class Pinhole:
    """A pinhole camera: room point = eye + t * axes.T @ ((u, v) - centre, f)."""

    eye: Floats32
    axes: Floats32
    focal_px: float
    centre_px: tuple[float, float]

    def project(self, points: Floats32) -> Floats32:
        """Pixels of room points, (N, 3) to (N, 2)."""
        local = (points - self.eye) @ self.axes.T
        return (local[:, :2] / local[:, 2:3] * self.focal_px + np.asarray(self.centre_px)).astype(np.float32)

    def rays(self, x0: float, y0: float, x1: float, y1: float, step: float) -> tuple[Floats32, tuple[int, int]]:
        """Unit directions (3, N) at the pixel centres of a rectangle, and the grid's (rows, columns)."""
        xs = np.arange(x0 + step / 2 - 0.5, x1 - 0.5, step, dtype=np.float32) - self.centre_px[0]
        ys = np.arange(y0 + step / 2 - 0.5, y1 - 0.5, step, dtype=np.float32) - self.centre_px[1]
        gx, gy = np.meshgrid(xs, ys)
        local = np.stack([gx.ravel(), gy.ravel(), np.full(gx.size, self.focal_px, np.float32)])
        ray = self.axes.T @ local
        return (ray / np.linalg.norm(ray, axis=0)).astype(np.float32), gx.shape


def distance(p: Floats32, m: DieMaterial) -> Floats32:
    """Signed distance from points (3, N) of the die's frame to its surface."""
    q = np.abs(p) - (1 - m.rounding)
    outside = np.sqrt((np.maximum(q, 0) ** 2).sum(0))
    box = outside + np.minimum(q.max(0), 0) - m.rounding
    return box if m.ball > 1.74 else np.maximum(box, np.sqrt((p * p).sum(0)) - m.ball)


def trace(origin: Floats32, rays: Floats32, m: DieMaterial) -> tuple[NDArray[np.intp], Floats32]:
    """The indices of the rays that hit, and the hit points (3, M) in the die's frame."""
    inverse = 1 / np.where(np.abs(rays) < 1e-6, 1e-6, rays)
    a, b = (-1 - origin[:, None]) * inverse, (1 - origin[:, None]) * inverse
    near, far = np.minimum(a, b).max(0), np.maximum(a, b).min(0)
    alive = np.flatnonzero(near < far)
    r, t = rays[:, alive], near[alive]
    last = far[alive]
    d = np.zeros_like(t)
    for _ in range(TRACE_STEPS):
        d = distance(origin[:, None] + r * t, m)
        t = t + d
    hit = (np.abs(d) < 0.02) & (t < last + 0.02)
    return alive[hit], (origin[:, None] + r * t)[:, hit]


def _normal(p: Floats32, m: DieMaterial) -> Floats32:
    q = np.maximum(np.abs(p) - (1 - m.rounding), 0)
    n = np.sign(p) * q
    if m.ball <= 1.74:
        length = np.sqrt((p * p).sum(0))
        on_ball = length - m.ball > np.sqrt((q * q).sum(0)) - m.rounding - 0.004
        n = np.where(on_ball, p, n)
    axis = np.abs(p).argmax(0)
    flat = np.zeros_like(p)
    flat[axis, np.arange(p.shape[1])] = np.sign(p[axis, np.arange(p.shape[1])])
    n = np.where((n * n).sum(0) < 1e-8, flat, n)
    return n / np.sqrt((n * n).sum(0))


def pips_at(p: Floats32, die: Die) -> tuple[Floats32, Floats32, NDArray[np.int64]]:
    """At surface points: the share of pip (0 to 1), the tilt (3, N) of the pip's wall, and the face's value."""
    m = die.material
    n = p.shape[1]
    index = np.arange(n)
    axis = np.abs(p).argmax(0)
    sign = p[axis, index] < 0
    values = np.asarray(die.values)[2 * axis + sign]
    u, v = p[(axis + 1) % 3, index], p[(axis + 2) % 3, index]
    swap = np.asarray(die.swaps)[axis]
    u, v = np.where(swap, v, u), np.where(swap, -u, v)
    amount, du, dv = np.zeros(n, np.float32), np.zeros(n, np.float32), np.zeros(n, np.float32)
    for value in np.unique(values):
        on = np.flatnonzero(values == value)
        radius = m.pip_radius * (m.big_one if value == 1 else 1)
        along = m.spacing * m.spread[int(value) - 1]
        across = along * m.six_rows if value == 6 else along
        for cu, cv_ in PIPS[int(value)]:
            x, y = u[on] - cu * across, v[on] - cv_ * along
            far = np.maximum(np.abs(x), np.abs(y)) if m.square_pips else np.sqrt(x * x + y * y)
            if m.logo and value == 1:
                angle = np.arctan2(y, x)
                far = far * (1 + 0.35 * np.sin(angle * (2 + die.seed % 5)) * np.sin(far * 9))
            inside = np.clip((radius - far) / 0.03 + 0.5, 0, 1)
            if m.ring:
                inside = inside * np.clip((far - radius * 0.45) / 0.03 + 0.5, 0, 1)
            if value == 1 and m.circled_one > 0:
                inside = np.maximum(inside, np.clip(1.5 - np.abs(far - m.circled_one) / 0.04, 0, 1))
            amount[on] = np.maximum(amount[on], inside)
            du[on] += np.where(far < radius, x / radius, 0)
            dv[on] += np.where(far < radius, y / radius, 0)
    du, dv = np.where(swap, -dv, du), np.where(swap, du, dv)
    tilt = np.zeros_like(p)
    tilt[(axis + 1) % 3, index] = du
    tilt[(axis + 2) % 3, index] = dv
    return amount, tilt, values


def _body_colour(p: Floats32, die: Die) -> Floats32:
    m = die.material
    if m.marble is None:
        return np.repeat(m.body[:, None], p.shape[1], 1)
    rng = np.random.default_rng(die.seed)
    turn = rng.normal(size=(4, 3)).astype(np.float32) * m.marble_scale
    phase = rng.uniform(0, 6.3, 4).astype(np.float32)
    warp = np.sin(turn[:2] @ p + phase[:2, None])
    wave = np.sin(turn[2] @ p + phase[2] + 2 * warp[0]) + 0.6 * np.sin(2.3 * (turn[3] @ p) + phase[3] + 2 * warp[1])
    share = np.clip(0.5 + 0.5 * wave * m.marble_edge, 0, 1)
    return m.body[:, None] * (1 - share) + m.marble[:, None] * share


def shade(die: Die, p: Floats32, ray: Floats32, light: DieLight, behind: Floats32) -> Floats32:
    """Colours (3, M) of surface points `p` (die's frame) along `ray` (room's frame); `behind`: the background's
    colours."""
    m = die.material
    n = _normal(p, m)
    amount, tilt, values = pips_at(p, die)
    n = n + tilt * m.depth + m.bulge * p * np.abs(p) ** m.bulge_power
    n = n / np.sqrt((n * n).sum(0))
    body = _body_colour(p, die)
    pip = np.repeat(m.pip[:, None], p.shape[1], 1)
    if m.red_ones is not None:
        pip = np.where((values == 1) | (values == 4), m.red_ones[:, None], pip)
    if m.clear > 0:
        inside = die.turn.T @ ray
        inverse = 1 / np.where(np.abs(inside) < 1e-6, 1e-6, inside)
        leave = np.maximum((-1 - p) * inverse, (1 - p) * inverse).min(0)
        far_pips = pips_at(p + inside * np.maximum(leave, 0.01), die)[0]
        seen = behind * (0.45 + 0.55 * body) * (1 - 0.55 * far_pips) + 0.15 * body
        body = body * (1 - m.clear) + seen * m.clear
    albedo = body * (1 - amount) + pip * amount
    room = die.turn @ n
    lambert = np.maximum(light.toward @ room, 0)
    sky = 0.6 + 0.4 * room[2]
    colour = albedo * (light.ambient[:, None] * sky + light.key[:, None] * lambert)
    mirror = ray - 2 * (ray * room).sum(0) * room
    glint = np.maximum(light.toward @ mirror, 0) ** m.sharpness
    colour = colour + m.gloss * light.key[:, None] * glint
    height = 20.0
    rise = np.maximum(mirror[2], 0.05)
    x, y = die.at[0] + mirror[0] / rise * height, die.at[1] + mirror[1] / rise * height
    facing = np.clip(1 + (ray * room).sum(0), 0, 1)
    fresnel = m.gloss * (m.polish + (1 - m.polish) * facing**5)
    colour = colour + light.room * light.ambient[:, None] * fresnel * np.clip(0.3 + mirror[2], 0, 1)
    for bx, by, half_w, half_h, strength in light.boxes:
        soft = np.clip((half_w - np.abs(x - bx)) / 2 + 0.5, 0, 1) * np.clip((half_h - np.abs(y - by)) / 2 + 0.5, 0, 1)
        colour = colour + strength * soft * fresnel * (mirror[2] > 0)
    return colour.astype(np.float32)


def shadow_on_table(die: Die, points: Floats32, light: DieLight) -> Floats32:
    """The share of light that reaches table points (3, N): a soft shadow, and the dark under the edge."""
    origin = die.turn.T @ (points - die.at[:, None])
    toward = die.turn.T @ light.toward
    t = np.full(points.shape[1], 0.05, np.float32)
    lit = np.ones(points.shape[1], np.float32)
    for _ in range(10):
        d = distance(origin + toward[:, None] * t, die.material)
        lit = np.minimum(lit, np.clip(light.softness * d / t, 0, 1))
        t = t + np.clip(d, 0.08, 0.6)
    near = distance(origin, die.material)
    occlusion = 1 - 0.45 * np.exp(-np.maximum(near, 0) * 3)
    key = float(light.key.mean()) * max(float(light.toward[2]), 0.1)
    share = key / (key + float(light.ambient.mean()))
    return ((1 - die.shadow * share * 1.3 * (1 - lit)).clip(0.05, 1) * occlusion).astype(np.float32)


def rotation(axis: int, angle_rad: float) -> Floats32:
    """A rotation about a coordinate axis."""
    vector = np.zeros(3)
    vector[axis] = angle_rad
    return cv2.Rodrigues(vector)[0].astype(np.float32)
