"""Every printable, rasterised as a printer would: lengths are right to 0.2 mm, and its codes are read back."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from calibration.charuco import board_of, find_board
from calibration.paper.boards import CHARUCO, PRINTABLES, PrintRequest, drill_places_mm
from calibration.paper.paper import CHECK_MM, MARGIN_MM, PAPERS_MM, Pen, Printable, Tile, layout, pdf
from calibration.paper.quick_start import ENGLISH, GERMAN, PINS, quick_start
from companion.game.brought import boards, default_kit, load_board
from tests.seeds import first
from web.table.setup import FIRST, STEPS

ROOT = Path(__file__).resolve().parents[2]
DPI = 200
PX_A_MM = DPI / 25.4
RIGHT_MM = 0.2
KIT = default_kit("eyes_of_the_emperor")
RACE = default_kit("center_point")


def pages(drawings: list[Printable], paper: str, tmp_path: Path, first: int = 1, last: int = 1) -> list[np.ndarray]:
    """Grey pages (H, W)."""
    if shutil.which("pdftoppm") is None:
        pytest.fail("no pdftoppm on PATH: make test installs it, or type: apt-get install poppler-utils")
    file = tmp_path / "sheet.pdf"
    file.write_bytes(pdf(drawings, paper))
    stem = tmp_path / "page"
    subprocess.run(
        ["pdftoppm", "-gray", "-r", str(DPI), "-f", str(first), "-l", str(last), str(file), str(stem)], check=True
    )
    return [cv2.imread(str(page), cv2.IMREAD_GRAYSCALE) for page in sorted(tmp_path.glob("page*.pgm"))]


def made(what: str) -> list[Printable]:
    return PRINTABLES[what][1](PrintRequest(kit=RACE if what in ("board", "tokens") else KIT))


def checked_mm(page: np.ndarray) -> float:
    """The length of the check line."""
    foot = page[-round(14 * PX_A_MM) :] < 100
    runs = []
    for row in foot:
        edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
        runs += [(b - a, a) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    length, start = max(runs)
    assert start / PX_A_MM == pytest.approx(MARGIN_MM, abs=0.5)
    return float(length / PX_A_MM)


@pytest.mark.parametrize("paper", first(PAPERS_MM))
@pytest.mark.parametrize("what", PRINTABLES)
def test_each_sheet_bears_a_line_of_100_mm_and_is_as_large_as_its_paper(what, paper, tmp_path):
    (page,) = pages(made(what), paper, tmp_path)
    assert checked_mm(page) == pytest.approx(CHECK_MM, abs=RIGHT_MM)
    sides_mm = sorted(side / PX_A_MM for side in page.shape)
    assert sides_mm == pytest.approx(sorted(PAPERS_MM[paper]), abs=RIGHT_MM)


def found_markers(page: np.ndarray, dictionary: str) -> dict[int, np.ndarray]:
    """Markers by their numbers: corners in mm, shape (4, 2); pixel centres are half a pixel in."""
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    how = cv2.aruco.DetectorParameters()
    how.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(known, how).detectMarkers(page)
    numbers = [] if ids is None else np.asarray(ids).ravel().tolist()
    return {i: (c.reshape(4, 2) + 0.5) / PX_A_MM for i, c in zip(numbers, corners, strict=True)}


def sides_mm(corners: np.ndarray) -> np.ndarray:
    return np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)


def test_the_calibration_board_is_the_one_that_the_set_up_looks_for(tmp_path):
    (page,) = pages(made("charuco"), "A4", tmp_path)
    board = board_of(CHARUCO)
    seen = find_board(page, board)
    assert len(seen.ids) == 24
    there = (seen.pixels + 0.5) / PX_A_MM
    flat = board.corners_mm[seen.ids, :2]
    assert np.abs((there - there.mean(axis=0)) - (flat - flat.mean(axis=0))).max() < RIGHT_MM


def tiles(drawing: Printable, paper: str, tmp_path: Path) -> Iterator[tuple[np.ndarray, Tile, np.ndarray]]:
    """The pages of a drawing over many sheets, their parts of it, and where those begin, mm from the page's corner."""
    parts = layout(drawing, paper).tiles
    for page, tile in zip(pages([drawing], paper, tmp_path, 1, len(parts)), parts, strict=True):
        height, width = (side / PX_A_MM for side in page.shape)
        left, top = (width - tile.width_mm) / 2, 8.0 + (height - 28.0 - tile.height_mm) / 2
        yield page, tile, np.array([left - tile.x_mm, top - tile.y_mm])


@pytest.mark.parametrize("name", first(boards()))
def test_a_race_board_has_all_its_circles_where_its_file_says(name, tmp_path):
    board = load_board(name)
    (drawing,) = PRINTABLES["board"][1](PrintRequest(kit=RACE, board=name))
    seen: set[str] = set()
    whole: set[str] = set()
    half = board.circle_mm / 2
    for page, tile, corner in tiles(drawing, "A4", tmp_path):
        for spot, (x, y) in board.spots.items():  # the overlap is narrower than a circle: some are cut on both tiles
            inside = (x - half > tile.x_mm + 0.1, x + half < tile.x_mm + tile.width_mm - 0.1)
            if all(inside) and y - half > tile.y_mm + 0.1 and y + half < tile.y_mm + tile.height_mm - 0.1:
                whole.add(spot)
        count, _, stats, _ = cv2.connectedComponentsWithStats((page < 60).astype(np.uint8))
        for x, y, wide, high, _ in stats[1:count] / PX_A_MM:
            if abs(wide - board.circle_mm) < RIGHT_MM and abs(high - board.circle_mm) < RIGHT_MM:
                at = np.array([x + wide / 2, y + high / 2]) - corner
                spot = min(board.spots, key=lambda s: float(np.linalg.norm(at - board.spots[s])))
                assert np.linalg.norm(at - board.spots[spot]) < RIGHT_MM
                seen.add(spot)
    assert seen == whole
    assert len(whole) > 0.7 * len(board.spots)


def test_a_mat_over_many_sheets_has_its_fiducials_and_the_drills_crosses_at_their_places(tmp_path):
    """The drill compares pieces with the ten crosses."""
    (drawing,) = made("mat")
    crosses: set[int] = set()
    reach = round(25 * PX_A_MM)
    places: dict[int, np.ndarray] = {}
    for page, _, corner in tiles(drawing, "A3", tmp_path):
        for i, corners in found_markers(page, KIT.mat.dictionary).items():
            assert sides_mm(corners) == pytest.approx(KIT.mat.marker_mm, abs=RIGHT_MM)
            places[i] = corners.mean(axis=0) - corner
            origin = places[i] - KIT.mat.markers[i]
        for number, place in enumerate(drill_places_mm(KIT), 1):
            column, row = np.rint(PX_A_MM * (origin + place + corner)).astype(int)
            around = page[max(row - reach, 0) : row + reach + 1, max(column - reach, 0) : column + reach + 1]
            if around.shape == (2 * reach + 1, 2 * reach + 1):
                lines = (around[reach - 1 : reach + 2].min(axis=0), around[:, reach - 1 : reach + 2].min(axis=1))
                crosses |= {number} if np.max(lines) < 250 else set()
    assert crosses == set(range(1, 11))
    assert sorted(places) == [0, 1, 2, 3]
    for i, at in places.items():
        apart = np.linalg.norm(at - places[0])
        assert apart == pytest.approx(np.linalg.norm(np.subtract(KIT.mat.markers[i], KIT.mat.markers[0])), abs=RIGHT_MM)


def test_the_codes_on_the_cards_lead_to_the_table_and_its_seats(tmp_path):
    (page,) = pages(made("cards"), "A4", tmp_path)
    _, words, _, _ = cv2.QRCodeDetector().detectAndDecodeMulti(cv2.resize(page, None, fx=0.5, fy=0.5))
    url = PrintRequest(kit=KIT).url
    assert sorted(words) == [url, f"{url}?seat=blue", f"{url}?seat=red"]


@pytest.mark.parametrize("sheet", [ENGLISH, GERMAN], ids=["en", "de"])
def test_the_quick_start_has_the_documented_steps_and_the_wiring_of_the_pins_file(sheet):
    steps = re.findall(r"^### (\d+)\. (.+)$", (ROOT / "docs/appliance.md").read_text(encoding="utf-8"), re.M)
    assert [int(number) for number, _ in steps] == list(range(1, len(sheet.steps) + 1))
    assert [name for name, _ in ENGLISH.steps] == [name for _, name in steps]
    assert FIRST + len(STEPS) == len(steps)
    wired = tomllib.loads((ROOT / "hardware/pins.toml").read_text(encoding="utf-8"))
    named = wired["buttons"] | wired["lamp"] | {"buzzer": wired["buzzer"]["pin"]}
    assert {name: gpio for name, (gpio, _) in PINS.items()} == {name: named[name] for name in PINS}
    canvas, drawn = MagicMock(), quick_start(sheet)
    drawn.draw(Pen(canvas, drawn.height_mm))
    assert min(y for (_, y, _), _ in canvas.drawString.call_args_list) > 0, "words below the page"
