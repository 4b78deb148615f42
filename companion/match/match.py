"""The match: one writer. Camera, buttons and phones put inputs on one queue; one thread appends, folds, publishes.

An entry is durable before anybody sees it. Views are whole, newest wins."""

import contextlib
import logging
import math
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic

import msgspec

from companion.game.errors import CompanionError, LogError, Refused
from companion.game.evidence import Look
from companion.game.game import Game, action_of_json, begun, seats_of
from companion.game.kit import Kit
from companion.game.names import BUTTON
from companion.game.says import Says
from companion.game.values import LOOK_AGAIN, A, Doubt, InPlace, Proposal, S
from companion.game.view import (
    CAMERA,
    MEASURED_ANEW,
    READING,
    HintsView,
    HistoryLine,
    LostSeatView,
    MatchView,
    Sight,
    SightView,
    StepView,
)
from companion.match import inputs, people
from companion.match.audience import Audience, HintRequest, Thinker, ViewStream
from companion.match.inputs import NEXT_HAS_BEGUN, Act, Answer, BeginAnew, CallReferee, Input, Receipt, Undo
from companion.match.people import WAIT_S, LostSeats, MatchSecrets, Said
from companion.match.present import ViewInputs, history, present, steps_of
from companion.match.referee import LIES_AS_JUDGED, LaidNow, Looker, Thresholds, Unpressed, judged, past_of
from companion.record import entry as bodies
from companion.record.entry import Acted, Amended, Answered, Asked, Entry, Retracted, TookSeat, Writing
from companion.record.fold import Folded, Holder, action_of, began, fold, lain_of, start_body, with_lain
from companion.record.log import Log

_LOGGER = logging.getLogger(__name__)

TICK_S = 0.5
"""Interval at which a waiting throw is checked, so that it does not wait too long, s."""
BY_HAND = (Sight.BY_HAND, Says("this table has no camera: tap what happens"))
NOT_LOOKED = (Sight.BLIND, Says("the camera has not looked at the table yet"))
WAITING = {
    Sight.HAND: Says("waiting until nothing covers the table"),
    Sight.MOVING: Says("waiting until nothing moves"),
}
LOOKING = Says("looking at the table")
NO_RULING = "no ruling: {why}"
NEVER_AT_REST = "the table is still moving: end the throw again once nothing moves"
BUSY = "the table is busy and has not answered yet: look at the history before trying again"
STUMBLED = "something went wrong ({error}): check in the history whether it was entered, then play on"
CLOSING = Says("the match is closing: nothing can be entered")


@dataclass(frozen=True, slots=True)
class _Ticket:
    """An input on the queue, or what the eyes and the box do in its place, and the place for its receipt."""

    given: Input | Callable[[], Receipt]
    done: queue.SimpleQueue[Receipt]


class Match(Generic[S, A]):
    """One match of one game, written by one thread; a `Door`. Raises: LogError for another game's log."""

    def __init__(
        self,
        game: Game[S, A],
        log: Log,
        *,
        wall_s: Callable[[], float],
        monotonic_s: Callable[[], float],
        options: Mapping[str, str] | None = None,
        players: int | None = None,
        board: str | None = None,
        seats: Mapping[str, Holder] | None = None,
        thresholds: Thresholds | None = None,
        live: Callable[[], bytes | None] | None = None,
        next_log: Callable[[], Log] | None = None,
        kit: Kit | None = None,
        has_eyes: bool = True,
    ) -> None:
        self._game = game
        self._log = log
        self._next_log = next_log
        self._ended: Log | None = None
        self._before: tuple[MatchView, tuple[HistoryLine, ...]] | None = None
        self._wall_s = wall_s
        self._monotonic_s = monotonic_s
        self._thresholds = thresholds or Thresholds()
        self._live = live
        self._queue: queue.SimpleQueue[_Ticket] = queue.SimpleQueue()
        self._door = threading.Lock()
        """Held while a ticket is queued, so that none comes after the closing one."""
        self._closing = self._has_ended = False
        self._look: Look | None = None
        self._looker = Looker(game, kit)
        self._secrets = MatchSecrets(game)
        self._waiting: _Ticket | None = None
        self._is_pressed_again = False
        self._waiting_since_s = 0.0
        self._refused: Says | None = None
        self._still_s = -math.inf
        self._said = Said()
        self._seen_start: A | None = None
        self._judged_reading: object = None
        """The reading that the newest action or question came from; None: people tapped it."""
        self._before_turn: A | None = None
        """The newest reading that shows the table before the next turn."""
        self._is_begin = False
        self._hints_done: tuple[Says, ...] = ()
        """Urgent hints that were seen done since the newest turn."""
        first = bodies.MatchBegan(game.name, dict(options or {}), players, board)
        self._folded = self._resumed(log, first, seats or {})
        self._before_turn = self._logged_before_turn()
        self._acted_s = -math.inf
        self._unpressed = Unpressed(game, self._thresholds.frame_lag_s)
        self._claims = LostSeats()
        self._look_over()
        self._sight = self._first_sight(has_eyes)
        self._thinker = Thinker(game, self._thresholds.hint_s, lambda hints: self._audience.hint(hints))
        self._audience = Audience(self._snapshot, self._presented, monotonic_s)
        self._thread = threading.Thread(target=self._run, name="match", daemon=True)
        self._thread.start()

    def _resumed(self, log: Log, first: bodies.MatchBegan, seats: Mapping[str, Holder]) -> Folded[S, A]:
        """The match of a log. An empty log is begun with `first` and the present seats: all or nothing."""
        entries = tuple(log.entries())
        if not entries:
            begun(self._game, first.seats, first.options, first.board)  # a match that cannot begin is not entered
            entries = log.append_all(
                self._wall_s(),
                (
                    bodies.written("table", first),
                    *(
                        bodies.written(holder.name, TookSeat(seat, holder.name, holder.phone, holder.is_stand_in))
                        for seat, holder in seats.items()
                    ),
                ),
            )
        begins = began(entries)
        found = None if begins is None else begins.game
        if found != self._game.name:
            raise LogError(f"{log.path}: is a log of {found}, expected {self._game.name}: give another --data")
        return fold(self._game, entries)

    # used by the pages and the buttons

    def submit(self, given: Input, timeout_s: float = 5.0) -> Receipt:
        ticket = self._queued(given)
        if ticket is None:
            return Receipt(None, CLOSING)
        ends_throw = isinstance(given, inputs.EndThrow)
        try:
            return ticket.done.get(timeout=min(timeout_s, self._thresholds.answer_s) if ends_throw else timeout_s)
        except queue.Empty:
            if ends_throw:
                return Receipt(None)
            return Receipt(None, Says(BUSY))

    def _queued(self, given: Input | Callable[[], Receipt]) -> _Ticket | None:
        """Puts something on the queue; None if the match is closing and nobody would answer."""
        ticket = _Ticket(given, queue.SimpleQueue())
        with self._door:
            if self._closing:
                return None
            self._queue.put(ticket)
        return ticket

    @property
    def name(self) -> str:
        return self._log.path.stem

    def view(self, seat: str | None = None) -> MatchView:
        return self._audience.view(seat)

    def history(self) -> tuple[HistoryLine, ...]:
        return history(self._game, self._folded)

    def steps(self) -> tuple[StepView, ...]:
        return steps_of(self._game, self._folded, self._log.picture)

    def before(self) -> tuple[MatchView, tuple[HistoryLine, ...]] | None:
        return self._before

    def hints(self, seat: str) -> HintsView | None:
        hints = self._audience.hints(seat)
        view = self._audience.view(seat)
        return hints if hints is not None and (hints.match, hints.judged) == (view.match, view.judged) else None

    def subscribe(self, seat: str | None = None, on_news: Callable[[], None] = lambda: None) -> ViewStream:
        return self._audience.subscribe(seat, on_news)

    def seats_of(self, phone: str | None) -> tuple[str, ...]:
        digest = None if phone is None else bodies.sha256_of(phone.encode())
        return tuple(seat for seat, holder in self._folded.seats.items() if holder.phone == digest)

    def heard(self, seat: str) -> None:
        self._audience.heard(seat)
        self._audience.notice_gone()

    def picture(self, sha256: str) -> bytes | None:
        logs = (self._log, self._ended)
        return next((picture for log in logs if log is not None and (picture := log.picture(sha256)) is not None), None)

    def live(self) -> bytes | None:
        return self._live() if self._live is not None else None

    # used by the eyes

    def looked(self, look: Look) -> None:
        self._queued(partial(self._take_look, look, self._still_s))

    def saw(self, sight: Sight, says: Says, code: str | None = None) -> None:
        """Notes whether the table can be seen."""
        self._queued(partial(self._take_sight, sight, says, code, self._still_s))

    def still(self, at_s: float) -> None:
        """Notes that a frame taken at `at_s` (monotonic) still shows the settled table as it was read."""
        self._still_s = at_s
        if self._waiting is not None:
            self._queued(self._judge_waiting)

    def watched(self, kit: Kit | None, live: Callable[[], bytes | None] | None, *, has_eyes: bool) -> None:
        """Other eyes look at the table from now on, with another lens or kit."""
        self._queued(partial(self._take_eyes, kit, live, has_eyes))

    def give_up(self, by: str, following: str | None) -> None:
        """Ends the match for good, with an entry if it was unfinished. `following` names the next one."""
        self._end((by, following))

    @contextlib.contextmanager
    def lends(self) -> Iterator[None]:
        """Closes the logs of ended matches while somebody else writes them, and then reads them again."""
        lent, back = threading.Event(), threading.Event()
        ticket = self._queued(partial(self._lend, lent, back))
        if ticket is not None:
            lent.wait()
        try:
            yield
        finally:
            back.set()
            if ticket is not None:
                ticket.done.get()

    def close(self) -> None:
        """Ends the streams and the thread; the log is folded and closed. May be called twice."""
        self._end(None)

    def _end(self, given_up: tuple[str, str | None] | None) -> None:
        """Ends the match. `given_up`: the person who ends it early, and the name of the next match."""
        with self._door:
            if self._closing:
                return
            self._closing = True
            self._queue.put(_Ticket(partial(self._take_end, given_up), queue.SimpleQueue()))
        self._thread.join()
        self._thinker.close()
        self._audience.close()
        for log in (self._log, self._ended):
            if log is not None:
                log.close()

    # the one thread that writes

    def _run(self) -> None:
        while not self._has_ended:
            try:
                ticket = self._queue.get(timeout=None if self._waiting is None else TICK_S)
            except queue.Empty:
                self._attempt(self._give_up_waiting)
                continue
            receipt = self._receipt(partial(self._take, ticket))
            self._attempt(self._audience.publish)
            if ticket is not self._waiting:
                ticket.done.put(receipt)

    def _attempt(self, do: Callable[[], object]) -> None:
        """Does something that nobody waits for. Its errors must end neither the match nor the steps after it."""
        try:
            do()
        except Exception:  # the thread's catch-all
            _LOGGER.exception("the match could not be shown")

    def _receipt(self, take: Callable[[], Receipt]) -> Receipt:
        """The receipt of `take`. A refusal, or an error of a rule or a reader, becomes a receipt with the reason."""
        try:
            return take()
        except CompanionError as refused:
            return Receipt(None, refused.sentence)
        except Exception as error:  # the thread's catch-all: one bad input must not end the match
            _LOGGER.exception("an input could not be taken")
            return Receipt(None, Says(STUMBLED, {"error": type(error).__name__}))

    def _take(self, ticket: _Ticket) -> Receipt:
        if not isinstance(ticket.given, Input):
            return ticket.given()
        if ticket.given.match not in (None, self.name):
            raise Refused(NEXT_HAS_BEGUN)
        match ticket.given:
            case inputs.EndThrow():
                return self._end_throw(ticket)
            case BeginAnew() as given:
                return self._begin_anew(given)
            case inputs.TakeSeat() as given:
                return self._ask_for_seat(given) if given.is_lost else self._sit(given)
            case inputs.Admit() as given:
                return self._admit(given)
            case inputs.Tell() as given:
                return self._tell(given)
            case inputs.LeaveSeat() as given:
                writings = people.left(self._folded, given)
                self._secrets.forget(given.seat)
                self._audience.forget(given.seat)
                return self._enter(writings)
            case Answer() as given:
                return self._answer(given)
            case Act() as given:
                return self._act(given)
            case inputs.IsBack(entry=entry):
                self._said = replace(self._said, back=entry)
                return Receipt(self._folded.seq)
            case inputs.SettleObjection() as given:
                return self._settle(given)
            case inputs.Correct() as given:
                return self._enter(people.corrected(self._game, self._folded, given))
            case Undo() as given:
                return self._enter(people.taken_back(self._folded, given))
            case CallReferee() as given:
                return self._enter(people.called(self._folded, given))
            case inputs.RefereeCame() | inputs.CallOff() as given:
                return self._enter(people.call_ended(self._folded, given))

    def _sit(self, given: inputs.TakeSeat, *, is_agreed: bool = False) -> Receipt:
        """Enters who sits down. `is_agreed`: also on a seat that is kept for another phone."""
        is_kept = self._is_free if is_agreed else self._audience.is_kept
        writings = people.sat_down(self._game, self._folded, given, is_kept)
        if writings:  # another phone, or another person, sits there now
            self._secrets.forget(given.seat)
            self._claims.forget(given.seat)
        self._audience.heard(given.seat)  # its page loads before its stream starts
        return self._enter(writings)

    @staticmethod
    def _is_free(seat: str) -> bool:
        return False

    def _ask_for_seat(self, given: inputs.TakeSeat) -> Receipt:
        """Asks the others whether a phone gets the seat that it has lost; without others it waits."""
        given = msgspec.structs.replace(given, name=given.holder or given.name)
        if not people.sat_down(self._game, self._folded, given, self._is_free):
            return Receipt(self._folded.seq)
        if not self._audience.is_kept(given.seat):  # the table's number was not asked for
            raise Refused(Says("this seat is not kept any longer: sit down"))
        now_s = self._monotonic_s()
        claim = self._claims.made(given, now_s)
        if self._admitting(given) or now_s < claim.since_s + WAIT_S:
            return Receipt(None)
        return self._sit(given, is_agreed=True)

    def _admit(self, given: inputs.Admit) -> Receipt:
        claim = self._claims.of(given.claim, self._monotonic_s()).given
        if given.seat not in self._admitting(claim):
            raise Refused(Says("another phone has to agree"))
        self._claims.forget(claim.seat)
        return self._sit(claim, is_agreed=True) if given.is_admitted else Receipt(None)

    def _admitting(self, given: inputs.TakeSeat) -> tuple[str, ...]:
        """The seats whose connected phones may say that a phone gets its seat back; its old phone is one of them."""
        here, phone = self._audience.connected(), bodies.sha256_of(given.phone.encode())
        holders = self._folded.seats
        return tuple(s for s, of in holders.items() if s in here and of.has_phone and of.phone != phone)

    def _answer(self, given: Answer) -> Receipt:
        """Enters an answer: of a close call once all connected phones agree. `LOOK_AGAIN` judges again."""
        writings = people.answered(self._game, self._folded, given)
        asked = people.question_of(self._game, self._folded)
        others = self._others(given.seat) if asked is not None and asked[1].margin is not None else ()
        if others and given.seat is not None:
            here = (given.seat, *others)
            self._said = self._said.answered(given, here)
            by = self._said.agreed(here)
            if by is None:
                return Receipt(None)
            writings = people.answered(self._game, self._folded, msgspec.structs.replace(given, by=by))
        receipt = self._enter(writings)
        if self._look is not None and self._waiting is None:  # pieces may have come while the question was open
            self._receipt(partial(self._judge_unpressed, self._look))
        # the person who was asked to lay it apart has done so, and need not press as well
        if given.choice == LOOK_AGAIN:
            looks = self._end_throw(_Ticket(inputs.EndThrow(by=given.by), queue.SimpleQueue()))
            self._refused = looks.refused or self._refused
        return receipt

    def _act(self, given: Act) -> Receipt:
        """Makes a move. A move that ends the match early waits until all others who sit at a phone want it too."""
        wanted = self._said.ending
        made = wanted if wanted is not None and wanted.move == given.move else given
        writings = self._made(made)
        if not any(move.needs_all for move in self._game.rules.legal(self._folded.state) if move.move == made.move):
            return self._enter(writings)
        self._said = self._said.wants_end(given.seat, given.by, made)
        if not self._all_want_end(given.seat):
            return Receipt(None)
        all_names = " + ".join(dict.fromkeys(self._said.enders.values()))
        return self._enter(self._made(msgspec.structs.replace(made, by=all_names)))

    def _made(self, given: Act) -> tuple[Writing, ...]:
        return people.made(self._game, self._folded, given, self._secrets.held)

    def _settle(self, given: inputs.SettleObjection) -> Receipt:
        """Takes back what an objection is about, or lets it stand, once the players agree."""
        _, objector = people.objection_of(self._folded, given.entry)
        here = (given.seat, *self._others(given.seat))
        self._said = self._said.wished(given, here, objector)
        settled = self._said.settled(here)
        return (
            Receipt(None) if settled is None else self._enter(people.settled(self._game, self._folded, given, *settled))
        )

    def _all_want_end(self, seat: str) -> bool:
        return set(self._others(seat)) <= self._said.enders.keys()

    def _others(self, seat: str | None) -> tuple[str, ...]:
        """The other seats with a connected phone, held by another phone than this seat's."""
        holders = self._folded.seats
        mine = holders[seat].phone if seat is not None and seat in holders else None
        return tuple(s for s in holders if s != seat and s in self._audience.connected() and holders[s].phone != mine)

    def _enter(self, writings: tuple[Writing, ...], reading: object = None) -> Receipt:
        """Enters all of them or none. `reading`: what they were read from. Raises: LogError."""
        if not writings:  # it is in the log already
            return Receipt(self._folded.seq)
        entries = self._log.append_all(self._wall_s(), self._with_before_turn(writings))
        before = self._folded
        self._folded = fold(self._game, (*before.entries, *entries), before)
        self._secrets.followed(before.state, self._folded.state)
        kinds = {type(entry.body) for entry in entries}
        # after an undo or a new set-up, pieces no longer get their names from the old table
        if kinds & {Acted, Retracted}:
            self._seen_start, self._hints_done = None, ()
        if reading is not None or (kinds & {Acted, Retracted} and Answered not in kinds):
            self._judged_reading = reading
        if kinds & {Acted, Retracted, Amended, Answered}:
            self._said = self._said.gone_on()
            undone = before.steps[len(self._folded.steps) :]
            self._unpressed.entered(self._monotonic_s(), tuple(step.action for step in undone))
            if self._has_moved(self._folded.entries[len(before.entries) :]):  # these entries have their actions decoded
                self._before_turn = None
            if self._judged_reading is not None:  # changes since that reading are new, even while a question was open
                self._unpressed.judged(partial(self._found, self._judged_reading))
            self._remember_before_turn()
        if Asked in kinds:  # it is asked now
            self._unpressed.asked()
        if kinds & {Acted, Amended}:
            self._acted_s = self._monotonic_s()
        self._refused = None
        self._look_over()
        return Receipt(entries[-1].seq)

    def _has_moved(self, entries: Iterable[Entry]) -> bool:
        """Whether entries may be about pieces that moved. A new look at the table and moves without pieces are not."""
        as_left, state = self._game.table.as_left, self._folded.state
        for entry in entries:
            match entry.body:
                case Acted() if as_left(state, action_of(entry), lambda: state) is None:  # type: ignore[arg-type]
                    continue
                case Answered(choice=choice) if choice == LOOK_AGAIN or entry.body.enters:
                    continue
            return True
        return False

    def _with_before_turn(self, writings: tuple[Writing, ...]) -> tuple[Writing, ...]:
        """Entries whose actions move no piece remember the table before the next turn."""
        lain = self._before_turn
        if lain is None or any(not isinstance(one.body, Acted) or self._moves(one.body) for one in writings):
            return writings
        return tuple(
            replace(one, body=with_lain(self._game, one.body, lain)) for one in writings if isinstance(one.body, Acted)
        )

    def _moves(self, body: Acted) -> bool:
        action = action_of_json(self._game, msgspec.json.decode(body.action))
        return self._game.table.as_left(self._folded.state, action, lambda: self._folded.state) is not None

    def _logged_before_turn(self) -> A | None:
        for entry in reversed(self._folded.entries):
            if (found := lain_of(entry)) is not None:
                lain: A = found
                return lain
            if isinstance(entry.body, Acted | Retracted | Amended | Answered) and self._has_moved((entry,)):
                return None
        return None

    def _tell(self, given: inputs.Tell) -> Receipt:
        if given.seat not in seats_of(self._game, self._folded.state):
            raise Refused(Says("unknown seat {seat}", {"seat": given.seat}))
        if not given.text.strip():
            self._secrets.forget(given.seat)
            return Receipt(self._folded.seq)
        return self._enter((self._secrets.told(self._folded, given),))

    def _lend(self, lent: threading.Event, back: threading.Event) -> Receipt:
        is_over = self.is_over
        for log in (self._log if is_over else None, self._ended):
            if log is not None:
                log.close()
        lent.set()
        back.wait()
        if is_over:
            self._log = Log(self._log.path)
            self._folded = fold(self._game, tuple(self._log.entries()))
        if self._ended is not None:
            self._ended, self._before = Log(self._ended.path), None
        return Receipt(self._folded.seq)

    def _take_end(self, given_up: tuple[str, str | None] | None) -> Receipt:
        """Takes the last ticket; everybody who still waits is answered."""
        self._has_ended = True
        self._forget_waiting(Receipt(None, CLOSING))
        if given_up is not None and not self.is_over:
            self._write_given_up(*given_up)
        return Receipt(None)

    def _write_given_up(self, by: str, following: str | None) -> None:
        """Writes in the log that this match is given up. The next one is valid even if this cannot be written."""
        try:
            self._enter((bodies.written(by, bodies.GivenUp(following)),))
        except LogError as error:
            _LOGGER.warning("%s", error)

    # looking

    def _first_sight(self, has_eyes: bool) -> SightView:
        sight, says = NOT_LOOKED if has_eyes else BY_HAND
        return SightView(state=sight, says=says, since_s=self._monotonic_s(), code="starting" if has_eyes else None)

    def _take_eyes(self, kit: Kit | None, live: Callable[[], bytes | None] | None, has_eyes: bool) -> Receipt:
        self._forget_waiting(Receipt(None, Says(NEVER_AT_REST)))
        self._looker, self._live = Looker(self._game, kit), live
        self._look, self._still_s = None, -math.inf
        self._sight = self._first_sight(has_eyes)
        self._look_over()
        return Receipt(None)

    def _take_sight(self, sight: Sight, says: Says, code: str | None, confirmed_s: float) -> Receipt:
        """Takes the camera's sight of the table. `confirmed_s`: time of the newest frame that fits the reading."""
        was = self._sight
        self._remember_laid_now(confirmed_s)
        if sight is Sight.MOVING and code != READING:
            self._unpressed.moves()
        if sight is not Sight.SEES:
            self._look, self._still_s = None, -math.inf
        if (was.state, was.code, was.says) == (sight, code, says):
            return Receipt(None)
        since_s = was.since_s if (was.state, was.code) == (sight, code) else self._monotonic_s()
        self._sight = SightView(state=sight, says=says, since_s=since_s, code=code)
        cannot = (Sight.BLIND, Sight.MOVED)
        if sight in cannot:
            self._looker.saw(None)
            self._look_over()
        is_turn = (sight in cannot) != (was.state in cannot) or (sight in cannot and sight != was.state)
        receipt = Receipt(None)
        if is_turn or code == MEASURED_ANEW:
            body = bodies.Sighted(str(says), sight.value, code, says)
            try:
                receipt = self._enter((bodies.written(CAMERA, body),))
            except LogError as error:  # nobody reads the receipt, and the sight counts all the same
                _LOGGER.warning("%s", error)
        if sight in cannot:  # after the entry, because an entry clears the earlier refusal
            self._forget_waiting(Receipt(None, Says(NO_RULING, {"why": says})))
        return receipt

    def _take_look(self, look: Look, confirmed_s: float) -> Receipt:
        self._remember_laid_now(confirmed_s)
        self._look = look
        self._looker.saw(look.reading)
        was_back = self._laid_now[1].is_back
        self._look_over()
        if self._laid_now[1].is_back and not was_back:
            self._unpressed.put_right()
        self._remember_seen_start()
        self._remember_before_turn()
        return self._judge_unpressed(look) if self._waiting is None else self._judge_waiting()

    def _remember_laid_now(self, confirmed_s: float) -> None:
        """Remembers the table after the newest entry, so that it is not entered again without a press."""
        if self._thresholds.enters_itself and self._look is not None:
            self._unpressed.lay(max(self._look.at_s, confirmed_s), self._found)

    def _found(self, reading: object = None) -> Proposal[A] | Doubt[A] | None:
        """The game's interpretation of a reading, else of the newest; None if it shows nothing new."""
        eyes, last = self._game.eyes, self._folded.last
        lain = () if self._before_turn is None else (self._before_turn,)
        shown = self._looker.reading if reading is None else reading
        found = eyes.interpret(self._folded.state, shown, past_of(self._folded, self._seen_start), *lain)
        if not isinstance(found, Proposal) or len(found.actions) > 1:
            return found
        is_as_before = found.is_early or all(
            last is not None and not eyes.has_moved(last.action, action) for action in found.actions
        )
        return None if is_as_before else found

    def _judge_unpressed(self, look: Look) -> Receipt:
        """Enters a whole turn that the reading shows, without a press."""
        state = self._folded.state
        asked = people.question_of(self._game, self._folded)
        is_asked = asked is not None and not asked[1].is_of_mistake
        if not self._thresholds.enters_itself or self._game.rules.outcome(state) is not None:
            return Receipt(None)
        if asked is not None and [c.key for c in asked[1].choices[:1]] == [LOOK_AGAIN] and self._is_put_right(asked[1]):
            again = Answer(question=asked[0], choice=LOOK_AGAIN, by=CAMERA)
            receipt = self._enter(people.answered(self._game, self._folded, again))
            return receipt if receipt.refused else self._judge_unpressed(look)
        set_up = self._laid_now[1].set_up
        is_set_up = set_up is not None and set_up.laid is InPlace.YES
        is_back = self._is_begin and bool(self._laid_now[1].back or self._hints_done)
        doubt = self._folded.doubt
        is_whole = self._unpressed.is_whole(self._found, doubt, is_set_up=is_set_up, is_back=is_back)
        if is_whole and is_asked:  # what is asked is shown with a picture from before
            self._unpressed.is_unsure = True
        if not is_whole or is_asked:
            return Receipt(None)
        return self._judge(look, CAMERA)

    def _is_put_right(self, asked: Doubt[A]) -> bool:
        try:
            found = self._found()
        except CompanionError:
            return False
        return not isinstance(found, Doubt) or (found.key, found.says) != (asked.key, asked.says)

    def _look_over(self) -> None:
        self._laid_now = (self._folded, self._looker.now(self._folded, is_at_rest=self._look is not None))

    def _remember_seen_start(self) -> None:
        """Remembers the table from before the first throw: later readings may not show the owners of the pieces."""
        is_beginning = self._folded.last is None or self._laid_now[1].set_up is not None  # or play begins again
        if not is_beginning or self._looker.reading is None:
            return
        with contextlib.suppress(CompanionError):
            found = self._game.eyes.interpret(self._folded.state, self._looker.reading)
            if isinstance(found, Proposal) and found.actions and found.is_early:
                self._seen_start = found.actions[0]

    def _remember_before_turn(self) -> None:
        """Remembers the table from before the next turn, so that hands that moved something are noticed."""
        begins, self._is_begin = self._game.eyes.begins, False
        if begins is None or self._looker.reading is None:
            return
        state = self._folded.state
        with contextlib.suppress(CompanionError):
            found = self._game.eyes.interpret(state, self._looker.reading, past_of(self._folded, self._seen_start))
            shown: list[A | None]
            match found:
                case Proposal():
                    shown = [*found.actions]
                case Doubt():
                    shown = [action for choice in found.choices for action in choice.actions]
                    shown += [] if found.shows is None else [found.shows]
                case _:
                    shown = [None]
            before = [action for action in shown if begins(state, action)]
            self._is_begin = bool(before)
            done = found.done if found else ()
            kept = () if self._is_begin else self._hints_done  # a throw may undo what was done before it
            self._hints_done = (*kept, *(says for says in done if says not in kept))
            self._before_turn = next(iter(before), self._before_turn)

    def _end_throw(self, ticket: _Ticket) -> Receipt:
        if isinstance(ticket.given, inputs.EndThrow) and ticket.given.judged not in (None, self._folded.judged):
            return Receipt(self._folded.seq)
        why: Says | None = None
        asked = self._game.people.question(self._folded.state)
        if self._sight.state in (Sight.BLIND, Sight.MOVED, Sight.BY_HAND):
            why = Says(NO_RULING, {"why": self._sight.says})
        elif self._game.rules.outcome(self._folded.state) is not None:
            why = Says("the match is over: begin the next one")
        elif asked is not None:
            why = Says("answer the question first, or undo the entry that it is about")
        if why is not None:
            is_button = isinstance(ticket.given, inputs.EndThrow) and ticket.given.by == BUTTON
            # a phone reads its receipt; a button's answer is shown on every phone, which also shows the question
            self._refused = why if is_button else None
            whole = why if asked is None else Says("{why}: {question}", {"why": why, "question": asked.says})
            return Receipt(None, whole)
        self._forget_waiting(Receipt(None))
        self._is_pressed_again, self._refused = self._refused == LIES_AS_JUDGED, None
        self._waiting, self._waiting_since_s = ticket, self._monotonic_s()
        self._judge_waiting()
        return Receipt(None)

    def _judge_waiting(self) -> Receipt:
        """Judges an ended throw once a frame from after the press shows the settled table: frames lag behind."""
        if self._waiting is None or self._look is None:
            return Receipt(None)
        if max(self._look.at_s, self._still_s) < self._waiting_since_s + self._thresholds.frame_lag_s:
            return Receipt(None)
        given, look = self._waiting.given, self._look
        if self._give_up_waiting() or not isinstance(given, inputs.EndThrow):
            return Receipt(None)
        receipt = self._receipt(partial(self._judge, look, given.by))
        self._forget_waiting(receipt)
        return receipt

    def _judge(self, look: Look, by: str) -> Receipt:
        writings = judged(
            self._game,
            self._folded,
            look,
            self._looker.reading,
            self._seen_start,
            by,
            before=self._before_turn,
            is_pressed_again=self._is_pressed_again,
        )
        return self._enter(writings, self._looker.reading)

    def _give_up_waiting(self) -> bool:
        """Refuses an ended throw that has waited too long for the table to settle. Returns whether it did."""
        waited_s = self._monotonic_s() - self._waiting_since_s
        if self._waiting is None or waited_s <= self._thresholds.wait_for_rest_s:
            return False
        self._forget_waiting(Receipt(None, Says(NEVER_AT_REST)))
        return True

    def _forget_waiting(self, receipt: Receipt) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            # the person who ended the throw may already have been answered that the table is being looked at
            self._refused = receipt.refused or self._refused
            self._attempt(self._audience.publish)
            waiting.done.put(receipt)

    # people

    @property
    def state(self) -> S:
        return self._folded.state

    @property
    def asked(self) -> Doubt[A] | None:
        """The open question about what a reading showed."""
        return self._folded.doubt

    @property
    def is_over(self) -> bool:
        return self._game.rules.outcome(self._folded.state) is not None

    def undo_newest(self, by: str) -> Receipt:
        """Takes back the newest thing entered, whatever it is: the action of the held undo button."""
        entries = self._folded.undoable()
        if not entries:
            return Receipt(None, Says("there is nothing to take back"))
        return self.submit(Undo(entry=entries[0].seq, by=by))

    def _begin_anew(self, given: BeginAnew) -> Receipt:
        is_over = self.is_over
        if given.goes_on:
            self._said = replace(self._said, enders={}, ending=None)
            return Receipt(self._folded.seq)
        if not is_over and not given.is_given_up:
            raise Refused(Says("the match is not over: play on, or undo what was wrong"))
        if not is_over and given.seat is not None:
            self._said = self._said.wants_end(given.seat, given.by)
            if not self._all_want_end(given.seat):
                return Receipt(None)
        if self._next_log is None:
            raise Refused(Says("this log holds one match only: start companion again for the next one"))
        before = (self.view(None), self.history()) if is_over else None
        opened = self._next_log()
        with contextlib.ExitStack() as on_failure:  # on failure the finished match stays as it was
            on_failure.callback(opened.discard)
            begun = self._resumed(opened, start_body(self._game, self._folded.entries), self._folded.seats)
            on_failure.pop_all()
        if not is_over:
            self._forget_waiting(Receipt(None, Says("the match was ended before this was judged")))
            self._write_given_up(given.by, opened.path.stem)
        if self._ended is not None:
            self._ended.close()
        self._ended, self._before = self._log, before
        self._ended.checkpoint()
        self._log, self._folded, self._refused = opened, begun, None
        self._seen_start = self._before_turn = None
        self._secrets.forget()
        self._said = Said()
        self._unpressed.entered(self._monotonic_s())
        self._look_over()
        if self._look is not None:  # the table may be set up already, and a table without movement gives no new reading
            self._remember_seen_start()
        _LOGGER.info("%s began %s after %s", given.by, opened.path.stem, given.match)
        return Receipt(begun.seq)

    # views for the audience

    def _presented(self, seen: ViewInputs, seat: str | None, other: MatchView | None) -> MatchView:
        return present(self._game, seen, self._log.picture, seat, other)

    def _snapshot(self, connected: frozenset[str], is_kept: Callable[[str], bool]) -> ViewInputs:
        waiting = None
        if self._waiting is not None:
            waiting = LOOKING if self._sight.code == READING else WAITING.get(self._sight.state, LOOKING)
        folded, (looked_over, laid) = self._folded, self._laid_now
        if looked_over is not folded:  # a phone's thread asks while the match goes on: the current view follows at once
            laid = LaidNow()
        match, objection_s = self._log.path.stem, self._thresholds.objection_s
        self._thinker.want(HintRequest(match, folded.judged, connected, folded.state, self._secrets.held))
        return ViewInputs(
            folded=folded,
            sight=self._sight,
            waiting=waiting,
            refused=self._refused,
            connected=connected,
            kept=frozenset(filter(is_kept, folded.seats)),
            match=match,
            has_before=self._before is not None,
            laid=laid,
            objection_until_s=self._acted_s + objection_s if objection_s else None,
            said=self._said,
            secrets=self._secrets.held,
            has_referee=self._thresholds.has_referee,
            enters_itself=self._enters_itself,
            is_unsure=self._unpressed.is_unsure,
            wrong=self._unpressed.wrong,
            seen=self._unpressed.seen,
            done=self._hints_done,
            claims=tuple(
                LostSeatView(
                    claim=claim.number,
                    seat=claim.given.seat,
                    name=claim.given.name,
                    asks=self._admitting(claim.given),
                    until_s=claim.since_s + WAIT_S,
                )
                for claim in self._claims.open(self._monotonic_s())
            ),
        )

    @property
    def _enters_itself(self) -> bool:
        eyes = self._game.eyes
        return self._thresholds.enters_itself and eyes.tells_whole_turns and self._sight.state is not Sight.BY_HAND
