"""Random matches of Eyes of the Emperor keep what the sheet promises, and a second, slow judge agrees."""

from __future__ import annotations

import random

import pytest

from companion.game.game import state_json, state_of_json
from companion.game.readings import Kind
from companion.games.eyes_of_the_emperor import GAME
from companion.games.eyes_of_the_emperor.scene import OTHER, SEATS, Lying, Rest, Scene, dice_names, measured
from companion.games.eyes_of_the_emperor.state import Phase, State, ThrowSettled
from tests.seeds import seeds

STEPS = {(a, b) for a in Phase for b in Phase} - {(Phase.I, Phase.III), (Phase.II, Phase.I), (Phase.III, Phase.I)}


def random_scene(rng: random.Random, state: State) -> Scene:
    """Pieces that are still in play, many of them near an edge."""
    lands = {"red": (377.5, 350.0), "blue": (622.5, 350.0)}
    pieces = [Lying(id=c, kind=Kind.TERRITORY, color=c, x_mm=x, y_mm=y) for c, (x, y) in lands.items()]
    rests = []
    for seat in SEATS:
        for name in dice_names(seat):
            if name not in state.emperor(seat).taken and rng.random() < 0.9:
                x, y = near(rng, lands[seat], 124.0)
                up = rng.random() < 0.3
                pieces.append(Lying(id=name, kind=Kind.EMPIRE_DIE, color=seat, x_mm=x, y_mm=y, marked_up=up))
        for i in range(1, rng.randint(0, 10) + 1):
            if i > 1 and rng.random() < 0.3:  # lies on the one before
                x, y = x + rng.uniform(-40, 40), y + rng.uniform(-15, 15)
                rests.append(Rest(piece=f"{seat}.s{i}", on=f"{seat}.s{i - 1}"))
            else:
                x, y = near(rng, lands[OTHER[seat]], 132.5)
            pieces.append(Lying(id=f"{seat}.s{i}", kind=Kind.SAMURAI, color=seat, x_mm=x, y_mm=y))
    for i in range(rng.randint(0, 30)):
        pieces.append(Lying(id=f"n{i}", kind=Kind.NINJA, x_mm=rng.uniform(0, 1000), y_mm=rng.uniform(0, 700)))
    return measured(tuple(pieces), tuple(rests))


def near(rng: random.Random, centre: tuple[float, float], reach_mm: float) -> tuple[float, float]:
    return centre[0] + rng.choice((-1, 1)) * (reach_mm + rng.uniform(-30, 30)), centre[1] + rng.uniform(-5, 5)


def slow_judge(state: State, scene: Scene) -> tuple[Phase, Phase, tuple[str, ...], tuple[str, ...]]:
    """The sheet once more, written apart: phases after the throw, and the dice that each has lost."""
    margin = {(d.piece, d.over): d.margin_mm for d in scene.depths}
    phases = {}
    for seat in SEATS:
        target = OTHER[seat]
        out = sum(margin.get((name, target), -1.0) <= 0 for name in dice_names(target))
        ground = {p.id for p in scene.of(Kind.SAMURAI, seat) if margin.get((p.id, target), -1.0) > 0}
        for _ in range(10):
            ground |= {r.piece for r in scene.rests_on if r.on in ground}
        phase = state.emperor(seat).phase
        if phase is Phase.I and out == 2:
            phase = Phase.II
        elif phase is Phase.II and len(ground) >= 3:
            phase = Phase.III
        elif phase is Phase.III and not ground:
            phase = Phase.II
        phases[seat] = phase
    taken = {}
    for seat in SEATS:
        up = (
            {d.id for d in scene.of(Kind.EMPIRE_DIE, seat) if d.marked_up}
            if phases[OTHER[seat]] is Phase.III
            else set()
        )
        taken[seat] = tuple(sorted({*state.emperor(seat).taken, *up}))
    return phases["red"], phases["blue"], taken["red"], taken["blue"]


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_a_random_match_keeps_the_invariants_and_the_slow_judge_agrees(seed: int) -> None:
    rng = random.Random(seed)
    state = GAME.rules.start()
    for _ in range(40):
        if GAME.rules.outcome(state) is not None:
            break
        scene = random_scene(rng, state)
        expected = slow_judge(state, scene)
        action = ThrowSettled(scene=scene)
        assert GAME.rules.explain(state, action).is_legal
        was, state = state, GAME.rules.apply(state, action).state
        assert GAME.rules.status(state) == ()
        found = (state.red.phase, state.blue.phase, tuple(sorted(state.red.taken)), tuple(sorted(state.blue.taken)))
        assert found == expected
        for seat in SEATS:
            assert (was.emperor(seat).phase, state.emperor(seat).phase) in STEPS
            assert set(was.emperor(seat).taken) <= set(state.emperor(seat).taken)
        assert state_of_json(GAME, state_json(GAME, state)) == state
        assert GAME.text.state_of(GAME.text.state(state)) == state
        assert GAME.text.action_of(GAME.text.action(action)) == action
        assert (state.winner is not None) == any(state.emperor(s).eyes_left == 0 for s in SEATS)
