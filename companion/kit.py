"""Kit files: what lies on the table, in mm. Every size is data; a bad file is refused in one sentence.

>>> kit = kit_of_text('game = "x"\\n[mat]\\nwidth_mm = -4', name="kit.toml")
Traceback (most recent call last):
companion.errors.KitError: kit.toml: mat.width_mm is -4, expected a length above 0 in mm
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import KitError

BoxMm = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mat:
    """The play area and its fiducials. `markers` maps a fiducial's id to its centre (x, y) in mm."""

    width_mm: float
    height_mm: float
    dictionary: str
    marker_mm: float
    markers: Mapping[int, tuple[float, float]]
    surface: str | None = None
    areas_mm: Mapping[str, BoxMm]


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceKind:
    """One kind of piece: `sizes_mm` holds its lengths by their names in the file (diameter, side, height, ...)."""

    kind: str
    shape: str
    colors: tuple[str, ...]
    count_each: int
    sizes_mm: Mapping[str, float]
    start_mm: Mapping[str, tuple[float, float]]
    lengths_mm: Mapping[str, float]
    notches: Mapping[str, int]
    packs: Mapping[int, int]
    marked_faces: int | None = None

    def size_mm(self, name: str) -> float:
        """The length called `name` (``side``, ``diameter``, ``height``, ...); a cube's height is its side."""
        if name == "height" and "height" not in self.sizes_mm and self.shape == "cube":
            name = "side"
        return self.sizes_mm[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """A set of pieces and the mat they lie on."""

    game: str
    mat: Mat
    pieces: tuple[PieceKind, ...]
    board: str | None = None

    def piece(self, kind: str) -> PieceKind:
        """The kind of piece called `kind`. Raises: KitError where the kit has none."""
        for piece in self.pieces:
            if piece.kind == kind:
                return piece
        raise KitError(f"the kit of {self.game} has no piece of kind {kind!r}, expected one: add a [[pieces]] table")


_MAT_BOXES = ("board_mm", "tray_mm", "draw_pile_mm", "die_mm", "stand_mm")
_MAT_KEYS = {"width_mm", "height_mm", "dictionary", "marker_mm", "markers", "surface", "piles_mm", *_MAT_BOXES}
_SIZES = ("diameter_mm", "side_mm", "height_mm", "width_mm", "length_mm", "wire_mm", "tip_mm")
_PIECE_KEYS = {"kind", "shape", "colors", "count_each", "start", "notches", "packs", "marked_faces", *_SIZES}
_NEEDS = {
    "disk": ("diameter_mm", "height_mm"),
    "cube": ("side_mm",),
    "card": ("width_mm", "length_mm"),
    "wire": ("wire_mm",),
}


def load_kit(path: Path | str) -> Kit:
    """The kit in a TOML file. Raises: KitError, in one sentence that names the file and the key."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise KitError(f"{path}: cannot be read ({reason}), expected a kit file in TOML") from error
    return kit_of_text(text, name=path.name)


def default_kit(game: str) -> Kit:
    """The kit that a game brings in its folder. Raises: KitError where it brings none."""
    path = Path(__file__).parent / "games" / game / "kit.toml"
    if not path.exists():
        raise KitError(f"the game {game!r} brings no kit, expected {path.name} in its folder: give one with --kit")
    return load_kit(path)


def kit_of_text(text: str, name: str = "kit") -> Kit:
    """The kit in a TOML text; `name` is what errors call it. Raises: KitError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise KitError(f"{name}: is not TOML ({error}), expected a kit file: mend that line") from error
    _no_strangers(data, {"game", "board", "mat", "pieces"}, name, "")
    game = _text(data, "game", name, "")
    if not isinstance(data.get("mat"), dict):
        raise KitError(f"{name}: has no [mat] table, expected the play area's size and fiducials there")
    pieces = data.get("pieces", [])
    if not isinstance(pieces, list):
        raise KitError(f"{name}: pieces is not a list of tables, expected [[pieces]]")
    return Kit(
        game=game,
        board=data.get("board"),
        mat=_mat(data["mat"], name),
        pieces=tuple(_piece(piece, f"pieces[{i}].", name) for i, piece in enumerate(pieces)),
    )


def _mat(data: Mapping[str, Any], name: str) -> Mat:
    _no_strangers(data, _MAT_KEYS, name, "mat.")
    width_mm, height_mm, marker_mm = (_length(data, k, name, "mat.") for k in ("width_mm", "height_mm", "marker_mm"))
    markers: dict[int, tuple[float, float]] = {}
    for key, place in _table(data, "markers", name, "mat.").items():
        if not str(key).isdigit():
            raise KitError(f"{name}: mat.markers has the key {key!r}, expected a fiducial's id such as 0")
        markers[int(key)] = _point(place, f"mat.markers.{key}", name)
    if len(markers) < 3:
        raise KitError(f"{name}: mat.markers lists {len(markers)} fiducials, expected at least 3: add their centres")
    areas = {key: _box(data[key], f"mat.{key}", name) for key in _MAT_BOXES if key in data}
    for seat, box in data.get("piles_mm", {}).items():
        areas[f"pile_{seat}_mm"] = _box(box, f"mat.piles_mm.{seat}", name)
    return Mat(
        width_mm=width_mm,
        height_mm=height_mm,
        dictionary=_text(data, "dictionary", name, "mat."),
        marker_mm=marker_mm,
        markers=markers,
        surface=data.get("surface"),
        areas_mm=areas,
    )


def _piece(data: Mapping[str, Any], at: str, name: str) -> PieceKind:
    _no_strangers(data, _PIECE_KEYS, name, at)
    shape = _text(data, "shape", name, at)
    if shape not in _NEEDS:
        raise KitError(f"{name}: {at}shape is {shape!r}, expected one of {', '.join(sorted(_NEEDS))}")
    for key in _NEEDS[shape]:
        if key not in data:
            raise KitError(f"{name}: {at}{key} is missing, expected it for a {shape}: add a length in mm")
    lengths = data.get("length_mm")
    by_color = lengths if isinstance(lengths, dict) else {}
    sizes = {
        k.removesuffix("_mm"): _length(data, k, name, at) for k in _SIZES if k in data and not isinstance(data[k], dict)
    }
    count = data.get("count_each", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise KitError(f"{name}: {at}count_each is {count!r}, expected a whole number above 0")
    return PieceKind(
        kind=_text(data, "kind", name, at),
        shape=shape,
        colors=tuple(data.get("colors", ())),
        count_each=count,
        sizes_mm=sizes,
        start_mm={k: _point(v, f"{at}start.{k}", name) for k, v in data.get("start", {}).items()},
        lengths_mm={k: _length(by_color, k, name, f"{at}length_mm.") for k in by_color},
        notches={k: int(v) for k, v in data.get("notches", {}).items()},
        packs={int(k): int(v) for k, v in data.get("packs", {}).items()},
        marked_faces=data.get("marked_faces"),
    )


def _no_strangers(data: Mapping[str, Any], known: set[str], name: str, at: str) -> None:
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(sorted(known))}"
            raise KitError(f"{name}: {at}{key} is not a key of a kit file: {hint}")


def _table(data: Mapping[str, Any], key: str, name: str, at: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise KitError(f"{name}: {at}{key} is {value!r}, expected a table")
    return value


def _text(data: Mapping[str, Any], key: str, name: str, at: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise KitError(f"{name}: {at}{key} is {value!r}, expected a text")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def _length(data: Mapping[str, Any], key: str, name: str, at: str) -> float:
    value = data.get(key)
    if not _is_number(value) or not value > 0:  # type: ignore[operator]
        raise KitError(f"{name}: {at}{key} is {value!r}, expected a length above 0 in mm")
    return float(value)  # type: ignore[arg-type]


def _point(value: Any, at: str, name: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_number, value)):
        raise KitError(f"{name}: {at} is {value!r}, expected [x, y] in mm")
    return float(value[0]), float(value[1])


def _box(value: Any, at: str, name: str) -> BoxMm:
    if not isinstance(value, list) or len(value) != 4 or not all(map(_is_number, value)):
        raise KitError(f"{name}: {at} is {value!r}, expected [x0, y0, x1, y1] in mm")
    x0, y0, x1, y1 = map(float, value)
    if x1 <= x0 or y1 <= y0:
        raise KitError(f"{name}: {at} is {value!r}, expected x0 < x1 and y0 < y1")
    return x0, y0, x1, y1
