"""Which spots of a race board show their print, and which show something else: spots printed alike look alike.

A ring has many plain circles. So an empty one looks like several others in the same light, whatever is painted on it. A
marker does not, because each has another offset. The few spots of a role and colour show their print if three of them
are twins; a different one shows something else. If a role has one spot a colour, its spots differ in colour only, and
their shapes are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.game.board import Board
from vision.tables.board.edges import unlike_each_other, unlike_in_shape, unlike_lit_alike
from vision.tables.board.limits import LIMITS
from vision.tables.board.view import Floats, Floats32


@dataclass(frozen=True, slots=True)
class PrintSeen:
    """The spots that show their print, and those that show something else; all others are open."""

    plain: frozenset[int]
    strange: frozenset[int]


def print_seen(shown: Floats32, board: Board, apart: Sequence[Floats]) -> PrintSeen:
    """The print by cut-outs around all spots, as `signs.Patches.shown`; `apart` is `apart_in_groups` of them."""
    plain, strange = _of_many(shown, board)
    for spots, unlike in zip(groups_of_spots(board), apart, strict=True):
        if len(spots) > 2:
            few_plain, few_strange = _of_few(spots, unlike)
            plain |= few_plain
            strange |= few_strange
    for spots, are_of_one_color in [(of, True) for of in _of_sections(board)] + [(of, False) for of in _singles(board)]:
        if len(spots) > 2:
            nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
            is_plain = nearest < LIMITS.max_shape_distance
            plain |= set(np.array(spots)[is_plain].tolist())
            if are_of_one_color and is_plain.any():
                strange |= set(np.array(spots)[nearest > LIMITS.min_strange_shape].tolist())
    for spots in _of_roles(board):
        nearest = unlike_in_shape(shown[spots], board.circle_mm).min(axis=1)
        is_like_none = nearest > LIMITS.min_foreign_shape
        if (
            is_like_none.mean() < 1 - LIMITS.min_print_share
        ):  # a board of one's own may have each spot painted differently
            strange |= set(np.array(spots)[is_like_none].tolist())
    return PrintSeen(frozenset(plain), frozenset(strange))


def _of_many(shown: Floats32, board: Board) -> tuple[set[int], set[int]]:
    spots = np.array(plain_spots(board), int)
    if len(spots) <= 2 * LIMITS.twin_rank:
        return set(), set()
    unlike = np.sort(unlike_lit_alike(shown[spots], board.circle_mm), axis=1)[:, LIMITS.twin_rank - 1]
    is_plain = unlike < LIMITS.max_print_distance
    if is_plain.mean() < LIMITS.min_print_share:  # a board of one's own may have each spot painted differently
        return set(), set()
    return set(spots[is_plain].tolist()), set(spots[unlike > LIMITS.min_strange_distance].tolist())


def _of_few(spots: list[int], apart: Floats) -> tuple[set[int], set[int]]:
    """The same for spots (N,) with the same print and these differences (N, N), the diagonal infinite."""
    is_plain = (apart < LIMITS.max_twin_distance).sum(axis=1) >= 2  # two markers may have the same offset, hardly three
    if not is_plain.any():
        return set(), set()
    is_strange = ~is_plain & (apart[:, is_plain].min(axis=1) > LIMITS.min_no_twin_distance)
    of = np.array(spots)
    return set(of[is_plain].tolist()), set(of[is_strange].tolist())


def apart_in_groups(shown: Floats32, board: Board) -> list[Floats]:
    """The differences of the spots in each of `groups_of_spots`, (N, N) each, the diagonal infinite."""
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
