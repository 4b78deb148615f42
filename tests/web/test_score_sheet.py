"""The sheet of a match that is over: what is printed, in which order."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView
from tests.web import shown
from tests.web.fake_door import NOW_S, FakeDoor
from web.table.app import create_app
from web.table.score_sheet import pdf

MORE = "and so on, "
DAY = datetime.fromtimestamp(NOW_S + 3600)


def printed(folder: Path, view: MatchView, lines: tuple[HistoryLine, ...], lang: str) -> str:
    """The words of a sheet, laid out as on the page."""
    file = folder / "match.pdf"
    file.write_bytes(pdf(view, lines, lang, lambda _: None))
    done = subprocess.run(["pdftotext", "-layout", str(file), "-"], capture_output=True, text=True, check=True)
    return done.stdout


def test_it_reads_from_first_to_last_in_full_and_says_the_day_and_how_each_stood(tmp_path: Path) -> None:
    """It began with the end, told the time and not the day, cut long lines, and told neither score nor who called."""
    lines = tuple(
        HistoryLine(
            entry=n, says=Says(f"throw {n}: {MORE * 20}"), by="camera", at_s=NOW_S + 60 * n, is_retracted=n == 3
        )
        for n in range(90, 0, -1)
    )
    called = HistoryLine(entry=0, says=Says("calls the referee"), by="Dora", at_s=NOW_S, is_retracted=False)
    view = shown.match_view(over=shown.over(), history=lines[:60])
    seats = tuple(replace(seat, name=name) for seat, name in zip(view.seats, ("Ann", "Dora"), strict=True))
    text = " ".join(printed(tmp_path, replace(view, seats=seats), (*lines, called), "de").split())
    assert f"{DAY:%d.%m.%Y}" in text
    assert [int(n) for n in re.findall(r"Throw (\d+):", text)] == [*range(1, 91)]
    assert text.count(MORE.strip()) == 90 * 20
    assert text.count("(zurückgenommen)") == 1
    assert "..." not in text  # nothing came before
    for words in ("wins (§ Anleitung 14)", "Ann (Rot): noch 2 Augen", "Dora (Blau): kein Auge mehr"):
        assert words in text
    assert "Dora: Ruft den Schiedsrichter" in text


def test_it_can_be_had_after_somebody_has_begun_the_next_match(door: FakeDoor) -> None:
    client = create_app(door, join_url="http://localhost/").test_client()
    assert client.get("/match.pdf").status_code == 409
    line = HistoryLine(entry=1, says=Says("the match begins"), by="table", at_s=NOW_S, is_retracted=False)
    door.last = (shown.match_view(match="the-last", over=shown.over()), (line,))
    answer = client.get("/match.pdf")
    assert answer.data.startswith(b"%PDF")
    assert 'filename="the-last.pdf"' in answer.headers["Content-Disposition"]
