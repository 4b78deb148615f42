"""Exact labels of drawn Eyes tables, as far as the scores and `bench.eyes` read them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from calibration.arrays import Floats
from calibration.lens import Lens
from calibration.pose import Pose
from companion.game.readings import Kind
from companion.game.table import Disk, Footprint, overlap_mm
from vision.sim.scene import Body, RoundDisk, Scene
from vision.sim.solids import cast

TOO_CLOSE_MM = 0.15
"""Overlaps below this count as touching, mm: a physical table cannot show the difference."""
VALUE_TILT_DEG = 5.0
"""Maximum tilt of a die with a value."""
EYE_LEAST_PX = 3.0
"""Minimum width of an eye's face in the picture; for a narrower face `eye_visible_frac` is 0."""
FAR_MM = 190.0
"""Maximum distance of the middles of two pieces where one may hide the other."""


def lens_of(label: dict[str, Any]) -> Lens:
    """The lens of a label's camera."""
    camera = label["camera"]
    (fx, _, cx), (_, fy, cy), _ = camera["K"]
    distortion = (*camera["dist_k1_k2_p1_p2"], 0.0)
    size = {"width_px": camera["width"], "height_px": camera["height"]}
    return Lens(fx_px=fx, fy_px=fy, cx_px=cx, cy_px=cy, distortion=distortion, rms_px=0.05, **size)


def label(name: str, family: str, scene: Scene, pose: Pose) -> dict[str, Any]:
    """The label of one picture."""
    bodies = scene.bodies
    lands = [body for body in bodies if body.kind is Kind.TERRITORY]
    others = [body for body in bodies if body.kind is not Kind.TERRITORY]
    prints = {body.id: body.footprint for body in bodies}
    return {
        "picture": name,
        "family": family,
        "hand_in_view": scene.hand is not None,
        "pieces": [_piece(body, bodies, pose) for body in bodies],
        "territory_pairs": [
            _territory_pair(body, land, overlap_mm(prints[body.id], prints[land.id]))
            for body in others
            if body.kind is not Kind.NINJA
            for land in lands
        ],
        "piece_pairs": [
            {"a": a.id, "b": b.id, "upper": upper}
            for a, b in itertools.combinations(others, 2)
            if (upper := _upper(a, b, prints[a.id], prints[b.id])) is not None
        ],
    }


def _territory_pair(body: Body, land: Body, margin_mm: float) -> dict[str, Any]:
    is_close = abs(margin_mm) < TOO_CLOSE_MM
    return {"piece": body.id, "territory": land.id, "margin_mm": margin_mm, "too_close_to_judge": is_close}


def _piece(body: Body, bodies: Sequence[Body], pose: Pose) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": body.id,
        "kind": body.kind.value,
        "colour": body.color,
        "centre_mm": body.at_mm,
        "visible_frac": _seen_share(_surface_points(body), body, bodies, pose),
    }
    if body.kind is Kind.NINJA:
        told["value"] = body.value if body.tilt_deg <= VALUE_TILT_DEG else None
    if body.kind is Kind.EMPIRE_DIE:
        normal = body.rotation[:, 2]
        to_camera = pose.centre_mm - np.array(body.at_mm) - normal * body.solid.half_mm
        is_broad = _eye_width_px(body, pose) >= EYE_LEAST_PX
        told["owner"] = body.color
        told["marked_up"] = body.marked_up
        told["eye_cos_to_camera"] = float(normal @ to_camera / np.linalg.norm(to_camera))
        told["eye_visible_frac"] = _seen_share(_eye_points(body), body, bodies, pose) if is_broad else 0.0
    return told


def _surface_points(body: Body) -> tuple[Floats, Floats]:
    """Points (N, 3) spread over a piece's faces, with normals (N, 3), in the table frame."""
    solid = body.solid
    if isinstance(solid, RoundDisk):
        spots = np.sqrt((np.arange(90) + 0.5) / 90) * (solid.radius_mm - solid.bevel_mm)
        turn = np.arange(90) * math.pi * (3 - math.sqrt(5))
        top = np.column_stack([spots * np.cos(turn), spots * np.sin(turn), np.full(90, solid.half_mm)])
        flat = np.tile([0.0, 0.0, 1.0], (90, 1))
        points, normals = np.vstack([top, top * (1, 1, -1)]), np.vstack([flat, -flat])
    else:
        run = np.linspace(-0.85, 0.85, 6) * solid.half_mm
        u, v = (g.ravel() for g in np.meshgrid(run, run))
        sides = [(axis, sign) for axis in range(3) for sign in (-1, 1)]
        points = np.vstack([np.insert(np.column_stack([u, v]), axis, sign * solid.half_mm, 1) for axis, sign in sides])
        normals = np.vstack([np.tile(np.eye(3)[axis] * sign, (len(u), 1)) for axis, sign in sides])
    return points @ body.rotation.T + np.array(body.at_mm), normals @ body.rotation.T


def _eye_points(body: Body) -> tuple[Floats, Floats]:
    half = body.solid.half_mm
    run = np.linspace(-0.85, 0.85, 9) * half
    u, v = (g.ravel() for g in np.meshgrid(run, run))
    points = np.column_stack([u, v, np.full(len(u), half)])
    return points @ body.rotation.T + np.array(body.at_mm), np.tile(body.rotation[:, 2], (len(u), 1))


def _eye_width_px(body: Body, pose: Pose) -> float:
    """Width of the eye's face in the picture, across its narrow direction."""
    half = body.solid.half_mm
    square = np.array([(-half, -half, half), (half, -half, half), (half, half, half), (-half, half, half)])
    px = pose.to_pixels(square @ body.rotation.T + np.array(body.at_mm)).astype(np.float32)
    longest = float(np.linalg.norm(px - np.roll(px, 1, 0), axis=1).max())
    return float(cv2.contourArea(px)) / longest


def _seen_share(surface: tuple[Floats, Floats], body: Body, bodies: Sequence[Body], pose: Pose) -> float:
    """Share of the surface points facing the camera that are in the picture and not hidden by another piece.

    For an eye's face that looks away it is 0.
    """
    points, normals = surface
    to_camera = pose.centre_mm - points
    to_camera /= np.linalg.norm(to_camera, axis=1, keepdims=True)
    facing = (normals * to_camera).sum(1) > 0.02
    if not facing.any():
        return 0.0
    points, ways = points[facing], to_camera[facing]
    px = pose.to_pixels(points)
    seen = ((px > -0.5) & (px < np.array([pose.lens.width_px, pose.lens.height_px]) - 0.5)).all(1)
    for other in bodies:
        if other.id == body.id or math.dist(other.at_mm[:2], body.at_mm[:2]) > FAR_MM:
            continue
        start = (points + ways * 0.3 - np.array(other.at_mm)) @ other.rotation
        hit, _, _ = cast(other.solid, start.T.astype(np.float32), (ways @ other.rotation).T.astype(np.float32))
        seen &= ~hit
    return float(seen.mean())


def _outline(footprint: Footprint, spokes: int = 120) -> Floats:
    if isinstance(footprint, Disk):
        turn = np.arange(spokes) * (2 * math.pi / spokes)
        ring = np.column_stack([np.cos(turn), np.sin(turn)]) * footprint.radius_mm
        return ring + np.array([footprint.x_mm, footprint.y_mm])
    return np.array(footprint.points_mm)


def _upper(a: Body, b: Body, first: Footprint, second: Footprint) -> str | None:
    """The upper one of two overlapping pieces; None: they hardly overlap."""
    if overlap_mm(first, second) <= TOO_CLOSE_MM:
        return None
    one, other = (_outline(footprint).astype(np.float32) for footprint in (first, second))
    origin = one.mean(0)
    _, shared = cv2.intersectConvexConvex(cv2.convexHull(one - origin), cv2.convexHull(other - origin))
    if shared is None:
        return None
    x, y = shared.reshape(-1, 2).mean(0) + origin
    return a.id if _height_at(a, x, y) > _height_at(b, x, y) else b.id


def _height_at(body: Body, x: float, y: float) -> float:
    """Height of the piece's middle plane above a place."""
    up = body.rotation[2]
    axis = 2 if isinstance(body.solid, RoundDisk) else int(np.argmax(np.abs(up)))
    lid = body.rotation[:, axis]
    return float(body.at_mm[2] - ((x - body.at_mm[0]) * lid[0] + (y - body.at_mm[1]) * lid[1]) / lid[2])
