"""The dice tray: a floor of its own colour, an edge of solid strips, and throws that end on a random face.

Now and then a die comes to rest against the edge, cocked: it leans as `rest` finds it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.game.kit import BoxMm, Mat
from vision.sim.rest import let_down
from vision.sim.scene import PIP_FACES, Body, RoundBox, about, face_up, times, value_top
from vision.sim.slide import GRAVITY_MM_S2, RELEASE_MM, STEP_S, Spot
from vision.sim.tumble import FRAMES_PER_S, Tumble, frames_of

Floats32 = NDArray[np.float32]

FLOOR = (62, 70, 74)
EDGE_WIDE_MM, EDGE_HIGH_MM = 6.0, 6.0
COCKED = 0.04
"""Share of throws that end against the edge."""
LEAST_LEAN_DEG, TRIES = 4.0, 60
SPEED_MM_S = (500.0, 900.0)
FRICTION, BOUNCES = 0.5, 0.45
"""Against the floor's felt; the share of the speed that an edge gives back."""
CLEAR_MM = 0.4


def dice_area(mat: Mat) -> BoxMm | None:
    """Where dice are thrown: the tray, or the place that the kit keeps for them; None where it has neither."""
    return mat.areas_mm.get("tray_mm") or mat.areas_mm.get("die_mm")


def edge(mat: Mat) -> tuple[Body, ...]:
    """The tray's edge as four strips around its floor; none in a kit without a tray."""
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


def throw(
    bodies: Sequence[Body],
    die: Body,
    box: BoxMm,
    rng: np.random.Generator,
    *,
    value: int | None = None,
    is_cocked: bool | None = None,
) -> Tumble:
    """Throws a die into a box from outside its far side.

    Args:
        bodies: the things on the table, the die itself left out.
        value: the face that ends up, 1 to 6; None: at random, as is `is_cocked`.
    """
    cocked = bool(rng.random() < COCKED) if is_cocked is None else is_cocked
    top = value_top(value) if value is not None else list(PIP_FACES)[int(rng.integers(6))]
    spots = _travel(box, die, rng)
    end = _end(bodies, die, box, (spots[-1].x, spots[-1].y), top, cocked, rng)
    # the way ends where the die ends: what the edge or another die shifted is spread over it
    dx, dy, way = end.at_mm[0] - spots[-1].x, end.at_mm[1] - spots[-1].y, spots[-1].path_mm
    spots = [Spot(s.x + dx * s.path_mm / way, s.y + dy * s.path_mm / way, s.foot_mm, s.path_mm) for s in spots]
    whole = (*bodies, die)
    rest = (*bodies, end)
    return Tumble(frames_of({die.id: spots}, whole, {die.id: end}, {body.id: body for body in rest}), rest, ())


def _travel(box: BoxMm, die: Body, rng: np.random.Generator) -> list[Spot]:
    """Flight, hops and rolling from above the near edge until it stops, one place a step."""
    x0, y0, x1, y1 = box
    reach = die.solid.half_mm * 1.4
    x, y = (x0 + x1) / 2 + float(rng.uniform(-0.25, 0.25)) * (x1 - x0), y1 - reach
    heading = -math.pi / 2 + float(rng.normal(0, 0.35))
    speed = float(rng.uniform(*SPEED_MM_S))
    vx, vy = speed * math.cos(heading), speed * math.sin(heading)
    foot, climb, path = RELEASE_MM * 0.6, 0.0, 0.0
    spots = [Spot(x, y, foot, 0.0)]
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
        spots.append(Spot(x, y, foot, path))
    return spots


def _end(
    bodies: Sequence[Body],
    die: Body,
    box: BoxMm,
    at: tuple[float, float],
    top: tuple[int, int],
    cocked: bool,
    rng: np.random.Generator,
) -> Body:
    """The settled die with this face up: flat in the box and clear of all, or leaning on the box's edge."""
    (x, y), half = at, die.solid.half_mm
    fixed = [body for body in bodies if body.is_fixed]
    for i in range(TRIES):
        if cocked and fixed:
            yaw = 45.0 + 90.0 * int(rng.integers(4)) + float(rng.normal(0, 8))  # a corner comes to lie on it
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
    return _end(bodies, die, box, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), top, False, rng) if cocked else turned


def _at_the_edge(box: BoxMm, at: tuple[float, float], inside_mm: float) -> tuple[float, float]:
    """The place so far inside of the side of the box that is nearest."""
    x0, y0, x1, y1 = box
    x, y = at
    sides = {
        x - x0: (x0 + inside_mm, y),
        x1 - x: (x1 - inside_mm, y),
        y - y0: (x, y0 + inside_mm),
        y1 - y: (x, y1 - inside_mm),
    }
    return sides[min(sides)]
