"""The scripts of a page as one file, put together by the server: one request instead of twenty, and no build step.
A replay (`web.table.replay`) has this file within it.

Each module becomes a block of its own, after the modules that it needs; its exports are returned by name. Our own
style makes this possible line by line: imports and exports begin a line, and name everything in braces.
"""

import functools
import posixpath
import re
from pathlib import Path

from companion.game.known import signs
from web.site.static_files import OF_A_GAME, STATIC, game_script, path_of
from web.words import SAID_BY_NAME, catalogue

PLAYED = "played.js"
"""The file name that pages import as the script of the current game."""
IMPORT = re.compile(r'^import (?P<what>\{[^}]*\}|\* as \w+) from "(?P<where>\.[^"]+)";$', re.MULTILINE)
PASSED_ON = re.compile(r'^export (?P<what>\{[^}]*\}) from "(?P<where>\.[^"]+)";$', re.MULTILINE)
UNREAD = re.compile(r'^[ \t]*(?://.*|/\*\*(?:.|\n)*?\*/)\n|[ \t]+// [^"`\n]*$|^[ \t]+', re.MULTILINE)
"""Comments, on lines of their own or at a line's end, and indents: scripts are sent without them."""
LISTED = re.compile(r"^export (?P<what>\{[^}]*\});$", re.MULTILINE)
DECLARED = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) (?P<name>\w+))", re.MULTILINE)


def script_of(page: str, game: str) -> str:
    """A page's own script with everything it needs, including the game's script."""
    return bundle(STATIC, f"{page}.js", game_script(game))


@functools.cache
def words_of(page: str, game: str, lang: str) -> dict[str, str]:
    """The translations that a page's script needs: of its sentences, of names in the views, and of the game's
    paragraphs."""
    return words_in(script_of(page, game), lang, SAID_BY_NAME | signs(game))


def words_in(text: str, lang: str, named: frozenset[str] = frozenset()) -> dict[str, str]:
    """The translations of a script's sentences, and of the words `named`, if they differ from English."""
    told = catalogue(lang).items()
    return {words: said for words, said in told if words != said and (words in named or f'"{words}"' in text)}


@functools.cache
def game_styles(game: str) -> tuple[str, ...]:
    """The styles of a game: its page.css comes last, after those in the folders of the scripts that page.js imports."""
    scripts = [*filter(OF_A_GAME.fullmatch, blocks_of(STATIC, game_script(game), "")), f"games/{game}/page.js"]
    styles = dict.fromkeys(f"{posixpath.dirname(name)}/page.css" for name in scripts)
    return tuple(name for name in styles if path_of(STATIC, name).is_file())


def bundle(folder: Path, first: str, played: str) -> str:
    """The script `first` of `folder` with all its imports, as one module; `played` is the game's own script."""
    return "const modules = {};\n" + "\n".join(blocks_of(folder, first, played).values())


@functools.cache
def blocks_of(folder: Path, first: str, played: str) -> dict[str, str]:
    """The block of a script, after those of its imports, by their names."""
    blocks: dict[str, str] = {}
    _add(folder, first, played, blocks)
    return blocks


def _add(folder: Path, name: str, played: str, blocks: dict[str, str]) -> None:
    """Adds a module's block after those that it needs. Raises: ValueError: modules import each other in a circle."""
    if name in blocks:
        if not blocks[name]:
            raise ValueError(f"{name} is imported by what it imports, expected no circle")
        return
    blocks[name] = ""
    text = UNREAD.sub("", path_of(folder, name).read_text(encoding="utf-8"))
    taken: list[str] = []

    def module(where: str) -> str:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(name), where))
        found = played if found == PLAYED else found
        _add(folder, found, played, blocks)
        return f'modules["{found}"]'

    def imported(match: re.Match[str]) -> str:
        what = match["what"].removeprefix("* as ").replace(" as ", ": ")
        return f"const {what} = {module(match['where'])};"

    def passed_on(match: re.Match[str]) -> str:
        taken.extend(f"{word}: {module(match['where'])}.{word}" for word in _names(match["what"]))
        return ""

    def listed(match: re.Match[str]) -> str:
        taken.extend(_names(match["what"]))
        return ""

    def declared(match: re.Match[str]) -> str:
        taken.append(match["name"])
        return ""

    text = DECLARED.sub(declared, LISTED.sub(listed, PASSED_ON.sub(passed_on, IMPORT.sub(imported, text))))
    del blocks[name]  # the modules that it needs stand before it
    blocks[name] = f'modules["{name}"] = await (async () => {{\n{text}\nreturn {{ {", ".join(taken)} }};\n}})();'


def _names(braces: str) -> list[str]:
    return [word.strip() for word in braces.strip("{}").split(",") if word.strip()]
