"""A throw: the piece flies in, tumbles and knocks other pieces, until everything rests in a physical pose.

`slide` computes the motion, `rest` the final poses; this module rotates the pieces in motion. Equal seeds give equal
throws.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import Floats32
from companion.game.kit import BoxMm, Kit, Mat
from vision.sim.rest import let_down, level, settled
from vision.sim.scene import PIP_FACES, Body, Quaternion, RoundBox, RoundCube, about, between, face_up, times, value_top
from vision.sim.slide import GRAVITY_MM_S2, RELEASE_MM, STEP_S, Slide, SlideStep

FRAMES_PER_S = 12.0
SLOW_MM_S, FAST_MM_S = 700.0, 3200.0
"""Speed of a throw with power 0 and 1."""
SCATTER = 0.02
"""Standard deviation of a throw, across and along, as a share of its length."""
ROLLS_OVER_MM_S = 420.0
"""Minimum speed of a struck die that rolls over."""


@dataclass(frozen=True, slots=True)
class Tumble:
    """The frames of a throw at `FRAMES_PER_S`, all pieces at `rest`, and the ids of pieces `fallen` off the table."""

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
        from_mm: where the hand releases the piece, over the table's edge.
        aim_mm: intended touch-down; the hand errs slightly.
        power: 0 (a toss) to 1 (the hardest throw).
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
    """The die lifted above everything, so that it settles on the pieces there."""
    x, y, _ = body.at_mm
    return body.moved(at_mm=(x, y, 200.0))


def _is_inside(kit: Kit, body: Body) -> bool:
    x, y, _ = body.at_mm
    return 0 <= x <= kit.mat.width_mm and 0 <= y <= kit.mat.height_mm


def _end(slide: Slide, id: str, thrown: str, rng: np.random.Generator) -> Body:
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


def _heading(spots: Sequence[SlideStep]) -> tuple[float, float]:
    dx, dy = spots[-1].x - spots[0].x, spots[-1].y - spots[0].y
    way = math.hypot(dx, dy)
    return (dx / way, dy / way) if way > 1e-6 else (1.0, 0.0)


def _rolling(heading: tuple[float, float], angle_deg: float) -> Quaternion:
    """The rotation of a piece that rolls ahead along `heading`."""
    return about((-heading[1], heading[0], 0.0), angle_deg)


def frames_of(
    spots: Mapping[str, Sequence[SlideStep]], whole: Sequence[Body], ends: Mapping[str, Body], rest: Mapping[str, Body]
) -> tuple[tuple[Body, ...], ...]:
    """The frames of a throw, at `FRAMES_PER_S`.

    Args:
        ends: these pieces, level, at their last places; `rest`: all pieces at rest.
    """
    stride = round(1 / (FRAMES_PER_S * STEP_S))
    steps = max((len(one) for one in spots.values()), default=0)
    frames = [
        tuple(_on_the_way(body, spots[body.id], step, ends[body.id]) if body.id in ends else body for body in whole)
        for step in range(0, steps, stride)
    ]
    if frames:  # one frame half-way to the final poses
        frames.append(tuple(_halfway(body, rest[body.id]) for body in frames[-1] if body.id in rest))
    return tuple(frames)


def _halfway(body: Body, rest: Body) -> Body:
    x, y, z = ((a + b) / 2 for a, b in zip(body.at_mm, rest.at_mm, strict=True))
    return body if body == rest else rest.moved(at_mm=(x, y, z), turn=between(body.turn, rest.turn, 0.5))


def _on_the_way(body: Body, spots: Sequence[SlideStep], step: int, end: Body) -> Body:
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


# The dice tray: a floor of its own colour, an edge of solid strips, and throws that end on a random face. Some dice
# stop against the edge, cocked, with the tilt that `rest` computes.


FLOOR = (62, 70, 74)
EDGE_WIDE_MM, EDGE_HIGH_MM = 6.0, 6.0
COCKED = 0.04
"""Share of throws that end against the edge."""
LEAST_LEAN_DEG, TRIES = 4.0, 60
SPEED_MM_S = (500.0, 900.0)
FRICTION, BOUNCES = 0.5, 0.45
"""Friction on the floor's felt, and the share of the speed after hitting an edge."""
CLEAR_MM = 0.4


def dice_area(mat: Mat) -> BoxMm | None:
    """The place for throwing dice: the tray, or the kit's place for a die; None: the kit has neither."""
    return mat.areas_mm.get("tray_mm") or mat.areas_mm.get("die_mm")


def tray_edge(mat: Mat) -> tuple[Body, ...]:
    """The tray's edge as four strips around its floor; empty for a kit without a tray."""
    box = mat.areas_mm.get("tray_mm")
    if box is None:
        return ()
    x0, y0, x1, y1 = box
    half, w, h = EDGE_WIDE_MM / 2, (x1 - x0) / 2, (y1 - y0) / 2
    strips = {
        "left": ((x0 - half, (y0 + y1) / 2), (half, h)),
        "right": ((x1 + half, (y0 + y1) / 2), (half, h)),
        "top": (((x0 + x1) / 2, y0 - half), (w + 2 * half, half)),
        "bottom": (((x0 + x1) / 2, y1 + half), (w + 2 * half, half)),
    }
    return tuple(
        Body(
            id=f"tray_{side}",
            kind="tray",
            color="black",
            solid=RoundBox((*halves, EDGE_HIGH_MM / 2), 1.0),
            at_mm=(*at, EDGE_HIGH_MM / 2),
            is_fixed=True,
        )
        for side, (at, halves) in strips.items()
    )


def lay_floor(cover: Floats32, x_mm: Floats32, y_mm: Floats32, mat: Mat, floor: Floats32) -> None:
    """Colours the tray's floor in reflectances (H, W, 3) of table points (H, W), in place."""
    box = mat.areas_mm.get("tray_mm")
    if box is None:
        return
    outside = np.maximum(np.maximum(box[0] - x_mm, x_mm - box[2]), np.maximum(box[1] - y_mm, y_mm - box[3]))
    share = np.clip(np.float32(0.5) - outside, 0, 1)[..., None].astype(np.float32)
    cover += share * (floor - cover)


def throw_into_tray(
    bodies: Sequence[Body],
    die: Body,
    box: BoxMm,
    rng: np.random.Generator,
    *,
    value: int | None,
    is_cocked: bool | None,
) -> Tumble:
    """Throws a die into a box from above its near edge.

    Args:
        bodies: all pieces except the die.
        value: the face that ends up, 1 to 6; None: at random, as is `is_cocked`.
    """
    cocked = bool(rng.random() < COCKED) if is_cocked is None else is_cocked
    top = value_top(value) if value is not None else list(PIP_FACES)[int(rng.integers(6))]
    spots = _travel(box, die, rng)
    end = _end_in_tray(bodies, die, box, (spots[-1].x, spots[-1].y), top, cocked, rng)
    # the path must end at the die's final place: the shift by the edge or another die is spread over the path
    dx, dy, way = end.at_mm[0] - spots[-1].x, end.at_mm[1] - spots[-1].y, spots[-1].path_mm
    spots = [SlideStep(s.x + dx * s.path_mm / way, s.y + dy * s.path_mm / way, s.foot_mm, s.path_mm) for s in spots]
    whole = (*bodies, die)
    rest = (*bodies, end)
    return Tumble(frames_of({die.id: spots}, whole, {die.id: end}, {body.id: body for body in rest}), rest, ())


def _travel(box: BoxMm, die: Body, rng: np.random.Generator) -> list[SlideStep]:
    """Flight, hops and rolling from above the near edge until the die stops, one place per step."""
    x0, y0, x1, y1 = box
    reach = die.solid.half_mm * 1.4
    x, y = (x0 + x1) / 2 + float(rng.uniform(-0.25, 0.25)) * (x1 - x0), y1 - reach
    heading = -math.pi / 2 + float(rng.normal(0, 0.35))
    speed = float(rng.uniform(*SPEED_MM_S))
    vx, vy = speed * math.cos(heading), speed * math.sin(heading)
    foot, climb, path = RELEASE_MM * 0.6, 0.0, 0.0
    spots = [SlideStep(x, y, foot, 0.0)]
    while (vx or vy or foot > 0) and len(spots) * STEP_S < 2 * FRAMES_PER_S:
        climb -= GRAVITY_MM_S2 * STEP_S
        foot += climb * STEP_S
        if foot <= 0:
            foot, climb = 0.0, (-0.4 * climb if climb < -400 else 0.0)
            speed = math.hypot(vx, vy)
            left = max(0.0, speed - FRICTION * GRAVITY_MM_S2 * STEP_S)
            left = left if left > 15 else 0.0
            vx, vy = (v * left / speed if speed else 0.0 for v in (vx, vy))
        x, y, path = x + vx * STEP_S, y + vy * STEP_S, path + math.hypot(vx, vy) * STEP_S
        if not x0 + reach < x < x1 - reach:
            x, vx = min(max(x, x0 + reach), x1 - reach), -vx * BOUNCES
        if not y0 + reach < y < y1 - reach:
            y, vy = min(max(y, y0 + reach), y1 - reach), -vy * BOUNCES
        spots.append(SlideStep(x, y, foot, path))
    return spots


def _end_in_tray(
    bodies: Sequence[Body],
    die: Body,
    box: BoxMm,
    at: tuple[float, float],
    top: tuple[int, int],
    cocked: bool,
    rng: np.random.Generator,
) -> Body:
    """The settled die with this face up: flat in the box away from other pieces, or leaning on the box's edge."""
    (x, y), half = at, die.solid.half_mm
    fixed = [body for body in bodies if body.is_fixed]
    for i in range(TRIES):
        if cocked and fixed:
            yaw = 45.0 + 90.0 * int(rng.integers(4)) + float(rng.normal(0, 8))  # a corner must come onto the edge
            out = half * float(rng.uniform(0.68, 1.0))
            u, v = _at_the_edge(box, (x, y), out)
        else:
            yaw = float(rng.uniform(0, 360))
            reach = half * (abs(math.cos(math.radians(yaw))) + abs(math.sin(math.radians(yaw)))) + CLEAR_MM
            far = float(i) * half / 4
            u, v = x + float(rng.normal(0, 0.3)) * far, y + float(rng.normal(0, 0.3)) * far
            u, v = (
                min(max(u, box[0] + reach), box[2] - reach),
                min(max(v, box[1] + reach), box[3] - reach),
            )
        turned = die.moved(at_mm=(u, v, 100.0), turn=times(about((0.0, 0.0, 1.0), yaw), face_up(top)))
        rested = let_down(turned, bodies)
        if rested is None:
            continue
        is_leaning = rested.tilt_deg > LEAST_LEAN_DEG
        if is_leaning == bool(cocked and fixed) and (is_leaning or rested.lowest_mm < 1.0):
            return rested
    return (
        _end_in_tray(bodies, die, box, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), top, False, rng)
        if cocked
        else turned
    )


def _at_the_edge(box: BoxMm, at: tuple[float, float], inside_mm: float) -> tuple[float, float]:
    """The place at this distance inside the nearest side of the box."""
    x0, y0, x1, y1 = box
    x, y = at
    sides = {
        x - x0: (x0 + inside_mm, y),
        x1 - x: (x1 - inside_mm, y),
        y - y0: (x, y0 + inside_mm),
        y1 - y: (x, y1 - inside_mm),
    }
    return sides[min(sides)]
