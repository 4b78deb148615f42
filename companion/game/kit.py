"""Kit files: the things on the table, in mm. Every size is data; a bad file is refused in one sentence.

>>> kit = kit_of_text('game = "x"\\n[mat]\\nwidth_mm = -4', name="kit.toml")
Traceback (most recent call last):
companion.game.errors.KitError: kit.toml: mat.width_mm is -4, expected a length above 0 in mm
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from companion.game.errors import KitError
from companion.game.text_file import text_of_file, why_unread

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
    faces: str | None = None
    """The contents of a cube's faces: ``pips``, ``mark`` (on `marked_faces` of them) or ``colors`` (one each)."""

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
        """The kind of piece called `kind`. Raises: KitError if the kit has none."""
        for piece in self.pieces:
            if piece.kind == kind:
                return piece
        raise KitError(f"the kit of {self.game} has no piece of kind {kind!r}, expected one: add a [[pieces]] table")

    @property
    def rim_mm(self) -> float:
        """Height above the mat of the rims that pieces are judged by; 0 in a kit without territories."""
        return max((piece.size_mm("height") for piece in self.pieces if piece.kind == "territory"), default=0.0)


MOST_MM = 3000.0
"""Maximum length, mm: one camera cannot cover a larger table, so a larger number was not in mm."""
LEAST_MAT_MM, LEAST_MARKER_MM, LEAST_PIECE_MM = 100.0, 5.0, 3.0
"""Minimum width of a mat, a marker and a piece, mm: smaller ones cannot be seen from above."""
LEAST_THICK_MM, MOST_THICK_MM = 0.1, 100.0
"""Minimum and maximum of heights, wires and tips, mm. Cubes have the same maximum: searching for larger ones takes
minutes."""
MOST_PIECES, MOST_PACKS, MOST_NOTCHES, FACES = 1000, 8, 100, 6
_SQUARE = {f"DICT_{n}X{n}_{size}": size for n in (4, 5, 6, 7) for size in (50, 100, 250, 1000)}
_OTHER = {
    "DICT_ARUCO_ORIGINAL": 1024,
    "DICT_ARUCO_MIP_36h12": 250,
    "DICT_APRILTAG_16h5": 30,
    "DICT_APRILTAG_25h9": 35,
    "DICT_APRILTAG_36h10": 2320,
    "DICT_APRILTAG_36h11": 587,
}
DICTIONARIES = _SQUARE | _OTHER | {name.upper(): size for name, size in _OTHER.items()}
"""OpenCV's dictionaries of fiducials and how many each holds."""

_MAT_BOXES = ("board_mm", "tray_mm", "draw_pile_mm", "die_mm", "stand_mm")
_MAT_KEYS = {"width_mm", "height_mm", "dictionary", "marker_mm", "markers", "surface", "piles_mm", *_MAT_BOXES}
_SIZES = ("diameter_mm", "side_mm", "height_mm", "width_mm", "length_mm", "wire_mm", "tip_mm", "bevel_mm")
_PLAYERS = tuple(map(str, range(1, 100)))
_PIECE_KEYS = {"kind", "shape", "colors", "count_each", "start", "notches", "packs", "marked_faces", "faces", *_SIZES}
_FACES = ("pips", "mark", "colors")
_NEEDS = {
    "disk": ("diameter_mm", "height_mm"),
    "pawn": ("diameter_mm", "height_mm"),
    "cube": ("side_mm",),
    "card": ("width_mm", "length_mm"),
    "wire": ("wire_mm",),
}


def load_kit(path: Path | str) -> Kit:
    """The kit in a TOML file. Raises: KitError, in one sentence that names the file and the key."""
    path = Path(path)
    try:
        text = text_of_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise KitError(f"{path}: cannot be read ({why_unread(error)}), expected a kit file in TOML") from error
    return kit_of_text(text, name=path.name)


def kit_of_text(text: str, name: str = "kit") -> Kit:
    """The kit in a TOML text; `name` is its name in errors. Raises: KitError."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise KitError(f"{name}: is not TOML ({error}), expected a kit file: mend that line") from error
    _no_strangers(data, {"game", "board", "mat", "pieces"}, name, "")
    game = _text(data, "game", name, "")
    if not isinstance(data.get("mat"), dict):
        raise KitError(f"{name}: has no [mat] table, expected the play area's size and fiducials there")
    mat = _mat(data["mat"], name)
    pieces = data.get("pieces", [])
    if not isinstance(pieces, list) or not all(isinstance(piece, dict) for piece in pieces):
        raise KitError(f"{name}: pieces is not a list of tables, expected [[pieces]]")
    kinds = tuple(_piece(piece, f"pieces[{i}].", name, mat) for i, piece in enumerate(pieces))
    for i, piece in enumerate(kinds):
        if piece.kind in (earlier.kind for earlier in kinds[:i]):
            raise KitError(f"{name}: pieces[{i}].kind is {piece.kind!r} a second time, expected each kind once")
    return Kit(game=game, board=_text_or_none(data, "board", name, ""), mat=mat, pieces=kinds)


def _mat(data: Mapping[str, Any], name: str) -> Mat:
    _no_strangers(data, _MAT_KEYS, name, "mat.")
    width_mm, height_mm = (_length(data, k, name, "mat.", LEAST_MAT_MM) for k in ("width_mm", "height_mm"))
    marker_mm = _length(data, "marker_mm", name, "mat.", LEAST_MARKER_MM)
    dictionary = _text(data, "dictionary", name, "mat.")
    if dictionary not in DICTIONARIES:
        near = difflib.get_close_matches(dictionary, DICTIONARIES, n=1) or ["DICT_APRILTAG_36h11"]
        raise KitError(f"{name}: mat.dictionary is {dictionary!r}, expected one of OpenCV's such as {near[0]!r}")
    areas = {key: _box(data[key], f"mat.{key}", name) for key in _MAT_BOXES if key in data}
    if "piles_mm" in data:
        for seat, box in _table(data, "piles_mm", name, "mat.").items():
            areas[f"pile_{seat}_mm"] = _box(box, f"mat.piles_mm.{seat}", name)
    return Mat(
        width_mm=width_mm,
        height_mm=height_mm,
        dictionary=dictionary,
        marker_mm=marker_mm,
        markers=_markers(_table(data, "markers", name, "mat."), marker_mm, dictionary, name),
        surface=_text_or_none(data, "surface", name, "mat."),
        areas_mm=areas,
    )


def _markers(data: Mapping[str, Any], marker_mm: float, dictionary: str, name: str) -> dict[int, tuple[float, float]]:
    """The fiducials' centres: three or more, apart from each other and not all in a line."""
    size = DICTIONARIES[dictionary]
    ids = {str(i): i for i in range(size)}
    markers: dict[int, tuple[float, float]] = {}
    for key, place in data.items():
        if key not in ids:
            raise KitError(
                f"{name}: mat.markers has the key {key!r}, expected a fiducial's id: {dictionary} has 0 to {size - 1}"
            )
        markers[ids[key]] = _point(place, f"mat.markers.{key}", name)
    if len(markers) < 3:
        raise KitError(f"{name}: mat.markers lists {len(markers)} fiducials, expected at least 3: add their centres")
    for (i, a), (k, b) in combinations(markers.items(), 2):
        if math.dist(a, b) < marker_mm:
            raise KitError(
                f"{name}: mat.markers has {i} and {k} {math.dist(a, b):g} mm apart, expected at least marker_mm "
                f"({marker_mm:g}): measure their centres"
            )
    if _are_in_line(list(markers.values()), marker_mm):
        raise KitError(
            f"{name}: mat.markers are all in one line, expected one beside it: a line does not tell where the table is"
        )
    return markers


def _are_in_line(places: list[tuple[float, float]], within_mm: float) -> bool:
    """Whether all places are closer than `within_mm` to the line through the two farthest apart."""
    a, b = max(combinations(places, 2), key=lambda pair: math.dist(*pair))
    x, y = b[0] - a[0], b[1] - a[1]
    return all(abs(x * (p[1] - a[1]) - y * (p[0] - a[0])) < within_mm * math.hypot(x, y) for p in places)


def _piece(data: Mapping[str, Any], at: str, name: str, mat: Mat) -> PieceKind:
    _no_strangers(data, _PIECE_KEYS, name, at)
    shape = _text(data, "shape", name, at)
    if shape not in _NEEDS:
        raise KitError(f"{name}: {at}shape is {shape!r}, expected one of {', '.join(sorted(_NEEDS))}")
    for key in _NEEDS[shape]:
        if key not in data:
            raise KitError(f"{name}: {at}{key} is missing, expected it for a {shape}: add a length in mm")
    most_mm = max(mat.width_mm, mat.height_mm)
    colors = _colors(data.get("colors", []), f"{at}colors", name)
    has_a_length_each = shape == "wire" and isinstance(data.get("length_mm"), dict)
    by_color = _by_color(data, "length_mm", colors, name, at) if has_a_length_each else {}
    return PieceKind(
        kind=_text(data, "kind", name, at),
        shape=shape,
        colors=colors,
        count_each=_whole(data.get("count_each", 1), f"{at}count_each", name, 1, MOST_PIECES),
        sizes_mm={
            key.removesuffix("_mm"): _length(data, key, name, at, *_range_mm(key, most_mm))
            for key in _SIZES
            if key in data and not (key == "length_mm" and has_a_length_each)
        },
        start_mm={
            color: _point(place, f"{at}start.{color}", name)
            for color, place in _by_color(data, "start", colors, name, at).items()
        },
        lengths_mm={
            color: _length(by_color, color, name, f"{at}length_mm.", LEAST_PIECE_MM, most_mm) for color in by_color
        },
        notches={
            color: _whole(count, f"{at}notches.{color}", name, 0, MOST_NOTCHES)
            for color, count in _by_color(data, "notches", colors, name, at).items()
        },
        packs=_packs(data, name, at),
        marked_faces=_whole(data["marked_faces"], f"{at}marked_faces", name, 0, FACES)
        if "marked_faces" in data
        else None,
        faces=_faces(data, name, at),
    )


def _faces(data: Mapping[str, Any], name: str, at: str) -> str | None:
    faces = _text_or_none(data, "faces", name, at)
    if faces is not None and faces not in _FACES:
        raise KitError(f"{name}: {at}faces is {faces!r}, expected one of {', '.join(_FACES)}")
    return faces


def _range_mm(key: str, most_mm: float) -> tuple[float, float]:
    """Minimum and maximum of a piece's size, mm."""
    if key == "side_mm":
        return LEAST_PIECE_MM, MOST_THICK_MM
    if key in ("height_mm", "wire_mm", "tip_mm", "bevel_mm"):
        return LEAST_THICK_MM, MOST_THICK_MM
    return LEAST_PIECE_MM, most_mm


def _colors(value: Any, at: str, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(color, str) and color for color in value):
        raise KitError(f"{name}: {at} {_is(value)}, expected a list of texts such as ['red', 'blue']")
    for i, color in enumerate(value):
        if color in value[:i]:
            raise KitError(f"{name}: {at} lists {color!r} twice, expected each color once")
    return tuple(value)


def _by_color(data: Mapping[str, Any], key: str, colors: Iterable[str], name: str, at: str) -> Mapping[str, Any]:
    """A table whose keys are colours of the piece; empty if it is missing."""
    if key not in data:
        return {}
    table = _table(data, key, name, at)
    for color in table:
        if color not in colors:
            raise KitError(f"{name}: {at}{key} has the key {color!r}, expected one of colors: {', '.join(colors)}")
    return table


def _packs(data: Mapping[str, Any], name: str, at: str) -> dict[int, int]:
    """The number of packs, by the number of players."""
    packs = {}
    for players, count in (_table(data, "packs", name, at) if "packs" in data else {}).items():
        if players not in _PLAYERS:
            raise KitError(f"{name}: {at}packs has the key {players!r}, expected a number of players such as 2")
        packs[int(players)] = _whole(count, f"{at}packs.{players}", name, 1, MOST_PACKS)
    return packs


def _no_strangers(data: Mapping[str, Any], known: set[str], name: str, at: str) -> None:
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(sorted(known))}"
            raise KitError(f"{name}: {at}{key} is not a key of a kit file: {hint}")


def _table(data: Mapping[str, Any], key: str, name: str, at: str) -> Mapping[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise KitError(f"{name}: {at}{key} {_is(value)}, expected a table")
    return value


def _is(value: Any) -> str:
    """The value of a key, for a sentence. TOML has no null, so None means that the key is missing."""
    return "is missing" if value is None else f"is {value!r}"


def _text(data: Mapping[str, Any], key: str, name: str, at: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise KitError(f"{name}: {at}{key} {_is(value)}, expected a text")
    return value


def _text_or_none(data: Mapping[str, Any], key: str, name: str, at: str) -> str | None:
    return _text(data, key, name, at) if key in data else None


def _whole(value: Any, at: str, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise KitError(f"{name}: {at} {_is(value)}, expected a whole number from {least} to {most}")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value  # not nan


def _is_place(value: Any) -> bool:
    return _is_number(value) and abs(value) <= 2 * MOST_MM


def _length(
    data: Mapping[str, Any], key: str, name: str, at: str, least_mm: float = 0.0, most_mm: float = MOST_MM
) -> float:
    value: Any = data.get(key)
    if not _is_number(value) or value <= 0:
        raise KitError(f"{name}: {at}{key} {_is(value)}, expected a length above 0 in mm")
    if not least_mm <= value <= most_mm:
        raise KitError(f"{name}: {at}{key} {_is(value)}, expected a length in mm from {least_mm:g} to {most_mm:g}")
    return float(value)


def _point(value: Any, at: str, name: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_place, value)):
        raise KitError(f"{name}: {at} {_is(value)}, expected [x, y] in mm")
    return float(value[0]), float(value[1])


def _box(value: Any, at: str, name: str) -> BoxMm:
    if not isinstance(value, list) or len(value) != 4 or not all(map(_is_place, value)):
        raise KitError(f"{name}: {at} {_is(value)}, expected [x0, y0, x1, y1] in mm")
    x0, y0, x1, y1 = map(float, value)
    if x1 <= x0 or y1 <= y0:
        raise KitError(f"{name}: {at} {_is(value)}, expected x0 < x1 and y0 < y1")
    return x0, y0, x1, y1
