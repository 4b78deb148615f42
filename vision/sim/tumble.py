"""A throw: the piece flies in, tumbles, knocks others about, and everything comes to a rest that could be.

The travel is `slide`'s, the rest is `rest`'s; this module turns the pieces on their way. The same seed gives the same
throw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.game.kit import Kit
from vision.sim.rest import level, settled
from vision.sim.scene import Body, Quaternion, RoundCube, about, between, face_up, times
from vision.sim.slide import STEP_S, Slide, Spot

FRAMES_PER_S = 12.0
SLOW_MM_S, FAST_MM_S = 700.0, 3200.0
"""A throw's speed at power 0 and 1."""
SCATTER = 0.02
"""A hand's error: one standard deviation, as a share of the way, across and along."""
ROLLS_OVER_MM_S = 420.0
"""A die struck faster than this begins to roll over."""


@dataclass(frozen=True, slots=True)
class Tumble:
    """A throw as it is seen, `frames` at `FRAMES_PER_S`; then all pieces at `rest`, those in `fallen` off the table."""

    frames: tuple[tuple[Body, ...], ...]
    rest: tuple[Body, ...]
    fallen: tuple[str, ...]


def throw(
    kit: Kit,
    bodies: Sequence[Body],
    thrown: Body,
    *,
    from_mm: tuple[float, float],
    aim_mm: tuple[float, float],
    power: float,
    seed: int,
) -> Tumble:
    """Throws a piece that is not on the table yet.

    Args:
        from_mm: where the hand lets go, over the table's edge.
        aim_mm: where it is meant to come down; the hand errs a little.
        power: 0 (a toss) to 1 (as hard as one may).
    """
    rng = np.random.default_rng(seed)
    way = math.dist(from_mm, aim_mm)
    land = tuple(aim + float(rng.normal(0, SCATTER * way)) for aim in aim_mm)
    speed = SLOW_MM_S + (FAST_MM_S - SLOW_MM_S) * min(1.0, max(0.0, power))
    slide = Slide((*bodies, thrown), rng)
    slide.throw(thrown.id, from_mm, (land[0], land[1]), speed)
    ends = {id: _end(slide, id, thrown.id, rng) for id in slide.spots}
    whole = (*bodies, thrown)
    fallen = tuple(body.id for body in whole if body.id in ends and not _is_inside(kit, ends[body.id]))
    staying = [_over_all(ends[b.id]) if b.id == thrown.id else ends.get(b.id, b) for b in whole if b.id not in fallen]
    rest = settled(staying, (thrown.id,))
    frames = frames_of(slide.spots, whole, ends, {body.id: body for body in rest})
    return Tumble(frames, rest, fallen)


def _over_all(body: Body) -> Body:
    """Drops the die from above everything, so that it settles on the things there."""
    x, y, _ = body.at_mm
    return body.moved(at_mm=(x, y, 200.0))


def _is_inside(kit: Kit, body: Body) -> bool:
    x, y, _ = body.at_mm
    return 0 <= x <= kit.mat.width_mm and 0 <= y <= kit.mat.height_mm


def _end(slide: Slide, id: str, thrown: str, rng: np.random.Generator) -> Body:
    """The piece where it stops, with the face up that it rolled to."""
    mover, last = slide.movers[id], slide.spots[id][-1]
    body = mover.body
    turn = body.turn
    if id == thrown:
        yaw = about((0.0, 0.0, 1.0), float(rng.uniform(0, 360)))
        faces = [(axis, sign) for axis in range(3) for sign in (1, -1)]
        turn = times(yaw, face_up(faces[int(rng.integers(6))])) if isinstance(body.solid, RoundCube) else yaw
    elif isinstance(body.solid, RoundCube):
        quarters = 0
        if mover.struck_mm_s > ROLLS_OVER_MM_S:
            likely = min(0.9, (mover.struck_mm_s - ROLLS_OVER_MM_S) / 500 + 0.35)
            quarters = int(rng.binomial(2, likely))
        turn = times(_rolling(_heading(slide.spots[id]), 90.0 * quarters), turn)
        turn = times(about((0.0, 0.0, 1.0), float(rng.normal(0, 3)) * math.log1p(last.path_mm)), turn)
    else:
        turn = times(about((0.0, 0.0, 1.0), float(rng.normal(0, 4)) * math.log1p(last.path_mm)), turn)
    return level(body.moved(at_mm=(last.x, last.y, body.at_mm[2]), turn=turn))


def _heading(spots: Sequence[Spot]) -> tuple[float, float]:
    dx, dy = spots[-1].x - spots[0].x, spots[-1].y - spots[0].y
    way = math.hypot(dx, dy)
    return (dx / way, dy / way) if way > 1e-6 else (1.0, 0.0)


def _rolling(heading: tuple[float, float], angle_deg: float) -> Quaternion:
    """The turn of a piece whose top moves ahead along `heading`."""
    return about((-heading[1], heading[0], 0.0), angle_deg)


def frames_of(
    spots: Mapping[str, Sequence[Spot]], whole: Sequence[Body], ends: Mapping[str, Body], rest: Mapping[str, Body]
) -> tuple[tuple[Body, ...], ...]:
    """The frames of a throw, at `FRAMES_PER_S`.

    Args:
        spots: the places of the moving pieces, by id, one a step, equally many each.
        ends: those pieces level where they stop; `rest`: all other pieces.
    """
    stride = round(1 / (FRAMES_PER_S * STEP_S))
    steps = max((len(one) for one in spots.values()), default=0)
    frames = []
    for step in range(0, steps, stride):
        frame = []
        for body in whole:
            if body.id in ends:
                frame.append(_on_the_way(body, spots[body.id], step, ends[body.id]))
            else:
                frame.append(body)
        frames.append(tuple(frame))
    if frames:  # one frame half-way to where all settles
        frames.append(tuple(_halfway(body, rest[body.id]) for body in frames[-1] if body.id in rest))
    return tuple(frames)


def _halfway(body: Body, rest: Body) -> Body:
    x, y, z = ((a + b) / 2 for a, b in zip(body.at_mm, rest.at_mm, strict=True))
    return body if body == rest else rest.moved(at_mm=(x, y, z), turn=between(body.turn, rest.turn, 0.5))


def _on_the_way(body: Body, spots: Sequence[Spot], step: int, end: Body) -> Body:
    spot, whole = spots[step], spots[-1].path_mm
    left = whole - spot.path_mm
    if left < 0.01:
        turn = end.turn
    elif spot.path_mm <= 0:
        turn = body.turn
    elif isinstance(body.solid, RoundCube):
        back = _rolling(_heading(spots), -math.degrees(left / (body.solid.side_mm * 0.62)))
        free = times(back, end.turn)
        is_tumbling = body.faces != "mark"
        turn = free if is_tumbling else between(body.turn, end.turn, spot.path_mm / whole)
    else:
        flutter = 16.0 * min(1.0, spot.foot_mm / 60)
        spin = about((0.0, 0.0, 1.0), -left * 0.8)
        turn = times(_rolling(_heading(spots), flutter * math.sin(left / 40)), times(spin, end.turn))
    turned = body.moved(at_mm=(spot.x, spot.y, 0.0), turn=turn)
    return turned.moved(at_mm=(spot.x, spot.y, spot.foot_mm - turned.lowest_mm))
