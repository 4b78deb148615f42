"""Exact labels of drawn scenes, in the format of the Eyes of the Emperor sample pictures (their README defines it)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens
from calibration.pose import PAPER_MM, Pose
from companion.game.kit import Kit
from companion.game.readings import Kind
from companion.game.table import Disk, Footprint, overlap_mm
from vision.sim.scene import Body, Hand, RoundCube, RoundDisk, Scene, Surface
from vision.sim.solids import Capsule, capsules, cast

Floats = NDArray[np.float64]

TOO_CLOSE_MM = 0.15
"""Overlaps below this count as touching, mm: a physical table cannot show the difference."""
VALUE_TILT_DEG = 5.0
"""Maximum tilt of a die with a value."""
NEAR_MM, NEAR_NINJA_MM = 10.0, 3.0
EYE_LEAST_PX = 3.0
"""Minimum width of an eye's face in the picture; for a narrower face `eye_visible_frac` is 0."""
FAR_MM = 62.0
"""Maximum distance of the middles of a die and a samurai that count as near."""
FLIP = np.diag([1.0, -1.0, 1.0])
"""Bodies in labels are right-handed; ours are left-handed like the table. The y axes are opposite."""


def lens_of(label: dict[str, Any]) -> Lens:
    """The lens of a label's camera."""
    camera = label["camera"]
    (fx, _, cx), (_, fy, cy), _ = camera["K"]
    distortion = (*camera["dist_k1_k2_p1_p2"], 0.0)
    size = {"width_px": camera["width"], "height_px": camera["height"]}
    return Lens(fx_px=fx, fy_px=fy, cx_px=cx, cy_px=cy, distortion=distortion, rms_px=0.05, **size)


def label(
    name: str, family: str, seed: int, scene: Scene, pose: Pose, kit: Kit, about: dict[str, Any]
) -> dict[str, Any]:
    """The label of one picture. `about`: how it was made (mount, light, quality), written unchanged."""
    lens = pose.lens
    to_camera = pose.rotation @ np.diag([1.0, 1.0, -1.0])
    half = kit.mat.marker_mm / 2
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    bodies = scene.bodies
    lands = [body for body in bodies if body.kind is Kind.TERRITORY]
    prints = {body.id: body.footprint for body in bodies}
    occupying = _occupying(bodies, lands, prints)
    return {
        "picture": name,
        "family": family,
        "seed": seed,
        "camera": {
            "width": lens.width_px,
            "height": lens.height_px,
            "K": lens.matrix.tolist(),
            "dist_k1_k2_p1_p2": list(lens.distortion[:4]),
            "R": to_camera.tolist(),
            "t_mm": pose.translation_mm.tolist(),
            "rvec_for_xy_minus_z": cv2.Rodrigues(pose.rotation)[0].ravel().tolist(),
            "tvec_for_xy_minus_z": pose.translation_mm.tolist(),
            "centre_mm": pose.centre_mm.tolist(),
        },
        "hand_in_view": scene.hand is not None,
        "hand_covers_play_area_frac": _hand_covers(scene.hand, pose, kit),
        "surface": _surface_words(scene.surface),
        **about,
        "markers": {str(id): list(at) for id, at in kit.mat.markers.items()},
        "marker_mm": kit.mat.marker_mm,
        "marker_plane_z_mm": PAPER_MM,
        "marker_corners_px": {
            str(id): pose.to_pixels(np.array([(x + u, y + v, PAPER_MM) for u, v in corners])).round(4).tolist()
            for id, (x, y) in kit.mat.markers.items()
        },
        "pieces": [_piece(body, bodies, pose, prints, occupying) for body in bodies],
        "territory_pairs": [
            _territory_pair(body, land, prints[body.id], prints[land.id])
            for body in bodies
            if body.kind in (Kind.EMPIRE_DIE, Kind.SAMURAI)
            for land in lands
        ],
        "piece_pairs": [
            pair
            for a, b in itertools.combinations([b for b in bodies if b.kind is not Kind.TERRITORY], 2)
            if (pair := _piece_pair(a, b, prints[a.id], prints[b.id])) is not None
        ],
        "pair_of": None,
    }


def _surface_words(surface: Surface) -> str:
    return f"{surface.weave} {'#{:02x}{:02x}{:02x}'.format(*surface.color)}"


def _piece(
    body: Body, bodies: Sequence[Body], pose: Pose, prints: dict[str, Footprint], occupying: set[str]
) -> dict[str, Any]:
    footprint = prints[body.id]
    told: dict[str, Any] = {
        "id": body.id,
        "kind": body.kind.value,
        "colour": body.color,
        "centre_mm": [round(v, 5) for v in body.at_mm],
        "R": (body.rotation @ FLIP).round(6).tolist(),
        "tilt_deg": round(body.tilt_deg, 4),
        "footprint_mm": None if body.kind is Kind.TERRITORY else np.round(_outline(footprint), 3).tolist(),
        "visible_frac": round(_seen_share(_surface_points(body), body, bodies, pose), 4),
    }
    if isinstance(body.solid, RoundCube):
        half = body.solid.half_mm
        cube = np.array(list(itertools.product((-half, half), repeat=3)))
        told["corners_mm"] = (cube @ body.rotation.T + np.array(body.at_mm)).round(4).tolist()
    if body.kind is Kind.NINJA:
        told["value_nearest"] = body.value
        told["value"] = body.value if body.tilt_deg <= VALUE_TILT_DEG else None
    if body.kind is Kind.EMPIRE_DIE:
        normal = body.rotation[:, 2]
        to_camera = pose.centre_mm - np.array(body.at_mm) - normal * body.solid.half_mm
        told["owner"] = body.color
        told["marked_up"] = body.marked_up
        told["marked_face_tilt_deg"] = round(math.degrees(math.acos(float(np.clip(normal[2], -1, 1)))), 4)
        told["marked_face_normal"] = normal.round(5).tolist()
        told["eye_cos_to_camera"] = round(float(normal @ to_camera / np.linalg.norm(to_camera)), 5)
        is_broad = _eye_width_px(body, pose) >= EYE_LEAST_PX
        told["eye_visible_frac"] = round(_seen_share(_eye_points(body), body, bodies, pose), 4) if is_broad else 0.0
    if body.kind is Kind.SAMURAI:
        told["occupies_opponent_territory"] = body.id in occupying
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
        if other.id == body.id or math.dist(other.at_mm[:2], body.at_mm[:2]) > 190:
            continue
        start = (points + ways * 0.3 - np.array(other.at_mm)) @ other.rotation
        hit, _, _ = cast(other.solid, start.T.astype(np.float32), (ways @ other.rotation).T.astype(np.float32))
        seen &= ~hit
    return float(seen.mean())


def _hand_covers(hand: Hand | None, pose: Pose, kit: Kit) -> float:
    """Share of the play area that the hand and arm hide."""
    if hand is None:
        return 0.0
    x, y = (g.ravel() for g in np.meshgrid(np.arange(5, kit.mat.width_mm, 10), np.arange(5, kit.mat.height_mm, 10)))
    ground = np.column_stack([x, y, np.zeros_like(x)])
    ways = pose.centre_mm - ground
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    hidden = np.zeros(len(x), bool)
    for limb, _ in capsules(hand):
        middle = (np.array(limb.start_mm) + np.array(limb.end_mm)) / 2
        near_by = Capsule(
            tuple(np.subtract(limb.start_mm, middle)), tuple(np.subtract(limb.end_mm, middle)), limb.radius_mm
        )
        start = (ground - middle).T.astype(np.float32)
        hidden |= cast(near_by, start, ways.T.astype(np.float32))[0]
    return round(float(hidden.mean()), 5)


def _sharp(body: Body) -> Footprint:
    """The projection with sharp edges, from the kit's sizes alone."""
    return replace(body, solid=replace(body.solid, bevel_mm=0.0)).footprint


def _outline(footprint: Footprint, spokes: int = 120) -> Floats:
    if isinstance(footprint, Disk):
        turn = np.arange(spokes) * (2 * math.pi / spokes)
        ring = np.column_stack([np.cos(turn), np.sin(turn)]) * footprint.radius_mm
        return ring + np.array([footprint.x_mm, footprint.y_mm])
    return np.array(footprint.points_mm)


def _shared_mm2(a: Footprint, b: Footprint) -> tuple[float, Floats]:
    """The common area of two footprints, and its outline (N, 2)."""
    first, second = (_outline(f).astype(np.float32) for f in (a, b))
    origin = first.mean(0)
    area, outline = cv2.intersectConvexConvex(cv2.convexHull(first - origin), cv2.convexHull(second - origin))
    points = np.zeros((0, 2)) if outline is None else outline.reshape(-1, 2) + origin
    return float(area), points


def _territory_pair(body: Body, land: Body, footprint: Footprint, ground: Footprint) -> dict[str, Any]:
    margin = overlap_mm(footprint, ground)
    return {
        "piece": body.id,
        "territory": land.id,
        "overlap_mm2": round(_shared_mm2(footprint, ground)[0], 3) if margin > 0 else 0.0,
        "margin_mm": round(margin, 5),
        "margin_ideal_mm": round(overlap_mm(_sharp(body), _sharp(land)), 5),
        "overlaps": margin > 0,
        "too_close_to_judge": abs(margin) < TOO_CLOSE_MM,
    }


def _piece_pair(a: Body, b: Body, first: Footprint, second: Footprint) -> dict[str, Any] | None:
    if math.dist(a.at_mm[:2], b.at_mm[:2]) > FAR_MM:
        return None
    margin = overlap_mm(first, second)
    if margin < -(NEAR_NINJA_MM if Kind.NINJA in (a.kind, b.kind) else NEAR_MM):
        return None
    shared, outline = _shared_mm2(first, second) if margin > 0 else (0.0, np.zeros((0, 2)))
    upper = None
    if margin > TOO_CLOSE_MM and len(outline):
        x, y = outline.mean(0)
        upper = a.id if _height_at(a, x, y) > _height_at(b, x, y) else b.id
    return {
        "a": a.id,
        "b": b.id,
        "overlap_mm2": round(shared, 3),
        "margin_mm": round(margin, 5),
        "upper": upper,
        "too_close_to_judge": abs(margin) < TOO_CLOSE_MM,
    }


def _height_at(body: Body, x: float, y: float) -> float:
    """Height of the piece's middle plane above a place."""
    up = body.rotation[2]
    axis = 2 if isinstance(body.solid, RoundDisk) else int(np.argmax(np.abs(up)))
    lid = body.rotation[:, axis]
    return float(body.at_mm[2] - ((x - body.at_mm[0]) * lid[0] + (y - body.at_mm[1]) * lid[1]) / lid[2])


def _occupying(bodies: Sequence[Body], lands: Sequence[Body], prints: dict[str, Footprint]) -> set[str]:
    """Samurai that occupy the opponent's territory (Instructions 10 A, B, C)."""
    samurai = [body for body in bodies if body.kind is Kind.SAMURAI]
    held = {
        body.id
        for body in samurai
        for land in lands
        if land.color != body.color and overlap_mm(prints[body.id], prints[land.id]) > 0
    }
    growing = True
    while growing:
        more = {
            body.id
            for body in samurai
            for below in samurai
            if body.id not in held
            and below.id in held
            and below.color == body.color
            and body.at_mm[2] > below.at_mm[2]
            and overlap_mm(prints[body.id], prints[below.id]) > 0
        }
        held |= more
        growing = bool(more)
    return held
