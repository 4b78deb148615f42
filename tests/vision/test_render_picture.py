"""Drawn pictures against geometry worked out apart from the renderer: to a twentieth of a pixel."""

import cv2
import numpy as np
import pytest

from tests.scenes import KIT, SMALL_LENS, empire_die, ninja, samurai, territory
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, RoundDisk, Scene

POSE = overhead(SMALL_LENS, height_mm=1150, tilt_deg=6, toward_deg=130, roll_deg=3)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    made = Renderer(KIT, POSE)
    made.light(Scene())
    return made


def silhouette_px(body: Body) -> np.ndarray:
    """The solid's outline in the picture: the hull of the images of very many points of its surface."""
    around = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    bevel = body.solid.bevel_mm
    spheres = np.array(
        [(np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)) for a in around[::10] for b in around[::10]]
    )
    if isinstance(body.solid, RoundDisk):
        ring, half = body.solid.radius_mm - bevel, body.solid.half_mm - bevel
        rim = np.column_stack([np.cos(around), np.sin(around), 0 * around])
        round_ = [(np.cos(a), np.sin(a)) for a in around[::20]]
        points = np.vstack(
            [rim * (ring + bevel * c) + (0, 0, z * half + bevel * s) for c, s in round_ for z in (-1, 1)]
        )
    else:
        points = (body.solid.hull()[:, None] + bevel * spheres[None]).reshape(-1, 3)
    at = points @ body.rotation.T + body.at_mm
    return cv2.convexHull(POSE.to_pixels(at).astype(np.float32)).reshape(-1, 2).astype(float)


@pytest.mark.parametrize(
    "body",
    [
        territory("red", (420.3, 300.7)),
        samurai("blue", (700.2, 500.9), on_mm=7),
        empire_die("red", (250.4, 500.1), angle_deg=0),
        empire_die("blue", (812.6, 180.3), angle_deg=31, on_mm=3),
        ninja(5, (610.7, 90.2), angle_deg=77),
    ],
    ids=lambda body: body.id,
)
def test_a_piece_covers_just_the_pixels_that_geometry_says(renderer: Renderer, body: Body) -> None:
    patch = renderer._patch(body)
    outline = silhouette_px(body)
    moments = cv2.moments(outline.astype(np.float32))
    share = patch.share
    rows, columns = np.mgrid[: share.shape[0], : share.shape[1]]
    drawn = np.array([(share * columns).sum(), (share * rows).sum()]) / share.sum() + (patch.x, patch.y)
    length = np.linalg.norm(outline - np.roll(outline, 1, 0), axis=1).sum()
    assert abs(share.sum() - moments["m00"]) / length < 0.02  # px that the outline lies off, on the average
    assert drawn * moments["m00"] == pytest.approx((moments["m10"], moments["m01"]), abs=0.03 * moments["m00"])
