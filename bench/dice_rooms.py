"""Path-traced dice for measurements: `python -m bench.dice_rooms --rooms DIR -o DIR` renders them once.

There are three sets: one large die (a quarter to six tenths of the picture's height), five touching white dice on a
dark ground, and tables with everyday clutter, a third of them without a die. Training never uses these grounds, things
and rooms. The rooms are `ROOMS` of the npm package @pmndrs/assets (CC0).
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_rooms import T, Table, View, developed, die_mesh, labels_of, plain, rendered, surface
from bench.train.dice_scenes import die_of
from bench.train.dice_solid import Floats, Material
from companion.game.readings import SURE, DiceReading
from vision.photo.dice.reader import open_eye

RECORDED = Path(__file__).with_name("dice_rooms.json")
NEAR = 0.35
"""Maximum distance between the middles of a find and its die, in sides of the die."""
ROOMS = ("apartment", "lobby", "studio", "warehouse", "workshop", "esplanade")
COUNTS = {"large": 50, "touching": 50, "clutter": 400}
FIRST_SEEDS = {"large": 31_000_000, "touching": 32_000_000, "clutter": 33_000_000}
SIZE_PX = (640, 480)
SAMPLES = 14
HALF_MM = 8.0
GROUND_PX = 1024
Thing = Callable[[np.random.Generator, Table, float, float], None]


def _clouds(rng: np.random.Generator, fx: float, fy: float, side: int = GROUND_PX) -> Floats:
    small = rng.uniform(-1, 1, (max(3, int(side / fy)), max(3, int(side / fx)))).astype(np.float32)
    return cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC)


def _leather(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    cells = np.full((GROUND_PX, GROUND_PX), 255, np.uint8)
    spots = rng.integers(0, GROUND_PX, (int(rng.uniform(6000, 30000)), 2))
    cells[spots[:, 0], spots[:, 1]] = 0
    far = cv2.distanceTransform(cells, cv2.DIST_L2, 3)
    heights = (1 - np.clip(far / far.mean() / 2, 0, 1)) ** 0.5 + 0.2 * _clouds(rng, 60, 60)
    shade = 0.75 + 0.25 * heights + 0.1 * _clouds(rng, 200, 200)
    texture = (tone * shade[..., None]).astype(np.float32)
    return surface(texture, rng.uniform(0.25, 0.6), 0.5, heights.astype(np.float32), float(rng.uniform(0.05, 0.35)))


def _boards(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    y = np.mgrid[:GROUND_PX, :GROUND_PX][0].astype(np.float32) / GROUND_PX
    plank = np.floor(y * rng.integers(2, 9))
    bend = 0.06 * _clouds(rng, 500, 200) + 0.37 * plank
    rings = np.sin((y + bend) * rng.uniform(40, 160)) * 0.5 + 0.5
    pores = np.clip(_clouds(rng, 50, 1.6), 0.3, 1)
    seam = np.minimum(y * 8 % 1, 1) < 0.012
    shade = 0.72 + 0.28 * rings**2 - 0.35 * (pores - 0.3) + 0.12 * np.sin(plank * 9) - 0.5 * seam
    return surface((tone * shade[..., None]).astype(np.float32), rng.uniform(0.08, 0.5), rng.uniform(0.2, 0.7))


def _cloth(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    y, x = np.mgrid[:GROUND_PX, :GROUND_PX].astype(np.float32)
    n = rng.uniform(30, 160)
    other = rng.uniform(0, 1, 3)
    pattern = rng.integers(4)
    if pattern == 0:
        mask = (np.sin(x / n * 6.28) > 0.2).astype(np.float32) * 0.5 + (np.sin(y / n * 6.28) > 0.2) * 0.5
    elif pattern == 1:
        mask = (np.hypot(x % n - n / 2, y % n - n / 2) < n * rng.uniform(0.12, 0.3)).astype(np.float32)
    elif pattern == 2:
        mask = (np.abs((x + y) % n - n / 2) < np.abs((x - y) % n - n / 2)).astype(np.float32)
    else:
        mask = (_clouds(rng, n, n) > 0.2).astype(np.float32)
    threads = 0.85 + 0.15 * np.sin(x * 1.4) * np.sin(y * 1.4)
    texture = (tone * (1 - mask[..., None]) + other * mask[..., None]) * threads[..., None]
    return surface(texture.astype(np.float32), 0.9, 0.1)


def _newspaper(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    page = np.full((GROUND_PX, GROUND_PX, 3), rng.uniform(0.75, 0.95), np.float32)
    letters = np.array(list("abcdefghijklmnoprstuvwyz    ,."))
    y = 20
    while y < GROUND_PX:
        size = float(rng.choice([0.4, 0.4, 0.4, 0.6, 1.6, 3.0]))
        ink = (tone * 0.4 if size > 1 else np.full(3, 0.08)).tolist()
        for x in range(0, GROUND_PX, 340):
            words = "".join(rng.choice(letters, int(34 * 0.5 / size)))
            _write(page, words, (x + 8, y), int(rng.integers(8)), size, ink, max(1, int(size * 1.6)))
        y += int(14 + 30 * size)
    if rng.random() < 0.6:
        a, b = rng.integers(0, 700, 2)
        page[a : a + 300, b : b + 300] = np.clip(
            _clouds(rng, 40, 40, 300)[..., None] * rng.uniform(0, 1, 3) + 0.4, 0, 1
        )
    return surface(page, 0.7, 0.2)


def _lacquer(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    texture = np.ones((64, 64, 3), np.float32) * tone
    return surface(texture, float(rng.uniform(0.02, 0.25)), 0.6)


def _stone(rng: np.random.Generator, tone: Floats) -> dict[str, Any]:
    veins = np.abs(_clouds(rng, 180, 180) + 0.5 * _clouds(rng, 60, 60) + 0.25 * _clouds(rng, 20, 20))
    shade = 0.6 + 0.4 * np.clip(veins * 3, 0, 1) + 0.15 * (_clouds(rng, 4, 4) > 0.7)
    return surface((tone * shade[..., None]).astype(np.float32), float(rng.uniform(0.1, 0.6)), 0.5)


GROUNDS = (_leather, _boards, _cloth, _newspaper, _lacquer, _stone)
DARK_GROUNDS = (_leather, _boards, _lacquer, _stone)


def _write(
    texture: Floats, words: str, at: tuple[int, int], font: int, size: float, ink: Any, thick: int, line: int = 16
) -> None:
    """Letters on a texture of floats: OpenCV draws them on bytes only."""
    mask = np.zeros(texture.shape[:2], np.uint8)
    cv2.putText(mask, words, at, font, size, 255, thick)
    share = mask.astype(np.float32) / 255
    if texture.ndim == 3:
        share = share[..., None]
    texture[:] = texture * (1 - share) + share * np.asarray(ink, np.float32)


def _tone(rng: np.random.Generator, is_dark: bool) -> Floats:
    """A colour, BGR: black, brown, red wood, navy, or anything."""
    if is_dark:
        darks = [(0.06, 0.06, 0.07), (0.1, 0.14, 0.25), (0.1, 0.12, 0.45), (0.25, 0.12, 0.08), (0.1, 0.2, 0.12)]
        return np.array(darks[rng.integers(len(darks))], np.float32) * np.float32(rng.uniform(0.5, 1.5))
    hsv = np.array([[[rng.uniform(0, 180), rng.uniform(0, 220), rng.uniform(40, 250)]]], np.uint8)
    return (cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] / 255).astype(np.float32)


def _printed(rng: np.random.Generator, w: int, h: int, lines: int = 4) -> Floats:
    """A cover: coloured fields, a disc or two, big letters."""
    cover = np.ones((h, w, 3), np.float32) * rng.uniform(0, 1, 3).astype(np.float32)
    for _ in range(rng.integers(1, 6)):
        ink = rng.uniform(0, 1, 3).tolist()
        a, b = rng.integers(0, w, 2).tolist(), rng.integers(0, h, 2).tolist()
        if rng.random() < 0.5:
            cv2.rectangle(cover, (a[0], b[0]), (a[1], b[1]), ink, -1)
        else:
            cv2.circle(cover, (a[0], b[0]), int(rng.uniform(0.03, 0.25) * w), ink, -1)
    for _ in range(lines):
        words = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUWZ0123456789o.:"), rng.integers(2, 9)))
        spot = (int(rng.uniform(0, 0.5) * w), int(rng.uniform(0.1, 1) * h))
        size = float(rng.uniform(0.6, 3.5))
        _write(cover, words, spot, int(rng.integers(8)), size, rng.uniform(0, 1, 3).tolist(), int(1 + 2 * size))
    return cover


def _slab(
    table: Table, x: float, y: float, size: tuple[float, float, float], turn_deg: float, skin: dict[str, Any]
) -> None:
    w, h, thick = size
    to_world = T().translate([x, y, thick / 2]).rotate([0, 0, 1], turn_deg).scale([w / 2, h / 2, thick / 2])
    table.shapes.append({"type": "cube", "to_world": to_world, "bsdf": skin})


def _drum(
    table: Table, x: float, y: float, radius: float, thick: float, side: dict[str, Any], top: dict[str, Any]
) -> None:
    table.shapes.append({"type": "cylinder", "p0": [x, y, 0], "p1": [x, y, thick], "radius": radius, "bsdf": side})
    to_world = T().translate([x, y, thick]).scale([radius, radius, 1])
    table.shapes.append({"type": "disk", "to_world": to_world, "bsdf": top})


def _book(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    skin = surface(_printed(rng, 300, 420, 6), float(rng.uniform(0.15, 0.6)))
    _slab(table, x, y, (rng.uniform(60, 110), rng.uniform(80, 150), rng.uniform(4, 30)), rng.uniform(0, 360), skin)


def _phone(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    screen = np.full((400, 200, 3), 0.03, np.float32)
    if rng.random() < 0.7:
        for a in range(20, 190, 45):
            for b in range(40, 380, 50):
                cv2.rectangle(screen, (a, b), (a + 30, b + 30), rng.uniform(0.1, 1, 3).tolist(), -1)
                cv2.circle(screen, (a + 15, b + 15), int(rng.integers(3, 11)), rng.uniform(0, 1, 3).tolist(), -1)
    _slab(table, x, y, (70, 145, 8), rng.uniform(0, 360), surface(screen, 0.05, 0.6))


def _coin(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    heights = np.zeros((256, 256), np.float32)
    cv2.circle(heights, (128, 128), 120, 1.0, 8)
    number = str(rng.choice(["1", "2", "5", "10", "20", "50"]))
    _write(heights, number, (60, 170), int(rng.integers(8)), 4, 1.0, 10)
    for _ in range(int(rng.integers(0, 12))):
        cv2.circle(heights, tuple(rng.integers(30, 220, 2).tolist()), int(rng.integers(3, 14)), 0.8, -1)
    heights = cv2.GaussianBlur(heights, (0, 0), 2)
    tone = np.array([[0.35, 0.6, 0.8], [0.75, 0.78, 0.8], [0.3, 0.42, 0.7]][rng.integers(3)])
    metal = {**plain(tone[::-1] ** 2.2, 0.3, 0.9)}
    top = {
        "type": "bumpmap",
        "arbitrary": surface(heights[..., None].repeat(3, 2), 1)["base_color"],
        "bsdf": metal,
        "scale": 12.0,
    }
    _drum(table, x, y, float(rng.uniform(8, 13)), 2.0, metal, top)


def _weight(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    """Cast iron with raised figures, a disc or a block."""
    heights = np.zeros((300, 300), np.float32)
    words = str(rng.choice(["5KG", "10", "2,5", "KG 20", "1 LB", "R-50", "IRON"]))
    _write(heights, words, (30, 170), 2, 3.4 / max(1, len(words) / 2.5), 1.0, 9)
    for k in range(int(rng.integers(0, 7))):
        cv2.circle(heights, (int(50 + 35 * k), 250), 11, 1.0, -1)
    heights = cv2.GaussianBlur(heights, (0, 0), 1.5) + 0.06 * _clouds(rng, 6, 6, 300)
    iron = plain([0.03, 0.03, 0.035], rng.uniform(0.35, 0.7), rng.uniform(0, 0.8))
    texture = (0.12 + heights * rng.choice([0.0, 0.0, 0.6]))[..., None].repeat(3, 2).astype(np.float32)
    top = surface(texture, float(rng.uniform(0.3, 0.7)), 0.5, heights, 20.0)
    if rng.random() < 0.5:
        _drum(table, x, y, float(rng.uniform(20, 60)), float(rng.uniform(8, 30)), iron, top)
    else:
        _slab(table, x, y, (rng.uniform(20, 70), rng.uniform(20, 70), rng.uniform(10, 40)), rng.uniform(0, 360), top)


def _keyboard(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    """Rows of keys, lit or not."""
    turn, pitch_mm = float(rng.uniform(-40, 40)), float(rng.uniform(14, 19))
    is_dark, is_lit = rng.random() < 0.7, rng.random() < 0.4
    back, ink = (0.05, 0.85) if is_dark else (0.85, 0.1)
    glow = rng.uniform(0.3, 1, 3)
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    for row in range(int(rng.integers(2, 5))):
        for column in range(int(rng.integers(3, 8))):
            face = np.full((96, 96, 3), back, np.float32)
            colour = (glow if is_lit else np.full(3, ink)).tolist()
            letter = str(rng.choice(list("QWERTYUIOPASDFGHJKLZXCVBNM1234567890:;.,")))
            _write(face, letter, (24, 68), int(rng.integers(8)), 1.7, colour, 4)
            if rng.random() < 0.2:
                cv2.circle(face, (48, 20), 6, colour, -1)
            u, v = column * pitch_mm + row * 4, -row * pitch_mm
            skin = surface(face, float(rng.uniform(0.3, 0.6)))
            _slab(table, x + u * c - v * s, y + u * s + v * c, (pitch_mm * 0.86, pitch_mm * 0.86, 6), turn, skin)


def _playing_card(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    face = np.full((350, 250, 3), 0.96, np.float32)
    ink = ([0.1, 0.1, 0.8], [0.05, 0.05, 0.05])[rng.integers(2)]
    for _ in range(int(rng.integers(1, 11))):
        a, b = int(rng.choice([70, 125, 180])), int(rng.choice([60, 115, 175, 235, 290]))
        cv2.fillConvexPoly(face, np.array([(a, b - 22), (a + 17, b), (a, b + 22), (a - 17, b)]), ink)
    _write(face, str(rng.choice(list("A23456789JQK"))), (10, 48), 0, 1.5, ink, 4)
    _slab(table, x, y, (57, 88, 0.5), rng.uniform(0, 360), surface(face, 0.35))


def _chessboard(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    n = int(rng.integers(4, 9))
    cells = np.indices((n, n)).sum(0) % 2
    two = rng.uniform(0.02, 0.95, (2, 3)).astype(np.float32)
    skin = surface(
        cv2.resize(two[cells], (n * 48, n * 48), interpolation=cv2.INTER_NEAREST), float(rng.uniform(0.1, 0.6))
    )
    _slab(table, x, y, (n * 15.0, n * 15.0, 3), rng.uniform(0, 360), skin)


def _bone(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    """A domino."""
    face = np.full((200, 100, 3), rng.choice([0.05, 0.9]), np.float32)
    ink = [float(1 - face[0, 0, 0])] * 3
    cv2.line(face, (8, 100), (92, 100), ink, 3)
    for half in (50, 150):
        for _ in range(int(rng.integers(0, 6))):
            a, b = rng.integers(-1, 2, 2)
            cv2.circle(face, (int(50 + 28 * a), int(half + 28 * b)), 9, ink, -1)
    _slab(table, x, y, (22, 44, 8), rng.uniform(0, 360), surface(face, 0.25))


def _fingers(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    """Four fingers and the back of a hand."""
    tone = np.array([0.75, 0.5, 0.38]) * rng.uniform(0.3, 1.1)
    skin = plain(tone**1.6, 0.55)
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn), np.sin(turn)
    for k in range(4):
        joints = np.array([[0, 0, 12], [28, 0, 16], [52, 0, 9]]) + np.array([0, k * 17 - 25, 0])
        spots = np.column_stack(
            [x + joints[:, 0] * c - joints[:, 1] * s, y + joints[:, 0] * s + joints[:, 1] * c, joints[:, 2]]
        )
        for a, b in pairwise(spots):
            table.shapes.append({"type": "cylinder", "p0": list(a), "p1": list(b), "radius": 8.0, "bsdf": skin})
        for a in spots:
            table.shapes.append({"type": "sphere", "center": list(a), "radius": 8.0, "bsdf": skin})
    for k in range(6):
        u, v = -12 - 15 * (k // 3), 18 * (k % 3) - 18
        palm = [x + u * c - v * s, y + u * s + v * c, 12.0]
        table.shapes.append({"type": "sphere", "center": palm, "radius": 15.0, "bsdf": skin})


def _mug(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    tone = rng.uniform(0.02, 0.9, 3)
    side, top = plain(tone, rng.uniform(0.05, 0.4)), plain([0.06, 0.03, 0.01], 0.05)
    _drum(table, x, y, float(rng.uniform(28, 42)), float(rng.uniform(15, 70)), side, top)


def _button(rng: np.random.Generator, table: Table, x: float, y: float) -> None:
    face = np.ones((128, 128, 3), np.float32) * rng.uniform(0.02, 0.95, 3).astype(np.float32)
    for a, b in ((50, 50), (78, 50), (50, 78), (78, 78))[: int(rng.choice([2, 4]))]:
        cv2.circle(face, (a, b), 8, (0.03, 0.03, 0.03), -1)
    _drum(table, x, y, float(rng.uniform(6, 12)), 3.0, plain(rng.uniform(0.02, 0.9, 3)), surface(face, 0.3))


THINGS: tuple[tuple[Thing, float], ...] = (
    (_book, 75.0), (_phone, 75.0), (_coin, 14.0), (_weight, 50.0), (_keyboard, 75.0), (_playing_card, 50.0),
    (_chessboard, 70.0), (_bone, 26.0), (_fingers, 70.0), (_mug, 45.0), (_button, 13.0), (_coin, 14.0), (_bone, 26.0),
)  # fmt: skip
"""Things near the dice, and the room for each, mm."""


def make(rng: np.random.Generator, is_white: bool) -> Material:
    """A die of the bench: shops' plain ones first."""
    plain_bodies = [
        (0.9, 0.93, 0.94),
        (0.05, 0.05, 0.06),
        (0.1, 0.1, 0.7),
        (0.6, 0.25, 0.1),
        (0.15, 0.45, 0.1),
        (0.78, 0.88, 0.92),
    ]
    body = np.array(plain_bodies[0 if is_white else rng.choice(6, p=[0.35, 0.13, 0.15, 0.13, 0.1, 0.14])], np.float32)
    body = body * np.float32(rng.uniform(0.88, 1.05))
    is_pale = float(body.mean()) > 0.5
    pip = np.full(3, 0.03 if is_pale else 0.92, np.float32)
    if not is_white and is_pale and rng.random() < 0.2:
        pip = np.array([[0.5, 0.1, 0.05], [0.1, 0.08, 0.6]][rng.integers(2)], np.float32)
    radius = float(rng.uniform(0.15, 0.23))
    spacing = float(rng.uniform(0.46, 0.56))
    marble = None
    if not is_white and rng.random() < 0.2:
        marble = np.clip(body * rng.uniform(0.5, 1.5) + rng.normal(0, 0.05, 3), 0, 1).astype(np.float32)
    return Material(
        body=body,
        pip=pip,
        rounding=float(rng.choice([rng.uniform(0.02, 0.08), rng.uniform(0.1, 0.35)])),
        ball=float(rng.uniform(1.4, 1.6)) if rng.random() < 0.35 else 9.0,
        pip_radius=radius,
        spacing=spacing,
        six_rows=float(rng.uniform(0.8, 1.0)),
        marble=marble,
        red_ones=np.array([0.1, 0.1, 0.7], np.float32) if is_pale and rng.random() < 0.08 else None,
        big_one=float(rng.choice([1.0, 1.4], p=[0.9, 0.1])),
    )


def _throw(
    rng: np.random.Generator,
    table: Table,
    at: tuple[float, float],
    is_white: bool,
    yaw: float | None,
    material: Material | None = None,
) -> None:
    while True:
        die = die_of(rng, material or make(rng, is_white), at, yaw)
        if not die.is_leaning:
            break
    gloss = {"roughness": float(rng.uniform(0.08, 0.5)), "specular": float(rng.uniform(0.3, 0.6))}
    drill = float(rng.choice([0.0, rng.uniform(0.3, 0.9)]))
    table.shapes.append(die_mesh(die, HALF_MM, drill, gloss))
    table.dice.append((die, HALF_MM))
    table.taken.append((*at, HALF_MM * 1.4))


def _large(rng: np.random.Generator, table: Table) -> View:
    width, height = SIZE_PX
    is_white = rng.random() < 0.7
    _throw(rng, table, (float(rng.normal(0, 4)), float(rng.normal(0, 3))), is_white, None)
    pitch = float(np.radians(rng.uniform(0, 55)))
    grown = 1.25 + 0.25 * np.sin(pitch)  # the box is larger than the side
    share = float(rng.uniform(0.25, 0.6)) / grown
    return View(width, height, share * height, pitch, float(rng.normal(0, 0.3)), float(rng.uniform(25, 60)))


def _touching(rng: np.random.Generator, table: Table) -> View:
    width, height = SIZE_PX
    yaw, material = float(rng.uniform(0, 2 * np.pi)), make(rng, True)
    spots = [np.zeros(2)]
    while len(spots) < 5:
        a = yaw + rng.integers(4) * np.pi / 2
        across = np.array([-np.sin(a), np.cos(a)]) * rng.choice([0.0, 0.0, rng.uniform(-0.8, 0.8)]) * HALF_MM
        new = (
            spots[int(rng.integers(len(spots)))]
            + np.array([np.cos(a), np.sin(a)]) * 2 * HALF_MM * rng.uniform(1.005, 1.03)
            + across
        )
        turned = [np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]]) @ (new - s) for s in spots]
        if all(np.abs(t).max() > 2 * HALF_MM for t in turned) and np.hypot(*new) < 45:
            spots.append(new)
    middle = np.mean(spots, axis=0)
    for spot in spots:
        x, y = (spot - middle).tolist()
        quarter = yaw + float(rng.integers(4)) * np.pi / 2
        while True:
            before = len(table.dice)
            _throw(rng, table, (x, y), True, quarter, material)
            if len(table.dice) > before:
                break
    reach = max(float(np.hypot(*(s - middle))) for s in spots) + 12
    die_px = float(rng.uniform(0.55, 0.95)) * height / 2 / reach * 16
    return View(
        width,
        height,
        die_px,
        float(np.radians(rng.uniform(0, 40))),
        float(rng.normal(0, 0.3)),
        float(rng.uniform(25, 60)),
    )


def _cluttered(rng: np.random.Generator, table: Table) -> View:
    width, height = SIZE_PX
    die_px = float(np.exp(rng.uniform(np.log(22), np.log(130))))
    view = View(
        width,
        height,
        die_px,
        float(np.radians(rng.uniform(0, 50))),
        float(rng.normal(0, 0.3)),
        float(rng.uniform(30, 65)),
    )
    half_mm = 0.5 * height / die_px * 16
    count = int(rng.choice([0, 1, 2, 3, 5, 8, 14], p=[0.33, 0.14, 0.15, 0.12, 0.12, 0.1, 0.04]))
    family = make(rng, False) if rng.random() < 0.5 else None
    for _ in range(count * 6):
        spot = (float(rng.uniform(-0.8, 0.8) * half_mm), float(rng.uniform(-0.75, 0.7) * half_mm))
        if len(table.dice) < count and table.is_free(*spot, HALF_MM * 1.4):
            _throw(rng, table, spot, False, None, family)
    for _ in range(int(rng.integers(2, 8)) + (4 if count == 0 else 0)):
        thing, radius = THINGS[int(rng.integers(len(THINGS)))]
        spot = (float(rng.uniform(-1.6, 1.6) * half_mm), float(rng.uniform(-1.1, 1.3) * half_mm))
        # what stands must not hide a die from the camera at the foot of the picture
        if table.is_free(*spot, radius) and all(
            spot[1] > d.at[1] - 10 or abs(spot[0] - d.at[0]) > radius + 12 for d, _ in table.dice
        ):
            thing(rng, table, *spot)
            table.taken.append((*spot, radius))
    return view


SETS = {"large": _large, "touching": _touching, "clutter": _cluttered}


def picture(kind: str, k: int, rooms: Path) -> tuple[NDArray[np.uint8], list[dict[str, Any]]]:
    """The k-th picture of a set, BGR, and its dice as labels.jsonl tells them."""
    rng = np.random.default_rng(FIRST_SEEDS[kind] + k)
    is_dark = kind == "touching" or (kind == "large" and rng.random() < 0.6)
    grounds = DARK_GROUNDS if is_dark else GROUNDS
    table = Table(grounds[int(rng.integers(len(grounds)))](rng, _tone(rng, is_dark)))
    view = SETS[kind](rng, table)
    lamps: list[Any] = []
    for _ in range(int(rng.choice([0, 1, 2], p=[0.4, 0.4, 0.2]))):
        around, rise = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(30, 85))
        toward = np.array([np.cos(around) * np.cos(rise), np.sin(around) * np.cos(rise), np.sin(rise)])
        radius = float(rng.choice([20, 60, 150]))
        glow = float(rng.uniform(2, 25) * (600 / radius) ** 2 / 20)
        light = {"type": "area", "radiance": {"type": "rgb", "value": [glow, glow * 0.92, glow * 0.8]}}
        lamps.append({"type": "sphere", "center": list(toward * 700), "radius": radius, "emitter": light})
    room = rooms / f"{ROOMS[int(rng.integers(len(ROOMS)))]}.exr"
    light_bgr = rendered(table, view, room, float(rng.uniform(0, 360)), lamps, SAMPLES, k)
    dice = [{"box": [round(v, 1) for v in d.box], "value": d.value} for d in labels_of(table, view)]
    return developed(rng, light_bgr), dice


@dataclass
class Figures:
    """A reader's results for a set of pictures. `wrong_sure`: sure values without a die or of another value."""

    pictures: int = 0
    exact: int = 0
    dice: int = 0
    found: int = 0
    right: int = 0
    sure: int = 0
    wrong_sure: int = 0
    made_up: int = 0


def measured(folder: Path, read: Callable[[NDArray[np.uint8]], DiceReading]) -> dict[str, Figures]:
    """The figures of each rendered set in the folder."""
    sets: dict[str, Figures] = {}
    for text in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        said = read(np.asarray(cv2.imread(str(folder / line["image"])), np.uint8)).dice
        f, left = sets.setdefault(line["source"], Figures()), list(line["dice"])
        f.pictures, f.dice = f.pictures + 1, f.dice + len(left)
        f.exact += sorted(d.value or 0 for d in said) == sorted(t["value"] for t in left)
        for die in said:
            mine = min(left, key=lambda t: _apart(die.box, t["box"]), default=None)
            is_there = mine is not None and _apart(die.box, mine["box"]) < NEAR
            is_right = is_there and mine["value"] == die.value
            is_sure = die.value is not None and die.confidence >= SURE
            f.found, f.right, f.made_up = f.found + is_there, f.right + is_right, f.made_up + (not is_there)
            f.sure, f.wrong_sure = f.sure + (is_sure and is_right), f.wrong_sure + (is_sure and not is_right)
            if is_there:
                left.remove(mine)
    return sets


def _apart(a: Sequence[float], b: Sequence[float]) -> float:
    """Distance of two boxes' middles, in sides of the second."""
    away = np.hypot(a[0] + a[2] - b[0] - b[2], a[1] + a[3] - b[1] - b[3]) / 2
    return float(away / np.sqrt((b[2] - b[0]) * (b[3] - b[1])))


def table_of(sets: dict[str, Figures]) -> str:
    """Markdown."""
    rows = ["| set | " + " | ".join(f.name.replace("_", " ") for f in fields(Figures)) + " |"]
    rows.append("|" + " --- |" * (len(fields(Figures)) + 1))
    rows += [f"| {name} | " + " | ".join(str(v) for v in astuple(figures)) + " |" for name, figures in sets.items()]
    return "\n".join(rows)


@click.command()
@click.option("--rooms", type=click.Path(path_type=Path, exists=True), required=True, help="Folder of .exr rooms.")
@click.option("--only", type=click.Choice(list(SETS)), multiple=True)
@click.option("--first", default=0, help="Leaves out the pictures before this one of each set.")
@click.option("--count", default=0, help="So many of each set; 0: all.")
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True)
def main(rooms: Path, only: tuple[str, ...], first: int, count: int, out: Path) -> None:
    """Renders what is missing in the folder, reads it and records the figures."""
    (out / "images").mkdir(parents=True, exist_ok=True)
    done = out / "labels.jsonl"
    had = {json.loads(line)["image"] for line in done.read_text().splitlines()} if done.exists() else set()
    with done.open("a", encoding="utf-8") as file:
        for kind in only or SETS:
            for k in range(first, first + (count or COUNTS[kind])):
                name = f"images/{kind}_{k:03d}.jpg"
                if name not in had:
                    pixels, dice = picture(kind, k, rooms)
                    cv2.imwrite(str(out / name), pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
                    line = {"image": name, "source": kind, "width": SIZE_PX[0], "height": SIZE_PX[1], "dice": dice}
                    file.write(json.dumps(line) + "\n")
                    file.flush()
    cv2.setNumThreads(1)
    sets = measured(out, open_eye().read)
    click.echo(table_of(sets))
    found = {"read_on": datetime.date.today().isoformat(), "sets": {k: asdict(v) for k, v in sets.items()}}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
