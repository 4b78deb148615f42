"""Scenes of dice, and of blocks, keys, dominoes, coins and boards that are none, for `bench.train.dice_rays`.

Each comes with places in its picture that a finder might take for a die, and whether one is there. Lengths are half
sides of a die; the table is z = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
"""A sphere so large cuts no corners off."""
KINDS = {"touching": 0.40, "apart": 0.12, "rows": 0.26, "things": 0.22}
"""Shares of scenes with dice that touch, dice apart, blocks side by side, and things of all kinds."""
WHITE, MIXED = 0.5, 0.2
"""Shares of white dice, and of groups that are not all alike."""
SAME, SAME_SIZE, NEAR, NEAR_SIZE = 0.3, (0.68, 1.45), 0.5, (0.5, 1.9)
"""A place whose middle is no farther from a die's, in its sides, and so large in them is that die's; one that is nearer
than the third of these, and about as large, is neither a die's nor none."""


class Spot(NamedTuple):
    """A place in the picture: its middle and side in pixels, and whether it is a die's."""

    x: float
    y: float
    side_px: float
    is_die: bool = False


@dataclass(slots=True)
class Made:
    """A scene before it is seen: its things, which are dice, which are none and of what kind, the room they take."""

    things: list[Any] = field(default_factory=list)
    dice: list[int] = field(default_factory=list)
    others: list[tuple[int, str]] = field(default_factory=list)
    taken: list[tuple[float, float, float]] = field(default_factory=list)

    def is_free(self, x: float, y: float, radius: float) -> bool:
        """Whether a thing of this size may stand there."""
        is_apart = all(np.hypot(x - a, y - b) > radius + r for a, b, r in self.taken)
        return is_apart and len(self.things) < MOST


def _linear(bgr: Floats) -> Floats:
    return np.clip(np.asarray(bgr, float)[::-1], 0, 1) ** 2.2


def _thing(at: Floats, turn: Floats, half: Floats, **more: Any) -> Any:
    thing = np.zeros((), THING)
    thing["at"], thing["half"], thing["ball"] = at, half, UNCUT
    thing["right"], thing["ahead"], thing["up"] = turn.T
    for name, value in more.items():
        thing[name] = value
    return thing


def _material(rng: np.random.Generator) -> Material:
    return (white_of if rng.random() < WHITE else material_of)(rng)


def _add_die(rng: np.random.Generator, made: Made, m: Material, at: tuple[float, float], yaw: float | None) -> None:
    die = die_of(rng, m, at, yaw)
    thing = _thing(
        die.at, die.turn, np.ones(3), rounding=m.rounding, ball=m.ball, shape=BOX, skin=DIE, body=_linear(m.body),
        pip=_linear(m.pip), pip_radius=m.pip_radius, spacing=m.spacing, spread=m.spread, six_rows=m.six_rows,
        big_one=m.big_one, is_square=m.square_pips, is_ring=m.ring, values=die.values, swaps=die.swaps,
        drill=rng.choice([0.0, rng.uniform(0.2, 1.2)]), roughness=rng.uniform(0.08, 0.5),
        specular=rng.uniform(0.2, 0.6),
    )  # fmt: skip
    if m.marble is not None:
        thing["other"], thing["marble_edge"] = _linear(m.marble), m.marble_edge
        thing["wave"], thing["phase"] = rng.normal(size=12) * m.marble_scale, rng.uniform(0, 2 * np.pi, 4)
    if m.red_ones is not None:
        thing["has_red"], thing["red"] = 1, _linear(m.red_ones)
    made.dice.append(len(made.things))
    made.things.append(thing)
    made.taken.append((*at, 1.5))


def _add_group(rng: np.random.Generator, made: Made, count: int, touching: bool) -> None:
    yaw = float(rng.uniform(0, 2 * np.pi)) if touching else None
    spots = [np.zeros(2)]
    for _ in range(200):
        near = spots[int(rng.integers(len(spots)))]
        if yaw is None:
            new = near + rng.normal(0, 3.75, 2)
        else:
            turn = yaw + rng.integers(4) * np.pi / 2
            along, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
            new = near + 2 * rng.uniform(1.002, 1.06) * along + rng.choice([0.0, rng.uniform(-0.9, 0.9)]) * aside
        if len(spots) < count and all(np.hypot(*(new - s)) > (2.0 if touching else 2.9) for s in spots):
            spots.append(new)
    middle, one, is_mixed = np.mean(spots, axis=0), _material(rng), rng.random() < MIXED
    for spot in spots:
        x, y = (spot - middle).tolist()
        _add_die(rng, made, _material(rng) if is_mixed else one, (x, y), yaw)


class Block(NamedTuple):
    """A kind of thing: half sides, what may be printed on it, and how often it lies about."""

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


BLOCKS = {
    "block": Block(lambda rng: rng.uniform(0.5, 2, 3), ("dots", "key", "text", "icons", "frame"), 0.16),
    "cube": Block(lambda rng: np.full(3, rng.uniform(0.7, 1.5)), ("key", "frame", "screw", "blank", "board"), 0.10),
    "coin": Block(_square(0.7, 1.8, (0.08, 0.3)), ("coin", "button", "rings", "screw", "dots"), 0.16),
    "slab": Block(
        lambda rng: rng.uniform((3, 3, 0.04), (7, 9, 1.5)), ("card", "icons", "board", "text", "frame", "dots"), 0.10
    ),
    "rod": Block(lambda rng: np.array([*[rng.uniform(0.4, 1.3)] * 2, rng.uniform(2, 6)]), ("blank", "text"), 0.10),
    "drum": Block(_square(1.5, 4, (0.8, 4)), ("rings", "blank", "text"), 0.06),
    "domino": Block(_domino, ("domino",), 0.14),
    "key": Block(lambda rng: rng.uniform((0.6, 0.6, 0.2), (1.6, 1.3, 0.6)), ("key",), 0.14),
    "ball": Block(lambda rng: np.full(3, rng.uniform(0.4, 1.4)), ("blank", "rings"), 0.04),
}
ROUND = ("coin", "drum", "rod")
ROWS = {"domino": 0.40, "key": 0.35, "cube": 0.10, "dots": 0.10, "blank": 0.05}
"""What lies side by side, and how often."""


def _add_block(
    rng: np.random.Generator, made: Made, prints: Prints, kind: str, which: int, at: tuple[float, float, float],
    half: Floats, rounding: float | None = None,
) -> None:  # fmt: skip
    """A block of a kind with one of the prints, its middle at (x, y) and turned by the third of `at`, radians."""
    turn, height = rotation(2, at[2]), half[2]
    if kind == "rod":
        turn, height = turn @ rotation(1, np.pi / 2), half[0]
    skin = PLAIN if kind == "rod" else ON_ALL if kind == "cube" and rng.random() < 0.7 else ON_TOP
    thing = _thing(
        np.array([at[0], at[1], height]), turn, half, shape=CYLINDER if kind in ROUND else BOX, skin=skin, print=which,
        body=_linear(prints.bodies[which]), roughness=rng.uniform(0.06, 0.6), specular=rng.uniform(0.2, 0.6),
        rounding=min(0.9 * min(half), rng.uniform(0.02, 0.35)) if rounding is None else rounding,
    )  # fmt: skip
    if kind == "ball":
        thing["rounding"] = 0.97 * min(half)
    elif kind == "rod" and rng.random() < 0.5:  # a finger
        thing["rounding"], thing["body"] = 0.98 * half[0], _linear(np.array([0.38, 0.5, 0.75]) * rng.uniform(0.3, 1.1))
    elif kind == "coin" and rng.random() < 0.5:
        thing["metal"], thing["roughness"], thing["body"] = 1, rng.uniform(0.2, 0.5), _linear(any_colour(rng, 0.4, 0.9))
    made.others.append((len(made.things), kind))
    made.things.append(thing)


def _scatter(rng: np.random.Generator, made: Made, prints: Prints, count: int, reach: float) -> None:
    shares = np.array([block.share for block in BLOCKS.values()])
    for kind in rng.choice(list(BLOCKS), count, p=shares / shares.sum()):
        half = BLOCKS[kind].half(rng)
        x, y = rng.uniform(-reach, reach, 2)
        radius = float(half[2] + 0.5 if kind == "rod" else np.hypot(half[0], half[1]))
        if made.is_free(x, y, radius):
            which = int(rng.choice(prints.of(*BLOCKS[kind].prints)))
            _add_block(rng, made, prints, str(kind), which, (x, y, rng.uniform(0, 2 * np.pi)), half)
            made.taken.append((x, y, radius))


def _add_rows(rng: np.random.Generator, made: Made, prints: Prints) -> None:
    """Dominoes, tiles, toy blocks or keys of one colour, side by side or nearly."""
    kind = str(rng.choice(list(ROWS), p=list(ROWS.values())))
    some = prints.of("key" if kind == "cube" else kind)
    colour = prints.bodies[int(rng.choice(some))]
    alike = some[np.abs(prints.bodies[some] - colour).sum(1) < 0.25]
    long = 2.0 if kind == "domino" else rng.choice([1.0, rng.uniform(0.85, 1.3)])
    tall = 1.0 if kind == "cube" else rng.choice([rng.uniform(0.2, 0.8), 1.0], p=[0.8, 0.2])
    half = rng.uniform(0.75, 1.5) * np.array([long, 1, tall])
    gap = rng.choice([1.005, rng.uniform(1.01, 1.1), rng.uniform(1.1, 1.6)])
    yaw, rounding, aside = (
        rng.uniform(0, 2 * np.pi),
        rng.uniform(0.02, 0.3) * min(half),
        rng.choice([0, rng.uniform(0, 0.5)]),
    )
    columns, rows = rng.integers(1, 5, 2).tolist()
    for row, column in np.ndindex(rows, columns):
        if len(made.things) < MOST - 2:
            u = (column - (columns - 1) / 2 + aside * (row % 2)) * 2 * half[0] * gap
            v = (row - (rows - 1) / 2) * 2 * half[1] * gap
            x, y = u * np.cos(yaw) - v * np.sin(yaw), u * np.sin(yaw) + v * np.cos(yaw)
            turned = np.pi / 2 * rng.integers(4) if kind == "cube" else np.pi * rng.integers(2)
            at = (x, y, yaw + rng.normal(0, 0.02) + turned)
            _add_block(rng, made, prints, kind, int(rng.choice(alike)), at, half, rounding)
            made.taken.append((x, y, max(half[:2])))


def _outline(thing: Any) -> Floats:
    """Points of its surface, (n, 3), in its frame."""
    half, r = thing["half"].astype(float), float(thing["rounding"])
    if thing["shape"] == CYLINDER:
        turn = np.linspace(0, 2 * np.pi, 17)
        ring = np.stack([half[0] * np.cos(turn), half[0] * np.sin(turn), np.full(17, half[2])], 1)
        return np.concatenate([ring, ring * (1, 1, -1)])
    line = np.linspace(-1, 1, 7)
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3)
    points = grid[np.abs(grid).max(1) > 0.99] * half
    inner = np.clip(points, r - half, half - r)
    points = inner + r * (points - inner) / np.maximum(np.linalg.norm(points - inner, axis=1, keepdims=True), 1e-9)
    return points * np.minimum(1, float(thing["ball"]) / np.linalg.norm(points, axis=1, keepdims=True))


class View:
    """A camera that looks at a place of the table; SIDE_PX pixels broad and high."""

    def __init__(self, rng: np.random.Generator, look_at: Floats) -> None:
        self.focal_px = float(SIDE_PX / 2 / np.tan(np.radians(rng.uniform(20, 60)) / 2))
        self.pitch_rad, roll = float(np.radians(rng.uniform(0, 55))), rng.normal(0, 0.4)
        s, c, a, b = np.sin(self.pitch_rad), np.cos(self.pitch_rad), np.cos(roll), np.sin(roll)
        right, down, forward = np.array([1.0, 0, 0]), np.array([0, -c, -s]), np.array([0, s, -c])
        self.axes = np.stack([a * right + b * down, -b * right + a * down, forward])
        die_px = np.exp(rng.uniform(np.log(22), np.log(64)))
        self.eye = look_at - forward * (self.focal_px * 2 / die_px)

    def spot(self, thing: Any, points: Floats) -> Spot:
        """Where points (n, 3) of the thing's frame are seen: the middle of their box and its mean side."""
        room = thing["at"] + points @ np.stack([thing["right"], thing["ahead"], thing["up"]])
        local = (room - self.eye) @ self.axes.T
        seen = local[:, :2] / np.maximum(local[:, 2:], 1e-3) * self.focal_px + SIDE_PX / 2
        low, high = seen.min(0), seen.max(0)
        return Spot(*((low + high) / 2).tolist(), float(np.sqrt(max(np.prod(high - low), 1e-6))))


def _around_die(rng: np.random.Generator, die: Spot) -> list[Spot]:
    """The die, once or twice, and now and then a part of it, what is beside it, or it with those about it."""
    x, y, side_px, _ = die
    spots = [die] * int(rng.integers(1, 3))
    pick = rng.random()
    if pick < 0.12:
        u, v = rng.uniform(-0.35, 0.35, 2) * side_px
        spots.append(Spot(x + u, y + v, side_px * rng.uniform(0.15, 0.45)))
    elif pick < 0.20:
        u, v = rng.choice([-1, 1]) * rng.uniform(0.5, 0.7) * side_px, rng.uniform(-0.5, 0.5) * side_px
        spots.append(Spot(x + u, y + v, side_px * rng.uniform(0.7, 1.3)))
    elif pick < 0.25:
        spots.append(Spot(x, y, side_px * rng.uniform(2, 3)))
    return spots


def _on_block(rng: np.random.Generator, view: View, thing: Any, kind: str) -> list[Spot]:
    """What of a block may be taken for a die: its upper side, halves of a domino, marks of what is printed."""
    half = thing["half"].astype(float)

    def part(x: float, y: float, wide: float, deep: float, is_tall: bool) -> Spot:
        heights = (half[2], -half[2]) if is_tall and half[2] < 2 else (half[2],)
        corners = [(x + i * wide, y + j * deep, z) for z in heights for i in (-1, 1) for j in (-1, 1)]
        return view.spot(thing, np.array(corners))

    def mark(low: float, high: float, reach: float) -> Spot:
        x, y = rng.uniform(-reach, reach, 2) * half[:2]
        side = rng.uniform(low, high) * min(half[:2])
        return part(x, y, side, side, False)

    if kind == "domino":
        halves = [(part(x * half[0] / 2, 0, half[0] / 2, half[1], rng.random() < 0.5), 0.7) for x in (-1, 1)]
        whole = [(part(0, 0, half[0] / 2, half[1], False), 0.3), (part(0, 0, half[0], half[1], True), 0.2)]
        return [spot for spot, share in halves + whole if rng.random() < share]
    if kind in ("slab", "rod", "drum"):
        return [mark(0.12, 0.5, 0.8) for _ in range(int(rng.integers(1, 3)))]
    spots = [part(0, 0, half[0], half[1], rng.random() < 0.6)]
    return [*spots, mark(0.3, 0.7, 0.6)] if rng.random() < 0.25 else spots


def _told(rng: np.random.Generator, spot: Spot, dice: list[Spot]) -> Spot | None:
    """The place as a finder would give it, a little off, and whether it is a die's; None: neither, or not seen."""
    x, y = spot.x + rng.normal(0, 0.05) * spot.side_px, spot.y + rng.normal(0, 0.05) * spot.side_px
    side_px, is_near = spot.side_px * np.exp(rng.normal(0, 0.09)), False
    if not (0 < x < SIDE_PX and 0 < y < SIDE_PX and 8 < side_px < 150):
        return None
    for die in dice:
        away, size = np.hypot(die.x - x, die.y - y) / die.side_px, side_px / die.side_px
        if away < SAME and SAME_SIZE[0] < size < SAME_SIZE[1]:
            return Spot(x, y, side_px, True)
        is_near = is_near or (away < NEAR and NEAR_SIZE[0] < size < NEAR_SIZE[1])
    return None if is_near else Spot(x, y, side_px)


def _lamps(rng: np.random.Generator) -> dict[str, Any]:
    around, rise = rng.uniform(0, 2 * np.pi, 2), np.radians(rng.uniform(25, 88, 2))
    toward = np.stack([np.cos(around) * np.cos(rise), np.sin(around) * np.cos(rise), np.sin(rise)], 1)
    radius_rad = rng.choice([0.03, 0.06, 0.1, 0.2], 2)
    strength = np.exp(rng.uniform(np.log(0.3), np.log(6), 2)) / (np.pi * radius_rad**2)
    tone = np.maximum(1 + rng.normal(0, 0.12, (2, 3)), 0.5) * np.array([1, 0.93, 0.83])
    count = rng.choice(3, p=[0.45, 0.38, 0.17])
    return {
        "lamps": count, "lamp_toward": toward.ravel(), "lamp_cos": np.cos(radius_rad),
        "lamp_light": (strength[:, None] * tone).ravel(),
    }  # fmt: skip


def _made(rng: np.random.Generator, prints: Prints) -> Made:
    made, kind = Made(), str(rng.choice(list(KINDS), p=list(KINDS.values())))
    if kind == "touching":
        _add_group(rng, made, int(rng.integers(2, 7)), True)
    elif kind == "apart":
        _add_group(rng, made, int(rng.choice([1, 1, 2, 3, 5])), False)
    elif kind == "rows":
        _add_rows(rng, made, prints)
    _scatter(rng, made, prints, int(rng.integers(2, 9) if kind == "things" else rng.choice([0, 0, 1, 2, 4])), 6.0)
    if kind in ("rows", "things") and rng.random() < 0.3:
        material = _material(rng)
        for x, y in rng.uniform(-6, 6, (int(rng.integers(1, 4)), 2)).tolist():
            if made.is_free(x, y, 1.5):
                _add_die(rng, made, material, (x, y), None)
    return made


def scene(rng: np.random.Generator, prints: Prints, grounds: int, rooms: int) -> tuple[Any, Any, list[Spot], bool]:
    """A scene (SCENE), its things (THING, MOST of them), the places, and whether the picture may be turned."""
    made = _made(rng, prints)
    look_at = np.array([0, 0, 0.6])
    if made.things and rng.random() < 0.7:
        look_at[:2] = made.things[int(rng.integers(len(made.things)))]["at"][:2] * rng.uniform(0.3, 1)
    view = View(rng, look_at)
    found = np.zeros((), SCENE)
    told = {
        "eye": view.eye, "right": view.axes[0], "down": view.axes[1], "forward": view.axes[2],
        "focal_px": view.focal_px, "ground": rng.integers(grounds), "room": rng.integers(rooms),
        "ground_scale": np.exp(rng.uniform(np.log(8), np.log(40))), "ground_turn": rng.uniform(0, 2 * np.pi),
        "ground_x": rng.uniform(0, 2), "ground_y": rng.uniform(0, 2), "ground_roughness": rng.uniform(0.05, 0.8),
        "ground_specular": rng.uniform(0.1, 0.6), "room_turn": rng.random(),
        "room_gain": rng.choice([1, rng.uniform(0.1, 1)]), "things": len(made.things), **_lamps(rng),
    }  # fmt: skip
    for name, value in told.items():
        found[name] = value
    dice = [view.spot(made.things[k], _outline(made.things[k])) for k in made.dice]
    spots = [spot for die in dice for spot in _around_die(rng, die)]
    spots += [spot for k, kind in made.others for spot in _on_block(rng, view, made.things[k], kind)]
    spots.append(Spot(*rng.uniform(20, SIDE_PX - 20, 2).tolist(), float(np.exp(rng.uniform(np.log(14), np.log(70))))))
    things = np.zeros(MOST, THING)
    things[: len(made.things)] = made.things
    kept = [told for spot in spots if (told := _told(rng, spot, dice)) is not None]
    return found, things, kept, bool(view.pitch_rad < np.radians(35))
