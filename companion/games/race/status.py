"""Why an observed position cannot be, before any rule is asked."""

from __future__ import annotations

from typing import Any

from companion.game.board import PIECES_OF_A_COLOR
from companion.game.says import Says, counted, each_as, either
from companion.game.values import Fault
from companion.games.race import core as engine
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import RaceState


def broken(sheet: RaceSheet, state: RaceState) -> tuple[Fault, ...]:
    """Faults that leave no position to judge: colours, spots, numbers, two on a spot, turn and die."""
    tables = tables_of(sheet, state)
    faults = list(_turn_faults(sheet, state))
    playing = [tables.colors[c] for c in tables.in_play]
    for color in playing:
        if color not in state.pieces:
            faults.append(
                Fault(
                    Says("{color} plays and has no piece", {"color": color, "piece": sheet.piece}),
                    sheet.cites.count,
                    color,
                )
            )
    standing: dict[str, str] = {}
    for color, spots in state.pieces.items():
        if color not in playing:
            says = Says(
                "{color} does not play, expected {colors}",
                {"color": color, "colors": either(each_as("color", playing))},
            )
            faults.append(Fault(says, sheet.cites.count, color))
            continue
        if len(spots) != PIECES_OF_A_COLOR:
            values = {"color": color, "piece": sheet.piece}
            words = ("{color} has one piece, expected 4", "{color} has {count} pieces, expected 4")
            says = counted(len(spots), *words, values, none="{color} has no piece, expected 4")
            faults.append(Fault(says, sheet.cites.count, color))
        for spot in spots:
            faults += _spot_faults(sheet, tables, state, color, spot, standing)
    return tuple(faults)


def _spot_faults(
    sheet: RaceSheet, tables: engine.Tables, state: RaceState, color: str, spot: str, standing: dict[str, str]
) -> list[Fault]:
    done = tables.names[tables.done]
    if spot in (sheet.home, done) and spot:
        return []
    circle = spot.removesuffix("!")
    if not circle or circle not in tables.place:  # a game may leave the name of its DONE place empty
        says = Says("{color}: the board has no spot {spot}", {"color": color, "spot": spot or "''"})
        return [Fault(says, sheet.cites.board, spot)]
    c = tables.colors.index(color)
    if spot not in tables.place or not tables.may_stand(c, tables.place[spot]):
        says = Says("{color} cannot stand on {spot}", {"color": color, "spot": spot})
        if spot != circle and tables.may_stand(c, tables.place[circle]):
            words = "the ! on {spot} marks a right that {color} cannot have there: leave it out"
            says = Says(words, {"color": color, "spot": circle})
        return [Fault(says, sheet.cites.board, spot)]
    if standing.get(circle) == color and state.pieces[color].count(spot) <= sheet.most_on_a_spot:
        return []
    if circle in standing:
        says = Says("two on {spot}: {first} and {color}", {"spot": circle, "first": standing[circle], "color": color})
        return [Fault(says, sheet.cites.one_a_spot, circle)]
    standing[circle] = color
    return []


def _turn_faults(sheet: RaceSheet, state: RaceState) -> list[Fault]:
    faults = []
    seats = ", ".join(state.seats)
    if not state.rolling and state.turn is None:
        says = Says("nobody has the turn and nobody rolls for it, expected one of {seats}", {"seats": seats})
        faults.append(Fault(says, sheet.cites.turn, "turn"))
    elif not state.rolling and state.turn not in state.seats:
        says = Says("it is the turn of {turn}, expected one of {seats}", {"turn": state.turn, "seats": seats})
        faults.append(Fault(says, sheet.cites.turn, "turn"))
    if any(seat not in state.seats for seat in (*state.rolling, *state.first_rolls)):
        faults.append(
            Fault(Says("a seat that does not play rolls for the first turn", {}), sheet.cites.first, "rolling")
        )
    for seat in dict.fromkeys(state.rolling):
        if state.rolling.count(seat) > 1:
            says = Says("{seat} is listed more than once among those who roll for the first turn", {"seat": seat})
            faults.append(Fault(says, sheet.cites.first, "rolling"))
        if seat in state.first_rolls:
            says = Says("{seat} has rolled for the first turn and is still to roll", {"seat": seat})
            faults.append(Fault(says, sheet.cites.first, "first_rolls"))
    for seat, value in state.first_rolls.items():
        if value not in engine.DIE:
            says = Says("{seat} rolled a {value} for the first turn, expected 1 to 6", {"seat": seat, "value": value})
            faults.append(Fault(says, sheet.cites.first, "first_rolls"))
    if state.rolling and (state.die is not None or state.turn is not None or state.held):
        faults.append(
            Fault(
                Says("a turn has begun while the players still roll for the first turn", {}),
                sheet.cites.first,
                "rolling",
            )
        )
    if state.die is not None and state.die not in engine.DIE:
        faults.append(
            Fault(Says("the die shows {value}, expected 1 to 6", {"value": state.die}), sheet.cites.roll, "die")
        )
    if state.again and (state.die is not None or state.rolling or not sheet.may_decline):
        faults.append(Fault(Says("an extra roll is offered where none is due", {}), sheet.cites.again, "again"))
    if state.held < 0:
        says = Says("the number of sixes held is {held}, expected 0 or more", {"held": state.held})
        faults.append(Fault(says, sheet.cites.held, "held"))
    return faults


def unreached(sheet: RaceSheet, state: RaceState, core: engine.Core[Any]) -> tuple[Fault, ...]:
    """Faults of a position that could be set up but never come about: spots off a colour's way, two winners."""
    tables = tables_of(sheet, state)
    faults = []
    for color, spots in state.pieces.items():
        reach = tables.reach(tables.colors.index(color))
        for spot in spots:
            if spot != sheet.home and spot != tables.names[tables.done] and spot.removesuffix("!") not in reach:
                says = Says("{spot} is on no path of {color}", {"color": color, "spot": spot})
                faults.append(Fault(says, sheet.cites.board, spot))
    ended = [side for side in tables.sides if all(core.arrived[c] == PIECES_OF_A_COLOR for c in side)]
    if len(ended) > 1:
        faults.append(Fault(Says("more than one has won", {}), sheet.cites.win, None))
    if ended and (state.die is not None or state.rolling):
        faults.append(Fault(Says("a roll is pending though the game is won", {}), sheet.cites.win, "die"))
    return tuple(faults)
