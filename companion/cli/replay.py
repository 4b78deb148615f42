"""`companion replay LOG`: judges a match again, entry by entry, by the rules of this version."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from companion.app.matches import as_watched
from companion.app.read_again import ReadAgain
from companion.cli.options import game_given
from companion.game.errors import LogError, NotationError
from companion.game.game import Game, state_json
from companion.game.known import game_named
from companion.game.says import Says
from companion.match.present import entry_words, steps_of
from companion.record.check import verify
from companion.record.entry import KEEP, Acted, Entry, MatchBegan, kind_of
from companion.record.fold import Folded, Step, began, by_camera_alone, fold
from companion.record.log import pictures_of, read_log


@click.command("replay")
@click.argument("log", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--game", callback=game_given, help="The folder of its game, where that is none of the known ones.")
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the match as one HTML file, step by step.",
)
@click.option("--rejudge", is_flag=True, help="Also judge each throw by the camera alone, without people's answers.")
def command(log: Path, game: str | None, page: Path | None, rejudge: bool) -> int:
    """Judge a match again by the rules of this version. Prints JSON Lines: every entry, its rulings, the end.

    An entry that this version cannot use has `is_misfit`; `says` why. Status 1: the log is not whole (`companion
    verify`).

    --page writes the match step by step as one HTML file, with its kept pictures.

    With --rejudge a line has `camera_alone` where the camera alone would rule otherwise. It has `read_again` where the
    kept pictures cannot be read, or would now be ruled otherwise."""
    entries = read_log(log)
    first = began(entries)
    if first is None:
        raise LogError(
            f"{log}: no entry says which game it is of, expected one of the kind {kind_of(MatchBegan)}; {KEEP}"
        )
    try:
        judge = game_named(first.game or "nothing")
        folded = fold(judge, entries)
    except NotationError as error:
        raise LogError(f"{log}: {error}; {KEEP}") from error
    except LogError as error:
        raise LogError(f"{log}: {error}") from error
    steps = {step.entry.seq: step for step in folded.steps}
    with contextlib.ExitStack() as stack:
        again = None
        if rejudge:
            again = ReadAgain(judge, stack.enter_context(pictures_of(log)), board=first.board)
        _tell(judge, folded, entries, steps, again)
    if page is not None:
        _write_page(page, judge, folded, log)
    return _ended(judge, folded, log)


def _write_page(page: Path, game: Game[Any, Any], folded: Folded[Any, Any], log: Path) -> None:
    """Writes the match step by step as one HTML file. Raises: LogError if it cannot be written."""
    from web.table.replay import html

    with pictures_of(log) as picture:
        view = as_watched(game, folded, log.stem, picture)
        told = html(view, steps_of(game, folded, picture), "en", picture)
    try:
        page.write_text(told, encoding="utf-8")
    except OSError as error:
        raise LogError(f"{page}: {error.strerror}, expected a place to write to: give another --page") from error


def _tell(
    game: Game[Any, Any],
    folded: Folded[Any, Any],
    entries: Sequence[Entry],
    steps: Mapping[int, Step[Any, Any]],
    again: ReadAgain | None,
) -> None:
    for entry in entries:
        line = _line(entry, entry.seq in folded.retracted, folded.misfits.get(entry.seq))
        step = steps.get(entry.seq)
        if step is not None:
            line["action"] = game.text.action(step.action)
            line["rulings"] = [{"says": str(r.says), "rule": r.rule} for r in step.rulings]
            alone = by_camera_alone(game, step) if again is not None else step.rulings
            if alone != step.rulings:
                line["camera_alone"] = [{"says": str(r.says), "rule": r.rule} for r in alone]
            otherwise = None if again is None else again.otherwise(folded, step, alone)
            if isinstance(otherwise, Says):
                line["read_again"] = [{"says": str(otherwise), "rule": None}]
            elif otherwise is not None:
                line["read_again"] = [{"says": str(r.says), "rule": r.rule} for r in otherwise]
        click.echo(json.dumps(line, ensure_ascii=False))


def _ended(game: Game[Any, Any], folded: Folded[Any, Any], log: Path) -> int:
    outcome = game.rules.outcome(folded.state)
    scores = {seat: score.points for seat, score in game.rules.score(folded.state).items()}
    ended: dict[str, Any] = {"state": state_json(game, folded.state), "scores": scores}
    ended["outcome"] = None if outcome is None else str(outcome.says)
    click.echo(json.dumps(ended, ensure_ascii=False))
    faults = verify(log).faults
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        click.echo(f"{log}: is NOT whole, this is judged as it stands now: {faults[0]}{more}", err=True)
    return 1 if faults else 0


def _line(entry: Entry, is_retracted: bool, misfit: Says | None) -> dict[str, Any]:
    line: dict[str, Any] = {"entry": entry.seq, "at_s": entry.at_s, "kind": entry.kind, "by": entry.by}
    if misfit is not None:
        line |= {"says": str(misfit), "is_misfit": True}
    elif isinstance(entry.body, Acted):
        line["says"] = "taken back" if is_retracted else "stands"
    else:
        line["says"] = str(entry_words(entry))
    if is_retracted:
        line["is_retracted"] = True
    return line
