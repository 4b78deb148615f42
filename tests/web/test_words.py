"""Every sentence of our pages is in the catalogue that a translator gets, and nothing else is."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from companion.event.hub.desk import HUB
from companion.event.hub.roles import Role
from companion.game.errors import CameraError
from companion.game.known import GAMES, game_named
from companion.game.says import Says, each_as, listed, says_of_json
from companion.game.view import SeatView, Sight
from companion.match.inputs import Act, CallReferee, author
from companion.match.match import Match
from companion.record.log import Log
from hardware.camera import DrawnCamera
from tests.web.shown import match_view
from vision.tables.board.dice import BLURRED, LEANS, TOO_BRIGHT
from vision.tables.board.fuse import DISAGREE
from web.words import catalogue, collect, encoded, of_pages, said_in, translate
from web.words.collect import NAMED, PASSED_ON, QUOTED, english, lacking, untraced

WEB = Path(__file__).resolve().parent.parent.parent / "web"


def test_the_text_of_every_sentence_can_be_collected() -> None:
    """A function gave the template of "Put 6♠ 10♠ in their places": no catalogue had it, and no test missed it."""
    assert untraced() - PASSED_ON == set(), "sentences whose text the collector cannot tell from the code"
    assert PASSED_ON - untraced() == set(), "these are told by now: take them out of PASSED_ON"


@pytest.mark.parametrize(
    ("code", "said", "is_told"),
    [
        ('def f(x):\n    return "b" if x else g()\ndef g():\n    return "c"\nSays(f(1), {})', {"b", "c"}, True),
        ('def f(words):\n    return Says(words)\nf("a")\nf(words="b")', {"a", "b"}, True),
        ('def f():\n    words = "a"\n    return Says(words)\ndef g():\n    words = h()', {"a"}, True),
        ('for a, words in (("x", "one"), ("y", "two")):\n    Says(words)', {"one", "two"}, True),
        ('Says(f"{x} rolls")', set(), False),
        ('Says("a" + x)', set(), False),
        ("Says(names[0].text)", set(), False),
    ],
)
def test_a_sentence_is_found_wherever_in_a_module_its_text_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: set[str], is_told: bool
) -> None:
    (tmp_path / "m.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(collect, "WEB", tmp_path / "web")
    module = collect.Module(tmp_path / "m.py")
    assert module.texts == said
    assert (module.untraced == []) is is_told


def test_words_of_a_game_are_translated_from_its_folder() -> None:
    assert "{seat} rolls a {value}" in catalogue("de")
    assert "{seat} rolls a {value}" not in of_pages("de")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", GAMES)
def test_a_house_rule_is_a_question_or_a_sentence_to_fill_in(name: str, language: str) -> None:
    """Two games had fragments there: the wooden connector is a hanging point."""
    for option in game_named(name).options:
        assert re.fullmatch(r"[A-Z].*[?:]", translate(option.says, language))


def test_what_a_camera_says_can_be_translated() -> None:
    """A German phone read: the camera has sent nothing for 3 s: check its cable."""
    for module in (WEB.parent / "hardware").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CameraError":
                assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), f"{module.name}:{node.lineno}"


def test_german_buttons_and_hints_say_what_they_do() -> None:
    """Undo read Zurück, as a way back does, and a hint: Wirf: Ninja."""
    assert translate("Undo", "de") == "Zurück\u00adnehmen"  # a narrow phone breaks it there
    assert translate(Says("throw a {piece}", {"piece": "ninja"}), "de") == "wirf einen Ninja"
    assert translate(Says("{color} territory", {"color": "blue"}), "de") == "Land von Blau"


def test_the_virtual_camera_is_called_so_in_german_too() -> None:
    with pytest.raises(CameraError) as silent:
        DrawnCamera("the virtual camera", lambda timeout_s: None).frame(0.1)
    assert translate(silent.value.sentence, "de") == "die virtuelle Kamera schickt kein Bild"


@pytest.mark.parametrize("why", [BLURRED, DISAGREE, LEANS, TOO_BRIGHT])
def test_why_a_die_cannot_be_read_is_said_in_german_too(why: str) -> None:
    asked = Says("the die cannot be read: {why}. What did {seat} roll?", {"seat": "red", "why": why})
    assert why in translate(asked)
    assert translate(asked, "de").startswith("der Würfel ist nicht zu lesen: ")
    assert why not in translate(asked, "de")


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


@pytest.mark.parametrize("lang", ["xx", "../en", "", "en.toml"])
def test_an_unknown_language_stays_english(lang: str) -> None:
    assert translate(Says("{seat} won", {"seat": "red"}), lang) == "red won"


def test_one_english_word_may_have_two_german_ones() -> None:
    """A player who was out was "draußen", as a die is."""
    assert [translate(word, "de") for word in ("out", "out|player")] == ["draußen", "ausgeschieden"]
    assert [translate(word, "en") for word in ("out", "out|player")] == ["out", "out"]
    assert str(Says("{seat}: {why}", {"seat": "A", "why": Says("out|player")})) == "A: out"


def test_a_sentence_within_a_sentence_is_said_too() -> None:
    outer = Says("put back: {what}", {"what": Says("{n} ninjas", {"n": 3})})
    assert encoded({"undo": [outer]}) == b'{"undo":["put back: 3 ninjas"]}'


def test_a_name_from_right_to_left_stands_by_itself_in_a_sentence() -> None:
    # the numbers and the punctuation that follow it were drawn on its other side
    name = "\u05d3\u05df"
    assert translate(Says("{name} at {time}", {"name": name, "time": "17:26"})) == f"\u2068{name}\u2069 at 17:26"
    assert translate(Says("{name} won", {"name": "Ann"})) == "Ann won"


def test_a_sentence_without_its_values_does_not_break_the_page() -> None:
    assert translate(Says("{seat} throws", {})) == "{seat} throws"
    assert translate(Says("a brace { alone", {})) == "a brace { alone"


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


HOLE = re.compile(r"\{(\w+)\}")


def test_every_sentence_is_translated() -> None:
    assert list(lacking("de")) == [], "type `python -m web.words.collect de` to list them"


def test_a_translation_says_only_what_the_sentence_knows() -> None:
    wrong = [key for key, words in catalogue("de").items() if not set(HOLE.findall(words)) <= set(HOLE.findall(key))]
    assert wrong == []


def test_nothing_is_translated_that_nobody_says() -> None:
    said = frozenset().union(*english().values())
    for owner in english():
        told = owner / "words" / "de.toml"
        if told.exists():
            assert sorted(tomllib.loads(told.read_text(encoding="utf-8")).keys() - said) == [], told


def test_each_role_of_an_event_is_a_word() -> None:
    assert {role.replace("_", " ") for role in Role} | {HUB.name} <= NAMED


def test_a_lettered_seat_is_called_by_who_sits_there_and_cards_by_their_suits() -> None:
    """The pages said: A lays 4D 10H."""
    seats = (SeatView(seat="A", name="JD"), SeatView(seat="B"))
    said = said_in(match_view(seats=seats, table={"melds": []}))
    laid = Says("{seat} lays {laid}, {other} {name}", {"seat": "A", "laid": "4D 10H", "other": "B", "name": "JD"})
    assert translate(laid, "en", said) == "JD lays 4♦ 10♥, B JD"
    assert translate(Says("the seat {place} is free", {"place": "A"}), "de", said) == "der Platz A ist frei"
    red = said_in(match_view(seats=(SeatView(seat="red", name="Ann"),)))
    assert translate(Says("{seat} rolls", {"seat": "red"}), "en", red) == "red rolls"


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


def test_a_history_is_told_in_the_page_s_language(tmp_path: Path) -> None:
    """It was glued from English texts."""
    match: Match[Any, Any] = Match(
        game_named("center_point"), Log(tmp_path / "m.db"), wall_s=lambda: 1.0, monotonic_s=lambda: 1.0,
        options={"colors": "rg"}, has_eyes=False,
    )  # fmt: skip
    match.submit(Act(seat="red", move="r d2", by="Ann"))
    assert translate(match.view().history[0].says, "de") == "Rot würfelt eine 2"
    match.close()


def test_suspend_s_sentences_call_a_piece_what_the_sheet_calls_a_piece() -> None:
    """Rods and pieces stood side by side for the same thing; the sheet says rod in its list of contents alone."""
    said = next(said for owner, said in english().items() if owner.name == "suspend")
    assert not [sentence for sentence in said if re.search(r"\brods?\b", sentence, re.IGNORECASE)]
