"""Rendered pictures of cards with their truth: layouts, cameras, light, hands, blur, noise, JPEG."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.drawn.tables import clutter, table
from bench.train.cards_art import FACE_HEIGHT_PX, FACE_WIDTH_PX, Image, PackArt
from bench.train.cards_faces import ArtPack, Card, CardFace, OwnPack, any_card

CARD_WIDTH_MM = 61.0
CARD_HEIGHT_MM = 88.0
CORNERS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * [FACE_WIDTH_PX, FACE_HEIGHT_PX]
GRID = np.stack(np.meshgrid(np.linspace(-0.45, 0.45, 5), np.linspace(-0.46, 0.46, 12)), -1).reshape(-1, 2)
"""Places on an index, in its widths and heights from its middle."""


@dataclass(frozen=True, slots=True)
class IndexTruth:
    """An index in the picture: middle, height along its up direction, angle of "down" (0: upright), px and rad."""

    card: Card
    x: float
    y: float
    height_px: float
    width_px: float
    angle: float
    seen: float
    rank_seen: float
    suit_seen: float
    card_number: int


@dataclass(frozen=True, slots=True)
class CardTruth:
    """A card in the picture; `card` None: face down. `seen`: the uncovered share."""

    card: Card | None
    corners: NDArray[np.float64]
    seen: float


@dataclass(frozen=True, slots=True)
class CardScene:
    """A picture (BGR) and its contents."""

    picture: Image
    indices: tuple[IndexTruth, ...]
    cards: tuple[CardTruth, ...]


@dataclass(frozen=True, slots=True)
class SceneCard:
    """A card on the table: middle in mm, angle in rad, its face."""

    x_mm: float
    y_mm: float
    angle: float
    face: CardFace


Deck = OwnPack | ArtPack


def ground_of(rng: np.random.Generator, size_px: int) -> Image:
    """A table without cards, (size_px, size_px, 3)."""
    return np.asarray(np.clip(table(rng, size_px, size_px), 0, 1) * 255, np.uint8)


def smooth_noise(rng: np.random.Generator, size: tuple[int, int], cells: tuple[int, int]) -> NDArray[np.float32]:
    """Noise from 0 to 1 with about `cells` blobs down and across."""
    small = rng.random((cells[0] + 2, cells[1] + 2), np.float32)
    return np.clip(cv2.resize(small, (size[1], size[0]), interpolation=cv2.INTER_CUBIC), 0, 1)


class Studio:
    """Renders scenes; packs change every few scenes."""

    def __init__(self, rng: np.random.Generator, art: list[PackArt], fonts: list[Path]) -> None:
        self.rng, self.art, self.fonts = rng, art, fonts
        self.joker_share, self.back_share = 0.05, 0.06
        self._deck: Deck = OwnPack(rng, fonts, art)
        self._left = 0
        self._tables = [ground_of(rng, 512) for _ in range(24)]

    def deck(self) -> Deck:
        """The pack in use."""
        if self._left == 0:
            rng = self.rng
            if rng.random() < 0.7:
                self._deck = OwnPack(rng, self.fonts, self.art)
            else:
                self._deck = ArtPack(rng, self.fonts, self.art, self.art[rng.integers(len(self.art))])
            self._left = int(rng.integers(2, 7))
            self._tables[rng.integers(len(self._tables))] = ground_of(rng, 512)
        self._left -= 1
        return self._deck

    def scene(self, size_px: int, index_px: float, layout: str | None = None) -> CardScene:
        """A square picture, `size_px` wide, with an ordinary index (16 mm) about `index_px` tall."""
        rng, deck = self.rng, self.deck()
        scale = index_px / 16.0
        span_mm = size_px / scale
        kinds = ["separate", "touching", "cascade", "fan", "pile", "none"]
        layout = layout or str(rng.choice(kinds, p=[0.27, 0.13, 0.2, 0.22, 0.1, 0.08]))
        laid = lay(rng, deck, layout, span_mm, self.joker_share, self.back_share)
        camera = _camera(rng, size_px, scale)
        base = self._tables[rng.integers(len(self._tables))]
        ground = np.ascontiguousarray(
            cv2.resize(np.rot90(base, rng.integers(4)), (size_px, size_px), interpolation=cv2.INTER_AREA)
        )
        if rng.random() < 0.5 or layout == "none":
            lit = ground.astype(np.float32) / 255
            for _ in range(int(rng.integers(1, 5 if layout != "none" else 10))):
                at = rng.integers(0, size_px, 2)
                clutter(rng, lit, (int(at[0]), int(at[1])), float(rng.uniform(20, 120)))
            ground = np.asarray(np.clip(lit, 0, 1) * 255, np.uint8)
        return shoot(rng, ground, laid, camera, has_hand=layout == "fan" and rng.random() < 0.4)


def _camera(rng: np.random.Generator, size_px: int, scale: float) -> NDArray[np.float64]:
    """Table mm (middle at 0, 0) to pixels: turn, scale, tilt up to about 50 degrees."""
    turn = rng.uniform(0, 2 * np.pi)
    tilt = np.deg2rad(rng.uniform(0, 12) if rng.random() < 0.5 else rng.uniform(0, 50))
    c, s = np.cos(turn), np.sin(turn)
    rotate = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    far = size_px / scale * rng.uniform(1.0, 3.0)
    lens = np.array([[1, 0, 0], [0, np.cos(tilt), 0], [0, np.sin(tilt) / far, 1]])
    roll = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(roll), np.sin(roll)
    view = np.array([[c * scale, -s * scale, size_px / 2], [s * scale, c * scale, size_px / 2], [0, 0, 1]])
    return view @ lens @ rotate


def lay(
    rng: np.random.Generator, deck: Deck, layout: str, span_mm: float, joker_share: float, back_share: float
) -> list[SceneCard]:
    """Cards laid in a pattern on a square of about span_mm, the lowest first."""

    def face() -> CardFace:
        return deck.back() if rng.random() < back_share else deck.face(any_card(rng, joker_share))

    if layout == "none":
        return []
    if layout == "separate":
        cards: list[SceneCard] = []
        for _ in range(int(min(16, max(1, (span_mm / 95) ** 2 * rng.uniform(0.4, 1.1) + 1)))):
            x, y = rng.uniform(-0.5, 0.5, 2) * span_mm
            if all(np.hypot(x - o.x_mm, y - o.y_mm) > rng.uniform(75, 110) for o in cards):
                cards.append(SceneCard(x, y, rng.uniform(0, 2 * np.pi), face()))
        return cards
    if layout == "pile":
        count = int(rng.integers(2, 12))
        spread = rng.uniform(25, 60) * np.sqrt(count)
        return [SceneCard(*rng.normal(0, spread / 2, 2), rng.uniform(0, 2 * np.pi), face()) for _ in range(count)]
    if layout == "touching":
        rows, columns = int(min(4, span_mm // 90 + 1)), int(min(7, span_mm // 62 + 1))
        gap, turn = rng.uniform(-3, 6), rng.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        cards = []
        for row in range(rows):
            for column in range(columns):
                x = (column - (columns - 1) / 2) * (CARD_WIDTH_MM + gap) + rng.normal(0, 1)
                y = (row - (rows - 1) / 2) * (CARD_HEIGHT_MM + gap) + rng.normal(0, 1)
                around = turn + rng.normal(0, 0.03) + (np.pi if rng.random() < 0.5 else 0)
                cards.append(SceneCard(c * x - s * y, s * x + c * y, around, face()))
        return cards
    cards = []
    for _ in range(max(1, round((span_mm / 300) ** 2 * rng.uniform(0.5, 1.5)))):
        x, y = rng.uniform(-0.4, 0.4, 2) * span_mm
        cards += _cascade(rng, face, x, y) if layout == "cascade" else _fan(rng, face, x, y)
    return cards


def _cascade(rng: np.random.Generator, face: object, x: float, y: float) -> list[SceneCard]:
    """A row, each card shifted over the last, sideways or down, more or less neatly."""
    turn, count = rng.uniform(0, 2 * np.pi), int(rng.integers(2, 9))
    step = rng.uniform(9, 30) * (1 if rng.random() < 0.8 else -1)
    sideways = rng.random() < 0.7
    mess, cards = rng.uniform(0, 0.12), []
    c, s = np.cos(turn), np.sin(turn)
    for k in range(count):
        dx, dy = (k * step, rng.normal(0, 2)) if sideways else (rng.normal(0, 2), k * abs(step) * 1.2)
        around = turn + rng.normal(0, mess) + (np.pi if rng.random() < 0.15 else 0)
        cards.append(SceneCard(x + c * dx - s * dy, y + s * dx + c * dy, around, face()))  # type: ignore[operator]
    return cards


def _fan(rng: np.random.Generator, face: object, x: float, y: float) -> list[SceneCard]:
    """A fan, held or laid: cards turned about a point below them. The right card is on top, seldom the left card."""
    count = int(rng.integers(3, 14))
    step = np.deg2rad(rng.uniform(4, 14)) * (1 if rng.random() < 0.85 else -1)
    radius, turn = rng.uniform(50, 160), rng.uniform(0, 2 * np.pi)
    cards = []
    for k in range(count):
        around = turn + (k - count / 2) * step + rng.normal(0, 0.02)
        out = radius + rng.normal(0, 2.5)
        cards.append(
            SceneCard(x + out * np.sin(around), y - out * np.cos(around), around, face())  # type: ignore[operator]
        )
    return cards


_ALPHA = np.zeros((FACE_HEIGHT_PX, FACE_WIDTH_PX), np.uint8)
_ROUND = 14
cv2.rectangle(_ALPHA, (_ROUND, 0), (FACE_WIDTH_PX - _ROUND, FACE_HEIGHT_PX), 255, -1)
cv2.rectangle(_ALPHA, (0, _ROUND), (FACE_WIDTH_PX, FACE_HEIGHT_PX - _ROUND), 255, -1)
for _x in (_ROUND, FACE_WIDTH_PX - 1 - _ROUND):
    for _y in (_ROUND, FACE_HEIGHT_PX - 1 - _ROUND):
        cv2.circle(_ALPHA, (_x, _y), _ROUND, 255, -1, cv2.LINE_AA)


def mapped(h: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (N, 2) through a homography."""
    p = np.concatenate([points, np.ones((len(points), 1))], 1) @ h.T
    return np.asarray(p[:, :2] / p[:, 2:])


def warped(face: Image, to: NDArray[np.float64], size: tuple[int, int]) -> tuple[Image, NDArray[np.uint8]]:
    """A card's face and its shape (0 to 255) in a picture of a size. `to`: face pixels to the picture's."""
    area = abs(cv2.contourArea(mapped(to, CORNERS).astype(np.float32)))
    shrink, alpha, zoom = np.sqrt(area / (FACE_WIDTH_PX * FACE_HEIGHT_PX)), _ALPHA, 1.0
    while shrink / zoom < 0.6 and zoom > 0.13:
        zoom /= 2
    if zoom < 1:
        face = cv2.resize(face, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA)
        alpha = cv2.resize(alpha, (face.shape[1], face.shape[0]), interpolation=cv2.INTER_AREA)
    half, unhalf = np.eye(3), np.eye(3)
    half[:2, 2], unhalf[:2, 2] = 0.5, -0.5
    here = unhalf @ to @ np.diag([FACE_WIDTH_PX / face.shape[1], FACE_HEIGHT_PX / face.shape[0], 1.0]) @ half
    shown = cv2.warpPerspective(face, here, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return shown, cv2.warpPerspective(alpha, here, size, flags=cv2.INTER_LINEAR)


def shoot(
    rng: np.random.Generator, ground: Image, laid: list[SceneCard], camera: NDArray[np.float64], *, has_hand: bool
) -> CardScene:
    """Draws the cards on the ground, lights and photographs them."""
    picture = ground.copy()
    size = picture.shape[0]
    owner = np.full(picture.shape[:2], -1, np.int16)
    homs: list[NDArray[np.float64]] = []
    shadow, shade_by = rng.uniform(0.4, 0.95), rng.uniform(0, 5, 2) - 2.5
    for number, card in enumerate(laid):
        homs.append(_draw_card(picture, owner, number, card, camera, shadow, shade_by))
    covered = owner.copy()
    if has_hand or rng.random() < 0.12:
        _cover(rng, picture, covered, laid, homs, has_hand)
    indices = []
    cards = []
    for number, (card, hom) in enumerate(zip(laid, homs, strict=True)):
        corners = mapped(hom, CORNERS)
        if not np.all(np.abs(corners) < 3 * size):
            continue
        area = abs(cv2.contourArea(corners.astype(np.float32)))
        cards.append(CardTruth(card.face.card, corners, float((covered == number).sum() / max(area, 1))))
        indices += _index_truths(card.face, hom, covered, number)
    return CardScene(photograph(rng, picture), tuple(indices), tuple(cards))


def _draw_card(
    picture: Image,
    owner: NDArray[np.int16],
    number: int,
    card: SceneCard,
    camera: NDArray[np.float64],
    shadow: float,
    shade_by: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Warps one face into the picture; returns face pixels to picture pixels."""
    c, s = np.cos(card.angle), np.sin(card.angle)
    kx, ky = CARD_WIDTH_MM / FACE_WIDTH_PX, CARD_HEIGHT_MM / FACE_HEIGHT_PX
    place = np.array([[c * kx, -s * ky, 0.0], [s * kx, c * ky, 0.0], [0.0, 0.0, 1.0]])
    middle = place[:2, :2] @ [FACE_WIDTH_PX / 2, FACE_HEIGHT_PX / 2]
    place[:2, 2] = [card.x_mm - middle[0], card.y_mm - middle[1]]
    hom = camera @ place
    size = picture.shape[0]
    corners = mapped(hom, CORNERS)
    low = np.maximum(np.floor(corners.min(0)).astype(int) - 3, 0)
    high = np.minimum(np.ceil(corners.max(0)).astype(int) + 3, size)
    if np.any(high - low < 3) or not np.all(np.isfinite(corners)):
        return hom
    move = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]])
    wide, tall = (int(v) for v in high - low)
    shown, mask = warped(card.face.picture, move @ hom, (wide, tall))
    area = picture[low[1] : high[1], low[0] : high[0]]
    dark = cv2.blur(mask, (5, 5)).astype(np.float32) / 255
    dark = cv2.warpAffine(dark, np.array([[1, 0, shade_by[0]], [0, 1, shade_by[1]]], np.float64), (wide, tall))
    part = (mask.astype(np.float32) / 255)[..., None]
    area[:] = (area * (1 - (1 - shadow) * dark[..., None]) * (1 - part) + shown * part).astype(np.uint8)
    owner[low[1] : high[1], low[0] : high[0]][mask > 127] = number
    return hom


def _cover(
    rng: np.random.Generator,
    picture: Image,
    covered: NDArray[np.int16],
    laid: list[SceneCard],
    homs: list[NDArray[np.float64]],
    has_hand: bool,
) -> None:
    """Fingers, sleeves or things over some cards."""
    skin = np.array([rng.uniform(90, 180), rng.uniform(110, 200), rng.uniform(150, 250)])
    for _ in range(int(rng.integers(1, 5))):
        if not laid:
            return
        hom = homs[rng.integers(len(homs))]
        spot = mapped(hom, np.array([[rng.uniform(0, 1) * FACE_WIDTH_PX, rng.uniform(0.45, 1.1) * FACE_HEIGHT_PX]]))[0]
        unit = np.linalg.norm(
            mapped(hom, np.array([[0.0, 0], [0, FACE_HEIGHT_PX]]))[1] - mapped(hom, np.array([[0.0, 0]]))[0]
        )
        if not np.isfinite(unit) or unit > 2 * picture.shape[0] or np.any(np.abs(spot) > 4000):
            continue
        axes = (int(unit * rng.uniform(0.3, 0.7)), int(unit * rng.uniform(0.06, 0.14)))
        where = np.zeros(picture.shape[:2], np.uint8)
        cv2.ellipse(where, (int(spot[0]), int(spot[1])), axes, rng.uniform(0, 360), 0, 360, 255, -1)
        colour = skin if has_hand else rng.integers(0, 256, 3)
        tone = (colour * rng.uniform(0.7, 1.1)).clip(0, 255)
        picture[where > 0] = (tone * (0.8 + 0.2 * rng.random())).astype(np.uint8)
        covered[where > 0] = -2


def _index_truths(
    face: CardFace, hom: NDArray[np.float64], covered: NDArray[np.int16], number: int
) -> list[IndexTruth]:
    found = []
    if face.card is None:
        return found
    tall = FACE_HEIGHT_PX
    for mark in face.marks:
        up = -1.0 if mark.is_turned else 1.0
        middle = np.array([mark.x, mark.y]) * tall
        size = np.array([mark.width, mark.height]) * tall
        half_down, half_across = np.array([0, up * size[1] / 2]), np.array([size[0] / 2, 0])
        ends = mapped(hom, np.array([middle - half_down, middle + half_down, middle]))
        sides = mapped(hom, np.array([middle - half_across, middle + half_across]))
        down = ends[1] - ends[0]
        points = np.rint(mapped(hom, middle + up * GRID * size)).astype(int)
        inside = np.all((points >= 0) & (points < covered.shape[0]), axis=1)
        shown = np.zeros(len(points), bool)
        shown[inside] = covered[points[inside, 1], points[inside, 0]] == number
        is_rank = GRID[:, 1] < mark.suit_from - 0.5
        found.append(
            IndexTruth(
                face.card,
                float(ends[2, 0]),
                float(ends[2, 1]),
                float(np.linalg.norm(down)),
                float(np.linalg.norm(sides[1] - sides[0])),
                float(np.arctan2(-down[0], down[1])),
                float(shown.mean()),
                float(shown[is_rank].mean()),
                float(shown[~is_rank].mean()),
                number,
            )
        )
    return found


def photograph(rng: np.random.Generator, picture: Image) -> Image:
    """Light, shadow, glare, blur, noise and JPEG as a phone or webcam adds them."""
    size = picture.shape[:2]
    light = picture.astype(np.float32)
    if rng.random() < 0.7:
        light *= (1 - rng.uniform(0, 0.6) * smooth_noise(rng, size, (2, 2)))[..., None]
    if rng.random() < 0.25:
        where = np.zeros(size, np.uint8)
        points = rng.uniform(-0.2, 1.2, (4, 2)) * size[0]
        cv2.fillPoly(where, [cv2.convexHull(points.astype(np.int32))], 255)
        soft = cv2.blur(where, (int(rng.integers(2, 25)),) * 2).astype(np.float32) / 255
        light *= (1 - rng.uniform(0.2, 0.65) * soft)[..., None]
    light *= 1 + rng.normal(0, 0.08, 3)
    light *= rng.uniform(0.45, 1.4)
    if rng.random() < 0.25:
        x, y, wide = *rng.uniform(0, size[0], 2), rng.uniform(15, 120)
        yy, xx = np.mgrid[: size[0], : size[1]]
        light += (rng.uniform(30, 200) * np.exp(-((xx - x) ** 2 + (yy - y) ** 2) / (2 * wide**2)))[..., None]
    light = 255 * np.clip(light / 255, 0, 1) ** rng.uniform(0.6, 1.5)
    shot = light.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        grey = cv2.cvtColor(cv2.cvtColor(shot, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        shot = cv2.addWeighted(shot, 1 - (keep := rng.uniform(0, 0.6)), grey, keep, 0)
    kind = rng.random()
    if kind < 0.35:
        shot = cv2.GaussianBlur(shot, (0, 0), rng.uniform(0.3, 1.5))
    elif kind < 0.5:
        length = int(rng.integers(2, 7))
        line = np.zeros((7, 7), np.float32)
        cv2.line(line, (3 - length // 2, 3), (3 + length // 2, 3), 1, 1)
        line = cv2.warpAffine(line, cv2.getRotationMatrix2D((3, 3), rng.uniform(0, 180), 1), (7, 7))
        shot = cv2.filter2D(shot, -1, line / max(line.sum(), 1e-3))
    elif kind < 0.65:
        down = rng.uniform(0.45, 0.9)
        small = cv2.resize(shot, None, fx=down, fy=down, interpolation=cv2.INTER_AREA)
        shot = cv2.resize(small, size[::-1], interpolation=cv2.INTER_CUBIC if rng.random() < 0.5 else cv2.INTER_LINEAR)
    if rng.random() < 0.2:
        soft = cv2.GaussianBlur(shot, (0, 0), 1.2)
        shot = cv2.addWeighted(shot, 1.8, soft, -0.8, 0)
    if rng.random() < 0.6:
        noise = np.empty(shot.shape, np.int16)
        cv2.randn(noise, (0, 0, 0), (rng.uniform(1, 14),) * 3)
        shot = np.clip(shot + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        shot = cv2.imdecode(cv2.imencode(".jpg", shot, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 95))])[1], 1)
    return np.asarray(shot, np.uint8)
