"""Own packs: random indices from fonts and drawn suits, pips, courts borrowed from art, jokers, aces, backs."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from bench.drawn.suits import PIPS, Mask, ink_on, suit_mask, tight
from bench.train.cards_art import FACE_HEIGHT_PX, FACE_WIDTH_PX, RANKS, SUITS, Card, Image, PackArt

PX_PER_MM = FACE_HEIGHT_PX / 88
JOKER: Card = ("JOKER", "-")


@dataclass(frozen=True, slots=True)
class IndexMark:
    """One index on a face: middle, height and width in fractions of the card's height, upright or turned by 180°.

    `suit_from` is the share of the height at which the suit begins.
    """

    x: float
    y: float
    height: float
    width: float
    is_turned: bool
    suit_from: float = 0.6


@dataclass(frozen=True, slots=True)
class CardFace:
    """A face and its indices; no indices: a back."""

    card: Card | None
    picture: Image
    marks: tuple[IndexMark, ...]


@dataclass(slots=True)
class PackStyle:
    """The style of one pack of our own: drawn once at random, used for each card."""

    rng: np.random.Generator
    font: str
    aspect: float
    rank_height: float
    suit_height: float
    gap: float
    middle_x: float
    top: float
    squeeze: float
    weight: int
    paper: tuple[int, int, int]
    red: tuple[int, int, int]
    black: tuple[int, int, int]
    suits: dict[str, Mask]
    has_four: bool
    has_loop: bool
    pip: float
    colours: dict[str, tuple[int, int, int]] = field(default_factory=dict)


_FONTS: dict[str, ImageFont.FreeTypeFont] = {}


def glyph(text: str, font: str, size_px: int = 120) -> Mask:
    """A word as a tight mask."""
    if font not in _FONTS:
        _FONTS[font] = ImageFont.truetype(font, size_px)
    canvas = PillowImage.new("L", (size_px * (len(text) + 2), size_px * 2), 0)
    ImageDraw.Draw(canvas).text((size_px // 2, size_px // 4), text, fill=255, font=_FONTS[font])
    return tight(np.asarray(canvas, np.uint8))


def rank_mask(rank: str, style: PackStyle, height_px: int) -> Mask:
    """The rank at this height, as wide as the style wants; a ten is two digits set close."""
    if rank == "10":
        one, zero = glyph("1", style.font), glyph("0", style.font)
        tall = max(one.shape[0], zero.shape[0])
        one, zero = (cv2.resize(m, (m.shape[1], tall)) for m in (one, zero))
        space = np.zeros((tall, round(style.squeeze * 12)), np.uint8)
        whole = np.hstack([one, space, zero])
        width = round(height_px * style.aspect * 1.3)
    else:
        whole = looped_q(style.rng) if rank == "Q" and style.has_loop else glyph(rank, style.font)
        natural = whole.shape[1] / glyph("K", style.font).shape[1]
        width = round(height_px * style.aspect * min(1.25, max(0.35, natural)))
    if style.weight:
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (abs(style.weight) * 2 + 1,) * 2)
        padded = cv2.copyMakeBorder(whole, 8, 8, 8, 8, cv2.BORDER_CONSTANT)
        whole = tight(cv2.dilate(padded, kernel) if style.weight > 0 else _thinner(padded, kernel))
    return cv2.resize(whole, (max(3, width), height_px), interpolation=cv2.INTER_AREA)


def looped_q(rng: np.random.Generator) -> Mask:
    """The queen's letter of most American packs: a narrow bowl whose tail curls through it, from outside left to right.

    Proportions vary from call to call only within a pack's `rng`, as printing would not; a pack draws it per card.
    """
    canvas = np.zeros((260, 220), np.uint8)
    wide, thick = int(rng.integers(32, 56)), int(rng.integers(10, 24))
    top, bottom = 20, 200
    round_off = int(rng.integers(wide // 2, wide + 1))
    middle = 100
    upper, lower = (middle, top + round_off), (middle, bottom - round_off)
    cv2.ellipse(canvas, upper, (wide, round_off), 0, 180, 360, 255, thick, cv2.LINE_AA)
    cv2.ellipse(canvas, lower, (wide, round_off), 0, 0, 180, 255, thick, cv2.LINE_AA)
    for x in (middle - wide, middle + wide):
        cv2.line(canvas, (x, upper[1]), (x, lower[1]), 255, thick, cv2.LINE_AA)
    t = np.linspace(0, 1, 30)
    rise, out = rng.uniform(15, 55), rng.uniform(0.9, 1.5)
    x = middle - wide * rng.uniform(0.6, 1.4) + t * wide * (out + 1.1)
    y = bottom - 12 - rise * np.sin(np.pi * np.minimum(t * 1.25, 1)) + 26 * np.maximum(t - 0.6, 0)
    tail = np.rint(np.stack([x, y], 1)).astype(np.int32)
    cv2.polylines(canvas, [tail], False, 255, max(5, thick * 2 // 3), cv2.LINE_AA)
    return tight(canvas)


def _thinner(mask: Mask, kernel: NDArray[np.uint8]) -> Mask:
    thin = cv2.erode(mask, kernel)
    return np.asarray(thin if (thin > 128).sum() > 0.45 * (mask > 128).sum() else mask)


def random_style(rng: np.random.Generator, fonts: list[Path]) -> PackStyle:
    """Sizes in mm follow packs on sale: indices from 10 to 30 mm tall, small ones and ordinary ones most often."""
    kind = rng.choice(["usual", "small", "jumbo"], p=[0.65, 0.15, 0.2])
    low, high = {"usual": (7.0, 11.0), "small": (4.5, 7.0), "jumbo": (11.0, 18.0)}[str(kind)]
    rank_mm = rng.uniform(low, high)
    aspect = rng.uniform(0.45, 0.95)
    suit_mm = min(rank_mm * rng.uniform(0.5, 0.95), 15)
    suits = {s: suit_mask(s, rng) for s in SUITS}
    if rng.random() < 0.25:
        signs = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
        if Path(signs).exists():
            suits = {s: glyph(sign, signs) for s, sign in zip("SHDC", "♠♥♦♣", strict=True)}
    grey = int(rng.integers(228, 256))
    dark = int(rng.integers(0, 60))
    style = PackStyle(
        rng=rng,
        font=str(fonts[rng.integers(len(fonts))]),
        aspect=aspect,
        rank_height=rank_mm,
        suit_height=suit_mm,
        gap=rng.uniform(0.3, 2.2),
        middle_x=max(rank_mm * aspect * 0.6 + 1, rng.uniform(3.8, 7.0)),
        top=rng.uniform(2.0, 6.5),
        squeeze=rng.uniform(0.3, 1.5),
        weight=int(rng.integers(-4, 5)),
        paper=(grey - int(rng.integers(0, 14)), grey, grey),
        red=(int(rng.integers(0, 70)), int(rng.integers(0, 60)), int(rng.integers(150, 245))),
        black=(dark + int(rng.integers(0, 25)), dark, dark),
        suits=suits,
        has_four=bool(rng.random() < 0.1),
        has_loop=bool(rng.random() < 0.5),
        pip=rng.uniform(9, 15),
    )
    style.colours = {"S": style.black, "C": style.black, "H": style.red, "D": style.red}
    if rng.random() < 0.05:
        style.colours |= {"C": (60, 140, 30), "D": (200, 90, 20)}
    return style


class OwnPack:
    """A pack of one random style; faces are drawn on request and kept."""

    def __init__(self, rng: np.random.Generator, fonts: list[Path], art: list[PackArt]) -> None:
        self.rng, self.art = rng, art
        self.style = random_style(rng, fonts)
        whole = [pack for pack in art if len(pack.faces) == 52]
        self.body = whole[rng.integers(len(whole))]
        self._faces: dict[Card, CardFace] = {}
        self._back: CardFace | None = None

    def face(self, card: Card) -> CardFace:
        """The face of a card."""
        if card not in self._faces:
            self._faces[card] = self._joker() if card == JOKER else self._draw(card)
        return self._faces[card]

    def back(self) -> CardFace:
        """The back."""
        if self._back is None:
            self._back = CardFace(None, random_back(self.rng, self.art), ())
        return self._back

    def _paper(self) -> Image:
        return np.full((FACE_HEIGHT_PX, FACE_WIDTH_PX, 3), self.style.paper, np.uint8)

    def _draw(self, card: Card) -> CardFace:
        rank, suit = card
        style, face = self.style, self._paper()
        if rank in PIPS:
            self._pips(face, rank, suit)
        else:
            self._court(face, card)
        marks = [self._mark(face, card, False, False), self._mark(face, card, False, True)]
        if style.has_four:
            marks += [self._mark(face, card, True, False), self._mark(face, card, True, True)]
        return CardFace(card, face, tuple(marks))

    def _pips(self, face: Image, rank: str, suit: str) -> None:
        style, rng = self.style, self.rng
        shape = style.suits[suit]
        tall = style.pip * PX_PER_MM * (1.0 if rank != "A" else rng.uniform(1, 2.6))
        mask = cv2.resize(
            shape,
            (max(4, round(tall * shape.shape[1] / shape.shape[0])), max(4, round(tall))),
            interpolation=cv2.INTER_AREA,
        )
        inset_x, inset_y = rng.uniform(0.26, 0.34), rng.uniform(0.14, 0.2)
        for fx, fy in PIPS[rank]:
            x, y = inset_x + fx * (1 - 2 * inset_x), inset_y + fy * (1 - 2 * inset_y)
            ink_on(face, mask if fy <= 0.5 else mask[::-1], x * face.shape[1], y * face.shape[0], style.colours[suit])
        if rank == "A" and suit == "S" and rng.random() < 0.6:
            self._ornament(face)

    def _ornament(self, face: Image) -> None:
        """A maker's ornament: rings, rays and words around the ace of spades."""
        rng, mid = self.rng, (face.shape[1] // 2, face.shape[0] // 2)
        for _ in range(rng.integers(1, 4)):
            axes = (int(rng.integers(25, 75)), int(rng.integers(25, 90)))
            cv2.ellipse(face, mid, axes, 0, 0, 360, self.style.black, int(rng.integers(1, 4)), cv2.LINE_AA)
        font = self.style.font
        for y in (0.72, 0.78, 0.3):
            word = "".join(rng.choice(list("ABCDEFGHIKLMNORSTU"), size=rng.integers(4, 9)))
            mask = glyph(word, font)
            tall = int(rng.integers(8, 18))
            ink_on(
                face,
                cv2.resize(
                    mask,
                    (max(8, min(150, round(tall * mask.shape[1] / mask.shape[0]))), tall),
                    interpolation=cv2.INTER_AREA,
                ),
                mid[0],
                y * face.shape[0],
                self.style.black,
            )

    def _court(self, face: Image, card: Card) -> None:
        source = self.body.faces[card]
        rng = self.rng
        x0, y0 = round(rng.uniform(0.15, 0.2) * source.shape[1]), round(rng.uniform(0.05, 0.09) * source.shape[0])
        inner = source[y0:-y0, x0:-x0]
        if rng.random() < 0.3:
            inner = cv2.cvtColor(
                cv2.cvtColor(inner, cv2.COLOR_BGR2HSV) + np.array([rng.integers(0, 180), 0, 0], np.uint8),
                cv2.COLOR_HSV2BGR,
            )
        face[y0:-y0, x0:-x0] = inner
        if rng.random() < 0.6:
            cv2.rectangle(
                face, (x0, y0), (face.shape[1] - x0, face.shape[0] - y0), self.style.colours[card[1]], 1, cv2.LINE_AA
            )

    def _mark(self, face: Image, card: Card, is_right: bool, is_turned: bool) -> IndexMark:
        """Prints an index in one corner and says where. A turned one is printed on the turned face."""
        style = self.style
        rank_px, suit_px = round(style.rank_height * PX_PER_MM), round(style.suit_height * PX_PER_MM)
        rank = rank_mask(card[0], style, rank_px)
        shape = style.suits[card[1]]
        wide = min(suit_px * shape.shape[1] / shape.shape[0], 1.15 * suit_px)
        suit = cv2.resize(shape, (max(4, round(wide)), suit_px), interpolation=cv2.INTER_AREA)
        view = face[::-1, ::-1] if is_turned else face
        x = style.middle_x * PX_PER_MM
        if is_right:
            x = view.shape[1] - x
        top, gap = style.top * PX_PER_MM, style.gap * PX_PER_MM
        width = max(rank.shape[1], suit.shape[1])
        height = rank_px + gap + suit_px
        pad = 3
        if rank_px < 70:  # jumbo indices lie over the art, smaller indices have paper around them
            view[0 : round(top + height + pad), max(0, round(x - width / 2 - pad)) : round(x + width / 2 + pad)] = (
                style.paper
            )
        ink_on(view, rank, x, top + rank_px / 2, style.colours[card[1]])
        ink_on(view, suit, x, top + rank_px + gap + suit_px / 2, style.colours[card[1]])
        tall = view.shape[0]
        mx, my = x / tall, (top + height / 2) / tall
        if is_turned:
            mx, my = FACE_WIDTH_PX / tall - mx, 1 - my
        return IndexMark(mx, my, height / tall, width / tall, is_turned, (rank_px + gap / 2) / height)

    def _joker(self) -> CardFace:
        rng, style, face = self.rng, self.style, self._paper()
        bodies = [joker for pack in self.art for joker in pack.jokers]
        body = bodies[rng.integers(len(bodies))]
        colour = style.red if rng.random() < 0.5 else style.black
        kind = rng.choice(["stacked", "along", "across", "star"], p=[0.5, 0.2, 0.15, 0.15])
        x0, y0 = round(0.2 * face.shape[1]), round(0.1 * face.shape[0])
        face[y0:-y0, x0:-x0] = body[y0:-y0, x0:-x0]
        marks = []
        letter_mm = rng.uniform(2.6, 4.6)
        for is_turned in (False, True):
            view = face[::-1, ::-1] if is_turned else face
            mark = _joker_index(view, str(kind), letter_mm, style, colour)
            x, y = mark.x, mark.y
            if is_turned:
                x, y = FACE_WIDTH_PX / FACE_HEIGHT_PX - x, 1 - y
            marks.append(IndexMark(x, y, mark.height, mark.width, is_turned, 0.5))
        return CardFace(JOKER, face, tuple(marks))


def _joker_index(view: Image, kind: str, letter_mm: float, style: PackStyle, colour: tuple[int, int, int]) -> IndexMark:
    """Prints a joker's index and says where its upper 16 mm are (the size of an ordinary index)."""
    x, top = max(style.middle_x, 4) * PX_PER_MM, style.top * PX_PER_MM
    letter = round(letter_mm * PX_PER_MM)
    tall = view.shape[0]
    if kind == "stacked":
        y = top
        for sign in "JOKER":
            mask = glyph(sign, style.font)
            wide = max(3, round(letter * min(1.0, mask.shape[1] / mask.shape[0])))
            ink_on(view, cv2.resize(mask, (wide, letter), interpolation=cv2.INTER_AREA), x, y + letter / 2, colour)
            y += letter * 1.15
        return IndexMark(x / tall, (top + letter * 2.2) / tall, letter * 4.4 / tall, letter / tall, False)
    mask = glyph(
        "JOKER" if kind != "star" else "★",
        style.font if kind != "star" else "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    )
    if kind == "star":
        size = round(letter * 1.6)
        ink_on(view, cv2.resize(mask, (size, size), interpolation=cv2.INTER_AREA), x, top + size / 2, colour)
        return IndexMark(x / tall, (top + size * 0.9) / tall, size * 2.2 / tall, size / tall, False)
    long = round(letter * 4.2)
    mask = cv2.resize(mask, (long, letter), interpolation=cv2.INTER_AREA)
    if kind == "along":
        ink_on(view, np.rot90(mask, -1), x, top + long / 2, colour)
        return IndexMark(x / tall, (top + long / 2) / tall, long / tall, letter / tall, False)
    ink_on(view, mask, x + long / 2 - letter / 2, top + letter / 2, colour)
    return IndexMark((x + letter) / tall, (top + letter) / tall, letter * 3.4 / tall, letter * 2 / tall, False)


def random_back(rng: np.random.Generator, art: list[PackArt]) -> Image:
    """A back: from art, or a lattice, stripes, rings or a plain field of our own."""
    backs = [back for pack in art for back in pack.backs]
    if rng.random() < 0.5:
        return backs[rng.integers(len(backs))]
    tall, wide = FACE_HEIGHT_PX, FACE_WIDTH_PX
    colour = tuple(int(v) for v in rng.integers(0, 200, 3))
    other = tuple(int(v) for v in rng.integers(120, 256, 3))
    back = np.full((tall, wide, 3), colour, np.uint8)
    step = int(rng.integers(8, 36))
    y, x = np.mgrid[:tall, :wide]
    kind = rng.integers(5)
    pattern = [
        (np.abs((x + y) % step) < 3) | (np.abs((x - y) % step) < 3),
        ((x // step + y // step) % 2) == 0,
        (np.hypot((x % step) - step / 2, (y % step) - step / 2)) < step * 0.3,
        (np.sin(np.hypot(x - wide / 2, y - tall / 2) / step * 3) > 0.3),
        (x < 0),
    ][kind]
    back[pattern] = other
    if rng.random() < 0.6:
        edge = int(rng.integers(8, 24))
        framed = np.full_like(back, 245)
        framed[edge:-edge, edge:-edge] = back[edge:-edge, edge:-edge]
        back = framed
    return back


class ArtPack:
    """A pack of art, with faces of an own pack where the art lacks a card or its index has no known place."""

    def __init__(self, rng: np.random.Generator, fonts: list[Path], art: list[PackArt], pack: PackArt) -> None:
        self.rng, self.art, self.pack = rng, art, pack
        self._own = OwnPack(rng, fonts, art)

    def face(self, card: Card) -> CardFace:
        """The face of a card; a card that the art lacks comes from an own pack."""
        box = self.pack.index_box
        if card not in self.pack.faces or box is None:
            return self._own.face(card)
        wide = FACE_WIDTH_PX / FACE_HEIGHT_PX
        x, y = (box[0] + box[2]) / 2 * wide, (box[1] + box[3]) / 2
        size = {"height": box[3] - box[1], "width": (box[2] - box[0]) * wide}
        marks = [IndexMark(x, y, is_turned=False, **size), IndexMark(wide - x, 1 - y, is_turned=True, **size)]
        if self.pack.has_four_indices:
            marks += [IndexMark(wide - x, y, is_turned=False, **size), IndexMark(x, 1 - y, is_turned=True, **size)]
        return CardFace(card, self.pack.faces[card], tuple(marks))

    def back(self) -> CardFace:
        """The back."""
        backs = self.pack.backs
        return CardFace(None, backs[self.rng.integers(len(backs))], ()) if backs else self._own.back()


def any_card(rng: np.random.Generator, joker_share: float = 0.05) -> Card:
    """A card at random."""
    if rng.random() < joker_share:
        return JOKER
    return str(RANKS[rng.integers(13)]), str(SUITS[rng.integers(4)])
