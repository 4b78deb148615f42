"""Random labelled scenes: what the labels say is what geometry says, and the pictures show it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from bench.drawn.labels import label
from tests.scenes import KIT, SMALL_LENS, empire_die, ninja, samurai, territory
from vision.sim.render import overhead
from vision.sim.scene import Scene

POSE = overhead(SMALL_LENS, height_mm=1150)


def told(*bodies, hand=None) -> dict:  # type: ignore[no-untyped-def]
    return label("x.jpg", "war1", 1, Scene(bodies=bodies, hand=hand), POSE, KIT, {})


def test_the_label_s_camera_puts_points_where_ours_does() -> None:
    camera = told()["camera"]
    points = np.array([[10.0, 20.0, 30.0], [900.0, 600.0, 0.0]])
    rays = points @ np.array(camera["R"]).T + camera["t_mm"]
    distortion = np.array(camera["dist_k1_k2_p1_p2"])
    proper = cv2.projectPoints(
        points * (1, 1, -1),
        np.array(camera["rvec_for_xy_minus_z"]),
        np.array(camera["tvec_for_xy_minus_z"]),
        np.array(camera["K"]),
        distortion,
    )[0].reshape(-1, 2)
    direct = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), np.array(camera["K"]), distortion)[0].reshape(-1, 2)
    assert proper == pytest.approx(direct)
    assert proper == pytest.approx(POSE.to_pixels(points), abs=1e-6)
    assert np.linalg.det(camera["R"]) == pytest.approx(-1)


def test_labels_tell_margins_eyes_values_and_stacks() -> None:
    low, high = samurai("red", (620, 400), on_mm=3, id="low"), samurai("red", (672, 450), on_mm=11, id="high")
    middle = samurai("red", (645, 425), on_mm=7, id="middle")
    bodies = (
        territory("red"),
        territory("blue"),
        empire_die("red", (377.5 + 123, 350), on_mm=3, marked_up=True, id="die"),
        ninja(5, (100, 100)),
        low,
        middle,
        high,
    )
    whole = told(*bodies)
    pieces = {piece["id"]: piece for piece in whole["pieces"]}
    margin = {(p["piece"], p["territory"]): p for p in whole["territory_pairs"]}
    assert margin["die", "territory_red"]["margin_mm"] == pytest.approx(1.0, abs=5e-3)
    assert margin["die", "territory_red"]["overlaps"]
    assert pieces["die"]["marked_up"] is True
    assert pieces["die"]["eye_visible_frac"] == 1.0
    assert pieces["ninja_black"]["value"] == 5
    uppers = {(p["a"], p["b"]): p["upper"] for p in whole["piece_pairs"] if p["upper"]}
    assert uppers == {("low", "middle"): "middle", ("middle", "high"): "high"}
    assert all(pieces[id]["occupies_opponent_territory"] for id in ("low", "middle", "high"))
