"""Sheets of paper. Larger drawings are split into overlapping tiles, with a 100 mm check line on each."""

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from reportlab.pdfgen.canvas import FILL_NON_ZERO, Canvas

POINTS_A_MM = 72 / 25.4
PAPERS_MM = {"A4": (210.0, 297.0), "A3": (297.0, 420.0), "Letter": (215.9, 279.4)}
"""Width and height in portrait."""
MARGIN_MM, FOOT_MM = 8.0, 20.0
"""White margin of most printers, and the height of the foot with the check line and its text."""
CHECK_MM = 100.0
OVERLAP_MM = 10.0
"""Width of the strip shared by neighbouring tiles, for glueing."""
FONT = "Helvetica"
BLACK, WHITE, SOFT = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.55, 0.55, 0.55)

Color = tuple[float, float, float]
"""Red, green, blue, 0 to 1."""
Box = tuple[float, float, float, float]
"""x, y, width, height in mm."""


class Pen:
    """Draws in mm, y down, on one page; `at_mm` is the place of the drawing's origin."""

    def __init__(self, canvas: Any, height_mm: float, at_mm: tuple[float, float] = (0.0, 0.0)) -> None:
        self._canvas = canvas
        self._height_mm, self._at_mm = height_mm, at_mm

    def moved(self, x_mm: float, y_mm: float) -> "Pen":
        """The same pen with its origin at another place."""
        return Pen(self._canvas, self._height_mm, (self._at_mm[0] + x_mm, self._at_mm[1] + y_mm))

    def boxes(self, boxes: Iterable[Box], color: Color = BLACK) -> None:
        """Fills boxes as one path, so that no hairlines show between neighbours."""
        path = self._canvas.beginPath()
        for x, y, width, height in boxes:
            path.rect(*self._point(x, y + height), width * POINTS_A_MM, height * POINTS_A_MM)
        self._canvas.setFillColorRGB(*color)
        self._canvas.drawPath(path, stroke=0, fill=1, fillMode=FILL_NON_ZERO)

    def outline(self, box: Box, width_mm: float, color: Color = SOFT, *, dashed: bool = False) -> None:
        x, y, width, height = box
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
        self.line(corners, width_mm, color, dashed=dashed)

    def line(
        self,
        points: Sequence[tuple[float, float]],
        width_mm: float,
        color: Color,
        *,
        dashed: bool = False,
    ) -> None:
        path = self._canvas.beginPath()
        for i, (x, y) in enumerate(points):
            (path.moveTo if i == 0 else path.lineTo)(*self._point(x, y))
        self._canvas.setStrokeColorRGB(*color)
        self._canvas.setLineWidth(width_mm * POINTS_A_MM)
        self._canvas.setDash(*([2, 2] if dashed else []))
        self._canvas.drawPath(path, stroke=1, fill=0)

    def circle(
        self,
        at_mm: tuple[float, float],
        diameter_mm: float,
        *,
        fill: Color | None = None,
        rim: Color | None = BLACK,
        width_mm: float = 0.3,
    ) -> None:
        """Draws a circle; its rim is inside its diameter."""
        drawn = diameter_mm - (width_mm if rim is not None else 0.0)
        self._canvas.setFillColorRGB(*(fill or WHITE))
        self._canvas.setStrokeColorRGB(*(rim or BLACK))
        self._canvas.setLineWidth(width_mm * POINTS_A_MM)
        self._canvas.setDash()
        middle = self._point(*at_mm)
        self._canvas.circle(*middle, drawn / 2 * POINTS_A_MM, stroke=int(rim is not None), fill=int(fill is not None))

    def text(
        self,
        at_mm: tuple[float, float],
        words: str,
        size_mm: float = 3.2,
        *,
        color: Color = BLACK,
        align: str = "left",
        bold: bool = False,
    ) -> None:
        """Draws one line of text; `at_mm` is on its base line; `align`: left, middle or right."""
        self._canvas.setFillColorRGB(*color)
        self._canvas.setFont(f"{FONT}-Bold" if bold else FONT, size_mm * POINTS_A_MM)
        draw = {
            "left": self._canvas.drawString,
            "middle": self._canvas.drawCentredString,
            "right": self._canvas.drawRightString,
        }[align]
        draw(*self._point(*at_mm), words)

    @contextmanager
    def only_in(self, box: Box) -> Iterator[None]:
        """Clips the drawing within the block to a box."""
        x, y, width, height = box
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.rect(*self._point(x, y + height), width * POINTS_A_MM, height * POINTS_A_MM)
        self._canvas.clipPath(path, stroke=0, fill=0)
        yield
        self._canvas.restoreState()

    def _point(self, x_mm: float, y_mm: float) -> tuple[float, float]:
        x, y = self._at_mm
        return (x + x_mm) * POINTS_A_MM, (self._height_mm - y - y_mm) * POINTS_A_MM


@dataclass(frozen=True, slots=True)
class Printable:
    """Something to print: its title, its size in mm, and the function that draws it from its top-left corner."""

    title: str
    width_mm: float
    height_mm: float
    draw: Callable[[Pen], None]


@dataclass(frozen=True, slots=True)
class Tile:
    """One page of a drawing: a part of it (x, y, width, height in mm), and its row and column in the grid of pages."""

    x_mm: float
    y_mm: float
    width_mm: float
    height_mm: float
    row: int
    column: int
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class PaperLayout:
    """The paper's width and height in mm, and the tiles of one drawing on it."""

    width_mm: float
    height_mm: float
    tiles: tuple[Tile, ...]


def layout(drawing: Printable, paper: str) -> PaperLayout:
    """The tiles of a drawing, with the paper in the orientation that needs fewer tiles.

    >>> [len(layout(Printable("x", 500, 500, print), paper).tiles) for paper in ("A4", "A3", "Letter")]
    [6, 4, 6]
    """
    width, height = PAPERS_MM[paper]
    found = [_laid(drawing, *turned) for turned in ((width, height), (height, width))]
    return min(found, key=lambda laid: len(laid.tiles))


def _laid(drawing: Printable, width_mm: float, height_mm: float) -> PaperLayout:
    room = (width_mm - 2 * MARGIN_MM, height_mm - MARGIN_MM - FOOT_MM)
    columns, rows = (_tiles(size, free) for size, free in zip((drawing.width_mm, drawing.height_mm), room, strict=True))
    across, down = (
        (size + (n - 1) * OVERLAP_MM) / n for size, n in ((drawing.width_mm, columns), (drawing.height_mm, rows))
    )
    tiles = tuple(
        Tile(c * (across - OVERLAP_MM), r * (down - OVERLAP_MM), across, down, r, c, rows, columns)
        for r in range(rows)
        for c in range(columns)
    )
    return PaperLayout(width_mm, height_mm, tiles)


def _tiles(size_mm: float, free_mm: float) -> int:
    return 1 if size_mm <= free_mm else math.ceil((size_mm - OVERLAP_MM) / (free_mm - OVERLAP_MM) - 1e-9)


def pdf(drawings: Sequence[Printable], paper: str) -> bytes:
    """Drawings as a PDF; equal drawings give equal bytes. Raises: KeyError: unknown paper size."""
    written = io.BytesIO()
    canvas = Canvas(written, invariant=1)
    canvas.setTitle(drawings[0].title if drawings else "Companion")
    for drawing in drawings:
        laid = layout(drawing, paper)
        for tile in laid.tiles:
            canvas.setPageSize((laid.width_mm * POINTS_A_MM, laid.height_mm * POINTS_A_MM))
            _page(Pen(canvas, laid.height_mm), drawing, laid, tile)
            canvas.showPage()
    canvas.save()
    return written.getvalue()


def _page(pen: Pen, drawing: Printable, laid: PaperLayout, tile: Tile) -> None:
    left = (laid.width_mm - tile.width_mm) / 2
    top = MARGIN_MM + (laid.height_mm - MARGIN_MM - FOOT_MM - tile.height_mm) / 2
    with pen.only_in((left, top, tile.width_mm, tile.height_mm)):
        drawing.draw(pen.moved(left - tile.x_mm, top - tile.y_mm))
    if len(laid.tiles) > 1:
        _marks(pen, (left, top, tile.width_mm, tile.height_mm), tile)
    _foot(pen, drawing, laid, tile)


def _marks(pen: Pen, box: Box, tile: Tile) -> None:
    """Draws short lines where the next tile begins, which is glued onto the strip beyond them."""
    x, y, width, height = box
    if tile.column < tile.columns - 1:
        at = x + width - OVERLAP_MM
        pen.line(((at, y - 4), (at, y)), 0.15, SOFT)
        pen.line(((at, y + height), (at, y + height + 2)), 0.15, SOFT)
    if tile.row < tile.rows - 1:
        at = y + height - OVERLAP_MM
        pen.line(((x - 4, at), (x, at)), 0.15, SOFT)
        pen.line(((x + width, at), (x + width + 4, at)), 0.15, SOFT)


def _foot(pen: Pen, drawing: Printable, laid: PaperLayout, tile: Tile) -> None:
    """Draws the check line, and the sheet's title and place in words."""
    y = laid.height_mm - 9.0
    x = MARGIN_MM
    pen.boxes([(x, y, CHECK_MM, 0.4), (x, y - 2, 0.4, 4.4), (x + CHECK_MM - 0.4, y - 2, 0.4, 4.4)])
    pen.text((x, y + 4.5), "100 mm: measure it. Print at 100 %, not fitted to the page.", 2.8)
    right = laid.width_mm - MARGIN_MM
    pen.text((right, y), drawing.title, 2.8, align="right")
    if len(laid.tiles) > 1:
        where = f"row {tile.row + 1} of {tile.rows}, column {tile.column + 1} of {tile.columns}"
        pen.text((right, y + 4.5), f"{where}; 10 mm overlap, cut at the short lines", 2.8, align="right")
