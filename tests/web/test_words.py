"""Every sentence of our pages is in the catalogue that a translator gets, and nothing else is."""

from __future__ import annotations

import ast
import re
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from companion.event.hub.desk import HUB
from companion.event.hub.roles import Role
from companion.game.known import GAMES, game_named
from companion.game.says import Says, each_as, listed, says_of_json
from companion.game.view import SeatView, Sight
from companion.match.inputs import CallReferee, author
from companion.match.match import Match
from companion.record.log import Log
from tests.web.shown import match_view
from web.words import catalogue, said_in, translate
from web.words.collect import NAMED, PASSED_ON, QUOTED, english, lacking, untraced

WEB = Path(__file__).resolve().parent.parent.parent / "web"


def test_the_text_of_every_sentence_can_be_collected() -> None:
    """A function gave the template of "Put 6♠ 10♠ in their places": no catalogue had it, and no test missed it.

    In one test, because the collector reads all our modules.
    """
    found = untraced()
    assert found - PASSED_ON == set(), "sentences whose text the collector cannot tell from the code"
    assert PASSED_ON - found == set(), "these are told by now: take them out of PASSED_ON"
    assert list(lacking("de")) == [], "type `python -m web.words.collect de` to list them"
    said = frozenset().union(*english().values())
    for owner in english():
        told = owner / "words" / "de.toml"
        if told.exists():
            assert sorted(tomllib.loads(told.read_text(encoding="utf-8")).keys() - said) == [], told


def test_a_house_rule_is_a_question_or_a_sentence_to_fill_in() -> None:
    """Two games had fragments there: the wooden connector is a hanging point."""
    for name, language in product(GAMES, ("en", "de")):
        for option in game_named(name).options:
            assert re.fullmatch(r"[A-Z].*[?:]", translate(option.says, language)), name


def test_what_a_camera_says_can_be_translated() -> None:
    """A German phone read: the camera has sent nothing for 3 s: check its cable."""
    for module in (WEB.parent / "hardware").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CameraError":
                assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), f"{module.name}:{node.lineno}"


def test_a_sentence_of_the_box_is_read_in_german_also_in_the_history(tmp_path: Path) -> None:
    """What the button had said to everybody was entered as English text."""
    match: Match[Any, Any] = Match(
        game_named("eyes_of_the_emperor"), Log(tmp_path / "m.db"), wall_s=lambda: 1.0, monotonic_s=lambda: 1.0
    )
    words = "the button {name} stays pressed: free it, or take off whatever is on it"
    match.submit(CallReferee(by="button", sentence=Says(words, {"name": Says("end throw")})))
    match.saw(Sight.SEES, Says("the table is seen"))
    match.saw(Sight.BLIND, Says("the camera hung {n} times: switch the box off and on", {"n": 3}), "no_picture")
    match.submit(CallReferee(by="Ann", words="komm mal"))  # answered after what was seen is entered
    view = match.view()
    match.close()
    assert [translate(Says("{words}", {"words": call.words}), "de") for call in view.calls] == [
        "der Knopf Wurf beenden bleibt gedrückt: mach ihn frei oder nimm weg, was darauf liegt",
        "komm mal",
    ]
    told = [translate(line.says, "de") for line in view.history]
    assert any("die Kamera hing 3 Mal" in line for line in told)
    assert any("der Knopf Wurf beenden bleibt gedrückt" in line for line in told)


RIGHT_TO_LEFT = "\u05d3\u05df"


@pytest.mark.parametrize(
    ("says", "lang", "told"),
    [
        (Says("{seat} won", {"seat": "red"}), "xx", "red won"),  # unknown languages stay English
        (Says("{seat} won", {"seat": "red"}), "../en", "red won"),
        # a player who was out was "draußen", as a die is
        ("out", "de", "draußen"),
        ("out|player", "de", "ausgeschieden"),
        ("out|player", "en", "out"),
        # the numbers and the punctuation that follow a name from right to left were drawn on its other side
        (
            Says("{name} at {time}", {"name": RIGHT_TO_LEFT, "time": "1:26"}),
            "en",
            f"\u2068{RIGHT_TO_LEFT}\u2069 at 1:26",
        ),
        # a sentence without its values does not break the page
        (Says("{seat} throws", {}), "en", "{seat} throws"),
        (Says("a brace { alone", {}), "en", "a brace { alone"),
    ],
)
def test_a_sentence_is_told_in_a_language(says: Says | str, lang: str, told: str) -> None:
    assert translate(says, lang) == told


def test_each_refusal_is_found_in_the_docs() -> None:
    docs = (WEB.parent / "docs" / "phones.md").read_text(encoding="utf-8")
    source = "".join(
        p.read_text(encoding="utf-8")
        for p in (*WEB.glob("site/*.py"), *WEB.glob("table/*.py"), WEB.parent / "companion/match/inputs.py")
        if p.name != "virtual.py"
    )
    codes = set(re.findall(rf"Refusal\(\s*\d+,\s*{QUOTED}", source))
    assert len(codes) > 10
    assert {code for code in codes if f"`{code}`" not in docs} == set()
    assert {f"`{tag}`" for tag in re.findall(rf"tag={QUOTED}", source)} <= set(re.findall(r"`[a-z_]+`", docs))


def test_a_translation_says_only_what_the_sentence_knows() -> None:
    holes = re.compile(r"\{(\w+)\}").findall
    assert [key for key, words in catalogue("de").items() if not set(holes(words)) <= set(holes(key))] == []


def test_each_role_of_an_event_is_a_word() -> None:
    assert {role.replace("_", " ") for role in Role} | {HUB.name} <= NAMED


def test_a_value_is_never_told_by_its_letters() -> None:
    """Mum had seat A: the ace went "to the group of Mum". Back, Undo and 5C became a German word, a button, a card."""
    seats = (SeatView(seat="A", name="Mum"), SeatView(seat="B", name="Close"), SeatView(seat="C", name="5C"))
    said = said_in(match_view(seats=seats, table={"melds": []}))
    put = Says("put {cards} to the group of {rank}: {meld}", {"cards": "AC", "rank": "A", "meld": "[AC AD AH]"})
    assert translate(put, "en", said) == "put A♣ to the group of A: [A♣ A♦ A♥]"
    won = Says("{winners} share the win", {"winners": listed(each_as("seat", "ABC"))})
    assert translate(won, "de", said) == translate(won, "de").translate({65: "Mum", 66: "Close", 67: "5C"})
    for name in ("Close", "Undo", "5C", "A", "red", "1.5"):
        assert (
            translate(Says("{name} says: {words}", {"name": name, "words": name}), "de", said) == f"{name} sagt: {name}"
        )
        assert translate(author(name), "de", said) == name
        took = Says("{name} takes the seat {place}", {"name": name, "place": "red"})
        assert name in translate(took, "de", said)


def test_a_sentence_that_an_older_version_saved_is_told_as_one_of_today() -> None:
    saved = says_of_json(
        {"template": "{seat} laid {laid}: {table}", "values": {"seat": "A", "laid": "AC", "table": "[AC]"}}
    )
    seats = (SeatView(seat="A", name="Mum"),)
    assert translate(saved, "de", said_in(match_view(seats=seats))) == "Mum hat A♣ ausgelegt: [A♣]"
