"""The rules of a pad: who may write what, what it adds up to, when the match ends. Any seat writes for everybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from companion.game.errors import NotationError
from companion.game.says import Says
from companion.game.values import Applied, Asks, ChoiceView, Illegal, Move, Outcome, Ruling, Score
from companion.games.score_pad import dice
from companion.games.score_pad.sheet import MOST_POINTS, SEATS, Line, PadSheet, checked_options, rule, sheet_of

MOST_ROWS = 200
Rows = tuple[tuple[int | None, ...], ...]
POINTS, TRICKS = Says("How many points?"), Says("How many tricks?")
WHO = Says("Who?")


class Wrote(msgspec.Struct, frozen=True, tag_field="type", tag="wrote", omit_defaults=True):
    """Points, a bid or the tricks of a seat's side; `line` counts from 0, None: the line or round whose turn it is."""

    seat: str
    points: int
    line: int | None = None


class Changed(msgspec.Struct, frozen=True, tag_field="type", tag="changed"):
    """Something written earlier becomes another number; `row` counts from 1."""

    seat: str
    row: int
    points: int


class Rolled(msgspec.Struct, frozen=True, tag_field="type", tag="rolled", omit_defaults=True):
    """The dice in the tray, sorted by value, and where a camera saw each."""

    dice: tuple[int, ...]
    at_mm: tuple[tuple[float, float], ...] = ()


class Begins(msgspec.Struct, frozen=True, tag_field="type", tag="begins"):
    """The seat with the first turn."""

    seat: str


class Closed(msgspec.Struct, frozen=True, tag_field="type", tag="closed"):
    """People say that the match is over."""


Action = Wrote | Changed | Rolled | Begins | Closed


@dataclass(frozen=True, slots=True, kw_only=True)
class PadState:
    """The numbers on the pad: a row for each round or line, in it a number for each side."""

    options: Mapping[str, str] = field(default_factory=dict)
    seats: int = 2
    first: int = 0
    rows: Rows = ()
    bids: Rows = ()
    thrown: tuple[int, ...] = ()
    rolls: int = 0
    is_closed: bool = False

    @property
    def sheet(self) -> PadSheet:
        return sheet_of(tuple(sorted(self.options.items())))

    @property
    def title(self) -> str | None:
        """The game's name as people call it."""
        return self.sheet.called or None

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The seats of each side: a team, or one alone."""
        seats, teams = SEATS[: self.seats], self.sheet.teams or self.seats
        return tuple(seats[i::teams] for i in range(teams))

    def side_of(self, seat: str) -> int:
        """The index in `sides` of a seat's side. Raises: Illegal if the seat does not play."""
        found = next((i for i, side in enumerate(self.sides) if seat in side), None)
        if found is None:
            raise Illegal(Says("{name} does not play", {"name": seat}), rule("Kinds"))
        return found


def start(seats: int | None = None, options: Mapping[str, str] | None = None) -> PadState:
    """An empty pad. Raises: NotationError."""
    players = 2 if seats is None else seats
    if not 1 <= players <= len(SEATS):
        raise NotationError(f"seats is {seats}, expected 1 to {len(SEATS)}", "seats")
    state: PadState = checked(PadState(options=checked_options(options or {}), seats=players))
    return state


def checked(given: Any) -> Any:
    """A state with house rules in order. Raises: NotationError if no match can have it."""
    if not isinstance(given, PadState):
        return given
    state = replace(given, options=checked_options(given.options))
    if not 1 <= state.seats <= len(SEATS):
        raise NotationError(f"seats is {state.seats}, expected 1 to {len(SEATS)}", "seats")
    sheet = state.sheet
    if sheet.teams > state.seats:
        raise NotationError(f"teams is {sheet.teams}, expected at most one for each of {state.seats} players", "teams")
    if sheet.is_lined and not state.rows:
        state = replace(state, rows=((None,) * len(state.sides),) * len(sheet.lines))
    rows, sides = (*state.rows, *state.bids), len(state.sides)
    is_whole = len(rows) <= 2 * MOST_ROWS and all(len(row) == sides for row in rows) and 0 <= state.first < sides
    is_level = len(state.bids) in (0, len(state.rows)) and (not sheet.is_lined or len(state.rows) == len(sheet.lines))
    if not is_whole or not is_level or any(n is not None and abs(n) > MOST_POINTS for row in rows for n in row):
        raise NotationError(f"rows, bids and first do not go together for {sides} sides", "rows")
    if len(state.thrown) > sheet.dice or not all(1 <= die <= 6 for die in state.thrown):
        raise NotationError(f"thrown is {state.thrown}, expected at most {sheet.dice} from 1 to 6", "thrown")
    return state


# Points that players have written


def written(state: PadState, side: int) -> tuple[int, ...]:
    found = []
    for at, row in enumerate(state.rows):
        if (value := row[side]) is not None:
            found.append(_of_bid(state.sheet, state.bids[at][side], value) if state.bids else value)
    return tuple(found)


def _of_bid(sheet: PadSheet, bid: int | None, took: int) -> int:
    off = took - (bid or 0)
    base, each = (*(sheet.miss if off else sheet.hit), 0, 0)[:2]
    return base + each * (abs(off) if off else took)


def bonus(state: PadState, side: int) -> int:
    if len(state.sheet.bonus) != 3:
        return 0
    points, from_, lines = state.sheet.bonus
    return points if sum(row[side] or 0 for row in state.rows[:lines]) >= from_ else 0


def total(state: PadState, side: int) -> int:
    sign = -1 if state.sheet.is_down else 1
    return state.sheet.begins + sign * sum(written(state, side)) + bonus(state, side)


def _row(state: PadState) -> int:
    """The round that is written now: the first that lacks a number, or the next."""
    return next((i for i, row in enumerate(state.rows) if None in row), len(state.rows))


def is_bidding(state: PadState) -> bool:
    """Whether bids are written now, and not the tricks taken."""
    at = _row(state)
    return state.sheet.way == "bids" and (at == len(state.rows) or None in state.bids[at])


def open_sides(state: PadState) -> tuple[int, ...]:
    sides, sheet = range(len(state.sides)), state.sheet
    if outcome(state) is not None:
        return ()
    in_turn = [(state.first + i) % len(sides) for i in sides]
    if sheet.way == "total":
        return tuple(in_turn)
    if sheet.way in ("turns", "lines"):
        return (min(in_turn, key=lambda side: sum(row[side] is not None for row in state.rows)),)
    at = _row(state)
    rows = state.bids if is_bidding(state) else state.rows
    return tuple(side for side in in_turn if at == len(rows) or rows[at][side] is None)


def to_move(state: PadState) -> tuple[str, ...]:
    return tuple(state.sides[side][0] for side in open_sides(state))


def outcome(state: PadState) -> Outcome | None:
    sheet, sides = state.sheet, range(len(state.sides))
    totals = [total(state, side) for side in sides]
    counts = {sum(row[side] is not None for row in state.rows) for side in sides}
    is_level = len(counts) == 1 and counts != {0}
    reached = sheet.goal is not None and any(n <= sheet.goal if sheet.is_down else n >= sheet.goal for n in totals)
    if state.is_closed:
        cited = "End 4"
    elif sheet.is_lined:
        if None in (n for row in state.rows for n in row):
            return None
        cited = "Lines 1"
    elif reached and counts != {0} and (is_level or sheet.is_at_once or sheet.way == "total"):
        cited = "End 1"
    elif is_level and len(state.rows) >= (sheet.rounds or MOST_ROWS) and None not in state.rows[-1]:
        cited = "End 2"
    else:
        return None
    most = min(totals) if sheet.is_lowest else max(totals)
    won = [side for side in sides if totals[side] == most]
    return Outcome.of([state.sides[side] for side in won], SEATS[: state.seats], rule(cited))


def score(state: PadState) -> dict[str, Score]:
    return {seat: Score(float(total(state, state.side_of(seat)))) for seat in SEATS[: state.seats]}


# the actions


def apply(state: PadState, action: Action) -> Applied[PadState]:
    if outcome(state) is not None:
        raise Illegal(Says("the match is over"), rule("End 4"))
    match action:
        case Wrote():
            return _wrote(state, action)
        case Changed():
            return _changed(state, action)
        case Rolled():
            return _rolled(state, action)
        case Begins():
            if any(n is not None for row in (*state.rows, *state.bids) for n in row):
                raise Illegal(Says("the first turn is over: undo the points entered since"), rule("Order"))
            side = state.side_of(action.seat)
            begins = Ruling(action.seat, Says("{seat} begins", {"seat": action.seat}), rule("Order"))
            return Applied(replace(state, first=side), (begins,))
        case Closed():
            if not any(n is not None for row in state.rows for n in row):
                raise Illegal(Says("nothing is written yet"), rule("End 4"))
            return _ended(replace(state, is_closed=True), Ruling(None, Says("the match is closed"), rule("End 4")))


def _in_range(state: PadState, points: int) -> None:
    sheet = state.sheet
    if not sheet.least <= points <= sheet.most:
        words = "{n} does not fit, expected {least} to {most}"
        raise Illegal(Says(words, {"n": points, "least": sheet.least, "most": sheet.most}), rule("Kinds"))


def _wrote(state: PadState, action: Wrote) -> Applied[PadState]:
    sheet, seat, side = state.sheet, action.seat, state.side_of(action.seat)
    _in_range(state, action.points)
    if side not in open_sides(state):
        first = state.sides[open_sides(state)[0]][0]
        raise Illegal(Says("it is the turn of {seat}", {"seat": first}), rule("Order"))
    is_bid = is_bidding(state)
    at, value = _place(state, side, action), action.points
    if sheet.way == "winner":
        row = tuple(int(other == side) for other in range(len(state.sides)))
        return _ended(replace(state, rows=(*state.rows, row)), Ruling(seat, says(action, state), rule("Kinds")))
    is_too_many = sheet.is_down and value > total(state, side)
    value = 0 if is_too_many else value
    empty = ((None,) * len(state.sides),)
    rows, bids = state.rows, state.bids
    if at == len(rows):
        rows, bids = (*rows, *empty), (*bids, *empty) if sheet.way == "bids" else bids
    if is_bid:
        bids = _with(bids, at, side, value)
    else:
        rows = _with(rows, at, side, value)
    after = replace(state, rows=rows, bids=bids, thrown=(), rolls=0)
    cited = {"lines": "Lines 1", "bids": "Bids"}.get(sheet.way, "Kinds")
    told = {"seat": seat, "n": value, "total": total(after, side)}
    if is_bid:
        words = Says("{seat} bids {n}", told)
    elif is_too_many:
        words, cited = Says("too many: {seat} stays at {total}", told), "Counting down"
    elif sheet.way == "bids":
        words = Says("{seat} takes {n}, total: {total}", told)
    else:
        words = Says("{seat}: {n}, total: {total}", told)
    rulings = [Ruling(seat, words, rule(cited))]
    if bonus(after, side) > bonus(state, side):
        got = Says("{seat} gets the bonus of {n}", {"seat": seat, "n": bonus(after, side)})
        rulings.insert(0, Ruling(seat, got, rule("Lines 2")))
    return _ended(after, *rulings)


def _place(state: PadState, side: int, action: Wrote) -> int:
    """The row in which a side writes. Raises: Illegal."""
    if not state.sheet.is_lined:
        if len(state.rows) >= MOST_ROWS and None not in state.rows[-1]:
            raise Illegal(Says("the pad is full: close the match"), rule("End 4"))
        if state.sheet.way in ("total", "turns"):
            return next((i for i, row in enumerate(state.rows) if row[side] is None), len(state.rows))
        return _row(state)
    at = -1 if action.line is None else action.line
    if not 0 <= at < len(state.rows) or state.rows[at][side] is not None:
        raise Illegal(Says("this line is not free: choose another"), rule("Lines 1"))
    return at


def _with(rows: Rows, at: int, side: int, value: int) -> Rows:
    row = (*rows[at][:side], value, *rows[at][side + 1 :])
    return (*rows[:at], row, *rows[at + 1 :])


def _changed(state: PadState, action: Changed) -> Applied[PadState]:
    side, at = state.side_of(action.seat), action.row - 1
    _in_range(state, action.points)
    if not 0 <= at < len(state.rows) or (was := state.rows[at][side]) is None or state.sheet.way == "winner":
        raise Illegal(Says("nothing is written there"), rule("Corrections"))
    after = replace(state, rows=_with(state.rows, at, side, action.points))
    told = {"seat": action.seat, "n": action.points, "before": str(was), "total": total(after, side)}
    corrected = Says("{seat}: {n} and not {before}, total: {total}", told)
    return _ended(after, Ruling(action.seat, corrected, rule("Corrections")))


def _rolled(state: PadState, action: Rolled) -> Applied[PadState]:
    sheet, thrown = state.sheet, tuple(sorted(action.dice))
    if not 0 < len(thrown) <= sheet.dice or (sheet.is_lined and len(thrown) != sheet.dice):
        raise Illegal(Says("expected {count} dice", {"count": sheet.dice}), rule("Dice"))
    if not all(1 <= die <= 6 for die in thrown):
        raise Illegal(Says("a die shows 1 to 6"), rule("Dice"))
    if sheet.is_lined and state.rolls >= dice.ROLLS:
        raise Illegal(Says("that was the last roll: write a line"), rule("Dice"))
    told: dict[str, Any] = {"names": " ".join(map(str, thrown)), "n": dice.combos(thrown)}
    words = Says("the dice show {names}, worth {n} at most" if sheet.combos else "the dice show {names}", told)
    return Applied(replace(state, thrown=thrown, rolls=state.rolls + 1), (Ruling(None, words, rule("Dice")),))


def _ended(state: PadState, *rulings: Ruling) -> Applied[PadState]:
    over = outcome(state)
    last = () if over is None else (Ruling(None, over.says, over.rule),)
    return Applied(state, (*rulings, *last))


def says(action: Action, state: PadState | None = None) -> Says:
    match action:
        case Wrote(seat=seat, points=points):
            if state is not None and state.sheet.way == "winner":
                return Says("{seat} has won", {"seat": seat})
            return Says("{seat}: {n}", {"seat": seat, "n": points})
        case Changed(seat=seat, points=points, row=row):
            return Says("{seat}: {n} in row {row}", {"seat": seat, "n": points, "row": row})
        case Rolled(dice=thrown):
            return Says("the dice show {names}", {"names": " ".join(map(str, thrown))})
        case Begins(seat=seat):
            return Says("{seat} begins", {"seat": seat})
        case Closed():
            return Says("the match is closed")


# the moves


def legal(state: PadState) -> tuple[Move[Action], ...]:
    if outcome(state) is not None:
        return ()
    everybody = SEATS[: state.seats]
    is_empty = not any(n is not None for row in (*state.rows, *state.bids) for n in row)
    moves: list[Move[Action]] = []
    for side in open_sides(state):
        moves += _writing(state, side)
    firsts = [side[0] for side in state.sides]
    if is_empty and len(firsts) > 1 and state.sheet.way in ("turns", "lines", "bids"):
        moves.append(_move("begins", Says("Who begins?"), "Order", (_who(firsts),), lambda told: Begins(told["seat"])))
    is_written = any(n is not None for row in state.rows for n in row)
    if is_written and state.sheet.way != "winner":
        asks = (_who(firsts), _which(state), _points(state))

        def made(told: Mapping[str, str]) -> Changed:
            action = Changed(told["seat"], int(told["row"]), int(told["points"]))
            apply(state, action)
            return action

        moves.append(_move("change", Says("Change a number"), "Corrections", asks, made))
    if is_written:
        moves.append(Move(Closed(), "close", Says("End the match now"), (), rule("End 4"), needs_all=True))
    return tuple(replace(move, seats=everybody) for move in moves)


def _move(name: str, text: Says, cited: str, asks: tuple[Asks, ...], made: Any) -> Move[Action]:
    return Move(None, name, text, (), rule(cited), asks, made=made)


def _who(seats: Sequence[str]) -> Asks:
    return Asks("seat", WHO, tuple(ChoiceView(seat, Says("{seat}", {"seat": seat})) for seat in seats))


def _which(state: PadState) -> Asks:
    if not state.sheet.is_lined:
        return Asks("row", Says("Which round?"), span=(1, len(state.rows)))
    lines = (ChoiceView(str(at), Says("{line}", {"line": line.says})) for at, line in enumerate(state.sheet.lines, 1))
    return Asks("row", Says("Which line?"), tuple(lines))


def _points(state: PadState) -> Asks:
    return Asks("points", TRICKS if state.sheet.way == "bids" else POINTS, span=(state.sheet.least, state.sheet.most))


def _writing(state: PadState, side: int) -> list[Move[Action]]:
    seat, sheet = state.sides[side][0], state.sheet
    if sheet.way == "winner":
        won = Wrote(seat, 1)
        return [Move(won, f"won {seat}", says(won, state), (), rule("Kinds"))]
    if not sheet.is_lined:
        words = Says("Bid of {seat}" if is_bidding(state) else "Points of {seat}", {"seat": seat})
        cited = "Bids" if sheet.way == "bids" else "Kinds"
        return [_move(f"write {seat}", words, cited, (_points(state),), lambda told: Wrote(seat, int(told["points"])))]
    lines = [(at, line) for at, line in enumerate(sheet.lines) if state.rows[at][side] is None]
    return [_line(state, seat, at, line) for at, line in lines]


def _line(state: PadState, seat: str, at: int, line: Line) -> Move[Action]:
    if state.thrown and line.rule:
        points = dice.points_of(line.rule, state.thrown)
        text = Says("{line}: {n}", {"line": line.says, "n": points})
        return Move(Wrote(seat, points, at), f"line {at}", text, (), rule("Dice"))
    asks = _points(state)
    if line.rule and len(found := dice.possible(line.rule, state.sheet.dice)) <= 8:
        asks = Asks("points", POINTS, tuple(ChoiceView(str(n), Says("{n}", {"n": n})) for n in found))
    text = Says("{line}", {"line": line.says})
    return _move(f"line {at}", text, "Lines 1", (asks,), lambda told: Wrote(seat, int(told["points"]), at))
