"""A small form of every benchmark and training recipe: as few tables, phones, matches and steps as it takes."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np
import pytest

import bench
from bench.drawn import dice as drawn_dice
from bench.drawn.eyes_tables import scene
from bench.drawn.labels import label
from calibration.lens import Lens, load_lens
from companion.game.brought import default_kit, load_board
from tests.calibration import pictures as boards
from tests.scenes import SMALL_LENS
from tests.vision.card_table import face_of, felt, put
from vision.sim.render import Renderer
from vision.sim.virtual import VirtualTable

ROOT = Path(bench.__file__).parents[1]
DATA = ROOT / "tests" / "data"
SCORE = ROOT.parent / "shared" / "score.py"
"""The real score.py where it is at hand; else a stand-in of the same form."""
STAND_IN = Path(__file__).with_name("score_stand_in.py")
STARTED_BY = {
    "bench.load.hours_table": "bench.load.__main__",
    "bench.rummikub_peer": "bench.rummy",
}
"""Programs that a benchmark starts, and which one."""
NEED = {
    "bench.train.cards": "card art",
    "bench.train.in_bytes": "networks as training wrote them; its steps are run in tests/bench/test_in_bytes.py",
}
"""Programs that cannot run on what this repository holds, and what they need. For benchmarks that is a fault."""


def entry_points() -> list[str]:
    """Every module of `bench` that is a program or has `run(shared)`."""
    return sorted(filter(None, map(_entry_point, (ROOT / "bench").rglob("*.py"))))


def _entry_point(path: Path) -> str | None:
    parts = ast.parse(path.read_text(encoding="utf-8")).body
    is_program = any(isinstance(part, ast.If) and "__main__" in ast.unparse(part.test) for part in parts)
    has_run = any(isinstance(part, ast.FunctionDef) and part.name == "run" for part in parts)
    if not (is_program or has_run):
        return None
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@dataclass
class Small:
    """Runs programs of `bench`, on a small folder of labelled pictures."""

    folder: Path
    shared: Path
    patch: pytest.MonkeyPatch

    def sets(self, name: str, **values: Any) -> None:
        """Other numbers for the constants of a module."""
        for key, value in values.items():
            self.patch.setattr(import_module(name), key, value)

    def calls(self, name: str, *arguments: object, main: str = "main") -> None:
        """The program, in this process. Its exit status says whether figures are good; here they need not be."""
        program = getattr(import_module(name), main)
        self.patch.setattr(sys, "argv", [name, *map(str, arguments)])
        if isinstance(program, click.Command):
            program.main(standalone_mode=False)
        else:
            program()

    def measures(self, name: str) -> None:
        """`run` of a benchmark, as `python -m bench` calls it."""
        self.calls("bench.__main__", "--shared", self.shared, "--only", name.removeprefix("bench."))

    def starts(self, name: str, *arguments: object) -> None:
        """The program in a process of its own, for those that change how sockets work."""
        command = [sys.executable, "-m", name, *map(str, arguments)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        print(done.stdout)


# the labelled pictures


def make_shared(folder: Path) -> Path:
    """A folder as `make bench SHARED=FOLDER` takes it, with one or two pictures of each kind."""
    shutil.copy(SCORE if SCORE.exists() else STAND_IN, folder / "score.py")
    for make in (_eyes, _dice, _cards, _race, _rods, _rummy):
        make(folder)
    return folder


def _eyes(shared: Path) -> None:
    """A table, and a board in the poses that tell a lens, by one small camera."""
    folder, kit = shared / "photos" / "eyes", default_kit("eyes_of_the_emperor")
    folder.mkdir(parents=True)
    pose = boards.camera()
    drawn = scene("war1", kit, np.random.default_rng(5), 5)
    cv2.imwrite(str(folder / "camV_war1_0005.jpg"), Renderer(kit, pose).picture(drawn))
    about = {"camera_id": "V", "mount": {"height_mm": 1050.0}}
    told = label("camV_war1_0005.jpg", "war1", 5, drawn, pose, kit, about)
    (folder / "camV_war1_0005.json").write_text(json.dumps(told), encoding="utf-8")
    shutil.copytree(folder, shared / "cameras" / "eyes")
    for n, (turn, place) in enumerate(boards.TILTS):
        cv2.imwrite(str(folder / f"charuco_camV_{n:02d}.jpg"), boards.board_picture(turn, place))
    (folder / "charuco_camV.json").write_text(json.dumps({"K": boards.LENS.matrix.tolist()}), encoding="utf-8")


def _dice(shared: Path) -> None:
    folder = shared / "photos" / "dice"
    (folder / "images").mkdir(parents=True)
    cv2.imwrite(str(folder / "images" / "a.png"), drawn_dice.scene(np.random.default_rng(5), 320, 240).picture)
    dice = [{"box": [40 * value, 0, 40 * value + 30, 30], "value": value} for value in range(1, 7)]
    _write_lines(folder, [{"image": "images/a.png", "source": "drawn", "license": "MIT", "dice": dice}])


def _cards(shared: Path) -> None:
    folder = shared / "photos" / "cards"
    folder.mkdir(parents=True)
    lines = []
    for name, cards in (("rdone_1.jpg", "7H"), ("five.jpg", "2C 3D 4H 5S 6C")):
        picture, names = felt(), [(card[:-1], card[-1]) for card in cards.split()]
        for n, card in enumerate(names):
            put(picture, face_of(card), 120 + 160 * n, 300, 4.0 * n)
        cv2.imwrite(str(folder / name), picture)
        told = [{"rank": rank, "suit": suit, "box": [0, 0, 1, 1]} for rank, suit in names]
        line = {"image": name, "source": "drawn", "license": "none stated", "layout": "separate", "complete": True}
        lines.append(line | {"cards": told})
    _write_lines(folder, lines)


def _race(shared: Path) -> None:
    """A board with disks and one with pawns."""
    for camera, name in (("R705", "camR705_race_70513"), ("R704", "camR704_race_71303")):
        folder = shared / "race" / camera
        folder.mkdir(parents=True)
        told = json.loads((DATA / "race" / f"{name}.json").read_text(encoding="utf-8"))
        board = load_board(told["board"])
        told |= {"game": board.game, "spots_mm": dict.fromkeys(board.spots), "px_per_mm_centre": 1.1, "seed": 5}
        told["camera"] = _camera(load_lens(DATA / "race" / f"cam{camera}.lens.json"))
        told["dice"] = [die | {"box": [0, 0, 1, 1]} for die in told["dice"]]
        (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")
        shutil.copy(DATA / "race" / f"{name}.jpg", folder)
        shutil.copy(DATA / "race" / f"cam{camera}.lens.json", folder / "lens.json")


def _rods(shared: Path) -> None:
    folder = shared / "rods"
    folder.mkdir()
    table = VirtualTable(default_kit("suspend"), SMALL_LENS, seats="AB", seed=3, wait=lambda _: None)
    zones = {rod["id"]: rod["zone"] for rod in table.truth()["rods"]}
    rods = [
        {"colour": rod["color"], "zone": zones[rod["id"]], "loose": not rod["is_hung"], "path_mm": rod["path_mm"]}
        for rod in json.loads(table.saved())["rods"]
    ]
    _photograph(folder, "camV_rods_1", table, {"rods": rods, "die": {"colour": "red"}})


def _rummy(shared: Path) -> None:
    folder = shared / "rummy"
    folder.mkdir()
    table = VirtualTable(default_kit("manipulation_rummy"), SMALL_LENS, seats="AB", seed=1, wait=lambda _: None)
    names = ("5C", "6C", "7C")
    for n, name in enumerate(names):
        table.deal(150 + 70 * n, 150, name)
    seen = {"face_down": False, "index_tl_visible": 1.0, "index_br_visible": 1.0}
    cards = [{"id": name, "rank": name[:-1], "suit": name[-1], **seen} for name in names]
    label = {"cards": cards, "melds": [{"cards": list(names)}], "design": "drawn"}
    _photograph(folder, "camV_rummy_1", table, label)


def _photograph(folder: Path, name: str, table: VirtualTable, label: dict[str, Any]) -> None:
    picture = table.frame()
    assert picture is not None
    cv2.imwrite(str(folder / f"{name}.jpg"), picture)
    told = {"picture": f"{name}.jpg", "camera_id": "V", "camera": _camera(table.lens)} | label
    (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")


def _camera(lens: Lens) -> dict[str, Any]:
    return {
        "width": lens.width_px,
        "height": lens.height_px,
        "K": lens.matrix.tolist(),
        "dist_k1_k2_p1_p2": list(lens.distortion[:4]),
    }


def _write_lines(folder: Path, lines: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "labels.jsonl").write_text(text, encoding="utf-8")


# the forms


def _dice_form(small: Small) -> None:
    models = ROOT / "vision" / "models"
    small.sets("bench.dice", UNSEEN=small.folder / "unseen.jsonl")
    small.sets("bench.drawn.notdice", PICTURES=1)
    small.sets("bench.drawn.leaning_dice", PICTURES=1)
    small.calls("bench.dice", "--shared", small.shared, "--record", f"drawn={models}", main="record")
    small.measures("bench.dice")


def _cards_form(small: Small) -> None:
    small.sets("bench.notcards", PICTURES=1, PHOTOGRAPHS=())
    small.measures("bench.cards")


def _eyes_form(small: Small) -> None:
    small.sets("bench.eyes", SCENES=1)
    small.measures("bench.eyes")


def _book_form(small: Small) -> None:
    small.sets("bench.book", MATCHES=12)
    small.calls("bench.book")


def _phones_form(small: Small) -> None:
    small.patch.setenv("PHONES_GAMES", "center_point")
    small.sets("bench.phones", TURNS=1)
    small.measures("bench.phones")


def _pairing_form(small: Small) -> None:
    small.sets("bench.pairing", SPEED_PLAYERS=(9, 30), HISTORIES=3, FIDE_PLAYERS=(6, 12))
    small.measures("bench.pairing")


def _race_form(small: Small) -> None:
    rows = import_module("bench.race").REFERENCE.read_text(encoding="utf-8").splitlines()
    few = small.folder / "reference.jsonl"
    few.write_text("\n".join([rows[0], rows[-1], ""]), encoding="utf-8")
    small.sets("bench.race", REFERENCE=few, MATCHES=small.folder / "matches.jsonl", SPEED_S=0.01, PLAY_MS=0.1)
    small.calls("bench.race", "--matches", 1)
    small.sets("bench.race", POSITIONS=1, PLAYOUTS=1)
    small.calls("bench.race", "--reference")


def _rummy_form(small: Small) -> None:
    small.sets("bench.rummy", TABLES=1, TABLE_CARDS=9)
    small.measures("bench.rummy")


def _trace_form(small: Small) -> None:
    small.sets("bench.trace", WARM=1, LENS=SMALL_LENS)
    small.calls("bench.trace")


def _train_race_form(small: Small) -> None:
    for game in ("center_point", "basic_manipulation"):
        small.calls("bench.train_race", game, "--games", 2, "-o", small.folder / "hints.toml")
    print((small.folder / "hints.toml").read_text(encoding="utf-8"))


LOADS = {
    "table": ("--phones", 3, "--pushes", 2, "--pause", 0),
    "hours": ("--hours", 0.02, "--phones", 3),
    "hub": ("--phones", 3, "--players", 4, "--hostile", 1),
}
"""The small form of each scenario. test_soak.py runs `soak`."""


def _load_form(small: Small) -> None:
    for scenario, given in LOADS.items():
        small.starts("bench.load", scenario, *given)


def _lookalikes_form(small: Small) -> None:
    from bench.lookalikes import made

    print(made("# Version: 1.0\n0041 ; 0061 ; MA\n", "# Version: 1.0\n200B ; Default_Ignorable_Code_Point\n"))


def _taught(form: Callable[[Small], None], *packages: str) -> Callable[[Small], None]:
    """The form where the packages of the extra `train` are installed."""

    def where_installed(small: Small) -> None:
        for package in packages:
            pytest.importorskip(package, reason="training needs the extra `train`")
        form(small)

    return where_installed


def _board_again_form(small: Small) -> None:
    boards_of = [word for folder in (small.shared / "race").iterdir() for word in ("--boards", folder)]
    small.calls("bench.train.board_again", *boards_of, "--steps", 2, "-o", small.folder / "board_again.onnx")


def _train_dice_form(small: Small) -> None:
    small.sets("bench.train.dice", BATCH=dict.fromkeys(("find", "face", "inks", "context", "pose"), 4))
    photos = ("--photos", small.shared / "photos" / "dice")
    small.calls("bench.train.dice", *photos, "--scenes", 6, "--steps", 0.0001, "-o", small.folder)
    assert len([*small.folder.glob("dice_*.onnx")]) == 5


def _rods_form(small: Small) -> None:
    small.calls(
        "bench.train.rods", "--tables", small.shared / "rods", "--virtual", 1, "--minutes", 0.01, "-o", small.folder
    )


def _fit_form(small: Small) -> None:
    """`rods` and `board`; `cards` needs card art, `dice` networks taught without each source of photographs."""
    boards, rods = (small.shared / "race").iterdir(), ("--tables", small.shared / "rods", "--cameras", "V")
    for reader, given in (("board", boards), ("rods", rods)):
        import_module(f"bench.fit.{reader}").main([*map(str, given), "-o", str(small.folder)])


FORMS: dict[str, Callable[[Small], None]] = {
    "bench.board": lambda small: small.measures("bench.board"),
    "bench.book": _book_form,
    "bench.calibration": lambda small: small.measures("bench.calibration"),
    "bench.cards": _cards_form,
    "bench.dice": _dice_form,
    "bench.eyes": _eyes_form,
    "bench.eyes_cameras": lambda small: small.measures("bench.eyes_cameras"),
    "bench.fit.__main__": _fit_form,
    "bench.hidden_dice": lambda small: small.calls("bench.hidden_dice", "--rooms", 1, "--tables", 1),
    "bench.load.__main__": _load_form,
    "bench.lookalikes": _lookalikes_form,
    "bench.pairing": _pairing_form,
    "bench.phones": _phones_form,
    "bench.race": _race_form,
    "bench.rods": lambda small: small.measures("bench.rods"),
    "bench.rummy": _rummy_form,
    "bench.rummy_tables": lambda small: small.measures("bench.rummy_tables"),
    "bench.trace": _trace_form,
    "bench.train.board_again": _taught(_board_again_form, "torch", "onnx"),
    "bench.train.dice": _taught(_train_dice_form, "torch", "onnx"),
    "bench.train.rods": _taught(_rods_form, "torch", "onnx"),
    "bench.train_race": _train_race_form,
}
