"""`companion calibrate table` says what a table's pictures are worth."""

from __future__ import annotations

import cv2
import pytest
from click.testing import CliRunner

from calibration.lens import save_lens
from companion.cli.calibrate import command
from tests.calibration.pictures import LENS, camera, picture


@pytest.fixture
def said(tmp_path):
    save_lens(LENS, tmp_path / "lens.json")

    def call(pose=None, more=(), **how):
        cv2.imwrite(str(tmp_path / "table.png"), picture(pose or camera(), **how))
        arguments = ["table", "--lens", tmp_path / "lens.json", tmp_path / "table.png", *more]
        done = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False, catch_exceptions=False)
        return done.return_value, done.output

    return call


def test_a_good_table_is_described(said):
    status, words = said()
    assert status == 0
    assert "GOOD     fiducials: 4 of 4 seen, off by 0.0" in words
    assert "1050 mm up over (480, 360), tilted by 3.3 degrees" in words
    assert "positions are accurate to 0.0" in words


def test_a_covered_fiducial_and_clipped_paper_are_said(said):
    status, words = said(ids=(0, 1, 3), light=1.6)
    assert status == 0
    assert "3 of 4 used, not 2: uncover the other fiducial or lay it again" in words
    assert "white paper is overexposed" in words


def test_a_picture_that_cannot_be_used_is_status_1_with_what_to_do(said):
    status, words = said(ids=(0, 1))
    assert status == 1
    assert "only 0 and 1 of the fiducials" in words
    status, words = said(camera(y_mm=440.0, height_mm=1020.0, roll=0.14))
    assert status == 1
    assert "px outside the picture, expected all of it inside: turn the camera, or hang it higher" in words
