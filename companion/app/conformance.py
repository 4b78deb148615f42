"""Checks that a game keeps the promises of every game: in random whole matches, step by step, and in its files."""

import json
import random
import re
import tomllib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from companion.app.autoplay import player_of
from companion.app.camera_loop import watch_of
from companion.game.brought import default_kit
from companion.game.errors import CompanionError, NotationError
from companion.game.game import Game, action_json, action_of_json, seats_of, state_json, state_of_json, tapped
from companion.game.known import GAMES, file_of, folder_of, paragraphs, players_of, sheet_in, signs
from companion.game.registry import AnyGame
from companion.game.says import says_json
from companion.game.text_file import text_of_file, why_unread
from companion.game.values import Illegal, Move
from vision.readers import reader_of
from vision.sim.virtual import VirtualTable
from web.site.bundle import bundle
from web.site.languages import offered
from web.site.static_files import game_script
from web.words import ENGLISH, catalogue
from web.words.collect import WEB, has_words, of_modules, of_scripts

HOLE = re.compile(r"\{(\w+)\}")
MOST_ACTIONS = 3000
LOOKED_AT = 40
"""The costlier checks run on this many first steps of a match, and then once in this many steps."""
HINT_MS = 20.0


@dataclass(slots=True)
class Conformance:
    """Plays a game at random and keeps its faults. `headings`: the paragraphs of its rule sheet."""

    game: Game[Any, Any]
    headings: Collection[str]
    faults: dict[str, None] = field(default_factory=dict)
    """Each fault once, in the order of finding."""
    actions: int = 0
    ended: int = 0
    stopped: int = 0
    """Matches that stopped because only the table can show what happens next."""
    raised: int = 0
    """Matches that an error of the game cut short."""
    _is_shown: bool = False

    def plays(self, seed: int) -> None:
        """Plays one match. An error raised by the game is a fault too."""
        try:
            self._plays(random.Random(seed))
        except Exception as error:  # foreign code: its errors are what this looks for
            self.raised += 1
            self._fault(f"match {seed}: {type(error).__name__}: {error}")

    def options(self) -> None:
        """Each house rule has a usual answer among its answers, and cites a paragraph."""
        for option in self.game.options:
            if len(option.choices) > 1 and not option.is_counted and option.default not in option.choices:
                self._fault(f"option {option.key}: its default {option.default!r} is none of its choices")
            self._cites(option.rule, f"option {option.key}")

    def _plays(self, chance: random.Random) -> None:
        game = self.game
        state = self._start(chance)
        self._looks(state)
        for number in range(1, MOST_ACTIONS + 1):
            if game.rules.outcome(state) is not None:
                self.ended += 1
                self._ends(state)
                return
            action = self._chosen(state, chance)
            if action is None:
                self.stopped += 1
                return
            is_looked_at = number <= LOOKED_AT or number % LOOKED_AT == 0
            if is_looked_at:
                self._steps(state, action)
            state = game.rules.apply(state, action).state
            self.actions += 1
            if is_looked_at:
                self._looks(state)
        self.stopped += self._is_shown

    def _start(self, chance: random.Random) -> Any:
        players = chance.choice(players_of(self.game))
        chosen = {
            option.key: chance.choice(option.choices)
            for option in self.game.options
            if len(option.choices) > 1 and not option.is_counted and chance.random() < 0.3
        }
        try:
            return self.game.rules.start(players, chosen)
        except CompanionError:
            return self.game.rules.start(players)

    def _chosen(self, state: Any, chance: random.Random) -> Any:
        """Any possible action; None if only the table can show it."""
        moves = list(self.game.rules.legal(state))
        if not moves:
            self._fault(f"nothing is legal although the match is not over: {self._text(state)}")
        self._is_shown |= any(move.action is None and not move.asks for move in moves)
        chance.shuffle(moves)
        return next((action for move in moves if (action := self._action(state, move, chance)) is not None), None)

    def _action(self, state: Any, move: Move[Any], chance: random.Random) -> Any:
        seats = move.seats or self.game.rules.to_move(state)
        if not move.asks or not seats:
            return move.action
        values = {
            asked.key: str(chance.randint(*asked.span)) if asked.span else chance.choice(asked.choices).key
            for asked in move.asks
        }
        try:
            return tapped(self.game, state, seats[0], move.move, values)
        except (Illegal, NotationError):  # answers that do not go together
            return move.action

    # the checks

    def _looks(self, state: Any) -> None:
        """Checks a state: round trips, validity, whose turn it is, and each seat's view, hints and moves."""
        game, at = self.game, self._text(state)
        plain = json.loads(json.dumps(state_json(game, state)))
        self._is(f"the state does not come back from JSON: {at}", lambda: state_of_json(game, plain) == state)
        if len({piece.id for piece in game.table.layout(state).pieces}) != len(game.table.layout(state).pieces):
            self._fault(f"two pieces of the layout have one id: {at}")
        self._is(f"the state does not come back from its text: {at}", lambda: game.text.state_of(at) == state)
        for fault in game.rules.status(state):
            self._fault(f"status says of a position that was played: {fault.says} [{fault.rule}]")
        if bool(game.rules.to_move(state)) is not (game.rules.outcome(state) is None):
            self._fault(f"somebody is to move exactly while the match is not over, but not here: {at}")
        for seat in (None, *seats_of(game, state)):
            who = seat or "a watcher"
            self._is(f"the view of {who} is no JSON", partial(self._viewed, state, seat))
        for seat in game.rules.to_move(state):
            for hint in game.page.hints(state, seat, within_ms=HINT_MS):
                if hint.action is not None and not game.rules.explain(state, hint.action).is_legal:
                    self._fault(f"a hint for {seat} is illegal: {game.text.action(hint.action)}")
        for move in game.rules.legal(state):
            self._cites(move.rule, f"the move {move.move}")

    def _steps(self, state: Any, action: Any) -> None:
        """Checks a step: round trips, legality, the same result twice, unchanged input, cited paragraphs."""
        game = self.game
        before, text = json.dumps(state_json(game, state)), game.text.action(action)
        plain = json.loads(json.dumps(action_json(action)))
        self._is(f"the action does not come back from JSON: {text}", lambda: action_of_json(game, plain) == action)
        self._is(
            f"the action does not come back from its text: {text}", lambda: game.text.action_of(text, state) == action
        )
        why = game.rules.explain(state, action)
        if not why.is_legal:
            self._fault(f"a listed action is illegal: {text}: {why.says}")
        self._cites(why.rule, f"explain of {text}")
        applied = game.rules.apply(state, action)
        if applied != game.rules.apply(state, action):
            self._fault(f"an action applied twice to one state gives two answers: {text}")
        for ruling in applied.rulings:
            self._cites(ruling.rule, f"the ruling {str(ruling.says)!r}")
        if json.dumps(state_json(game, state)) != before:
            self._fault(f"apply changes the state that it is given: {text}")
        game.table.put_back(state, applied.state)
        if isinstance(action, game.people.amendable):
            for fact in game.people.corrections(applied.state, state, action):
                for value in (choice.key for choice in fact.choices):
                    game.people.amended(action, fact.fact, value)
                    game.people.says_fact(action, fact.fact, value)

    def _ends(self, state: Any) -> None:
        outcome = self.game.rules.outcome(state)
        assert outcome is not None
        seats = set(seats_of(self.game, state))
        if not set(outcome.winners) <= seats:
            self._fault(f"the winners are {', '.join(outcome.winners)}, expected of {', '.join(sorted(seats))}")
        if set(outcome.points) != seats:
            self._fault("the outcome's points are not of every seat: an event cannot score it")
        if set(self.game.rules.score(state)) != seats:
            self._fault("the score is not of every seat")
        self._cites(outcome.rule, "the end")

    def _cites(self, rule: str, what: str) -> None:
        title, _, paragraph = rule.partition(", ")
        if title != self.game.title or paragraph not in self.headings:
            expected = f"'{self.game.title}, HEADING' with a heading of RULES.md"
            self._fault(f"cites {rule!r}, expected {expected}; first by {what}", once=f"cites {rule!r}")

    def _is(self, says: str, question: Callable[[], Any]) -> None:
        """Keeps a fault if the answer is no, or raises."""
        try:
            is_so = bool(question())
        except (NotationError, ValueError, TypeError) as error:
            says, is_so = f"{says} ({error})", False
        if not is_so:
            self._fault(says, once=says.partition(":")[0])

    def _fault(self, says: str, once: str | None = None) -> None:
        """Keeps a fault, unless one that begins with `once` is kept already."""
        if not any(known.startswith(once or says) for known in self.faults):
            self.faults[says] = None

    def _viewed(self, state: Any, seat: str | None) -> str:
        return json.dumps(self.game.page.view(state, seat), default=says_json)

    def _text(self, state: Any) -> str:
        return self.game.text.state(state)


def checked(game: AnyGame, matches: int, seed: int) -> Iterator[tuple[str, list[str], str]]:
    """The parts of a game: each part's name, its faults, and the sentence for a part without faults."""
    yield _matches(game, matches, seed)
    yield "words", list(_words(game)), "every sentence in every language"
    yield "rule sheet", list(_sheet(game)), "its paragraphs in every language"
    yield "kit", list(_kit(game)), "lies on the virtual table"
    yield "page", list(_page(game)), "page.js draws it"
    try:
        player = player_of(game)
        good = "has no player: --autoplay cannot play it" if player is None else "plays itself"
        yield "autoplay", [], good
    except (ImportError, AttributeError) as error:
        yield "autoplay", [f"its player {game.player!r} cannot be found ({error})"], ""


def _matches(game: AnyGame, count: int, seed: int) -> tuple[str, list[str], str]:
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
    return "matches", faults, good


def _words(game: AnyGame) -> Iterator[str]:
    """Faults of the game's translations: missing sentences, and slots that a sentence does not have."""
    folder = folder_of(game.name)
    said = of_scripts(folder.glob("*.js")) | of_modules(folder.rglob("*.py")) | signs(game.name)
    for lang in (lang for lang in offered() if lang != ENGLISH):
        file = folder / "words" / f"{lang}.toml"
        try:
            told = {key: str(words) for key, words in tomllib.loads(text_of_file(file)).items()} if said else {}
        except (OSError, ValueError) as error:
            yield f"words/{lang}.toml cannot be used ({why_unread(error)}), expected a line for each sentence"
            continue
        for sentence in sorted(filter(has_words, said - told.keys() - catalogue(lang, GAMES).keys())):
            yield f"words/{lang}.toml lacks {sentence!r}"
        for sentence, words in told.items():
            for hole in sorted(set(HOLE.findall(words)) - set(HOLE.findall(sentence))):
                yield f"words/{lang}.toml: {sentence!r} has no {{{hole}}}"


def _sheet(game: AnyGame) -> Iterator[str]:
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
    reader = game.eyes.reader
    try:
        kit = default_kit(game.name)
        if kit.game != game.name:
            yield f"kit.toml: game is {kit.game!r}, expected {game.name!r}"
        on = game.table.layout(game.rules.start()).board
        if on is not None and on.picture is not None and file_of(game.name, f"boards/{on.picture}") is None:
            yield f"boards/{on.picture} is missing, the picture of the board {on.name}"
        if reader is not None and reader_of(game) is None:
            yield f"the reader is {reader!r}, expected one of the product's"
        elif reader is not None:
            state = game.rules.start()
            layout, board = game.table.layout(state).pieces, game.table.layout(state).board
            table = VirtualTable(kit, board=board, layout=layout, seats=seats_of(game, state), seed=1)
            watch_of(game, table.lens, kit, board)
    except (CompanionError, ImportError, AttributeError) as error:
        yield str(error)


def _page(game: AnyGame) -> Iterator[str]:
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
