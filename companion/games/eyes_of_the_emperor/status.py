"""Every reason why a scene or a state cannot be, before any rule is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.game.readings import SURE, Kind
from companion.game.says import Says, counted, each_as, listed
from companion.game.table import overlap_mm
from companion.game.values import Fault
from companion.games.eyes_of_the_emperor.facts import facts, is_there, nameless
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.scene import (
    DICE_EACH,
    NINJAS,
    OTHER,
    RESTS_ERROR_MM,
    SAMURAI_EACH,
    SEATS,
    Scene,
    default_sizes,
    dice_names,
    spoken,
)
from companion.games.eyes_of_the_emperor.sound import flaws
from companion.games.eyes_of_the_emperor.state import LOSS_DRAW, WINNERS, Phase, State
from companion.games.eyes_of_the_emperor.tally import tally

RULE_TERRITORIES = cite("Instructions 1")
RULE_DICE = cite("Instructions 2")
RULE_SAMURAI = cite("Instructions 4")
RULE_NINJAS = cite("Instructions 5")
RULE_TAKEN = cite("gap 20")
RULE_LIES_ON = cite("gap 11")
RULE_END = cite("Instructions 14")
RULE_PHASE_II = cite("Instructions 10")
RULE_LOST = cite("Instructions 13")


def faults(state: State, scene: Scene) -> tuple[Fault, ...]:
    """Why a scene cannot be, given what was taken before."""
    return tuple(_faults(state, scene))


def _faults(state: State, scene: Scene) -> Iterator[Fault]:
    yield from flaws(scene)
    for id, count in Counter(p.id for p in scene.pieces).items():
        if count > 1:
            yield Fault(Says("two pieces are called {id}", {"id": id}), RULE_DICE, f"pieces.{id}")
    for seat in SEATS:
        lands = len(scene.of(Kind.TERRITORY, seat))
        if lands != 1:
            words = ("there is one {seat} territory", "there are {count} {seat} territories, expected one")
            says = counted(lands, *words, {"seat": seat}, none="the {seat} territory is missing, expected one")
            yield Fault(says, RULE_TERRITORIES, f"territory.{seat}")
        samurai = len([p for p in scene.of(Kind.SAMURAI, seat) if is_there(p)])
        if samurai > SAMURAI_EACH:
            says = Says("there are {count} {seat} samurai, the set has 10", {"count": samurai, "seat": seat})
            yield Fault(says, RULE_SAMURAI, f"samurai.{seat}")
        for die in scene.of(Kind.EMPIRE_DIE, seat):
            if die.id not in dice_names(seat):
                says = Says(
                    "{die} is not a {seat} empire die: they are called {names}",
                    {"die": die.id, "seat": seat, "names": listed(each_as("name", dice_names(seat)))},
                )
                yield Fault(says, RULE_DICE, f"empire_die.{die.id}")
            elif die.id in state.emperor(seat).taken:
                yield Fault(
                    Says("{die} was taken but is in the valley", {"die": die.id}), RULE_TAKEN, f"empire_die.{die.id}"
                )
    ninjas = len([p for p in scene.of(Kind.NINJA) if is_there(p)])
    if ninjas > NINJAS:
        yield Fault(Says("there are {count} ninjas, the set has 30", {"count": ninjas}), RULE_NINJAS, "ninja")
    known = {p.id for p in scene.pieces}
    for rest in scene.rests_on:
        values: dict[str, object] = {"piece": spoken(rest.piece), "on": spoken(rest.on)}
        lies = (
            (rest.on, Says("{piece} is listed on {on}, but {on} has no place", values)),
            (rest.piece, Says("{piece} is listed on {on}, but {piece} has no place", values)),
        )
        yield from (Fault(says, RULE_SAMURAI, "rests_on") for id, says in lies if id not in known)
    for depth in scene.depths:
        values = {"piece": spoken(depth.piece), "over": spoken(depth.over)}
        lies = (
            (depth.piece, Says("{piece} is listed as overlapping {over}, but {piece} has no place", values)),
            (depth.over, Says("{piece} is listed as overlapping {over}, but {over} has no place", values)),
        )
        yield from (Fault(says, RULE_SAMURAI, "depths") for id, says in lies if id not in known)
    yield from _apart(scene)


def _apart(scene: Scene) -> Iterator[Fault]:
    """Samurai said to lie on others that they do not overlap (gap 11)."""
    for rest in scene.rests_on:
        piece, on = scene.piece(rest.piece), scene.piece(rest.on)
        if piece is None or on is None or piece is on or piece.kind != Kind.SAMURAI:
            continue
        sizes = default_sizes()
        depth_mm = round(overlap_mm(sizes.footprint(piece), sizes.footprint(on)), 9)  # so that tenths touch
        slack_mm = 0.0 if rest.confidence >= SURE else RESTS_ERROR_MM
        if any(depth.sigma_mm for depth in scene.depths):  # a camera's outlines said so, perhaps of a larger set
            slack_mm = sizes.across_mm(piece.kind)
        if depth_mm <= -slack_mm:
            values = {"piece": spoken(rest.piece), "on": spoken(rest.on), "mm": -depth_mm}
            yield Fault(Says("{piece} cannot be on {on}: {mm} mm are between them", values), RULE_LIES_ON, "rests_on")


def status(state: State) -> tuple[Fault, ...]:
    """Every reason why a state cannot be."""
    found: list[Fault] = []
    if state.scene is not None:
        # eyes taken in the last throw still lie in its scene
        found += faults(State(options=state.options), state.scene)
    if state.open is not None:
        found += (fault for fault in faults(state, state.open.scene) if fault not in found)
    for seat in SEATS:
        emperor = state.emperor(seat)
        strangers = [t for t in (*emperor.taken, *emperor.ever_out) if t not in dice_names(seat)]
        for name in strangers:
            found.append(
                Fault(
                    Says("{name} is not a {seat} empire die", {"name": name, "seat": seat}), RULE_DICE, f"{seat}.taken"
                )
            )
        if len(set(emperor.taken)) != len(emperor.taken):
            found.append(Fault(Says("a {seat} eye was taken twice", {"seat": seat}), RULE_TAKEN, f"{seat}.taken"))
        if emperor.eyes_left <= 0 and state.winner is None:
            found.append(Fault(Says("{seat} is blind and nobody has won", {"seat": seat}), RULE_END, "winner"))
        if emperor.taken and state.emperor(OTHER[seat]).phase is Phase.I:
            says = Says("a {seat} eye is taken and {other} is in war phase I", {"seat": seat, "other": OTHER[seat]})
            found.append(Fault(says, cite("Instructions 12"), f"{seat}.taken"))
        if emperor.phase is not Phase.I and state.throw == 0:
            says = Says(
                "{seat} is in war phase {phase} before the first throw", {"seat": seat, "phase": emperor.phase.value}
            )
            found.append(Fault(says, cite("Instructions 8"), f"{seat}.phase"))
    if state.winner not in (None, *WINNERS):
        says = Says("the winner is {winner}, expected red, blue or loss_draw", {"winner": state.winner})
        found.append(Fault(says, RULE_END, "winner"))
    elif state.winner is not None:
        found += _end_faults(state, state.winner)
    if state.scene is not None and not list(flaws(state.scene)):
        found += _phase_faults(state, state.scene)
    return tuple(found)


def _end_faults(state: State, winner: str) -> Iterator[Fault]:
    """A match ends when an emperor is blind, and the other one has won then (Instructions 14, Rules 4)."""
    for seat in SEATS:
        is_blind = state.emperor(seat).eyes_left <= 0
        if not is_blind and winner != seat:
            words = "{other} has won, and {seat} has eyes left"
            if winner == LOSS_DRAW:
                words = "the match is a loss-draw, and {seat} has eyes left"
            yield Fault(Says(words, {"seat": seat, "other": OTHER[seat]}), RULE_END, "winner")
        if is_blind and winner == seat:
            yield Fault(Says("{seat} is blind and has won", {"seat": seat}), RULE_END, "winner")


def _phase_faults(state: State, scene: Scene) -> Iterator[Fault]:
    """War phases that the last judged throw would have ended. Possible later changes are not faults: III continues with
    one samurai (gap 13), and II begins again with any number (gap 3)."""
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
            says = Says(
                "both {target} empire dice are out and {seat} is in war phase I", {"target": target, "seat": seat}
            )
            yield Fault(says, RULE_PHASE_II, f"{seat}.phase")
        if phase is Phase.III and not count.occupying[seat]:
            says = Says("{seat} is in war phase III and none of their samurai occupies", {"seat": seat})
            yield Fault(says, RULE_LOST, f"{seat}.phase")
