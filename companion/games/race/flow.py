"""The flow of a race game: first rolls, turns, rolls, moves, extra rolls, corrections, the end."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR
from companion.game.errors import NotationError
from companion.game.says import Says, each_as, either, listed
from companion.game.values import (
    Applied,
    ChoiceView,
    Correctable,
    Explanation,
    Fault,
    Illegal,
    Move,
    Outcome,
    Ruling,
    Score,
)
from companion.games.race import core as engine
from companion.games.race.sheet import RaceSheet, tables_of
from companion.games.race.state import Action, DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined
from companion.games.race.states import (
    action_of_text,
    action_text,
    broken,
    core_of,
    move_text,
    sentence,
    state_after,
    unreached,
)
from companion.games.race.states import says as says_of


def to_move(sheet: RaceSheet, state: RaceState) -> tuple[str, ...]:
    if outcome(sheet, state) is not None:
        return ()
    return state.rolling or ((state.turn,) if state.turn else ())


def legal(sheet: RaceSheet, state: RaceState) -> tuple[Move[Action], ...]:
    """The rolls that are due, or the moves for a roll."""
    core = core_of(sheet, state)
    if outcome(sheet, state) is not None:
        return ()
    if state.die is None:
        rule = sheet.cites.first if state.rolling else sheet.cites.roll
        due = [DieRolled(seat, value) for seat in to_move(sheet, state) for value in engine.DIE]
        texts = [f"{roll.seat[0]} d{roll.value}" if state.rolling else f"d{roll.value}" for roll in due]
        rolls = tuple(Move(roll, text, says_of(sheet, roll), (), rule) for roll, text in zip(due, texts, strict=True))
        if not state.again or state.turn is None:
            return rolls
        declined = RollDeclined(state.turn)
        text, says = action_text(sheet, declined), says_of(sheet, declined)
        return (*rolls, Move(declined, text, says, (), sheet.cites.again))
    return tuple(move_told(sheet, core, move, state.die) for move in core.moves(state.die))


def move_told(sheet: RaceSheet, core: engine.Core[Any], move: engine.Move, die: int) -> Move[Action]:
    """A core's move with its words, effects and rule."""
    action = action_of_move(sheet, core, move)
    return Move(
        action,
        move_text(sheet, core, action),
        sentence(sheet, action),
        sheet.effects(core, move, die),
        _rule(sheet, core, move, die),
    )


def _rule(sheet: RaceSheet, core: engine.Core[Any], move: engine.Move, die: int) -> str:
    return sheet.cites.must if sheet.rule is None else sheet.rule(core, move, die)


def _why_not(sheet: RaceSheet, core: engine.Core[Any], action: Moved, die: int) -> tuple[Says, str]:
    if sheet.why_not is not None:
        return sheet.why_not(core, action, die)
    values = {"color": action.color, "origin": action.origin, "to": action.to, "die": die}
    return Says("{color} cannot go from {origin} to {to} with a {die}", values), sheet.cites.must


def action_of_move(sheet: RaceSheet, core: engine.Core[Any], move: engine.Move) -> Moved:
    """A core's move as a fact: who goes where, and who is sent back (passed first, landed on last)."""
    tables = core.t
    color, origin, to, sent = move
    landing = tables.bit[to]
    bits = [bit for bit in tables.circle_of_bit if bit & sent and not bit & landing] + (
        [landing] if sent & landing else []
    )
    return sheet.moved(
        color=tables.colors[color],
        origin=tables.circle(origin),
        to=tables.circle(to),
        sent_back=tuple(tables.colors[core.marker_at(bit)[0]] for bit in bits),
    )


def apply(sheet: RaceSheet, state: RaceState, action: Action) -> Applied[RaceState]:
    """The state after an action. Raises: Illegal."""
    match action:
        case RollCorrected():
            return _corrected(sheet, state, action)
        case PositionSet():
            return _laid(sheet, state, action)
    core, over = core_of(sheet, state), outcome(sheet, state)
    if over is not None:
        raise Illegal(Says("the game is over: {how}", {"how": over.says}), over.rule)
    match action:
        case DieRolled():
            return _rolled(sheet, state, action)
        case RollDeclined():
            return _declined(sheet, state, action, core)
    return _moved(sheet, state, action, core)


def _rolled(sheet: RaceSheet, state: RaceState, action: DieRolled) -> Applied[RaceState]:
    _check_value(sheet, action.value)
    if state.rolling:
        return _first_roll(sheet, state, action)
    if state.die is not None:
        waits = {"seat": state.turn, "value": state.die}
        raise Illegal(Says("{seat} has rolled a {value} and moves before anybody rolls", waits), sheet.cites.must)
    if action.seat != state.turn:
        raise Illegal(Says("{turn} rolls, not {seat}", {"turn": state.turn, "seat": action.seat}), sheet.cites.turn)
    return _after_roll(sheet, state, action)


def _check_value(sheet: RaceSheet, value: int) -> None:
    if value not in engine.DIE:
        raise Illegal(Says("the die shows {value}, expected 1 to 6", {"value": value}), sheet.cites.roll)


def _first_roll(sheet: RaceSheet, state: RaceState, action: DieRolled) -> Applied[RaceState]:
    if action.seat not in state.rolling:
        values = {"seat": action.seat, "seats": either(each_as("seat", state.rolling))}
        raise Illegal(Says("{seats} rolls for the first turn, not {seat}", values), sheet.cites.first)
    rolls = {**state.first_rolls, action.seat: action.value}
    left = tuple(seat for seat in state.rolling if seat != action.seat)
    if left:
        return Applied(replace(state, first_rolls=rolls, rolling=left))
    best = max(rolls.values())
    first = tuple(seat for seat in state.seats if rolls.get(seat) == best)
    if len(first) > 1:
        values = {"seats": listed(each_as("seat", first)), "value": best}
        says = Says("{seats} rolled a {value} each: they roll again", values)
        return Applied(replace(state, first_rolls={}, rolling=first), (Ruling(None, says, sheet.cites.tie),))
    says = Says("{seat} rolled highest and begins", {"seat": first[0]})
    now = replace(state, first_rolls={}, rolling=(), turn=first[0])
    return Applied(now, (Ruling(first[0], says, sheet.cites.first),))


def _after_roll(sheet: RaceSheet, state: RaceState, action: DieRolled) -> Applied[RaceState]:
    """The state after a legal roll of a turn: it waits for its move, or the seat sits out."""
    core = core_of(sheet, state)
    if core.moves(action.value):
        return Applied(replace(state, die=action.value, again=False))
    forfeited = sheet.forfeits(core, action.value)
    again = core.sit_out(action.value)
    values = {"seat": action.seat, "value": action.value, "next": state.seats[core.turn], "piece": sheet.piece}
    if again:
        says = Says("{seat} has no piece to move a {value}: it is held, {seat} rolls again", values)
        ruling = Ruling(action.seat, says, sheet.cites.held)
    elif forfeited is not None:
        why, cited = forfeited
        ruling = Ruling(action.seat, Says("{why}: the turn passes to {next}", values | {"why": why}), cited)
    else:
        says = Says("{seat} has no piece to move a {value}: the turn passes to {next}", values)
        ruling = Ruling(action.seat, says, sheet.cites.no_move)
    return Applied(state_after(sheet, state, core, again=again), (ruling,))


def _declined(sheet: RaceSheet, state: RaceState, action: RollDeclined, core: engine.Core[Any]) -> Applied[RaceState]:
    if not state.again or action.seat != state.turn:
        raise Illegal(Says("{seat} has no extra roll to decline", {"seat": action.seat}), sheet.cites.again)
    core.sit_out(1)  # like a roll that moves nothing: held sixes are lost, the turn passes
    values = {"seat": action.seat, "next": state.seats[core.turn]}
    says = Says("{seat} does not roll again: the turn passes to {next}", values)
    return Applied(state_after(sheet, state, core), (Ruling(action.seat, says, sheet.cites.again),))


def _moved(sheet: RaceSheet, state: RaceState, action: Moved, core: engine.Core[Any]) -> Applied[RaceState]:
    die = state.die
    if state.rolling:
        seats = listed(each_as("seat", state.rolling))
        says = Says("the first turn is not settled: {seats} still to roll", {"seats": seats})
        raise Illegal(says, sheet.cites.first)
    if die is None:
        raise Illegal(Says("{seat} has not rolled yet", {"seat": state.turn}), sheet.cites.roll)
    move = next((move for move in core.moves(die) if action_of_move(sheet, core, move) == action), None)
    if move is None:
        raise Illegal(*(_seat_forbids(sheet, core, state, action) or _why_not(sheet, core, action, die)))
    rulings = [
        Ruling(state.turn, says, _rule(sheet, core, move, die), piece=action.to)
        for says in sheet.effects(core, move, die)
    ]
    core.make(move)
    if core.winner() != engine.NOBODY:
        now = replace(state_after(sheet, state, core), held=0)
        over = outcome(sheet, now)
        assert over is not None
        return Applied(now, (*rulings, Ruling(state.turn, over.says, over.rule)))
    again = core.after(move, die)
    if again:
        words = "{seat} rolled a {value}: {seat} rolls again"
        if sheet.may_decline:
            words = "{seat} rolled a {value}: {seat} may roll again"
        says = Says(words, {"seat": state.turn, "value": die})
        rulings.append(Ruling(state.turn, says, sheet.cites.again))
    return Applied(state_after(sheet, state, core, again=again), tuple(rulings))


def _corrected(sheet: RaceSheet, state: RaceState, action: RollCorrected) -> Applied[RaceState]:
    if state.die is None or action.seat != state.turn:
        says = Says("no roll of {seat} waits for its move: nothing to correct", {"seat": action.seat})
        raise Illegal(says, sheet.cites.roll)
    _check_value(sheet, action.value)
    values = {"seat": action.seat, "value": action.value, "was": state.die}
    ruling = Ruling(action.seat, Says("the roll of {seat} counts as {value}, not {was}", values), sheet.cites.roll)
    rolled = _after_roll(sheet, replace(state, die=None), DieRolled(action.seat, action.value))
    return Applied(rolled.state, (ruling, *rolled.rulings))


def _laid(sheet: RaceSheet, state: RaceState, action: PositionSet) -> Applied[RaceState]:
    """The state after people took the table as it is: this counts as the move that was due."""
    if state.rolling:
        says = Says("the first turn is not settled: set the table up as at the beginning")
        raise Illegal(says, sheet.cites.first)
    laid = replace(state, pieces=action.pieces)
    for fault in broken(sheet, laid):
        raise Illegal(fault.says, fault.rule)
    core = core_of(sheet, laid)
    if state.die is not None and state.die != engine.SIX:
        core.turn = (core.turn + 1) % len(state.seats)
    now = replace(state_after(sheet, laid, core, again=state.die == engine.SIX), held=0)
    rulings = [Ruling(None, Says("the table counts as it is"), sheet.cites.board)]
    over = outcome(sheet, now)
    if over is not None:
        rulings.append(Ruling(None, over.says, over.rule))
    return Applied(now, tuple(rulings))


def explain(sheet: RaceSheet, state: RaceState, action: Action) -> Explanation:
    try:
        apply(sheet, state, action)
    except Illegal as refused:
        return Explanation(False, refused.says, refused.rule)
    rules = (move.rule for move in legal(sheet, state) if move.action == action)
    return Explanation(True, says_of(sheet, action), next(rules, sheet.cites.roll))


def _seat_forbids(sheet: RaceSheet, core: engine.Core[Any], state: RaceState, action: Moved) -> tuple[Says, str] | None:
    tables = core.t
    values: dict[str, object] = {"turn": state.turn, "color": action.color, "spot": action.origin}
    values["piece"] = sheet.piece
    mine = [tables.colors[c] for c in sheet.colors_to_move(core)]
    if action.color not in mine:
        values["mine"] = either(each_as("color", mine))
        return Says("{turn} moves {mine} now, not {color}", values), sheet.cites.turn
    if action.origin not in [spot.removesuffix("!") for spot in state.pieces[action.color]]:
        return Says("no {color} piece is on {spot}", values), sheet.cites.turn
    if action.to not in tables.board.spots and action.to != tables.names[tables.done]:
        return Says("the board has no spot {spot}", {"spot": action.to}), sheet.cites.board
    return None


def status(sheet: RaceSheet, state: RaceState) -> tuple[Fault, ...]:
    faults = broken(sheet, state)
    if faults:
        return faults
    core = core_of(sheet, state)
    return unreached(sheet, state, core) + sheet.more_faults(core, state)


def score(sheet: RaceSheet, state: RaceState) -> Mapping[str, Score]:
    core = core_of(sheet, state)
    scores = {}
    for seat, own in zip(state.seats, core.t.colors_of_seat, strict=True):
        arrived = sum(core.arrived[c] for c in own)
        values = {"n": arrived, "all": PIECES_OF_A_COLOR * len(own)}
        scores[seat] = Score(float(arrived), Says("{n} of {all} in", values))
    return scores


def outcome(sheet: RaceSheet, state: RaceState) -> Outcome | None:
    tables = tables_of(sheet, state)
    for side, colors in enumerate(tables.sides):
        if all(sheet.has_arrived(tables, state.pieces.get(tables.colors[c], ())) for c in colors):
            own = tuple(s for s, of in zip(state.seats, tables.side_of_seat, strict=True) if of == side)
            return Outcome.of([own], state.seats, sheet.cites.win)
    return None


def amended(sheet: RaceSheet, action: Action, fact: str, value: str) -> Action:
    """The roll or the move as a person corrects it. Raises: NotationError."""
    if fact == "roll" and isinstance(action, DieRolled) and value in {str(n) for n in engine.DIE}:
        return DieRolled(action.seat, int(value))
    if fact == "move" and isinstance(action, Moved):
        return action_of_text(sheet, value)
    raise NotationError(f"{fact} is no fact of this entry: nothing to amend", fact)


def corrections(sheet: RaceSheet, state: RaceState, before: RaceState, action: Action) -> tuple[Correctable, ...]:
    if isinstance(action, DieRolled):
        rolls = tuple(ChoiceView(str(n), Says("a {value}", {"value": n})) for n in engine.DIE)
        return (Correctable("roll", Says("What did {seat} roll?", {"seat": action.seat}), str(action.value), rolls),)
    moves = tuple(ChoiceView(action_text(sheet, move.action), move.text) for move in legal(sheet, before))
    return (Correctable("move", Says("Which move was it?"), action_text(sheet, action), moves),)


def as_left(state: RaceState, action: Action, entered: Callable[[], RaceState]) -> RaceState | None:
    return entered() if isinstance(action, Moved | PositionSet) else None


def says_fact(sheet: RaceSheet, action: Action, fact: str, value: str) -> Says:
    return says_of(sheet, amended(sheet, action, fact, value))
