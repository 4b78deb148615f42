"""`companion read`: each picture gets its line, whatever the others are, and `--explain` loses no drawing in silence.

A PNG that says it is 100000 pixels wide, and one of a single row, once ended the whole call with a traceback.
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from unittest import mock

import cv2
import numpy as np
import pytest

from calibration.lens import save_lens
from companion.app.hand import HandEye
from companion.cli import main
from companion.game.errors import ReadingError
from tests.cli.conftest import Call
from tests.scenes import SMALL_LENS, shared_renderer, territory
from vision.sim.scene import Scene

LANDS = (territory("red"), territory("blue"))
GREY = np.full((120, 160, 3), 128, np.uint8)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


BOMB = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0))
BOMB += chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
"""A PNG file of a few bytes that says it has so many pixels."""


def test_only_a_files_header_is_looked_at_where_it_tells_of_too_many_pixels(call: Call, tmp_path: Path) -> None:
    """30,000 x 30,000 pixels of nothing took 5.2 GB."""
    (tmp_path / "bomb.png").write_bytes(BOMB)
    with mock.patch.object(cv2, "imdecode", side_effect=AssertionError("decoded")):
        ended = call("read", "dice", str(tmp_path / "bomb.png"))
    assert "too large to be decoded" in ended.lines[0]["error"]["message"]


def test_only_the_header_of_a_photograph_with_too_many_pixels_is_looked_at() -> None:
    """A phone could send 110 KB that took 5 GB."""
    with (
        mock.patch.object(cv2, "imdecode", side_effect=AssertionError("decoded")),
        pytest.raises(ReadingError, match="too large to be decoded"),
    ):
        HandEye()(BOMB)


@pytest.mark.parametrize("what", ["/dev/zero", "pipe"])
def test_only_a_regular_file_is_opened(call: Call, tmp_path: Path, what: str) -> None:
    """A pipe hung, /dev/zero ate all memory."""
    path = tmp_path / what
    if what == "pipe":
        os.mkfifo(path)
    ended = call("read", "dice", str(path))
    assert ended.status == 1
    assert "is a device or a pipe, expected a picture" in ended.lines[0]["error"]["message"]


def damaged(suffix: str) -> bytes:
    """A picture's file with 200 bytes in its middle overwritten."""
    texture = cv2.GaussianBlur(np.random.default_rng(0).integers(0, 255, (600, 800, 3), np.uint8), (0, 0), 3)
    file = bytearray(cv2.imencode(suffix, texture)[1].tobytes())
    file[len(file) // 2 : len(file) // 2 + 200] = bytes(200)
    return bytes(file)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mid.jpg", "is a damaged JPEG, part of its picture is lost: copy or take it again"),
        ("mid.png", "begins as a picture does and cannot be decoded, it is damaged or cut off: copy or take it again"),
        ("empty.jpg", "is empty: copy or take it again"),
    ],
)
def test_a_damaged_picture_is_one_line_without_the_decoders_own(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str, said: str
) -> None:
    """libjpeg and libpng wrote lines of their own, and a JPEG with a hole in its middle was read as it came."""
    (tmp_path / name).write_bytes(damaged(name[-4:]) if name.startswith("mid") else b"")
    with pytest.raises(SystemExit) as ended:
        main(["read", "dice", str(tmp_path / name)])
    out, err = capfd.readouterr()
    assert ended.value.code == 1
    assert json.loads(out)["error"] == {"code": "not_an_image", "message": f"{tmp_path / name} {said}"}
    assert err == f"{tmp_path / name} {said}\n"


def test_a_closed_standard_output_is_one_sentence() -> None:
    """Nothing was printed, and the status said that all was done."""
    root = Path(__file__).parents[2]
    said = "companion: standard output cannot be used (it is closed): the work was not finished, mend that first\n"
    words = ["sh", "-c", '"$0" -m companion --version >&-', sys.executable]
    ended = subprocess.run(words, stderr=subprocess.PIPE, text=True, cwd=root, check=False)
    assert (ended.returncode, ended.stderr) == (1, said)


def test_a_drawing_takes_the_place_of_an_earlier_one_and_of_no_other_file(call: Call, tmp_path: Path) -> None:
    """`--explain DIR` once wrote over a photograph of that name which lay in DIR."""
    folder = tmp_path / "ex"
    folder.mkdir()
    cv2.imwrite(str(tmp_path / "grey.png"), GREY)
    cv2.imwrite(str(folder / "grey.jpg"), np.full_like(GREY, 200))
    before = (folder / "grey.jpg").read_bytes()
    for _ in range(2):
        assert call("read", "dice", str(tmp_path / "grey.png"), "--explain", str(folder)).status == 0
    assert (folder / "grey.jpg").read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == ["grey-2.jpg", "grey.jpg"]
    assert cv2.imread(str(folder / "grey-2.jpg")).shape == GREY.shape


def test_pictures_from_outside_are_decoded_in_one_place() -> None:
    """So one place decides which way up they are."""
    decoding = re.compile(r"\bcv2\.(imdecode|imread)\b|\bImage\.open\b")
    root = Path(__file__).parents[2]
    parts = ("calibration", "companion", "hardware", "printing", "vision", "web")
    files = [file for part in parts for file in (root / part).rglob("*.py")]
    decode = {str(file.relative_to(root)) for file in files if decoding.search(file.read_text(encoding="utf-8"))}
    assert decode == {"hardware/picture_file.py"}


def test_a_part_of_the_table_is_not_passed_as_a_whole_one(call: Call, tmp_path: Path) -> None:
    """A camera knocked off a corner: the stream was blind, and `read` told its pieces as if there were no others."""
    save_lens(SMALL_LENS, tmp_path / "lens.json")
    for name, aim in (("whole", {}), ("cut", {"height_mm": 1000, "aim_mm": (480, 420), "roll_deg": 8})):
        picture = shared_renderer(SMALL_LENS, **aim).picture(Scene(bodies=LANDS), 1)
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture)
    names = [str(tmp_path / f"{name}.png") for name in ("whole", "cut")]
    ended = call("read", "eyes", "--lens", str(tmp_path / "lens.json"), *names)
    whole, cut = ended.lines
    assert (ended.status, whole["table"]["unseen_mm"]) == (0, [])
    assert cut["table"]["unseen_mm"][0] == [1000, 0]
    assert len(cut["pieces"]) == 2
    beyond, _ = ended.err.splitlines()
    assert beyond.startswith(f"{names[1]}: the play area at (1000, 0)")
    assert "mm is outside the picture, so nothing was read there" in beyond
