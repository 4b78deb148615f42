"""Straight corners of cards in the form that the reader gets: with far more packs than whole scenes could show.

One card's index is upright in the crop, with other cards of the pack partly over and under the card as in fans, rows
and piles. Then it is reduced to a photograph's few pixels, blurred, lit, and enlarged to the crop's size.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.train.cards_art import FACE_HEIGHT_PX, FACE_WIDTH_PX, Image, PackArt
from bench.train.cards_faces import ArtPack, CardFace, IndexMark, OwnPack, any_card
from bench.train.cards_nets import READ_HEIGHT_PX, READ_SPAN, READ_WIDTH_PX
from bench.train.cards_read import SEEN_ENOUGH, label_of_card
from bench.train.cards_scenes import GRID, Deck, ground_of, mapped, photograph, warped

Row = tuple[Image, NDArray[np.float32]]
CARDS_PER_PACK = 26
CROPS_PER_CARD = 4
OWN_SHARE = 0.8
JOKER_SHARE = 0.04
RIM_PX = 8
"""Margin drawn around the crop, so that blur and JPEG meet no edge."""
INDEX_PX = (10.0, 48.0)
"""Heights of an index in the photograph, drawn log-uniformly."""
LEAST_SEEN = 0.3
LEAST_CONTRAST = 5.0
"""Standard deviation of the grey values below which glare or the dark has left nothing to read."""
AWRY_SHARE = 0.25
"""Share of crops next to an index, turned or of the wrong size: examples of "not an index"."""


def corner_crops(art: list[PackArt], fonts: list[Path], packs: int, seed: int) -> tuple[Image, NDArray[np.float32]]:
    """Crops and labels of `packs` newly drawn packs, in the form of `cards_read.gather`."""
    rng = np.random.default_rng([seed, 5])
    crops, labels = [], []
    for _ in range(packs):
        deck: Deck = OwnPack(rng, fonts, art)
        if rng.random() > OWN_SHARE:
            deck = ArtPack(rng, fonts, art, art[rng.integers(len(art))])
        faces = [deck.face(any_card(rng, JOKER_SHARE)) for _ in range(CARDS_PER_PACK)]
        ground = ground_of(rng, 160)
        for face in faces:
            for _ in range(CROPS_PER_CARD if face.marks else 0):
                crop, label = _crop(rng, face, faces, ground)
                if label is not None:
                    crops.append(crop)
                    labels.append(label)
    return np.stack(crops), np.stack(labels)


def kept_corners(
    art: list[PackArt], fonts: list[Path], packs: int, seed: int, path: Path
) -> tuple[Image, NDArray[np.float32]]:
    """The crops and labels of `corner_crops`, drawn once and kept in a file."""
    if not path.exists():
        crops, labels = corner_crops(art, fonts, packs, seed)
        np.savez(path, crops=crops, labels=labels)
    with np.load(path) as kept:
        return kept["crops"], kept["labels"]


def _crop(
    rng: np.random.Generator, face: CardFace, pack: list[CardFace], ground: Image
) -> tuple[Image, NDArray | None]:
    """A crop and its label; None as the label: the crop shows neither an index nor clearly none."""
    mark = face.marks[rng.integers(len(face.marks))]
    tall = float(np.exp(rng.uniform(*np.log(INDEX_PX))))
    size = min(1.0, tall * READ_SPAN / READ_HEIGHT_PX)
    dx, dy = rng.normal(0, 0.06, 2)
    grow, turn = float(np.exp(rng.normal(0, 0.1))), float(rng.normal(0, 0.13))
    is_awry = rng.random() < AWRY_SHARE
    if is_awry:
        dx, dy, grow, turn = _awry(rng)
    to = _placed(rng, mark, (dx, dy, grow, turn), size)
    wide, high = (round(n * size) + 2 * RIM_PX for n in (READ_WIDTH_PX, READ_HEIGHT_PX))
    x, y = rng.integers(0, 160 - wide), rng.integers(0, 160 - high)
    picture = ground[y : y + high, x : x + wide].copy()
    alone = rng.random() < 0.3
    for _ in range(0 if alone else rng.integers(0, 3)):
        _lay(picture, pack[rng.integers(len(pack))], to @ _beside(rng, mark), rng)
    _lay(picture, face, to, rng)
    shown = np.ones(len(GRID), bool)
    points = (np.array([mark.x, mark.y]) + GRID * [mark.width, mark.height]) * FACE_HEIGHT_PX
    seen_at = mapped(to, points)
    for _ in range(0 if alone else rng.integers(0, 3)):
        over = to @ _beside(rng, mark)
        _lay(picture, pack[rng.integers(len(pack))], over, rng)
        back = mapped(np.linalg.inv(over), seen_at)
        shown &= ~np.all((back > 0) & (back < [FACE_WIDTH_PX, FACE_HEIGHT_PX]), axis=1)
    shot = photograph(rng, picture)
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    fit = np.array([[size, 0, RIM_PX + (size - 1) / 2], [0, size, RIM_PX + (size - 1) / 2]])
    crop = np.asarray(cv2.warpAffine(shot, fit, (READ_WIDTH_PX, READ_HEIGHT_PX), flags=how), np.uint8)
    seen = float(shown.mean())
    if is_awry:
        return crop, np.array([-1, -1, 0, 0, 0, 0, 0, 1], np.float32)
    if seen < LEAST_SEEN or crop.std(axis=(0, 1)).mean() < LEAST_CONTRAST:
        return crop, None
    rank, suit = label_of_card(face.card)
    is_index = 1 if seen >= SEEN_ENOUGH else -1
    return crop, np.array([rank, suit, is_index, -dx, -dy, -np.log(grow), -turn, seen], np.float32)


def _awry(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """A place next to the index, a crop turned by 90 or 180 degrees, or a crop of a very different size."""
    kind = rng.integers(4)
    if kind == 0:
        return (*rng.normal(0, 0.1, 2), 1.0, float(rng.choice([np.pi, np.pi / 2, -np.pi / 2]) + rng.normal(0, 0.25)))
    if kind == 1:
        return (*rng.normal(0, 0.1, 2), float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.7, 1.2))), rng.normal(0, 0.2))
    away, angle = rng.uniform(0.6, 3.5), rng.uniform(0, 2 * np.pi)
    return away * np.cos(angle), away * np.sin(angle), float(np.exp(rng.normal(0, 0.3))), rng.uniform(0, 2 * np.pi)


def _placed(
    rng: np.random.Generator, mark: IndexMark, jitter: tuple[float, float, float, float], size: float
) -> NDArray[np.float64]:
    """The transform from face pixels to the small picture: the index upright in its middle, but for jitter and
    slant."""
    dx, dy, grow, turn = jitter
    unit = READ_HEIGHT_PX / READ_SPAN * size / (mark.height * FACE_HEIGHT_PX) / grow
    around = (np.pi if mark.is_turned else 0.0) - turn
    c, s = np.cos(around), np.sin(around)
    slant = np.eye(3)
    if rng.random() < 0.5:
        slant[0, 0] = rng.uniform(0.6, 1.15)
        slant[0, 1] = rng.normal(0, 0.18)
    to_middle = np.array([[1, 0, -mark.x * FACE_HEIGHT_PX], [0, 1, -mark.y * FACE_HEIGHT_PX], [0, 0, 1.0]])
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    middle = np.array([READ_WIDTH_PX - 1, READ_HEIGHT_PX - 1]) / 2 * size + RIM_PX
    lens = np.array([[unit, 0, middle[0]], [0, unit, middle[1]], [0, 0, 1.0]])
    away = np.array([-dx, -dy]) * READ_HEIGHT_PX / READ_SPAN * size
    back = np.array([[np.cos(-turn), -np.sin(-turn)], [np.sin(-turn), np.cos(-turn)]]) @ away
    lens[:2, 2] += back
    return lens @ turned @ slant @ to_middle


def _beside(rng: np.random.Generator, mark: IndexMark) -> NDArray[np.float64]:
    """The transform from another card's face pixels to this card's. The other card is shifted as in a fan or row, or
    placed at random."""
    if rng.random() < 0.75:
        across, down = rng.choice([-1, 1]) * rng.uniform(22, 130), rng.normal(0, 14)
        if rng.random() < 0.3:
            across, down = rng.normal(0, 20), rng.choice([-1, 1]) * rng.uniform(55, 160)
        turn = rng.normal(0, 0.15)
        if mark.is_turned and rng.random() < 0.9:
            across = -abs(across)
    else:
        across, down, turn = *rng.uniform(-280, 280, 2), rng.uniform(0, 2 * np.pi)
    if rng.random() < 0.15:
        turn += np.pi
    c, s = np.cos(turn), np.sin(turn)
    x, y = FACE_WIDTH_PX / 2, FACE_HEIGHT_PX / 2
    middle = np.array([[1, 0, -x], [0, 1, -y], [0, 0, 1.0]])
    return np.array([[c, -s, x + across], [s, c, y + down], [0, 0, 1.0]]) @ middle


def _lay(picture: Image, face: CardFace, to: NDArray[np.float64], rng: np.random.Generator) -> None:
    """Draws a card with the shadow of its edge."""
    shown, shape = warped(face.picture, to, picture.shape[1::-1])
    mask = shape.astype(np.float32)[..., None] / 255
    dark = cv2.blur(mask, (3, 3))[..., None] * rng.uniform(0, 0.5)
    picture[:] = (picture * (1 - dark) * (1 - mask) + shown * mask).astype(np.uint8)
