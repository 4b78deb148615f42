"""The referee infers entries from a reading of the settled table, and keeps the evidence for them.

`Unpressed` decides what is entered without a press, `Looker` compares the table with how it should lie. Further
thresholds: `margin.TOO_CLOSE_SIGMAS`, `readings.SURE`."""

import contextlib
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic

from companion.game.errors import CompanionError, Refused
from companion.game.evidence import Look
from companion.game.game import Game
from companion.game.kit import Kit
from companion.game.says import Says
from companion.game.values import (
    AS_IT_LIES,
    LOOK_AGAIN,
    A,
    Checked,
    Choice,
    Doubt,
    Illegal,
    InPlace,
    NotYet,
    Proposal,
    Ruling,
    S,
    SeenSetUp,
)
from companion.record.entry import (
    BODIES,
    Acted,
    Answered,
    Asked,
    Entry,
    Exhibit,
    Retracted,
    Unread,
    Writing,
    sha256_of,
    written,
)
from companion.record.fold import Folded, action_body, action_of, asked_body, fold

Found = Proposal[A] | Doubt[A] | None
Shown = Found[A] | Illegal
"""An interpretation of a reading, or the reason why the rules refuse it."""
MOST_CROPS = 8
"""Maximum number of pieces cut out one by one for an entry; beyond it only the overview is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    wait_for_rest_s: float = 60.0
    """Maximum wait of an ended throw for the table to settle, s; after it the throw must be ended again."""
    frame_lag_s: float = 0.3
    """Maximum delay between a frame's exposure and its arrival, s: an older frame may not show the throw."""
    objection_s: float = 8.0
    """Time in which others may object to an entry, s; 0: nobody is asked."""
    hint_s: float = 0.24
    """Time to compute the hints of all seats together, s: each gets an equal share. 0: no hints."""
    has_referee: bool = True
    enters_itself: bool = False
    answer_s: float = 1.5
    """Maximum wait for a ruling after a throw was ended, s. Then the person is asked to watch the phones."""


NOTHING_NEW = Says("nothing on the table has changed since the last ruling: make the move first, then press")
LIES_AS_JUDGED = Says("nothing new is on the table. If both threw and everything went outside, press again")
BY_TAPS: Choice[Any] = Choice("by_taps", Says("none of these: we enter it by taps"))
UNCLEAR = Says("it is not clear what was done")
STILL_ASKED = Says("the table looks the same as before: answer the question, or correct the table and press again")


def judged(
    game: Game[S, A],
    folded: Folded[S, A],
    look: Look,
    reading: Any,
    start: A | None,
    by: str,
    *,
    before: A | None = None,
    is_pressed_again: bool = False,
) -> tuple[Writing, ...]:
    """The entries that follow from a reading of the settled table: the actions of a proposal, or a question.

    `start`: the reading of the set-up, if nothing was entered since; `before`: the newest one before this turn.
    `is_pressed_again`: the press before got `LIES_AS_JUDGED`, so this one says that everything went outside. Raises:
    Refused if nothing is new; Illegal."""
    lain = () if before is None else (before,)
    found = game.eyes.interpret(folded.state, reading, past_of(folded, start), *lain)
    last = folded.last
    if isinstance(found, Proposal) and len(found.actions) == 1:
        (action,) = found.actions
        lies_as_judged = found.is_early or (last is not None and not game.eyes.has_moved(last.action, action))
        if lies_as_judged and not (is_pressed_again and game.rules.legal(folded.state)):
            raise Refused(LIES_AS_JUDGED)
    match found:
        case Proposal(actions=actions, note=note) if actions:
            return acted(game, folded.state, actions, by, look, note=note)
        case Doubt() as doubt if not (doubt.is_early and looked_at_again(folded)):
            if _is_open(folded, doubt):
                raise Refused(STILL_ASKED)
            if looked_at_again(folded) == doubt.says:  # another look would ask the same
                kept = (c for c in doubt.choices if doubt.is_of_mistake or c.key != LOOK_AGAIN)
                doubt = replace(doubt, choices=(*kept, BY_TAPS))
            seen_in = [action for choice in doubt.choices for action in choice.actions]
            places = {
                name: next((p for a in seen_in if (p := game.eyes.place_mm(a, name)) is not None), None)
                for name in doubt.pieces
            }
            about = {name: (x_mm, y_mm) for name, x_mm, y_mm in doubt.places_mm}
            if not about and len(placed := {name: at for name, at in places.items() if at is not None}) > 1:
                about = placed
            then = {name: at for a in seen_in for name, at in _open_after(game, folded.state, a)}
            shown, evidence = _shown(look, then | places, about)
            return (written(by, asked_body(game, doubt, shown), evidence),)
        case _ if looked_at_again(folded):  # it was put right
            return ()
        case _:
            raise Refused(NOTHING_NEW)


def acted(
    game: Game[S, A],
    state: S,
    actions: Iterable[A],
    by: str,
    look: Look | None = None,
    *,
    note: Says | None = None,
    reason: str = "",
) -> tuple[Writing, ...]:
    """The entries of consecutive actions, with pictures. Raises: Illegal for the first that the rules refuse."""
    writings: list[Writing] = []
    for action in actions:
        applied = game.rules.apply(state, action)
        state = applied.state
        shown: tuple[Exhibit, ...] = ()
        evidence: tuple[bytes, ...] = ()
        if look is not None:
            places = {piece: game.eyes.place_mm(action, piece) for piece in _named(applied.rulings)}
            shown, evidence = _shown(look, dict(_open_places(game, state, action)) | places)
        writings.append(written(by, action_body(game, action, shown, note, reason, follows=bool(writings)), evidence))
    return tuple(writings)


def _open_places(game: Game[S, A], state: S, action: A) -> Iterator[tuple[str, tuple[float, float] | None]]:
    asked = game.people.question(state)
    yield from ((piece, game.eyes.place_mm(action, piece)) for piece in (asked.pieces if asked is not None else ()))


def _open_after(game: Game[S, A], state: S, action: A) -> Iterator[tuple[str, tuple[float, float] | None]]:
    with contextlib.suppress(Illegal):
        yield from _open_places(game, game.rules.apply(state, action).state, action)


def looked_at(folded: Folded[S, A], entry: Entry) -> Entry:
    """The entry with the pictures of an action: its own entry, or the question that it answers."""
    if not isinstance(entry.body, Acted) or entry.body.shown:
        return entry
    answer = folded.answer_of(entry)
    asked = answer.body.entry if answer is not None and isinstance(answer.body, Answered) else None
    return next((e for e in folded.entries if e.seq == asked), entry)


def past_of(folded: Folded[S, A], start: A | None) -> list[A]:
    """The standing actions, newest first. `start`: the set-up table if nothing was entered since; it comes first."""
    past = [step.action for step in reversed(folded.steps)]
    return past if start is None else [start, *past]


def _is_open(folded: Folded[S, A], doubt: Doubt[A]) -> bool:
    asked = folded.doubt
    return asked is not None and (asked.key, asked.says) == (doubt.key, doubt.says) and asked.choices == doubt.choices


def looked_at_again(folded: Folded[S, A], before: float = math.inf) -> Says | None:
    """The question that people answered with another look, right before an entry. That does not end a turn."""
    entries = [entry for entry in folded.entries if entry.seq < before]
    answer = entries[-1].body if entries else None
    if not isinstance(answer, Answered) or answer.choice != LOOK_AGAIN:
        return None
    return next((e.body.says for e in entries if e.seq == answer.entry and isinstance(e.body, Asked)), None)


def _named(rulings: Iterable[Ruling]) -> Iterator[str]:
    return (piece for ruling in rulings for piece in (ruling.piece, *ruling.pieces) if piece is not None)


def _shown(
    look: Look,
    places: Mapping[str, tuple[float, float] | None],
    together: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[tuple[Exhibit, ...], tuple[bytes, ...]]:
    """The evidence of an entry and its names: the overview, each piece with a place, and places `together`."""
    placed = [(piece, place) for piece, place in places.items() if place is not None]
    crops = [look.overview(), *([look.close_up(together)] if together else [])]
    crops += [look.crop(*place, piece) for piece, place in placed[:MOST_CROPS]]
    named = tuple(Exhibit(crop.piece, sha256_of(crop.picture), sha256_of(crop.about)) for crop in crops)
    return named, tuple(data for crop in crops for data in (crop.picture, crop.about))


_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LaidNow:
    """The result of the newest reading: each thing to put back by hand, then other misplaced things, and the set-up."""

    back: tuple[Checked, ...] = ()
    set_up: SeenSetUp | None = None

    @property
    def is_back(self) -> bool:
        """Whether everything is seen back in its place."""
        return all(checked.laid is InPlace.YES for checked in self.back)


@dataclass(frozen=True, slots=True)
class ToLay(Generic[S]):
    """The current state, the table that was left instead, and the entry that made the difference."""

    now: S
    left: S
    entry: int
    is_mistake: bool = False
    """Whether people answered that a move was wrong, and did not take back a right one."""


def to_lay(game: Game[S, A], folded: Folded[S, A]) -> ToLay[S] | None:
    """The difference after the newest move of pieces that was taken back, or has to be put right; else None."""
    for entry in reversed(folded.entries):
        if isinstance(entry.body, Unread) and BODIES[entry.kind] is Acted:  # another version's: its effect is unknown
            return None
        try:
            if isinstance(entry.body, Answered) and not entry.body.enters:
                if (wrong := _wrong(game, folded, entry)) is not None:
                    return wrong
                continue
            action = action_of(entry)
            if action is None:
                continue
            is_back = entry.seq in folded.retracted
            then = partial(_as_entered, game, folded, entry.seq if is_back else folded.seq)
            left = game.table.as_left(folded.state, action, lambda then=then: then().state)  # type: ignore[misc]
            if left is None:
                continue
            if is_back:
                undone = max(e.seq for e in folded.entries if isinstance(e.body, Retracted))
                return ToLay(folded.state, left, undone)
            answer = folded.answer_of(entry)
            return None if answer is None else _wrong(game, folded, answer)
        except (CompanionError, LookupError):  # it does not fit the state
            return None
    return None


def _wrong(game: Game[S, A], folded: Folded[S, A], answer: Entry) -> ToLay[S] | None:
    """The difference after an answer about a wrong move; None after any other. Raises: Illegal."""
    assert isinstance(answer.body, Answered)
    asked = next((e.body for e in folded.entries if e.seq == answer.body.entry), None)
    if not isinstance(asked, Asked) or all(choice.key != AS_IT_LIES for choice in asked.choices):
        return None
    then = _as_entered(game, folded, answer.body.entry)
    choices = () if then.doubt is None else then.doubt.choices
    lies = next((choice for choice in choices if choice.key == AS_IT_LIES), None)
    if lies is None or lies.action is None:
        return None
    left = game.rules.apply(then.state, lies.action).state
    return ToLay(folded.state, left, answer.seq, is_mistake=True)


def _as_entered(game: Game[S, A], folded: Folded[S, A], seq: int) -> Folded[S, A]:
    """The match as it stood with the entry of this number, without later retractions."""
    return folded if seq == folded.seq else fold(game, (e for e in folded.entries if e.seq <= seq), folded)


class Looker(Generic[S, A]):
    """Compares the newest settled reading with how the table should lie. One thread's; its result decides nothing."""

    def __init__(self, game: Game[S, A], kit: Kit | None) -> None:
        self._game, self._kit = game, kit
        self.reading: Any | None = None
        """The newest settled reading, merged with earlier ones of unmoved pieces; None: it cannot be seen."""
        self._settled: Any | None = None
        self._since: object = None
        self._was_right = False
        self._back: tuple[Checked, ...] = ()

    def saw(self, reading: Any | None) -> None:
        """Takes the newest settled reading; None: the table cannot be seen. A hand or a movement does not change it."""
        self.reading = None
        if reading is not None:
            self.reading = self._settled = self._game.eyes.settled(reading, self._settled)

    def now(self, folded: Folded[S, A], *, is_at_rest: bool) -> LaidNow:
        """Compares the newest reading with the match. Never raises. `is_at_rest`: nothing has moved since then."""
        try:
            return self._compare(folded, is_at_rest)
        except Exception:
            _LOGGER.exception("the table could not be compared with how it should lie")
            return LaidNow()

    def _compare(self, folded: Folded[S, A], is_at_rest: bool) -> LaidNow:
        lay = to_lay(game := self._game, folded)
        since = folded.last.entry.seq if folded.last else None, folded.retracted, lay and lay.entry
        if since != self._since:  # something was judged, answered or taken back: earlier results are no longer valid
            self._since, self._was_right, self._back = since, False, ()
        if lay is not None and game.table.put_back(lay.now, lay.left):
            if self.reading is not None and not is_at_rest and self._back:  # a hand or a movement changes no result
                return LaidNow(back=self._back)
            reading = self.reading if is_at_rest else None  # an older reading cannot tell whether a piece is back
            back = game.table.seen_back(lay.now, lay.left, reading, self._back)
            if reading is not None:  # results from before the table went dark are kept
                self._back = back
            return LaidNow(back=back)
        if self.reading is None:
            return LaidNow()
        set_up = self._game.table.seen_set_up(folded.state, self.reading, self._kit, was_right=self._was_right)
        self._was_right = self._was_right or (set_up is not None and set_up.laid is InPlace.YES)
        return LaidNow(set_up=set_up)


class Unpressed(Generic[S, A]):
    """The readings since the newest entry. One thread's. `lag_s`: maximum age of a frame, s.

    A reading is entered by itself if it shows a whole turn that the table did not show after the newest entry. So an
    undone move is not entered again. Nobody is asked about a table that has not moved."""

    def __init__(self, game: Game[S, A], lag_s: float) -> None:
        self._game, self._lag_s = game, lag_s
        self._since_s = -math.inf
        self._is_known = self._is_judged = self._has_moved = False
        self._lay: Shown[A] = None
        """The interpretation of the table as it lay after the newest entry, if that `_is_known`."""
        self.is_unsure = False
        self.wrong: Says | None = None
        self.seen: Says | None = None

    def entered(self, at_s: float, undone: tuple[A, ...] = ()) -> None:
        """Takes note of an entry that changed the state, at a monotonic moment, and of what it took back."""
        self._since_s, self._is_known = at_s, bool(undone)
        self._is_judged = self._has_moved = False
        self.asked()
        self._lay = Proposal(undone, Says("")) if undone else None

    def moves(self) -> None:
        self._has_moved = True

    def asked(self) -> None:
        """Takes note that people are asked about the table, or that it is entered."""
        self.is_unsure, self.wrong, self.seen = False, None, None

    def lay(self, confirmed_s: float, found: Callable[[], Found[A]]) -> None:
        """Notes the table after the newest entry: what is `found`, and when the newest frame showed it."""
        if not self._is_known and confirmed_s >= self._since_s + self._lag_s:
            with contextlib.suppress(CompanionError):
                self._is_known, self._lay = True, _shown_in(found)

    def judged(self, found: Callable[[], Found[A]]) -> None:
        """Notes the table that the newest entry was read from: its faults are known and are not shown again."""
        self.lay(math.inf, found)
        self._is_judged = self._is_known

    def put_right(self) -> None:
        """Forgets how the table lay: the next reading shows it after things were put back by hand."""
        self._is_known = self._is_judged = False

    def is_whole(
        self,
        found: Callable[[], Found[A]],
        asked: Doubt[A] | None = None,
        *,
        is_set_up: bool = False,
        is_back: bool = False,
    ) -> bool:
        """Whether a new reading shows a whole turn that was not there before, nor in the open question `asked`.

        `is_set_up`: a die in the tray is an old one. `is_back`: hands put things back, and nothing new is shown."""
        try:
            shown = _shown_in(found)
        except CompanionError:  # it cannot be judged now
            return False
        is_back = is_back and _what_is_wrong(shown) is None
        if shown is None or not self._is_known:
            self._is_known, self._lay = True, None if is_back and isinstance(shown, Doubt) else shown
            has_happened = _has_happened(shown) and (self._has_moved or not _is_unclear(shown))
            self._note(shown, is_unsure=has_happened and not is_set_up and not is_back)
            return False
        was_there = self._is_as(self._lay, shown)
        is_new = not (was_there or self._is_as(asked, shown))
        is_whole = is_new and isinstance(shown, Proposal | Doubt) and shown.is_whole
        is_wrong = _is_mistaken(shown) and not self._is_as(asked, shown) and not (was_there and self._is_judged)
        self._note(shown, is_unsure=((is_new and not is_whole) or is_wrong) and not is_back)
        return is_whole

    def _note(self, shown: Shown[A], *, is_unsure: bool) -> None:
        self.is_unsure = is_unsure and not (isinstance(shown, Proposal | Doubt) and shown.is_early)
        self.wrong = _what_is_wrong(shown) if self.is_unsure else None
        self.seen = _what_is_seen(shown) if self.is_unsure and self.wrong is None else None

    def _is_as(self, was: Shown[A], shown: Shown[A]) -> bool:
        match was, shown:
            case Proposal(actions=before), Proposal(actions=now):
                has_moved = self._game.eyes.has_moved
                return len(before) == len(now) and not any(map(has_moved, before, now))
            case Doubt() as before, Doubt() as now:
                likeliest = [[choice.key for choice in doubt.choices[:1]] for doubt in (before, now)]
                return (before.key, before.says) == (now.key, now.says) and likeliest[0] == likeliest[1]
            case Illegal() as before, Illegal() as now:
                return before.says == now.says
        return False


def _has_happened(shown: Shown[Any]) -> bool:
    """Whether a table probably shows a turn. A question begins with the most probable answer."""
    if isinstance(shown, Doubt):
        return shown.is_of_mistake or any(choice.actions for choice in shown.choices[:1])
    return shown is not None


def _is_unclear(shown: Shown[Any]) -> bool:
    """Whether several things may have been done, or a part of a turn, or nothing."""
    if isinstance(shown, Proposal):
        return not shown.is_whole
    return isinstance(shown, Doubt) and _what_is_wrong(shown) is None


def _is_mistaken(shown: Shown[Any]) -> bool:
    return isinstance(shown, Doubt) and shown.is_of_mistake


def _what_is_wrong(shown: Shown[Any]) -> Says | None:
    """The fault to be put right. A question whose first answer enters something is asked after the press, once."""
    match shown:
        case Illegal(says=says):
            return says
        case Doubt(choices=choices) if shown.is_of_mistake or not any(c.actions for c in choices[:1]):
            return shown.seen or shown.says
    return None


def _what_is_seen(shown: Shown[Any]) -> Says | None:
    match shown:
        case Proposal(says=seen):
            return seen
        case Doubt(seen=seen):
            return seen or UNCLEAR
    return None


def _shown_in(found: Callable[[], Found[A]]) -> Shown[A]:
    """An interpretation, or why the rules refuse the table; None if nobody has acted. Raises: CompanionError."""
    try:
        return found()
    except NotYet:
        return None
    except Illegal as refused:
        return refused
