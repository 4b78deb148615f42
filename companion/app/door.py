"""One table and its present match: the door for the pages, whatever game is played.

Eyes, buttons and lamp are opened and closed with a match, on one queue (`companion.match.stage`)."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Protocol

from companion.app.matches import Ended, as_before, as_shown, ended, last_ended, opened_match, prune, unfinished
from companion.app.playing import MatchChoice
from companion.app.presets import keep_preset, kept_presets
from companion.game.errors import CompanionError, Refused
from companion.game.game import Game
from companion.game.kit import Kit
from companion.game.known import game_named
from companion.game.names import BOX
from companion.game.says import Says
from companion.game.view import HistoryLine, MatchView
from companion.match.inputs import BeginAnew, CallReferee, Input, Receipt
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.match.stage import Stage, StageEvent, after
from companion.record.log import pictures_of

AnyMatch = Match[Any, Any]
NOBODY_PLAYS = Says("nothing is played at this table yet: choose a game first")


class TableEyes(Protocol):
    """The camera and reader that look at the table for one game."""

    @property
    def kit(self) -> Kit:
        """The set on the table."""

    def start(self, match: AnyMatch) -> None:
        """Begins to look, for a match."""

    def stop(self) -> None:
        """Ends it."""

    def live(self) -> bytes | None:
        """The newest frame as a small JPEG, None while there is none."""


OpenEyes = Callable[[Game[Any, Any], MatchChoice], TableEyes | None]
"""Opens the eyes for a game; None: nothing looks at the table, and people tap what happens."""


def _of_match(name: str) -> Any:
    """A method of the door that is passed on to the present match."""
    return property(lambda door: getattr(door.match, name))


class TableDoor:
    """Implements `companion.match.inputs.Door` for the present match, and `web.table.start.Starter`."""

    def __init__(
        self,
        folder: Path,
        open_eyes: OpenEyes,
        fit: Callable[[AnyMatch], AbstractContextManager[Any]] = lambda match: nullcontext(),
        thresholds: Thresholds | None = None,
        keep_days: int = 0,
    ) -> None:
        self.folder = folder
        self._keep_days = keep_days
        self._open_eyes = open_eyes
        self._fit = fit
        self._thresholds = thresholds
        self._queue = ThreadPoolExecutor(1, "door")
        """Its one thread changes match, eyes and stage."""
        self._stage = Stage.NO_MATCH
        self.eyes: TableEyes | None = None
        self._match: AnyMatch | None = None
        self._fitted = ExitStack()
        self._looking = threading.Lock()
        self._ended: tuple[Path | None] | None = None
        """The result of `_ended_before`; None: it has not looked yet."""

    @property
    def stage(self) -> Stage:
        """The stage of the table. The match knows its own end, and the folder has the matches before."""
        stage, match = self._stage, self._match
        if stage is Stage.NO_MATCH and self._ended_before() is not None:
            return Stage.LOOKING_BACK
        return Stage.ENDED if stage is Stage.PLAYING and match is not None and match.is_over else stage

    def open(self, chosen: MatchChoice | None, *, is_new: bool = False) -> None:
        """Opens the first match: the newest unfinished one, or a new one; without either the start page asks.
        Raises: CompanionError, and then nothing is played."""
        if chosen is None and not is_new and (game := unfinished(self.folder)) is not None:
            chosen = MatchChoice(game=game)
        if chosen is not None:
            self._queue.submit(self._open, chosen, is_new=is_new).result()

    def _open(self, chosen: MatchChoice, *, is_new: bool) -> None:
        game = chosen.open()
        if not is_new:
            chosen, _ = as_before(self.folder, game, chosen)
        with self._preparing(StageEvent.CHOSEN), ExitStack() as on_failure:
            match, eyes = self._prepared(game, chosen, is_new=is_new)
            on_failure.callback(self._end)
            self._match, self.eyes = match, eyes
            if eyes is not None:
                eyes.start(match)
            self._fitted.enter_context(self._fit(match))
            on_failure.pop_all()

    @contextmanager
    def _preparing(self, turn: StageEvent) -> Iterator[None]:
        """Changes the stage while a new match is prepared, and after it is ready or has failed. Raises: Refused."""
        was, preparing = self._stage, after(self.stage, turn)
        try:
            self._stage = preparing or was
            yield
        except BaseException:
            self._stage = after(Stage.PREPARING, StageEvent.FAILED) or was
            raise
        self._stage = after(Stage.PREPARING, StageEvent.STANDS) or was

    def _prepared(
        self, game: Game[Any, Any], chosen: MatchChoice, *, is_new: bool
    ) -> tuple[AnyMatch, TableEyes | None]:
        """A match and its eyes, not yet started. Raises: CompanionError, and then nothing has changed."""
        prune(self.folder, self._keep_days)
        with ExitStack() as on_failure:
            eyes = self._open_eyes(game, chosen)
            if eyes is not None:
                on_failure.callback(eyes.stop)
            match = opened_match(
                self.folder,
                game,
                chosen,
                is_new=is_new,
                live=None if eyes is None else eyes.live,
                kit=None if eyes is None else eyes.kit,
                has_eyes=eyes is not None,
                thresholds=self._thresholds,
            )
            on_failure.pop_all()
            return match, eyes

    def close(self) -> None:
        """Ends match and eyes, after what is on the queue. Nothing can be begun afterwards. May be called twice."""
        with suppress(RuntimeError):  # it is closed already
            self._queue.submit(self._end).result()
        self._queue.shutdown()

    def _end(self) -> None:
        match, eyes, self._match, self.eyes = self._match, self.eyes, None, None
        self._stage = Stage.NO_MATCH
        self._stop(eyes)
        if match is not None:
            match.close()

    def _stop(self, eyes: TableEyes | None) -> None:
        """Ends the parts that belong to a match, before the match itself: first the box at the table, then the eyes."""
        fitted, self._fitted = self._fitted, ExitStack()
        fitted.close()
        if eyes is not None:
            eyes.stop()

    @property
    def match(self) -> AnyMatch:
        """The match that is played now. Raises: Refused."""
        if self._match is None:
            raise Refused(NOBODY_PLAYS)
        return self._match

    # the start page

    @property
    def playing(self) -> str | None:
        return None if self._match is None else self._match.view().game

    @property
    def is_busy(self) -> bool:
        return self.stage is Stage.PLAYING

    @property
    def has_ended(self) -> bool:
        match = self._match
        if match is not None and (match.is_over or match.before() is not None):
            return True
        return self._ended_before() is not None

    def _ended_before(self) -> Path | None:
        """The log of the match that ended last before this one, searched once: it folds several logs."""
        with self._looking:
            if self._ended is None:
                playing = None if self._match is None else self._match.name
                self._ended = (last_ended(self.folder, playing),)
            return self._ended[0]

    def begin(
        self,
        game: str,
        players: int | None,
        options: dict[str, str],
        by: str,
        instead_of: str | None = None,
        people: Sequence[str] = (),
    ) -> None:
        """Begins a new match, with `people` named on the first seats; an unfinished one is given up if `instead_of`
        names it. Raises: MatchGoesOn; CompanionError if the new match cannot begin. The old one then goes on."""
        chosen = MatchChoice(game=game, players=players, options=options, people=tuple(people), is_new=True)
        self._queue.submit(self._begin, chosen.open(), chosen, by, instead_of).result()
        keep_preset(self.folder, game, players, options)

    def kept(self, game: str) -> Mapping[str, tuple[int | None, dict[str, str]]]:
        return kept_presets(self.folder, game)

    def _begin(self, opened: Game[Any, Any], chosen: MatchChoice, by: str, instead_of: str | None) -> None:
        before, was = self._match, self.eyes
        is_instead = self.stage is Stage.PLAYING and before is not None and before.name == instead_of
        with self._preparing(StageEvent.CHOSEN_INSTEAD if is_instead else StageEvent.CHOSEN):
            match, eyes = self._prepared(opened, chosen, is_new=True)
            with self._looking:
                self._match, self.eyes = match, eyes  # pages of the earlier match come here when their streams end
                self._ended = None
            self._stop(was)
            if before is not None:
                before.give_up(by, match.name)
            if eyes is not None:
                eyes.start(match)
            try:
                self._fitted.enter_context(self._fit(match))
            except CompanionError as error:  # it is played on the phones; the one before has ended already
                match.submit(CallReferee(sentence=error.sentence, by=BOX))

    def look_anew(self) -> None:
        """Opens the eyes again with the current lens and kit. Raises: CompanionError: the earlier eyes stay."""
        self._queue.submit(self._look_anew).result()

    def _look_anew(self) -> None:
        if self._match is None:
            return
        game = game_named(self._match.view().game)
        eyes = self._open_eyes(game, as_before(self.folder, game, MatchChoice(game=game.name))[0])
        was, self.eyes = self.eyes, eyes
        if was is not None:
            was.stop()
        if eyes is None:
            self._match.watched(None, None, has_eyes=False)
        else:
            self._match.watched(eyes.kit, eyes.live, has_eyes=True)
            eyes.start(self._match)

    def lends(self) -> AbstractContextManager[None]:
        """Lets somebody else write the logs of ended matches, which pages still show."""
        return nullcontext() if self._match is None else self._match.lends()

    def ended(self, match: str) -> Ended | None:
        """The result of a match of this table; None while it goes on, or for an unknown match. Raises: LogError."""
        return ended(self.folder, match)

    # the door

    view, history, steps, hints = map(_of_match, ("view", "history", "steps", "hints"))
    subscribe, seats_of, heard, live = map(_of_match, ("subscribe", "seats_of", "heard", "live"))

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        """The match that was played to its end before this one, or before the box was started. Raises: LogError."""
        before = None if self._match is None else self._match.before()
        if before is not None:
            return before
        path = self._ended_before()
        return None if path is None else as_shown(path)

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        receipt = self.match.submit(given, timeout_s)
        set_up = getattr(self.eyes, "set_up", None)  # a virtual table sets itself up for the next match
        if set_up is not None and isinstance(given, BeginAnew) and receipt.entry is not None and not given.goes_on:
            set_up()
        return receipt

    def picture(self, sha256: str) -> bytes | None:
        if self._match is not None:
            return self._match.picture(sha256)
        path = self._ended_before()
        if path is None:
            return None
        with pictures_of(path) as picture:
            return picture(sha256)
