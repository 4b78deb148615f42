"""What enters a margin's error, and where a pip may be at all."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.readings import Kind
from tests.vision.eyes.test_reader import eye_of, picture
from vision.tables.eyes.detect import Detections, detect_pieces
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.margins import margin_of


@lru_cache(maxsize=1)
def detections() -> Detections:
    eye, shown = eye_of("camP_war2_0011"), picture("camP_war2_0011")
    return detect_pieces(shown, find_pose(shown, eye.lens, eye.kit), eye.kit, eye.shapes)


def test_a_pose_known_badly_makes_margins_less_sure_and_moves_none() -> None:
    pieces, pose = detections().pieces, detections().pose
    territory = next(p for p in pieces if p.kind is Kind.TERRITORY)
    samurai = next(p for p in pieces if p.kind is Kind.SAMURAI)
    assert pose.joint is not None
    poor = replace(pose, joint=pose.joint * 1e6)
    sure, unsure = margin_of(samurai, territory, pose), margin_of(samurai, territory, poor)
    assert unsure.sigma_mm > 2 * sure.sigma_mm
    assert unsure.margin_mm == sure.margin_mm


def test_a_piece_that_fits_badly_or_is_half_hidden_is_known_less_well() -> None:
    pieces, pose = detections().pieces, detections().pose
    territory = next(p for p in pieces if p.kind is Kind.TERRITORY)
    for kind in (Kind.SAMURAI, Kind.EMPIRE_DIE):
        piece = next(p for p in pieces if p.kind is kind)
        good = piece.held_at(replace(piece.fit, residual_px=0.1, coverage=1.0))
        bad = piece.held_at(replace(piece.fit, residual_px=1.2, coverage=1.0))
        assert margin_of(bad, territory, pose).sigma_mm > 1.3 * margin_of(good, territory, pose).sigma_mm
        assert margin_of(bad, territory, pose).margin_mm == margin_of(good, territory, pose).margin_mm
        hidden = piece.held_at(replace(piece.fit, residual_px=0.1, coverage=0.3))
        assert margin_of(hidden, territory, pose).sigma_mm > margin_of(good, territory, pose).sigma_mm


def test_a_camera_too_coarse_for_a_dies_rounded_edges_knows_dice_less_well_and_samurai_as_before() -> None:
    pieces, pose = detections().pieces, detections().pose
    territory = next(p for p in pieces if p.kind is Kind.TERRITORY)
    coarse = replace(pose, lens=replace(pose.lens, fx_px=pose.lens.fx_px * 0.5))
    for kind, grows in ((Kind.EMPIRE_DIE, True), (Kind.SAMURAI, False)):
        piece = next(p for p in pieces if p.kind is kind)
        sigmas_mm = [margin_of(piece, territory, seen, np.zeros((2, 2))).sigma_mm for seen in (pose, coarse)]
        px_a_mm = coarse.lens.fx_px / float(pose.centre_mm[2] - piece.place.middle_mm[2])
        added_mm = LIMITS.coarse_error_mm * max(LIMITS.fine_px_per_mm / px_a_mm - 1, 0.0) if grows else 0.0
        assert np.hypot(sigmas_mm[0], added_mm) == pytest.approx(sigmas_mm[1], abs=1e-3)
        assert (sigmas_mm[1] > 1.5 * sigmas_mm[0]) == grows


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


@pytest.mark.nightly
def test_an_eye_reads_a_picture_alike_after_others() -> None:
    eye, shown = eye_of("camP_war2_0011"), picture("camP_war2_0011")
    first = eye.read(shown)
    eye.read(np.roll(shown, 3, axis=1))
    assert eye.read(shown) == first
