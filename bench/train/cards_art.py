"""Other people's card art, rasterised while training and never committed: packs of gnome-cards-data and npm packages.

`--art DIR` holds, unpacked, `gnome-cards-data` (dpkg -x), `svg-cards`, `@younestouati/playing-cards-standard-deck` and
`@fontsource/*` (npm pack, tar x). Everything found below DIR is used; missing packages are left out.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import resvg_py
from numpy.typing import NDArray

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS = ("S", "H", "D", "C")
FACE_HEIGHT_PX = 420
FACE_WIDTH_PX = 292
Image = NDArray[np.uint8]
Card = tuple[str, str]

WHOLE = (
    "anglo",
    "anglo_bitmap",
    "anglo_modern",
    "anglo_modern_4_color",
    "anglo_poker",
    "atlasnye",
    "bellot",
    "dondorf",
    "gnomangelo",
    "gnomangelo_bitmap",
    "neoclassical",
    "neoclassical_4_color",
    "orell",
    "ornamental",
    "paris",
    "plastic",
    "simplistic",
    "tigullio",
)
"""Packs whose courts bear J, Q and K."""
NUMBERS = (
    "ancient_french",
    "atlasnye_skat",
    "berlin",
    "guyenne-classic",
    "lattmann",
    "rheinland",
    "slavic_costumes",
    "tarocco",
)
"""Packs with other letters on the courts: their cards 2 to 10 only."""


@dataclass(slots=True)
class PackArt:
    """One pack: faces (BGR, FACE_HEIGHT_PX x FACE_WIDTH_PX), backs, place of the index (fractions of the card)."""

    name: str
    faces: dict[Card, Image] = field(default_factory=dict)
    jokers: list[Image] = field(default_factory=list)
    backs: list[Image] = field(default_factory=list)
    index_box: tuple[float, float, float, float] | None = None
    has_four_indices: bool = False


def load_packs(art: Path) -> list[PackArt]:
    """All packs found below `art`. Raises: FileNotFoundError: there is none."""
    packs = [_gnome(path) for path in sorted(art.rglob("*.svgz")) if path.stem in WHOLE + NUMBERS]
    packs += [_svg_cards(path) for path in sorted(art.glob("svg-cards*/package/png/2x"))]
    packs += [_younestouati(path) for path in sorted(art.glob("younestouati*/package/cards"))]
    if not packs:
        raise FileNotFoundError(f"{art} holds no card art: unpack the packages that vision/models/CARDS.md names")
    for pack in packs:
        pack.index_box = _index_box(pack)
        pack.has_four_indices = pack.name == "dondorf"
    return packs


def load_fonts(art: Path) -> list[Path]:
    """The font files below `art`, and the system's DejaVu."""
    return sorted(art.rglob("*latin-*-normal.woff")) + sorted(Path("/usr/share/fonts/truetype").rglob("DejaVuS*.ttf"))


def rasterise(svg: str, width_px: int) -> NDArray[np.uint8]:
    """An SVG as BGRA."""
    raw = np.frombuffer(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width_px)), np.uint8)
    return np.asarray(cv2.imdecode(raw, cv2.IMREAD_UNCHANGED))


def _face(bgra: NDArray[np.uint8]) -> Image:
    """A cut-out card on white, at the faces' size; rounded corners become white."""
    if bgra.shape[2] == 3:
        flat = bgra
    else:
        alpha = bgra[..., 3:].astype(np.float32) / 255
        flat = (bgra[..., :3] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    return cv2.resize(flat, (FACE_WIDTH_PX, FACE_HEIGHT_PX), interpolation=cv2.INTER_AREA)


def _trim(bgra: NDArray[np.uint8]) -> NDArray[np.uint8]:
    solid = np.argwhere(bgra[..., 3] > 128)
    (y0, x0), (y1, x1) = solid.min(0), solid.max(0) + 1
    rim = round(0.013 * (x1 - x0))  # the drawn outline, which printed cards do not have
    return bgra[y0 + rim : y1 - rim, x0 + rim : x1 - rim]


def _gnome(path: Path) -> PackArt:
    """AisleRiot's sheet: 13 columns from the ace, rows clubs, diamonds, hearts, spades, then jokers and back."""
    sheet = rasterise(gzip.decompress(path.read_bytes()).decode("utf-8"), FACE_WIDTH_PX * 13)
    height, width = sheet.shape[0] / 5, sheet.shape[1] / 13

    def cell(row: int, column: int) -> Image:
        cut = sheet[int(row * height) : int((row + 1) * height), int(column * width) : int((column + 1) * width)]
        return _face(_trim(cut))

    pack = PackArt(path.stem)
    for row, suit in enumerate("CDHS"):
        for column, rank in enumerate(RANKS):
            if path.stem in WHOLE or rank in RANKS[1:10]:
                pack.faces[rank, suit] = cell(row, column)
    pack.jokers = [cell(4, 0), cell(4, 1)]
    pack.backs = [cell(4, 2)]
    return pack


def _svg_cards(folder: Path) -> PackArt:
    pack = PackArt("svg-cards")
    words = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
    for suit, word in zip("SHDC", ("spade", "heart", "diamond", "club"), strict=True):
        for rank in RANKS:
            picture = cv2.imread(str(folder / f"{word}_{words.get(rank, rank)}.png"), cv2.IMREAD_UNCHANGED)
            pack.faces[rank, suit] = _face(_trim(np.asarray(picture)))
    for path in sorted(folder.glob("joker_*.png")):
        pack.jokers.append(_face(_trim(np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED)))))
    for path in sorted(folder.glob("back-*.png")):
        pack.backs.append(_face(_trim(np.asarray(cv2.imread(str(path), cv2.IMREAD_UNCHANGED)))))
    return pack


def _younestouati(folder: Path) -> PackArt:
    pack = PackArt("younestouati")

    def drawn(name: str) -> Image:
        return _face(_trim(rasterise((folder / f"{name}.svg").read_text(encoding="utf-8"), FACE_WIDTH_PX * 2)))

    for suit in SUITS:
        for number, rank in enumerate(RANKS, 1):
            pack.faces[rank, suit] = drawn(f"{number}{suit.lower()}")
    pack.jokers, pack.backs = [drawn("joker")], [drawn("back")]
    return pack


def _index_box(pack: PackArt) -> tuple[float, float, float, float] | None:
    """The place of rank over suit, from the ink in the top left corner of the twos and threes."""
    boxes = []
    for rank in "23":
        for suit in SUITS:
            face = pack.faces[rank, suit]
            corner = face[: int(0.34 * FACE_HEIGHT_PX), : int(0.25 * FACE_WIDTH_PX)]
            ink = (np.abs(corner.astype(int) - face[60, FACE_WIDTH_PX // 3].astype(int)).max(2) > 70).astype(np.uint8)
            cv2.ellipse(ink, (20, 20), (24, 24), 180, 0, 90, 0, 12)  # removes the rest of a rounded outline
            ink[:4], ink[:, :3] = 0, 0
            count, _, stats, middles = cv2.connectedComponentsWithStats(ink)
            keep = [
                stats[k]
                for k in range(1, count)
                if stats[k][4] > 20 and stats[k][0] + stats[k][2] < corner.shape[1] - 1 and middles[k][0] < 55
            ]
            if len(keep) >= 2:
                found = np.array(keep)
                low, high = found[:, :2].min(0), (found[:, :2] + found[:, 2:4]).max(0)
                boxes.append((low[0], low[1], high[0], high[1]))
    if not boxes:
        return None
    x0, y0, x1, y1 = np.median(np.array(boxes), axis=0)
    return x0 / FACE_WIDTH_PX, y0 / FACE_HEIGHT_PX, x1 / FACE_WIDTH_PX, y1 / FACE_HEIGHT_PX
