"""The replay of a match: one file that opens anywhere, in English and German."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

from companion.app.door import TableDoor
from companion.cli.replay import command
from companion.game.errors import LogError
from companion.game.view import StepView
from tests.web import every_page, shown
from tests.web.access import assert_clean
from tests.web.fake_door import NOW_S, FakeDoor
from web.site.server import Server
from web.table.app import create_app
from web.table.replay import html
from web.table.start import start_page


def replay(name: str, folder: Path, lang: str = "en") -> Path:
    """The replay of a whole playthrough, in a folder of its own."""
    file = folder / "alone" / "match.html"
    file.parent.mkdir()
    if name == "eyes_of_the_emperor":
        card = shown.ruling()
        steps = [
            StepView(entry=n, by="Ann", at_s=NOW_S, says=card.says, table=shown.table(throw=n), last=(card,))
            for n in (1, 2, 3)
        ]
        told = html(shown.match_view(over=shown.over()), steps, lang, lambda _: shown.close_up())
    else:
        match: Any = every_page.played(name, folder, None)
        told = html(match.view(), match.steps(), lang, match.picture)
        match.close()
    file.write_text(told, encoding="utf-8")
    return file


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "lang", "scheme"),
    [
        pytest.param("center_point", "de", "dark", marks=pytest.mark.journey),
        ("eyes_of_the_emperor", "en", "light"),
        ("suspend", "en", "dark"),
        ("manipulation_rummy", "de", "light"),
    ],
)
def test_a_replay_plays_from_a_file_without_a_network(
    name: str, lang: str, scheme: Any, tmp_path: Path, browser: Browser
) -> None:
    file = replay(name, tmp_path, lang)
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme, offline=True)
    page = context.new_page()
    errors, asked = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    words = {"en": ("Next", "1 of", "of"), "de": ("Weiter", "1 von", "von")}[lang]
    expect(page.locator("#step")).to_contain_text(words[1])
    page.get_by_role("button", name=words[0]).click()
    expect(page.locator("#step")).to_contain_text(f"2 {words[2]}")
    assert_clean(page)
    page.locator("#step input").press("End")
    expect(page.locator("#over .won")).to_be_visible()
    assert_clean(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360
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


def test_a_log_is_written_as_a_page(tmp_path: Path) -> None:
    match: Any = every_page.played("suspend", tmp_path, None)
    match.close()
    log = next(tmp_path.rglob("*.db"))
    page = tmp_path / "page.html"
    assert CliRunner().invoke(command, [str(log), "--page", str(page)], standalone_mode=False).return_value == 0
    assert '"steps"' in page.read_text(encoding="utf-8")
    nowhere = CliRunner().invoke(command, [str(log), "--page", str(tmp_path / "none" / "page.html")])
    assert isinstance(nowhere.exception, LogError)


@pytest.mark.browser
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_the_film_shows_a_knock_out_a_close_call_with_its_question_and_a_win(
    locale: str, tmp_path: Path, browser: Browser
) -> None:
    door = TableDoor(tmp_path, lambda *_: None)
    app = create_app(door, join_url="http://192.168.4.1/", more=[start_page(door)])
    with Server(app, "127.0.0.1", 0).running() as server:
        context = browser.new_context(viewport={"width": 360, "height": 740}, locale=locale)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url + "start")
        page.locator("a[href='/film']").click()
        for words in {"en-GB": ("knocked out", "Too close to call", "knocked out", "Red won"),
                      "de-DE": ("geschlagen", "Zu knapp", "geschlagen", "Rot gewinnt")}[locale]:  # fmt: skip
            expect(page.locator("main")).to_contain_text(words)
            assert_clean(page)
        expect(
            page.get_by_role("link", name={"en-GB": "What do you play?", "de-DE": "Was spielt ihr?"}[locale])
        ).to_be_visible()
        assert errors == []
        context.close()
    door.close()
