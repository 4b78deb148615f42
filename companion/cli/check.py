"""`companion check GAME`: whether a game fulfils the expectations of commands, pages and the hub."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from companion.app.autoplay.run import player_of
from companion.app.conformance import Conformance
from companion.app.playing import game_called
from companion.app.table import is_read, watch_of
from companion.game.brought import default_kit
from companion.game.errors import CompanionError, NotationError
from companion.game.game import Game, seats_of
from companion.game.known import file_of, folder_of, paragraphs, sheet_in, signs
from companion.game.text_file import text_of_file, why_unread
from vision.sim.virtual import VirtualTable
from web.site.bundle import bundle
from web.site.languages import offered
from web.site.static_files import game_script
from web.words import ENGLISH, of_pages
from web.words.collect import WEB, of_modules, of_scripts

HOLE = re.compile(r"\{(\w+)\}")
MOST_TOLD = 20
"""Maximum number of faults listed for one part."""
AnyGame = Game[Any, Any]


@click.command("check")
@click.argument("game")
@click.option("--matches", type=click.IntRange(1, 10_000), default=10, show_default=True, help="Random matches.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The first match's seed.")
def command(game: str, matches: int, seed: int) -> int:
    """Check a game, by its name or its folder: rules in random matches, citations, words, kit, page.

    A line for each part: GOOD, or BAD and what is wrong. Status 0: all is good. Status 1: something is BAD.
    """
    try:
        found = game_called(game)
    except NotationError as error:
        if not Path(game).is_dir():
            raise click.UsageError(str(error)) from error
        _tells("declaration", [str(error)], "")
        return 1
    name = f"{found.title}, called {found.name}, in {folder_of(found.name)}"
    parts = [_tells("declaration", [], name), _matches(found, matches, seed)]
    parts += [_tells("words", list(_words(found)), "every sentence in every language")]
    parts += [_tells("rule sheet", list(_sheet(found)), "its paragraphs in every language")]
    parts += [_tells("kit", list(_kit(found)), "lies on the virtual table")]
    parts += [_tells("page", list(_page(found)), "page.js draws it")]
    parts += [_autoplay(found)]
    return 0 if all(parts) else 1


def _autoplay(game: AnyGame) -> bool:
    """Whether the player that the game names can be found."""
    try:
        player = player_of(game)
    except (ImportError, AttributeError) as error:
        return _tells("autoplay", [f"its player {game.player!r} cannot be found ({error})"], "")
    return _tells("autoplay", [], "has no player: --autoplay cannot play it" if player is None else "plays itself")


def _tells(part: str, faults: Sequence[str], good: str) -> bool:
    """Prints the findings of one part; returns whether it is good."""
    for fault in faults[:MOST_TOLD]:
        click.echo(f"BAD   {part}: {fault}")
    if len(faults) > MOST_TOLD:
        click.echo(f"BAD   {part}: and {len(faults) - MOST_TOLD} more")
    if not faults:
        click.echo(f"GOOD  {part}: {good}")
    return not faults


def _matches(game: AnyGame, count: int, seed: int) -> bool:
    headings = {heading for heading, words in paragraphs(game.name).items() if words}
    conformance = Conformance(game, headings)
    conformance.options()
    for each in range(seed, seed + count):
        conformance.plays(each)
    faults = list(conformance.faults)
    if not (conformance.ended or conformance.stopped or conformance.raised):
        faults.append(f"none of {count} random matches came to an end")
    good = f"{count} random ones, {conformance.actions} actions, {conformance.ended} played to the end"
    if conformance.stopped:
        good += f", {conformance.stopped} stopped where only the table shows what happens"
    return _tells("matches", faults, good)


def _words(game: AnyGame) -> Iterator[str]:
    """Faults of the game's translations: missing sentences, and slots that a sentence does not have."""
    folder = folder_of(game.name)
    said = of_scripts(folder.glob("*.js")) | of_modules(folder.rglob("*.py")) | signs(game.name)
    for lang in (lang for lang in offered() if lang != ENGLISH):
        file = folder / "words" / f"{lang}.toml"
        try:
            told = _toml(file) if said else {}
        except (OSError, ValueError) as error:
            yield f"words/{lang}.toml cannot be used ({why_unread(error)}), expected a line for each sentence"
            continue
        for sentence in sorted(said - told.keys() - of_pages(lang).keys()):
            yield f"words/{lang}.toml lacks {sentence!r}"
        for sentence, words in told.items():
            for hole in sorted(set(HOLE.findall(words)) - set(HOLE.findall(sentence))):
                yield f"words/{lang}.toml: {sentence!r} has no {{{hole}}}"


def _toml(file: Path) -> dict[str, str]:
    return {key: str(words) for key, words in tomllib.loads(text_of_file(file)).items()}


def _sheet(game: AnyGame) -> Iterator[str]:
    """The faults of the rule sheet that people open from a ruling."""
    english = paragraphs(game.name)
    if not english:
        yield "RULES.md is missing or has no heading: rulings cite its paragraphs"
    for lang in offered():
        if lang == ENGLISH:
            continue
        told = sheet_in(folder_of(game.name) / f"RULES.{lang}.md")
        if not told:
            yield f"RULES.{lang}.md is missing"
        elif absent := [heading for heading in english if heading not in told]:
            yield f"RULES.{lang}.md lacks {absent[0]!r}"
        elif strange := [heading for heading in told if heading not in english]:
            yield f"RULES.{lang}.md has {strange[0]!r}, expected the headings of RULES.md"


def _kit(game: AnyGame) -> Iterator[str]:
    """The reason why the virtual table cannot use the game's set, or cannot read it."""
    reader = game.eyes.reader
    try:
        kit = default_kit(game.name)
        if kit.game != game.name:
            yield f"kit.toml: game is {kit.game!r}, expected {game.name!r}"
        on = game.table.layout(game.rules.start()).board
        if on is not None and on.picture is not None and file_of(game.name, f"boards/{on.picture}") is None:
            yield f"boards/{on.picture} is missing, the picture of the board {on.name}"
        if reader is not None and not is_read(game):
            yield f"the reader is {reader!r}, expected one of the product's"
        elif reader is not None:
            state = game.rules.start()
            layout, board = game.table.layout(state).pieces, game.table.layout(state).board
            table = VirtualTable(kit, board=board, layout=layout, seats=seats_of(game, state), seed=1)
            watch_of(game, table.lens, kit, board)
    except (CompanionError, ImportError, AttributeError) as error:
        yield str(error)


def _page(game: AnyGame) -> Iterator[str]:
    """The reason why phones cannot draw the game."""
    if file_of(game.name, "page.js") is None:
        yield "page.js is missing: phones show a plain list"
        return
    script = game_script(game.name)
    try:
        whole = bundle(WEB / "static", "phone.js", script)
    except (OSError, ValueError) as error:
        yield f"page.js cannot be put together ({error})"
        return
    own = whole.partition(f'modules["{script}"] = ')[2].partition("\n})();")[0].rpartition("return {")[2]
    for name in ("draw", "turn"):
        if not re.search(rf"\b{name}\b", own):
            yield f"page.js exports no {name}, expected `draw(view, act)` and `turn`"
