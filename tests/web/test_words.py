"""Every sentence of our pages is in the catalogue that a translator gets, and nothing else is."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

from companion.event.hub.desk import HUB
from companion.event.hub.roles import Role
from companion.game.says import Says, each_as, listed
from companion.game.view import SeatView
from companion.match.inputs import author
from tests.web.shown import match_view
from web.words import said_in, translate
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
    assert {role.replace("_", " ") for role in Role} | {HUB.name} <= NAMED
    said = frozenset().union(*english().values())
    for owner in english():
        told = owner / "words" / "de.toml"
        if told.exists():
            assert sorted(tomllib.loads(told.read_text(encoding="utf-8")).keys() - said) == [], told


def test_what_a_camera_says_can_be_translated() -> None:
    """A German phone read: the camera has sent nothing for 3 s: check its cable."""
    for module in (WEB.parent / "hardware").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "CameraError":
                assert not isinstance(node.args[0], ast.Constant | ast.JoinedStr), f"{module.name}:{node.lineno}"


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


def test_a_value_is_never_told_by_its_letters() -> None:
    """Mum had seat A: the ace went "to the group of Mum". Back, Undo and 5C became a German word, a button, a card."""
    seats = (SeatView(seat="A", name="Mum"), SeatView(seat="B", name="Close"), SeatView(seat="C", name="5C"))
    said = said_in(match_view(seats=seats, table={"melds": []}))
    put = Says("add {cards} to the group of {rank}: {meld}", {"cards": "AC", "rank": "A", "meld": "[AC AD AH]"})
    assert translate(put, "en", said) == "add A♣ to the group of A: [A♣ A♦ A♥]"
    won = Says("{winners} share the win", {"winners": listed(each_as("seat", "ABC"))})
    assert translate(won, "de", said) == translate(won, "de").translate({65: "Mum", 66: "Close", 67: "5C"})
    for name in ("Close", "Undo", "5C", "A", "red", "1.5"):
        assert (
            translate(Says("{name} says: {words}", {"name": name, "words": name}), "de", said) == f"{name} sagt: {name}"
        )
        assert translate(author(name), "de", said) == name
        took = Says("{name} takes the seat {place}", {"name": name, "place": "red"})
        assert name in translate(took, "de", said)
