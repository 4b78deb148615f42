"""Which sentences the pages and the games say, and the English catalogues of them: `python -m web.words.collect`.

A script says what stands in `say("...")`, a template in `say('...')`, a module in `Says("...")`. The pages' sentences
are listed here, a game's in its own folder; what both say stands here alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from companion.findings import Level
from companion.games import signs
from companion.inputs import NO_NAMES
from companion.tournament.settings import Format, TieBreak
from web.setup import STEPS
from web.static_files import GAMES
from web.words import SAID_BY_NAME

WEB = Path(__file__).resolve().parent.parent
TOLD = (
    "companion/*.py",
    "companion/cli",
    "companion/hub",
    "companion/tournament",
    "web",
    "vision",
    "calibration",
    "hardware",
)
OURS = sorted(
    {path for told in TOLD for path in (WEB.parent.glob(told) if "*" in told else (WEB.parent / told).rglob("*.py"))}
)
"""Modules whose sentences the pages show: the pages' own, the match's, the hub's, and of all that looks at a table."""
SAYING = ("Says", "Refused", "DrawnCamera")
"""What makes a sentence; a tournament's refusal and a drawn camera's name take their words as a sentence does."""
FINDING = ("good", "warning", "bad", "unknown")
"""What makes a finding; its name is said."""
SAYS_SOMETHING = re.compile(rf"\b(?:{'|'.join((*SAYING, *FINDING, 'counted'))})\(")
"""Modules without any of these need not be read closely."""
SIDES = ("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right")
"""Of a picture."""
ROLES = ("spectator", "player", "table referee", "head referee", "organiser", "the hub")
"""Of people at an event, and who speaks there and is none; only the hub's own pages know the hub."""
NAMED = frozenset(
    each.replace("_", " ") for each in (*ROLES, *Format, *TieBreak, *Level, *dict(STEPS).values(), *SIDES, *NO_NAMES)
)
"""Names that people read where a program has its own words for them."""
QUOTED = r'"((?:[^"\\]|\\.)*)"'
HEAD = "# Every sentence of {whose}. A translation is a copy of this file with other right-hand sides."


def catalogues() -> list[Path]:
    """The English catalogues: the pages' own, then each game's."""
    games = sorted(path for path in GAMES.iterdir() if (path / "__init__.py").is_file())
    return [folder / "words" / "en.toml" for folder in (WEB, *games)]


@cache
def english() -> Mapping[Path, frozenset[str]]:
    """Each English catalogue by its file, with the sentences that it lists."""
    own, *games = catalogues()
    pages = frozenset(SAID_BY_NAME | NAMED | of_scripts(WEB.glob("static/**/*.js")) | of_templates() | of_modules(OURS))
    found = {own: pages}
    for file in games:
        game = file.parent.parent
        said = of_scripts(game.glob("*.js")) | of_modules(game.glob("**/*.py")) | signs(game.name)
        found[file] = frozenset(said - pages)
    return found


def of_scripts(paths: Iterable[Path]) -> set[str]:
    """What scripts say."""
    found: set[str] = set()
    for text in (path.read_text(encoding="utf-8") for path in paths):
        found.update(re.findall(rf"\bsay\(\s*{QUOTED}", text))
        found.update(words for pair in re.findall(rf"\bcounted\([^\"]*{QUOTED}, {QUOTED}", text) for words in pair)
    return found


def of_templates() -> set[str]:
    """What our HTML says."""
    texts = [path.read_text(encoding="utf-8") for path in WEB.glob("templates/**/*.html")]
    return {a or b for text in texts for a, b in re.findall(rf"\bsay\((?:{QUOTED}|'([^']*)')", text)}


def of_modules(paths: Iterable[Path]) -> set[str]:
    """What modules say; a name stands for all the texts that the module gives it."""
    found: set[str] = set()
    for text in (path.read_text(encoding="utf-8") for path in paths):
        if not SAYS_SOMETHING.search(text):
            continue
        nodes = [*ast.walk(ast.parse(text))]
        named: dict[str, set[str]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    for name, value in _given(target, node.value):
                        named.setdefault(name, set()).update(_texts(value, named))
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                for said in _said_by(node, node.func.id):
                    found.update(_texts(said, named))
    return found


def _given(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Which names an assignment gives which values."""
    match target, value:
        case ast.Name(id=name), _:
            yield name, value
        case ast.Tuple(elts=names), ast.Tuple(elts=values):
            for one, its in zip(names, values, strict=False):
                yield from _given(one, its)


def _said_by(call: ast.Call, name: str) -> Iterator[ast.expr]:
    """What a call says: `Says(words)`, and `counted(count, one, many, none=words)`."""
    if name in (*SAYING, *FINDING):
        yield from call.args[:1]
    elif name == "counted":
        yield from call.args[1:3]
        yield from (more.value for more in call.keywords if more.arg == "none")


def _texts(node: ast.expr, named: Mapping[str, set[str]]) -> Iterator[str]:
    match node:
        case ast.Constant(value=str() as text) if text:
            yield text
        case ast.IfExp(body=yes, orelse=no):
            yield from _texts(yes, named)
            yield from _texts(no, named)
        case ast.Tuple(elts=all_) | ast.Dict(values=all_):
            for each in all_:
                yield from _texts(each, named)
        case ast.Starred(value=inner) | ast.Subscript(value=inner):
            yield from _texts(inner, named)
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
