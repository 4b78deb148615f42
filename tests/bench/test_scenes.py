"""Random labelled scenes: what the labels say is what geometry says, and the pictures show it."""

from __future__ import annotations

import pytest

from bench.drawn.labels import label
from tests.scenes import SMALL_LENS, empire_die, ninja, samurai, territory
from vision.sim.render import overhead
from vision.sim.scene import Scene

POSE = overhead(SMALL_LENS, height_mm=1150)


def told(*bodies, hand=None) -> dict:  # type: ignore[no-untyped-def]
    return label("x.jpg", "war1", Scene(bodies=bodies, hand=hand), POSE)


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
    assert pieces["die"]["marked_up"] is True
    assert pieces["die"]["eye_visible_frac"] == 1.0
    assert pieces["ninja_black"]["value"] == 5
    uppers = {(p["a"], p["b"]): p["upper"] for p in whole["piece_pairs"] if p["upper"]}
    assert uppers == {("low", "middle"): "middle", ("middle", "high"): "high"}
