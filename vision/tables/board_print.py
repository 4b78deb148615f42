"""Which spots of a race board show their print, and which show something else: spots printed alike look alike.

A ring's plain circles are many, so an empty one looks like several others, lit alike, whatever is painted on it. A
marker does not: each lies a little differently. The few spots of a role and colour show their print where three of them
are twins, and one that is unlike two twins of its own shows something else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from companion.board import Board
from vision.tables.board_edges import unlike_each_other, unlike_lit_alike
from vision.tables.board_view import Floats, Floats32

NEIGHBOUR = 5
"""Of many spots printed alike so many look about as an empty one does; no so many markers lie alike."""
ALIKE, STRANGE, LEAST_ALIKE = 0.2, 0.28, 0.6
"""A spot less unlike its fifth neighbour shows its print, a more unlike one something else, if so many show theirs."""
TWIN, NO_TWIN = 0.08, 0.3
"""The same for the few spots of a role and colour, as they are."""


@dataclass(frozen=True, slots=True)
class PrintSeen:
    """The spots that show their print, and those that show something else; of all others nothing is told."""

    plain: frozenset[int]
    strange: frozenset[int]


def print_seen(shown: Floats32, board: Board) -> PrintSeen:
    """What cut-outs about all spots, as `board_signs.Patches.shown`, tell of their print."""
    plain, strange = _of_many(shown, board)
    for spots in groups_of_spots(board):
        if len(spots) > 2:
            apart = unlike_each_other(shown[spots], board.circle_mm)
            few_plain, few_strange = _of_few(spots, apart)
            plain |= few_plain
            strange |= few_strange
    return PrintSeen(frozenset(plain), frozenset(strange))


def _of_many(shown: Floats32, board: Board) -> tuple[set[int], set[int]]:
    spots = np.array(plain_spots(board), int)
    if len(spots) <= 2 * NEIGHBOUR:
        return set(), set()
    unlike = np.sort(unlike_lit_alike(shown[spots], board.circle_mm), axis=1)[:, NEIGHBOUR - 1]
    is_plain = unlike < ALIKE
    if is_plain.mean() < LEAST_ALIKE:  # a board of one's own may have each spot painted differently
        return set(), set()
    return set(spots[is_plain].tolist()), set(spots[unlike > STRANGE].tolist())


def _of_few(spots: list[int], apart: Floats) -> tuple[set[int], set[int]]:
    """The same of spots (N,) of one role and colour that are so unlike each other, (N, N), the diagonal infinite."""
    twins = apart < TWIN
    plain = {spot for spot, others in zip(spots, twins, strict=True) if others.sum() >= 2}
    has_twin = twins.any(axis=1)
    if not has_twin.any():
        return plain, set()
    return plain, {
        spot for spot, others in zip(spots, apart, strict=True) if others[has_twin].min(initial=np.inf) > NO_TWIN
    } - set(np.array(spots)[has_twin].tolist())


def groups_of_spots(board: Board) -> list[list[int]]:
    """The spots of each role and colour: boards print those alike."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    return [
        [index[spot] for spot in spots] for color in board.colors for spots in spots_of_roles(board, color).values()
    ]


def spots_of_roles(board: Board, color: str) -> dict[str, list[str]]:
    """The spots that each role of a colour names."""
    listed = {role: [value] if isinstance(value, str) else value for role, value in board.roles[color].items()}
    return {role: [spot for spot in spots if spot in board.spots] for role, spots in listed.items()}


def plain_spots(board: Board) -> list[int]:
    """The spots that boards print like very many others: those of no role and no section's own."""
    roles = {spot for color in board.colors for spots in spots_of_roles(board, color).values() for spot in spots}
    pairs = [pair for table in board.sections.values() for pair in table.items()]
    named = {word for pair in pairs for word in pair if isinstance(word, str)}
    return [i for i, spot in enumerate(board.spots) if spot not in roles and spot not in named]
