"""Cards that stand on the table, and tokens with letters for sets whose colours look alike."""

from __future__ import annotations

from collections.abc import Sequence

import segno

from calibration.paper.boards import INKS
from calibration.paper.paper import BLACK, SOFT, WHITE, Box, Drawing, Pen

CARD_MM = (90.0, 120.0)
QR_MM = 60.0
TOKEN_GAP_MM = 4.0


def qr_boxes(text: str, at_mm: tuple[float, float], side_mm: float) -> list[Box]:
    """A QR code's dark modules, its quiet zone left out."""
    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix]
    cell = side_mm / len(rows)
    return [
        (at_mm[0] + x * cell, at_mm[1] + y * cell, cell, cell)
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    ]


def cards(table: str, url: str, seats: Sequence[str] = ()) -> Drawing:
    """A card for the table and one for each seat, each with the QR code that leads there."""
    width, height = CARD_MM
    given = [(table, url, "Scan to take a seat or to watch")]
    given += [(seat, f"{url}?seat={seat}", f"Scan to sit down as {seat}") for seat in seats]
    across = 2

    def draw(pen: Pen) -> None:
        for i, (name, leads_to, words) in enumerate(given):
            card = pen.moved((i % across) * width, (i // across) * height)
            card.outline((0, 0, width, height), 0.2, SOFT, dashed=True)
            card.text((width / 2, 18), name, 9, align="middle", bold=True)
            card.boxes(qr_boxes(leads_to, ((width - QR_MM) / 2, 28), QR_MM))
            card.text((width / 2, 98), words, 4, align="middle")
            card.text((width / 2, 106), leads_to.removeprefix("http://").removeprefix("https://"), 3.4, align="middle")

    rows = -(-len(given) // across)
    return Drawing(f"Cards of {table}", min(len(given), across) * width, rows * height, draw)


def tokens(colors: Sequence[str], diameter_mm: float, each: int) -> Drawing:
    """Disks to glue on markers: the colour's letter tells it where colours do not."""
    pitch = diameter_mm + TOKEN_GAP_MM

    def draw(pen: Pen) -> None:
        for row, color in enumerate(colors):
            ink = INKS.get(color, SOFT)
            is_dark = sum(ink) < 1.6
            for column in range(each):
                x, y = pitch * column + diameter_mm / 2, pitch * row + diameter_mm / 2
                pen.circle((x, y), diameter_mm, fill=ink, rim=None)
                size = diameter_mm * 0.6
                letter = color[0].upper()
                base = (x, y + 0.35 * size)
                pen.text(base, letter, size, color=WHITE if is_dark else BLACK, align="middle", bold=True)

    return Drawing(f"Tokens of {diameter_mm:g} mm", each * pitch, len(colors) * pitch, draw)
