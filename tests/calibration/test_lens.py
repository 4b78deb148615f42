"""`companion calibrate lens`: rendered boards in, the lens that drew them out, or the reason why not."""

from __future__ import annotations

import dataclasses
import json
import re

import cv2
import numpy as np
import pytest
from click.testing import CliRunner

from calibration.charuco import BoardError, CharucoCorners, board_of
from calibration.from_boards import BoardPicture, fit_lens
from calibration.lens import load_lens, save_lens
from companion.cli.calibrate import command
from companion.game.errors import LensError
from tests.calibration.pictures import BOARD, LENS, TILTS, board_picture, with_orientation


def true_corners_px(turn, place):
    rotation = cv2.Rodrigues(np.array(turn))[0]
    seen = (board_of(BOARD).corners_mm - (105, 75, 0)) @ rotation.T + place
    return LENS.pixels(seen[:, :2] / seen[:, 2:])


def imagined(tilts, sigma_px=0.03, seed=0):
    """Board pictures without pictures: the true corners with a measured one's error."""
    rng = np.random.default_rng(seed)
    for i, (turn, place) in enumerate(tilts):
        pixels = true_corners_px(turn, place)
        measured = pixels + rng.normal(0, sigma_px, pixels.shape)
        seen = CharucoCorners(np.arange(len(pixels)), measured)
        yield BoardPicture(f"{i}.jpg", LENS.width_px, LENS.height_px, seen)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("boards")
    for i, (turn, place) in enumerate(TILTS):
        cv2.imwrite(str(path / f"board_{i}.png"), board_picture(turn, place))
    cv2.imwrite(str(path / "empty.png"), np.full((LENS.height_px, LENS.width_px, 3), 90, np.uint8))
    return path


def called(*arguments):
    done = CliRunner().invoke(command, ["lens", *map(str, arguments)], standalone_mode=False)
    return done, done.output


def figures(lens):
    return (lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px, *lens.distortion)


def test_the_lens_that_drew_the_boards_is_found_and_written_over_an_older_one(folder, tmp_path):
    save_lens(LENS, tmp_path / "lens.json")
    done, said = called(*sorted(folder.glob("*.png")), "--board", BOARD, "-o", tmp_path / "lens.json")
    assert done.exception is None
    assert done.return_value == 0
    assert re.search(r"RMS 0\.0\d+ px, 7 of 8 pictures served", said)
    assert "empty.png: left out, no board is seen" in said
    lens = load_lens(tmp_path / "lens.json")
    sigma = np.sqrt(np.diag(np.array(lens.covariance)))
    off = np.abs(np.subtract(figures(lens), figures(LENS))[:4])
    assert off.max() < 2
    assert (off < 4 * sigma[:4] + 0.2).all()
    assert lens.pictures == 7


def test_a_lens_is_that_of_the_sensor_whichever_way_the_header_says_the_phone_was_held(tmp_path):
    """Every second picture said "upside down" and was turned: the center came out 11 px off at a stated 1.5 px."""
    lenses = []
    for name, every_second in (("upright", 1), ("turned", 3)):
        (tmp_path / name).mkdir()
        for i, (turn, place) in enumerate(TILTS[:5]):
            jpeg = cv2.imencode(".jpg", board_picture(turn, place), [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
            (tmp_path / name / f"{i}.jpg").write_bytes(with_orientation(jpeg, every_second if i % 2 else 1))
        done, _ = called(*sorted((tmp_path / name).glob("*.jpg")), "--board", BOARD, "-o", tmp_path / f"{name}.json")
        assert done.exception is None
        lenses.append(load_lens(tmp_path / f"{name}.json"))
    upright, turned = map(figures, lenses)
    assert upright == pytest.approx(turned, rel=1e-6)  # the last bits depend on the threads of the fit


def test_the_stated_errors_are_honest():
    """Over many sets of pictures the lens is off by as much as its covariance says."""
    squares = []
    for seed in range(20):
        lens = fit_lens(list(imagined(TILTS, seed=seed)), board_of(BOARD)).lens
        off = np.subtract(figures(lens), figures(LENS))[:8]
        squares.append(off @ np.linalg.inv(np.array(lens.covariance)[:8, :8]) @ off / 8)
    assert 0.5 < np.mean(squares) < 2


def test_a_picture_that_does_not_fit_the_others_is_left_out():
    pictures = list(imagined(TILTS))
    bent = pictures[2].seen.pixels + 3 * np.sin(np.arange(24))[:, None]
    pictures[2] = dataclasses.replace(pictures[2], seen=dataclasses.replace(pictures[2].seen, pixels=bent))
    fit = fit_lens(pictures, board_of(BOARD))
    assert [p.name for p in fit.pictures if p.left_out] == ["2.jpg"]
    assert fit.lens.rms_px < 0.1


@pytest.mark.parametrize(
    ("tilts", "said"),
    [
        (TILTS[:3], "only 3 of 3 pictures are usable, expected at least 4"),
        ([((0.02 * i, 0.0, 0.0), (5 * i, 0, 450)) for i in range(5)], "faces the same way in all 5 pictures"),
        ([((0.08 * i - 0.15, 0.0, 0.0), (0, 0, 2500)) for i in range(5)], "leave the focal length uncertain"),
    ],
    ids=["too few", "the same tilt", "too far off"],
)
def test_pictures_that_do_not_determine_the_lens_are_refused(tilts, said):
    with pytest.raises(LensError, match=said):
        fit_lens(list(imagined(tilts)), board_of(BOARD))


def test_a_wrong_board_is_refused():
    """Squares that are not square: nothing fits, and the sentence says where to look."""
    pictures = []
    for each in imagined(TILTS):
        seen = dataclasses.replace(each.seen, ids=np.arange(23, 11, -1), pixels=each.seen.pixels[::2])
        pictures.append(dataclasses.replace(each, seen=seen))
    with pytest.raises(LensError, match="check the board's sizes"):
        fit_lens(pictures, board_of(BOARD))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty.png", "none of the 1 pictures shows the board, expected 7 x 5 squares"),
        ("notes.txt", "none of the files is a picture, expected pictures of the board"),
    ],
)
def test_no_board_at_all_is_refused(folder, tmp_path, name, said):
    (folder / "notes.txt").write_text("no picture")
    done, _ = called(folder / name, "--board", BOARD, "-o", tmp_path / "lens.json")
    assert isinstance(done.exception, LensError)
    assert said in str(done.exception)
    assert not (tmp_path / "lens.json").exists()


def test_another_board_than_the_one_meant_is_named_in_the_words_to_type(tmp_path):
    """Whether 5 x 7 or 7 x 5 nobody knows by heart, and "check --board" did not tell."""
    shown = board_of("charuco:5x7,30,22,DICT_5X5_100")
    turn, place = TILTS[0]
    cv2.imwrite(str(tmp_path / "0.png"), board_picture(turn, place, board=shown))
    done, _ = called(tmp_path / "0.png", "--board", BOARD, "-o", tmp_path / "lens.json")
    assert isinstance(done.exception, LensError)
    meant = dataclasses.replace(shown, square_mm=30, marker_mm=22)
    assert f"they show one of {shown.across} x {shown.down} with markers of {shown.dictionary}" in str(done.exception)
    assert f"give --board {meant}," in str(done.exception)
    assert not (tmp_path / "lens.json").exists()


def test_two_cameras_in_one_call_are_refused():
    """One picture of each size was named, and not how many there were nor what to do with them."""
    pictures = list(imagined(TILTS))
    pictures[0] = dataclasses.replace(pictures[0], width_px=640, height_px=480)
    sizes = "6 have 960 x 720 pixels, the first is 1.jpg; one has 640 x 480 pixels: 0.jpg"
    with pytest.raises(LensError, match=f"2 sizes, expected one: use pictures of one camera, .*; {sizes}"):
        fit_lens(pictures, board_of(BOARD))


def test_a_file_that_is_no_picture_is_said_and_the_rest_is_done(folder, tmp_path):
    (tmp_path / "lens.json").touch()  # an empty file may be written over
    (tmp_path / "notes.jpg").write_text("not a picture")
    boards = sorted(folder.glob("board*.png"))
    done, said = called(tmp_path / "notes.jpg", *boards, "--board", BOARD, "-o", tmp_path / "lens.json")
    assert done.return_value == 1
    assert "notes.jpg is not a picture that can be decoded" in said
    assert load_lens(tmp_path / "lens.json").pictures == 7


@pytest.mark.parametrize("is_given", [True, False])
def test_no_picture_is_written_over(folder, tmp_path, is_given):
    """`-o *.jpg` with the output's name forgotten once made a lens file of the first picture."""
    boards = [tmp_path / path.name for path in sorted(folder.glob("board*.png"))]
    for board in boards:
        board.write_bytes((folder / board.name).read_bytes())
    output, *others = boards
    before = output.read_bytes()
    done, _ = called(*(boards if is_given else others), "--board", BOARD, "-o", output)
    assert type(done.exception).__name__ == "BadParameter"
    why = "is one of the pictures given" if is_given else "is there and is no lens file"
    assert f"{output} {why}, expected a LENS.json to write: name another" in str(done.exception.format_message())
    assert output.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chess:7x5,30,22,DICT_5X5_100", "expected a text such as charuco:7x5"),
        ("charuco:7x5,30,22,DICT_9X9_1", "dictionary is 'DICT_9X9_1'"),
        ("charuco:3x68,30,22,DICT_5X5_100", "expected at most 201: .* DICT_5X5_100 has 100"),
    ],
)
def test_a_board_that_cannot_be_understood_is_refused_in_one_sentence(text, said):
    with pytest.raises(BoardError, match=said) as refused:
        board_of(text)
    assert "\n" not in str(refused.value)


def lens_with(covariance):
    return json.dumps(dataclasses.asdict(LENS) | {"covariance": covariance.tolist()})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not a lens file"),
        ("{}", "missing required field `width_px`"),
        (json.dumps(dataclasses.asdict(LENS) | {"fx_px": -3}), "`float` > 0.0 in `fx_px`"),
        (json.dumps(dataclasses.asdict(LENS) | {"distortion": [1e300] * 5}), "its distortion cannot be undone"),
        (lens_with(-np.ones((9, 9))), "covariance holds a negative variance"),
        (lens_with(np.eye(9) + np.eye(9, k=1)), "covariance is not symmetric"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps(dataclasses.asdict(LENS) | {"rms_px": float("nan")}), "it has NaN, which is not a number"),
    ],
)
def test_a_corrupt_lens_file_is_refused_in_one_sentence(tmp_path, text, said):
    (tmp_path / "lens.json").write_text(text)
    with pytest.raises(LensError, match=said) as refused:
        load_lens(tmp_path / "lens.json")
    assert "\n" not in str(refused.value)
    assert "expected the JSON that `companion calibrate lens` writes" in str(refused.value)


def test_a_missing_lens_file_and_a_missing_folder_are_named(tmp_path):
    with pytest.raises(LensError, match=r"none\.json: cannot be read \(No such file"):
        load_lens(tmp_path / "none.json")
    with pytest.raises(LensError, match=r"lens\.json: cannot be written \(No such file"):
        save_lens(LENS, tmp_path / "nowhere" / "lens.json")
