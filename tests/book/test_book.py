"""The household's book: nothing is lost by changes of names, imports and removals; figures: test_figures."""

from __future__ import annotations

import io
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from companion.book import exchange
from companion.book.book import PLAYS, BookKnown, PlayBook
from companion.book.facts import GroupTold, Household, Merged, PersonTold, PlayTold
from companion.book.figures import Figures
from companion.book.play import Play, Sat
from companion.book.ratings import Ratings
from companion.match.inputs import Act, BeginAnew
from companion.record.check import verify
from tests.book.evenings import BEGAN_S, DAY_S, evenings
from web.table.app import create_app
from web.table.book import book_pages
from web.table.start import start_page

LATER_S = BEGAN_S + 7 * DAY_S
"""The second evening."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The logs of four evenings."""
    made = tmp_path_factory.mktemp("evenings")
    evenings(made, 4)
    MatchLibrary(made).book.known(60.0)
    return made


@pytest.fixture
def library(folder: Path, tmp_path: Path) -> MatchLibrary:
    """A copy of these evenings that a test may change."""
    for log in folder.glob("*.db"):
        shutil.copy2(log, tmp_path)  # with its time of change: the book has read it
    return MatchLibrary(tmp_path)


def figures(library: MatchLibrary) -> Figures:
    return Figures(library.book.known(60.0))


@pytest.fixture
def phone(library: MatchLibrary) -> Iterator[FlaskClient]:
    door = TableDoor(library.folder, lambda game, chosen: None)
    more = [book_pages(library, lambda: LATER_S)]
    yield create_app(door, join_url="http://192.168.4.1/", more=more).test_client()
    door.close()


def test_the_book_is_rebuilt_from_the_logs(library: MatchLibrary) -> None:
    before = figures(library).known.plays
    (library.folder / PLAYS).write_bytes(b"not a database" * 100)
    assert figures(MatchLibrary(library.folder)).known.plays == before


def test_names_are_merged_and_split_again_without_loss(library: MatchLibrary) -> None:
    before = figures(library)
    library.book.tell("Ann", [Merged("Cem", "Ann")])
    merged = figures(library)
    assert "cem" not in merged.people
    assert merged.people["ann"].names == ("Ann", "Cem")
    ((entry, _),) = merged.known.household.merged.values()
    library.book.take_back("Ann", entry)
    after = figures(library)
    assert [after.person(key) for key in after.people] == [before.person(key) for key in before.people]


def test_a_removed_person_is_in_no_file_and_every_log_verifies(library: MatchLibrary, phone: FlaskClient) -> None:
    library.book.tell("Cem", [PersonTold("Cem", "teal")], [b"a picture of Cem"])
    library.book.tell("Cem", [GroupTold("Fridays", ("Cem", "Ann")), Merged("Cemil", "Cem"), PersonTold("Cem Lee")])
    before = figures(library).person("cem")
    origin = {"Origin": "http://localhost"}
    told = {"do": "remove", "person": "cem", "sure": "Cem"}
    assert phone.post("/book/people", data=told, headers=origin).status_code == 303
    for path in library.folder.glob("*.db"):
        assert b"Cem" not in path.read_bytes().replace(b"Cem Lee", b""), path
        if path.name != PLAYS:
            assert verify(path).faults == ()
    after = figures(library)
    assert after.person("player 1").all.wins == before.all.wins
    assert after.group("Fridays") == {"player 1", "ann"}
    assert {"cem lee", "ann"} <= after.people.keys()
    assert after.people["player 1"].picture is None
    seen = next(one.play.name for one in before.plays if one.play.has_log)
    view = phone.get(f"/book/play/{seen}").get_data(as_text=True)
    assert "a name was taken out of this record" in view
    # whoever had played blue had a red dot: somebody's own colour was read as the side that they played
    sides = next(one.play.seats for one in before.plays if one.play.name == seen)
    colors = [sat.seat for sat in sides if sat.seat in ("red", "blue", "yellow", "green")]
    assert [color for color in re.findall(r'data-color="(\w+)"', view) if color in colors] == colors


def test_a_person_of_the_ended_match_on_the_table_is_removed_from_it_too(tmp_path: Path) -> None:
    door = TableDoor(tmp_path, lambda game, chosen: None)
    more = [start_page(door), book_pages(MatchLibrary(tmp_path, door.lends))]
    client = create_app(door, join_url="http://192.168.4.1/", more=more).test_client()
    assert client.get("/board", follow_redirects=True).request.path == "/book/evening"
    door.begin("score_pad", 2, {"preset": "race"}, "a test", people=("Cem", "Ann"))
    told, origin = {"do": "remove", "person": "cem", "sure": "Cem"}, {"Origin": "http://localhost"}
    assert client.post("/book/people", data=told, headers=origin).status_code == 409
    assert door.submit(Act(seat="B", move="won A", by="Ann")).entry
    assert client.post("/book/people", data=told, headers=origin).status_code == 303
    assert [seat.name for seat in door.view().seats] == ["Player 1", "Ann"]
    assert b"Cem" not in b"".join(path.read_bytes() for path in tmp_path.glob("*.db*"))
    told = told | {"person": "ann", "sure": "Ann"}
    assert door.submit(BeginAnew(match=door.view().match)).entry
    assert client.post("/book/people", data=told, headers=origin).status_code == 409  # Ann plays
    door.begin("score_pad", 1, {}, "a test", instead_of=door.view().match)
    assert client.post("/book/people", data=told, headers=origin).status_code == 303
    assert door.before()[0].seats[1].name == "Player 2"  # type: ignore[index]
    door.close()
    assert all(verify(path).faults == () for path in tmp_path.glob("score_pad-*.db"))


@pytest.mark.parametrize("form", exchange.FORMS)
def test_an_export_that_is_imported_is_exported_the_same(library: MatchLibrary, form: str, tmp_path: Path) -> None:
    first = exchange.FORMS[form][0](figures(library).named())
    other = PlayBook(tmp_path / "other", lambda name: False)
    other.tell("Ann", [PlayTold(play) for play in exchange.found_in(first.encode()).plays])
    assert exchange.FORMS[form][0](Figures(other.known()).named()) == first


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{}", "no list of plays"),
        ("<!DOCTYPE a><plays/>", "declarations"),
        ("[" * 100_000, "cannot be read"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_list_of_plays_is_named(text: str, found: str) -> None:
    from companion.game.errors import NotationError

    with pytest.raises(NotationError, match=found):
        exchange.found_in(text.encode())


@pytest.mark.parametrize(
    ("text", "plays", "left_out"),
    [
        (
            "date,game,player,score\n2026-01-02,Uno,Ann,many\n\nsoon,Uno,Ben,3",
            1,
            [
                "line 2: the score many of Ann is not a number",
                "line 4: cannot be read (Invalid isoformat string: 'soon')",
            ],
        ),
        (
            '<plays><play id="1" date="2026-01-02" quantity="102"><item name="Uno"/></play><play date="x" quantity="y">'
            '<item name="Uno"/></play></plays>',
            100,
            [
                "play 1: one entry stands for 102 plays: only 100 are added",
                "play 2: cannot be read (invalid literal for int() with base 10: 'y')",
            ],
        ),
    ],
)
def test_what_an_import_leaves_out_is_said_line_by_line(text: str, plays: int, left_out: list[str]) -> None:
    found = exchange.found_in(text.encode())
    assert (len(found.plays), list(map(str, found.left_out))) == (plays, left_out)


def test_a_csv_of_another_program_is_read() -> None:
    text = "Date;Game;Player;Score;Won\n2026-01-02;Hearts;Jürgen;12,5 pts;yes\n2026-01-02;Hearts;Ben;;\n"
    text += "2026-01-02;Hearts;Jürgen;3;\n2026-01-02;Hearts;Ben;4;x\n"
    second, first = exchange.found_in(text.encode("cp1252")).plays
    assert [(sat.name, sat.points, sat.place) for sat in first.seats] == [("Jürgen", 12.5, 1), ("Ben", None, 2)]
    assert [(sat.name, sat.points, sat.place) for sat in second.seats] == [("Jürgen", 3.0, 2), ("Ben", 4.0, 1)]
    assert first.name != second.name


def test_a_play_is_left_out_and_counted_again(library: MatchLibrary, phone: FlaskClient) -> None:
    before = figures(library)
    name = before.plays[0].play.name
    for what, count in (("leave_out", len(before.plays) - 1), ("count", len(before.plays))):
        answer = phone.post(f"/book/play/{name}", data={"do": what}, headers={"Origin": "http://localhost"})
        assert answer.status_code == 303
        assert len(figures(library).plays) == count


def test_a_damaged_book_and_wrong_addresses_are_said_in_a_sentence(library: MatchLibrary, phone: FlaskClient) -> None:
    origin = {"Origin": "http://localhost"}
    assert phone.get("/book/replay/nope").status_code == 404
    assert phone.get(f"/book/evidence/nope/{'0' * 64}.jpg").status_code == 404
    assert phone.post("/book/people", data={"do": "split", "entry": "x"}, headers=origin).status_code == 409
    told = {"name": "Odd", "points": "inf 1e400"}
    assert phone.post("/book/leagues", data=told, headers=origin).status_code == 409
    (library.folder / "book.db").write_bytes(b"no database" * 500)
    assert phone.get("/book").status_code == 409


def test_the_better_player_is_rated_higher_and_more_plays_are_surer() -> None:
    draw = random.Random(3)
    plays = [
        Play(
            f"p-{n}", "g", "G", 1e9 + n, 60.0,
            tuple(Sat(name, name, None, 1 if name == won else 2, name == won) for name in ("Ann", "Ben")),
        )
        for n, won in enumerate(draw.choices(("Ann", "Ben"), (3, 1), k=40))
    ]  # fmt: skip
    book = Figures(BookKnown(tuple(plays), Household()))
    ann, ben = Ratings().after(book.plays, {"ann": "Ann", "ben": "Ben"})
    assert (ann.key, ann.points > 1500 > ben.points) == ("ann", True)
    few = Ratings().after(book.plays[-5:], {"ann": "Ann", "ben": "Ben"})
    assert ann.error < few[0].error < 1000


def test_each_page_opens(phone: FlaskClient) -> None:
    pages = "person/ann game/suspend year/2025 evening people leagues exchange add play/suspend-0001"
    for lang, title in (("en", "The book"), ("de", "Das Buch")):
        for page in ("", *pages.split()):
            answer = phone.get(f"/book/{page}".rstrip("/"), headers={"Accept-Language": lang})
            assert (answer.status_code, title in answer.get_data(as_text=True)) == (200, True), page
    assert phone.get("/book/evening.json").get_json()["plays"]
    assert len(phone.get("/book/export/csv").get_data(as_text=True).splitlines()) > 20


def test_what_a_phone_enters_stands_in_the_book(library: MatchLibrary, phone: FlaskClient) -> None:
    origin = {"Origin": "http://localhost"}

    def enters(page: str, **told: Any) -> int:
        return phone.post(f"/book/{page}", data=told, headers=origin).status_code

    assert enters("people", do="group", name="Fridays", people=["ann", "ben"]) == 303
    assert enters("people", do="told", person="ben", color="violet", guest="yes") == 303
    picture = cv2.imencode(".png", np.full((60, 90, 3), 200, np.uint8))[1].tobytes()
    assert enters("people", do="told", person="ann", color="red", picture=(io.BytesIO(picture), "a.png")) == 303
    assert enters("people", do="told", person="ann", color="red", picture=(io.BytesIO(b"none"), "a.png")) == 409
    assert enters("people", do="rename", person="dana", name="Dana Lee") == 303
    assert enters("leagues", name="All year", points="5 2,5 1") == 303
    assert enters("leagues", name="Wrong", points="many") == 409
    assert phone.post("/book/people", data={"do": "told", "person": "ann"}).status_code == 403
    book = figures(library)
    assert phone.get(f"/book/picture/{book.people['ann'].picture}.jpg").data[:2] == b"\xff\xd8"
    assert book.group("Fridays") == {"ann", "ben"}
    assert all(one.key != "ben" for one in book.leaders(book.plays))
    assert book.people["dana lee"].names == ("Dana Lee", "Dana")
    assert "2.5" in phone.get("/book/leagues").get_data(as_text=True)
    told = exchange.FORMS["bgstats"][0](book.named()).replace("suspend-0001@", "elsewhere@")
    sent = {"file": (io.BytesIO(told.encode()), "plays.json")}
    answer = phone.post("/book/exchange", data=sent, headers=origin).get_data(as_text=True)
    assert "1 plays are new" in answer
    before = figures(library)
    ((entry, (_, fact)),) = before.known.household.imports.items()
    assert (fact.file, fact.plays) == ("plays.json", 1)
    assert phone.post(f"/book/exchange/{entry}", headers=origin).status_code == 303
    after = figures(library)
    assert len(after.plays) == len(before.plays) - 1
    assert after.known.household.imports == {}
    assert phone.post(f"/book/exchange/{entry}", headers=origin).status_code == 409


TYPED = {"game": "Skat", "day": "2025-06-20", "name": ["Ann", "", "Eve"], "points": ["3,5", "9", "12"], "minutes": "30"}


@pytest.mark.parametrize(
    ("more", "won"),
    [({}, {"Eve"}), ({"wins": "lowest"}, {"Ann"}), ({"won": ["0", "2"]}, {"Ann", "Eve"}), ({"points": []}, None)],
)
def test_a_play_is_added_by_hand(
    library: MatchLibrary, phone: FlaskClient, more: dict[str, Any], won: set[str] | None
) -> None:
    answer = phone.post("/book/add", data=TYPED | more, headers={"Origin": "http://localhost"})
    assert answer.status_code == (409 if won is None else 303)
    found = [one for one in figures(library).plays if one.play.title == "Skat"]
    if won is None:
        assert found == []
        return
    (played,) = found
    assert {sat.name for sat in played.play.seats if sat.has_won} == won
    assert {sat.name: sat.points for sat in played.play.seats} == {"Ann": 3.5, "Eve": 12.0}
    assert (played.evening.isoformat(), played.play.played_s) == ("2025-06-20", 1800.0)


@pytest.mark.parametrize("wrong", [{"day": "2025-06-30"}, {"name": ["Ann", "ann"]}, {"points": ["many"]}])
def test_a_play_that_cannot_be_is_not_added(library: MatchLibrary, phone: FlaskClient, wrong: dict[str, Any]) -> None:
    before = len(figures(library).plays)
    answer = phone.post("/book/add", data=TYPED | wrong, headers={"Origin": "http://localhost"})
    assert (answer.status_code, 'role="alert"' in answer.text) == (409, True)
    assert len(figures(library).plays) == before


def test_a_form_that_is_refused_is_answered_by_a_page(phone: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who sent too large a file saw JSON."""
    monkeypatch.setattr("web.table.book.IMPORT_MAX_BYTES", 1000)
    browser = {"Accept": "text/html,*/*", "Referer": "http://localhost/book/exchange"}
    sent = {"file": (io.BytesIO(b" " * 1000), "plays.json")}
    answer = phone.post("/book/exchange", data=sent, headers=browser | {"Origin": "http://localhost"})
    assert (answer.status_code, answer.mimetype) == (413, "text/html")
    assert 'href="/book/exchange"' in answer.text
    assert phone.post("/book/people", headers=browser).mimetype == "text/html"
    assert phone.post("/book/people").mimetype == "application/json"
