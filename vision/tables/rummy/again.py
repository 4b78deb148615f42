"""Reads unclear indices a second time, with the size and angle that indices on this table have.

The finder gives the size and angle of an index only roughly. All indices of a pack have one size, known on a calibrated
table. Neighbouring indices have one angle.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.photo.cards.find import IndexSpot
from vision.photo.cards.index import Index, IndexReader, best_each
from vision.tables.rummy.cards import Pack, clearness, half_turn, turned_by_lines
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.paper import MatView


def read_again(indices: Sequence[Index], view: MatView, pack: Pack, reader: IndexReader) -> list[Index]:
    """The best reading of each index: as found, or with the pack's size, a ten's width and its neighbours' angle."""
    lined = turned_by_lines(indices, view.px_per_mm, pack.size_mm[1])
    clear = [index for index in lined if clearness(index) >= LIMITS.clear]
    asked = [
        spot
        for index, turned in zip(indices, lined, strict=True)
        if clearness(index) < LIMITS.clear and _is_near_size(index, pack, view)
        for spot in _ways(turned.spot, clear, view, pack)
        if _shows_more(spot, index.spot)
    ]
    most_px = pack.height_mm * view.px_per_mm
    again = reader.read_in(view.pyramid, asked)
    own = [replace(i, spot=replace(i.spot, height_px=min(i.spot.height_px, most_px))) for i in again]
    return best_each([*indices, *own])


def _is_near_size(index: Index, pack: Pack, view: MatView) -> bool:
    return LIMITS.heights[0] < index.spot.height_px / view.px_per_mm / pack.height_mm < LIMITS.heights[1]


def _ways(spot: IndexSpot, clear: Sequence[Index], view: MatView, pack: Pack) -> list[IndexSpot]:
    own = replace(spot, height_px=pack.height_mm * view.px_per_mm)
    near = min((one.spot for one in clear), key=lambda one: np.hypot(one.x - spot.x, one.y - spot.y), default=own)
    off = half_turn(near.angle - spot.angle)
    is_near = np.hypot(near.x - spot.x, near.y - spot.y) < pack.size_mm[1] * view.px_per_mm
    ways = [own, replace(own, angle=spot.angle + off)] if is_near and abs(off) > LIMITS.same_card_rad else [own]
    # a ten is so wide that its ends are cut off at its own size: read as large as any index, it is clear
    return [*ways, *(replace(way, height_px=way.height_px * LIMITS.heights[1]) for way in ways)]


def _shows_more(spot: IndexSpot, found: IndexSpot) -> bool:
    return (
        abs(np.log(spot.height_px / found.height_px)) > LIMITS.same_spot
        or abs(spot.angle - found.angle) > LIMITS.same_spot
    )
