"""The sentences of pages and games, as a translator needs them: `python -m web.words.collect LANGUAGE`.

A script has `say("...")`, a template `say('...')`, a module `Says("...")`. The pages' sentences belong to `web`, a
game's to its folder; a sentence of both belongs to the pages. The command prints what a translation lacks.
"""

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from companion.event.settings import Format, TieBreak
from companion.game.findings import Level
from companion.game.known import signs
from companion.game.names import NO_NAMES
from web.words import SAID_BY_NAME, catalogue

WEB = Path(__file__).resolve().parent.parent
ROOT = WEB.parent
GAMES = ROOT / "companion" / "games"
PACKAGES = ("companion", "web", "vision", "calibration", "hardware")
OURS = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if GAMES not in path.parents)
"""Modules with sentences for the pages; each game has a catalogue of its own."""
SAYING = ("Says", "EventRefused", "NoEvent", "DrawnCamera")
"""Constructors of a sentence. A tournament's refusal and a drawn camera's name take their words as a sentence does."""
MAKING = ("Says", "counted", "listed", "either", "joined")
"""Functions that build a sentence from its parts."""
FINDING = ("good", "warning", "bad", "unknown")
"""Functions that make a finding; its name is shown."""
SAYS_SOMETHING = re.compile(rf"\b(?:{'|'.join((*SAYING, *FINDING, 'counted'))})\(")
"""Matches modules with sentences; others need not be analysed."""
PASSED_ON = frozenset(
    {
        "companion/event/hub/facts.py: self.words",  # the words in an entry
        "companion/game/says.py: data['template']",
        "companion/game/says.py: f'{{{slot}}}'",  # a value alone, the same in every language
        "companion/event/refused.py: template",  # `EventRefused` as well
        "hardware/camera.py: name",  # `DrawnCamera` as well
    }
)
"""Sentences that are made elsewhere and only passed on here."""
SIDES = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")
"""Parts of a picture."""
ROLES = ("spectator", "player", "table referee", "head referee", "organiser", "the hub")
"""Authors of messages at an event: people's roles, and the hub. Only the hub's own pages know the hub."""
VALUES = (*Format, *TieBreak, *Level)
NAMED = frozenset(each.replace("_", " ") for each in (*ROLES, *VALUES, *SIDES, "drill", *NO_NAMES))
"""Names, also of a step of the set-up, that people read in place of a program's own words."""
QUOTED = r'"((?:[^"\\]|\\.)*)"'
SAID = re.compile(rf"\bsay\(\s*(?:{QUOTED}|'([^']*)')|\bcounted\([^\"]*{QUOTED}, {QUOTED}")


def owners() -> list[Path]:
    """The folders with a `words` folder: the pages' own, then each game's."""
    return [WEB, *sorted(path for path in GAMES.iterdir() if (path / "__init__.py").is_file())]


@cache
def english() -> Mapping[Path, frozenset[str]]:
    own, *games = owners()
    scripts = (*WEB.glob("static/**/*.js"), *WEB.glob("templates/**/*.html"))
    pages = frozenset(SAID_BY_NAME | NAMED | of_scripts(scripts) | of_modules(OURS))
    found = {own: pages}
    for game in games:
        said = of_scripts(game.glob("*.js")) | of_modules(game.glob("**/*.py")) | signs(game.name)
        found[game] = frozenset(said - pages)
    return found


def of_scripts(paths: Iterable[Path]) -> set[str]:
    """The sentences of scripts or templates."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return {words for text in texts for found in SAID.findall(text) for words in found if words}


def of_modules(paths: Iterable[Path]) -> set[str]:
    """The sentences of modules, whatever their text comes from: a name, a parameter, a function's result."""
    return set().union(*(module_of(path).texts for path in paths if says_something(path)))


def untraced() -> set[str]:
    """Places where a sentence's text cannot be found in the code: no catalogue can hold it."""
    games = (path for game in owners()[1:] for path in game.glob("**/*.py"))
    return {where for path in (*OURS, *games) if says_something(path) for where in module_of(path).untraced}


def says_something(path: Path) -> bool:
    """Whether a module may make a sentence; others are read only for the names that these import."""
    return SAYS_SOMETHING.search(path.read_text(encoding="utf-8")) is not None


@cache
def module_of(path: Path) -> "Module":
    return Module(path)


class Module:
    """The sentences in one module's code, and the places where the text could not be traced.

    A name has all values that the module gives it. A call has the returned ones.
    """

    def __init__(self, path: Path) -> None:
        self.texts: set[str] = set()
        self.untraced: list[str] = []
        self._imported: dict[str, tuple[Path, str]] = {}
        self._given: dict[str, list[ast.expr]] = defaultdict(list)
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        functions = {node.name: node.args for node in nodes if isinstance(node, ast.FunctionDef)}
        for node in nodes:
            self._learn(node, functions)
        for node in nodes if says_something(path) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for said in _said_by(node, node.func.id):
                    found = self.trace(said)
                    self.texts |= {text for text in found or () if text}
                    if found is None:
                        self.untraced.append(f"{path.relative_to(WEB.parent)}: {ast.unparse(said)}")

    def trace(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> set[str] | None:
        """All known texts of an expression; None if there are none. `seen`: names on the way to it."""
        match node:
            case ast.Constant(value=str() as text):
                return {text}
            case ast.Constant(value=None) | ast.Attribute(attr="template" | "says" | "sentence"):
                return set()  # not a text, or another sentence's text, which is collected where that sentence is made
            case ast.Call(func=ast.Name(id=name)) if name in MAKING:
                return set()
            case ast.IfExp(body=yes, orelse=no):
                parts = [yes, no]
            case ast.Tuple(elts=inner) | ast.List(elts=inner) | ast.Dict(values=inner) | ast.BoolOp(values=inner):
                parts = inner
            case ast.Starred(value=one) | ast.Subscript(value=one) | ast.NamedExpr(value=one):
                parts = [one]
            case ast.Name() | ast.Call():
                name = node.id if isinstance(node, ast.Name) else f"{_called(node)}()"
                if name in seen:
                    return set()
                if name not in self._given:
                    path, there = self._imported.get(name, (None, name))
                    return module_of(path).trace(ast.Name(there)) if path is not None else None
                parts, seen = self._given[name], seen | {name}
            case _:
                return None
        found = [texts for part in parts if (texts := self.trace(part, seen)) is not None]
        return set().union(*found) if found or not parts else None

    def _learn(self, node: ast.AST, functions: Mapping[str, ast.arguments]) -> None:
        """Notes the values that a node gives to names, its imports and what a function returns."""
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._give(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._give(target, value)
            case ast.For(target=target, iter=ast.Tuple(elts=values)):
                for value in values:
                    self._give(target, value)
            case ast.ImportFrom(module=str() as module, names=names, level=0):
                path = WEB.parent / f"{module.replace('.', '/')}.py"
                if path.is_file():
                    self._imported |= {each.asname or each.name: (path, each.name) for each in names}
            case ast.Call() if _called(node) in functions:
                takes = functions[_called(node)]
                told = [each.arg for each in (*takes.posonlyargs, *takes.args) if each.arg != "self"]
                for name, value in (
                    *zip(told, node.args, strict=False),
                    *((k.arg or "", k.value) for k in node.keywords),
                ):
                    self._given[name].append(value)

    def _give(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self._given[name].append(value)
            case ast.Tuple(elts=names), _:
                values = value.elts if isinstance(value, ast.Tuple) else [value] * len(names)
                for one, its in zip(names, values, strict=False):
                    self._give(one, its)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case _:
            return ""


def _said_by(call: ast.Call, name: str) -> Iterator[ast.expr]:
    """The texts of a call: `Says(words)`, and `counted(count, one, many, none=words)`."""
    if name in (*SAYING, *FINDING):
        yield from call.args[:1]
    elif name == "counted":
        yield from call.args[1:2] if any(isinstance(each, ast.Starred) for each in call.args[1:2]) else call.args[1:3]
        yield from (more.value for more in call.keywords if more.arg == "none")


def has_words(template: str) -> bool:
    """Whether a template has a letter outside its slots. Others need no translation.

    >>> has_words("{what} ({note})"), has_words("{n} cards")
    (False, True)
    """
    return re.search(r"[^\W\d_]", re.sub(r"\{\w+\}", "", template)) is not None


def lacking(lang: str) -> Iterator[str]:
    """The sentences that a translation lacks, as lines of TOML below the file that each belongs in."""
    for owner, sentences in english().items():
        told = catalogue(lang)
        missing = sorted(
            (words for words in sentences if words not in told and has_words(words)),
            key=lambda words: (words.lower(), words),
        )
        if missing:
            yield f"# {(owner / 'words' / f'{lang}.toml').relative_to(ROOT)}"
            yield from (f'{json.dumps(words, ensure_ascii=False)} = ""' for words in missing)


if __name__ == "__main__":
    for line in lacking(sys.argv[1]):
        print(line)
