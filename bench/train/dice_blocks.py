"""Scenes of dice and of other things (blocks, keys, dominoes, coins, boards, hands) for `bench.train.dice_rays`.

Each comes with the boxes and values of its dice. Lengths are half sides of a die; the table is z = 0.
"""

from __future__ import annotations

from colorsys import hsv_to_rgb
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.train.dice_prints import Prints
from bench.train.dice_rays import BOX, CYLINDER, DIE, MOST, ON_ALL, ON_TOP, PLAIN, SCENE, SIDE_PX, THING
from bench.train.dice_scenes import die_of, material_of, white_of
from bench.train.dice_solid import Material, rotation
from bench.train.dice_tables import any_colour

Floats = NDArray[np.floating[Any]]

UNCUT = 99.0
"""Radius of a sphere that cuts no corners off."""
KINDS = {"touching": 0.34, "apart": 0.20, "large": 0.06, "rows": 0.22, "things": 0.18}
"""Shares of scenes with dice that touch, dice apart, one die close by, blocks side by side, and things of all kinds."""
WHITE, GEM, MIXED = 0.45, 0.1, 0.2
"""Shares of white dice, of strongly coloured clear ones, and of groups that are not all alike."""
ALIGNED, HANDS, WITH_DICE, BESIDE = 0.35, 0.16, 0.45, 0.35
"""Shares of touching dice that lie in exact rows, of scenes with a hand, of rows and things that have dice among them,
and of things that touch another."""
SMALLEST_PX, LARGEST_PX, CLOSE_PX = 13, 125, (90, 160)
"""Sides of dice in the picture, and of the one close by."""
UPRIGHT = 0.95
"""A die leans if the cosine between its upper face's normal and the vertical is below this: nobody can read it."""
SAME, SAME_SIZE, NEAR, NEAR_SIZE = 0.3, (0.68, 1.45), 0.5, (0.5, 1.9)
"""A place belongs to a die within the first distance of its middle, in sides, and within the first range of sizes.
Within the third and fourth values it counts neither as a die nor as background."""
SKINS = np.array([(241, 205, 180), (224, 172, 135), (198, 134, 96), (141, 85, 54), (92, 56, 36), (54, 33, 24)]) / 255
"""Skin, red, green, blue, from the lightest to the darkest."""


class Foot(NamedTuple):
    """The rectangle of the table that a thing takes: its middle, half sides, and how far it is turned, radians."""

    x: float
    y: float
    long: float
    deep: float
    yaw: float

    def corners(self) -> Floats:
        """(4, 2)."""
        along, aside = _axes(self.yaw) * ((self.long,), (self.deep,))
        middle = np.array((self.x, self.y))
        return middle + np.stack([along + aside, along - aside, -along - aside, aside - along])

    def meets(self, other: Foot) -> bool:
        """Whether they overlap; to touch is not to."""
        a, b = self.corners(), other.corners()
        for axis in (*_axes(self.yaw), *_axes(other.yaw)):
            p, q = a @ axis, b @ axis
            if p.max() <= q.min() + 1e-6 or q.max() <= p.min() + 1e-6:
                return False
        return True

    def beside(self, rng: np.random.Generator, long: float, deep: float, gap: float, shift: float) -> Foot:
        """A footprint along any of its sides, `shift` from its middle in shares of that side."""
        side = int(rng.integers(4))
        mine, across = (self.long, self.deep) if side % 2 == 0 else (self.deep, self.long)
        yaw = self.yaw + side * np.pi / 2
        along, aside = _axes(yaw)
        x, y = (self.x, self.y) + along * (mine + gap + long) + aside * shift * across
        return Foot(x, y, long, deep, yaw)


def _axes(yaw: float) -> Floats:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, s], [-s, c]])


@dataclass(slots=True)
class Made:
    """A scene before it is seen: its things, which of them are dice, the room that they take."""

    things: list[Any] = field(default_factory=list)
    dice: list[int] = field(default_factory=list)
    feet: list[Foot] = field(default_factory=list)

    def is_free(self, foot: Foot) -> bool:
        """Whether a thing may stand there."""
        return len(self.things) < MOST and not any(foot.meets(other) for other in self.feet)

    def near(self, rng: np.random.Generator, long: float, deep: float, reach: float) -> Foot:
        """A place for a thing, free or not: now and then it touches another."""
        if self.feet and rng.random() < BESIDE:
            foot = self.feet[int(rng.integers(len(self.feet)))]
            return foot.beside(rng, long, deep, _gap(rng), float(rng.choice([0, rng.uniform(-0.9, 0.9)])))
        return Foot(*rng.uniform(-reach, reach, 2).tolist(), long, deep, float(rng.uniform(0, 2 * np.pi)))


def _gap(rng: np.random.Generator) -> float:
    return float(rng.choice([0.001, rng.uniform(0.004, 0.12)]))


def _linear(bgr: Floats) -> Floats:
    return np.clip(np.asarray(bgr, float)[::-1], 0, 1) ** 2.2


def _thing(at: Floats, turn: Floats, half: Floats, **more: Any) -> Any:
    thing = np.zeros((), THING)
    thing["at"], thing["half"], thing["ball"] = at, half, UNCUT
    thing["right"], thing["ahead"], thing["up"] = turn.T
    for name, value in more.items():
        thing[name] = value
    return thing


def _gem_of(rng: np.random.Generator) -> Material:
    """Strongly coloured and clear, its pips white or gold; some have glitter or threads in them."""
    m = material_of(rng)
    m.body = np.array(hsv_to_rgb(rng.random(), rng.uniform(0.6, 1), rng.uniform(0.5, 1)), np.float32)
    gold, white = np.array([0.2, 0.62, 0.85], np.float32), np.full(3, 0.95, np.float32)
    m.pip = gold if rng.random() < 0.35 else white
    m.red_ones, m.marble, m.clear = None, None, 1.0
    if rng.random() < 0.3:
        m.marble = np.asarray((gold, white, any_colour(rng, 0.4))[rng.integers(3)])
        m.marble_scale, m.marble_edge = float(rng.uniform(1, 10)), 4.0
    return m


class Make(NamedTuple):
    """The common features of dice of one make: their material, and other fields of THING."""

    material: Material
    look: dict[str, Any]


def _make(rng: np.random.Generator) -> Make:
    m = (white_of, _gem_of, material_of)[rng.choice(3, p=[WHITE, GEM, 1 - WHITE - GEM])](rng)
    look = {
        "drill": rng.choice([0.0, rng.uniform(0.2, 1.2)]), "roughness": rng.uniform(0.08, 0.5),
        "specular": rng.uniform(0.2, 0.6),
    }  # fmt: skip
    return Make(m, look | _clear(rng, m) if m.clear > 0 else look)


def _clear(rng: np.random.Generator, m: Material) -> dict[str, Any]:
    """Optics of a clear body: it colours light, more so the deeper it is; some are milky."""
    depth = np.exp(rng.uniform(np.log(0.25), np.log(1.2)))
    return {
        "clear": rng.choice([1.0, min(1.0, m.clear + 0.15)]), "bends": rng.uniform(1.42, 1.58),
        "absorb": -np.log(np.clip(_linear(m.body), 0.02, 0.98)) * depth / 2,
        "milk": rng.choice([0.0, np.exp(rng.uniform(np.log(0.15), np.log(3)))], p=[0.6, 0.4]),
    }  # fmt: skip


def _straight(turn: Floats, yaw: float) -> Floats:
    """Turned about the table's normal so that its sides lie along `yaw` exactly."""
    level = turn[:, int(np.argmin(np.abs(turn[2])))]
    off = (np.arctan2(level[1], level[0]) - yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4
    return rotation(2, -off) @ turn


def _add_die(rng: np.random.Generator, made: Made, make: Make, foot: Foot, how: str = "") -> None:
    """Adds a die. `how`: "beside" another, in an "exact" row, or any way."""
    m = make.material
    die = die_of(rng, m, (foot.x, foot.y), foot.yaw if how else None)
    turn = _straight(die.turn, foot.yaw) if how == "exact" else die.turn
    thing = _thing(
        die.at, turn, np.ones(3), rounding=m.rounding, ball=m.ball, shape=BOX, skin=DIE, body=_linear(m.body),
        pip=_linear(m.pip), pip_radius=m.pip_radius, spacing=m.spacing, spread=m.spread, six_rows=m.six_rows,
        big_one=m.big_one, is_square=m.square_pips, is_ring=m.ring, values=die.values, swaps=die.swaps,
        **make.look,
    )  # fmt: skip
    if m.marble is not None:
        thing["other"], thing["marble_edge"] = _linear(m.marble), m.marble_edge
        thing["wave"], thing["phase"] = rng.normal(size=12) * m.marble_scale, rng.uniform(0, 2 * np.pi, 4)
    if m.red_ones is not None:
        thing["has_red"], thing["red"] = 1, _linear(m.red_ones)
    made.dice.append(len(made.things))
    made.things.append(thing)
    made.feet.append(foot)


def _add_group(rng: np.random.Generator, made: Made, count: int, how: str) -> None:
    """Dice apart, or `how` they touch: see `_add_die`."""
    yaw = float(rng.uniform(0, 2 * np.pi))
    feet = _rows_of(rng, count, yaw) if how == "exact" else [Foot(0, 0, 1, 1, yaw)]
    for _ in range(200):
        near = feet[int(rng.integers(len(feet)))]
        if how:
            new = near.beside(rng, 1, 1, _gap(rng), float(rng.choice([0, rng.uniform(-0.9, 0.9)])))
        else:
            new = Foot(*(near[:2] + rng.normal(0, 3.75, 2)).tolist(), 1.25, 1.25, float(rng.uniform(0, 2 * np.pi)))
        if len(feet) < count and not any(new.meets(other) for other in feet):
            feet.append(new)
    one, is_mixed = _make(rng), rng.random() < MIXED
    for foot in feet:
        _add_die(rng, made, _make(rng) if is_mixed else one, foot, how)


def _rows_of(rng: np.random.Generator, count: int, yaw: float) -> list[Foot]:
    """One row, or two, of dice that touch exactly."""
    rows = 2 if count > 3 and rng.random() < 0.5 else 1
    spots = 2.001 * np.array(list(np.ndindex(count // rows, rows))) @ _axes(yaw)
    return [Foot(x, y, 1, 1, yaw) for x, y in spots.tolist()]


class Block(NamedTuple):
    """A kind of thing: half sides, possible prints, and how often it occurs."""

    half: Any
    prints: tuple[str, ...]
    share: float


def _square(low: float, high: float, tall: tuple[float, float]) -> Any:
    def half(rng: np.random.Generator) -> Floats:
        side = rng.uniform(low, high)
        return np.array([side, side, rng.uniform(*tall)])

    return half


def _domino(rng: np.random.Generator) -> Floats:
    return rng.uniform(0.8, 1.6) * np.array([2, 1, rng.uniform(0.25, 0.8)])


PRINTED = ("letters", "lamps", "smiley", "discs")
"""Bold prints that may be on anything."""
BLOCKS = {
    "block": Block(lambda rng: rng.uniform(0.5, 2, 3), ("dots", "key", "text", "icons", "frame", *PRINTED), 0.16),
    "cube": Block(
        lambda rng: np.full(3, rng.uniform(0.7, 1.5)), ("key", "frame", "screw", "blank", "board", *PRINTED), 0.12
    ),
    "coin": Block(_square(0.7, 1.8, (0.08, 0.3)), ("coin", "button", "rings", "screw", "dots", "smiley"), 0.16),
    "slab": Block(
        lambda rng: rng.uniform((3, 3, 0.04), (7, 9, 1.5)),
        ("card", "icons", "board", "text", "frame", "dots", *PRINTED, "letters"), 0.14,
    ),
    "rod": Block(lambda rng: np.array([*[rng.uniform(0.4, 1.3)] * 2, rng.uniform(2, 6)]), ("blank", "text"), 0.06),
    "drum": Block(_square(1.5, 4, (0.8, 4)), ("rings", "blank", "text", "smiley"), 0.06),
    "domino": Block(_domino, ("domino",), 0.14),
    "key": Block(lambda rng: rng.uniform((0.6, 0.6, 0.2), (1.6, 1.3, 0.6)), ("key", "cap"), 0.12),
    "ball": Block(lambda rng: np.full(3, rng.uniform(0.4, 1.4)), ("blank", "rings"), 0.04),
}  # fmt: skip
ROUND = ("coin", "drum", "rod")
ROWS = {"domino": 0.28, "key": 0.22, "cap": 0.28, "cube": 0.10, "dots": 0.08, "blank": 0.04}
"""Kinds of things in rows, and how often; caps are those of keyboards."""


def _add_block(
    rng: np.random.Generator, made: Made, prints: Prints, kind: str, which: int, foot: Foot, half: Floats,
    rounding: float | None = None, lift: float = 0.0,
) -> None:  # fmt: skip
    """A block of a kind with one of the prints, `lift` above the table."""
    turn, height = rotation(2, foot.yaw), half[2]
    if kind == "rod":
        turn, height = turn @ rotation(1, np.pi / 2), half[0]
    skin = PLAIN if kind == "rod" else ON_ALL if kind == "cube" and rng.random() < 0.7 else ON_TOP
    thing = _thing(
        np.array([foot.x, foot.y, height + lift]), turn, half, shape=CYLINDER if kind in ROUND else BOX, skin=skin,
        print=which, body=_linear(prints.bodies[which]), roughness=rng.uniform(0.06, 0.6),
        specular=rng.uniform(0.2, 0.6),
        rounding=min(0.9 * min(half), rng.uniform(0.02, 0.35)) if rounding is None else rounding,
    )  # fmt: skip
    if kind == "ball":
        thing["rounding"] = 0.97 * min(half)
    elif kind == "coin" and rng.random() < 0.5:
        thing["metal"], thing["roughness"], thing["body"] = 1, rng.uniform(0.2, 0.5), _linear(any_colour(rng, 0.4, 0.9))
    made.things.append(thing)
    made.feet.append(foot)


def _scatter(rng: np.random.Generator, made: Made, prints: Prints, count: int, reach: float) -> None:
    shares = np.array([block.share for block in BLOCKS.values()])
    for kind in rng.choice(list(BLOCKS), count, p=shares / shares.sum()):
        half = BLOCKS[kind].half(rng)
        foot = made.near(rng, half[2] if kind == "rod" else half[0], half[0] if kind == "rod" else half[1], reach)
        if made.is_free(foot):
            which = int(rng.choice(prints.of(*BLOCKS[kind].prints)))
            _add_block(rng, made, prints, str(kind), which, foot, half)


def _add_rows(rng: np.random.Generator, made: Made, prints: Prints) -> None:
    """Dominoes, tiles, toy blocks or keys of one colour, side by side or nearly."""
    kind = str(rng.choice(list(ROWS), p=list(ROWS.values())))
    is_board = kind == "cap"
    some = prints.of("key" if kind == "cube" else kind)
    colour = prints.bodies[int(rng.choice(some))]
    alike = some[np.abs(prints.bodies[some] - colour).sum(1) < 0.25]
    long = 2.0 if kind == "domino" else rng.choice([1.0, rng.uniform(0.85, 1.3)])
    tall = 1.0 if kind == "cube" else rng.choice([rng.uniform(0.2, 0.8), 1.0], p=[0.8, 0.2])
    half = rng.uniform(0.75, 1.5) * np.array([long, 1, rng.uniform(0.12, 0.4) if is_board else tall])
    gap = rng.uniform(1.03, 1.25) if is_board else rng.choice([1.005, rng.uniform(1.01, 1.1), rng.uniform(1.1, 1.6)])
    yaw, rounding = float(rng.uniform(0, 2 * np.pi)), rng.uniform(0.02, 0.3) * min(half)
    aside = rng.uniform(0.1, 0.5) if is_board else rng.choice([0, rng.uniform(0, 0.5)])
    columns, rows = (rng.integers((4, 3), (8, 6)) if is_board else rng.integers(1, 5, 2)).tolist()
    lift = rng.uniform(0.1, 0.5) if is_board and rng.random() < 0.6 else 0.0
    if lift:
        plate = Foot(0, 0, columns * half[0] * gap + 0.4 * half[0], rows * half[1] * gap, yaw)
        whole = np.array([plate.long, plate.deep, lift / 2])
        _add_block(rng, made, prints, "slab", int(rng.choice(prints.of("blank"))), plate, whole, 0.3 * lift)
    for row, column in np.ndindex(rows, columns):
        if len(made.things) < MOST - 3:
            u = (column - (columns - 1) / 2 + aside * (row % 2 - 0.5)) * 2 * half[0] * gap
            v = (row - (rows - 1) / 2) * 2 * half[1] * gap
            x, y = (np.array([u, v]) @ _axes(yaw)).tolist()
            turned = np.pi / 2 * rng.integers(4) if kind == "cube" else 0 if is_board else np.pi * rng.integers(2)
            foot = Foot(x, y, half[0], half[1], yaw + (0 if is_board else rng.normal(0, 0.02)) + turned)
            _add_block(rng, made, prints, kind, int(rng.choice(alike)), foot, half, rounding, lift)


def _capsule(a: Floats, b: Floats, radius: float, **more: Any) -> Any:
    """A cylinder from a to b with round ends about them."""
    up = (b - a) / np.linalg.norm(b - a)
    right = np.cross(up, (0, 0, 1) if abs(up[2]) < 0.9 else (1, 0, 0))
    right /= np.linalg.norm(right)
    half = np.array([radius, radius, np.linalg.norm(b - a) / 2 + radius])
    turn = np.stack([right, np.cross(up, right), up], 1)
    return _thing((a + b) / 2, turn, half, shape=CYLINDER, rounding=0.999 * radius, **more)


def _finger(rng: np.random.Generator, tip: Floats, ahead: Floats, radius: float) -> Floats:
    """Its joints from the tip on, (3 or 4, 3); it points `ahead`."""
    joints, long, rise = [tip], 2.4 * radius, rng.uniform(0.1, 1.0)
    for _ in range(int(rng.integers(2, 4))):
        step = long * (np.array([0, 0, np.sin(rise)]) - ahead * np.cos(rise))
        joints.append(np.maximum(joints[-1] + step, (-np.inf, -np.inf, radius)))
        long, rise = long * rng.uniform(1.1, 1.4), rise - rng.uniform(0.1, 0.7)
    return np.array(joints)


def _nail(joints: Floats, radius: float, **more: Any) -> Any:
    along = (joints[0] - joints[1]) / np.linalg.norm(joints[0] - joints[1])
    aside = np.cross((0, 0, 1), along)
    aside /= np.linalg.norm(aside)
    turn = np.stack([along, aside, np.cross(along, aside)], 1)
    half = radius * np.array([0.5, 0.5, 0.1])
    at = joints[0] + radius * (0.15 * along + 0.9 * turn[:, 2])
    return _thing(at, turn, half, shape=CYLINDER, rounding=0.9 * half[2], **more)


def _add_hand(rng: np.random.Generator, made: Made) -> None:
    """Fingers side by side; they may touch a die or hold it."""
    ahead, aside = np.pad(_axes(float(rng.uniform(0, 2 * np.pi))), ((0, 0), (0, 1)))
    radius, count = rng.uniform(0.7, 1.2), int(rng.integers(2, 6))
    touching = int(rng.integers(count))
    tip = np.array([*rng.uniform(-4, 4, 2), radius])
    tips = []
    if made.dice and rng.random() < 0.7:
        die = made.things[int(rng.choice(made.dice))]["at"].astype(float)
        away = radius + rng.uniform(1.02, 1.3)
        tip = die + away * np.array([0, 0, 1]) if rng.random() < 0.2 else die - ahead * away
        tip[2] = max(tip[2], radius)
        if rng.random() < 0.4:
            tips.append((die + ahead * away, -ahead))
    for k in range(count):
        back = 0.0 if k == touching else rng.uniform(0, 1.5)
        tips.append((tip + aside * (k - touching) * 2.02 * radius - ahead * back, ahead))
    shade = rng.uniform(0, len(SKINS) - 1)
    skin = np.array([np.interp(shade, range(len(SKINS)), channel) for channel in SKINS.T]) ** 2.2
    look = {"body": skin, "roughness": rng.uniform(0.35, 0.6), "specular": rng.uniform(0.2, 0.45)}
    nail = _linear(any_colour(rng)) if rng.random() < 0.25 else np.clip(skin * (1.25, 1.1, 1.1) + 0.03, 0, 1)
    has_nails = rng.random() < 0.6
    for end, way in tips:
        joints = _finger(rng, end, way, radius)
        parts = [_capsule(a, b, radius, **look) for a, b in pairwise(joints)]
        if has_nails:
            parts.append(_nail(joints, radius, body=nail, roughness=0.15, specular=0.5))
        is_through = any(_is_near(made.things[k]["at"], joints, radius + 1) for k in made.dice)
        if not is_through and len(made.things) + len(parts) <= MOST:
            made.things += parts


def _is_near(at: Floats, line: Floats, reach: float) -> bool:
    """Whether the line (n, 3) comes within `reach`."""
    points = np.concatenate([np.linspace(a, b, 8) for a, b in pairwise(line)])
    return bool(np.linalg.norm(points - at, axis=1).min() < reach)


@cache
def _cube() -> Floats:
    """Points all over a cube of half side 1, (n, 3)."""
    line = np.linspace(-1, 1, 25)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3)
    return grid[np.abs(grid).max(1) > 0.99]


def _outline(die: Any) -> Floats:
    """Points of its surface in the room, (n, 3)."""
    r = float(die["rounding"])
    inner = np.clip(_cube(), r - 1, 1 - r)
    points = inner + r * (_cube() - inner) / np.maximum(np.linalg.norm(_cube() - inner, axis=1, keepdims=True), 1e-9)
    points = points * np.minimum(1, float(die["ball"]) / np.linalg.norm(points, axis=1, keepdims=True))
    return die["at"] + points @ np.stack([die["right"], die["ahead"], die["up"]])


def value_of(die: Any) -> int:
    """The value of the upper face; 0 if the die leans."""
    up = np.array([die["right"][2], die["ahead"][2], die["up"][2]])
    axis = int(np.argmax(np.abs(up)))
    return int(die["values"][2 * axis + (up[axis] < 0)]) if abs(up[axis]) > UPRIGHT else 0


class View:
    """A camera, SIDE_PX pixels wide and high, that shows a place of the room at a place of the picture.

    `die_px`: size of a die there.
    """

    def __init__(self, rng: np.random.Generator, place: Floats, shown_at: Floats, die_px: float) -> None:
        self.focal_px = max(float(SIDE_PX / 2 / np.tan(np.radians(rng.uniform(20, 60)) / 2)), 2.2 * die_px)
        self.pitch_rad, roll = float(np.radians(rng.uniform(0, 55))), rng.normal(0, 0.4)
        s, c, a, b = np.sin(self.pitch_rad), np.cos(self.pitch_rad), np.cos(roll), np.sin(roll)
        right, down, forward = np.array([1.0, 0, 0]), np.array([0, -c, -s]), np.array([0, s, -c])
        self.axes = np.stack([a * right + b * down, -b * right + a * down, forward])
        ray = np.array([*(shown_at - SIDE_PX / 2), self.focal_px]) @ self.axes
        self.eye = place - ray * (2 / die_px)

    def seen(self, points: Floats) -> Floats:
        """Where points of the room, (n, 3), are in the picture, (n, 2)."""
        local = (points - self.eye) @ self.axes.T
        return local[:, :2] / np.maximum(local[:, 2:], 1e-3) * self.focal_px + SIDE_PX / 2

    def shows(self, made: Made) -> int:
        """The number of dice with their middle in the picture; -1: something blocks the camera itself."""
        for thing in made.things:
            inside = np.array([thing["right"], thing["ahead"], thing["up"]]) @ (self.eye - thing["at"])
            if (np.abs(inside) < thing["half"] + 1).all():
                return -1
        if self.eye[2] < 2.5:
            return -1
        at = self.seen(np.array([made.things[k]["at"] for k in made.dice]).reshape(-1, 3))
        return int(((at > 0) & (at < SIDE_PX)).all(1).sum())

    def labels(self, made: Made) -> NDArray[np.float32]:
        """The rows of dice in the picture or at its edge, (n, 7): see `scene`."""
        rows = []
        for k in made.dice:
            at = self.seen(_outline(made.things[k]))
            low, high = at.min(0), at.max(0)
            if (low < SIDE_PX).all() and (high > 0).all():
                rows.append((k, *(low + high) / 2, *high - low, value_of(made.things[k]), 0))
        return np.array(rows, np.float32).reshape(-1, 7)


def _viewed(rng: np.random.Generator, made: Made, die_px: float) -> View:
    """A view of one of the dice, if there are any. The view with the most dice is chosen from a few."""
    best, most = None, -1
    targets = made.dice or range(len(made.things))
    for k in range(40):
        if k >= 3 and best is not None:
            return best
        place = made.things[int(rng.choice(targets))]["at"].astype(float) if targets else np.array([0, 0, 0.6])
        view = View(rng, place, np.clip(rng.normal(0.5, 0.22, 2), 0.03, 0.97) * SIDE_PX, die_px)
        if (shown := view.shows(made)) > most:
            best, most = view, shown
    return best or View(rng, np.array([0, 0, 40.0]), np.full(2, SIDE_PX / 2), die_px)


def _lamps(rng: np.random.Generator) -> dict[str, Any]:
    around, rise = rng.uniform(0, 2 * np.pi, 2), np.radians(rng.uniform(20, 88, 2))
    toward = np.stack([np.cos(around) * np.cos(rise), np.sin(around) * np.cos(rise), np.sin(rise)], 1)
    radius_rad = rng.choice([0.012, 0.03, 0.06, 0.1, 0.2, 0.35], 2)
    strength = np.exp(rng.uniform(np.log(0.2), np.log(14), 2)) / (np.pi * radius_rad**2)
    tone = np.maximum(1 + rng.normal(0, 0.12, (2, 3)), 0.5) * np.array([1, 0.93, 0.83])
    count = rng.choice(3, p=[0.42, 0.40, 0.18])
    return {
        "lamps": count, "lamp_toward": toward.ravel(), "lamp_cos": np.cos(radius_rad),
        "lamp_light": (strength[:, None] * tone).ravel(),
    }  # fmt: skip


def _made(rng: np.random.Generator, prints: Prints, kind: str) -> Made:
    made = Made()
    if kind == "touching":
        how = "exact" if rng.random() < ALIGNED else "beside"
        _add_group(rng, made, int(rng.integers(2, 7 if how == "exact" else 9)), how)
    elif kind == "apart":
        _add_group(rng, made, int(rng.choice([1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12])), "")
    elif kind == "large":
        _add_group(rng, made, 1, "")
    elif kind == "rows":
        _add_rows(rng, made, prints)
    _scatter(rng, made, prints, int(rng.integers(2, 9) if kind == "things" else rng.choice([0, 0, 1, 2, 4])), 6.0)
    if kind in ("rows", "things") and rng.random() < WITH_DICE:
        make = _make(rng)
        for _ in range(int(rng.integers(1, 4))):
            foot = made.near(rng, 1, 1, 6.0)
            if made.is_free(foot):
                _add_die(rng, made, make, foot, "beside")
    if rng.random() < HANDS:
        _add_hand(rng, made)
    return made


def scene(
    rng: np.random.Generator, prints: Prints, grounds: int, rooms: int
) -> tuple[Any, Any, NDArray[np.float32], bool]:
    """A scene (SCENE), its things (THING, MOST of them), its dice, and whether the picture may be turned.

    A row of the dice, (n, 7): the number of the thing, then of the box about its outline, in pixels, middle x and y,
    width and height, which may reach out of the picture; the value that looks up, 0 where it leans; and 0, where a
    caller may put how much of it is seen.
    """
    kind = str(rng.choice(list(KINDS), p=list(KINDS.values())))
    made = _made(rng, prints, kind)
    die_px = np.exp(rng.uniform(np.log(SMALLEST_PX), np.log(LARGEST_PX)))
    view = _viewed(rng, made, float(rng.uniform(*CLOSE_PX)) if kind == "large" else float(die_px))
    found = np.zeros((), SCENE)
    told = {
        "eye": view.eye, "right": view.axes[0], "down": view.axes[1], "forward": view.axes[2],
        "focal_px": view.focal_px, "ground": rng.integers(grounds), "room": rng.integers(rooms),
        "ground_scale": np.exp(rng.uniform(np.log(8), np.log(40))), "ground_turn": rng.uniform(0, 2 * np.pi),
        "ground_x": rng.uniform(0, 2), "ground_y": rng.uniform(0, 2), "ground_roughness": rng.uniform(0.05, 0.8),
        "ground_specular": rng.uniform(0.1, 0.6), "room_turn": rng.random(),
        "room_gain": rng.choice([1, rng.uniform(0.1, 1), np.exp(rng.uniform(np.log(0.02), 0))], p=[0.5, 0.3, 0.2]),
        "things": len(made.things), **_lamps(rng),
    }  # fmt: skip
    for name, value in told.items():
        found[name] = value
    things = np.zeros(MOST, THING)
    things[: len(made.things)] = made.things
    return found, things, view.labels(made), bool(view.pitch_rad < np.radians(35))
