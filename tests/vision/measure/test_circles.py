"""Where circles may have their middles, by votes of edges."""

from __future__ import annotations

import numpy as np

from vision.measure.circles import EdgeMap, find_circles

SHAPE, RADIUS_PX = (120, 160), 15.0


def rim(column: float, row: float, start: float = 0.0, end: float = 2 * np.pi) -> EdgeMap:
    """The edges of a part of a circle's rim (radians), two pixels wide, as a table's view from above holds them."""
    turn = np.arange(start, end, 1 / RADIUS_PX)
    toward = np.column_stack([np.cos(turn), np.sin(turn)])
    at = np.vstack([(column, row) + toward * far for far in (RADIUS_PX - 0.5, RADIUS_PX + 0.5)])
    return EdgeMap(at.astype(np.float32), np.vstack([toward] * 2).astype(np.float32), np.ones(len(at), np.float32))


def joined(*maps: EdgeMap) -> EdgeMap:
    at = np.vstack([each.at for each in maps])
    order = np.argsort(at[:, 1], kind="stable")
    toward, weight = np.vstack([each.toward for each in maps]), np.concatenate([each.weight for each in maps])
    return EdgeMap(at[order], toward[order], weight[order])


def test_circles_are_found_one_by_one_each_without_the_rims_of_those_before() -> None:
    edges = joined(rim(60, 60, 2.0, 5.5), rim(65, 60, 0.8, 1.8), rim(110, 80))
    found = [(circle.column, circle.row) for circle in find_circles(edges, SHAPE, RADIUS_PX, 0.1, 10)]
    assert found == [(110.0, 80.0), (60.0, 60.0)]


def test_no_edges_have_no_circles() -> None:
    nothing = EdgeMap(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
    assert find_circles(nothing, SHAPE, RADIUS_PX, 0.1, 10) == []
