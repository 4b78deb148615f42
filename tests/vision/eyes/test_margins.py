"""What a margin is measured from, what enters its error, and when it is called."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from calibration.pose import find_pose
from companion.game.margin import Call
from companion.game.readings import Kind
from companion.game.table import Disk, Outline, overlap_mm
from tests.scenes import KIT, WIDE_LENS, empire_die, samurai, shared_renderer, territory
from tests.vision.eyes.test_reader import eye_of, picture
from vision.measure import bodies
from vision.measure.prepared import Floats
from vision.sim.film import Film
from vision.sim.render import Renderer, overhead
from vision.sim.rest import let_down
from vision.sim.scene import Lighting, Scene, SceneLamp, Surface
from vision.sim.shown import overlaps
from vision.tables.eyes import open_eye, support
from vision.tables.eyes.detect import Detections, detect_pieces
from vision.tables.eyes.limits import LIMITS
from vision.tables.eyes.reader import margin_of, mixture

# ---- What enters a margin's error, and where a pip may be at all.


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
        good = replace(piece, ways=(), fit=replace(piece.fit, residual_px=0.1, coverage=1.0))
        bad = replace(piece, ways=(), fit=replace(piece.fit, residual_px=1.2, coverage=1.0))
        assert margin_of(bad, territory, pose).sigma_mm > 1.3 * margin_of(good, territory, pose).sigma_mm
        assert margin_of(bad, territory, pose).margin_mm == margin_of(good, territory, pose).margin_mm
        hidden = replace(piece, ways=(), fit=replace(piece.fit, residual_px=0.1, coverage=0.3))
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


# ---- A margin over several ways of lying: called only where all but a little of it lies on one side of the rim.


OPEN = np.array([0, 0])
BESIDE_OR_ON = np.array([-1, 1])


def shares(other: float) -> Floats:
    return np.array([1 - other, other])


@pytest.mark.parametrize(
    ("other", "call"),
    [(0.0, Call.CLEAR), (0.5 * LIMITS.max_other_side, Call.CLEAR), (2 * LIMITS.max_other_side, Call.TOO_CLOSE)],
)
def test_a_die_is_called_where_all_but_a_little_says_the_same(other: float, call: Call) -> None:
    """One that leaned by 5 degrees on a rim was called clear of it by 2.5 mm with an error of 0.15 mm."""
    margin = mixture(np.array([-2.5, 1.4]), np.array([0.02, 0.02]), shares(other), BESIDE_OR_ON)
    assert margin.call() is call
    assert margin.margin_mm == pytest.approx(-2.5, abs=0.05)


def test_one_way_with_its_side_open_has_the_error_of_its_fit() -> None:
    margin = mixture(np.array([1.2]), np.array([0.04]), np.array([1.0]), np.array([0]))
    assert (margin.margin_mm, margin.sigma_mm) == (1.2, 0.2)
    assert margin.call() is Call.OVERLAPS


def test_two_ways_on_one_side_differ_and_still_overlap() -> None:
    margin = mixture(np.array([1.8, 2.6]), np.array([0.02, 0.02]), shares(0.4), OPEN)
    assert margin.margin_mm == pytest.approx(2.12)
    assert margin.sigma_mm == pytest.approx(np.hypot(0.141, 0.392), abs=0.01)
    assert margin.call() is Call.OVERLAPS


def test_a_piece_that_surely_rests_on_the_rim_overlaps_however_little() -> None:
    near = np.array([0.2]), np.array([0.15**2]), np.array([1.0])
    assert mixture(*near, np.array([1])).call() is Call.OVERLAPS
    assert mixture(*near, np.array([0])).call() is Call.TOO_CLOSE


def test_where_the_picture_shows_too_little_the_way_decides_nothing() -> None:
    poor = np.array([0.4]), np.array([(LIMITS.max_margin_error_mm + 0.1) ** 2]), np.array([1.0])
    assert mixture(*poor, np.array([1])).call() is Call.TOO_CLOSE


def test_calls_are_wrong_no_more_often_than_the_ways_say() -> None:
    rng = np.random.default_rng(3)
    wrong = called = 0
    for _ in range(400):
        other = float(rng.choice([0.0005, 0.002, 0.01, 0.2]))
        depths = np.array([-rng.uniform(0.2, 2.0), rng.uniform(0.2, 2.5)])
        call = mixture(depths, np.array([0.02, 0.02]), shares(other), BESIDE_OR_ON).call()
        is_on = bool(rng.random() < other)
        called += call is not Call.TOO_CLOSE
        wrong += call is (Call.CLEAR if is_on else Call.OVERLAPS)
    assert called > 150
    assert wrong <= 3


# ---- How pieces come to rest, and how deep rounded bodies lie in a disk: geometry against known figures.


LAND = bodies.disk(220.0, 3.0, 0.5, 240)
DIE = bodies.cube(28.0, 1.6)
ON_LAND = [support.support_of(LAND, bodies.upright(0.0, 0.0, 1.5))]


def test_a_die_on_a_rim_stands_on_its_far_edge() -> None:
    under = support.underside_at_rest(DIE, bodies.upright(121.0, 0.0, 14.0), ON_LAND)
    # 3 mm of rim under 28 - 1.6 mm of die, and a little less where it lies further in
    assert math.degrees(math.atan(-under.slope_x)) == pytest.approx(7.4, abs=0.6)
    assert abs(under.slope_y) < 0.01


@pytest.mark.parametrize("angle_deg", [0.0, 17.0, 45.0])
@pytest.mark.parametrize("x_mm", [100.0, 124.0, 130.0])
def test_the_depth_in_a_disk_agrees_with_the_outline(angle_deg: float, x_mm: float) -> None:
    place = bodies.upright(x_mm, 7.0, 14.0, angle_deg)
    outline = Outline(tuple((float(x), float(y)) for x, y in bodies.footprint(DIE, place, steps=40)))
    expected = overlap_mm(outline, Disk(0.0, 0.0, 110.0))
    assert bodies.depth_in_disk(DIE, place, np.zeros(2), 110.0) == pytest.approx(expected, abs=0.01)


# ---- Dice under a camera sharper than usual: their edges are measured as well.


SHARP = Film(blur_px=0.35, sharpening=0.8)
LAND_AT = (500.0, 350.0)


def errors_mm() -> list[float]:
    """How far margins of dice that lean on a territory are off, six dice around it."""
    land = territory("red", LAND_AT)
    dice = []
    for i, (dx, dy) in enumerate(((119, 0), (60, 103), (-60, 103), (-119, 0), (-60, -103), (60, -103))):
        die = let_down(empire_die("red", (LAND_AT[0] + dx, LAND_AT[1] + dy), angle_deg=15 * i, id=f"d{i}"), [land])
        assert die.tilt_deg > 3
        dice.append(die)
    scene = Scene(bodies=(land, *dice))
    renderer = Renderer(KIT, overhead(WIDE_LENS, height_mm=1200), SHARP)
    reading = open_eye(WIDE_LENS, KIT).read(renderer.picture(scene))
    at = {p.id: (p.x_mm, p.y_mm) for p in reading.pieces if p.kind is Kind.EMPIRE_DIE}
    found = []
    for true in overlaps(scene):
        body = next(b for b in dice if b.id == true.piece)
        said = min(
            reading.overlaps,
            key=lambda o: abs(at[o.piece][0] - body.at_mm[0]) + abs(at[o.piece][1] - body.at_mm[1]),
        )
        found.append(said.margin_mm - true.margin_mm)
    assert len(found) == len(dice)
    return found


@pytest.mark.nightly
def test_margins_are_not_off_to_one_side() -> None:
    found = errors_mm()
    assert abs(sum(found) / len(found)) < 0.15
    assert max(abs(error) for error in found) < 0.4


# ---- A samurai beside a territory of the other colour: the strip of table between them is neither's colour.


SURFACES = (("wood", (150, 108, 68)), ("felt", (150, 128, 100)), ("cloth", (110, 110, 106)))
STRIPS = [("red", 0, 1.2), ("red", 1, 2.6), ("red", 2, 4.0), ("blue", 0, 4.0), ("blue", 1, 1.2), ("blue", 2, 2.6)]
"""Each colour on each surface, each width of the strip with each colour."""
SIDES = {"red": ("blue", 622.5), "blue": ("red", 377.5)}


@pytest.mark.nightly
@pytest.mark.parametrize(("color", "surface", "gap_mm"), STRIPS)
def test_a_narrow_strip_of_table_does_not_draw_a_samurai_to_the_rim(color: str, surface: int, gap_mm: float) -> None:
    weave, ground = SURFACES[surface]
    other, x_mm = SIDES[color]
    bodies = (territory("red"), territory("blue"), samurai(color, (x_mm, 350 + 110 + 22.5 + gap_mm)))
    scene = Scene(bodies=bodies, surface=Surface(weave=weave, color=ground))
    picture = shared_renderer(WIDE_LENS, height_mm=1150).picture(scene)
    reading = open_eye(WIDE_LENS, KIT).read(picture)
    found = [piece for piece in reading.pieces if piece.kind is Kind.SAMURAI]
    assert len(found) == 1
    pair = next(o for o in reading.overlaps if o.piece == found[0].id and o.over == f"territory_{other}")
    assert pair.margin_mm == pytest.approx(-gap_mm, abs=0.25)


@pytest.mark.nightly
@pytest.mark.parametrize(("weave", "ground"), SURFACES[:2])
def test_nor_one_that_shows_only_this_side_against_another_colour(weave: str, ground: tuple[int, int, int]) -> None:
    lies = samurai("red", (480.7, 388.1), on_mm=3.0)  # over the rim of its own territory
    blue = territory("blue", (612.6, 360.0))
    scene = Scene(bodies=(territory("red", (385.0, 350.0)), blue, lies), surface=Surface(weave=weave, color=ground))
    picture = shared_renderer(WIDE_LENS, height_mm=1150).picture(scene)
    reading = open_eye(WIDE_LENS, KIT).read(picture)
    found = next(piece for piece in reading.pieces if piece.kind is Kind.SAMURAI)
    true = overlap_mm(lies.footprint, blue.footprint)
    pair = next(o for o in reading.overlaps if o.piece == found.id and o.over == "territory_blue")
    assert -3.0 < true < -0.5
    assert pair.margin_mm == pytest.approx(true, abs=0.3)


# ---- Dice in the light of a window: their edges are measured by where the light comes from.


AT = ((250.0, 200.0, 12.0), (740.0, 180.0, 40.0), (260.0, 520.0, 63.0), (730.0, 530.0, 81.0))
FILMS = {"soft": Film(), "sharp": Film(blur_px=0.35, sharpening=0.8)}


def window(turn_deg: float) -> tuple[Lighting, Floats]:
    """The light of a window beside the table, and the direction toward it."""
    toward = np.array([np.cos(np.radians(turn_deg)), np.sin(np.radians(turn_deg))])
    x, y = (np.array([500.0, 350.0]) + 1500 * toward).tolist()
    return Lighting(lamps=(SceneLamp((x, y, 950.0), 1000.0),), ambient=0.3), toward


def seen(film: Film, turn_deg: float) -> Floats:
    """How far four dice are seen toward the window and across, each (2,), of where they stand."""
    lighting, toward = window(turn_deg)
    colors = ("red", "blue", "blue", "red")
    dice = tuple(
        empire_die(color, (x, y), angle_deg=angle, id=f"d{i}")
        for i, (color, (x, y, angle)) in enumerate(zip(colors, AT, strict=True))
    )
    scene = Scene(bodies=dice, lighting=lighting)
    picture = Renderer(KIT, overhead(WIDE_LENS, height_mm=1200), film).picture(scene)
    found = [p for p in open_eye(WIDE_LENS, KIT).read(picture).pieces if p.kind is Kind.EMPIRE_DIE]
    assert len(found) == len(dice)
    away = [min(((p.x_mm - x, p.y_mm - y) for p in found), key=lambda d: float(np.hypot(*d))) for x, y, _ in AT]
    return np.array(away) @ np.column_stack([toward, (-toward[1], toward[0])])


@pytest.mark.nightly
@pytest.mark.parametrize("film", FILMS)
def test_dice_beside_a_window_are_not_seen_nearer_to_it(film: str) -> None:
    away = np.concatenate([seen(FILMS[film], turn_deg) for turn_deg in (20.0, 200.0)])
    assert np.abs(away.mean(axis=0)).max() < 0.1
    assert np.sqrt(np.square(away).sum(axis=1).mean()) < 0.25
