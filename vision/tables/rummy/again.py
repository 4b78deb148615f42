"""Indices that do not say clearly what they are, looked at again as the table has them.

The finder tells roughly how large an index is and how it is turned. All indices of a pack are of one size, and on a
calibrated table it is known; those that lie together are turned alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.photo.cards.find import Spot
from vision.photo.cards.index import Index, IndexReader, best_each
from vision.tables.rummy.cards import Pack, clearness, half_turn
from vision.tables.rummy.limits import LIMITS
from vision.tables.rummy.lines import turned_by_lines
from vision.tables.rummy.view import TableView


def read_again(indices: Sequence[Index], view: TableView, pack: Pack, reader: IndexReader) -> list[Index]:
    """The indices, each as it reads best: as it was found, or as large and turned as those about it."""
    lined = turned_by_lines(indices, view.px_per_mm)
    clear = [index for index in lined if clearness(index) >= LIMITS.clear]
    asked = [
        spot
        for index, turned in zip(indices, lined, strict=True)
        if clearness(index) < LIMITS.clear and _is_near_size(index, pack, view)
        for spot in _ways(turned.spot, clear, view, pack)
        if _shows_more(spot, index.spot)
    ]
    return best_each([*indices, *reader.read_in(view.pyramid, asked)])


def _is_near_size(index: Index, pack: Pack, view: TableView) -> bool:
    return LIMITS.index_heights[0] < index.spot.height_px / view.px_per_mm / pack.height_mm < LIMITS.index_heights[1]


def _ways(spot: Spot, clear: Sequence[Index], view: TableView, pack: Pack) -> list[Spot]:
    own = replace(spot, height_px=pack.height_mm * view.px_per_mm)
    near = min((one.spot for one in clear), key=lambda one: np.hypot(one.x - spot.x, one.y - spot.y), default=own)
    off = half_turn(near.angle - spot.angle)
    is_near = np.hypot(near.x - spot.x, near.y - spot.y) < LIMITS.row_neighbour_mm * view.px_per_mm
    return [own, replace(own, angle=spot.angle + off)] if is_near and abs(off) > LIMITS.same_card_rad else [own]


def _shows_more(spot: Spot, found: Spot) -> bool:
    return (
        abs(np.log(spot.height_px / found.height_px)) > LIMITS.same_spot_size
        or abs(spot.angle - found.angle) > LIMITS.same_spot_rad
    )
