"""A game in a folder or package of its own is known once; then every command, page and the hub know it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.app.door import TableDoor
from companion.app.matches import last_ended, numbered, unfinished
from companion.app.playing import MatchChoice
from companion.game.brought import board_text
from companion.game.errors import NotationError
from companion.game.game import Game
from companion.game.known import GAMES, REGISTRY, file_of, game_named, names
from companion.game.registry import GAMES_FILE
from companion.match.inputs import Act, BeginAnew
from tests.cli.conftest import Call
from tests.conftest import PIG
from web.table.app import create_app
from web.table.start import start_page
from web.words import translate

pytestmark = pytest.mark.usefixtures("home")
NAME = "pig-2"
GERMAN = {"Accept-Language": "de"}


def plays(door: TableDoor, *moves: str) -> None:
    """Each move by whoever has the turn."""
    for move in moves:
        (seat,) = game_named(NAME).rules.to_move(door.match.state)
        receipt = door.submit(Act(seat=seat, move=move, by="Ann"))
        assert receipt.refused is None, receipt.refused


A_WINS = (*["d6"] * 5, "bank")


@pytest.fixture
def door(pig: Game[Any, Any], tmp_path: Path) -> Iterator[TableDoor]:
    made = TableDoor(tmp_path / "matches", lambda game, chosen: None)
    made.open(MatchChoice(game=NAME, players=2))
    yield made
    made.close()


def test_an_installed_package_declares_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(PIG, tmp_path / "site" / "pig_of_a_package", ignore=shutil.ignore_patterns("__pycache__"))
    about = tmp_path / "site" / "pig-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pig\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[companion.games]\n{NAME} = pig_of_a_package\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert names() == (*GAMES, NAME)
    page = file_of(NAME, "page.js")
    assert page.parent.name == "pig_of_a_package"


def test_a_game_that_cannot_be_loaded_hides_no_other(
    home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "__init__.py").write_text("GAME = 1 / 0\n", encoding="utf-8")
    settings = tmp_path / GAMES_FILE
    settings.write_text(f'[games]\nbroken = "broken"\ngone = "nowhere"\n"{NAME}" = "{PIG}"\n', encoding="utf-8")
    REGISTRY.use(settings)
    assert names() == (*GAMES, NAME)
    assert "the game broken is left out" in caplog.text
    assert "the game gone is left out" in caplog.text


@pytest.mark.parametrize(
    ("name", "said"), [("suspend", "as one of the product's"), ("../x", "small letters, digits and single hyphens")]
)
def test_a_name_that_is_taken_or_no_file_s_is_refused(tmp_path: Path, name: str, said: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(PIG, folder)
    text = (folder / "__init__.py").read_text(encoding="utf-8")
    (folder / "__init__.py").write_text(text.replace(f'name="{NAME}"', f'name="{name}"'), encoding="utf-8")
    with pytest.raises(NotationError, match=said):
        REGISTRY.add(folder)


def test_a_name_from_a_log_loads_no_folder(tmp_path: Path, door: TableDoor, call: Call) -> None:
    """A log that said `"game": "some/folder"` had the code in that folder run."""
    with pytest.raises(NotationError, match="unknown game"):
        game_named(str(PIG))


def test_its_logs_are_numbered_and_found_again(door: TableDoor, tmp_path: Path) -> None:
    """The digit and the hyphen of its name: a next match was refused, a new one opened the old file."""
    folder = tmp_path / "matches"
    plays(door, *A_WINS)
    assert door.submit(BeginAnew(match=door.view().match, by="Ann")).refused is None
    assert [path.name for path in numbered(folder)] == [f"{NAME}-0001.db", f"{NAME}-0002.db"]
    assert door.view().match == f"{NAME}-0002"
    plays(door, "d4")
    door.begin(NAME, 3, {"goal": "100"}, "the start page", instead_of=door.match.name)
    assert door.view().match == f"{NAME}-0003"
    plays(door, "d5")
    door.close()
    assert unfinished(folder) == NAME
    back = TableDoor(folder, lambda game, chosen: None)
    back.open(MatchChoice(game=NAME))
    assert back.view().table == {"scores": {"A": 0, "B": 0, "C": 0}, "turn": "A", "sum": 5, "goal": 100}
    back.close()


def test_its_match_sheet_is_there_after_a_restart(door: TableDoor, tmp_path: Path) -> None:
    plays(door, *A_WINS)
    door.close()
    back = TableDoor(tmp_path / "matches", lambda game, chosen: None)
    path = last_ended(tmp_path / "matches")
    assert path.stem == f"{NAME}-0001"
    page = create_app(back, join_url="http://localhost/", more=[start_page(back)]).test_client().get("/match.pdf")
    assert (page.status_code, page.data[:4]) == (200, b"%PDF")


@pytest.mark.parametrize("what", ["fiducials", "mat", "cards"])
def test_what_its_table_needs_is_printed(call: Call, tmp_path: Path, what: str) -> None:
    assert call("print", what, "--game", str(PIG), "-o", str(tmp_path / "out.pdf")).status == 0


@pytest.fixture
def ludo(tmp_path: Path) -> Path:
    """The kit of a game that is not known here, which names a board that is not the product's."""
    folder = tmp_path / "ludo"
    (folder / "boards").mkdir(parents=True)
    kit = (Path(file_of("center_point", "kit.toml") or "")).read_text(encoding="utf-8")
    kit = kit.replace('game = "center_point"', 'game = "ludo"').replace('board = "CP-120"', 'board = "LUDO"')
    (folder / "kit.toml").write_text(kit, encoding="utf-8")
    board = board_text("BM-129").replace('board = "BM-129"', 'board = "LUDO"')
    (folder / "boards" / "LUDO.toml").write_text(board, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('board = "LUDO"', 'board = "OTHER"', "there is no board 'OTHER', expected one of BM-129"),
        ('board = "LUDO"', "", "the kit names no board, and its game 'ludo' is not known here"),
        ('game = "ludo"\nboard = "LUDO"', 'game = "suspend"', "the kit of suspend has no board"),
    ],
)
def test_a_kit_without_a_board_is_refused_in_one_sentence(
    call: Call, ludo: Path, tmp_path: Path, old: str, new: str, said: str
) -> None:
    kit = ludo / "kit.toml"
    text = kit.read_text(encoding="utf-8")
    assert old in text
    kit.write_text(text.replace(old, new), encoding="utf-8")
    ended = call("print", "board", "--kit", str(kit), "-o", str(tmp_path / "none.pdf"))
    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert said in ended.err
    assert not (tmp_path / "none.pdf").exists()


def test_its_script_style_and_words_are_served(door: TableDoor) -> None:
    client = create_app(door, join_url="http://localhost/").test_client()
    page = client.get("/board", headers=GERMAN).text
    script = re.search(rf'src="(/static/[0-9a-f]+/whole/board/{NAME}.js)"', page)
    style = re.search(rf'href="(/static/[0-9a-f]+/games/{NAME}/page.css)"', page)
    assert script
    assert style
    assert 'class: "card pig"' in client.get(script[1]).text
    with client.get(style[1]) as served:
        assert served.text == (PIG / "page.css").read_text(encoding="utf-8")
    words = re.search(r'<script type="application/json" id="words">(.*?)</script>', page)
    assert words
    assert json.loads(words[1])["{name} collects"] == "{name} sammelt"
    assert client.get("/rules.json", headers=GERMAN).json["Play 2"].startswith("Eine Eins beendet")


def test_its_rulings_are_told_in_german(door: TableDoor) -> None:
    plays(door, "d4", "d5")
    assert translate(door.view().last[0].says, "de") == "9 in diesem Zug"
