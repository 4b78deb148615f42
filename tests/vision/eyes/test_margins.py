"""What a margin is measured from, what enters its error, and when it is called."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from calibration.arrays import Floats
from calibration.pose import find_pose
from companion.game.margin import Call
from companion.game.readings import Kind
from tests.vision.eyes.test_reader import eye_of, picture
from vision.tables.eyes.detect import Detections, detect_pieces
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.reader import MOST_ACROSS, margin_of, mixture


@lru_cache(maxsize=1)
def detections() -> Detections:
    eye, shown = eye_of("camP_war2_0011"), picture("camP_war2_0011")
    return detect_pieces(shown, find_pose(shown, eye.lens, eye.kit), eye.kit, eye.shapes)


def test_a_piece_that_fits_badly_or_is_half_hidden_is_known_less_well() -> None:
    pieces, pose = detections().pieces, detections().pose
    territory = next(p for p in pieces if p.kind is Kind.TERRITORY)
    for kind in (Kind.SAMURAI, Kind.EMPIRE_DIE):
        piece = next(p for p in pieces if p.kind is kind)
        good = replace(piece, ways=(), fit=replace(piece.fit, residual_px=0.1, coverage=1.0))
        bad = replace(piece, ways=(), fit=replace(piece.fit, residual_px=1.2, coverage=1.0))
        assert margin_of(bad, territory, pose).sigma_mm > 1.3 * margin_of(good, territory, pose).sigma_mm
        assert margin_of(bad, territory, pose).margin_mm == margin_of(good, territory, pose).margin_mm
        hidden = replace(piece, ways=(), fit=replace(piece.fit, residual_px=0.1, coverage=0.2))
        assert margin_of(hidden, territory, pose).sigma_mm > margin_of(good, territory, pose).sigma_mm


def test_a_blurred_picture_knows_dice_less_well_and_samurai_as_before() -> None:
    """Blurred until fiducials' edges are 1.2 px wide, dice that lean by 5 degrees were read as level, 2 mm aside, with
    a sigma of 0.15 mm: the width of their edges no longer told where the light comes from."""
    pieces, pose = detections().pieces, detections().pose
    territory = next(p for p in pieces if p.kind is Kind.TERRITORY)
    blurred = replace(pose, seen=tuple(replace(f, blur_px=LIMITS.max_blur_px + 0.3) for f in pose.seen))
    assert pose.blur_px < LIMITS.max_blur_px
    for kind, grows in ((Kind.EMPIRE_DIE, True), (Kind.SAMURAI, False)):
        piece = next(p for p in pieces if p.kind is kind)
        sharp, soft = (margin_of(piece, territory, seen) for seen in (pose, blurred))
        assert soft.margin_mm == sharp.margin_mm
        assert (soft.sigma_mm > np.hypot(sharp.sigma_mm, 0.5)) == grows
        assert (soft.sigma_mm == sharp.sigma_mm) != grows


BESIDE_OR_ON = np.array([-1, 1])


def shares(other: float) -> Floats:
    return np.array([1 - other, other])


@pytest.mark.parametrize(
    ("other", "call"),
    [(0.0, Call.CLEAR), (0.5 * MOST_ACROSS, Call.CLEAR), (2 * MOST_ACROSS, Call.TOO_CLOSE)],
)
def test_a_die_is_called_where_all_but_a_little_says_the_same(other: float, call: Call) -> None:
    """One that leaned by 5 degrees on a rim was called clear of it by 2.5 mm with an error of 0.15 mm."""
    margin = mixture(np.array([-2.5, 1.4]), np.array([0.02, 0.02]), shares(other), BESIDE_OR_ON)
    assert margin.call() is call
    assert margin.margin_mm == pytest.approx(-2.5, abs=0.05)


def test_a_piece_that_surely_rests_on_the_rim_overlaps_however_little() -> None:
    near = np.array([0.2]), np.array([0.15**2]), np.array([1.0])
    assert mixture(*near, np.array([1])).call() is Call.OVERLAPS
    assert mixture(*near, np.array([0])).call() is Call.TOO_CLOSE


def test_where_the_picture_shows_too_little_the_way_decides_nothing() -> None:
    poor = np.array([0.4]), np.array([(2 * LIMITS.contact_mm + 0.1) ** 2]), np.array([1.0])
    assert mixture(*poor, np.array([1])).call() is Call.TOO_CLOSE
