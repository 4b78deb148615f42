"""Eyes of the Emperor: the declaration. `rules` judge, `reading` infers from the eyes, `view` is the phones' view.

Then: `scene` (the settled valley), `facts` (the facts that decide a throw), `asking` (the question to people), `owners`
(dice given to the wrong emperor), `state`, `status`, `notation`. A throw is judged once, when both pieces have landed.
If a deciding fact is too close to call, the throw stays open until a person has answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion.game.errors import NotationError
from companion.game.game import (
    Applied,
    Asks,
    Checked,
    Correctable,
    Doubt,
    Explanation,
    Fault,
    Game,
    Hint,
    Move,
    Outcome,
    Proposal,
    PutBack,
    SetUp,
)
from companion.game.kit import Kit
from companion.game.options import no_board
from companion.game.parts import AsksPeople, ChecksTable, SeesTable
from companion.game.readings import EyesReading
from companion.game.says import Says, counted, joined
from companion.game.table import Placed
from companion.game.tried import tried
from companion.games.eyes_of_the_emperor import notation, owners, rules, status, view
from companion.games.eyes_of_the_emperor.conserved import is_throw_seen
from companion.games.eyes_of_the_emperor.facts import Fact, facts_of, owned
from companion.games.eyes_of_the_emperor.house import OPTIONS, TITLE, Options, cite, with_option
from companion.games.eyes_of_the_emperor.one_throw import doubted
from companion.games.eyes_of_the_emperor.reading import has_moved, interpret, laid_out, put_back
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    OTHER,
    SEATS,
    Scene,
    default_sizes,
    measured,
    spoken,
)
from companion.games.eyes_of_the_emperor.seen_back import seen_back
from companion.games.eyes_of_the_emperor.seen_set_up import seen_set_up
from companion.games.eyes_of_the_emperor.set_up import is_start, set_up_around
from companion.games.eyes_of_the_emperor.settled import settled
from companion.games.eyes_of_the_emperor.state import (
    Action,
    EdgeCrossed,
    HajiChosen,
    OpponentChose,
    State,
    ThrowSettled,
)

EITHER = tuple((seat, Says("{seat}", {"seat": seat})) for seat in SEATS)


def _is_of_none(key: str, known: Mapping[str, Fact]) -> bool:
    """Whether a fact is about a piece that is not there: there is nothing to correct of it before that is."""
    what, _, id = key.partition(":")
    parents = (known.get(f"{parent}:{id}") for parent in ("there", "is"))
    return what in ("in", "up") and any(fact is not None and fact.known is False for fact in parents)


class EyesOfTheEmperor(Game[State, Action], SeesTable[State, Action], ChecksTable[State], AsksPeople[State, Action]):
    """Two emperors throw at the same time; the settled valley is judged."""

    name = "eyes_of_the_emperor"
    title = TITLE
    state_type = State
    action_type = Action
    options = OPTIONS
    reader = "eyes"

    def start(
        self, seats: int | None = None, options: Mapping[str, str] | None = None, board: str | None = None
    ) -> State:
        if seats not in (None, len(SEATS)):
            raise NotationError(f"seats is {seats}, expected 2: there are two emperors", "seats")
        no_board(board, TITLE)
        return State(options=_options(options or {}))

    def seats(self, state: State) -> tuple[str, ...]:
        return SEATS

    def to_move(self, state: State) -> tuple[str, ...]:
        if state.winner is not None:
            return ()
        return (OTHER[state.edge],) if state.edge is not None else SEATS

    def legal(self, state: State) -> tuple[Move[Action], ...]:
        if state.winner is not None:
            return ()
        if state.edge is not None:
            return tuple(
                Move(action, notation.action_text(action), words, (), rules.RULE_EDGE)
                for action, words in (
                    (OpponentChose(restart=True), Says("restart the game")),
                    (OpponentChose(restart=False), Says("play on")),
                )
            )
        kinds: list[Move[Action]] = [
            _next_thing(state),
            Move(
                None,
                "edge",
                Says("somebody passed the edge while throwing"),
                (Says("the opponent chooses"),),
                rules.RULE_EDGE,
                asks=(Asks("thrower", Says("Who passed the edge?"), EITHER),),
            ),
        ]
        if state.haji is None:
            who = Asks("seat", Says("Who says HAJI?"), EITHER)
            says = Says("the emperors agree who says HAJI")
            kinds.append(Move(None, "haji", says, (), rules.RULE_HAJI, asks=(who,)))
        return tuple(kinds)

    def asked_action(self, state: State, move: Move[Action], seat: str, values: Mapping[str, str]) -> Action | None:
        match move.move:
            case "edge":
                return EdgeCrossed(thrower=values["thrower"])
            case "haji":
                return HajiChosen(seat=values["seat"])
            case "throw" | "refill" if "scene" in values:  # by hand: the valley as people drew it
                return notation.thrown(values["scene"])
            case _:
                return move.action

    def apply(self, state: State, action: Action) -> Applied[State]:
        return rules.apply(state, action)

    def explain(self, state: State, action: Action) -> Explanation:
        return tried(rules.apply, state, action, _all_said)

    def status(self, state: State) -> tuple[Fault, ...]:
        return status.status(state)

    def score(self, state: State) -> Mapping[str, float]:
        ended = rules.outcome(state)
        if ended is not None:
            return ended.points
        return {seat: float(DICE_EACH - state.emperor(OTHER[seat]).eyes_left) for seat in SEATS}

    def standing(self, state: State) -> Mapping[str, Says]:
        left = {seat: state.emperor(seat).eyes_left for seat in SEATS}
        return {s: counted(n, "one eye left", "{count} eyes left", none="no eyes left") for s, n in left.items()}

    def outcome(self, state: State) -> Outcome | None:
        return rules.outcome(state)

    def view(self, state: State, seat: str | None) -> dict[str, Any]:
        return view.view(state)

    def hints(
        self, state: State, seat: str, *, within_ms: float = 300.0, seed: int = 0, playouts: int | None = None
    ) -> tuple[Hint[Action], ...]:
        return view.hints(state, seat)

    def interpret(
        self, state: State, reading: EyesReading, before: Action | None = None
    ) -> Proposal[Action] | Doubt[Action]:
        found = interpret(state, reading, before.scene if isinstance(before, ThrowSettled) else None)
        (action,) = found.actions
        has_changed = state.scene is None or has_moved(state.scene, action.scene)
        doubt = doubted(state, action) if has_changed else None
        return doubt or Proposal((action,), found.says)

    def says(self, action: Action) -> Says:
        match action:
            case ThrowSettled():
                return Says("a throw")
            case HajiChosen(seat=seat):
                return Says("{seat} says HAJI", {"seat": seat})
            case EdgeCrossed(thrower=seat):
                return Says("{thrower} passed the edge while throwing", {"thrower": seat})
            case OpponentChose(restart=restart):
                return Says("the opponent restarts the game") if restart else Says("the opponent plays on")

    def question(self, state: State) -> Doubt[Action] | None:
        return rules.question(state)

    def amended(self, action: Action, fact: str, value: str) -> Action:
        if isinstance(action, ThrowSettled) and fact.startswith(owners.FACT):
            scene, answers = owners.told(action.scene, action.answers, fact.removeprefix(owners.FACT), value)
            return ThrowSettled(scene=scene, answers=answers)
        if not isinstance(action, ThrowSettled) or value not in ("yes", "no"):
            raise NotationError(
                f"{fact}={value} amends nothing of this entry, expected yes or no for a fact of a throw", fact
            )
        return ThrowSettled(scene=action.scene, answers={**action.answers, fact: value == "yes"})

    def camera_alone(self, action: Action) -> Action:
        if not isinstance(action, ThrowSettled):
            return action
        return ThrowSettled(scene=owners.untold(action.scene, action.answers))

    def is_amendable(self, action: Action) -> bool:
        return isinstance(action, ThrowSettled)

    def corrections(
        self, state: State, before: State | None = None, action: Action | None = None
    ) -> tuple[Correctable, ...]:
        if state.edge is not None:  # the opponent chooses first: a correction might end the match before
            return ()
        known = view.facts_view(state)
        facts = (
            Correctable(
                fact=key,
                says=fact.says,
                value="unknown" if fact.known is None else "yes" if fact.known else "no",
                choices=(("yes", fact.yes), ("no", fact.no)),
                piece=fact.pieces[0],
            )
            for key, fact in known.items()
            if not _is_of_none(key, known)
        )
        return (*facts, *owners.corrections(state))

    def says_piece(self, piece: str) -> Says:
        return spoken(piece)

    def says_fact(self, action: Action, fact: str, value: str) -> Says:
        if fact.startswith(owners.FACT):
            die = fact.removeprefix(owners.FACT)
            # if the two change places, both are in the valley, before the answer and after it
            is_there = all(self.place_mm(action, name) is not None for name in (die, value))
            answer = owners.says(die, value, is_there=is_there)
            return Says("{question} {answer}", {"question": owners.question(die), "answer": answer})
        known = facts_of(action.scene, action.answers, Options().cocked_deg) if isinstance(action, ThrowSettled) else {}
        if fact not in known:
            return Says("{fact} = {value}", {"fact": fact, "value": value})
        answer = known[fact].yes if value == "yes" else known[fact].no
        return Says("{question} {answer}", {"question": known[fact].says, "answer": answer})

    def has_moved(self, before: Action, after: Action) -> bool:
        if isinstance(before, ThrowSettled) and isinstance(after, ThrowSettled):
            return has_moved(before.scene, after.scene)
        return True

    tells_whole_turns = True

    def is_whole(self, state: State, actions: Sequence[Action]) -> bool:
        return all(isinstance(action, ThrowSettled) and is_throw_seen(state, action.scene) for action in actions)

    def remembers(self, action: Action) -> bool:
        return self.moves_pieces(action)

    def is_start(self, action: Action) -> bool:
        return isinstance(action, ThrowSettled) and is_start(action.scene)

    def place_mm(self, action: Action, piece: str) -> tuple[float, float] | None:
        if not isinstance(action, ThrowSettled):
            return None
        found = action.scene.piece(piece) or owned(action.scene, action.answers).piece(piece)
        return None if found is None else (found.x_mm, found.y_mm)

    def put_back(self, before: State, after: State) -> tuple[PutBack, ...]:
        was = _lying(before)
        scene = _lying(after) or _set_up(was)
        return put_back(was, scene) if scene is not None else ()

    def moves_pieces(self, action: Any) -> bool:
        return isinstance(action, ThrowSettled) or (isinstance(action, OpponentChose) and action.restart)

    def as_left(self, state: State, action: Any) -> State:
        if not isinstance(action, ThrowSettled):
            return State(options=state.options, scene=_set_up(_lying(state)))
        scene = owned(action.scene, action.answers, (*state.red.taken, *state.blue.taken))
        return replace(state, scene=scene, answers=action.answers, open=None)

    def layout(self, state: State) -> tuple[Placed, ...]:
        scene = _lying(state)
        return laid_out(scene) if scene is not None else ()

    def settled(self, reading: EyesReading, before: EyesReading | None) -> EyesReading:
        return settled(reading, before)

    def seen_back(
        self,
        before: State,
        after: State,
        reading: EyesReading | None,
        was: Sequence[Checked] = (),
        earlier: EyesReading | None = None,
    ) -> tuple[Checked, ...]:
        return seen_back(_at_rest(before), _at_rest(after), reading, was, earlier)

    def seen_set_up(
        self, state: State, reading: EyesReading, kit: Kit | None = None, *, was_right: bool = False
    ) -> SetUp | None:
        return seen_set_up(state, reading, kit, was_right=was_right)

    def state_text(self, state: State) -> str:
        return notation.state_text(state)

    def state_of_text(self, text: str) -> State:
        return notation.state_of_text(text)

    def action_text(self, action: Action) -> str:
        return notation.action_text(action)

    def action_of_text(self, text: str, state: State | None = None) -> Action:
        return notation.action_of_text(text)

    def action_of_json(self, data: Any) -> Action:
        action: Action = super().action_of_json(data)
        if isinstance(action, ThrowSettled):
            notation.refuse_flawed_throw(action.scene)
        return action


def _next_thing(state: State) -> Move[Action]:
    """The answer or refill that is due, else the throw: as a kind of action, since possible scenes cannot be listed."""
    asked = rules.question(state)
    if asked is not None:
        return Move(None, "answer", asked.says, tuple(choice.says for choice in asked.choices), asked.rule)
    if state.refill:
        first, *more = view.first_to_do(state)
        return Move(None, "refill", first[0], tuple(says for says, _ in more), first[1])
    constraints = tuple(
        Says(
            "{seat} throws one {piece}: {needs}",
            {"seat": s, "piece": rules.throws(state, s), "needs": view.needs(state, s)},
        )
        for s in SEATS
    )
    says = Says("both emperors throw at the same time; then the valley is judged")
    return Move(None, "throw", says, constraints, cite("Instructions 7"))


def _all_said(applied: Applied[State]) -> Explanation:
    if not applied.rulings:
        return Explanation(True, Says("legal: nothing changes"), cite("gap 3"))
    words = joined([ruling.says for ruling in applied.rulings])
    return Explanation(True, Says("legal: {what}", {"what": words}), applied.rulings[-1].rule)


def _lying(state: State) -> Scene | None:
    """The current valley; that of an open throw too, since it has settled."""
    return state.open.scene if state.open else state.scene


def _set_up(lying: Scene | None) -> Scene | None:
    """The valley when the game begins again, around the territories' current places; None where those are unknown."""
    return None if lying is None else measured(set_up_around(lying).pieces, (), default_sizes())


def _at_rest(state: State) -> State:
    """The state with its newest valley and answers, those of an open throw too."""
    return state if state.open is None else replace(state, scene=state.open.scene, answers=state.open.answers)


def _options(given: Mapping[str, str]) -> Options:
    options = Options()
    for key, value in given.items():
        options = with_option(options, key, value)
    return options


GAME = EyesOfTheEmperor()
