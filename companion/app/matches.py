"""Storage of matches: one numbered log for each. The newest unfinished match is resumed.

Old pictures are removed before each match. Their age is counted in days of play: a box's clock may be wrong."""

import contextlib
import logging
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import click
import cv2

from companion.app.playing import MatchChoice
from companion.book.book import PlayBook
from companion.game.errors import CompanionError, LogError, Refused
from companion.game.game import Game, seats_of
from companion.game.kit import Kit
from companion.game.known import game_named, names
from companion.game.names import BOX
from companion.game.registry import NAME
from companion.game.says import Says
from companion.game.values import Outcome, Tally
from companion.game.view import HistoryLine, MatchView, Sight, SightView
from companion.match.inputs import CallReferee
from companion.match.match import Match
from companion.match.present import Picture, ViewInputs, history, present, steps_of
from companion.match.referee import Thresholds
from companion.record.check import NO_ENTRY, verify
from companion.record.entry import GivenUp
from companion.record.file import Damaged, Held, Unwritten, only_writer, parts
from companion.record.fold import Folded, Holder, fold, holders, start_body
from companion.record.log import Log, is_prunable, moments, pictures_of, read_log, witness_of
from hardware.machine import FEW_FREE_BYTES
from hardware.picture_file import must_be_small, pixels_of
from web.table.book import Story

_NUMBERED = re.compile(rf"(?P<game>{NAME.pattern})-(?P<number>\d{{4,}})\.db")


def log_path(folder: Path, game: Game[Any, Any], *, is_new: bool = False) -> Path:
    """The log to write: the newest unfinished one, also before an empty one, else the next number. Raises: LogError."""
    numbers = _numbers(folder, game)
    following = _path(folder, game, numbers[-1] + 1 if numbers else 1)
    if is_new:
        return following
    unwritten = None
    for number in reversed(numbers):
        path = _path(folder, game, number)
        is_over = _is_over(game, path)
        if is_over is False:
            return path
        if is_over:
            break
        unwritten = unwritten or path
    return unwritten or following


def numbered(folder: Path) -> list[Path]:
    """The logs of all matches of a folder, of every game, in the order of their numbers."""
    found = [(path, match) for path in folder.glob("*.db") if (match := _NUMBERED.fullmatch(path.name))]
    return [path for path, match in sorted(found, key=lambda f: (f[1]["game"], int(f[1]["number"])))]


def unfinished(folder: Path) -> str | None:
    """The game of the newest unfinished match; None if there is none. Raises: LogError."""
    for path in sorted(reversed(numbered(folder)), key=lambda path: -path.stat().st_mtime):
        game = _game_of(path)
        if game is not None and (is_over := _is_over(game, path)) is not None:
            return None if is_over else game.name
    return None


def _game_of(path: Path) -> Game[Any, Any] | None:
    found = _NUMBERED.fullmatch(path.name)
    return None if found is None or found["game"] not in names() else game_named(found["game"])


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a match: its seats, the values that an event counts, and the number of the last judged entry."""

    outcome: Outcome
    seats: tuple[str, ...]
    tally: Mapping[str, Tally]
    judged: int


def ended(folder: Path, match: str) -> Ended | None:
    """The result of a match in a data folder; None while it goes on, or for an unknown match. Raises: LogError."""
    path = folder / f"{match}.db"
    game = _game_of(path)
    if game is None or not path.exists():
        return None
    folded = fold(game, read_log(path))
    outcome = game.rules.outcome(folded.state)
    if outcome is None:
        return None
    tally = {seat: score.summed for seat, score in game.rules.score(folded.state).items()}
    return Ended(outcome, tuple(seats_of(game, folded.state)), tally, folded.judged)


NEWEST = 10
"""Maximum number of logs read to find the match that ended last: a page waits for the result."""


def last_ended(folder: Path, but_for: str | None = None) -> Path | None:
    """The log of the match that ended last, without the match `but_for`. None: none of the `NEWEST` logs has ended."""
    others = [path for path in reversed(numbered(folder)) if path.stem != but_for]
    for path in sorted(others, key=lambda path: -path.stat().st_mtime)[:NEWEST]:
        with contextlib.suppress(LogError):
            if ended(folder, path.stem) is not None:
                return path
    return None


def as_shown(path: Path) -> tuple[MatchView, tuple[HistoryLine, ...]]:
    """A finished match as a watcher sees it, and all its entries, newest first. Raises: LogError."""
    game = _game_of(path)
    assert game is not None
    folded = fold(game, read_log(path))
    with pictures_of(path) as picture:
        return as_watched(game, folded, path.stem, picture), history(game, folded)


PORTRAIT_PX = 192


class MatchLibrary:
    """The past matches of a folder and their book. `lends`: within it their logs can be rewritten."""

    def __init__(
        self, folder: Path, lends: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    ) -> None:
        self.folder, self.lends = folder, lends
        self.book = PlayBook(folder, lambda name: _NUMBERED.fullmatch(name) is not None)

    def portrait(self, content: bytes) -> bytes:
        try:
            must_be_small(content, "that")
            picture = pixels_of(content, is_calibrated=False)
        except (cv2.error, CompanionError):
            picture = None
        if picture is None:
            raise Refused(Says("this file is not a readable picture: choose a JPEG or PNG"))
        side = min(picture.shape[:2])
        top, left = ((size - side) // 2 for size in picture.shape[:2])
        square = picture[top : top + side, left : left + side]
        small = cv2.resize(square, (PORTRAIT_PX, PORTRAIT_PX), interpolation=cv2.INTER_AREA)
        return cv2.imencode(".jpg", small)[1].tobytes()

    @contextlib.contextmanager
    def story(self, name: str) -> Iterator[Story]:
        """A match as a watcher sees it, with its steps. Raises: LogError; KeyError if the folder has none."""
        path = self.folder / f"{name}.db"
        game = _game_of(path)
        if game is None or not path.exists():
            raise KeyError(name)
        folded = fold(game, read_log(path))
        with pictures_of(path) as picture:
            view = as_watched(game, folded, name, picture)
            yield Story(view, history(game, folded), steps_of(game, folded, picture), picture)


def as_watched(game: Game[Any, Any], folded: Folded[Any, Any], match: str, picture: Picture) -> MatchView:
    """A match that nobody plays any more, as a watcher sees it."""
    sight = SightView(state=Sight.BY_HAND, says=Says("the match is over"), since_s=0.0)
    return present(game, ViewInputs(folded=folded, sight=sight, match=match), picture, None)


def _numbers(folder: Path, game: Game[Any, Any]) -> list[int]:
    return sorted(
        int(found["number"])
        for path in numbered(folder)
        if (found := _NUMBERED.fullmatch(path.name)) and found["game"] == game.name
    )


def _path(folder: Path, game: Game[Any, Any], number: int) -> Path:
    return folder / f"{game.name}-{number:04d}.db"


def as_before(folder: Path, game: Game[Any, Any], chosen: MatchChoice) -> tuple[MatchChoice, Mapping[str, Holder]]:
    """The chosen match, completed by the one before: players, options, board. Also who sat there."""
    for number in reversed(_numbers(folder, game)):
        with contextlib.suppress(LogError):
            if entries := read_log(_path(folder, game, number)):
                before = start_body(game, entries)
                return replace(
                    chosen,
                    players=before.seats if chosen.players is None else chosen.players,
                    options=before.options if chosen.options is None else chosen.options,
                    board=before.board if chosen.board is None else chosen.board,
                ), holders(entries)
    return chosen, {}


def _is_over(game: Game[Any, Any], path: Path) -> bool | None:
    """Whether the match of a log has ended, or was given up; None if none was begun in it. Raises: LogError."""
    try:
        entries = read_log(path)
    except Unwritten:
        return None if _fault(path) is None else False
    except LogError:
        if _fault(path) is None:
            raise
        return False  # the fault is handled when the log is opened
    if not entries:
        return None
    try:
        is_given_up = any(isinstance(entry.body, GivenUp) for entry in entries)
        return is_given_up or game.rules.outcome(fold(game, entries).state) is not None
    except LogError as error:
        if _fault(path) is None:
            raise LogError(f"{path}: {error}") from error
        return False


def opened_match(
    folder: Path,
    game: Game[Any, Any],
    chosen: MatchChoice | None = None,
    *,
    is_new: bool = False,
    live: Callable[[], bytes | None] | None = None,
    kit: Kit | None = None,
    has_eyes: bool = True,
    thresholds: Thresholds | None = None,
) -> Match[Any, Any]:
    """The match of a data folder, resumed or begun. Raises: LogError.

    `kit`: the set on its table. Without `is_new` it keeps the seats of the match before, and its rules where none are
    chosen.
    """
    path = log_path(folder, game, is_new=is_new)
    chosen = chosen or MatchChoice(game=game.name)
    seats: Mapping[str, Holder] = {}
    if not is_new:
        chosen, seats = as_before(folder, game, chosen)
    if chosen.people:
        named = zip(seats_of(game, chosen.start(game)), chosen.people, strict=False)
        seats = {seat: Holder(name, "") for seat, name in named}
    said = _set_aside(path) if path.exists() else None
    log = Log(path)
    try:
        match = Match(
            game,
            log,
            wall_s=time.time,
            monotonic_s=time.monotonic,
            options=chosen.options,
            players=chosen.players,
            board=chosen.board,
            seats=seats,
            live=live,
            next_log=lambda: Log(log_path(folder, game, is_new=True)),
            kit=kit,
            has_eyes=has_eyes,
            thresholds=thresholds,
        )
    except CompanionError:
        log.discard()
        raise
    if said is not None:
        match.submit(CallReferee(words=said, by=BOX))
    return match


def _fault(path: Path) -> tuple[str, bool] | None:
    """The fault of a log, and whether only its end is lost; None if it is whole. Raises: LogError."""
    try:
        found = verify(path, with_evidence=False)
    except Unwritten:
        return None
    except Damaged as error:
        return str(error), False
    if found.faults == (NO_ENTRY,):  # the box was killed between making the file and its first entry
        return None
    is_only_end = len(found.faults) == 1 and found.lost > 0 and found.entries > 0
    return (found.faults[0], is_only_end) if found.faults else None


def _set_aside(path: Path) -> str | None:
    """Keeps a damaged log under another name. If only its end is lost, the match goes on in its place.
    Returns the sentence for everybody, None if the log is whole. Raises: LogError."""
    fault = _fault(path)
    if fault is None:
        return None
    why, goes_on = fault
    kept = next(name for i in count(1) if not (name := path.with_name(f"{path.stem}.damaged-{i}.db")).exists())
    lock = only_writer(path)
    try:
        for part in parts(path):
            beside = kept.with_name(kept.name + part.name.removeprefix(path.name))
            if goes_on:
                shutil.copy2(part, beside)
            else:
                part.rename(beside)
        witness_of(path).unlink(missing_ok=True)
    except OSError as error:
        raise LogError(f"{path}: is damaged ({why}) and cannot be put aside ({error.strerror}): make room") from error
    finally:
        lock.close()
    went_on = "the match goes on from there" if goes_on else "play goes on in a new match"
    return f"the record of this match was damaged: {why}. It is kept as {kept.name}, and {went_on}."


KEEP_DAYS = 90
DAY_S = 86_400.0

_LOGGER = logging.getLogger(__name__)


def prune(folder: Path, days: int) -> None:
    """Removes the pictures before the newest `days` of play from every log of a folder; 0: none. Never raises.
    On a nearly full disk the days are halved, down to the newest one."""
    while days:
        _prune(folder, days)
        if days == 1 or not folder.exists() or shutil.disk_usage(folder).free >= FEW_FREE_BYTES:
            return
        days //= 2


def _prune(folder: Path, days: int) -> None:
    gone = logs = 0
    played: defaultdict[str, set[int]] = defaultdict(set)
    for path in reversed(numbered(folder)):
        try:
            kept_from = _kept_from(moments(path), played[path.stem.rpartition("-")[0]], days)
            pruned = 0
            if is_prunable(path, kept_from):
                with contextlib.closing(Log(path)) as log:
                    pruned = log.prune(kept_from)
        except (Held, Unwritten):
            continue
        except LogError as error:
            _LOGGER.warning("%s", error)
            continue
        gone, logs = gone + pruned, logs + (pruned > 0)
    if gone:
        what = "1 picture" if gone == 1 else f"{gone} pictures"
        of = "1 match" if logs == 1 else f"{logs} matches"
        said = "day" if days == 1 else f"{days} days"
        click.echo(f"{what} from before the newest {said} of play removed from {of} in {folder}", err=True)


def _kept_from(entries: Iterable[tuple[int, float]], played: set[int], days: int) -> int:
    """The number of the first entry whose pictures are kept; `played`: the days of the logs after this one."""
    for seq, at_s in reversed(list(entries)):
        played.add(int(at_s // DAY_S))
        if len(played) > days:
            return seq + 1
    return 0
