"""`companion check GAME`: whether a game fulfils the expectations of commands, pages and the hub."""

from collections.abc import Sequence
from pathlib import Path

import click

from companion.app.conformance import checked
from companion.app.playing import game_called
from companion.game.errors import NotationError
from companion.game.known import folder_of

MOST_TOLD = 20
"""Maximum number of faults listed for one part."""


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
    parts = [_tells("declaration", [], name), *(_tells(*part) for part in checked(found, matches, seed))]
    return 0 if all(parts) else 1


def _tells(part: str, faults: Sequence[str], good: str) -> bool:
    for fault in faults[:MOST_TOLD]:
        click.echo(f"BAD   {part}: {fault}")
    if len(faults) > MOST_TOLD:
        click.echo(f"BAD   {part}: and {len(faults) - MOST_TOLD} more")
    if not faults:
        click.echo(f"GOOD  {part}: {good}")
    return not faults
