"""Whole rendered scenes: dice thrown on a table, seen by some camera in some light, with their labels."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.die import Die, DieLight, DieMaterial, Pinhole, pose_of, rotation, shade, shadow_on_table, trace
from bench.drawn.tables import any_colour, clutter, table
from calibration.arrays import Floats32

TOP_SEEN = 0.65
"""Minimum visible share of the top face; below it the label is "unreadable"."""
CLOSE_INKS, LEANING, ROWS = 0.15, 0.12, 0.2
"""Shares of dice with pips as bright as the body, of leaning dice, and of scenes with dice in rows, face to face."""
CLEAR_PX, SHAKEN_FROM = 36.0, 0.75
"""Below this size dice are blurred less, in proportion. With a factor below SHAKEN_FROM the camera is not shaken."""
MARGIN_PX = 48
"""Rendered margin around the picture, so that the whole of cut-off dice is known."""


@dataclass(frozen=True, slots=True)
class Label:
    """A die of a picture: box in pixels; upper value (0: leaning, cut off or hidden); visible share; pose
    (`drawn.die.pose_of`)."""

    box: tuple[float, float, float, float]
    value: int
    seen: float = 1.0
    pose: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DiceScene:
    """A picture, BGR uint8, and its dice. `can_roll`: the view is so steep that a rotated picture looks natural."""

    picture: NDArray[np.uint8]
    labels: tuple[Label, ...]
    can_roll: bool


def camera_of(rng: np.random.Generator, w: int, h: int, die_px: float, pitch_rad: float, roll_rad: float) -> Pinhole:
    """A camera over the dice at the origin: a die of half side 1 in the middle is `die_px` wide."""
    focal = rng.uniform(0.9, 3.0) * max(w, h)
    away = 2 * focal / die_px
    s, c = np.sin(pitch_rad), np.cos(pitch_rad)
    right, down = np.array([1, 0, 0.0]), np.array([0, -c, -s])
    forward = np.array([0, s, -c])
    cr, sr = np.cos(roll_rad), np.sin(roll_rad)
    axes = np.stack([cr * right + sr * down, -sr * right + cr * down, forward]).astype(np.float32)
    return Pinhole((-forward * away).astype(np.float32), axes, float(focal), (w / 2, h / 2))


def light_of(rng: np.random.Generator) -> DieLight:
    """A lamp, a window or a cloudy sky."""
    rise, around = np.radians(rng.uniform(22, 88)), rng.uniform(0, 2 * np.pi)
    toward = np.array([np.cos(rise) * np.cos(around), np.cos(rise) * np.sin(around), np.sin(rise)], np.float32)
    cast = 1 + rng.normal(0, 0.06, 3)
    key = rng.uniform(0.1, 0.95)
    ambient = max(0.15, rng.uniform(0.75, 1.1) - key * max(0.35, toward[2]))
    boxes = []
    for _ in range(rng.integers(0, 6)):
        sides = rng.uniform(1, 9, 2)
        if rng.random() < 0.4:  # a tube, or a strip of windows
            sides = np.array([rng.uniform(0.4, 1.5), rng.uniform(6, 30)])[rng.permutation(2)]
        away = rng.normal(0, rng.choice([14.0, 35.0]), 2)
        boxes.append((*away, *sides, float(np.exp(rng.uniform(np.log(0.7), np.log(20))))))
    return DieLight(
        toward,
        (key * cast).astype(np.float32),
        (ambient * (2 - cast)).astype(np.float32),
        tuple(boxes),
        float(rng.choice([2.0, 4.0, 8.0, 30.0])),
        float(rng.choice([0.0, rng.uniform(0, 1.2)])),
    )


def _contrast(a: Floats32, b: Floats32) -> float:
    return float(np.linalg.norm((a - b) * np.array([0.5, 1.0, 0.8], np.float32)))


def brightness(colour: Floats32) -> float:
    """Brightness of a colour, BGR (ITU-R BT.601)."""
    return float(colour @ np.array([0.114, 0.587, 0.299], np.float32))


def _close_inks(rng: np.random.Generator) -> tuple[Floats32, Floats32, Floats32]:
    """Body, marble and pips of different colours but almost equal brightness: red on dark grey, gold on brown."""
    while True:
        pip = any_colour(rng, 0.3, 1.0)
        if float(pip.max() - pip.min()) < 0.25:
            continue
        grey = np.full(3, brightness(pip), np.float32)
        if rng.random() < 0.5:
            other = any_colour(rng, 0.2, 1.0)
            grey = (other * brightness(pip) / max(brightness(other), 0.05)).astype(np.float32)
        body = np.clip(grey * rng.uniform(0.6, 1.3), 0, 1)
        marble = np.clip(grey * rng.uniform(0.15, 1.7) + rng.normal(0, 0.05, 3), 0, 1).astype(np.float32)
        if np.ptp(pip - body) > 0.3 and np.ptp(pip - marble) > 0.25:
            return body, marble, pip


def material_of(rng: np.random.Generator) -> DieMaterial:
    """A random shop die: white, black, coloured, marbled or clear, with pips in a different colour."""
    pick = rng.random()
    if pick < 0.3:
        body = np.array([0.86, 0.93, 0.95], np.float32) * rng.uniform(0.85, 1.05)
    elif pick < 0.42:
        body = np.full(3, rng.uniform(0.01, 0.16), np.float32) * (1 + rng.normal(0, 0.1, 3))
    else:
        hsv = np.array([[[rng.uniform(0, 180), rng.uniform(90, 255), rng.uniform(70, 250)]]], np.uint8)
        body = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] / 255
    body = np.asarray(body, np.float32)
    marble = None
    if rng.random() < 0.3:
        marble = np.asarray(any_colour(rng), np.float32)
        if rng.random() < 0.6:
            marble = np.clip(body * rng.uniform(0.3, 1.6) + rng.normal(0, 0.08, 3), 0, 1).astype(np.float32)
    low = 0.3 if rng.random() < 0.6 else 0.2
    for _ in range(30):
        pick = rng.random()
        if pick < 0.4:
            pip = np.full(3, rng.uniform(0.82, 1.05), np.float32)
        elif pick < 0.72:
            pip = np.full(3, rng.uniform(0.01, 0.12), np.float32)
        elif pick < 0.8:
            pip = np.array([0.2, 0.6, 0.8], np.float32) * rng.uniform(0.7, 1.2)  # gold
        else:
            pip = any_colour(rng)
        if _contrast(body, pip) > low and (marble is None or _contrast(marble, pip) > low * 0.8):
            break
    if rng.random() < CLOSE_INKS:
        body, marble, pip = _close_inks(rng)
        marble = marble if rng.random() < 0.7 else None
    rounding = float(rng.choice([rng.uniform(0.03, 0.12), rng.uniform(0.12, 0.45)], p=[0.3, 0.7]))
    radius = float(rng.uniform(0.13, 0.25))
    spacing = float(rng.uniform(max(0.4, 1.25 * radius + 0.14), min(0.64, 0.92 - radius)))
    spread = rng.uniform(0.85, 1.12, 6)
    spread[5] = min(float(rng.uniform(0.88, 1.15)), (0.95 - radius) / spacing)
    six_rows = max(float(rng.uniform(0.5, 1.0)), 1.1 * radius / (spacing * float(spread[5])))
    red = rng.random() < 0.08 and float(body.mean()) > 0.6
    big = float(rng.uniform(1.3, 2.1)) if red or rng.random() < 0.08 else 1.0
    return DieMaterial(
        body=body,
        pip=pip.astype(np.float32),
        rounding=rounding,
        ball=float(rng.uniform(1.36, 1.62)) if rng.random() < 0.4 else 9.0,
        pip_radius=radius,
        spacing=spacing,
        spread=tuple(float(v) for v in np.minimum(spread, (0.95 - radius) / spacing)),
        six_rows=six_rows,
        bulge=float(rng.choice([0.0, rng.uniform(0, 0.25), rng.uniform(0.1, 0.6)])),
        bulge_power=float(rng.choice([0.0, rng.uniform(0, 4)])),
        polish=float(np.exp(rng.uniform(np.log(0.03), np.log(0.2)))),
        depth=float(rng.choice([0.0, 0.3, 0.6])),
        gloss=float(rng.choice([0.05, 0.4, 0.9], p=[0.25, 0.3, 0.45])),
        sharpness=float(rng.uniform(10, 150)),
        marble=marble,
        marble_scale=float(rng.uniform(0.5, 3.5)),
        marble_edge=float(np.exp(rng.uniform(0, np.log(4)))),
        clear=float(rng.uniform(0.3, 0.85)) if rng.random() < 0.22 else 0.0,
        big_one=big,
        red_ones=np.array([0.12, 0.1, 0.8], np.float32) if red else None,
        square_pips=rng.random() < 0.02,
        ring=rng.random() < 0.02,
        logo=rng.random() < 0.03,
        circled_one=float(rng.uniform(0.4, 0.62)) if rng.random() < 0.05 else 0.0,
    )


def die_of(
    rng: np.random.Generator, material: DieMaterial, at: tuple[float, float], yaw_rad: float | None = None
) -> Die:
    """A die on the table at (x, y) with a random face up and a random turn, or turned by `yaw_rad` in a row; some
    lean."""
    pair = [(1, 6), (2, 5), (3, 4)]
    rng.shuffle(pair)
    values = [v for p in pair for v in (p if rng.random() < 0.5 else p[::-1])]
    axis, flip = int(rng.integers(3)), int(rng.integers(2))
    upright = [rotation(1, -np.pi / 2), rotation(0, np.pi / 2), np.eye(3, dtype=np.float32)][axis]
    yaw = rng.uniform(0, 2 * np.pi) if yaw_rad is None else yaw_rad + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.03)
    leaning = rng.random() < (LEANING if yaw_rad is None else 0)
    if leaning and rng.random() < 0.6:  # on an edge, not a corner
        yaw = rng.normal(0, 0.05) + np.pi / 2 * rng.integers(4)
    turn = rotation(2, yaw) @ (rotation(0, np.pi) if flip else np.eye(3)) @ upright
    if leaning:
        turn = rotation(2, rng.uniform(0, 6.28)) @ rotation(0, np.radians(rng.uniform(20, 45))) @ turn
    inner = (1 - material.rounding) * np.array(
        [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32
    )
    lift = float(-(inner @ turn.T)[:, 2].min() + material.rounding)
    return Die(
        values=tuple(values),
        swaps=tuple(bool(b) for b in rng.random(3) < 0.5),
        turn=turn.astype(np.float32),
        at=np.array([*at, lift], np.float32),
        material=material,
        seed=int(rng.integers(1 << 30)),
        is_leaning=leaning,
        shadow=float(rng.uniform(0.5, 0.95)),
    )


def _places(
    rng: np.random.Generator, camera: Pinhole, w: int, h: int, count: int, touching: float, yaw_rad: float | None
) -> list[Floats32]:
    """Spots on the table (x, y), at least one die apart; the share `touching` is in rows along yaw."""
    places: list[Floats32] = []
    for _ in range(count * 6):
        if len(places) == count:
            break
        if places and rng.random() < touching:
            a = rng.uniform(0, 2 * np.pi) if yaw_rad is None else yaw_rad + rng.integers(4) * np.pi / 2
            away = rng.uniform(2.05, 2.7 if yaw_rad is None else 2.2)
            spot = places[int(rng.integers(len(places)))] + np.array([np.cos(a), np.sin(a)]) * away
        else:
            pixel = np.array([rng.uniform(-0.02, 1.02) * w, rng.uniform(-0.02, 1.02) * h])
            local = np.array([*(pixel - np.asarray(camera.centre_px)), camera.focal_px])
            ray = camera.axes.T @ local
            if ray[2] > -0.15 * np.linalg.norm(ray):
                continue
            spot = (camera.eye + ray * (-camera.eye[2] / ray[2]))[:2]
        if all(np.linalg.norm(spot - p) > 2.05 for p in places):
            places.append(np.asarray(spot, np.float32))
    return places


def render(camera: Pinhole, light: DieLight, dice: list[Die], ground: Floats32) -> tuple[Floats32, list[Label]]:
    """Dice on `ground` (the lit table, with MARGIN_PX around the picture). Returns the picture and labels."""
    m = MARGIN_PX
    full_h, full_w = ground.shape[:2]
    w, h = full_w - 2 * m, full_h - 2 * m
    order = sorted(dice, key=lambda d: -float(np.linalg.norm(d.at - camera.eye)))
    inside = np.zeros((full_h, full_w), bool)
    inside[m : m + h, m : m + w] = True
    canvas = ground.copy()
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    rects = []
    for die in order:
        spots = camera.project(corners @ die.turn.T + die.at) + m
        low, high = np.floor(spots.min(0)).astype(int) - 1, np.ceil(spots.max(0)).astype(int) + 2
        rects.append((max(0, low[0]), max(0, low[1]), min(full_w, high[0]), min(full_h, high[1])))
        _cast(camera, light, die, canvas, low, high)
    owner = np.full((full_h, full_w), -1, np.int16)
    tops: list[tuple[int, NDArray[np.bool_]]] = []
    boxes = []
    for k, (die, (x0, y0, x1, y1)) in enumerate(zip(order, rects, strict=True)):
        if x1 - x0 < 3 or y1 - y0 < 3:
            tops.append((0, np.zeros((1, 1), bool)))
            boxes.append(None)
            continue
        alpha, colour, top = _seen(camera, light, die, canvas[y0:y1, x0:x1], (x0 - m, y0 - m, x1 - m, y1 - m))
        window = canvas[y0:y1, x0:x1]
        window *= 1 - alpha[..., None]
        window += alpha[..., None] * colour
        owner[y0:y1, x0:x1][alpha > 0.5] = k
        whole = np.zeros((full_h, full_w), bool)
        whole[y0:y1, x0:x1] = top
        tops.append((int(top.sum()), whole))
        ys, xs = np.nonzero(alpha > 0.5)
        boxes.append((xs.min() + x0, ys.min() + y0, xs.max() + x0 + 1, ys.max() + y0 + 1, len(xs)) if len(xs) else None)
    labels = []
    for k, die in enumerate(order):
        box = boxes[k]
        if box is None:
            continue
        mine = (owner == k) & inside
        seen = float(mine.sum()) / box[4]
        if seen < 0.08:
            continue
        top_seen = float((tops[k][1] & mine).sum()) / max(1, tops[k][0])
        x0, y0, x1, y1 = (float(np.clip(v - m, 0, s)) for v, s in zip(box[:4], (w, h, w, h), strict=True))
        value = 0 if die.is_leaning or top_seen < TOP_SEEN else die.top()[2]
        pose = pose_of(die, 1.0, camera.eye, camera.axes, camera.focal_px)
        labels.append(Label((x0, y0, x1, y1), value, seen, pose))
    return canvas[m : m + h, m : m + w], labels


def _cast(camera: Pinhole, light: DieLight, die: Die, canvas: Floats32, low: NDArray, high: NDArray) -> None:
    """Darkens the table in the shadow of `die`."""
    full_h, full_w = canvas.shape[:2]
    reach = np.array([-light.toward[0], -light.toward[1]]) / max(0.3, float(light.toward[2])) * 2.2
    tip = camera.project(np.array([[die.at[0] + reach[0], die.at[1] + reach[1], 0]], np.float32))[0] + MARGIN_PX
    size = float((high - low).max())
    x0, y0 = (np.minimum(low, tip - 0.6 * size) - 0.4 * size).astype(int).clip(0)
    x1, y1 = np.minimum((np.maximum(high, tip + 0.6 * size) + 0.4 * size).astype(int), (full_w, full_h))
    if x1 - x0 < 4 or y1 - y0 < 4:
        return
    step = 2.0 if size > 40 else 1.0
    rays, shape = camera.rays(x0 - MARGIN_PX, y0 - MARGIN_PX, x1 - MARGIN_PX, y1 - MARGIN_PX, step)
    t = -camera.eye[2] / np.minimum(rays[2], -0.02)
    ground = camera.eye[:, None] + rays * t
    lit = shadow_on_table(die, ground.astype(np.float32), light).reshape(shape)
    canvas[y0:y1, x0:x1] *= cv2.resize(lit, (int(x1 - x0), int(y1 - y0)))[..., None]


def _seen(
    camera: Pinhole, light: DieLight, die: Die, behind: Floats32, rect: tuple[int, int, int, int]
) -> tuple[Floats32, Floats32, NDArray[np.bool_]]:
    """The die in a rectangle of the picture: cover (0 to 1), colour, and a mask of its top face."""
    x0, y0, x1, y1 = rect
    step = 0.5 if max(x1 - x0, y1 - y0) < 90 else 0.75
    rays, shape = camera.rays(x0, y0, x1, y1, step)
    origin = (die.turn.T @ (camera.eye - die.at)).astype(np.float32)
    hit, p = trace(origin, (die.turn.T @ rays).astype(np.float32), die.material)
    cover = np.zeros(shape[0] * shape[1], np.float32)
    colour = np.zeros((shape[0] * shape[1], 3), np.float32)
    top = np.zeros(shape[0] * shape[1], np.float32)
    if len(hit):
        soft = cv2.resize(cv2.GaussianBlur(behind, (0, 0), 2.5), (shape[1], shape[0]))
        cover[hit] = 1
        colour[hit] = shade(die, p, rays[:, hit], light, soft.reshape(-1, 3)[hit].T).T
        axis, sign, _ = die.top()
        top[hit] = (np.abs(p).argmax(0) == axis) & (np.sign(p[axis]) == sign)
    size = (x1 - x0, y1 - y0)
    alpha = cv2.resize(cover.reshape(shape), size, interpolation=cv2.INTER_AREA)
    mixed = cv2.resize(colour.reshape(*shape, 3), size, interpolation=cv2.INTER_AREA)
    mixed = mixed / np.maximum(alpha, 1e-3)[..., None]
    return alpha, mixed, cv2.resize(top.reshape(shape), size, interpolation=cv2.INTER_AREA) > 0.5


def photographed(rng: np.random.Generator, picture: Floats32, blur: float = 1.0) -> NDArray[np.uint8]:
    """A camera's picture of linear light: exposure, colour cast, `blur` times the usual blur, noise, sharpening."""
    h, w = picture.shape[:2]
    picture = picture * rng.uniform(0.65, 1.2) * (1 + rng.normal(0, 0.05, 3))
    picture = np.clip(picture, 0, 1) ** rng.uniform(0.75, 1.35)
    pick = rng.random()
    if pick < 0.4:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.4, 1.3) * blur)
    elif pick < 0.5 and blur > SHAKEN_FROM:
        kernel = np.zeros((7, 7), np.float32)
        cv2.line(kernel, tuple(rng.integers(1, 6, 2).tolist()), (3, 3), 1.0, 1)
        picture = cv2.filter2D(picture, -1, kernel / kernel.sum())
    elif pick < 0.65:
        picture = picture + rng.uniform(0.3, 1.2) * (picture - cv2.GaussianBlur(picture, (0, 0), 1.2))
    noise = rng.normal(0, 1, (h, w, 3)).astype(np.float32)
    if rng.random() < 0.5:
        noise = cv2.GaussianBlur(noise, (0, 0), 0.8) * 1.8
    picture = picture + noise * rng.choice([0.0, 0.01, 0.03], p=[0.3, 0.5, 0.2])
    return np.clip(picture * 255 + 0.5, 0, 255).astype(np.uint8)


def _telephoned(rng: np.random.Generator, picture: Floats32, few: float) -> Floats32:
    """Brighter and more colourful, as telephones make pictures; with probability `few` small and enlarged."""
    h, w = picture.shape[:2]
    picture = picture * rng.uniform(0.95, 1.15)
    if rng.random() < 0.4:
        grey = picture.mean(2, keepdims=True)
        picture = grey + (picture - grey) * rng.uniform(0.7, 1.6)
    if rng.random() < few:
        share = rng.uniform(0.5, 0.85)
        small = cv2.resize(picture, (round(w * share), round(h * share)), interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (w, h))
    return np.asarray(picture, np.float32)


def _sheen(rng: np.random.Generator, ground: Floats32) -> Floats32:
    """A lamp mirrored in a table: a bright oval with the table's roughness."""
    h, w = ground.shape[:2]
    y, x = np.mgrid[:h, :w].astype(np.float32)
    a, (cx, cy) = rng.uniform(0, np.pi), rng.uniform(0, (w, h))
    along, across = (x - cx) * np.cos(a) + (y - cy) * np.sin(a), (y - cy) * np.cos(a) - (x - cx) * np.sin(a)
    far = (along / rng.uniform(0.15, 0.7) / w) ** 2 + (across / rng.uniform(0.1, 0.3) / w) ** 2
    grain = ground.mean(2) / max(float(ground.mean()), 0.02)
    return np.asarray(rng.uniform(0.2, 1.2) * np.exp(-far) * np.clip(grain, 0.3, 2) ** 2, np.float32)[..., None]


def scene(rng: np.random.Generator, w: int = 320, h: int = 320, ground: Floats32 | None = None) -> DiceScene:
    """One random scene; `ground` (BGR 0 to 1, with MARGIN_PX around) replaces the drawn table."""
    pitch = np.radians(rng.choice([rng.uniform(0, 15), rng.uniform(15, 45), rng.uniform(45, 66)], p=[0.35, 0.4, 0.25]))
    can_roll = bool(pitch < np.radians(35))
    roll = rng.uniform(0, 2 * np.pi) if can_roll else rng.normal(0, np.radians(8))
    die_px = float(np.exp(rng.uniform(np.log(16), np.log(110))))
    count = int(
        min(rng.choice([0, 1, 2, 4, 7, 12, 20], p=[0.1, 0.1, 0.15, 0.2, 0.2, 0.15, 0.1]), 0.28 * w * h / die_px**2 + 1)
    )
    camera, light = camera_of(rng, w, h, die_px, pitch, roll), light_of(rng)
    m = MARGIN_PX
    if ground is None:
        ground = table(rng, h + 2 * m, w + 2 * m)
    full_h, full_w = ground.shape[:2]
    y, x = np.mgrid[:full_h, :full_w].astype(np.float32)
    fall = 1 + rng.normal(0, 0.25) * (x / full_w - 0.5) + rng.normal(0, 0.25) * (y / full_h - 0.5)
    level = float(light.ambient.mean() * 1.0 + light.key.mean() * light.toward[2])
    ground = ground * fall[..., None].astype(np.float32) * level
    if rng.random() < 0.15:  # a lamp mirrored in the table
        ground = ground + _sheen(rng, ground)
    for _ in range(int(rng.choice([0, 1, 3, 8], p=[0.3, 0.2, 0.3, 0.2])) + (6 if count == 0 else 0)):
        clutter(rng, ground, (int(rng.integers(full_w)), int(rng.integers(full_h))), die_px * rng.uniform(0.5, 1.6))
    dice: list[Die] = []
    family = material_of(rng) if rng.random() < 0.35 else None
    yaw = float(rng.uniform(0, 2 * np.pi)) if rng.random() < ROWS else None
    for spot in _places(rng, camera, w, h, count, float(rng.choice([0.0, 0.3, 0.8])), yaw):
        dice.append(die_of(rng, family or material_of(rng), (float(spot[0]), float(spot[1])), yaw))
    picture, labels = render(camera, light, dice, ground.astype(np.float32))
    if rng.random() < 0.12:  # a hard shadow's edge crosses the scene
        a, y, x = rng.uniform(0, 6.28), y[:h, :w], x[:h, :w]
        edge = (x - w / 2) * np.cos(a) + (y - h / 2) * np.sin(a) - rng.normal(0, w / 6)
        picture = picture * (1 - rng.uniform(0.3, 0.7) * np.clip(edge / rng.uniform(1, 20) + 0.5, 0, 1))[..., None]
    blur = min(1.0, die_px / CLEAR_PX)  # small dice with full blur would be labelled but unreadable
    picture = _telephoned(rng, picture.astype(np.float32), 0.13 * blur)
    return DiceScene(photographed(rng, picture, blur), tuple(labels), can_roll)


def close(rng: np.random.Generator, w: int = 320, h: int = 320) -> DiceScene:
    """A close view of plain dice of one make: a large die, or several that touch, often on dark ground."""
    pitch = float(np.radians(rng.choice([rng.uniform(0, 15), rng.uniform(15, 55)])))
    count = int(rng.choice([1, 2, 3, 5, 6], p=[0.3, 0.1, 0.15, 0.3, 0.15]))
    die_px = float(rng.uniform(0.25, 0.55) * h if count == 1 else rng.uniform(0.14, 0.27) * h)
    camera, light = camera_of(rng, w, h, die_px, pitch, float(rng.normal(0, 0.4))), light_of(rng)
    m = MARGIN_PX
    ground = table(rng, h + 2 * m, w + 2 * m)
    if rng.random() < 0.6:
        ground = ground * rng.uniform(0.04, 0.4)
    ground = ground * float(light.ambient.mean() + light.key.mean() * light.toward[2])
    if rng.random() < 0.25:
        ground = ground + _sheen(rng, ground)
    material = material_of(rng)
    if rng.random() < 0.6:
        material.body = np.array([0.88, 0.93, 0.95], np.float32) * np.float32(rng.uniform(0.85, 1.08))
        material.pip = np.full(3, rng.uniform(0.01, 0.12), np.float32)
        material.marble, material.clear, material.red_ones = None, 0.0, None
    yaw = float(rng.uniform(0, 2 * np.pi)) if count > 1 else None
    spots = [np.zeros(2)]
    while len(spots) < count:
        a = yaw + rng.integers(4) * np.pi / 2 if yaw is not None else 0.0
        aside = np.array([-np.sin(a), np.cos(a)]) * rng.choice([0.0, rng.uniform(-0.9, 0.9)])
        new = spots[int(rng.integers(len(spots)))] + np.array([np.cos(a), np.sin(a)]) * rng.uniform(2.02, 2.12) + aside
        if all(np.linalg.norm(new - s) > 2.0 for s in spots):
            spots.append(new)
    middle = np.mean(spots, axis=0)
    dice = [die_of(rng, material, (float(s[0] - middle[0]), float(s[1] - middle[1])), yaw) for s in spots]
    picture, labels = render(camera, light, dice, ground.astype(np.float32))
    return DiceScene(photographed(rng, picture.astype(np.float32)), tuple(labels), bool(pitch < np.radians(35)))
