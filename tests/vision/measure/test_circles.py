"""Where circles may have their middles, by votes of edges."""

from __future__ import annotations

import numpy as np

from vision.measure.circles import EdgeMap, find_circles, peaks_of

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


def test_a_circle_that_another_outdoes_is_still_a_peak() -> None:
    """Taken one by one, the better circle takes the rim of the other where they nearly share it."""
    edges = joined(rim(60, 60, 2.0, 5.5), rim(65, 60, 0.8, 1.8))
    one_by_one = [(circle.column, circle.row) for circle in find_circles(edges, SHAPE, RADIUS_PX, 0.1, 10)]
    assert one_by_one == [(60.0, 60.0)]
    peaks = [tuple(place) for place in peaks_of(edges, SHAPE, RADIUS_PX, 0.1, 10, 2).tolist()]
    assert peaks == [(60.0, 60.0), (65.0, 60.0)]


def test_a_circle_that_has_no_peak_of_its_own_is_found_when_the_better_one_is_taken_away() -> None:
    edges = joined(rim(60, 60), rim(62, 60, 0.0, 2.0))
    found = [(circle.column, circle.row) for circle in find_circles(edges, SHAPE, RADIUS_PX, 0.05, 10)]
    peaks = [tuple(place) for place in peaks_of(edges, SHAPE, RADIUS_PX, 0.05, 10, 2).tolist()]
    assert set(found) <= set(peaks)
    assert len(set(peaks)) == len(peaks)


def test_no_edges_have_no_peaks() -> None:
    nothing = EdgeMap(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.float32))
    assert peaks_of(nothing, SHAPE, RADIUS_PX, 0.1, 10, 2).shape == (0, 2)


def test_edges_within_a_window_are_those_that_lie_in_it() -> None:
    inside = joined(rim(40, 40), rim(100, 80)).within(20, 20, 60, 60)
    assert len(inside.at) == len(rim(40, 40).at)
    assert ((inside.at >= 20) & (inside.at < 60)).all()
