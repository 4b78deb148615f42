"""What the games say: every sentence with a number in it is right for one, for several and for none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from companion.game.says import Says, counted

GAMES = Path(__file__).parents[2] / "companion" / "games"
THINGS = "pieces|cards|points|steps|packs|sixes|rods|jokers|ninjas|territories|players|entries|colors|markers|times"
MANY = re.compile(rf"\{{(\w+)\}} (?:\w+ )?(?:{THINGS}|\{{piece\}}s)\b")
ONE = re.compile(rf"\bone (?:\w+ )?(?:{THINGS})\b")
ALWAYS_MANY = {"all", "limit", "most", "inside", "ninjas", "samurai"}
"""Numbers that are never one: limits of the rules, and the set."""
NO_NUMBER = {"color", "pile"}
SAID_OF_SEVERAL = {
    "{count} {seat} territories are in the valley: one of each colour belongs there",
    "{count} ninjas are in the valley: at the start all are outside",
    "there are {count} ninjas, the set has 30",
    "{seat} has {points} points and is still in",
}
"""One, or none, is said in other words or not at all: beside each stands the condition."""

Call = tuple[str, ast.Call]


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All of a module's code."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def calls(name: str) -> Iterator[Call]:
    for path in sorted(GAMES.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                yield f"{path.relative_to(GAMES)}:{node.lineno}", node


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """Every text in a module that is not written for a program that calls it wrongly."""
    docs = {id(n.value) for n in nodes(path) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield f"{path.relative_to(GAMES)}:{node.lineno}", node.value


def tuples_of_words() -> dict[str, tuple[str, str]]:
    """`words = (one, many)`: the pairs that `counted` is given with a star, by module and line."""
    found = {}
    for path in sorted(GAMES.rglob("*.py")):
        for node in nodes(path):
            if (
                isinstance(node, ast.Assign)
                and isinstance(node.value, ast.Tuple)
                and "words" in ast.dump(node.targets[0])
            ):
                pair = tuple(each.value for each in node.value.elts if isinstance(each, ast.Constant))
                if len(pair) == 2:
                    found[f"{path.relative_to(GAMES)}:{node.lineno}"] = (str(pair[0]), str(pair[1]))
    return found


Sentence = tuple[str, str, str, str | None]


def sentences() -> Iterator[Sentence]:
    """Where, for one, for several, for none: every sentence by a number."""
    for where, call in calls("counted"):
        words = [each.value for each in call.args if isinstance(each, ast.Constant)]
        none = next(
            (k.value.value for k in call.keywords if k.arg == "none" and isinstance(k.value, ast.Constant)), None
        )
        if len(words) == 2:
            yield where, str(words[0]), str(words[1]), none if none is None else str(none)
    for where, (one, many) in tuples_of_words().items():
        yield where, one, many, None


class Blanks(dict[str, str]):
    """Some word for every other value of a template."""

    def __missing__(self, key: str) -> str:
        return "it"


@pytest.fixture(scope="module")
def by_number() -> list[Sentence]:
    return list(sentences())


def test_a_sentence_by_a_number_is_right_for_one_for_two_and_for_none(by_number: list[Sentence]) -> None:
    assert len(by_number) > 30
    for where, one, many, none in by_number:
        said = {n: counted(n, one, many, none=none) for n in (0, 1, 2)}
        told = {n: says.template.format_map(Blanks({"count": str(n)})) for n, says in said.items()}
        assert not ONE.search(told[1]), where
        assert not re.search(rf"\b1 (?:\w+ )?(?:{THINGS})\b", told[1]), where
        assert re.search(r"\b2\b", told[2]), where
        assert len(set(told.values())) == 3, where
        assert "0" not in told[0] or none is None, where


def test_no_other_sentence_puts_a_number_before_several_things(by_number: list[Sentence]) -> None:
    right = {text for _, _, many, none in by_number for text in (many, none or many)} | SAID_OF_SEVERAL
    glued = []
    for path in sorted(GAMES.rglob("*.py")):
        for where, text in texts(path):
            found = {name for name in MANY.findall(text) if name not in ALWAYS_MANY}
            if found - NO_NUMBER and text not in right:
                glued.append(f"{where}: {text}")
    assert glued == []


def test_no_sentence_is_glued_from_another() -> None:
    """A sentence within a sentence stays one: as text no catalogue could translate it."""
    glued = [
        where
        for where, call in calls("Says")
        for node in ast.walk(call)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
    ]
    assert glued == []
    assert str(Says("{a}", {"a": Says("b")})) == "b"
