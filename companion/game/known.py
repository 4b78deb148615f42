"""Every game that can be played here: looked up by its name, with its folder and its rule sheet.

`GAMES` lists the product's own, one line a game. `REGISTRY` also knows games from elsewhere.
"""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from companion.game.errors import CompanionError
from companion.game.game import Game, seats_of
from companion.game.registry import Registry

GAMES: tuple[str, ...] = (
    # one line a game of the product, in the order people see them
    "eyes_of_the_emperor",
    "basic_manipulation",
    "manipulation_rummy",
    "suspend",
    "center_point",
    "score_pad",
)

REGISTRY = Registry(GAMES)
MOST_PLAYERS = 12
names, game_named, folder_of = REGISTRY.names, REGISTRY.game, REGISTRY.folder


def module_of(name: str, module: str) -> ModuleType:
    """A module of a game: of its own folder, or by its full name. Raises: NotationError, ImportError."""
    return import_module(module) if "." in module else import_module(f"{REGISTRY.package(name)}.{module}")


def file_of(name: str, file: str) -> Path | None:
    """A file in a game's folder; None if the game does not bring it, or is unknown.

    >>> file_of("suspend", "page.js").name, file_of("suspend", "player.css"), file_of("../secret", "page.js")
    ('page.js', None, None)
    """
    path = folder_of(name) / file if name in names() else None
    return path if path is not None and path.is_file() else None


def players_of(game: Game[Any, Any]) -> tuple[int, ...]:
    """The numbers of players that a game can be begun with.

    >>> players_of(game_named("suspend"))
    (1, 2, 3, 4)
    """
    found = tuple(n for n in range(1, MOST_PLAYERS + 1) if _can_begin(game, n))
    return found or (len(seats_of(game, game.rules.start())),)


def _can_begin(game: Game[Any, Any], players: int) -> bool:
    try:
        return len(seats_of(game, game.rules.start(players))) > 0
    except CompanionError:
        return False


def paragraphs(name: str, lang: str = "en") -> Mapping[str, str]:
    """The paragraphs that a game's rulings cite: those of its RULES.md by heading. An empty line separates a
    paragraph's parts.

    In another language they come from RULES.de.md or the like in the same folder, if there is one. Empty for an unknown
    game.

    >>> paragraphs("eyes_of_the_emperor")["Instructions 14"]
    'The first emperor to take both eyes of the other wins.'
    """
    if name not in names():
        return {}
    folder = folder_of(name)
    return {**sheet_in(folder / "RULES.md"), **sheet_in(folder / f"RULES.{lang}.md")}


def rule_words(name: str, lang: str = "en") -> Mapping[str, str]:
    """The paragraphs of a game as its pages show them: without the keys of options and of notations.

    >>> paragraphs("eyes_of_the_emperor")["gap 4"].partition(". ")[2]
    'Option `both_out` (`together`, `ever`).'
    >>> rule_words("eyes_of_the_emperor")["gap 4"]
    'Both dice must be out at the same judging; a die knocked back in counts as in.'
    """
    return {
        heading: "\n\n".join(filter(None, map(_without_keys, words.split("\n\n"))))
        for heading, words in paragraphs(name, lang).items()
    }


def _without_keys(part: str) -> str:
    sentences = re.split(r"(?<=[.!?]) ", re.sub(r" \([^()]*`[^()]*\)", "", part))
    return " ".join(sentence for sentence in sentences if "`" not in sentence)


@cache
def sheet_in(path: Path) -> Mapping[str, str]:
    """The paragraphs of one file by heading; empty if the file does not exist."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = re.split(r"^#+ +(.+?) *$", text, flags=re.M)[1:]
    return {
        heading: "\n\n".join(" ".join(block.split()) for block in body.strip().split("\n\n"))
        for heading, body in zip(parts[::2], parts[1::2], strict=True)
    }


def signs(name: str) -> frozenset[str]:
    """The citations of a game's paragraphs, without their numbers; gaps of its sheet have another citation.

    >>> sorted(signs("eyes_of_the_emperor"))
    ['§ Instructions', '§ Rules', '§ Where the sheet is silent']
    """
    _title, *headings = paragraphs(name) or [""]
    cited = [heading for heading in headings if not heading.startswith("gap ")]
    return frozenset("§ " + re.sub(r" (\d+|[a-z])$", "", heading) for heading in cited)
