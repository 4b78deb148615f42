"""Every reason why a scene or a state is impossible, before any rule is asked.

The text form and the JSON form ask for `flaws`, the rules and `status` for all, so that all refuse the same.
"""

import math
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from companion.game.readings import SURE, Kind
from companion.game.says import Says, each_as, listed
from companion.game.table import overlap_mm
from companion.game.values import Fault
from companion.games.eyes_of_the_emperor.facts import RULE_LEFT, facts, is_there, nameless, tally
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    NINJAS,
    OTHER,
    RESTS_ERROR_MM,
    SAMURAI_EACH,
    SEATS,
    Lying,
    Scene,
    across_mm,
    dice_names,
    footprint,
    kind_of,
    spoken,
)
from companion.games.eyes_of_the_emperor.state import Phase, State

RULE_TERRITORIES = cite("Instructions 1")
RULE_DICE = cite("Instructions 2")
RULE_SAMURAI = cite("Instructions 4")
RULE_NINJAS = cite("Instructions 5")
RULE_DEPTH = cite("Instructions 9")
RULE_TAKEN = cite("gap 20")
RULE_LIES_ON = cite("gap 11")
RULE_END = cite("Instructions 14")
RULE_PHASE_II = cite("Instructions 10")
RULE_LOST = cite("Instructions 13")
FARTHEST_MM = 10_000.0
"""Maximum coordinate in a scene: no kit's table is larger."""
FACES = 6
_RULE_OF = {
    Kind.TERRITORY: RULE_TERRITORIES,
    Kind.EMPIRE_DIE: RULE_DICE,
    Kind.SAMURAI: RULE_SAMURAI,
    Kind.NINJA: RULE_NINJAS,
}


def _fault(words: str, rule: str, where: str, **values: object) -> Fault:
    return Fault(Says(words, values), rule, where)


def flaws(scene: Scene) -> Iterator[Fault]:
    """The flaws of a scene, whichever eyes were taken before."""
    for piece in scene.pieces:
        yield from _of_piece(piece)
    yield from _of_depths(scene)
    yield from _of_rests(scene)
    for name in scene.unseen:
        if kind_of(name) is None:
            words = "{piece} is listed as unseen but is not a piece, expected such as red.1, red.s1 or n1"
            yield _fault(words, RULE_TERRITORIES, "unseen", piece=name)
    for hiding in scene.hidings:
        far = [at for at in (hiding.x_mm, hiding.y_mm) if not abs(at) <= FARTHEST_MM]
        if far:
            words = "a die is hidden at {mm} mm, which is off the table"
            yield _fault(words, RULE_LEFT, "hidings", mm=f"{far[0]:g}")
    names = [piece.id for piece in scene.pieces if piece.kind != Kind.TERRITORY]
    for name, count in Counter([*names, *scene.unseen]).items():
        if count > 1:
            where = "unseen" if name in scene.unseen else f"pieces.{name}"
            yield _fault("{piece} is listed more than once", RULE_DICE, where, piece=spoken(name))


def _of_piece(piece: Lying) -> Iterator[Fault]:
    where, rule, name = f"pieces.{piece.id}", _RULE_OF[piece.kind], spoken(piece.id)
    far = [at for at in (piece.x_mm, piece.y_mm) if not abs(at) <= FARTHEST_MM]
    if far:
        yield _fault("{piece} is at {mm} mm, which is off the table", rule, where, piece=name, mm=f"{far[0]:g}")
    if not math.isfinite(piece.angle_deg):
        yield _fault("the angle of {piece} is not a number of degrees", rule, where, piece=name)
    if piece.value is not None and not 1 <= piece.value <= FACES:
        yield _fault("{piece} shows a {value}, expected 1 to 6", rule, where, piece=name, value=piece.value)
    if piece.color is not None and piece.color not in SEATS:
        yield _fault("{piece} is of color {color}, expected red or blue", rule, where, piece=name, color=piece.color)


def _of_depths(scene: Scene) -> Iterator[Fault]:
    for depth in scene.depths:
        if not (abs(depth.margin_mm) <= FARTHEST_MM and depth.sigma_mm <= FARTHEST_MM):
            words = "{piece} overlaps by {mm}+-{sigma_mm} mm, more than any table allows"
            mm, sigma_mm = f"{depth.margin_mm:g}", f"{depth.sigma_mm:g}"
            yield _fault(words, RULE_DEPTH, "depths", piece=spoken(depth.piece), mm=mm, sigma_mm=sigma_mm)
    for (piece, over), count in Counter((depth.piece, depth.over) for depth in scene.depths).items():
        if count > 1:
            words = "the overlap of {piece} and {over} is given twice"
            yield _fault(words, RULE_DEPTH, "depths", piece=spoken(piece), over=spoken(over))


def _of_rests(scene: Scene) -> Iterator[Fault]:
    """Pieces on themselves, and circles of pieces on one another, if these were stated and not seen (gap 11)."""
    for rest in scene.rests_on:
        if rest.piece == rest.on:
            yield _fault("{piece} cannot be on itself", RULE_LIES_ON, "rests_on", piece=spoken(rest.piece))
    if any(depth.sigma_mm for depth in scene.depths):
        return
    under: dict[str, list[str]] = {}
    for rest in scene.rests_on:
        if rest.confidence == 1.0 and rest.piece != rest.on:
            under.setdefault(rest.piece, []).append(rest.on)
    try:
        TopologicalSorter(under).prepare()
    except CycleError as circle:
        words = "{piece} cannot be on a piece that is on it"
        yield _fault(words, RULE_LIES_ON, "rests_on", piece=spoken(min(circle.args[1])))


def faults(state: State, scene: Scene) -> Iterator[Fault]:
    """Why a scene is impossible, given the eyes that were taken before."""
    yield from flaws(scene)
    for seat in SEATS:
        lands = len(scene.of(Kind.TERRITORY, seat))
        if lands != 1:
            words = "there are {count} {seat} territories, expected one"
            yield _fault(words, RULE_TERRITORIES, f"territory.{seat}", count=lands, seat=seat)
        samurai = len([p for p in scene.of(Kind.SAMURAI, seat) if is_there(p)])
        if samurai > SAMURAI_EACH:
            words = "there are {count} {seat} samurai, the set has 10"
            yield _fault(words, RULE_SAMURAI, f"samurai.{seat}", count=samurai, seat=seat)
        for die in scene.of(Kind.EMPIRE_DIE, seat):
            where = f"empire_die.{die.id}"
            if die.id not in dice_names(seat):
                words, names = "{die} is not a {seat} empire die: they are called {names}", dice_names(seat)
                yield _fault(words, RULE_DICE, where, die=die.id, seat=seat, names=listed(each_as("name", names)))
            elif die.id in state.emperor(seat).taken:
                yield _fault("{die} was taken but is in the valley", RULE_TAKEN, where, die=die.id)
    ninjas = len([p for p in scene.of(Kind.NINJA) if is_there(p)])
    if ninjas > NINJAS:
        yield _fault("there are {count} ninjas, the set has 30", RULE_NINJAS, "ninja", count=ninjas)
    told = [("rests_on", name) for rest in scene.rests_on for name in (rest.on, rest.piece)]
    told += [("depths", name) for depth in scene.depths for name in (depth.piece, depth.over)]
    for where, name in dict.fromkeys(told):
        if scene.piece(name) is None:
            yield _fault("{piece} is on or below a piece, but has no place", RULE_SAMURAI, where, piece=spoken(name))
    yield from _apart(scene)


def _apart(scene: Scene) -> Iterator[Fault]:
    """Samurai stated to be on others that they do not overlap (gap 11)."""
    for rest in scene.rests_on:
        piece, on = scene.piece(rest.piece), scene.piece(rest.on)
        if piece is None or on is None or piece is on or piece.kind != Kind.SAMURAI:
            continue
        depth_mm = round(overlap_mm(footprint(piece), footprint(on)), 9)  # so that tenths touch
        slack_mm = 0.0 if rest.confidence >= SURE else RESTS_ERROR_MM
        if any(depth.sigma_mm for depth in scene.depths):  # a camera's outlines said so, perhaps of a larger set
            slack_mm = across_mm(piece.kind)
        if depth_mm <= -slack_mm:
            values = {"piece": spoken(rest.piece), "on": spoken(rest.on), "mm": -depth_mm}
            yield _fault("{piece} cannot be on {on}: {mm} mm are between them", RULE_LIES_ON, "rests_on", **values)


def status(state: State) -> tuple[Fault, ...]:
    found: list[Fault] = []
    if state.scene is not None:
        # the last throw's scene still has the eyes that it took
        found += faults(State(options=state.options), state.scene)
    if state.open is not None:
        found += (fault for fault in faults(state, state.open.scene) if fault not in found)
    for seat in SEATS:
        emperor, other, where = state.emperor(seat), OTHER[seat], f"{seat}.taken"
        for name in (*emperor.taken, *emperor.ever_out):
            if name not in dice_names(seat):
                found.append(_fault("{name} is not a {seat} empire die", RULE_DICE, where, name=name, seat=seat))
        if len(set(emperor.taken)) != len(emperor.taken):
            found.append(_fault("a {seat} eye was taken twice", RULE_TAKEN, where, seat=seat))
        if emperor.taken and state.emperor(other).phase is Phase.I:
            words = "a {seat} eye is taken and {other} is in war phase I"
            found.append(_fault(words, cite("Instructions 12"), where, seat=seat, other=other))
        if emperor.phase is not Phase.I and state.throw == 0:
            words, phase = "{seat} is in war phase {phase} before the first throw", emperor.phase.value
            found.append(_fault(words, cite("Instructions 8"), f"{seat}.phase", seat=seat, phase=phase))
    if state.winner != state.end:
        values = {"winner": state.winner or Says("nobody"), "expected": state.end or Says("nobody")}
        found.append(_fault("the winner is {winner}, expected {expected}", RULE_END, "winner", **values))
    if state.scene is not None and not list(flaws(state.scene)):
        found += _phase_faults(state, state.scene)
    return tuple(found)


def _phase_faults(state: State, scene: Scene) -> Iterator[Fault]:
    """War phases that the last judged throw would have ended, apart from later changes (gaps 3, 13)."""
    if nameless(scene):  # the owners of those dice, when it was judged, depend on the eyes taken by then
        return
    count = tally(scene, facts(scene, state.answers, state.options.cocked_deg))
    for seat in SEATS:
        target = OTHER[seat]
        phase, victim = state.emperor(seat).phase, state.emperor(target)
        out = [name for name in dice_names(target) if name not in (*count.dice_in[target], *victim.taken)]
        if state.options.both_out == "ever":
            out = [name for name in dice_names(target) if name in victim.ever_out]
        if phase is Phase.I and len(out) == DICE_EACH:
            words = "both {target} empire dice are out and {seat} is in war phase I"
            yield _fault(words, RULE_PHASE_II, f"{seat}.phase", target=target, seat=seat)
        if phase is Phase.III and not count.occupying[seat]:
            words = "{seat} is in war phase III and none of their samurai occupies"
            yield _fault(words, RULE_LOST, f"{seat}.phase", seat=seat)
