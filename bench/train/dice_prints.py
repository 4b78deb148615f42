"""Grounds, and prints on blocks that resemble dice, for scenes that `bench.train.dice_rays` traces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.dice_solid import PIPS
from bench.train.dice_tables import any_colour, clutter, table

Bytes = NDArray[np.uint8]

GROUND_PX, PRINT_PX = 384, 96
CHECKED, DARKENED, LETTERED = 0.12, 0.4, 0.15
"""Shares of grounds with checks or stripes laid over, of dark ones, and of posters and newspapers."""
GLYPHS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?'\"-=+*/\\|_()[]<>&#%@oOxX")
BOLD = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ioaeg") + list("0689BDOQ%%%::;.!?i") * 2
"""Large, thick letters of posters and books: mostly round ones, or with dots."""


def ground(rng: np.random.Generator) -> Bytes:
    """A table from above, (GROUND_PX, GROUND_PX, 3) red, green, blue; half have flat things drawn on them."""
    picture = table(rng, GROUND_PX, GROUND_PX)
    if rng.random() < CHECKED:
        y, x = np.mgrid[:GROUND_PX, :GROUND_PX]
        side_px, turn = rng.uniform(20, 110), rng.uniform(0, 1.5)
        along, across = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        cell = along // side_px + (across // side_px if rng.random() < 0.6 else 0)
        other = any_colour(rng) * picture.mean() * 2
        picture = np.where((cell % 2 == 1)[..., None], other, picture).astype(np.float32)
    if rng.random() < LETTERED:
        picture = _lettered(rng, picture)
    if rng.random() < DARKENED:
        picture = picture * np.float32(rng.uniform(0.05, 0.4))
    for _ in range(int(rng.choice([0, rng.integers(0, 14)]))):
        clutter(rng, picture, tuple(rng.integers(0, GROUND_PX, 2).tolist()), float(rng.uniform(12, 40)))
    return np.ascontiguousarray((np.clip(picture, 0, 1) * 255).astype(np.uint8)[..., ::-1])


def _bold(
    rng: np.random.Generator, picture: NDArray[Any], at: tuple[float, float], tall_px: float, colour: NDArray[Any]
) -> None:
    """A thick letter, sign or disc, its middle at (x, y)."""
    if rng.random() < 0.15:
        cv2.circle(picture, (int(at[0]), int(at[1])), max(1, int(tall_px / 2)), colour.tolist(), -1, cv2.LINE_AA)
        return
    shown, font = str(rng.choice(BOLD)), int(rng.choice([0, 2, 3, 4]))
    size, line = tall_px / 22, max(1, int(tall_px * rng.uniform(0.1, 0.3)))
    (width, height), _ = cv2.getTextSize(shown, font, size, line)
    start = (int(at[0] - width / 2), int(at[1] + height / 2))
    cv2.putText(picture, shown, start, font, size, colour.tolist(), line, cv2.LINE_AA)


def _lettered(rng: np.random.Generator, picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """A ground with rows of bold print on paper laid over it, or strewn."""
    paper = (
        any_colour(rng) if rng.random() < 0.5 else np.full(3, rng.choice([rng.uniform(0.8, 1), rng.uniform(0, 0.1)]))
    )
    inked = np.clip((picture * 0.15 + paper * 0.85) * 255, 0, 255).astype(np.uint8)
    ink = _shade(any_colour(rng, 0, 0.3) if paper.mean() > 0.45 else any_colour(rng, 0.7))
    tall_px = rng.uniform(10, 90)
    if rng.random() < 0.4:
        for x, y in rng.uniform(0, GROUND_PX, (int(rng.integers(3, 20)), 2)):
            colour = _shade(any_colour(rng)) if rng.random() < 0.5 else ink
            _bold(rng, inked, (x, y), tall_px * rng.uniform(0.5, 1.5), colour)
        return (inked / 255).astype(np.float32)
    y = tall_px
    while y < GROUND_PX:
        for x in np.arange(tall_px / 2, GROUND_PX, tall_px * rng.uniform(0.8, 1.2)):
            if rng.random() < 0.85:
                _bold(rng, inked, (x, y), tall_px, ink)
        tall_px = float(np.clip(tall_px * rng.choice([1, 1, rng.uniform(0.4, 2)]), 8, 110))
        y += tall_px * rng.uniform(1.3, 2)
    return (inked / 255).astype(np.float32)


@dataclass(slots=True)
class Print:
    """A print before it is drawn: its picture, BGR bytes, with the colour of the body and of the ink, 0 to 1."""

    picture: Bytes
    body: NDArray[np.float64]
    ink: NDArray[np.float64]

    def disc(
        self, x: float, y: float, radius: float, colour: NDArray[np.float64] | None = None, line: int = -1
    ) -> None:
        """At (x, y), in sides of the print; filled, or a line so thick."""
        at = (int(x * PRINT_PX * 16), int(y * PRINT_PX * 16))
        drawn = max(1, int(radius * PRINT_PX * 16))
        cv2.circle(self.picture, at, drawn, _bytes_of(self.ink if colour is None else colour), line, cv2.LINE_AA, 4)

    def glyph(self, rng: np.random.Generator, x: float, y: float, size: float) -> None:
        """A letter or a sign with its middle there."""
        shown, font, line = str(rng.choice(GLYPHS)), int(rng.integers(0, 6)), max(1, int(rng.integers(1, 9) * size / 2))
        (width, height), _ = cv2.getTextSize(shown, font, size, line)
        at = (int(x * PRINT_PX - width / 2), int(y * PRINT_PX + height / 2))
        cv2.putText(self.picture, shown, at, font, size, _bytes_of(self.ink), line, cv2.LINE_AA)

    def line(self, a: tuple[float, float], b: tuple[float, float], thick: int) -> None:
        """From a to b, in sides of the print."""
        ends = [tuple(int(v * PRINT_PX) for v in end) for end in (a, b)]
        cv2.line(self.picture, ends[0], ends[1], _bytes_of(self.ink), thick, cv2.LINE_AA)


Draw = Callable[[np.random.Generator, Print], None]


def _shade(colour: NDArray[Any]) -> NDArray[Any]:
    return np.clip(colour, 0, 1) * 255


def _bytes_of(colour: NDArray[Any]) -> list[float]:
    return _shade(colour).tolist()


def _colours(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Colours of a body, mostly white or black, and of its ink."""
    white, black = np.array([0.9, 0.93, 0.94]) * rng.uniform(0.8, 1.05), np.full(3, rng.uniform(0.02, 0.12))
    body = np.clip((white, black, any_colour(rng))[rng.choice(3, p=[0.45, 0.25, 0.3])], 0, 1)
    ink = np.full(3, rng.uniform(0.01, 0.15) if body.mean() > 0.45 else rng.uniform(0.8, 1.0))
    return body, any_colour(rng).astype(float) if rng.random() < 0.25 else ink


def _domino(rng: np.random.Generator, made: Print) -> None:
    """Squeezed to half its length: its block is twice as long as broad."""
    radius, step = rng.uniform(0.055, 0.1), rng.uniform(0.24, 0.3)
    for half in (0.25, 0.75):
        for u, v in PIPS.get(int(rng.integers(0, 7)), ()):
            at = (int((half + u * step / 2) * PRINT_PX), int((0.5 + v * step) * PRINT_PX))
            axes = (max(1, int(radius / 2 * PRINT_PX)), max(1, int(radius * PRINT_PX)))
            cv2.ellipse(made.picture, at, axes, 0, 0, 360, _bytes_of(made.ink), -1, cv2.LINE_AA)
    if rng.random() < 0.9:
        made.line((0.5, rng.uniform(0, 0.15)), (0.5, 0.9), int(rng.integers(1, 4)))


def _key(rng: np.random.Generator, made: Print) -> None:
    signs = int(rng.choice([0, 1, 1, 1, 2, 2, 3]))
    for _ in range(signs):
        size = rng.uniform(0.6, 2.6) if signs == 1 else rng.uniform(0.4, 1.2)
        made.glyph(rng, rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.8), float(size))
    if rng.random() < 0.15:
        made.disc(rng.uniform(0.2, 0.8), rng.uniform(0.15, 0.85), rng.uniform(0.03, 0.08))


def _cap(rng: np.random.Generator, made: Print) -> None:
    """A keyboard's key: one sign, in its middle or its corner."""
    x, y = (0.5, 0.5) if rng.random() < 0.5 else (0.32, 0.35)
    made.glyph(rng, x, y, float(rng.uniform(0.8, 1.6)))


def _letters(rng: np.random.Generator, made: Print) -> None:
    """One to five, large and thick: on covers and boxes."""
    many = int(rng.integers(1, 6))
    tall_px = PRINT_PX * rng.uniform(0.25, 0.75 if many < 3 else 0.4)
    for x, y in rng.uniform(0.2, 0.8, (many, 2)) * PRINT_PX:
        _bold(rng, made.picture, (x, y), tall_px, _shade(made.ink if rng.random() < 0.7 else any_colour(rng)))


def _lamps(rng: np.random.Generator, made: Print) -> None:
    """Discs in a row, as of a traffic light."""
    many, radius, is_upright = int(rng.integers(2, 5)), rng.uniform(0.25, 0.48), rng.random() < 0.5
    for k in range(many):
        along = (k + 0.5) / many
        made.disc(*((0.5, along) if is_upright else (along, 0.5)), radius / many, any_colour(rng, 0.5).astype(float))


def _smiley(rng: np.random.Generator, made: Print) -> None:
    made.disc(0.5, 0.5, 0.45, any_colour(rng, 0.6).astype(float))
    eye, apart = rng.uniform(0.04, 0.09), rng.uniform(0.12, 0.2)
    for side in (-1, 1):
        made.disc(0.5 + side * apart, 0.38, eye)
    axes, low = (int(rng.uniform(0.15, 0.28) * PRINT_PX), int(rng.uniform(0.05, 0.2) * PRINT_PX)), int(0.6 * PRINT_PX)
    cv2.ellipse(made.picture, (PRINT_PX // 2, low), axes, 0, 0, 180, _bytes_of(made.ink), 4, cv2.LINE_AA)


def _discs(rng: np.random.Generator, made: Print) -> None:
    """A few, large, apart or over one another."""
    for _ in range(int(rng.integers(1, 6))):
        made.disc(
            *rng.uniform(0.15, 0.85, 2),
            rng.uniform(0.06, 0.22),
            made.ink if rng.random() < 0.6 else any_colour(rng).astype(float),
        )


def _dots(rng: np.random.Generator, made: Print) -> None:
    if rng.random() < 0.4:
        many = int(rng.integers(2, 7))
        radius = rng.uniform(0.15, 0.42) / many
        for a, b in np.ndindex(many, many):
            made.disc((a + 0.5) / many, (b + 0.5) / many, radius)
        return
    radius = rng.uniform(0.02, 0.12)
    for _ in range(int(rng.integers(1, 14))):
        made.disc(*rng.uniform(0.1, 0.9, 2), radius * rng.uniform(0.6, 1.3))


def _coin(rng: np.random.Generator, made: Print) -> None:
    for _ in range(int(rng.integers(1, 5))):
        made.disc(0.5, 0.5, rng.uniform(0.1, 0.48), made.body * rng.uniform(0.5, 1.4), int(rng.integers(1, 6)))
    made.ink = made.body * rng.uniform(0.3, 1.5)
    if rng.random() < 0.7:
        made.glyph(rng, 0.5, 0.5, float(rng.uniform(0.8, 2.4)))
    for _ in range(int(rng.integers(0, 9))):
        made.disc(*rng.uniform(0.2, 0.8, 2), rng.uniform(0.02, 0.09))


def _button(rng: np.random.Generator, made: Print) -> None:
    holes = int(rng.choice([1, 2, 4]))
    for k in range(holes):
        away, turn = (0.12 if holes > 1 else 0.0), 2 * np.pi * k / holes
        made.disc(0.5 + away * np.cos(turn), 0.5 + away * np.sin(turn), 0.055, np.full(3, 0.08))
    made.disc(0.5, 0.5, rng.uniform(0.3, 0.42), made.body * 0.8, 2)


def _card(rng: np.random.Generator, made: Print) -> None:
    for _ in range(int(rng.integers(1, 11))):
        x, y, half = rng.choice([0.3, 0.5, 0.7]), rng.choice([0.2, 0.35, 0.5, 0.65, 0.8]), rng.uniform(0.04, 0.07)
        corners = np.array([[x - half, y], [x, y - half], [x + half, y], [x, y + half]]) * PRINT_PX
        cv2.fillConvexPoly(made.picture, corners.astype(np.int32), _bytes_of(made.ink), cv2.LINE_AA)
    made.glyph(rng, 0.12, 0.12, 0.5)


def _icons(rng: np.random.Generator, made: Print) -> None:
    many = int(rng.integers(3, 7))
    half = 0.3 / many
    for a, b in np.ndindex(many, many):
        x, y = (a + 0.5) / many, (b + 0.5) / many
        corners = [tuple(int(v * PRINT_PX) for v in at) for at in ((x - half, y - half), (x + half, y + half))]
        cv2.rectangle(made.picture, corners[0], corners[1], _bytes_of(rng.uniform(0.05, 1, 3)), -1)
        for _ in range(int(rng.integers(0, 4))):
            u, v = rng.uniform(-0.6, 0.6, 2) * half
            made.disc(x + u, y + v, rng.uniform(0.1, 0.5) * half, rng.uniform(0, 1, 3))


def _board(rng: np.random.Generator, made: Print) -> None:
    many = int(rng.integers(2, 9))
    cells = np.clip(np.stack([made.body, made.ink]) * 255, 0, 255).astype(np.uint8)[np.indices((many, many)).sum(0) % 2]
    made.picture[:] = cv2.resize(cells, (PRINT_PX, PRINT_PX), interpolation=cv2.INTER_NEAREST)
    for _ in range(int(rng.integers(0, 5))):
        x, y = (rng.integers(many, size=2) + 0.5) / many
        made.disc(x, y, 0.35 / many, rng.uniform(0, 1, 3))


def _rings(rng: np.random.Generator, made: Print) -> None:
    for _ in range(int(rng.integers(1, 5))):
        made.disc(0.5, 0.5, rng.uniform(0.1, 0.48), made.body * rng.uniform(0.5, 1.4), int(rng.integers(1, 6)))


def _screw(rng: np.random.Generator, made: Print) -> None:
    turn = rng.uniform(0, np.pi)
    for k in range(int(rng.choice([1, 2, 3]))):
        u, v = 0.35 * np.cos(turn + k * np.pi / 2), 0.35 * np.sin(turn + k * np.pi / 2)
        made.line((0.5 - u, 0.5 - v), (0.5 + u, 0.5 + v), int(rng.integers(3, 12)))


def _text(rng: np.random.Generator, made: Print) -> None:
    y = 0.1
    while y < 1:
        size = float(rng.choice([0.3, 0.3, 0.5, 1.2]))
        at = (int(rng.uniform(0, 0.2) * PRINT_PX), int(y * PRINT_PX))
        words, font = "".join(rng.choice(GLYPHS, 12)), int(rng.integers(0, 6))
        cv2.putText(made.picture, words, at, font, size, _bytes_of(made.ink), max(1, int(2 * size)), cv2.LINE_AA)
        y += 0.1 + 0.3 * size


def _frame(rng: np.random.Generator, made: Print) -> None:
    edge = rng.uniform(0.05, 0.2)
    corners = [(int(v * PRINT_PX),) * 2 for v in (edge, 1 - edge)]
    cv2.rectangle(made.picture, corners[0], corners[1], _bytes_of(made.ink), int(rng.integers(1, 6)))
    if rng.random() < 0.6:
        made.disc(0.5, 0.5, rng.uniform(0.05, 0.3))


def _blank(rng: np.random.Generator, made: Print) -> None:
    """Nothing."""


DRAWN: tuple[tuple[str, Draw], ...] = (
    ("domino", _domino), ("domino", _domino), ("key", _key), ("key", _key), ("key", _key), ("dots", _dots),
    ("coin", _coin), ("button", _button), ("card", _card), ("icons", _icons), ("board", _board), ("rings", _rings),
    ("screw", _screw), ("text", _text), ("blank", _blank), ("frame", _frame),
    ("cap", _cap), ("cap", _cap), ("letters", _letters), ("letters", _letters), ("lamps", _lamps),
    ("smiley", _smiley), ("discs", _discs),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Prints:
    """Prints to choose from: pictures (n, PRINT_PX, PRINT_PX, 3) red, green, blue; bodies (n, 3) BGR 0 to 1."""

    pictures: Bytes
    bodies: NDArray[np.float64]

    def of(self, *kinds: str) -> NDArray[np.intp]:
        """The numbers of the prints of these kinds."""
        return np.array([k for k in range(len(self.pictures)) if DRAWN[k % len(DRAWN)][0] in kinds])


def prints(count: int, seed: int = 0) -> Prints:
    """`count` prints, of all kinds in turn."""
    made = []
    for k in range(count):
        rng = np.random.default_rng((seed, k))
        body, ink = _colours(rng)
        one = Print(np.tile((body * 255).astype(np.uint8), (PRINT_PX, PRINT_PX, 1)), body, ink)
        DRAWN[k % len(DRAWN)][1](rng, one)
        made.append(one)
    return Prints(np.stack([one.picture[..., ::-1] for one in made]), np.stack([one.body for one in made]))
