"""Samurai on others that tip over the rim of what bears them: they are laid as steeply as they lie."""

from __future__ import annotations

import math
from typing import Any, cast

import pytest

from companion.readings import EyesReading, Kind
from tests.scenes import KIT, WIDE_LENS, samurai, territory
from tests.vision.wide_table import LIT
from vision.eyes import open_eye, tipping_disks
from vision.sim.render import Renderer, overhead
from vision.sim.rest import let_down
from vision.sim.scene import Body, Scene

LAND = territory("red", (385.0, 390.0))
HIGH_MM = 200.0


def pile(*at: tuple[float, float]) -> list[Body]:
    """Blue samurai let down one after the other."""
    laid: list[Body] = []
    for i, (x, y) in enumerate(at):
        body = let_down(samurai("blue", (x, y), id=f"s{i}").moved(at_mm=(x, y, HIGH_MM)), [LAND, *laid])
        assert body is not None
        laid.append(body)
    return laid


def read(laid: list[Body]) -> EyesReading:
    scene = Scene(bodies=(LAND, territory("blue", (700.0, 250.0)), *laid), lighting=LIT)
    return open_eye(WIDE_LENS, KIT).read(Renderer(KIT, overhead(WIDE_LENS, height_mm=1150.0)).picture(scene))


def seen(reading: EyesReading, body: Body) -> tuple[float, float]:
    """How far from a samurai the nearest one is read, mm, and how much more or less it leans, degrees."""
    found = [p for p in reading.pieces if p.kind is Kind.SAMURAI]
    return min((math.dist((p.x_mm, p.y_mm), body.at_mm[:2]), abs(p.tilt_deg - body.tilt_deg)) for p in found)


@pytest.mark.parametrize(
    "at",
    [
        ((480.1, 424.5), (459.3, 432.5), (479.4, 439.7)),
        ((453.6, 421.5), (473.4, 432.0), (453.8, 434.0)),
        ((445.0, 426.0), (455.7, 445.2), (455.2, 424.2)),
        ((434.1, 443.2), (430.9, 465.4), (419.7, 447.9)),
        ((390.5, 435.7), (370.5, 446.0), (390.6, 445.5)),
    ],
)
def test_one_whose_middle_is_hardly_beyond_the_rim_below_leans_over_it(at: tuple[tuple[float, float], ...]) -> None:
    # it was laid flat on the lower one, 10 to 18 degrees off, and with it the one on top, half a millimetre aside
    laid = pile(*at)
    assert all(body.tilt_deg > 10.0 for body in laid[1:])
    reading = read(laid)
    for body in laid[1:]:
        off_mm, off_deg = seen(reading, body)
        assert off_mm < 0.5
        assert off_deg < 2.0


def test_all_that_lies_on_one_that_tips_is_laid_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    # what itself lay firmly was laid anew, but not what lay on that
    told = {i: f"s{i}" for i in range(5)}
    uppers = {(1, 0): 1.0, (2, 1): 1.0, (3, 2): 1.0}
    monkeypatch.setattr(tipping_disks, "below_of", lambda *_: [])
    monkeypatch.setattr(tipping_disks, "lay_on", lambda _image, disk, _below: f"{disk} laid anew")
    monkeypatch.setattr(tipping_disks, "_otherwise", lambda _image, disk, *_: "s1 tipped" if disk == "s1" else None)
    monkeypatch.setattr(tipping_disks, "_likelier", lambda _disk, other: (other, True))
    laid: dict[int, Any] = tipping_disks.choose_tipped(cast(Any, None), cast(Any, told), [], uppers)
    assert laid == {0: "s0", 1: "s1 tipped", 2: "s2 laid anew", 3: "s3 laid anew", 4: "s4"}


@pytest.mark.parametrize("apart_mm", [12.0, 17.0, 20.0])
def test_one_whose_middle_is_well_borne_lies_flat(apart_mm: float) -> None:
    laid = pile((430.0, 440.0), (430.0 + apart_mm, 440.0))
    assert laid[1].tilt_deg < 1.0
    assert seen(read(laid), laid[1])[1] < 1.0
