"""Spots that show their print and spots that do not, on cut-outs painted here."""

from __future__ import annotations

import numpy as np

from companion.game.brought import load_board
from vision.tables.board.edges import apart_in_groups, print_seen
from vision.tables.board.limits import LIMITS
from vision.tables.board.view import CELL_MM, Floats32

BM = load_board("BM-129")
NAMES = list(BM.spots)
CREAM, PALE_YELLOW, RED = (0.5, 0.65, 0.8), (0.62, 0.85, 0.87), (0.1, 0.1, 0.6)
Y, X = np.mgrid[-LIMITS.patch_cells : LIMITS.patch_cells + 1, -LIMITS.patch_cells : LIMITS.patch_cells + 1] * CELL_MM


def empty_board() -> Floats32:
    shown = np.full((len(NAMES), *X.shape, 3), CREAM, np.float32)
    return np.asarray(shown + np.random.default_rng(0).normal(0, 0.02, shown.shape), np.float32)


def lay(shown: Floats32, spot: str, ink: tuple[float, float, float], x_mm: float, y_mm: float) -> None:
    """A marker of 16 mm with its shadow."""
    of = shown[NAMES.index(spot)]
    of[np.hypot(X - x_mm - 1.5, Y - y_mm - 1.5) < 8] = 0.2
    of[np.hypot(X - x_mm, Y - y_mm) < 8] = ink


def test_a_marker_that_a_lamp_bleaches_to_the_print_s_colour_shows_something_else() -> None:
    # a yellow marker under a lamp was as pale as the wood's cream circles: the spot was said empty, and nobody asked
    shown = empty_board()
    for spot, x_mm in (("O9", 1.5), ("O30", -1.0)):
        lay(shown, spot, PALE_YELLOW, x_mm, 1.0)
    seen = print_seen(shown, BM, apart_in_groups(shown, BM))
    assert {NAMES[i] for i in seen.strange} == {"O9", "O30"}
    assert not seen.plain & seen.strange
    assert {"O8", "O10", "O42", "y.h1", "r.hre"} <= {NAMES[i] for i in seen.plain}


def test_two_markers_that_lie_alike_are_not_taken_for_print() -> None:
    # at home two red markers lay alike by chance: the empty third circle was taken for the odd one out
    shown = empty_board()
    for spot in ("r.h1", "r.h2"):
        lay(shown, spot, RED, 1.0, 0.5)
    lay(shown, "r.h3", RED, -1.5, 2.0)
    seen = print_seen(shown, BM, apart_in_groups(shown, BM))
    assert not {NAMES.index(spot) for spot in ("r.h1", "r.h2", "r.h3", "r.h4")} & seen.plain
    assert NAMES.index("r.h4") not in seen.strange


def test_a_die_that_lies_across_a_home_spot_shows_something_else_than_all_homes() -> None:
    """One lay over a red marker at home, and the spot was surely empty."""
    shown = empty_board()
    for spot in ("r.h2", "r.h3"):
        lay(shown, spot, RED, 1.0, 0.5)
    lay(shown, "r.h1", RED, 0.0, 0.0)
    die = (np.abs(X + 2) < 6) & (np.abs(Y - 3) < 8)
    shown[NAMES.index("r.h1")][die] = 1.2
    seen = print_seen(shown, BM, apart_in_groups(shown, BM))
    assert NAMES.index("r.h1") in seen.strange
    assert NAMES.index("r.h4") not in seen.strange


def test_a_board_whose_circles_are_all_painted_differently_tells_nothing() -> None:
    shown = empty_board() * np.random.default_rng(1).uniform(0.2, 1.4, (len(NAMES), *X.shape, 3)).astype(np.float32)
    seen = print_seen(shown, BM, apart_in_groups(shown, BM))
    assert not seen.plain
    assert not seen.strange
