"""The phones' view of a race game: the board's circles in mm, the pieces, the die, the actions open now. Also the
markers to put right by hand, after an undo and before the first roll."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.game.board import Board
from companion.game.game import Layout
from companion.game.kit import Kit
from companion.game.readings import SURE, BoardReading
from companion.game.says import Says
from companion.game.table import Placed
from companion.game.values import Checked, InPlace, JsonObject, PutBack, SeenSetUp
from companion.games.race.chances import AT_FIRST, EMPTY, BoardChances, is_sure
from companion.games.race.flow import legal, outcome, to_move
from companion.games.race.flow import score as score_of
from companion.games.race.reading import chances_of, standing
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import DieRolled, Moved, RaceState, RollCorrected
from companion.games.race.states import broken


def layout(sheet: RaceSheet, state: RaceState) -> Layout:
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
    sheet: RaceSheet, before: RaceState, after: RaceState, reading: BoardReading | None, was: Sequence[Checked] = ()
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
    return (*told, *(Checked(InPlace.NO, d.says) for d in sure))


_WORST = (InPlace.NO, InPlace.UNSEEN, InPlace.YES)


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
        values = {"color": color, "count": laid.count(InPlace.YES), "all": len(own)}
        says = Says("{color} pieces at the beginning: {count} of {all}", values)
        lines.append(Checked(min(laid, key=_WORST.index), says, sheet.cites.first))
    for d in chances.differences(should):
        if d.expected == EMPTY and chances.of(d.spot, d.seen) >= SURE:
            lines.append(Checked(InPlace.NO, d.says, sheet.cites.first))
    return SeenSetUp(tuple(lines), Says("roll for who begins, one after the other"))


def _laid(chances: BoardChances, spot: str, expected: str, likelier: float = 1.0) -> InPlace:
    here = chances.of(spot, expected)
    if is_sure(here, likelier):
        return InPlace.YES
    return InPlace.NO if chances.of(spot, chances.seen(spot)) >= SURE else InPlace.UNSEEN


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


BESIDE = 0.3
"""Offset of the second marker drawn on a circle, in circle widths."""
ARRIVAL = "inner"
"""The key of the circles where arrived markers lie."""


def view(sheet: RaceSheet, state: RaceState, seat: str | None = None, past: Sequence[Any] = ()) -> JsonObject:
    """The whole table, the same for every seat: a race game has no secrets.

    `pieces` lists each marker with its colour, spot and centre in mm (board frame). `may` lists the legal moves with
    origin and target. `rolls` lists the entries for each value of the die that is due. `score` counts the markers
    arrived. `signs` are the circles that a colour owns, or that have a name: their role and colour. `places` are their
    names in words, `ways` the steps.
    Raises: NotationError if the state is impossible.
    """
    board = tables_of(sheet, state).board
    pieces: list[dict[str, Any]] = []
    spots = itertools.chain.from_iterable(state.pieces.values())
    for lies, spot in zip(standing_pieces(sheet, state), spots, strict=True):
        circle = spot.removesuffix("!")
        others = sum(piece["spot"] == circle for piece in pieces) if circle in board.spots else 0
        x_mm = lies.x_mm + BESIDE * board.circle_mm * others
        has_right = spot.endswith("!")
        pieces.append({"color": lies.color, "spot": circle, "x_mm": x_mm, "y_mm": lies.y_mm, "has_right": has_right})
    over = outcome(sheet, state)
    moves = () if broken(sheet, state) else legal(sheet, state)
    tables = tables_of(sheet, state)
    return {
        "size_mm": list(board.size_mm),
        "circle_mm": board.circle_mm,
        "picture": board.picture and f"games/{sheet.name}/boards/{board.picture}",
        "spots": {spot: list(place) for spot, place in board.spots.items()},
        "pieces": pieces,
        "to_move": list(to_move(sheet, state)),
        "rolling": list(state.rolling),
        "first_rolls": dict(state.first_rolls),
        "die": state.die,
        "again": state.again,
        "may": [
            {
                "move": move.move,
                "color": move.action.color,
                "origin": move.action.origin,
                "to": move.action.to,
                "to_mm": list(board.spots[_circle(board, pieces, move.action)]),
            }
            for move in moves
            if isinstance(move.action, Moved)
        ],
        "rolls": [
            {"move": move.move, "seat": move.action.seat, "value": move.action.value}
            for move in moves
            if isinstance(move.action, DieRolled)
        ],
        "home": sheet.home,
        "colors": {
            seat: [tables.colors[c] for c in own] for seat, own in zip(state.seats, tables.colors_of_seat, strict=True)
        },
        "signs": _signs(sheet, board),
        "places": dict(_places(sheet, board, tables.names[tables.done])),
        "ways": _ways(sheet, board),
        "score": {seat: score.points for seat, score in score_of(sheet, state).items()},
        "winners": list(over.winners) if over else [],
        **_last(past),
    }


def _last(past: Sequence[Any]) -> JsonObject:
    """The last roll and the last move, to be marked on the board."""
    rolled = next((a for a in reversed(past) if isinstance(a, DieRolled | RollCorrected)), None)
    moved = next((a for a in reversed(past) if isinstance(a, Moved)), None)
    return {
        "last_roll": None if rolled is None else {"seat": rolled.seat, "value": rolled.value},
        "last_move": None if moved is None else {"color": moved.color, "origin": moved.origin, "to": moved.to},
    }


def _circle(board: Board, pieces: list[dict[str, Any]], action: Moved) -> str:
    """The circle that a move leads to: of the places where markers arrive, the next that is free."""
    if action.to in board.spots:
        return action.to
    taken = {(piece["x_mm"], piece["y_mm"]) for piece in pieces}
    inner: tuple[str, ...] = tuple(board.roles[action.color][ARRIVAL])
    return next((spot for spot in inner if board.spots[spot] not in taken), inner[-1])


def _signs(sheet: RaceSheet, board: Board) -> dict[str, dict[str, str | None]]:
    """The circles that bear a colour's shape, and those with a letter."""
    signs: dict[str, dict[str, str | None]] = {}
    for color in board.colors:
        for role in (role for role in sheet.roles if role.is_signed):
            signs |= {spot: {"role": role.key, "color": color} for spot in _spots(board, color, role.key)}
    marks = sheet.marks(board)
    return signs | {spot: {"role": m.role, "color": None, "letter": m.letter} for spot, m in marks.items()}


def _spots(board: Board, color: str, key: str) -> tuple[str, ...]:
    named = board.roles[color].get(key, ())
    return (named,) if isinstance(named, str) else tuple(named)


def _places(sheet: RaceSheet, board: Board, done: str) -> Iterator[tuple[str, Says]]:
    """The names in words of the circles that have one. A move names all places of arrival by one word, `done`."""
    for color in board.colors:
        for role in sheet.roles:
            spots = _spots(board, color, role.key)
            for number, spot in enumerate((done, *spots) if role.key == ARRIVAL and spots else spots, 1):
                if role.says is not None:
                    yield spot, Says(role.says.template, {"color": color, "circle": spot, "number": number})
    for spot, mark in sheet.marks(board).items():
        if mark.says is not None:
            yield spot, mark.says


def _ways(sheet: RaceSheet, board: Board) -> list[list[Any]]:
    """The steps between circles, each as two places in mm and the colour whose own step it is, None for all."""
    steps: list[tuple[str, str, str | None]] = [
        (spot, to, None) for spot, all_to in board.next.items() for to in all_to
    ]
    for color in board.colors:
        for role in sheet.roles:
            own = board.roles[color].get(role.key, ())
            if isinstance(own, Mapping):
                steps += [(spot, to, color) for spot, to in own.items() if to in board.spots]
            elif role.is_lane:
                first = _spots(board, color, role.lane_from) if role.lane_from else ()
                steps += [(spot, to, color) for spot, to in itertools.pairwise((*first, *own))]
    return [[*board.spots[spot], *board.spots[to], color] for spot, to, color in steps]
