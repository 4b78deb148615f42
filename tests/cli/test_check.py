"""`companion check GAME`: a whole game is good, and each thing that is wrong with one is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from companion.game.known import GAMES
from tests.cli.conftest import Call
from tests.conftest import PIG

pytestmark = pytest.mark.usefixtures("home")
RACES = ("basic_manipulation", "center_point")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.nightly) if name in RACES else name for name in GAMES]
)
def test_the_product_s_games_are_good(call: Call, name: str) -> None:
    ended = call("check", name, "--matches", "2")
    assert ended.status == 0, ended.out


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("__init__.py", "] = Game(", "] = (1 / 0)(", "declaration: FOLDER cannot be loaded (ZeroDivisionError"),
        ("__init__.py", "rule(2)", "rule(9)", "matches: cites 'Pig, Play 9', expected 'Pig, HEADING'"),
        ("__init__.py", "says=says,", "says=says, state_of=lambda text: start(),", "matches: the state does not"),
        ("__init__.py", "{**state.scores, action.seat", "{**_had(state), action.seat", "matches: apply changes"),
        ("__init__.py", "[Banked(state.turn)] if state.sum else", "[Banked(state.turn)] if True else", "listed action"),
        ("__init__.py", "if score >= state.goal:", "if score > 10**6:", "none of 2 random matches came to an end"),
        ("__init__.py", "if state.sum < 20 and", "if state.sum < 0 and", "matches: a hint for A is illegal"),
        ("words/de.toml", '"{seat} banks" = "{seat} sichert"\n', "", "words: words/de.toml lacks '{seat} banks'"),
        ("words/de.toml", '"{seat} sichert"', '"{who} sichert"', "'{seat} banks' has no {who}"),
        ("RULES.de.md", "## Play 4", "## Play 5", "rule sheet: RULES.de.md lacks 'Play 4'"),
        ("kit.toml", 'game = "pig-2"', 'game = "pig"', "kit: kit.toml: game is 'pig', expected 'pig-2'"),
        ("__init__.py", 'reader="tray"', 'reader="trays"', "kit: the reader is 'trays'"),
        ("__init__.py", "player:PigPlayer", "player:Pig", "autoplay: its player 'player:Pig' cannot be found"),
        ("page.js", "export const turn", "const turning", "page: page.js exports no turn"),
        ("page.js", "../../draw.js", "../../drew.js", "page: page.js cannot be put together"),
    ],
)
def test_what_is_wrong_with_a_game_is_told(
    call: Call, tmp_path: Path, file: str, old: str, new: str, said: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(PIG, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    had = "\n\ndef _had(state: State) -> Mapping[str, int]:\n    state.scores['A'] += 1\n    return state.scores\n"
    (folder / file).write_text(text.replace(old, new) + (had if "_had" in new else ""), encoding="utf-8")
    ended = call("check", str(folder), "--matches", "2")
    assert ended.status == 1
    bad = [line for line in ended.out.splitlines() if line.startswith("BAD ")]
    assert any(said.replace("FOLDER", str(folder)) in line for line in bad), ended.out
