"""The drill's sheet: five marked places between four small markers, laid on the table twice.

The box finds the sheet by its own markers, people put a piece on each place, and what the reader says of the pieces is
compared with where the places are. The sheet's sizes are written here once; the drill itself reads them from here.
"""

from __future__ import annotations

from calibration.paper.codes import small_markers
from calibration.paper.paper import SOFT, Drawing, Pen

SIZE_MM = (190.0, 250.0)
DICTIONARY = "DICT_APRILTAG_36h11"
MARKER_MM = 24.0
MARKERS_MM = {20: (16.0, 16.0), 21: (174.0, 16.0), 22: (174.0, 234.0), 23: (16.0, 234.0)}
"""Numbers and middles."""
PLACES_MM = ((95.0, 30.0), (40.0, 80.0), (150.0, 80.0), (95.0, 130.0), (60.0, 195.0))
"""Middles of the marked places, in their order."""
CROSS_MM = 60.0


def drill_sheet() -> Drawing:
    """The sheet, upright: markers in the corners, crosses with circles where the pieces go."""

    def draw(pen: Pen) -> None:
        small_markers(pen, DICTIONARY, MARKER_MM, MARKERS_MM.items())
        for number, (x, y) in enumerate(PLACES_MM, 1):
            for diameter in (16.0, 28.0, 45.0):
                pen.circle((x, y), diameter, rim=SOFT, width_mm=0.25)
            reach = CROSS_MM / 2
            for u, v in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                pen.line(((x + 4 * u, y + 4 * v), (x + reach * u, y + reach * v)), 0.2, SOFT)
            pen.text((x + 24, y - 20), str(number), 5, color=SOFT)

    return Drawing("Drill: lay it in one corner, then in the opposite one", *SIZE_MM, draw)
