"""Every sentence of our pages is in the catalogue that a translator gets, and nothing else is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from companion.says import Says
from web.words import catalogue, translate, worded

WEB = Path(__file__).resolve().parent.parent.parent / "web"
QUOTED = r'"((?:[^"\\]|\\.)*)"'
SAID_BY_NAME = {"red", "blue", "yellow", "green", "ninja", "samurai"}
"""Words that pages say by what a view holds."""


def page_sentences() -> set[str]:
    found = set(SAID_BY_NAME)
    for script in WEB.rglob("static/**/*.js"):
        found |= set(re.findall(rf"\bsay\(\s*{QUOTED}", script.read_text(encoding="utf-8")))
    for template in WEB.rglob("templates/*.html"):
        text = template.read_text(encoding="utf-8")
        found |= {a or b for a, b in re.findall(rf"\bsay\((?:{QUOTED}|'([^']*)')", text)}
    for module in WEB.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Says":
                first = node.args[0]
                assert isinstance(first, ast.Constant), f"{module.name}:{node.lineno} says something put together"
                found.add(str(first.value))
    return found


def test_the_catalogue_holds_every_sentence_of_the_pages_and_no_other() -> None:
    listed = set(catalogue("en"))
    assert page_sentences() - listed == set(), "sentences missing in web/words/en.toml"
    assert listed - page_sentences() == set(), "sentences in web/words/en.toml that no page says"


def test_english_is_its_own_translation() -> None:
    assert all(key == value for key, value in catalogue("en").items())


@pytest.mark.parametrize("lang", ["xx", "../en", "", "en.toml"])
def test_an_unknown_language_stays_english(lang: str) -> None:
    assert translate(Says("{seat} won", {"seat": "red"}), lang) == "red won"


def test_a_sentence_within_a_sentence_is_said_too() -> None:
    inner = {"template": "{n} ninjas", "values": {"n": 3}}
    outer = {"template": "put back: {what}", "values": {"what": inner}}
    assert worded({"undo": [outer]}) == {"undo": ["put back: 3 ninjas"]}


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
    source = "".join(p.read_text(encoding="utf-8") for p in WEB.glob("*.py") if p.name != "virtual.py")
    codes = set(re.findall(rf"Refusal\(\s*\d+,\s*{QUOTED}", source))
    assert len(codes) > 10
    assert {code for code in codes if f"`{code}`" not in docs} == set()
    assert {f"`{tag}`" for tag in re.findall(rf"tag={QUOTED}", source)} <= set(re.findall(r"`[a-z_]+`", docs))
