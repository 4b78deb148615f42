"""Every reason why a scene or a state cannot be, before any rule is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.game import Fault
from companion.games.eyes_of_the_emperor.facts import is_there
from companion.games.eyes_of_the_emperor.house import cite
from companion.games.eyes_of_the_emperor.scene import (
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
from companion.games.eyes_of_the_emperor.state import WINNERS, Phase, State
from companion.readings import SURE, Kind
from companion.says import Says, counted, listed
from companion.table import overlap_mm

RULE_TERRITORIES = cite("Instructions 1")
RULE_DICE = cite("Instructions 2")
RULE_SAMURAI = cite("Instructions 4")
RULE_NINJAS = cite("Instructions 5")
RULE_TAKEN = cite("gap 20")
RULE_LIES_ON = cite("gap 11")
RULE_END = cite("Instructions 14")


def faults(state: State, scene: Scene) -> tuple[Fault, ...]:
    """Why a scene cannot be, given what was taken before."""
    return tuple(_faults(state, scene))


def _faults(state: State, scene: Scene) -> Iterator[Fault]:
    for id, count in Counter(p.id for p in scene.pieces).items():
        if count > 1:
            yield Fault(Says("two pieces are called {id}", {"id": id}), RULE_DICE, f"pieces.{id}")
    for seat in SEATS:
        lands = len(scene.of(Kind.TERRITORY, seat))
        if lands != 1:
            words = ("there is one {seat} territory", "there are {count} {seat} territories, expected one")
            says = counted(lands, *words, {"seat": seat}, none="there is no {seat} territory, expected one")
            yield Fault(says, RULE_TERRITORIES, f"territory.{seat}")
        samurai = len([p for p in scene.of(Kind.SAMURAI, seat) if is_there(p)])
        if samurai > SAMURAI_EACH:
            says = Says("there are {count} {seat} samurai, the set has 10", {"count": samurai, "seat": seat})
            yield Fault(says, RULE_SAMURAI, f"samurai.{seat}")
        for die in scene.of(Kind.EMPIRE_DIE, seat):
            if die.id not in dice_names(seat):
                says = Says(
                    "{die} is no {seat} empire die: they are called {names}",
                    {"die": die.id, "seat": seat, "names": listed(dice_names(seat))},
                )
                yield Fault(says, RULE_DICE, f"empire_die.{die.id}")
            elif die.id in state.emperor(seat).taken:
                yield Fault(
                    Says("{die} was taken and lies in the valley", {"die": die.id}), RULE_TAKEN, f"empire_die.{die.id}"
                )
    ninjas = len([p for p in scene.of(Kind.NINJA) if is_there(p)])
    if ninjas > NINJAS:
        yield Fault(Says("there are {count} ninjas, the set has 30", {"count": ninjas}), RULE_NINJAS, "ninja")
    known = {p.id for p in scene.pieces}
    for where, ids in (
        ("rests_on", [i for r in scene.rests_on for i in (r.piece, r.on)]),
        ("depths", [i for d in scene.depths for i in (d.piece, d.over)]),
    ):
        for id in ids:
            if id not in known:
                yield Fault(
                    Says("{where} names {id}, which does not lie there", {"where": where, "id": id}),
                    RULE_SAMURAI,
                    where,
                )
    yield from _apart(scene)


def _apart(scene: Scene) -> Iterator[Fault]:
    """Samurai said to lie on others that they do not overlap (gap 11)."""
    for rest in scene.rests_on:
        piece, on = scene.piece(rest.piece), scene.piece(rest.on)
        if piece is None or on is None or piece.kind != Kind.SAMURAI:
            continue
        sizes = default_sizes()
        depth_mm = round(overlap_mm(sizes.footprint(piece), sizes.footprint(on)), 9)  # so that tenths touch
        slack_mm = 0.0 if rest.confidence >= SURE else RESTS_ERROR_MM
        if any(depth.sigma_mm for depth in scene.depths):  # a camera's outlines said so, perhaps of a larger set
            slack_mm = sizes.across_mm(piece.kind)
        if depth_mm <= -slack_mm:
            values = {"piece": spoken(rest.piece), "on": spoken(rest.on), "mm": -depth_mm}
            yield Fault(Says("{piece} cannot lie on {on}: {mm} mm are between them", values), RULE_LIES_ON, "rests_on")


def status(state: State) -> tuple[Fault, ...]:
    """Every reason why a state cannot be."""
    found: list[Fault] = []
    for scene in (state.scene, state.open.scene if state.open else None):
        if scene is not None:
            # eyes taken in the last throw still lie in its scene
            before = State(options=state.options)
            found += faults(before, scene)
    for seat in SEATS:
        emperor = state.emperor(seat)
        strangers = [t for t in (*emperor.taken, *emperor.ever_out) if t not in dice_names(seat)]
        for name in strangers:
            found.append(
                Fault(Says("{name} is no {seat} empire die", {"name": name, "seat": seat}), RULE_DICE, f"{seat}.taken")
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
    return tuple(found)
