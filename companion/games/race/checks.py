"""Checks the markers of a race table: after an undo, and before the first roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from companion.game.kit import Kit
from companion.game.parts import Layout
from companion.game.readings import SURE, BoardReading
from companion.game.says import Says, counted, each_as
from companion.game.table import Placed
from companion.game.values import Checked, InPlace, PutBack, SeenSetUp
from companion.games.race.chances import EMPTY, BoardChances
from companion.games.race.reading import chances_of, standing
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import RaceState


def layout(sheet: RaceSheet, state: RaceState) -> Layout:
    """The board, and every marker in its circle."""
    return Layout(tables_of(sheet, state).board, standing_pieces(sheet, state))


def standing_pieces(sheet: RaceSheet, state: RaceState) -> tuple[Placed, ...]:
    """Every marker in its circle; those at the beginning and arrived ones fill their circles in order."""
    board = tables_of(sheet, state).board
    placed = []
    for color, spots in state.pieces.items():
        home = iter(board.roles[color]["home"])
        inner = iter(board.roles[color].get("inner", ()))
        for i, spot in enumerate(spots):
            circle = next(home) if spot == sheet.home else spot.removesuffix("!")
            circle = circle if circle in board.spots else next(inner)
            placed.append(_placed(sheet, state, f"{color}_{i + 1}", color, circle))
    return tuple(placed)


def put_back(sheet: RaceSheet, before: RaceState, after: RaceState) -> tuple[PutBack, ...]:
    """The markers to move by hand, to turn the table of `after` back into that of `before`."""
    found = []
    was_laid, is_laid = _circles(sheet, before), _circles(sheet, after)
    for color, spots in before.pieces.items():
        was, now = (Counter(spot.removesuffix("!") for spot in of) for of in (spots, after.pieces[color]))
        for here, there in zip((now - was).elements(), (was - now).elements(), strict=True):
            values = {"color": color, "piece": sheet.piece, "here": here, "there": there}
            says = Says("{color} piece from {here} to {there}", values)
            lies = _placed(sheet, after, color, color, is_laid[color, here])
            lay = _placed(sheet, before, color, color, was_laid[color, there])
            found.append(PutBack(says, lies, lay))
    return tuple(found)


def seen_back(
    sheet: RaceSheet,
    before: RaceState,
    after: RaceState,
    reading: BoardReading | None,
    was: Sequence[Checked] = (),
    earlier: BoardReading | None = None,
) -> tuple[Checked, ...]:
    """The check of each item of `put_back`, then other pieces seen elsewhere."""
    things = put_back(sheet, before, after)
    if reading is None:
        return tuple(Checked(InPlace.UNSEEN) for _ in things)
    expected = standing(sheet, before)
    chances = chances_of(sheet, before, reading)
    told = []
    named: set[str] = set()
    for thing in things:
        here, there = thing.says.values["here"], thing.says.values["there"]
        spots = [spot for spot in (here, there) if spot in chances.spots]
        named.update(spots)
        told.append(Checked(min((_laid(chances, spot, expected.get(spot, EMPTY)) for spot in spots), key=_WORST.index)))
    others = [d for d in chances.differences(expected) if d.spot not in named]
    sure = [d for d in others if chances.of(d.spot, d.seen) >= SURE]
    return (*told, *(Checked(InPlace.NO, _elsewhere(d.spot, d.seen, d.expected)) for d in sure))


_WORST = (InPlace.NO, InPlace.UNSEEN, InPlace.YES)
AT_FIRST = 3.0
"""Factor on the odds, from the look alone, that a marker stands where the game begins with it. People lay markers out,
and the print of a beginning in the markers' colour leaves one in ten in doubt."""


def seen_set_up(
    sheet: RaceSheet, state: RaceState, reading: BoardReading, kit: Kit | None = None, *, was_right: bool = False
) -> SeenSetUp | None:
    """The set-up of the board as seen; None once somebody has rolled."""
    if state.rolling != state.seats or state.first_rolls:
        return None
    board, expected = tables_of(sheet, state).board, standing_pieces(sheet, state)
    at = {(p.x_mm, p.y_mm): p.color or EMPTY for p in expected}
    should = {spot: at[place] for spot, place in board.spots.items() if place in at}
    chances = BoardChances(reading, board.spots)
    for color in state.pieces:  # any of its circles will do for a marker that waits
        home = board.roles[color]["home"]
        waiting = sum(should.pop(spot, EMPTY) == color for spot in home)
        likeliest = sorted(((chances.of(spot, color), spot) for spot in home), reverse=True)
        should |= dict.fromkeys((spot for _, spot in likeliest[:waiting]), color)
    lines = []
    for color in state.pieces:
        own = [spot for spot, of in should.items() if of == color]
        laid = [_laid(chances, spot, color, AT_FIRST) for spot in own]
        count = laid.count(InPlace.YES)
        says = counted(
            count,
            "one of {all} {color} pieces is at the beginning",
            "{count} of {all} {color} pieces are at the beginning",
            {"color": color, "piece": sheet.piece, "all": len(own)},
            none="none of {all} {color} pieces is at the beginning",
        )
        lines.append(Checked(min(laid, key=_WORST.index), says, sheet.cites.first))
    for d in chances.differences(should):
        if d.expected == EMPTY and chances.of(d.spot, d.seen) >= SURE:
            lines.append(Checked(InPlace.NO, _elsewhere(d.spot, d.seen, d.expected), sheet.cites.first))
    return SeenSetUp(tuple(lines), Says("the camera cannot see who begins: roll for it, one after the other"))


def _laid(chances: BoardChances, spot: str, expected: str, likelier: float = 1.0) -> InPlace:
    here = chances.of(spot, expected)
    if likelier * here / (likelier * here + 1 - here) >= SURE:
        return InPlace.YES
    return InPlace.NO if chances.of(spot, chances.seen(spot)) >= SURE else InPlace.UNSEEN


def _elsewhere(spot: str, seen: str, expected: str) -> Says:
    told = each_as("color", (seen, expected))
    values = {"spot": spot, "seen": told[0], "expected": told[1]}
    if not seen:
        return Says("no {expected} on {spot}", values)
    return Says("{seen} on {spot} instead of {expected}" if expected else "{seen} on {spot}", values)


def _circles(sheet: RaceSheet, state: RaceState) -> dict[tuple[str, str], str]:
    """The circle of one marker of each colour on each spot that notation knows."""
    at = {place: spot for spot, place in tables_of(sheet, state).board.spots.items()}
    words = [(color, spot.removesuffix("!")) for color, spots in state.pieces.items() for spot in spots]
    return {word: at[p.x_mm, p.y_mm] for word, p in zip(words, standing_pieces(sheet, state), strict=True)}


def _placed(sheet: RaceSheet, state: RaceState, id: str, color: str, circle: str) -> Placed:
    board = tables_of(sheet, state).board
    x_mm, y_mm = board.spots[circle]
    size_mm = board.marker_mm
    return Placed(id=id, kind=sheet.piece, color=color, x_mm=x_mm, y_mm=y_mm, angle_deg=0.0, size_mm=size_mm)
