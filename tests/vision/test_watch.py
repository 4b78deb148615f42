"""Frames in, sight and looks out: on rendered tables with an eye that reads nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.arrays import Picture
from calibration.light import judge
from calibration.pose import Pose, find_pose
from companion.game.errors import ReadingError, ReadingFault
from companion.game.readings import (
    SOFT,
    SURE,
    BoardFit,
    BoardReading,
    EyesReading,
    Kind,
    Notice,
    Piece,
    SpotSeen,
    TableFit,
)
from companion.game.says import Says
from companion.game.view import READING, Sight
from tests.scenes import KIT, SMALL_LENS, empire_die, samurai, shared_renderer, territory
from vision.frame.watch import LOOK_AGAIN_S, REREAD_S, SWAYS, Glance, TableLook, Watch
from vision.readers import Fused
from vision.sim.scene import Lighting, Scene
from vision.tables.eyes.reader import fused

LANDS = (territory("red"), territory("blue"))


Pictures = dict[str, list[Picture]]


class StandIn:
    """An eye that looks at nothing."""

    def read_at(self, picture: Picture, pose: Pose) -> Any:
        return self.read(picture)  # type: ignore[attr-defined]

    def draw(self, picture: Picture, reading: Any) -> Picture:
        return picture


@dataclass
class FixedEye(StandIn):
    """Says what it is told to say, and counts how often it was asked."""

    faults: list[ReadingFault] = field(default_factory=list)
    ups: list[bool] = field(default_factory=list)
    reads: int = 0
    soft_pieces: int = 0

    def read(self, picture: Picture) -> EyesReading:
        self.reads += 1
        if self.faults:
            raise ReadingError(self.faults.pop(0), "told to")
        square = ((360.0, 340.0), (390.0, 340.0), (390.0, 360.0), (360.0, 360.0))
        die = Piece(id="a", kind=Kind.EMPIRE_DIE, color="red", x_mm=375, y_mm=350, angle_deg=0, footprint_mm=square)
        if self.ups:
            die = replace(die, marked_up=self.ups.pop(0))
        table = TableFit(reprojection_px=0.1, soft_pieces=self.soft_pieces)
        return EyesReading(table=table, pieces=(die,), overlaps=(), rests_on=())

    def fuse(self, readings: Sequence[EyesReading]) -> Fused[EyesReading]:
        return fused(readings)


@pytest.fixture(scope="module")
def pictures() -> Pictures:
    """Noisy frames of two tables, drawn once."""
    renderer = shared_renderer(SMALL_LENS)
    drawn = {}
    for name, x_mm, light in (("before", 300.0, 1.0), ("after", 500.0, 1.0), ("night", 300.0, 0.02)):
        bodies = (*LANDS, empire_die("red", (x_mm, 350)))
        developed = renderer.develop(Scene(bodies=bodies, lighting=Lighting(level=light)))
        drawn[name] = [renderer.expose(developed, seed) for seed in range(4)]
    drawn["bare"] = [np.full_like(drawn["before"][0], 120)]
    return drawn


def glances_of(watch: Watch, frames: list[Picture], from_s: float = 0.0, seconds: float = 1.0) -> list[Glance]:
    return [watch.take(frames[i % len(frames)], from_s + i * 0.1) for i in range(round(seconds / 0.1))]


def shown(watch: Watch, frames: list[Picture], from_s: float, seconds: float = 1.0) -> list[Sight]:
    return [glance.sight for glance in glances_of(watch, frames, from_s, seconds)]


def looks_of(watch: Watch, frames: list[Picture], from_s: float = 0.0) -> list[TableLook]:
    return [glance.look for glance in glances_of(watch, frames, from_s) if glance.look is not None]


def test_a_table_at_rest_is_read_twice_and_again_when_it_has_changed(pictures: Pictures) -> None:
    eye = FixedEye()
    watch = Watch(eye, SMALL_LENS, KIT)
    sights = shown(watch, pictures["before"], 0.0, 2.0)
    assert sights[-1] is Sight.SEES
    assert eye.reads == 2
    shown(watch, pictures["before"], 2.0, LOOK_AGAIN_S + 1)
    assert eye.reads == 2
    assert Sight.MOVING in shown(watch, pictures["after"], 10.0, 2.0)
    assert eye.reads == 4


def test_what_takes_long_is_told_as_reading_and_not_as_movement(pictures: Pictures) -> None:
    """The pages said "Moving 18 s" over a table at rest that a slow box was reading."""
    watch = Watch(FixedEye(), SMALL_LENS, KIT, rest_s=0.5)
    shown(watch, pictures["before"], 0.0, 1.0)
    told: list[tuple[Sight, str | None]] = []
    for i in range(8):
        glance = watch.take(pictures["after"][i % 4], 1.0 + i * 0.1, lambda g: told.append((g.sight, g.code)))
        told.append((glance.sight, glance.code))
    assert list(dict.fromkeys(told)) == [(Sight.MOVING, None), (Sight.MOVING, READING), (Sight.SEES, None)]
    assert told == sorted(told, key=list(dict.fromkeys(told)).index)  # and it does not flicker


def test_two_pictures_that_disagree_are_followed_by_a_third(pictures: Pictures) -> None:
    eye = FixedEye(ups=[True, False, True])
    watch = Watch(eye, SMALL_LENS, KIT)
    looks = looks_of(watch, pictures["before"])
    assert eye.reads == 3
    assert len(looks) == 1
    (die,) = looks[0].reading.pieces
    assert die.marked_up is None
    assert die.confidence < SURE


def test_a_look_keeps_the_pixels_and_all_that_is_needed_to_read_them_again(pictures: Pictures) -> None:
    watch = Watch(FixedEye(), SMALL_LENS, KIT)
    looks = looks_of(watch, pictures["before"])
    assert len(looks) == 1
    crop = looks[0].crop(375, 350, "red.1")
    about = json.loads(crop.about)
    pixels = cv2.imdecode(np.frombuffer(crop.picture, np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    x0, y0 = about["at_px"]
    assert (pixels == looks[0].picture[y0 : y0 + about["height_px"], x0 : x0 + about["width_px"]]).all()
    assert about["outlines"][0]["label"] == "red empire die"
    assert about["lens"]["fx_px"] == SMALL_LENS.fx_px
    assert np.allclose(about["rotation"], looks[0].pose.rotation)
    overview = json.loads(looks[0].overview().about)
    assert (overview["width_px"], overview["height_px"]) == (960, 540)


def test_a_lens_to_be_wiped_is_said_as_long_as_the_table_lies_so(pictures: Pictures) -> None:
    """People were asked about every piece under a finger print, and nobody told them to wipe the lens."""
    watch = Watch(FixedEye(soft_pieces=2), SMALL_LENS, KIT)
    glances = glances_of(watch, pictures["before"], seconds=8.0)
    seen = [glance for glance in glances if glance.sight is Sight.SEES]
    assert seen
    assert {glance.code for glance in seen} == {SOFT}
    assert str(seen[-1].says).startswith("2 of the pieces look too blurred to be sure: wipe the lens")


class RaceEye(StandIn):
    """Tells one marker and one notice."""

    def read(self, picture: Picture) -> BoardReading:
        spaces = {"A4": SpotSeen(color="red", confidence=1.0, x_mm=375.0, y_mm=350.0)}
        advice = Notice(code="colors_alike", says=Says("red and green look alike in this light: add a lamp"))
        table = BoardFit(reprojection_px=0.1, marker_mm=16, outline_mm=5)
        return BoardReading(spaces=spaces, between=(), dice=(), table=table, noticed=(advice,))

    def fuse(self, readings: Sequence[BoardReading]) -> Fused[BoardReading]:
        return Fused(readings[-1], True)


def test_a_question_s_picture_shows_all_places_that_it_names_and_outlines_what_lies_there(pictures: Pictures) -> None:
    """Asked of a token one step too far it showed the spot that was left, and a token that waited near it in yellow."""
    watch = Watch(RaceEye(), SMALL_LENS, KIT)
    (look,) = looks_of(watch, pictures["before"])
    crop = look.close_up({"A4": (373.0, 350.0), "A1": (390.0, 360.0), "A9": (375.0, 588.0)})
    about = json.loads(crop.about)
    assert crop.piece == "A4"
    named = [(o["role"], o.get("name")) for o in about["outlines"]]
    assert named == [("piece", None), ("place", "A1"), ("place", "A9")]
    for outline in about["outlines"]:
        points = np.array(outline["points_px"])
        assert ((points > 0) & (points < (about["width_px"], about["height_px"]))).all()
    assert about["width_px"] < about["height_px"] < 3 * about["width_px"]


def test_a_hand_is_said_and_looked_at_again_until_it_is_gone(pictures: Pictures) -> None:
    eye = FixedEye([ReadingFault.HAND_IN_VIEW, ReadingFault.HAND_IN_VIEW])
    watch = Watch(eye, SMALL_LENS, KIT)
    sights = shown(watch, pictures["before"], 0.0, 1.0 + 3 * REREAD_S)
    assert Sight.HAND in sights
    assert sights[-1] is Sight.SEES
    assert eye.reads == 4


def test_a_table_without_fiducials_is_blind_and_stays_so_while_something_moves(pictures: Pictures) -> None:
    watch = Watch(FixedEye(), SMALL_LENS, KIT)
    assert shown(watch, pictures["bare"], 0.0)[-1] is Sight.BLIND
    assert watch.take(pictures["before"][0], 1.1).sight is Sight.BLIND
    assert shown(watch, pictures["before"], 1.2)[-1] is Sight.SEES


def test_a_bumped_camera_measures_its_place_anew_and_says_so(pictures: Pictures) -> None:
    bumped = shared_renderer(SMALL_LENS, tilt_deg=0.8, aim_mm=(504, 352))
    moved = [bumped.picture(Scene(bodies=(*LANDS, empire_die("red", (300, 350)))), seed) for seed in range(2)]
    watch = Watch(FixedEye(), SMALL_LENS, KIT)
    shown(watch, pictures["before"], 0.0, 1.0)
    glances = glances_of(watch, moved, 1.0)
    found = next(g for g in glances if g.look is not None)
    assert (found.sight, found.code) == (Sight.SEES, "measured_anew")
    assert "the camera was moved by" in str(found.says)


def test_a_camera_that_was_knocked_off_a_corner_is_blind_until_it_is_turned_back(pictures: Pictures) -> None:
    """Three fiducials were seen, and the table ruled without the samurai that lay in the corner."""
    knocked = shared_renderer(SMALL_LENS, height_mm=1000, aim_mm=(480, 420), roll_deg=8)
    scene = Scene(bodies=(*LANDS, empire_die("red", (300, 350)), samurai("blue", (930, 45))))
    cut = [knocked.picture(scene, seed) for seed in range(2)]
    assert find_pose(cut[0], SMALL_LENS, KIT).fiducials == 3
    eye = FixedEye()
    watch = Watch(eye, SMALL_LENS, KIT)
    assert shown(watch, pictures["before"], 0.0)[-1] is Sight.SEES
    glances = glances_of(watch, cut, 1.0, 3.0)
    assert not [g for g in glances if g.look or g.sight is Sight.SEES]
    assert (glances[-1].sight, glances[-1].code) == (Sight.BLIND, "out_of_picture")
    assert "the play area at (1000, 0) mm is" in str(glances[-1].says)
    assert shown(watch, pictures["before"], 4.0)[-1] is Sight.SEES


@pytest.mark.parametrize(("how", "fades_s"), [("over busy hands", 4.0), ("by a dimmer", 8.0), ("by clouds", 8.0)])
def test_light_that_fades_however_slowly_is_told_within_two_seconds(
    pictures: Pictures, how: str, fades_s: float
) -> None:
    """A slow fade moves all of a picture: it was "something moves" for up to five seconds of darkness."""
    watch = Watch(FixedEye(), SMALL_LENS, KIT)
    assert shown(watch, pictures["before"], 0.0, 2.0)[-1] is Sight.SEES
    dark_s = told_s = None
    for i in range(200):
        share, at_s = min(1.0, 0.1 * i / fades_s), 2.0 + 0.1 * i
        by_day, by_night = pictures["before"][i % 4], pictures["night"][i % 4]
        if how == "over busy hands" and i % 2:
            by_day = pictures["after"][i % 4]
        picture = np.asarray(cv2.convertScaleAbs(by_day, alpha=0.02 ** (share / 2.2)), np.uint8)
        if how == "by clouds":
            picture = np.asarray(cv2.addWeighted(by_day, 1 - share, by_night, share, 0.0), np.uint8)
        if dark_s is None and is_dark(picture):
            dark_s = at_s
        glance = watch.take(picture, at_s)
        if glance.code == "too_dark":
            told_s = at_s
            break
    assert dark_s is not None
    assert told_s is not None
    assert told_s - dark_s <= 2.0


def is_dark(picture: Picture) -> bool:
    try:
        judge(picture, find_pose(picture, SMALL_LENS, KIT), KIT)
    except ReadingError as error:
        return error.code is ReadingFault.TOO_DARK
    return False


def shaken(picture: Picture, by_px: float) -> Picture:
    """The picture of a camera that hangs aside."""
    shift = np.array([[1, 0, by_px], [0, 1, 0.3 * by_px]], np.float32)
    size = (picture.shape[1], picture.shape[0])
    return np.asarray(cv2.warpAffine(picture, shift, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def test_a_camera_that_sways_is_said_to_after_some_seconds_until_it_hangs_still(pictures: Pictures) -> None:
    """Phones said "something moves" for ever, the lamp was green, and nobody knew what to wait for."""
    watch = Watch(FixedEye(), SMALL_LENS, KIT)
    assert shown(watch, pictures["before"], 0.0)[-1] is Sight.SEES
    told = []
    for i in range(120):
        by_px = 0.4 * math.sin(2 * math.pi * i * 0.1 / 1.1)
        told.append(watch.take(shaken(pictures["before"][i % 4], by_px), 1.0 + i * 0.1))
    swaying = [glance for glance in told if glance.code == SWAYS]
    assert [glance.sight for glance in told[1:40]] == [Sight.MOVING] * 39  # somebody leaned on the table
    assert swaying == told[-len(swaying) :]
    assert len(swaying) > 20
    assert swaying[-1].sight is Sight.BLIND
    assert "fasten the camera's arm" in str(swaying[-1].says)
    assert shown(watch, pictures["before"], 14.0)[-1] is Sight.SEES
