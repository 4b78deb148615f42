"""The rules of Eyes of the Emperor: a settled throw is judged once, in the order of gap 3.

First outs; then the phases of both emperors from the same picture, at most one step each; then eyes taken by every
emperor who is now in phase III; then the end; then refills.
"""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import TypeVar

from companion.game.margin import Margin
from companion.game.readings import Kind
from companion.game.says import Says, listed
from companion.game.values import Applied, Choice, Doubt, Illegal, Outcome, Ruling
from companion.games.eyes_of_the_emperor.asking import Way, asked
from companion.games.eyes_of_the_emperor.facts import (
    RULE_DIE_OUT,
    RULE_LEFT,
    RULE_OCCUPIES,
    RULE_TOUCHING,
    THERE,
    Fact,
    Tally,
    facts,
    is_there,
    owned,
    stray_answers,
    tally,
    wholes,
)
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.owners import likely_red
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    NINJAS,
    OTHER,
    SAMURAI_EACH,
    SEATS,
    Scene,
    apart_mm,
    dice_names,
    is_below,
    kind_of,
    spoken,
)
from companion.games.eyes_of_the_emperor.state import (
    LOSS_DRAW,
    WINNERS,
    Action,
    EdgeCrossed,
    Emperor,
    HajiChosen,
    Open,
    OpponentChose,
    Phase,
    State,
    ThrowSettled,
)
from companion.games.eyes_of_the_emperor.status import faults

SAMURAI_NEEDED = 3

RULE_HAJI = cite("Instructions 6")
RULE_PHASE_I = cite("Instructions 8")
RULE_PHASE_II = cite("Instructions 10")
RULE_TO_III = cite("Instructions 11")
RULE_PHASE_III = cite("Instructions 12")
RULE_OF_PHASE = {Phase.I: RULE_PHASE_I, Phase.II: RULE_PHASE_II, Phase.III: RULE_PHASE_III}
RULE_LOST = cite("Instructions 13")
RULE_WIN = cite("Instructions 14")
RULE_NINJAS = cite("Rules 1")
RULE_SAMURAI = cite("Rules 2")
RULE_EDGE = cite("Rules 3")
RULE_LOSS_DRAW = cite("Rules 4")
RULE_TOO_CLOSE = cite("gap 24")
RULE_TOO_FEW = cite("gap 22")
RULE_JUDGED = cite("gap 2")
_STILL = ("in:", THERE)
NEAR_MISS_MM = 15.0
"""Maximum distance of a near miss, which is worth reporting."""
MOVED_MM = 2.0
"""Maximum distance of a piece from its earlier place, to count as not moved by the throw."""

MOST_REMEMBERED = 8

_T = TypeVar("_T")


def remembered(of_state: Callable[[State], _T]) -> Callable[[State], _T]:
    """The function with its last results kept, by the identity of the state: to compare two states takes longer than to
    count one."""
    kept: list[tuple[State, _T]] = []

    @wraps(of_state)
    def call(state: State) -> _T:
        found = next((one for one in kept if one[0] is state), None) or (state, of_state(state))
        kept[:] = [found, *(one for one in kept if one[0] is not state)][:MOST_REMEMBERED]
        return found[1]

    return call


@remembered
def counted(state: State) -> Tally | None:
    """The last judged scene, counted; None before the first throw. The owners of nameless dice make no difference to
    it."""
    if state.scene is None:
        return None
    whole, _ = wholes(state.scene, state.taken)[0]
    return _still_in(whole, facts(whole, state.answers, state.options.cocked_deg))


def _still_in(scene: Scene, known: Mapping[str, Fact]) -> Tally:
    """A scene's counts as people see them: open dice are not knocked out, and unseen ones have not left."""
    return tally(
        scene, known, {f"{what}{name}": True for seat in SEATS for name in dice_names(seat) for what in _STILL}
    )


def settle(state: State, action: ThrowSettled) -> Applied[State]:
    """Judges a throw, or leaves it open when a fact that decides something is too close to call."""
    scene = owned(action.scene, action.answers, state.taken)
    question = pivotal(state, scene, action.answers)
    if question is not None:
        held = replace(state, open=Open(scene=action.scene, answers=dict(action.answers)))
        words = "Too close to call: {question}" if question.margin is not None else "Not clear: {question}"
        says = Says(words, {"question": question.says})
        return Applied(held, (Ruling(None, says, question.rule, question.pieces[0], question.margin),))
    return _judge(state, scene, action.answers)


def pivotal(state: State, scene: Scene, answers: Mapping[str, bool]) -> Fact | None:
    """The open fact to ask about first: the closest one with an answer that changes phases, eyes, refills or the
    end."""
    ways = [_way(state, whole, owners, answers) for whole, owners in wholes(scene, state.taken)]
    return asked(tuple(ways), facts(scene, answers, state.options.cocked_deg))


def _way(state: State, scene: Scene, owners: Mapping[str, str], answers: Mapping[str, bool]) -> Way:
    known = facts(scene, answers, state.options.cocked_deg)
    unsure = sorted((f for f in known.values() if f.known is None and _may_decide(state, scene, f)), key=_closeness)

    def verdict(assumed: Mapping[str, bool]) -> Hashable:
        return _verdict(state, tally(scene, known, assumed))

    return Way(owners, tuple(unsure), verdict, _said(state, scene, known) if owners else None)


def _said(state: State, scene: Scene, known: Mapping[str, Fact]) -> Hashable:
    """Everything reported about a throw, and the counts that the next throw is compared with."""
    now, rulings = _decided(state, scene, known, tally(scene, known))
    count = _still_in(scene, known)
    said = tuple((ruling.seat, str(ruling.says), ruling.rule) for ruling in rulings)
    seats = {seat: now.emperor(OTHER[seat]).phase for seat in SEATS}
    there = tuple(count.dice[seat] for seat in SEATS if seats[seat] is not Phase.II)
    return said, there, tuple(count.dice_in[seat] for seat in SEATS if seats[seat] is Phase.I)


def question(state: State) -> Doubt[Action] | None:
    """The question that holds the match up, with its two answers; None when nothing is open."""
    if state.edge is not None:
        words = Says("{thrower} passed the edge while throwing. Restart the game?", {"thrower": state.edge})
        restart: Choice[Action] = Choice("restart", Says("Restart the game"), OpponentChose(restart=True))
        play_on: Choice[Action] = Choice("play_on", Says("Play on"), OpponentChose(restart=False))
        return Doubt("edge", words, (restart, play_on), RULE_EDGE, seats=(OTHER[state.edge],))
    if state.open is None:
        return None
    scene = owned(state.open.scene, state.open.answers, state.taken)
    fact = pivotal(state, scene, state.open.answers)
    if fact is None:
        return None
    known = facts(scene, state.open.answers, state.options.cocked_deg)
    # whether a piece is there comes before its place
    doubts = (known[key] for id in fact.pieces if (key := f"is:{id}") in known)
    fact = next((one for one in doubts if one.known is None), fact)
    choices: tuple[Choice[Action], ...] = (Choice("yes", fact.yes), Choice("no", fact.no))
    what, _, die = fact.key.partition(":")
    red = likely_red(state, scene, die) if what == "owner_red" else None
    if red is not None:
        told = (replace(choices[0], likely=round(red, 3)), replace(choices[1], likely=round(1 - red, 3)))
        choices = tuple(sorted(told, key=lambda choice: -(choice.likely or 0.0)))
    later = (f.pieces[0] for f in known.values() if f.known is None and _may_decide(state, scene, f))
    pieces = fact.pieces
    if fact.pieces and scene.piece(fact.pieces[0]) is not None:  # pieces of the next questions need pictures too
        pieces = tuple(dict.fromkeys((*fact.pieces, *later)))
    return Doubt(fact.key, fact.says, choices, fact.rule, fact.close, pieces)


def _verdict(state: State, count: Tally) -> tuple[object, ...]:
    """Everything that a throw decides, to compare two interpretations."""
    now, _ = _phases(state, count)
    now, _ = _eyes(now, count)
    if now.end is not None:
        return now.red, now.blue, now.end
    refill, _ = _refills(now, count)
    stay = tuple(count.occupying[seat] for seat in SEATS) if "samurai" in refill else ()
    return now.red, now.blue, refill, stay, tuple(_back(now, count, seat) for seat in SEATS)


def _judge(state: State, scene: Scene, answers: Mapping[str, bool]) -> Applied[State]:
    whole, _ = wholes(scene, state.taken)[0]
    known = facts(whole, answers, state.options.cocked_deg)
    count = tally(whole, known)
    now, decided = _decided(state, whole, known, count)
    now = replace(now, throw=state.throw + 1, scene=scene, answers=answers, open=None)
    shown = facts(scene, answers, state.options.cocked_deg)
    told = {ruling.piece for ruling in decided}
    answered = [ruling for ruling in _answered(state, scene, answers, shown) if ruling.piece not in told]
    told |= {ruling.piece for ruling in answered}
    missed = [ruling for ruling in _missed(state, whole, known, count) if ruling.piece not in told]
    if decided:  # then a miss by a samurai is minor, and a die that stays in is not mentioned
        missed = [replace(one, is_minor=True) for one in missed if kind_of(one.piece or "") is Kind.SAMURAI]
    elif not missed:
        says = Says("throw {n} changes nothing", {"n": now.throw})
        missed = [Ruling(None, says, RULE_JUDGED, is_minor=True)]
    decided = [*answered, *missed, *decided]
    # the owner of a nameless die made no difference: a name that was only assumed for it is not shown or measured
    named = {piece.id for piece in scene.pieces}
    decided = [ruling if ruling.piece in named else replace(ruling, piece=None, margin=None) for ruling in decided]
    return Applied(now, (*_close_calls(now, shown), *decided))


def _missed(state: State, scene: Scene, known: Mapping[str, Fact], count: Tally) -> list[Ruling]:
    """The misses of both throws, the nearest last: a samurai that does not occupy, or a die that is barely in."""
    rulings: list[tuple[float, Ruling]] = []
    for seat in SEATS:
        is_samurai = state.emperor(seat).phase is Phase.II
        failed = [
            (abs(fact.margin.margin_mm) if fact.margin else math.inf, id, fact)
            for id in _tried_by(state, scene, seat)
            if (fact := known.get(f"in:{id}")) is not None
            if fact.known is (not is_samurai) and id not in count.may_occupy[seat]
        ]
        for by_mm, id, fact in sorted(failed, key=lambda one: one[:2])[:1]:
            if by_mm <= NEAR_MISS_MM:
                words = "missed by {mm} mm: {piece} stays in"
                if is_samurai:
                    words = "missed by {mm} mm: {piece} does not occupy"
                says = Says(words, {"mm": round(by_mm, 1), "piece": spoken(id)})
            elif is_samurai:
                says = Says("{piece} does not occupy", {"piece": spoken(id)})
            else:
                continue
            rulings.append((by_mm, Ruling(seat, says, fact.rule, id, fact.margin)))
    return [ruling for _, ruling in sorted(rulings, key=lambda one: -one[0])]


def _tried_by(state: State, scene: Scene, seat: str) -> Iterator[str]:
    """The moved pieces that a throw was about: the other's dice in war phase I, the thrower's samurai in II."""
    phase = state.emperor(seat).phase
    if phase is Phase.III:
        return
    about = scene.of(Kind.EMPIRE_DIE, OTHER[seat]) if phase is Phase.I else scene.of(Kind.SAMURAI, seat)
    for piece in about:
        was = state.scene.piece(piece.id) if state.scene else None
        if was is None or apart_mm(was, piece) > MOVED_MM:
            yield piece.id


def _answered(before: State, scene: Scene, answers: Mapping[str, bool], known: Mapping[str, Fact]) -> list[Ruling]:
    """People's new answers since the last throw. They are reported even without effect, below what came of them."""
    fresh = {key: answer for key, answer in answers.items() if key in known and before.answers.get(key) != answer}
    asked = facts(scene, {}, before.options.cocked_deg) if fresh else {}
    rulings = []
    for key, answer in fresh.items():
        if key in asked and asked[key].known is None:
            fact = known[key]
            says = Says("{question} {answer}", {"question": fact.says, "answer": fact.yes if answer else fact.no})
            rulings.append(Ruling(None, says, fact.rule, fact.pieces[0], fact.margin, is_minor=True))
    return rulings


def _decided(state: State, scene: Scene, known: Mapping[str, Fact], count: Tally) -> tuple[State, list[Ruling]]:
    """The emperors, the refills and the end after a throw, and the rulings about them."""
    there = _still_in(scene, known)
    now, said = _phases(state, count)
    rulings = [*_outs(state, now, known, count, there), *said]
    now, said = _eyes(now, count)
    rulings += said
    if now.end is not None:
        return replace(now, winner=now.end, refill=()), [*rulings, _end_ruling(now.end)]
    refill, said = _refills(now, count)
    return replace(now, refill=refill), [*rulings, *said, *_put_back(now, there)]


def _outs(state: State, now: State, known: Mapping[str, Fact], count: Tally, there: Tally) -> list[Ruling]:
    """Rulings for samurai that began or ceased to occupy, and for the dice that the phase looks at."""
    before = counted(state)
    rulings = []
    for seat in SEATS:
        phases = {state.emperor(OTHER[seat]).phase, now.emperor(OTHER[seat]).phase}
        for die in count.dice[seat] if Phase.I in phases else ():
            is_in, was_in = die in count.dice_in[seat], before is None or die in before.dice_in[seat]
            fact = known.get(f"in:{die}")
            margin = fact.margin if fact else None
            if is_in != was_in and (fact is None or fact.known is not None):
                words = "{die} overlaps its territory again" if is_in else "{die} is knocked out of its territory"
                rulings.append(Ruling(seat, Says(words, {"die": spoken(die)}), RULE_DIE_OUT, die, margin))
        for die in away(state, there, seat) if phases != {Phase.II} else ():
            was_looked_at = state.emperor(OTHER[seat]).phase is not Phase.II
            if before is None or die in before.dice[seat] or not was_looked_at:
                rulings.append(
                    Ruling(seat, Says("{die} has left the valley: it is out", {"die": spoken(die)}), RULE_LEFT, die)
                )
        rulings += _samurai_said(seat, before, count, known)
    return rulings


def _samurai_said(seat: str, before: Tally | None, count: Tally, known: Mapping[str, Fact]) -> list[Ruling]:
    """A seat's samurai that have begun or ceased to occupy; of open ones only what is sure."""
    was, was_maybe = (before.occupying[seat], before.may_occupy[seat]) if before else ((), ())
    rulings = []
    for piece in count.occupying[seat]:
        if piece not in was:
            says = Says("{piece} occupies the {land} territory", {"piece": spoken(piece), "land": OTHER[seat]})
            rulings.append(Ruling(seat, says, RULE_OCCUPIES, piece, _margin(known, piece)))
    for piece in was_maybe:
        if piece not in count.may_occupy[seat]:
            words = "{piece} no longer occupies" if piece in was else "{piece} does not occupy"
            rulings.append(
                Ruling(seat, Says(words, {"piece": spoken(piece)}), RULE_TOUCHING, piece, _margin(known, piece))
            )
    return rulings


def _margin(known: Mapping[str, Fact], piece: str) -> Margin | None:
    fact = known.get(f"in:{piece}")
    return fact.margin if fact else None


def away(state: State, count: Tally, seat: str) -> tuple[str, ...]:
    """An emperor's dice that are neither in the valley, nor hidden there, nor taken."""
    there = {*count.dice[seat], *state.emperor(seat).taken}
    return tuple(name for name in dice_names(seat) if name not in there)


def _close_calls(state: State, known: Mapping[str, Fact]) -> list[Ruling]:
    """Rulings for open facts that decide nothing this time: reported, not asked. Those without a margin together."""
    said: dict[str, list[Fact]] = {}
    hidden = [
        id for key, fact in known.items() if key.startswith(THERE) and fact.known is None for id in fact.pieces[:1]
    ]
    for fact in known.values():
        is_one_of_three = fact.pieces[0] in hidden and not fact.key.startswith(THERE)
        if fact.known is None and not is_one_of_three and is_looked_at(state, fact):
            said.setdefault("" if fact.close is None else fact.key, []).append(fact)
    rulings = []
    for alike in said.values():
        margin = alike[0].close
        named = (fact.pieces if fact.key.startswith("on:") else fact.pieces[:1] for fact in alike)
        pieces = sorted({id for ids in named for id in ids}, key=lambda id: (len(id), id))
        words = "{piece}: too close to call, but it does not matter"
        if margin is None:
            words = "{piece} is not clear, but it does not matter"
        if len(pieces) > 1:
            words = "{piece} are not clear, but it does not matter"
        says = Says(words, {"piece": listed([spoken(piece) for piece in pieces])})
        one, several = (pieces[0], ()) if len(pieces) == 1 else (None, tuple(pieces))
        rulings.append(Ruling(None, says, alike[0].rule, one, margin, several, is_minor=True))
    return rulings


def is_looked_at(state: State, fact: Fact) -> bool:
    """Whether the attacker's war phase turns on such a fact: dice in or out in I, their markings in III, whether they
    are there in both."""
    what, _, id = fact.key.partition(":")
    owner = next((seat for seat in SEATS if id in dice_names(seat)), None)
    if owner is None:
        return what not in ("is", "there") and not is_below(fact.pieces[0])
    looked = {"up": (Phase.III,), "there": (Phase.I, Phase.III)}.get(what, (Phase.I,))
    return state.emperor(OTHER[owner]).phase in looked


def _may_decide(state: State, scene: Scene, fact: Fact) -> bool:
    """Whether a throw may turn on such a fact: in war phase II on markings too, for it may become III (gap 12)."""
    phases = {seat: state.emperor(OTHER[seat]).phase for seat in SEATS}
    what, _, id = fact.key.partition(":")
    if what == "is" and not is_below(id):
        piece = scene.piece(id)
        return piece is not None and _may_run_out(scene, piece.kind, piece.color)
    if kind_of(id) is Kind.NINJA:
        return _may_run_out(scene, Kind.NINJA, None)
    owner = next((seat for seat in SEATS if id in dice_names(seat)), None)
    return owner is None or what == "there" or (phases[owner] is Phase.I) is (what == "in")


def _may_run_out(scene: Scene, kind: Kind, color: str | None) -> bool:
    """Whether too few pieces of a kind may be left to throw, counting possible shadows and hidden ones as thrown."""
    alike = scene.of(kind, color)
    hidden = [name for name in scene.unseen if kind_of(name) is kind and name.startswith(color or "")]
    sure, most = sum(is_there(p) for p in alike), len(alike) + len(hidden)
    full, scarce = (NINJAS, NINJAS - 1) if kind is Kind.NINJA else (SAMURAI_EACH, SAMURAI_EACH)
    return most >= scarce and sure < full


def _phases(state: State, count: Tally) -> tuple[State, list[Ruling]]:
    """Both emperors' phases from the same picture, one step at most (gap 3)."""
    now, rulings = state, []
    for seat in SEATS:
        target = OTHER[seat]
        was, victim = state.emperor(seat), state.emperor(target)
        is_out = tuple(d for d in dice_names(target) if d not in count.dice_in[target] and d not in victim.taken)
        ever_out = victim.ever_out
        if state.options.both_out == "ever" and was.phase is Phase.I:
            ever_out = tuple(sorted({*ever_out, *is_out}))
        now = now.with_emperor(target, replace(now.emperor(target), ever_out=ever_out))
        needed_out = is_out if state.options.both_out == "together" else ever_out
        occupying = len(count.occupying[seat])
        match was.phase:
            case Phase.I if len(needed_out) == DICE_EACH:
                now = _step(now, seat, Phase.II)
                says = Says(
                    "both {target} empire dice are out: {seat} throws samurai", {"target": target, "seat": seat}
                )
                rulings.append(Ruling(seat, says, RULE_PHASE_II))
            case Phase.II if occupying >= SAMURAI_NEEDED:
                now = _step(now, seat, Phase.III)
                number = about(occupying, len(count.may_occupy[seat]))
                says = Says("{count} samurai occupy: {seat} goes to war phase III", {"count": number, "seat": seat})
                rulings.append(Ruling(seat, says, RULE_TO_III))
            case Phase.III if occupying == 0:
                now = _step(now, seat, Phase.II)
                says = Says("no {seat} samurai occupies any more: back to war phase II", {"seat": seat})
                rulings.append(Ruling(seat, says, RULE_LOST))
    return now, rulings


def about(least: int, most: int) -> int | str:
    """A number, or its range while something is too close to call."""
    return least if least >= most else f"{least}\N{EN DASH}{most}"


def _step(state: State, seat: str, phase: Phase) -> State:
    was: Emperor = state.emperor(seat)
    return state.with_emperor(seat, replace(was, phase=phase))


def _eyes(state: State, count: Tally) -> tuple[State, list[Ruling]]:
    """Eyes facing up are taken by an emperor who is in phase III after this judging (Instructions 12, gap 12)."""
    now, rulings = state, []
    for seat in SEATS:
        target = OTHER[seat]
        if now.emperor(seat).phase is not Phase.III:
            continue
        victim = now.emperor(target)
        for die in count.dice_up[target]:
            if die not in victim.taken:
                victim = replace(victim, taken=(*victim.taken, die))
                says = Says("{die} looks up: {seat} takes the eye", {"die": spoken(die), "seat": seat})
                rulings.append(Ruling(seat, says, RULE_PHASE_III, die))
        now = now.with_emperor(target, victim)
    return now, rulings


def _end_ruling(winner: str) -> Ruling:
    if winner == LOSS_DRAW:
        return Ruling(None, Says("both emperors are blind: a loss-draw, half a loss each"), RULE_LOSS_DRAW)
    says = Says("{loser} is blind: {winner} wins", {"loser": OTHER[winner], "winner": winner})
    return Ruling(winner, says, RULE_WIN)


def throws(state: State, seat: str) -> str:
    """The piece an emperor throws next: a ninja in phases I and III, a samurai in II (Instructions 8, 10, 12)."""
    return "samurai" if state.emperor(seat).phase is Phase.II else "ninja"


PICK_OUT = {
    "ninjas": Says("stop throwing: pick all ninjas out of the valley"),
    "samurai": Says("stop throwing: pick all samurai that do not occupy out of the valley"),
}
"""The steps of a refill (Rules 1 and 2). They are hints too, until they are done."""


def _refills(state: State, count: Tally) -> tuple[tuple[str, ...], list[Ruling]]:
    refill, rulings = [], []
    needed = sum(throws(state, seat) == "ninja" for seat in SEATS)
    if needed and NINJAS - count.ninjas < needed:
        refill.append("ninjas")
        rulings.append(Ruling(None, PICK_OUT["ninjas"], RULE_TOO_FEW if count.ninjas < NINJAS else RULE_NINJAS))
    for seat in SEATS:
        if throws(state, seat) == "samurai" and count.samurai[seat] >= SAMURAI_EACH:
            refill.append("samurai")
            rulings.append(Ruling(seat, PICK_OUT["samurai"], RULE_SAMURAI))
            break
    return tuple(refill), rulings


def _put_back(state: State, count: Tally) -> list[Ruling]:
    """A die that left the valley comes back for phase III, 30 mm inside, its eye towards the opponent (gap 8)."""
    return [
        Ruling(seat, says_put_back(seat, name), RULE_LEFT, name, is_minor=True)  # it is a hint too, until it is done
        for seat in SEATS
        for name in _back(state, count, seat)
    ]


def says_put_back(seat: str, die: str) -> Says:
    words = "put {die} back: 3 cm inside the edge it crossed, its eye towards {other}"
    return Says(words, {"die": spoken(die), "other": OTHER[seat]})


def _back(state: State, count: Tally, seat: str) -> tuple[str, ...]:
    return away(state, count, seat) if state.emperor(OTHER[seat]).phase is Phase.III else ()


def apply(state: State, action: Action) -> Applied[State]:
    """The state after an action. Raises: Illegal."""
    _refuse_illegal(state, action)
    match action:
        case ThrowSettled():
            return settle(state, action)
        case HajiChosen(seat=seat):
            return Applied(
                replace(state, haji=seat), (Ruling(seat, Says("{seat} says HAJI", {"seat": seat}), RULE_HAJI),)
            )
        case EdgeCrossed(thrower=seat):
            says = Says(
                "{thrower} passed the edge while throwing: {other} chooses to restart or to play on",
                {"thrower": seat, "other": OTHER[seat]},
            )
            return Applied(replace(state, edge=seat), (Ruling(OTHER[seat], says, RULE_EDGE),))
        case OpponentChose(restart=restart):
            chooser = OTHER[state.edge or "red"]
            if not restart:
                return Applied(
                    replace(state, edge=None), (Ruling(chooser, Says("{seat} plays on", {"seat": chooser}), RULE_EDGE),)
                )
            says = Says("{seat} restarts the game: set everything up again", {"seat": chooser})
            fresh = State(restarts=state.restarts + 1, options=state.options, haji=state.haji)
            return Applied(fresh, (Ruling(chooser, says, RULE_EDGE),))


def _refuse_illegal(state: State, action: Action) -> None:
    if state.winner is not None:
        over = _end_ruling(state.winner) if state.winner in WINNERS else None
        raise Illegal(Says("the match is over: {how}", {"how": over.says if over else state.winner}), RULE_WIN)
    match action:
        case OpponentChose() if state.edge is None:
            raise Illegal(Says("nobody passed the edge, so there is nothing to choose"), RULE_EDGE)
        case EdgeCrossed() | ThrowSettled() if state.edge is not None:
            says = Says("{seat} has to choose first: restart or play on", {"seat": OTHER[state.edge]})
            raise Illegal(says, RULE_EDGE)
        case EdgeCrossed(thrower=seat) | HajiChosen(seat=seat) if seat not in SEATS:
            raise Illegal(Says("unknown emperor {seat}, expected red or blue", {"seat": seat}), RULE_HAJI)
        case ThrowSettled(scene=scene) if (
            state.open is not None and scene != state.open.scene and (asked := question(state)) is not None
        ):
            says = Says("answer first, or take that throw back: {question}", {"question": asked.says})
            raise Illegal(says, RULE_TOO_CLOSE)
        case ThrowSettled(scene=scene):
            for fault in faults(state, scene):
                raise Illegal(fault.says, fault.rule)
            for fact in stray_answers(scene, action.answers, state.options.cocked_deg):
                says = Says("{fact} was answered, but nothing in this throw has that name", {"fact": fact})
                raise Illegal(says, RULE_TOO_CLOSE)
        case _:
            pass


def outcome(state: State) -> Outcome | None:
    if state.winner not in WINNERS:  # an unknown winner ends nothing; `status` reports it
        return None
    ruling = _end_ruling(state.winner)
    if state.winner == LOSS_DRAW:
        return Outcome((), ruling.says, ruling.rule, {"red": 0.5, "blue": 0.5})
    return Outcome((state.winner,), ruling.says, ruling.rule, {s: float(s == state.winner) for s in SEATS})


def _closeness(fact: Fact) -> tuple[bool, float, str]:
    """A sort key: facts about a piece's presence first, then the closest."""
    is_about_being = fact.key.startswith(("is:", THERE))
    return not is_about_being, abs(fact.margin.margin_mm) if fact.margin else 1e9, fact.key
