"""Where pieces come to rest, and what a throw may and may not do."""

import itertools
import math

import pytest

from companion.game.table import overlap_mm
from tests.scenes import KIT, empire_die, ninja, samurai, territory
from vision.sim.rest import depth_mm, let_down, near, settled
from vision.sim.scene import Body, RoundDisk
from vision.sim.tumble import Tumble, throw


def start() -> tuple[Body, ...]:
    red, blue = KIT.piece("territory").start_mm["red"], KIT.piece("territory").start_mm["blue"]
    return (
        territory("red"),
        territory("blue"),
        empire_die("red", red, on_mm=3, id="red_1"),
        empire_die("red", red, on_mm=31, id="red_2"),
        empire_die("blue", blue, on_mm=3, id="blue_1"),
        empire_die("blue", blue, on_mm=31, id="blue_2"),
    )


def played(throws: int, seed: int) -> list[tuple[tuple[Body, ...], Body, Tumble]]:
    """A run of throws from both ends: (pieces before, the piece thrown, what came of it)."""
    bodies, run = start(), []
    for i in range(throws):
        red = i % 2 == 0
        thrown = (
            samurai("red" if red else "blue", (0, 0), id=f"samurai_{i}")
            if i % 3 == 2
            else ninja(1, (0, 0), id=f"ninja_{i}")
        )
        tumble = throw(
            KIT,
            bodies,
            thrown,
            from_mm=(-60.0, 350.0) if red else (1060.0, 350.0),
            aim_mm=(622.5, 350.0) if red else (377.5, 350.0),
            power=0.3 + 0.1 * (i % 7),
            seed=1000 * seed + i,
        )
        run.append((bodies, thrown, tumble))
        bodies = tumble.rest
    return run


def assert_possible(bodies: tuple[Body, ...]) -> None:
    """Nothing sinks, nothing stands in another, nothing floats, and what lies level side by side shares no ground."""
    for body in bodies:
        assert body.lowest_mm > -0.05, body
    for a, b in itertools.combinations(bodies, 2):
        if a in near(b, [a]):
            assert depth_mm(a, b) < 0.3, (a, b)
            is_same_layer = isinstance(a.solid, RoundDisk) and abs(a.at_mm[2] - b.at_mm[2]) < 0.1
            if is_same_layer and type(a.solid) is type(b.solid) and max(a.tilt_deg, b.tilt_deg) < 0.05:
                assert overlap_mm(a.footprint, b.footprint) < 0.05, (a, b)
    for body in bodies:
        gap = min([body.lowest_mm, *(-depth_mm(body, other) for other in near(body, bodies))])
        assert gap < 0.3, body


def test_a_disk_leans_on_a_rim_by_the_angle_of_its_height() -> None:
    """Foot at the far end of the lower face, rim where the territory ends: sine of the lean is height by way."""
    rested = let_down(samurai("red", (377.5 + 115, 350)), (territory("red"),))
    way = 22.5 + (115 - 110)  # from the rim of the territory to the far edge of the samurai
    assert rested.tilt_deg == pytest.approx(math.degrees(math.asin(3 / way)), abs=0.15)
    assert rested.lowest_mm == pytest.approx(0, abs=0.05)
    assert depth_mm(rested, territory("red")) == pytest.approx(0, abs=0.05)


def test_a_pile_that_nobody_touches_stays_as_it_lies() -> None:
    """The leaning one was laid first, for its edge is as low as the one below: with every throw elsewhere two samurai
    changed which of them lies on the other, and so which of them occupies."""
    below = samurai("red", (500, 100), id="below")
    leaning = let_down(samurai("red", (520, 110), id="leaning"), (below,))
    assert leaning.tilt_deg > 1
    pile = (leaning, below)
    far = ninja(4, (150, 150), id="ninja_far")
    assert settled((*pile, far), ("ninja_far",))[:2] == pile


def test_throws_come_to_rests_that_could_be_and_lose_no_piece() -> None:
    for before, thrown, tumble in played(12, 0):
        assert_possible(tumble.rest)
        ids = sorted([*(body.id for body in tumble.rest), *tumble.fallen])
        assert ids == sorted([*(body.id for body in before), thrown.id])
        for frame in tumble.frames[:-1]:
            assert sorted(body.id for body in frame) == ids


def test_a_hard_throw_knocks_dice_away_and_a_stack_falls() -> None:
    ends = [
        throw(KIT, start(), ninja(1, (0, 0)), from_mm=(-50, 350), aim_mm=(560, 350), power=1.0, seed=s)
        for s in range(6)
    ]
    moved = fallen_down = 0
    for end in ends:
        now = {body.id: body for body in end.rest}
        moved += any(math.dist(now[i].at_mm[:2], (622.5, 350)) > 15 for i in ("blue_1", "blue_2") if i in now)
        fallen_down += "blue_2" in now and now["blue_2"].lowest_mm < 28
    assert moved >= 4
    assert fallen_down >= 3
