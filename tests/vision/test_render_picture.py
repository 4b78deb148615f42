"""Drawn pictures against geometry worked out apart from the renderer: to a twentieth of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.pose import PAPER_MM
from tests.scenes import KIT, SMALL_LENS, empire_die, ninja, samurai, territory
from vision.sim.render import Renderer, overhead
from vision.sim.scene import Body, Hand, Lighting, RoundDisk, Scene, Surface, about

POSE = overhead(SMALL_LENS, height_mm=1150, tilt_deg=6, toward_deg=130, roll_deg=3)
ROOM = Lighting(ambient=1.0)
"""The room's light alone: nothing but shadows makes a face uneven."""


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


def between_pixels(image: np.ndarray, px: np.ndarray) -> np.ndarray:
    """Bilinear values; cv2.remap would round places to 1/32 px."""
    x, y = np.floor(px).astype(int).T
    u, v = (px - np.floor(px)).T
    upper = image[y, x] * (1 - u) + image[y, x + 1] * u
    return upper * (1 - v) + (image[y + 1, x] * (1 - u) + image[y + 1, x + 1] * u) * v


def area_and_middle(polygon: np.ndarray) -> tuple[float, np.ndarray]:
    x, y = polygon.T
    x2, y2 = np.roll(polygon, -1, 0).T
    cross = x * y2 - x2 * y
    area = cross.sum() / 2
    return abs(area), np.array([((x + x2) * cross).sum(), ((y + y2) * cross).sum()]) / (6 * area)


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
    area, middle = area_and_middle(outline)
    share = patch.share
    rows, columns = np.mgrid[: share.shape[0], : share.shape[1]]
    drawn = np.array([(share * columns).sum(), (share * rows).sum()]) / share.sum() + (patch.x, patch.y)
    length = np.linalg.norm(outline - np.roll(outline, 1, 0), axis=1).sum()
    assert abs(share.sum() - area) / length < 0.02  # px that the outline lies off, on the average
    assert drawn == pytest.approx(middle, abs=0.03)


def test_fiducials_are_where_the_kit_puts_them(renderer: Renderer) -> None:
    light = renderer.light(Scene(lighting=ROOM, surface=Surface(weave="even", grain=0.0)))[..., 1]
    for id, (x, y) in KIT.mat.markers.items():
        half = KIT.mat.marker_mm / 2
        for u, v in ((0, -1), (1, 0), (0, 1), (-1, 0)):  # the middle of each side of the black square
            across = np.array([u, v, 0.0])
            along = np.array([v, u, 0.0])
            gaps = []
            for shift in np.linspace(-12, 12, 25):
                edge = np.array([x, y, PAPER_MM]) + across * half + along * shift
                reach = np.linspace(-3.0, 3.0, 61)
                profile = between_pixels(light, POSE.to_pixels(edge + across * reach[:, None]))
                white = (profile - profile[0]) / (profile[-1] - profile[0])
                at = 3.0 - float(((white[1:] + white[:-1]) / 2).sum() * 0.1)  # where a sharp edge has this much white
                gaps.append(
                    np.linalg.norm(POSE.to_pixels((edge + across * at)[None]) - POSE.to_pixels(edge[None]))
                    * np.sign(at)
                )
            assert abs(float(np.mean(gaps))) < 0.05, (id, u, v)


def test_opencv_finds_the_fiducials_upright(renderer: Renderer) -> None:
    picture = renderer.picture(Scene())
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, KIT.mat.dictionary))
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(picture)
    found = dict(zip(np.asarray(ids).reshape(-1).tolist(), corners, strict=True))
    assert sorted(found) == [0, 1, 2, 3]
    for id, (x, y) in KIT.mat.markers.items():
        square = np.array([(x - 25, y - 25, 0), (x + 25, y - 25, 0), (x + 25, y + 25, 0), (x - 25, y + 25, 0)])
        assert np.asarray(found[id]).reshape(4, 2) == pytest.approx(POSE.to_pixels(square), abs=1.5)


def test_a_raised_piece_is_shifted_by_parallax(renderer: Renderer) -> None:
    def middle(on_mm: float) -> np.ndarray:
        patch = renderer._patch(samurai("red", (900, 600), on_mm=on_mm))
        rows, columns = np.mgrid[: patch.share.shape[0], : patch.share.shape[1]]
        return np.array(
            [
                (patch.share * columns).sum() / patch.share.sum() + patch.x,
                (patch.share * rows).sum() / patch.share.sum() + patch.y,
            ]
        )

    expected = POSE.to_pixels(np.array([[900, 600, 30.0]])) - POSE.to_pixels(np.array([[900, 600, 2.0]]))
    assert middle(28) - middle(0) == pytest.approx(expected[0], abs=0.03)


def test_the_eye_shows_its_owner_and_only_when_it_is_up(renderer: Renderer) -> None:
    def ink(color: str, marked_up: bool) -> np.ndarray:
        die = empire_die(color, (500, 350), marked_up=marked_up)
        patch = renderer._patch(die)
        blue, _, red = (patch.room + patch.lamps)[patch.share > 0.99].T
        return np.array([(red / blue).max(), (blue / red).max()])

    assert ink("red", True)[0] > 2
    assert ink("blue", True)[1] > 2
    assert (ink("red", False) < 1.6).all()


def test_a_disk_that_leans_steeply_leaves_light_on_one_that_lies_on_its_low_end(renderer: Renderer) -> None:
    leaning = samurai("blue", (500, 350), id="a").moved(at_mm=(500, 350, 10), turn=about((0.0, 1.0, 0.0), -20))
    lying = samurai("blue", (466, 350), on_mm=4.5, id="b")
    assert leaning.lowest_mm < lying.lowest_mm < lying.highest_mm < leaning.highest_mm - 4
    top = np.array([(466 + u, 350 + v, lying.highest_mm) for u in np.linspace(-18, 18, 13) for v in (-8, 0, 8)])
    with_it, alone = (
        between_pixels(renderer.light(Scene(bodies=bodies, lighting=ROOM))[..., 0], POSE.to_pixels(top))
        for bodies in ((leaning, lying), (lying,))
    )
    assert (with_it > 0.7 * alone).all()


def test_a_hand_is_drawn_over_the_table(renderer: Renderer) -> None:
    hand = Hand(reach_mm=(500, 350), from_deg=-90)
    changed = np.abs(renderer.light(Scene(hand=hand)) - renderer.light(Scene())).max(2) > 0.02
    x, y = POSE.to_pixels(np.array([[500.0, 200.0, 50.0]]))[0].round().astype(int)
    assert changed[y, x]
    assert 0.02 < changed.mean() < 0.3


def test_noise_changes_from_frame_to_frame_and_follows_its_seed(renderer: Renderer) -> None:
    developed = renderer.develop(Scene())
    a, again, b = (renderer.expose(developed, seed) for seed in (1, 1, 2))
    assert (a == again).all()
    assert 0.3 < (a.astype(float) - b).std() < 8


@pytest.mark.parametrize("weave", ["felt", "cloth", "wood", "even"])
def test_surfaces_are_even_enough_to_play_on(renderer: Renderer, weave: str) -> None:
    picture = renderer.picture(Scene(surface=Surface(weave=weave, color=(120, 120, 120))))
    middle = picture[150:400, 250:700]
    assert 2 < middle.std() < 30
