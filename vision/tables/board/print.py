"""Which spots of a race board show their print, and which show something else: spots printed alike look alike.

A ring's plain circles are many, so an empty one looks like several others, lit alike, whatever is painted on it. A
marker does not: each lies a little differently. The few spots of a role and colour show their print where three of them
are twins, and one that is unlike them shows something else. Where a role has one spot a colour, spots are printed alike
but for their colour: there shapes are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.game.board import Board
from vision.tables.board.edges import unlike_each_other, unlike_in_shape, unlike_lit_alike
from vision.tables.board.view import Floats, Floats32

NEIGHBOUR = 5
"""Of many spots printed alike so many look about as an empty one does; no so many markers lie alike."""
ALIKE, STRANGE, LEAST_ALIKE = 0.2, 0.28, 0.6
"""A spot less unlike its fifth neighbour shows its print, a more unlike one something else, if so many show theirs."""
TWIN, NO_TWIN = 0.065, 0.3
"""The same for few spots, as they are: three that are no more unlike show their print."""
SHAPED_ALIKE, SHAPED_STRANGELY = 0.22, 0.35
"""The same for spots whose shapes are compared, and their nearest."""
LIKE_NONE = 0.52
"""A spot whose shape is more unlike those of all others of its role, whatever their colours, shows something else, as a
die that lies across it: of 8,800 spots without one none was beyond 0.48."""


@dataclass(frozen=True, slots=True)
class PrintSeen:
    """The spots that show their print, and those that show something else; of all others nothing is told."""

    plain: frozenset[int]
    strange: frozenset[int]


def print_seen(shown: Floats32, board: Board, apart: Sequence[Floats]) -> PrintSeen:
    """What cut-outs about all spots, as `board_signs.Patches.shown`, tell of their print; `apart` is
    `apart_in_groups` of them."""
    plain, strange = _of_many(shown, board)
    for spots, unlike in zip(groups_of_spots(board), apart, strict=True):
        if len(spots) > 2:
            few_plain, few_strange = _of_few(spots, unlike)
            plain |= few_plain
            strange |= few_strange
    for spots, are_of_one_color in [(of, True) for of in _of_sections(board)] + [(of, False) for of in _singles(board)]:
        if len(spots) > 2:
            nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
            is_plain = nearest < SHAPED_ALIKE
            plain |= set(np.array(spots)[is_plain].tolist())
            if are_of_one_color and is_plain.any():
                strange |= set(np.array(spots)[nearest > SHAPED_STRANGELY].tolist())
    for spots in _of_roles(board):
        nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
        is_like_none = nearest > LIKE_NONE
        if is_like_none.mean() < 1 - LEAST_ALIKE:  # a board of one's own may have each spot painted differently
            strange |= set(np.array(spots)[is_like_none].tolist())
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
    """The same of spots (N,) printed alike that are so unlike each other, (N, N), the diagonal infinite."""
    is_plain = (apart < TWIN).sum(axis=1) >= 2  # two markers may lie alike, hardly three
    if not is_plain.any():
        return set(), set()
    is_strange = ~is_plain & (apart[:, is_plain].min(axis=1) > NO_TWIN)
    of = np.array(spots)
    return set(of[is_plain].tolist()), set(of[is_strange].tolist())


def apart_in_groups(shown: Floats32, board: Board) -> list[Floats]:
    """How unlike the spots of each of `groups_of_spots` are, (N, N) each, the diagonal infinite."""
    return [unlike_each_other(shown[spots], board.circle_mm) for spots in groups_of_spots(board)]


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


def _of_sections(board: Board) -> list[list[int]]:
    """The spots that each section of a board's file names, on either side of its lines."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    sides = [side for table in board.sections.values() for side in (table.keys(), table.values())]
    return [[index[word] for word in side if isinstance(word, str) and word in index] for side in sides]


def _of_roles(board: Board) -> list[list[int]]:
    """The spots of each role that has several spots a colour, of all colours together."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    of = [spots_of_roles(board, color) for color in board.colors]
    roles = [role for role, spots in of[0].items() if len(spots) > 1]
    return [[index[spot] for roles_of in of for spot in roles_of.get(role, [])] for role in roles]


def _singles(board: Board) -> list[list[int]]:
    """The spots of each role that has one spot a colour."""
    index = {spot: i for i, spot in enumerate(board.spots)}
    of = [spots_of_roles(board, color) for color in board.colors]
    roles = [role for role, spots in of[0].items() if len(spots) == 1]
    return [[index[spot] for roles_of in of for spot in roles_of.get(role, [])] for role in roles]


def plain_spots(board: Board) -> list[int]:
    """The spots that boards print like very many others: those of no role and no section's own."""
    roles = {spot for color in board.colors for spots in spots_of_roles(board, color).values() for spot in spots}
    named = {spot for spots in _of_sections(board) for spot in spots}
    return [i for i, spot in enumerate(board.spots) if spot not in roles and i not in named]
