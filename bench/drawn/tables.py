"""Tables for rendered scenes, and objects other than dice on them. Pictures are BGR float32, 0 to 1."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.die import PIPS
from calibration.arrays import Floats32

Draw = Callable[[np.random.Generator, Floats32, tuple[int, int], float], None]


def any_colour(rng: np.random.Generator, low: float = 0.0, high: float = 1.0) -> Floats32:
    """A colour of any hue; half of them nearly grey."""
    hue, value = rng.uniform(0, 180), rng.uniform(low, high)
    saturation = rng.uniform(0, 0.2) if rng.random() < 0.5 else rng.uniform(0.2, 1)
    hsv = np.array([[[hue, saturation * 255, value * 255]]], np.uint8)
    return (cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0] / 255).astype(np.float32)


def _noise(rng: np.random.Generator, h: int, w: int, fx: float, fy: float) -> Floats32:
    """Smooth noise, -1 to 1, in blobs of about fx by fy pixels."""
    small = rng.uniform(-1, 1, (max(2, int(h / fy) + 2), max(2, int(w / fx) + 2))).astype(np.float32)
    return cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC)


def table(rng: np.random.Generator, h: int, w: int) -> Floats32:
    """A table: plain, wood, felt, carpet, weave, tiles, stone or print, with an uneven light."""
    base = any_colour(rng, 0.05, 1.0)
    kind = rng.choice(
        ["plain", "wood", "felt", "carpet", "weave", "tiles", "stone", "print"],
        p=[0.25, 0.17, 0.15, 0.14, 0.08, 0.06, 0.1, 0.05],
    )
    y, x = np.mgrid[:h, :w].astype(np.float32)
    angle = rng.uniform(0, np.pi)
    along, across = x * np.cos(angle) + y * np.sin(angle), -x * np.sin(angle) + y * np.cos(angle)
    texture = 0.02 * _noise(rng, h, w, 3, 3)
    if kind == "wood":
        rings = across / rng.uniform(6, 40) + rng.uniform(0.3, 3) * _noise(rng, h, w, w / 2, h / 2) + along / 400
        texture = texture + rng.uniform(0.03, 0.15) * np.sin(rings * 2)
        grain = cv2.warpAffine(
            _noise(rng, h, w, 60, 1.5), cv2.getRotationMatrix2D((w / 2, h / 2), -np.degrees(angle), 1.6), (w, h)
        )
        texture = texture + rng.uniform(0.02, 0.08) * grain
        if rng.random() < 0.6:
            base = np.array([0.3, 0.5, 0.75], np.float32) * rng.uniform(0.4, 1.25)
    elif kind == "felt":
        texture = texture + rng.uniform(0.03, 0.12) * rng.standard_normal((h, w)).astype(np.float32)
        texture = cv2.GaussianBlur(texture, (0, 0), rng.uniform(0.5, 1.2))
    elif kind == "carpet":
        for size in (2, 4, 8):
            texture = texture + rng.uniform(0.03, 0.2) * _noise(rng, h, w, size * rng.uniform(0.7, 2), size)
    elif kind == "weave":
        period = rng.uniform(4, 16)
        texture = texture + rng.uniform(0.05, 0.4) * np.sign(np.sin(along * 6.28 / period)) * np.sin(
            across * 6.28 / period
        )
    elif kind == "tiles":
        period = rng.uniform(25, 120)
        lines = np.minimum(np.abs(along % period - period / 2), np.abs(across % period - period / 2))
        texture = texture - rng.uniform(0.1, 0.4) * (lines < rng.uniform(0.7, 3))
        cell = (np.floor(along / period) + np.floor(across / period)) % 2
        texture = texture + rng.uniform(0, 0.3) * cell
    elif kind == "stone":
        texture = (
            texture + 0.2 * (_noise(rng, h, w, 5, 5) > rng.uniform(0.3, 0.8)) - 0.1 * (_noise(rng, h, w, 9, 9) > 0.5)
        )
    picture = base * (1 + texture[..., None] * (0.5 + rng.random(3).astype(np.float32)))
    picture = picture + 0.3 * texture[..., None]
    if kind == "print":
        other = any_colour(rng)
        mask = (_noise(rng, h, w, rng.uniform(8, 80), rng.uniform(8, 80)) > 0.15)[..., None]
        picture = np.where(mask, picture, other)
    if rng.random() < 0.3:  # another surface begins at an edge: a tray's wall, the table's edge
        other = any_colour(rng, 0, 0.9)
        for _ in range(rng.integers(1, 4)):
            a = rng.uniform(0, 2 * np.pi)
            edge = (x - w / 2) * np.cos(a) + (y - h / 2) * np.sin(a) - rng.uniform(0.15, 0.6) * w
            mask = np.clip(edge / 2 + 0.5, 0, 1)[..., None]
            picture = picture * (1 - mask) + mask * other * (1 + 0.1 * _noise(rng, h, w, 30, 8)[..., None])
    return picture.astype(np.float32)


def _blend(picture: Floats32, mask: Floats32, colour: Floats32) -> None:
    picture *= 1 - mask[..., None]
    picture += mask[..., None] * colour


def _disc(picture: Floats32, at: tuple[float, float], radius: float, colour: Floats32, soft: float = 1.0) -> None:
    h, w = picture.shape[:2]
    x0, x1 = int(max(0, at[0] - radius - 3)), int(min(w, at[0] + radius + 4))
    y0, y1 = int(max(0, at[1] - radius - 3)), int(min(h, at[1] + radius + 4))
    if x0 >= x1 or y0 >= y1:
        return
    y, x = np.mgrid[y0:y1, x0:x1].astype(np.float32)
    far = np.sqrt((x - at[0]) ** 2 + (y - at[1]) ** 2)
    _blend(picture[y0:y1, x0:x1], np.clip((radius - far) / soft + 0.5, 0, 1).astype(np.float32), colour)


def _coin(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = np.array([rng.uniform(0.2, 0.8), rng.uniform(0.4, 0.8), rng.uniform(0.5, 0.9)], np.float32)
    _disc(picture, (at[0] + 2, at[1] + 2), size / 2 + 1, tone * 0.3)
    _disc(picture, at, size / 2, tone)
    _disc(picture, at, size * 0.42, tone * rng.uniform(0.75, 1.15))
    for _ in range(rng.integers(0, 9)):
        a, r = rng.uniform(0, 6.3), rng.uniform(0, 0.28) * size
        spot = (at[0] + r * np.cos(a), at[1] + r * np.sin(a))
        _disc(picture, spot, rng.uniform(0.02, 0.12) * size, tone * rng.uniform(0.5, 1.4))


def _button(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = any_colour(rng)
    _disc(picture, (at[0] + 2, at[1] + 2), size / 2 + 1, tone * 0.3)
    _disc(picture, at, size / 2, tone)
    _disc(picture, at, size * 0.36, tone * 0.85)
    holes, turn = rng.choice([1, 2, 4]), rng.uniform(0, 6.3)
    for k in range(holes):
        a = turn + k * 2 * np.pi / holes
        reach = 0.0 if holes == 1 else 0.13 * size
        _disc(picture, (at[0] + reach * np.cos(a), at[1] + reach * np.sin(a)), 0.06 * size, tone * 0.15)


def _screw(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = np.full(3, rng.uniform(0.15, 0.7), np.float32)
    size = size * 0.5
    _disc(picture, at, size / 2 + 1.5, tone * 0.6)
    _disc(picture, at, size / 2, tone)
    a = rng.uniform(0, 3.1)
    if rng.random() < 0.6:
        for turn in (a, a + np.pi / 2):
            d = np.array([np.cos(turn), np.sin(turn)]) * size * 0.4
            ends = [tuple(int(v) for v in np.asarray(at) + k * d) for k in (-1, 1)]
            cv2.line(picture, ends[0], ends[1], (tone * 0.4).tolist(), max(1, int(size / 10)), cv2.LINE_AA)


def _quad(at: tuple[int, int], w: float, h: float, angle: float) -> NDArray[np.int32]:
    return np.round(cv2.boxPoints(((float(at[0]), float(at[1])), (w, h), angle))).astype(np.int32)


def _domino(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    dark = rng.random() < 0.5
    tone = np.full(3, rng.uniform(0.05, 0.2) if dark else rng.uniform(0.75, 1), np.float32)
    ink = np.full(3, 0.95 if dark else 0.08, np.float32)
    angle = rng.uniform(0, 180)
    side = size * rng.uniform(0.6, 1.0)
    cv2.fillConvexPoly(picture, _quad((at[0] + 2, at[1] + 2), 2 * side, side, angle), (tone * 0.25).tolist())
    cv2.fillConvexPoly(picture, _quad(at, 2 * side, side, angle), tone.tolist(), cv2.LINE_AA)
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    across = np.array([-along[1], along[0]])
    a = [tuple(int(v) for v in np.asarray(at) + k * across * side * 0.42) for k in (-1, 1)]
    cv2.line(picture, a[0], a[1], ink.tolist(), max(1, int(side / 20)), cv2.LINE_AA)
    for half in (-0.5, 0.5):
        for u, v in PIPS.get(int(rng.integers(0, 7)), ()):
            spot = np.asarray(at) + along * side * (half + u * 0.26) + across * side * v * 0.26
            _disc(picture, (float(spot[0]), float(spot[1])), side * 0.085, ink)


def _card(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    angle = rng.uniform(0, 180)
    cv2.fillConvexPoly(picture, _quad(at, 2.2 * size, 1.5 * size, angle), (0.95, 0.97, 0.97), cv2.LINE_AA)
    ink = (0.1, 0.1, 0.8) if rng.random() < 0.5 else (0.1, 0.1, 0.1)
    along = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    across = np.array([-along[1], along[0]])
    rows, columns = rng.integers(1, 5), rng.integers(1, 4)
    for r in range(rows):
        for c in range(columns):
            spot = np.asarray(at) + along * size * 1.5 * ((r + 0.5) / rows - 0.5)
            spot = spot + across * size * 0.9 * ((c + 0.5) / columns - 0.5)
            cv2.fillConvexPoly(
                picture,
                _quad((int(spot[0]), int(spot[1])), size * 0.16, size * 0.16, angle + 45),
                ink,
                cv2.LINE_AA,
            )


def _words(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    text = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUXYZ0123456789.:-*%o")) for _ in range(rng.integers(1, 9)))
    mask = np.zeros(picture.shape[:2], np.uint8)
    where, scale, thick = (at[0] - int(size), at[1]), float(size / 50), int(rng.integers(1, 4))
    cv2.putText(mask, text, where, cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
    _blend(picture, (mask / 255).astype(np.float32), any_colour(rng))


def _dots(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = any_colour(rng)
    for _ in range(rng.integers(1, 9)):
        spot = np.asarray(at) + rng.normal(0, size / 2, 2)
        _disc(picture, (float(spot[0]), float(spot[1])), rng.uniform(1, 0.12 * size + 1.5), tone)


def _block(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = any_colour(rng)
    quad = _quad(at, size * rng.uniform(0.4, 3), size * rng.uniform(0.3, 1.5), rng.uniform(0, 180))
    cv2.fillConvexPoly(picture, quad + 2, (tone * 0.35).tolist(), cv2.LINE_AA)
    cv2.fillConvexPoly(picture, quad, tone.tolist(), cv2.LINE_AA)
    if rng.random() < 0.4:
        cv2.polylines(picture, [quad], True, (tone * rng.uniform(0.5, 1.4)).tolist(), int(rng.integers(1, 4)))


def _cable(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    t = np.linspace(0, 1, 40)[:, None]
    a, b, c = (np.asarray(at) + rng.normal(0, 2.5 * size, 2) for _ in range(3))
    points = (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t * t * c
    cv2.polylines(
        picture,
        [np.round(points).astype(np.int32)],
        False,
        any_colour(rng, 0, 0.7).tolist(),
        int(rng.integers(1, max(2, int(size / 5)) + 1)),
        cv2.LINE_AA,
    )


def _pawn(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    tone = any_colour(rng)
    _disc(picture, (at[0] + 0.15 * size, at[1] + 0.15 * size), size * 0.42, tone * 0.25, soft=5)
    _disc(picture, at, size * 0.4, tone)
    _disc(picture, (at[0] - 0.05 * size, at[1] - 0.05 * size), size * 0.2, np.minimum(tone * 1.3, 1))
    _disc(picture, (at[0] - 0.09 * size, at[1] - 0.1 * size), size * 0.05, np.ones(3, np.float32))


def hand(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    """Draws fingers and a palm in a skin tone, shaded towards their edges."""
    tone = np.array([0.45, 0.58, 0.8], np.float32) * rng.uniform(0.35, 1.2)
    mask = np.zeros(picture.shape[:2], np.float32)
    away = rng.uniform(0, 2 * np.pi)
    palm = np.asarray(at) + np.array([np.cos(away), np.sin(away)]) * size * 1.6
    for k in range(rng.integers(1, 5)):
        tip = np.asarray(at) + np.array([-np.sin(away), np.cos(away)]) * size * 0.45 * (k - 1.5)
        tip = tip - np.array([np.cos(away), np.sin(away)]) * rng.uniform(0, 0.5) * size
        line = np.round(np.stack([tip, palm])).astype(np.int32)
        cv2.line(mask, tuple(line[0].tolist()), tuple(line[1].tolist()), 1.0, max(2, int(size * 0.36)))
    cv2.circle(mask, tuple(int(v) for v in palm), int(size * 0.9), 1.0, -1)
    depth = cv2.GaussianBlur(mask, (0, 0), max(1.0, size * 0.12))
    shadow = cv2.GaussianBlur(np.roll(mask, int(size * 0.1), 0), (0, 0), max(1.0, size * 0.1))
    picture *= 1 - 0.5 * shadow[..., None] * (1 - mask[..., None])
    _blend(picture, cv2.GaussianBlur(mask, (0, 0), 0.8), np.zeros(3, np.float32))
    picture += cv2.GaussianBlur(mask, (0, 0), 0.8)[..., None] * tone * (0.45 + 0.6 * depth[..., None])


def _rings(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    for _ in range(rng.integers(1, 4)):
        cv2.circle(
            picture,
            (int(at[0] + rng.normal(0, size / 6)), int(at[1] + rng.normal(0, size / 6))),
            int(size * rng.uniform(0.15, 0.8)) + 1,
            any_colour(rng).tolist(),
            int(rng.integers(1, 5)),
            cv2.LINE_AA,
        )


def _plate(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    """A plain disc or square as large as a die: a screw cap, a felt glider, a blank tile."""
    tone = any_colour(rng)
    if rng.random() < 0.6:
        _disc(picture, at, size * rng.uniform(0.35, 0.55), tone)
        if rng.random() < 0.5:
            _disc(picture, (at[0] + rng.normal(0, 0.1) * size, at[1]), size * rng.uniform(0.05, 0.3), tone * 0.8)
    else:
        side, angle = size * rng.uniform(0.7, 1.1), rng.uniform(0, 90)
        cv2.fillConvexPoly(picture, _quad((at[0] + 2, at[1] + 2), side, side, angle), (tone * 0.3).tolist())
        cv2.fillConvexPoly(picture, _quad(at, side, side, angle), tone.tolist(), cv2.LINE_AA)


def _keys(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    """A part of a keyboard: keys in shifted rows, each with a letter or a sign."""
    body, key = any_colour(rng, 0, 0.4), any_colour(rng, 0, 0.35)
    ink = any_colour(rng, 0.6, 1.0)
    if rng.random() < 0.3:
        body, key, ink = 1 - body, 1 - key, 1 - ink
    pitch, angle, width = size * rng.uniform(0.6, 1.2), rng.uniform(0, 2 * np.pi), rng.uniform(0.8, 1.2)
    along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(2, 7))
    letters = np.zeros(picture.shape[:2], np.uint8)
    case = _quad(at, (columns + 1.2) * pitch * width, (rows + 0.6) * pitch, float(np.degrees(angle)))
    cv2.fillConvexPoly(picture, case, body.tolist(), cv2.LINE_AA)
    for row in range(rows):
        shift = rng.uniform(-0.4, 0.4)
        for column in range(columns):
            spot = np.asarray(at) + along * (column - columns / 2 + 0.5 + shift) * pitch * width
            spot = spot + across * (row - rows / 2 + 0.5) * pitch
            where = (int(spot[0]), int(spot[1]))
            quad = _quad(where, 0.84 * pitch * width, 0.84 * pitch, float(np.degrees(angle)))
            cv2.fillConvexPoly(picture, quad, (key * rng.uniform(0.85, 1.15)).tolist(), cv2.LINE_AA)
            cv2.polylines(picture, [quad], True, (key * 1.5 + 0.03).tolist(), 1, cv2.LINE_AA)
            letter = str(rng.choice(list("QWERTYUIOPASDFGHJKLZXCVBNM0123456789^-_/")))
            spot = spot + pitch * rng.normal(0, 0.12, 2)
            where = (int(spot[0] - 0.1 * pitch), int(spot[1] + 0.1 * pitch))
            cv2.putText(letters, letter, where, cv2.FONT_HERSHEY_SIMPLEX, float(pitch / 90), 255, 1, cv2.LINE_AA)
    _blend(picture, (letters / 255).astype(np.float32), ink)


def _plug(rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float) -> None:
    """A plug or a pen's cap: a thick rod with grooves and notches, and a cable at one end."""
    tone, angle = any_colour(rng, 0, 0.5), rng.uniform(0, 2 * np.pi)
    along = np.array([np.cos(angle), np.sin(angle)])
    thick, length = size * rng.uniform(0.4, 0.9), size * rng.uniform(0.8, 2.5)
    cv2.fillConvexPoly(
        picture, _quad((at[0] + 3, at[1] + 3), length, thick, float(np.degrees(angle))), (tone * 0.3).tolist()
    )
    cv2.fillConvexPoly(picture, _quad(at, length, thick, float(np.degrees(angle))), tone.tolist(), cv2.LINE_AA)
    for _ in range(rng.integers(1, 7)):
        spot = np.asarray(at) + along * rng.uniform(-0.5, 0.5) * length
        notch = _quad(
            (int(spot[0]), int(spot[1])), size * rng.uniform(0.03, 0.12), thick * rng.uniform(0.2, 1), np.degrees(angle)
        )
        cv2.fillConvexPoly(picture, notch, (tone * rng.uniform(0.3, 2)).tolist(), cv2.LINE_AA)
    end = np.asarray(at) + along * length / 2
    t = np.linspace(0, 1, 20)[:, None]
    bend, far = end + along * size, end + along * 2 * size + rng.normal(0, 1.5 * size, 2)
    cable = (1 - t) ** 2 * end + 2 * t * (1 - t) * bend + t * t * far
    width = max(1, int(thick * rng.uniform(0.15, 0.4)))
    cv2.polylines(picture, [np.round(cable).astype(np.int32)], False, (tone * 0.8).tolist(), width, cv2.LINE_AA)


CLUTTER: tuple[Draw, ...] = (
    _coin,
    _button,
    _screw,
    _screw,
    _domino,
    _domino,
    _card,
    _card,
    _plate,
    _words,
    _dots,
    _block,
    _cable,
    _pawn,
    _rings,
    hand,
)


DESK: tuple[Draw, ...] = (_keys, _plug)
"""Further objects on desks; not in rendered scenes."""


def clutter(
    rng: np.random.Generator, picture: Floats32, at: tuple[int, int], size: float, things: tuple[Draw, ...] = CLUTTER
) -> None:
    """Draws one of the `things`, about `size` pixels wide."""
    things[int(rng.integers(len(things)))](rng, picture, at, size)
