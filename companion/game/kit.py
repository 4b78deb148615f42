"""Kit files: the things on the table, in mm. Every size is data; a bad file is refused in one sentence.

>>> kit = kit_of_text('game = "x"\\n[mat]\\nwidth_mm = -4', name="kit.toml")
Traceback (most recent call last):
companion.game.errors.KitError: kit.toml: mat.width_mm is -4, expected a length above 0 in mm
"""

import difflib
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from companion.game.errors import KitError
from companion.game.toml_table import FileKind, TomlTable, table_of_text, text_of

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

    def without(self, names: Collection[str]) -> "Kit":
        """The set without the kinds of piece and the areas of these names."""
        areas_mm = {name: box for name, box in self.mat.areas_mm.items() if name not in names}
        pieces = tuple(piece for piece in self.pieces if piece.kind not in names)
        return replace(self, mat=replace(self.mat, areas_mm=areas_mm), pieces=pieces)

    @property
    def rim_mm(self) -> float:
        """Height above the mat of the rims that pieces are judged by; 0 in a kit without territories."""
        return max((piece.size_mm("height") for piece in self.pieces if piece.kind == "territory"), default=0.0)


MOST_MM = 3000.0
"""Maximum length, mm: one camera cannot cover a larger table, so a larger number was not in mm."""
LEAST_MAT_MM, LEAST_MARKER_MM, LEAST_PIECE_MM = 100.0, 5.0, 3.0
"""Minimum width of a mat, a marker and a piece, mm: smaller ones cannot be seen from above."""
LEAST_THICK_MM, MOST_THICK_MM = 0.1, 100.0
"""Minimum and maximum of heights, wires and tips, mm; the maximum also of cubes, which are searched for."""
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

KIT_FILE = FileKind(called="a kit file", error=KitError, most_mm=MOST_MM)
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
    return kit_of_text(text_of(path, KIT_FILE), name=path.name)


def kit_of_text(text: str, name: str = "kit") -> Kit:
    """The kit in a TOML text; `name` is its name in errors. Raises: KitError."""
    data = table_of_text(text, name, KIT_FILE)
    data.only({"game", "board", "mat", "pieces"})
    game = data.text("game")
    if not isinstance(data.values.get("mat"), dict):
        raise data.error("has no [mat] table, expected the play area's size and fiducials there")
    mat = _mat(data.table("mat"))
    pieces = data.values.get("pieces", [])
    if not isinstance(pieces, list) or not all(isinstance(piece, dict) for piece in pieces):
        raise data.error("pieces is not a list of tables, expected [[pieces]]")
    kinds = tuple(_piece(replace(data, values=piece, at=f"pieces[{i}]."), mat) for i, piece in enumerate(pieces))
    for i, piece in enumerate(kinds):
        if piece.kind in (earlier.kind for earlier in kinds[:i]):
            raise data.error(f"pieces[{i}].kind is {piece.kind!r} a second time, expected each kind once")
    return Kit(game=game, board=data.text_or_none("board"), mat=mat, pieces=kinds)


def _mat(mat: TomlTable) -> Mat:
    mat.only(_MAT_KEYS)
    width_mm, height_mm = (mat.length_mm(key, LEAST_MAT_MM) for key in ("width_mm", "height_mm"))
    marker_mm = mat.length_mm("marker_mm", LEAST_MARKER_MM)
    dictionary = mat.text("dictionary")
    if dictionary not in DICTIONARIES:
        near = difflib.get_close_matches(dictionary, DICTIONARIES, n=1) or ["DICT_APRILTAG_36h11"]
        mat.refuse("dictionary", f"one of OpenCV's such as {near[0]!r}")
    areas = {key: mat.box_mm(key) for key in _MAT_BOXES if key in mat}
    piles = mat.table_or_none("piles_mm")
    areas |= {f"pile_{seat}_mm": piles.box_mm(seat) for seat in piles}
    return Mat(
        width_mm=width_mm,
        height_mm=height_mm,
        dictionary=dictionary,
        marker_mm=marker_mm,
        markers=_markers(mat.table("markers"), marker_mm, dictionary),
        surface=mat.text_or_none("surface"),
        areas_mm=areas,
    )


def _markers(data: TomlTable, marker_mm: float, dictionary: str) -> dict[int, tuple[float, float]]:
    """The fiducials' centres: three or more, apart from each other and not all in a line."""
    size = DICTIONARIES[dictionary]
    ids = {str(i): i for i in range(size)}
    markers: dict[int, tuple[float, float]] = {}
    for key in data:
        if key not in ids:
            expected = f"a fiducial's id: {dictionary} has 0 to {size - 1}"
            raise data.error(f"mat.markers has the key {key!r}, expected {expected}")
        markers[ids[key]] = data.point_mm(key)
    if len(markers) < 3:
        raise data.error(f"mat.markers lists {len(markers)} fiducials, expected at least 3: add their centres")
    for (i, a), (k, b) in combinations(markers.items(), 2):
        if math.dist(a, b) < marker_mm:
            raise data.error(
                f"mat.markers has {i} and {k} {math.dist(a, b):g} mm apart, expected at least marker_mm "
                f"({marker_mm:g}): measure their centres"
            )
    if _are_in_line(list(markers.values()), marker_mm):
        raise data.error(
            "mat.markers are all in one line, expected one beside it: a line does not tell where the table is"
        )
    return markers


def _are_in_line(places: list[tuple[float, float]], within_mm: float) -> bool:
    """Whether all places are closer than `within_mm` to the line through the two farthest apart."""
    a, b = max(combinations(places, 2), key=lambda pair: math.dist(*pair))
    x, y = b[0] - a[0], b[1] - a[1]
    return all(abs(x * (p[1] - a[1]) - y * (p[0] - a[0])) < within_mm * math.hypot(x, y) for p in places)


def _piece(data: TomlTable, mat: Mat) -> PieceKind:
    data.only(_PIECE_KEYS)
    shape = data.one_of("shape", sorted(_NEEDS))
    for key in _NEEDS[shape]:
        if key not in data:
            data.refuse(key, f"it for a {shape}: add a length in mm")
    most_mm = max(mat.width_mm, mat.height_mm)
    colors = _colors(data)
    has_a_length_each = shape == "wire" and isinstance(data.values.get("length_mm"), dict)
    lengths = _by_color(data, "length_mm", colors) if has_a_length_each else None
    start, notches = _by_color(data, "start", colors), _by_color(data, "notches", colors)
    return PieceKind(
        kind=data.text("kind"),
        shape=shape,
        colors=colors,
        count_each=data.whole("count_each", 1, MOST_PIECES) if "count_each" in data else 1,
        sizes_mm={
            key.removesuffix("_mm"): data.length_mm(key, *_range_mm(key, most_mm))
            for key in _SIZES
            if key in data and not (key == "length_mm" and has_a_length_each)
        },
        start_mm={color: start.point_mm(color) for color in start},
        lengths_mm={} if lengths is None else {c: lengths.length_mm(c, LEAST_PIECE_MM, most_mm) for c in lengths},
        notches={color: notches.whole(color, 0, MOST_NOTCHES) for color in notches},
        packs=_packs(data.table_or_none("packs")),
        marked_faces=data.whole("marked_faces", 0, FACES) if "marked_faces" in data else None,
        faces=data.one_of("faces", _FACES) if "faces" in data else None,
    )


def _range_mm(key: str, most_mm: float) -> tuple[float, float]:
    if key == "side_mm":
        return LEAST_PIECE_MM, MOST_THICK_MM
    if key in ("height_mm", "wire_mm", "tip_mm", "bevel_mm"):
        return LEAST_THICK_MM, MOST_THICK_MM
    return LEAST_PIECE_MM, most_mm


def _colors(data: TomlTable) -> tuple[str, ...]:
    colors = data.values.get("colors", [])
    if not isinstance(colors, list) or not all(isinstance(color, str) and color for color in colors):
        data.refuse("colors", "a list of texts such as ['red', 'blue']")
    for i, color in enumerate(colors):
        if color in colors[:i]:
            raise data.error(f"{data.at}colors lists {color!r} twice, expected each color once")
    return tuple(colors)


def _by_color(data: TomlTable, key: str, colors: Iterable[str]) -> TomlTable:
    """A table whose keys are colours of the piece; empty if it is missing."""
    table = data.table_or_none(key)
    for color in table:
        if color not in colors:
            raise data.error(f"{data.at}{key} has the key {color!r}, expected one of colors: {', '.join(colors)}")
    return table


def _packs(packs: TomlTable) -> dict[int, int]:
    for players in packs:
        if players not in _PLAYERS:
            at = packs.at.removesuffix(".")
            raise packs.error(f"{at} has the key {players!r}, expected a number of players such as 2")
    return {int(players): packs.whole(players, 1, MOST_PACKS) for players in packs}
