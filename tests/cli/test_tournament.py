"""`companion tournament simulate` as a script calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli import main
from companion.event.fold import fold
from tests.event.events import entries_of


def called(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "simulate", *words])
    return int(ended.value.code or 0)


def test_an_event_prints_its_standings_and_one_line_for_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("--format", "swiss", "--players", "32", "--rounds", "5", "--seed", "1") == 0
    *table, last = capsys.readouterr().out.splitlines()
    told = json.loads(last)
    assert (told["seed"], told["format"], told["players"], told["rounds"]) == (1, "swiss", 32, 5)
    assert (told["rematches"], told["second_byes"]) == (0, 0)
    assert len(table) == 2 + 32
    assert table[1].split()[:3] == ["place", "name", "points"]


@pytest.mark.parametrize(
    "format_",
    ["round_robin", "groups", "single_elimination", "double_elimination", "pods", "limit", "goal"],
)
def test_every_format_plays_to_its_end(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert called("--format", format_, "--players", "8", "--calm", "--why") == 0
    out = capsys.readouterr().out
    assert out.startswith("Round 1")
    assert json.loads(out.splitlines()[-1])["champion"]


def test_entries_and_settings_are_files_that_can_be_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, written = tmp_path / "settings.json", tmp_path / "entries.json"
    given.write_text('{"rounds": 3, "points": {"win": 3, "draw": 1}, "tie_breaks": ["lot"]}', encoding="utf-8")
    assert called("--settings", str(given), "--entries", str(written), "--players", "6") == 0
    event = fold(entries_of(written.read_bytes()))
    assert (event.settings.points.win, len(event.rounds)) == (3, 3)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["entries"] == len(entries_of(written.read_bytes()))
