"""The valley on the table: the action that a reading shows, the layout before a throw, and whether it is put back.

At the end: the facts of a throw that people answer or correct.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from companion.game.errors import NotationError
from companion.game.game import Layout
from companion.game.readings import EyesReading
from companion.game.says import Says
from companion.game.values import Checked, ChoiceView, Correctable, Doubt, Proposal, PutBack
from companion.games.eyes_of_the_emperor import one_throw, owners, view
from companion.games.eyes_of_the_emperor import reading as reading_of
from companion.games.eyes_of_the_emperor import seen_back as back_seen
from companion.games.eyes_of_the_emperor.conserved import is_throw_seen, says_seen
from companion.games.eyes_of_the_emperor.facts import Fact, facts_of, owned
from companion.games.eyes_of_the_emperor.house import Options
from companion.games.eyes_of_the_emperor.scene import Scene, measured, spoken
from companion.games.eyes_of_the_emperor.set_up import set_up_around
from companion.games.eyes_of_the_emperor.state import Action, OpponentChose, State, ThrowSettled


def lays_pieces(action: Action) -> bool:
    """Whether an action changes the places of pieces: a throw, or a game that begins again."""
    return isinstance(action, ThrowSettled) or (isinstance(action, OpponentChose) and action.restart)


def interpret(
    state: State, reading: EyesReading, past: Sequence[Action] = (), lain: Action | None = None
) -> Proposal[Action] | Doubt[Action]:
    """The throw that a settled valley shows, or a question whether there was one. `past`: its newest throw gives the
    pieces' earlier places and names. `lain`: the reading before it, to notice pieces that hands moved."""
    before = next((action for action in past if lays_pieces(action)), None)
    found = reading_of.interpret(
        state,
        reading,
        _named(state, before) if isinstance(before, ThrowSettled) else None,
        begun=lain.scene if isinstance(lain, ThrowSettled) else None,
        last=owners.last_places(past, state.taken),
    )
    (action,) = found.actions
    done = tuple(one.says for one in one_throw.due(state) if one_throw.is_done(state, one, action.scene))
    return replace(_one_throw(state, reading, action, lain), done=done)


def _one_throw(
    state: State, reading: EyesReading, action: ThrowSettled, lain: Action | None
) -> Proposal[Action] | Doubt[Action]:
    """The throw, or what one throw cannot have done."""
    has_changed = state.scene is None or reading_of.has_moved(state.scene, action.scene)
    doubt = one_throw.doubted(state, action, lain) if has_changed else None
    if doubt is not None:
        return doubt
    if has_changed and (by_hand := _meddled(state, reading, lain)) is not None:
        return by_hand
    scene = action.scene
    # the last two of a pile that is picked up are not a throw
    earlier = lain.scene if isinstance(lain, ThrowSettled) else None
    is_seen = is_throw_seen(state, scene, earlier)
    # one of these two pieces may be from the throw before, whose other piece left the valley
    is_seen = is_seen or (is_throw_seen(state, scene) and one_throw.changes_nothing(state, action))
    is_whole = is_seen and (earlier is not None or not state.refill)
    says = says_seen(state, scene)
    if one_throw.begins(state, action) and not one_throw.is_nothing_new(state, scene):
        says = Says("this throw changes nothing yet: just throw on")
    return Proposal((action,), says, is_whole=is_whole, is_early=one_throw.is_early(state, action))


def _named(state: State, before: ThrowSettled) -> Scene:
    if state.scene is not None and state.open is None:
        return state.scene
    return owned(before.scene, before.answers, state.taken)


def _meddled(state: State, reading: EyesReading, before: Action | None) -> Doubt[Action] | None:
    """The question about a throw if hands moved pieces before it. The pieces' places before the throw then count."""
    if not isinstance(before, ThrowSettled) or not (moved := one_throw.moved_by_hand(state, before.scene)):
        return None
    (action,) = reading_of.interpret(state, reading, before.scene).actions
    if one_throw.is_nothing_new(state, action.scene):
        return None
    return replace(one_throw.asked_about_hands(action, moved), is_whole=is_throw_seen(state, action.scene))


def has_moved(before: Action, after: Action) -> bool:
    if isinstance(before, ThrowSettled) and isinstance(after, ThrowSettled):
        return reading_of.has_moved(before.scene, after.scene)
    return True


def place_mm(action: Action, piece: str) -> tuple[float, float] | None:
    """The place of a piece of a throw, by its own name or by the owner that people gave it."""
    if not isinstance(action, ThrowSettled):
        return None
    found = action.scene.piece(piece) or owned(action.scene, action.answers).piece(piece)
    return None if found is None else (found.x_mm, found.y_mm)


def put_back(before: State, after: State) -> tuple[PutBack, ...]:
    was, left = _at_rest(before), _at_rest(after)
    return reading_of.put_back(*_as_begun(was, left if left.scene else replace(left, scene=_set_up(was.scene))))


def _as_begun(state: State, left: State) -> tuple[State, State]:
    """The two states. The first has its valley as it was when the throw began that led to `left`: with all due actions
    done."""
    if state.scene is None or left.scene is None:
        return state, left
    return replace(state, scene=one_throw.tidied(state, left.scene)), left


def as_left(state: State, action: Action, entered: Callable[[], State]) -> State | None:
    if not lays_pieces(action):
        return None
    if not isinstance(action, ThrowSettled):
        return State(options=state.options, scene=_set_up(_lying(state)))
    scene = owned(action.scene, action.answers, state.taken)
    return replace(state, scene=scene, answers=action.answers, open=None)


def layout(state: State) -> Layout:
    scene = _lying(state)
    return Layout(pieces=reading_of.laid_out(scene)) if scene is not None else Layout()


def seen_back(
    before: State, after: State, reading: EyesReading | None, was: Sequence[Checked] = ()
) -> tuple[Checked, ...]:
    return back_seen.seen_back(*_as_begun(_at_rest(before), _at_rest(after)), reading, was)


def _lying(state: State) -> Scene | None:
    """The current valley, also after a throw with open questions, since its pieces have settled."""
    return state.open.scene if state.open else state.scene


def _set_up(lying: Scene | None) -> Scene | None:
    """The valley when the game begins again, around the territories' current places; None if those are unknown."""
    return None if lying is None else measured(set_up_around(lying).pieces, ())


def _at_rest(state: State) -> State:
    """The state with its newest valley and answers, those of an open throw too."""
    return state if state.open is None else replace(state, scene=state.open.scene, answers=state.open.answers)


def amended(action: Action, fact: str, value: str) -> Action:
    """The throw with one fact answered or corrected. Raises: NotationError for another fact."""
    if isinstance(action, ThrowSettled) and fact.startswith(owners.FACT):
        scene, answers = owners.told(action.scene, action.answers, fact.removeprefix(owners.FACT), value)
        return ThrowSettled(scene=scene, answers=answers)
    if not isinstance(action, ThrowSettled) or value not in ("yes", "no"):
        raise NotationError(
            f"{fact}={value} amends nothing of this entry, expected yes or no for a fact of a throw", fact
        )
    return ThrowSettled(scene=action.scene, answers={**action.answers, fact: value == "yes"})


def camera_alone(action: Action) -> Action:
    if not isinstance(action, ThrowSettled):
        return action
    return ThrowSettled(scene=owners.untold(action.scene, action.answers))


def _is_of_none(key: str, known: Mapping[str, Fact]) -> bool:
    """Whether a fact is about a piece that counts as absent. Its presence has to be corrected first."""
    what, _, id = key.partition(":")
    parents = (known.get(f"{parent}:{id}") for parent in ("there", "is"))
    return what in ("in", "up") and any(fact is not None and fact.known is False for fact in parents)


def corrections(state: State, before: State | None = None, action: Action | None = None) -> tuple[Correctable, ...]:
    if state.edge is not None:  # the opponent chooses first: a correction might end the match before
        return ()
    known = view.facts_view(state)
    facts = (
        Correctable(
            fact=key,
            says=fact.says,
            value="unknown" if fact.known is None else "yes" if fact.known else "no",
            choices=(ChoiceView("yes", fact.yes), ChoiceView("no", fact.no)),
            piece=fact.pieces[0],
            called=spoken(fact.pieces[0]),
        )
        for key, fact in known.items()
        if not _is_of_none(key, known)
    )
    return (*facts, *owners.corrections(state))


def says_fact(action: Action, fact: str, value: str) -> Says:
    if fact.startswith(owners.FACT):
        die = fact.removeprefix(owners.FACT)
        # dice that change places are both in the valley, before and after the answer
        is_there = all(place_mm(action, name) is not None for name in (die, value))
        answer = owners.says(die, value, is_there=is_there)
        return Says("{question} {answer}", {"question": owners.question(die), "answer": answer})
    known = facts_of(action.scene, action.answers, Options().cocked_deg) if isinstance(action, ThrowSettled) else {}
    if fact not in known:
        return Says("{fact} = {value}", {"fact": fact, "value": value})
    answer = known[fact].yes if value == "yes" else known[fact].no
    return Says("{question} {answer}", {"question": known[fact].says, "answer": answer})
