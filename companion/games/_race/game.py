"""The flow of both race games: first rolls, turns, rolls, moves, extra rolls, the end.

`setup` has the states, `text` their notation. Moves, their effects and reasons against a move are in each game's own
folder: a `RaceGame` calls them through the methods of `RaceSetup` that begin with an underscore.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.game.board import PIECES_OF_A_COLOR
from companion.game.game import (
    Applied,
    Checked,
    Correctable,
    Doubt,
    Explanation,
    Fault,
    Hint,
    Illegal,
    JsonObject,
    Move,
    Outcome,
    Proposal,
    PutBack,
    Ruling,
    SetUp,
)
from companion.game.kit import Kit
from companion.game.readings import BoardReading
from companion.game.says import Says, each_as, either, listed
from companion.game.table import Placed
from companion.games._race import checks, hints, set_right, status
from companion.games._race import core as engine
from companion.games._race import reading as eyes
from companion.games._race.guide import Guide, guide_for
from companion.games._race.setup import Action
from companion.games._race.state import DieRolled, Moved, PositionSet, RaceState, RollCorrected, RollDeclined
from companion.games._race.text import RaceText
from companion.games._race.view import recent

_ROLLS_AGAIN = "{seat} rolled a {value}: {seat} rolls again"


class RaceGame(RaceText):
    """A race game over the shared core."""

    # turns

    def seats(self, state: RaceState) -> tuple[str, ...]:
        return state.seats

    def to_move(self, state: RaceState) -> tuple[str, ...]:
        if self.outcome(state) is not None:
            return ()
        return state.rolling or ((state.turn,) if state.turn else ())

    def legal(self, state: RaceState) -> tuple[Move[Action], ...]:
        core = self.core(state)
        if self.outcome(state) is not None:
            return ()
        if state.die is None:
            rule = self.cites.first if state.rolling else self.cites.roll
            rolls = tuple(
                Move(
                    DieRolled(seat, value),
                    f"{seat[0]} d{value}" if state.rolling else f"d{value}",
                    Says("{seat} rolls a {value}", {"seat": seat, "value": value}),
                    (),
                    rule,
                )
                for seat in self.to_move(state)
                for value in engine.DIE
            )
            return (*rolls, self._declining(state.turn)) if state.again and state.turn else rolls
        return tuple(self.told(core, move, state.die) for move in core.moves(state.die))

    def _declining(self, seat: str) -> Move[Action]:
        action = RollDeclined(seat)
        return Move(action, self.action_text(action), self.says(action), (), self.cites.again)

    def told(self, core: engine.Core, move: engine.Move, die: int) -> Move[Action]:
        """A core's move with its words, effects and rule."""
        action = self.action_of_move(core, move)
        return Move(
            action,
            self.move_text(core, action),
            self._sentence(action),
            self._effects(core, move, die),
            self._rule(core, move, die),
        )

    def _sentence(self, action: Moved) -> Says:
        values = {"color": action.color, "origin": action.origin, "to": action.to, "piece": self.piece}
        if action.origin == self.home:
            return Says("bring out a {color} {piece} to {to}", values)
        return Says("{color} {piece} from {origin} to {to}", values)

    def action_of_move(self, core: engine.Core, move: engine.Move) -> Moved:
        """The fact that a core's move is: who goes where, and who is sent back (passed first, landed on last)."""
        tables = core.tables
        color, origin, to, sent = move
        landing = tables.bit[to]
        bits = [bit for bit in tables.circle_of_bit if bit & sent and not bit & landing] + (
            [landing] if sent & landing else []
        )
        return self.moved(
            color=tables.colors[color],
            origin=tables.circle(origin),
            to=tables.circle(to),
            sent_back=tuple(tables.colors[core.marker_at(bit)[0]] for bit in bits),
        )

    def _found(self, core: engine.Core, action: Moved, die: int) -> engine.Move | None:
        for move in core.moves(die):
            if self.action_of_move(core, move) == action:
                return move
        return None

    def apply(self, state: RaceState, action: Action) -> Applied[RaceState]:
        explained = self.explain(state, action)
        if not explained.is_legal:
            raise Illegal(explained.says, explained.rule)
        if isinstance(action, RollCorrected | PositionSet):
            return set_right.applied(self, state, action)
        if isinstance(action, DieRolled):
            return self._first_roll(state, action) if state.rolling else self.rolled(state, action)
        if isinstance(action, RollDeclined):
            return self._declined(state, action)
        return self._moved(state, action)

    def _first_roll(self, state: RaceState, action: DieRolled) -> Applied[RaceState]:
        rolls = {**state.first_rolls, action.seat: action.value}
        left = tuple(seat for seat in state.rolling if seat != action.seat)
        if left:
            return Applied(replace(state, first_rolls=rolls, rolling=left))
        best = max(rolls.values())
        first = tuple(seat for seat in state.seats if rolls.get(seat) == best)
        if len(first) > 1:
            says = Says(
                "{seats} rolled a {value} each: they roll again",
                {"seats": listed(each_as("seat", first)), "value": best},
            )
            return Applied(replace(state, first_rolls={}, rolling=first), (Ruling(None, says, self.cites.tie),))
        says = Says("{seat} rolled highest and begins", {"seat": first[0]})
        now = replace(state, first_rolls={}, rolling=(), turn=first[0])
        return Applied(now, (Ruling(first[0], says, self.cites.first),))

    def rolled(self, state: RaceState, action: DieRolled) -> Applied[RaceState]:
        """The state after a legal roll of a turn: it waits for its move, or the seat sits out."""
        core = self.core(state)
        if core.moves(action.value):
            return Applied(replace(state, die=action.value, again=False))
        again = core.sit_out(action.value)
        values = {"seat": action.seat, "value": action.value, "next": state.seats[core.turn], "piece": self.piece}
        if again:
            says = Says("{seat} has no {piece} to move a {value}: it is held, {seat} rolls again", values)
            ruling = Ruling(action.seat, says, self.cites.held)
        else:
            says = Says("{seat} has no {piece} to move a {value}: the turn passes to {next}", values)
            ruling = Ruling(action.seat, says, self.cites.no_move)
        now = replace(self.after(state, core, None), again=again and self.may_decline)
        return Applied(now, (ruling,))

    def _declined(self, state: RaceState, action: RollDeclined) -> Applied[RaceState]:
        core = self.core(state)
        core.sit_out(1)  # like a roll that moves nothing: held sixes are lost, the turn passes
        values = {"seat": action.seat, "next": state.seats[core.turn]}
        says = Says("{seat} does not roll again: the turn passes to {next}", values)
        return Applied(self.after(state, core, None), (Ruling(action.seat, says, self.cites.again),))

    def _moved(self, state: RaceState, action: Moved) -> Applied[RaceState]:
        core = self.core(state)
        die = state.die
        assert die is not None
        assert state.turn is not None
        move = self._found(core, action, die)
        assert move is not None
        rulings = [
            Ruling(state.turn, says, self._rule(core, move, die), piece=action.to)
            for says in self._effects(core, move, die)
        ]
        core.make(move)
        if core.winner() != engine.NOBODY:
            now = replace(self.after(state, core, None), held=0)
            over = self.outcome(now)
            assert over is not None
            return Applied(now, (*rulings, Ruling(state.turn, over.says, over.rule)))
        again = core.after(move, die)
        if again:
            words = "{seat} rolled a {value}: {seat} may roll again" if self.may_decline else _ROLLS_AGAIN
            says = Says(words, {"seat": state.turn, "value": die})
            rulings.append(Ruling(state.turn, says, self.cites.again))
        now = replace(self.after(state, core, None), again=again and self.may_decline)
        return Applied(now, tuple(rulings))

    # why not

    def explain(self, state: RaceState, action: Action) -> Explanation:
        if isinstance(action, RollCorrected | PositionSet):
            refused = set_right.why_not(self, state, action)
            return Explanation(False, *refused) if refused else Explanation(True, self.says(action), self.cites.roll)
        core = self.core(state)
        says, rule = self._phase_forbids(state, action) or (None, "")
        if says is None and isinstance(action, Moved):
            assert state.die is not None
            move = self._found(core, action, state.die)
            if move is not None:
                told = self.told(core, move, state.die)
                return Explanation(True, told.text, told.rule)
            says, rule = self._seat_forbids(core, state, action) or self._why_not(core, action, state.die)
        if says is not None:
            return Explanation(False, says, rule)
        if isinstance(action, RollDeclined):
            return Explanation(True, self.says(action), self.cites.again)
        return Explanation(True, self.says(action), self.cites.first if state.rolling else self.cites.roll)

    def _phase_forbids(self, state: RaceState, action: Action) -> tuple[Says, str] | None:
        over = self.outcome(state)
        if over is not None:
            return Says("the game is over: {how}", {"how": over.says}), over.rule
        if isinstance(action, Moved):
            if state.rolling:
                values = {"seats": listed(each_as("seat", state.rolling))}
                return Says("the first turn is not settled: {seats} still to roll", values), self.cites.first
            if state.die is None:
                return Says("{seat} has not rolled yet", {"seat": state.turn}), self.cites.roll
            return None
        if isinstance(action, RollDeclined):
            if state.again and action.seat == state.turn:
                return None
            return Says("{seat} has no further roll to decline", {"seat": action.seat}), self.cites.again
        if action.value not in engine.DIE:
            return Says("the die shows {value}, expected 1 to 6", {"value": action.value}), self.cites.roll
        if state.rolling:
            if action.seat in state.rolling:
                return None
            values = {"seat": action.seat, "seats": either(each_as("seat", state.rolling))}
            return Says("it is not {seat} who rolls for the first turn, but {seats}", values), self.cites.first
        if state.die is not None:
            waits = {"seat": state.turn, "value": state.die}
            return Says("{seat} has rolled a {value} and moves before anybody rolls", waits), self.cites.must
        if action.seat != state.turn:
            return Says(
                "it is {turn} who rolls, not {seat}", {"turn": state.turn, "seat": action.seat}
            ), self.cites.turn
        return None

    def _seat_forbids(self, core: engine.Core, state: RaceState, action: Moved) -> tuple[Says, str] | None:
        tables = core.tables
        values: dict[str, object] = {"turn": state.turn, "color": action.color, "spot": action.origin}
        values["piece"] = self.piece
        mine = [tables.colors[c] for c in self.colors_to_move(core)]
        if action.color not in mine:
            values["mine"] = either(each_as("color", mine))
            return Says("{turn} moves {mine} now, not {color}", values), self.cites.turn
        if action.origin not in [spot.removesuffix("!") for spot in state.pieces[action.color]]:
            return Says("no {color} {piece} is on {spot}", values), self.cites.turn
        if action.to not in tables.board.spots and action.to != tables.names[tables.done]:
            return Says("there is no spot {spot} on the board", {"spot": action.to}), self.cites.board
        return None

    def status(self, state: RaceState) -> tuple[Fault, ...]:
        faults = status.broken(self, state)
        return faults or status.unreached(self, state) + self._more_faults(self.core(state), state)

    # the end

    def score(self, state: RaceState) -> Mapping[str, float]:
        core = self.core(state)
        tables = core.tables
        return {
            seat: float(sum(core.arrived[c] for c in own))
            for seat, own in zip(state.seats, tables.colors_of_seat, strict=True)
        }

    def standing(self, state: RaceState) -> Mapping[str, Says]:
        own = zip(state.seats, self.tables(state).colors_of_seat, strict=True)
        markers = {seat: PIECES_OF_A_COLOR * len(colors) for seat, colors in own}
        arrived = self.score(state)
        return {seat: Says("{n} of {all} in", {"n": round(arrived[seat]), "all": n}) for seat, n in markers.items()}

    def outcome(self, state: RaceState) -> Outcome | None:
        tables = self.tables(state)
        for side, colors in enumerate(tables.sides):
            if all(self._has_arrived(tables, state.pieces.get(tables.colors[c], ())) for c in colors):
                own = tuple(s for s, of in zip(state.seats, tables.side_of_seat, strict=True) if of == side)
                points = {seat: float(seat in own) for seat in state.seats}
                values = {"seats": listed(each_as("seat", own)), "piece": self.piece}
                return Outcome(
                    own, Says("{seats}: every {piece} has arrived, the game is won", values), self.cites.win, points
                )
        return None

    def _has_arrived(self, tables: engine.Tables, spots: tuple[str, ...]) -> bool:
        return len(spots) == PIECES_OF_A_COLOR and all(spot == tables.names[tables.done] for spot in spots)

    # the match around it

    def says(self, action: Action) -> Says:
        """The action in words."""
        if isinstance(action, RollCorrected | PositionSet):
            return set_right.says(action)
        if isinstance(action, DieRolled):
            return Says("{seat} rolls a {value}", {"seat": action.seat, "value": action.value})
        if isinstance(action, RollDeclined):
            return Says("{seat} does not roll again", {"seat": action.seat})
        return self._sentence(action)

    def put_back(self, before: RaceState, after: RaceState) -> tuple[PutBack, ...]:
        return checks.put_back(self, before, after)

    def moves_pieces(self, action: Action) -> bool:
        return isinstance(action, Moved | PositionSet)

    def layout(self, state: RaceState) -> tuple[Placed, ...]:
        return checks.layout(self, state)

    def seen_back(
        self,
        before: RaceState,
        after: RaceState,
        reading: BoardReading | None,
        was: Sequence[Checked] = (),
        earlier: BoardReading | None = None,
    ) -> tuple[Checked, ...]:
        return checks.seen_back(self, before, after, reading)

    def seen_set_up(
        self, state: RaceState, reading: BoardReading, kit: Kit | None = None, *, was_right: bool = False
    ) -> SetUp | None:
        return checks.seen_set_up(self, state, reading)

    # what people correct

    def is_amendable(self, action: Action) -> bool:
        return isinstance(action, DieRolled | Moved)

    def amended(self, action: Action, fact: str, value: str) -> Action:
        if fact == "roll" and isinstance(action, DieRolled) and value in {str(n) for n in engine.DIE}:
            return DieRolled(action.seat, int(value))
        if fact == "move" and isinstance(action, Moved):
            return self.action_of_text(value)
        return super().amended(action, fact, value)

    def corrections(self, state: RaceState, before: RaceState, action: Action) -> tuple[Correctable, ...]:
        if isinstance(action, DieRolled):
            rolls = tuple((str(n), Says("a {value}", {"value": n})) for n in engine.DIE)
            return (
                Correctable("roll", Says("What did {seat} roll?", {"seat": action.seat}), str(action.value), rolls),
            )
        moves = tuple((self.action_text(move.action), move.text) for move in self.legal(before))
        return (Correctable("move", Says("Which move was it?"), self.action_text(action), moves),)

    def says_fact(self, action: Action, fact: str, value: str) -> Says:
        if fact == "roll":
            return Says("the roll was a {value}", {"value": value})
        return Says("the move was {move}", {"move": self.says(self.action_of_text(value))})

    # what the eyes see

    def interpret(
        self, state: RaceState, reading: Any, before: Action | None = None
    ) -> Proposal[Any] | Doubt[Any] | None:
        return eyes.interpret(self, state, reading, before)

    tells_whole_turns = True

    def is_whole(self, state: RaceState, actions: Sequence[Action]) -> bool:
        return True  # the rules allow it as the table lies, and half a move is none of theirs

    def has_moved(self, before: Action, after: Action) -> bool:
        return not eyes.is_same_roll(before, after) and before != after

    def remembers(self, action: Action) -> bool:
        return isinstance(action, DieRolled)

    # help

    @abstractmethod
    def view(self, state: RaceState, seat: str | None) -> JsonObject: ...

    def recent(self, actions: Sequence[Action]) -> JsonObject:
        return recent(actions)

    @abstractmethod
    def contest(self, state: RaceState) -> str:
        """Which of the fitted contests of `hints.toml` a state belongs to."""

    def guide(self, state: RaceState) -> Guide:
        """The player and judge behind the hints, made once for a board and its seats."""
        board = state.board if state.board_file is None else ""
        return guide_for(self.tables(state), self.name, board, self.contest(state))

    def hints(
        self, state: RaceState, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Action], ...]:
        return hints.hints(self, state, seat, within_ms=within_ms, seed=seed, playouts=playouts)
