"""The replay of a match, one file that opens anywhere, and its sheet."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from companion.cli.replay import command
from companion.game.errors import LogError
from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView, StepView
from companion.match.match import Match
from companion.record.log import Log
from tests.book.evenings import play
from tests.games.playthrough import FOLDER
from tests.web import shown
from tests.web.access import assert_clean
from tests.web.fake_door import NOW_S, FakeDoor
from web.site.server import Server
from web.table.app import create_app
from web.table.book import book_pages
from web.table.replay import html
from web.table.score_sheet import pdf
from web.table.start import start_page


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of a match that is over."""
    return play(tmp_path, (FOLDER / "suspend-removal-duel.txt").read_text(encoding="utf-8"), NOW_S, ("Ann", "Ben"))


@pytest.mark.browser
@pytest.mark.journey
def test_a_replay_plays_from_a_file_without_a_network(log: Path, tmp_path: Path, browser: Browser) -> None:
    match: Match[Any, Any] = Match(game_named("suspend"), Log(log), wall_s=lambda: NOW_S, monotonic_s=lambda: NOW_S)
    file = tmp_path / "match.html"
    file.write_text(html(match.view(), match.steps(), "de", match.picture), encoding="utf-8")
    match.close()
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark", offline=True)
    page = context.new_page()
    errors, asked = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    expect(page.locator("#step")).to_contain_text("1 von")
    page.get_by_role("button", name="Weiter").click()
    expect(page.locator("#step")).to_contain_text("2 von")
    assert_clean(page)
    page.locator("#step input").press("End")
    expect(page.locator("#over .won")).to_be_visible()
    assert_clean(page)
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_pictures_and_words_of_people_are_in_the_file_and_cannot_end_its_script() -> None:
    card = replace(shown.ruling(), by="</script>")
    step = StepView(entry=3, by="</script>", at_s=NOW_S, says=card.says, table=shown.table(), last=(card,))
    view = shown.match_view(over=shown.over())
    told = html(view, (step,), "en", lambda sha256: b"\xff\xd8picture")
    assert "data:image/jpeg;base64," in told
    assert told.count("</script>") == told.count("<script")


def test_a_match_that_goes_on_has_no_replay_yet() -> None:
    door = FakeDoor(shown.match_view())
    client = create_app(door, join_url="http://192.168.4.1/").test_client()
    assert client.get("/match.html").status_code == 409
    step = StepView(entry=3, by="Ann", at_s=NOW_S, says=shown.ruling().says, table=shown.table(), last=())
    door.steps = lambda: (step,)  # type: ignore[method-assign]
    door.shows(over=shown.over())
    answer = client.get("/match.html")
    assert answer.headers["Content-Disposition"].startswith("attachment")


def test_the_book_gives_a_match_as_a_page(log: Path, tmp_path: Path) -> None:
    book = book_pages(MatchLibrary(tmp_path), lambda: NOW_S)
    client = create_app(FakeDoor(shown.match_view()), join_url="http://x/", more=[book]).test_client()
    answer = client.get(f"/book/replay/{log.stem}")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert '"steps"' in answer.text


def test_a_log_is_written_as_a_page(log: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert CliRunner().invoke(command, [str(log), "--page", str(page)], standalone_mode=False).return_value == 0
    assert '"steps"' in page.read_text(encoding="utf-8")
    nowhere = CliRunner().invoke(command, [str(log), "--page", str(tmp_path / "none" / "page.html")])
    assert isinstance(nowhere.exception, LogError)


@pytest.mark.browser
def test_the_film_shows_a_knock_out_a_close_call_with_its_question_and_a_win(tmp_path: Path, browser: Browser) -> None:
    door = TableDoor(tmp_path, lambda *_: None)
    app = create_app(door, join_url="http://192.168.4.1/", more=[start_page(door)])
    with Server(app, "127.0.0.1", 0).running() as server:
        page = browser.new_page(viewport={"width": 360, "height": 740}, locale="de-DE")
        page.goto(server.url + "start")
        page.locator("a[href='/film']").click()
        for words in ("geschlagen", "Zu knapp", "geschlagen", "Rot gewinnt"):
            expect(page.locator("main")).to_contain_text(words)
            assert_clean(page)
        expect(page.get_by_role("link", name="Was spielt ihr?")).to_be_visible()
        page.close()
    door.close()


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
