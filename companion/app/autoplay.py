"""Whole matches that play themselves at the virtual table, in simulated time: drawn, read, judged, and compared with
the truth, which the match gets only through picture, reader and referee."""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from calibration.arrays import Picture
from calibration.pose import Pose
from companion.app.camera_loop import CameraLoop, watch_of
from companion.app.playing import MatchChoice
from companion.game.brought import default_kit
from companion.game.errors import CompanionError
from companion.game.game import Game, seats_of
from companion.game.kit import Kit
from companion.game.known import game_named, module_of, names
from companion.game.readings import Reading
from companion.game.view import MatchView, Sight
from companion.match.inputs import Act, Answer, EndThrow, RefereeCame
from companion.match.match import Match
from companion.match.referee import Thresholds
from companion.record.log import Log
from hardware.camera import Blindness, Frame
from vision.frame.watch import Watch
from vision.readers import TableEye
from vision.sim.rod_table import zones_of
from vision.sim.rooms import room_by_chance
from vision.sim.sheet import STYLES
from vision.sim.virtual import VirtualTable, height_for


class Clock:
    """Simulated seconds."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


class DrawnFrames:
    """The virtual camera without a thread: each frame is drawn when it is asked for."""

    def __init__(self, table: VirtualTable, clock: Clock) -> None:
        self._table, self._clock = table, clock
        self._sequence = 0
        self.blindness: Blindness | None = None

    def newer(self, sequence: int, timeout_s: float) -> Frame | None:
        picture = self._table.frame()
        self._sequence += 1
        return None if picture is None else Frame(picture, self._clock(), self._sequence)

    def newest(self) -> Frame | None:
        return self.newer(self._sequence, 0.0)

    def adapt(self) -> None:
        """A drawn camera has nothing to adapt."""


class OnceEye:
    """An eye that reads each picture once: a drawn table that does not move may send the same picture many times."""

    def __init__(self, eye: TableEye) -> None:
        self._eye = eye
        self._known: tuple[Picture, Reading] | None = None
        self.fuse, self.draw = eye.fuse, eye.draw

    def read(self, picture: Picture) -> Reading:
        return self._once(picture, self._eye.read)

    def read_at(self, picture: Picture, pose: Pose) -> Reading:
        return self._once(picture, lambda new: self._eye.read_at(new, pose))

    def _once(self, picture: Picture, read: Callable[[Picture], Reading]) -> Reading:
        if self._known is None or self._known[0] is not picture:
            self._known = picture, read(picture)
        return self._known[1]


REST_S = 0.4
MOST_FRAMES = 120
"""Frames after which an unanswered press will stay unanswered."""
RESTS = 12
"""Frames for which the table is left alone: more than a second."""
MOST_PRESSES = 8
"""Presses after which an action that was not entered counts as stuck."""
MOST_ACTIONS = 4000
TROUBLED = 0.12
"""Share of the turns of a disturbed match in which something goes wrong."""
BY = "autoplay"


@dataclass(kw_only=True)
class PlayedMatch:
    """The result of a match: `wrong` entries that differ from the truth, `noticed` and `harmless` disturbances."""

    game: str
    seed: int
    entries: int = 0
    turns: int = 0
    questions: int = 0
    wrong: int = 0
    ended: bool = False
    presses: int = 0
    disturbed: dict[str, int] = field(default_factory=dict)
    noticed: int = 0
    harmless: int = 0
    stuck: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value is not None}


Trouble = Callable[[Any, Sequence[Any]], bool]
"""A disturbance before the actions of a turn, from a state; returns whether it was noticed."""


class Player(Protocol):
    """How a game is played at the table: the next actions, and the hands that do them. Optional methods: `is_same`,
    `lay_again` (with more space), `entered` (the state to continue from), `answer` (the key of the true choice)."""

    @property
    def troubles(self) -> Sequence[Trouble]:
        """The disturbances that can happen at such a table."""

    def next(self, state: Any) -> Sequence[Any]:
        """The actions until the next press, all of them legal one after the other."""

    def perform(self, state: Any, action: Any) -> None:
        """Does an action on the table, from a state."""


class Autoplay:
    def __init__(
        self,
        chosen: MatchChoice,
        seed: int,
        log: Path,
        *,
        disturbs: bool = False,
        elsewhere: bool = False,
        has_button: bool = True,
        clock: Clock | None = None,
    ) -> None:
        self.game = chosen.open()
        self.random = random.Random(seed)
        self.clock = clock or Clock()
        kit = default_kit(self.game.name)
        self.state = chosen.start(self.game)
        board = chosen.board_of(self.game)
        self.table = VirtualTable(
            kit,
            **(_room(kit, seed) if elsewhere else {}),
            board=board,
            layout=self.game.table.layout(self.state).pieces,
            seats=seats_of(self.game, self.state),
            seed=seed,
            clock=self.clock,
            wait=self.clock.wait,
            is_grain_anew=False,
        )
        eye = OnceEye(watch_of(self.game, self.table.lens, kit, board).eye)
        watch = Watch(eye, self.table.lens, kit, rest_s=REST_S)
        self.loop = CameraLoop(DrawnFrames(self.table, self.clock), watch)
        self.match: Match[Any, Any] = Match(
            self.game,
            Log(log),
            wall_s=self.clock,
            monotonic_s=self.clock,
            options=chosen.options,
            players=chosen.players,
            board=chosen.board,
            thresholds=Thresholds(answer_s=0.0, objection_s=0.0, enters_itself=not has_button),
            kit=kit,
        )
        self.has_button = has_button
        self.disturbs = disturbs
        self.played = PlayedMatch(game=self.game.name, seed=seed)
        player = player_of(self.game)
        assert player is not None
        self.player = player(self)

    def play(self, most_actions: int = MOST_ACTIONS) -> PlayedMatch:
        """Plays the match to its end, or at most `most_actions` turns."""
        try:
            self.sees()
            for _ in range(most_actions):
                if not self.turn():
                    break
            view = self.match.view()
            self.played.ended = view.over is not None and self.is_same(self.match.state, self.state)
            self.played.entries = view.seq
            return self.played
        finally:
            self.match.close()

    # one press after another

    def sees(self) -> bool:
        """Looks until the table is seen; False if it is not seen after a while."""
        for _ in range(MOST_FRAMES):
            if self.match.view().sight.state is Sight.SEES:
                return True
            self.look()
        return False

    def turn(self) -> bool:
        """Plays until the next press is entered; False if the match is over or stuck."""
        if self.game.rules.outcome(self.state) is not None or self.played.stuck:
            return False
        self.played.turns += 1
        self._turn(self.player.next(self.state))
        return True

    def _turn(self, actions: Sequence[Any]) -> None:
        trouble = (
            self.random.choice(self.player.troubles) if self.disturbs and self.random.random() < TROUBLED else None
        )
        state = self.state
        if trouble is not None:
            self.played.disturbed[trouble.__name__] = self.played.disturbed.get(trouble.__name__, 0) + 1
            is_noticed = trouble(state, actions)
            self.played.noticed += is_noticed
            self.played.harmless += not is_noticed
        steps = [state]
        for action in actions:
            self.player.perform(steps[-1], action)
            steps.append(self.game.rules.apply(steps[-1], action).state)
        expected = steps[-1]
        self.rest()
        for times in range(MOST_PRESSES):
            if times or not self.is_same(self.match.state, expected):
                self._answer_all(self.press(), steps)
            if self.is_same(self.match.state, expected):
                self.rest()
                entered = getattr(self.player, "entered", None)
                self.state = self.match.state if entered is None else entered(self.match.state, expected)
                return
            if self.match.view().question is None and times and hasattr(self.player, "lay_again"):
                self.player.lay_again(steps[-2], actions[-1], times)
            if self._at(self.match.state, steps) is None and self.match.view().question is None:
                self.played.wrong += 1
                self.played.stuck = (
                    f"entered {self.game.text.state(self.match.state)}, expected {self.game.text.state(expected)}"
                )
                return
        view = self.match.view()
        asked = None if view.question is None else str(view.question.says)
        self.played.stuck = f"{[self.game.text.action(a) for a in actions]}: {view.sight.says}; {view.refused}; {asked}"

    def press(self) -> MatchView:
        """Presses the button, and looks until it is answered or the table is not seen."""
        self.played.presses += 1
        self.match.submit(EndThrow(by=BY))
        for _ in range(MOST_FRAMES):
            self.look()
            view = self.match.view()
            if view.waiting is None and view.sight.state is not Sight.MOVING:
                return view
        return self.match.view()

    def rest(self) -> None:
        """Leaves the table alone until it is read, so that a match without a button may enter what it shows."""
        if self.has_button:
            return
        for _ in range(RESTS):
            self.look()
        self.sees()

    def look(self) -> None:
        """One frame; the match has processed it when this returns."""
        self.loop.advance(self.match)
        self._is_done()

    def _answer_all(self, view: MatchView, steps: Sequence[Any]) -> None:
        answered = None
        while view.question is not None and view.question.id != answered:
            answered = view.question.id
            self.played.questions += 1
            self._answer(steps)
            view = self.match.view()

    def _answer(self, steps: Sequence[Any]) -> None:
        """Answers truthfully: the choice that matches most of the actions done, or else that nothing was done."""
        answer = getattr(self.player, "answer", None)
        doubt = self.match.asked
        if answer is not None:  # a question of the game's own comes first
            doubt = self.game.people.question(self.match.state) or doubt
        if doubt is None:
            return
        if answer is not None:
            self.answers(answer(doubt))
            return
        fits = [(self._led_to(choice.actions), choice.key) for choice in doubt.choices if choice.actions]
        told = [(at, key) for state, key in fits if (at := self._at(state, steps)) is not None]
        nothing = [(0, choice.key) for choice in doubt.choices if not choice.actions]
        for _, key in sorted(told, reverse=True)[:1] or nothing[:1]:
            self.answers(key, "so it was")

    def is_same(self, state: Any, expected: Any) -> bool:
        """Whether a state is the expected one, as far as the game can distinguish them."""
        is_same = getattr(self.player, "is_same", None)
        return bool(state == expected if is_same is None else is_same(state, expected))

    def _at(self, state: Any, steps: Sequence[Any]) -> int | None:
        return next((at for at, step in enumerate(steps) if self.is_same(state, step)), None)

    def _led_to(self, actions: Sequence[Any]) -> Any:
        state = self.match.state
        with contextlib.suppress(CompanionError):  # an answer that the rules refuse leads nowhere
            for action in actions:
                state = self.game.rules.apply(state, action).state
        return state

    # what players of games call

    def tap(self, seat: str, move: str, values: dict[str, str] | None = None) -> None:
        """A player taps a move on a phone; it is entered or refused when this returns."""
        self.match.submit(Act(seat=seat, move=move, by=BY, values=values or {}))
        self._is_done()

    def answers(self, choice: str, reason: str = "") -> None:
        question = self.match.view().question
        if question is not None:
            self.match.submit(Answer(question=question.id, choice=choice, by=BY, reason=reason))

    def _is_done(self) -> None:
        # this is refused; by then everything before it on the queue is done
        self.match.submit(RefereeCame(entry=0, by=BY))

    # what goes wrong at any table

    def hand(self, state: Any, actions: Sequence[Any]) -> bool:
        """A hand stays over the table while somebody presses."""
        self.table.set_hand(seats_of(self.game, state)[0])
        return self.pressed_in_vain(lambda: self.table.set_hand(None))

    def dim_light(self, state: Any, actions: Sequence[Any]) -> bool:
        self.table.set_light(0.02)
        return self.pressed_in_vain(lambda: self.table.set_light(1.0))

    def bump(self, state: Any, actions: Sequence[Any]) -> bool:
        """Somebody knocks against the camera, which then measures its pose again."""
        before = self.match.view().seq
        self.table.bump()
        for _ in range(40):
            self.look()
        return self.match.view().seq > before

    def pressed_in_vain(self, mend: Callable[[], None]) -> bool:
        """A press while the table cannot be seen enters nothing."""
        for _ in range(12):
            self.look()
        self.match.submit(EndThrow(by=BY))
        for _ in range(12):
            self.look()
        view = self.match.view()
        is_noticed = view.sight.state is not Sight.SEES or view.waiting is not None
        mend()
        for _ in range(20):
            self.look()
        return is_noticed

    def asked_in_vain(self, mend: Callable[[], None]) -> bool:
        """Presses while the table is wrong: the match asks or says what is missing, and enters nothing."""
        view = self.press()
        is_noticed = view.question is not None or view.refused is not None
        if view.question is not None:
            self.played.questions += 1
            kept = next((c.key for c in view.question.choices if c.key in ("record", "nothing", "again")), None)
            if kept is not None:
                self.answers(kept)
        mend()
        return is_noticed


def player_of(game: Game[Any, Any]) -> Callable[[Autoplay], Player] | None:
    if game.player is None:
        return None
    module, _, name = game.player.partition(":")
    found: Callable[[Autoplay], Player] = getattr(module_of(game.name, module), name)
    return found


def _room(kit: Kit, seed: int) -> dict[str, Any]:
    """Another camera, light and table surface, as `VirtualTable` takes them."""
    is_fine = kit.game == "eyes_of_the_emperor" or any(piece.shape == "card" for piece in kit.pieces)
    room = room_by_chance(kit, seed, height_for(kit), is_fine=is_fine)
    surface = None if zones_of(kit) else room.surface  # rods are on the plain mat with their zones printed on it
    styles = list(STYLES)
    return {
        "lens": room.lens,
        "film": room.film,
        "pose": room.pose,
        "lighting": replace(room.lighting, level=1.0),
        "surface": surface,
        "style": styles[seed % len(styles)],
    }


def played_by_itself() -> list[str]:
    """The games that can be played by themselves."""
    return [name for name in names() if player_of(game_named(name)) is not None]


def play(
    chosen: MatchChoice,
    matches: int,
    seed: int,
    folder: Path,
    *,
    disturbs: bool,
    elsewhere: bool = False,
    has_button: bool = True,
) -> Iterator[PlayedMatch]:
    """Plays this many matches, each with its own seed and log. `elsewhere`: each also has its own camera and room."""
    for i in range(matches):
        log = folder / f"{chosen.game}-{time.time_ns()}.db"
        at = Autoplay(chosen, seed + i, log, disturbs=disturbs, elsewhere=elsewhere, has_button=has_button)
        yield at.play()
