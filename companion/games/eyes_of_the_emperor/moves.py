"""The next moves, the standing of the match, and the actions in words: the answers around `rules.apply`."""

from collections.abc import Mapping

from companion.game.errors import NotationError
from companion.game.says import Says, counted
from companion.game.values import Asks, ChoiceView, Move, Score
from companion.games.eyes_of_the_emperor import notation, rules, view
from companion.games.eyes_of_the_emperor.house import Options, cite, with_option
from companion.games.eyes_of_the_emperor.one_throw import due
from companion.games.eyes_of_the_emperor.scene import DICE_EACH, OTHER, SEATS
from companion.games.eyes_of_the_emperor.state import (
    Action,
    EdgeCrossed,
    HajiChosen,
    OpponentChose,
    State,
    ThrowSettled,
)

EITHER = tuple(ChoiceView(seat, Says("{seat}", {"seat": seat})) for seat in SEATS)


def start(seats: int | None = None, options: Mapping[str, str] | None = None) -> State:
    """The valley before the first throw. Raises: NotationError."""
    if seats not in (None, len(SEATS)):
        raise NotationError(f"seats is {seats}, expected 2: there are two emperors", "seats")
    chosen = Options()
    for key, value in (options or {}).items():
        chosen = with_option(chosen, key, value)
    return State(options=chosen)


def to_move(state: State) -> tuple[str, ...]:
    """Both emperors; after somebody passed the edge, their opponent."""
    if state.winner is not None:
        return ()
    return (OTHER[state.edge],) if state.edge is not None else SEATS


def legal(state: State) -> tuple[Move[Action], ...]:
    """The choice of the opponent after the edge was passed, else what may happen next."""
    if state.winner is not None:
        return ()
    if state.edge is not None:
        choices = ((Says("restart the game"), True), (Says("play on"), False))
        actions = [(says, OpponentChose(restart=restart)) for says, restart in choices]
        return tuple(Move(act, notation.action_text(act), says, (), rules.RULE_EDGE) for says, act in actions)
    effects = (Says("the opponent chooses"),)
    edge, haji = Says("somebody passed the edge while throwing"), Says("the emperors agree on who says HAJI")
    who = Asks("thrower", Says("Who passed the edge?"), EITHER)
    moves: list[Move[Action]] = [_next_thing(state)]
    moves.append(Move(None, "edge", edge, effects, rules.RULE_EDGE, (who,), made=_crossed))
    if state.haji is None:
        asked = Asks("seat", Says("Who says HAJI?"), EITHER)
        moves.append(Move(None, "haji", haji, (), rules.RULE_HAJI, (asked,), made=_haji))
    return tuple(moves)


def _crossed(values: Mapping[str, str]) -> Action:
    return EdgeCrossed(thrower=values["thrower"])


def _haji(values: Mapping[str, str]) -> Action:
    return HajiChosen(seat=values["seat"])


def _next_thing(state: State) -> Move[Action]:
    """The answer or refill that is due, else the throw: as a kind of action, since possible scenes cannot be listed."""
    asked = rules.question(state)
    if asked is not None:
        return Move(None, "answer", asked.says, tuple(choice.says for choice in asked.choices), asked.rule)
    if state.refill:
        first, *more = due(state)
        return Move(None, "refill", first.says, tuple(one.says for one in more), first.rule, made=_drawn)
    words = "{seat} throws one {piece}: {needs}"
    constraints = tuple(
        Says(words, {"seat": s, "piece": rules.throws(state, s), "needs": view.needs(state, s)}) for s in SEATS
    )
    says = Says("both emperors throw at the same time; then the valley is judged")
    return Move(None, "throw", says, constraints, cite("Instructions 7"), made=_drawn)


def _drawn(values: Mapping[str, str]) -> Action | None:
    return notation.thrown(values["scene"]) if "scene" in values else None


def score(state: State) -> Mapping[str, Score]:
    """The eyes taken from the other emperor; after the end the shares of the win. In words: the eyes left."""
    ended = rules.outcome(state)
    left = {seat: state.emperor(seat).eyes_left for seat in SEATS}
    points = {seat: float(DICE_EACH - left[OTHER[seat]]) for seat in SEATS} if ended is None else ended.points
    words = {s: counted(n, "one eye left", "{count} eyes left", none="no eyes left") for s, n in left.items()}
    return {seat: Score(points[seat], words[seat]) for seat in SEATS}


def says(action: Action) -> Says:
    match action:
        case ThrowSettled():
            return Says("a throw")
        case HajiChosen(seat=seat):
            return Says("{seat} says HAJI", {"seat": seat})
        case EdgeCrossed(thrower=seat):
            return Says("{thrower} passed the edge while throwing", {"thrower": seat})
        case OpponentChose(restart=restart):
            return Says("the opponent restarts the game") if restart else Says("the opponent plays on")
