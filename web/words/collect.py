"""Which sentences the pages and the games say, and the English catalogues of them: `python -m web.words.collect`.

A script says what stands in `say("...")`, a template in `say('...')`, a module in `Says("...")`. The pages' sentences
are listed here, a game's in its own folder; what both say stands here alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from web.static_files import GAMES
from web.words import SAID_BY_NAME

WEB = Path(__file__).resolve().parent.parent
COMPANION = WEB.parent / "companion"
OURS = sorted(
    {path for folder in (WEB, COMPANION / "hub", COMPANION / "tournament") for path in folder.rglob("*.py")}
    | {*COMPANION.glob("*.py")}
)
"""Modules whose sentences the pages show: the pages' own, the match's, the hub's and the tournaments'."""
MATCH = sorted(COMPANION.glob("*.py"))
SAYING = ("Says", "Refused")
"""What makes a sentence; a tournament's refusal takes its words as a sentence does."""
QUOTED = r'"((?:[^"\\]|\\.)*)"'
HEAD = "# Every sentence of {whose}. A translation is a copy of this file with other right-hand sides."


def english() -> Mapping[Path, frozenset[str]]:
    """Each English catalogue by its file, with the sentences that it lists."""
    pages = frozenset(
        SAID_BY_NAME | of_scripts(WEB.glob("static/**/*.js")) | of_templates() | of_modules(OURS) | of_counts(MATCH)
    )
    found = {WEB / "words" / "en.toml": pages}
    for game in sorted(path for path in GAMES.iterdir() if (path / "__init__.py").is_file()):
        said = of_scripts(game.glob("*.js")) | of_modules(game.glob("**/*.py"))
        found[game / "words" / "en.toml"] = frozenset(said - pages)
    return found


def of_scripts(paths: Iterable[Path]) -> set[str]:
    """What scripts say."""
    return {words for path in paths for words in re.findall(rf"\bsay\(\s*{QUOTED}", path.read_text(encoding="utf-8"))}


def of_templates() -> set[str]:
    """What our HTML says."""
    texts = [path.read_text(encoding="utf-8") for path in WEB.glob("templates/**/*.html")]
    return {a or b for text in texts for a, b in re.findall(rf"\bsay\((?:{QUOTED}|'([^']*)')", text)}


def of_modules(paths: Iterable[Path]) -> set[str]:
    """What modules say; a name stands for all the texts that the module gives it."""
    found: set[str] = set()
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        named.setdefault(target.id, set()).update(_texts(node.value, {}))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAYING and node.args:
                found.update(_texts(node.args[0], named))
    return found


def of_counts(paths: Iterable[Path]) -> set[str]:
    """What modules say by a number of things: of one, of several and of none (`companion.says.counted`)."""
    found: set[str] = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted":
                words = [*node.args[1:3], *(more.value for more in node.keywords if more.arg == "none")]
                for word in words:
                    found.update(_texts(word, {}))
    return found


def _texts(node: ast.expr, named: Mapping[str, set[str]]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text):
            yield text
        case ast.IfExp(body=yes, orelse=no):
            yield from _texts(yes, named)
            yield from _texts(no, named)
        case ast.Name(id=name):
            yield from named.get(name, ())


def toml_of(file: Path, sentences: Iterable[str]) -> str:
    """An English catalogue as text."""
    whose = "our own pages" if file.is_relative_to(WEB) else f"{file.parent.parent.name}, its page and its rules"
    ordered = sorted(sentences, key=lambda words: (words.lower(), words))
    quoted = [words.replace("\\", "\\\\").replace('"', '\\"') for words in ordered]
    return "\n".join([HEAD.format(whose=whose), *(f'"{words}" = "{words}"' for words in quoted), ""])


if __name__ == "__main__":
    for file, sentences in english().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(toml_of(file, sentences), encoding="utf-8")
