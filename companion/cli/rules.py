"""`companion rules GAME VERB`: the games without a camera, JSON in and out.

A wrong call, a state or an action that does not parse, or a position that cannot be ends with status 2; an action that
the rules forbid with status 1 and the rule.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from companion.errors import CompanionError, NotationError
from companion.game import Fault, Game, Illegal, Ruling, TakesPosition, TakesTable
from companion.games import GAMES, game_named
from companion.plain_json import json_of_text
from companion.says import Says
from companion.whole import whole_of

WITHIN_MS = 300.0
MOST_WITHIN_MS = 600_000.0
WRONG_CALL, REFUSED = 2, 1
MOST_QUOTED = 40
"""Characters of a word that an error repeats."""
MOST_SAID = 600
"""Characters of a sentence on standard error: a state may hold words of any length."""

AnyGame = Game[Any, Any]


class Verb(click.Command):
    """A verb whose parse errors are wrong calls: one sentence, status 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Illegal as refused:
            _print({"error": {"code": "illegal", "message": str(refused.says), "rule": refused.rule}})
            _say(f"{refused.says} [{refused.rule}]")
            return REFUSED
        except CompanionError as error:
            field = f" ({error.field})" if isinstance(error, NotationError) and error.field else ""
            _say(f"{error}{field}")
            return WRONG_CALL


class Milliseconds(click.FloatRange):
    """A time limit. `nan` is neither below nor above a bound: click lets it through, and no clock ever passes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        time_ms = super().convert(value, param, ctx)
        if not math.isfinite(time_ms):
            self.fail(f"{value} is no time, expected a number of milliseconds.", param, ctx)
        return time_ms


def _option(name: str, says: str, **more: Any) -> click.Option:
    return click.Option([name], help=says, **more)


def _given() -> list[click.Parameter]:
    """The ways to give a state, for every verb but `new`."""
    return [
        click.Argument(["given"], nargs=-1, metavar="[STATE] [ACTION]"),
        _option("--position", "Race games: where the markers are, in place of STATE."),
        _option("--turn", "With --position: whose turn it is."),
        _option("--die", "With --position: the number rolled.", type=click.IntRange(1, 6)),
        _option("--held", "With --position: sixes held in this turn, such as 6,6."),
        _option("--mode", "With --position: four, partners or two."),
        _option("--board", "A board file.", type=click.Path(path_type=Path, dir_okay=False)),
        _option("--table", "Manipulation Rummy: the melds on the table, in place of STATE."),
        _option("--hand", "With --table: the cards in the hand."),
        _option("--packs", "With --table: packs of 53 in play.", type=click.IntRange(1, 2)),
        _option("--option", "A house rule, KEY=VALUE.", multiple=True),
    ]


_BESIDE: Mapping[str, tuple[str, ...]] = {
    "STATE": (),
    "--position": ("--turn", "--die", "--held", "--mode", "--board", "--option"),
    "--table": ("--hand", "--packs", "--option"),
    "--points": ("--knocked", "--out", "--option"),
    "--totals": ("--option",),
}
"""The ways to say what is judged, and the options that go with each."""


def _way(options: Mapping[str, Any]) -> str:
    """Which of `_BESIDE` was taken. Raises: NotationError: two of them, or an option that goes with another."""
    told = [f"--{name}" for name, value in options.items() if value is not None and value != ()]
    ways = [name for name in told if name in _BESIDE]
    if len(ways) > 1:
        raise NotationError(f"{' and '.join(ways)} do not go together, expected one of them", ways[1])
    way = ways[0] if ways else "STATE"
    for name in told:
        if name != way and name not in _BESIDE[way]:
            fits = " or ".join(other for other, beside in _BESIDE.items() if name in beside)
            raise NotationError(f"{name} does not go with {way}, expected it with {fits}", name)
    return way


def _nothing_else(words: tuple[str, ...], way: str) -> None:
    """Raises: NotationError where words are left over."""
    if words:
        raise NotationError(f"{_short(words[0])} does not go with {way}, expected nothing else", words[0])


class Given:
    """What a verb was given: the game, the state, and the words that are left for an action."""

    def __init__(self, game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
        self.game = game
        self.way = _way(options)
        self.options = _pairs(options["option"])
        if options["position"] is not None:
            self.state = self._of_position(options)
            self.rest = given
        elif options["table"] is not None:
            self.state = self._of_table(options)
            self.rest = given
        else:
            if not given:
                raise NotationError("no state was given, expected a JSON file, - or one of the short forms", "STATE")
            self.state = game.state_of_json(_json(_text(given[0], "STATE"), given[0], "STATE"))
            self.rest = given[1:]

    def _of_position(self, options: Mapping[str, Any]) -> Any:
        if not isinstance(self.game, TakesPosition):
            raise NotationError(f"{self.game.name} takes no --position, expected a race game or STATE", "--position")
        held = _held(options["held"])
        turn = options["turn"]
        if turn is None:
            raise NotationError("--position needs --turn: say whose turn it is", "--turn")
        return self.game.state_of_position(
            options["position"],
            turn=turn,
            die=options["die"],
            held=held,
            mode=options["mode"],
            options=self.options,
            board=_board(options["board"]),
        )

    def _of_table(self, options: Mapping[str, Any]) -> Any:
        if not isinstance(self.game, TakesTable):
            raise NotationError(f"{self.game.name} takes no --table, expected manipulation_rummy or STATE", "--table")
        return self.game.state_of_table(options["table"], options["hand"] or "", options["packs"], self.options)

    def alone(self) -> Given:
        """Itself. Raises: NotationError where words are left over."""
        _nothing_else(self.rest, self.way)
        return self

    def possible(self) -> Given:
        """Itself. Raises: NotationError where the position cannot be."""
        faults = self.game.status(self.state)
        if faults:
            raise NotationError(_cannot_be(faults), faults[0].where)
        return self

    def action(self) -> Any:
        """The action among the words left. Raises: NotationError."""
        if len(self.rest) != 1:
            raise NotationError(
                f"{len(self.rest)} actions were given, expected one: a JSON file, - or its text", "ACTION"
            )
        given = self.rest[0]
        if given == "-" or given.endswith(".json"):
            return self._action_in(_text(given, "ACTION"), given)
        try:
            return self._action_in(given, "the action")
        except NotationError:
            # the text comes first: a file that happens to be called `restart` is not meant
            if not os.path.exists(given) or os.path.isdir(given):
                raise
        return self._action_in(_text(given, "ACTION"), given)

    def _action_in(self, text: str, where: str) -> Any:
        """The action that a text is: JSON begins with a brace or a quote, anything else is the short notation."""
        text = text.strip()
        if text.startswith(("{", '"')):
            return self.game.action_of_json(_json(text, where, "ACTION"))
        return self.game.action_of_text(text, self.state)


def _cannot_be(faults: Sequence[Fault]) -> str:
    """One sentence with the first reason."""
    more = "" if len(faults) == 1 else f" and {len(faults) - 1} more"
    return f"this position cannot be: {faults[0].says} [{faults[0].rule}]{more}"


def _new(game: AnyGame, seats: int | None, option: tuple[str, ...], board: Path | None) -> int:
    _print(game.state_json(game.start(seats, _pairs(option), _board(board))))
    return 0


def _legal(game: AnyGame, given: tuple[str, ...], **options: Any) -> int:
    it = Given(game, given, **options).alone().possible()
    for move in game.legal(it.state):
        action = None if move.action is None else game.action_json(move.action)
        effects = [str(says) for says in move.effects]
        _print({"action": action, "move": move.move, "text": str(move.text), "effects": effects, "rule": move.rule})
    return 0


def _apply(game: AnyGame, given: tuple[str, ...], **options: Any) -> int:
    it = Given(game, given, **options).possible()
    applied = game.apply(it.state, it.action())
    _print({**game.state_json(applied.state), "rulings": [_ruling(r) for r in applied.rulings]})
    return 0


def _explain(game: AnyGame, given: tuple[str, ...], **options: Any) -> int:
    it = Given(game, given, **options).possible()
    why = game.explain(it.state, it.action())
    _print({"legal": why.is_legal, "message": str(why.says), "rule": why.rule})
    return 0


def _status(game: AnyGame, given: tuple[str, ...], **options: Any) -> int:
    it = Given(game, given, **options).alone()
    faults = game.status(it.state)
    for fault in faults:
        _print({"message": str(fault.says), "rule": fault.rule, "where": fault.where})
    if faults:
        _say(_cannot_be(faults))
    return REFUSED if faults else 0


def _score(
    game: AnyGame,
    given: tuple[str, ...],
    **options: Any,
) -> int:
    way = _way(options)
    if way in ("--points", "--totals"):
        if not isinstance(game, TakesTable):
            raise NotationError(f"{game.name} takes no {way}, expected manipulation_rummy", way)
        _nothing_else(given, way)
        chosen = _pairs(options["option"])
        if way == "--points":
            counts, knocked, out = _counts(options["points"]), options["knocked"], options["out"]
            _print({"scores": game.round_scores(counts, knocked=knocked, out=out, options=chosen)})
        else:
            _print({"scores": game.final_scores(_totals(options["totals"]), options=chosen)})
        return 0
    it = Given(game, given, **options).alone().possible()
    outcome = game.outcome(it.state)
    ended: dict[str, Any] | None = None
    if outcome is not None:
        ended = {"winners": list(outcome.winners), "message": str(outcome.says), "rule": outcome.rule}
        ended["points"] = dict(outcome.points)
    _print({"scores": dict(game.score(it.state)), "outcome": ended})
    return 0


def _hint(game: AnyGame, given: tuple[str, ...], seat: str | None, within: float, seed: int, **options: Any) -> int:
    if _way(options) == "--table" and isinstance(game, TakesTable):
        _nothing_else(given, "--table")
        if seat is not None:
            raise NotationError(
                "--seat does not go with --table, expected it with STATE: the hand is that of one seat", "--seat"
            )
        chosen = _pairs(options["option"])
        _print(game.best_play(options["table"], options["hand"] or "", options["packs"], chosen, within_ms=within))
        return 0
    it = Given(game, given, **options).alone().possible()
    seat = next((s for s in game.seats(it.state) if seat is not None and len(seat) == 1 and s.startswith(seat)), seat)
    seats = (seat,) if seat is not None else game.to_move(it.state)
    if seat is not None and seat not in game.seats(it.state):
        raise NotationError(f"there is no seat {seat!r}, expected one of {', '.join(game.seats(it.state))}", "--seat")
    for who in seats:
        for hint in game.hints(it.state, who, within_ms=within, seed=seed):
            action = None if hint.action is None else game.action_json(hint.action)
            why = [str(says) for says in hint.why]
            line = {"seat": hint.seat, "action": action, "move": hint.move, "text": str(hint.text), "why": why}
            _print({**line, "rule": hint.rule, "chance": hint.chance, "error": hint.error})
    return 0


_VERBS: tuple[tuple[str, str, Any, list[click.Parameter]], ...] = (
    (
        "new",
        "A start state, as JSON.",
        _new,
        [
            _option("--seats", "How many play.", type=int),
            _option("--option", "A house rule, KEY=VALUE.", multiple=True),
            _option("--board", "A board file.", type=click.Path(path_type=Path, dir_okay=False)),
        ],
    ),
    ("legal", "The legal actions, as JSON Lines.", _legal, _given()),
    ("apply", "The state after an action.", _apply, _given()),
    ("explain", "Why an action is illegal, or that it is legal.", _explain, _given()),
    ("status", "Every reason why this position cannot be; none: status 0.", _status, _given()),
    (
        "score",
        "Score and outcome.",
        _score,
        [
            *_given(),
            _option("--points", "Manipulation Rummy: points left in the hands of a round, 'A=4 B=12'."),
            _option("--knocked", "With --points: who knocked."),
            _option("--out", "With --points: who played all his cards."),
            _option("--totals", "Manipulation Rummy: total/rounds won at the end, 'A=152/3 B=120/5'."),
        ],
    ),
    (
        "hint",
        "Ranked actions with why, seen from one seat only.",
        _hint,
        [
            *_given(),
            _option("--seat", "From whose seat; default: whoever is to move."),
            _option(
                "--within",
                "Time limit in ms.",
                type=Milliseconds(min=1, max=MOST_WITHIN_MS),
                default=WITHIN_MS,
                show_default=True,
            ),
            _option("--seed", "The seed of the playouts.", type=int, default=0, show_default=True),
        ],
    ),
)


class Games(click.Group):
    """A group for each game, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(GAMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in GAMES:
            return None
        game = game_named(cmd_name)
        group = click.Group(cmd_name, help=f"{game.title}: rules, reasons, hints.")
        for name, says, run, params in _VERBS:
            group.add_command(Verb(name, params=list(params), callback=_bound(run, game), help=says))
        return group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Games"):
            formatter.write_dl([(name, game_named(name).title) for name in GAMES])


def _bound(run: Any, game: AnyGame) -> Any:
    def call(**params: Any) -> int:
        status: int = run(game, **params)
        return status

    return call


command = Games("rules", help="Judge a game without a camera: new, legal, apply, explain, status, score, hint.")


def _ruling(ruling: Ruling) -> dict[str, Any]:
    said: dict[str, Any] = {
        "seat": ruling.seat,
        "message": str(ruling.says),
        "rule": ruling.rule,
        "piece": ruling.piece,
    }
    if ruling.margin is not None:
        said |= {"margin_mm": ruling.margin.margin_mm, "sigma_mm": ruling.margin.sigma_mm}
    return said


def _print(value: Any) -> None:
    click.echo(_whole_characters(json.dumps(value, default=_plain, ensure_ascii=False)))


def _say(sentence: str) -> None:
    click.echo(_one_line(f"companion rules: {sentence}"), err=True)


def _one_line(sentence: str) -> str:
    """The sentence as one line of at most about `MOST_SAID`, with ? for what is no character to see.

    What was expected stands last, so what is too long is cut in the middle.

    >>> _one_line("there is no seat A\\nB, expected A")
    'there is no seat A?B, expected A'
    """
    line = "".join(character if character.isprintable() else "?" for character in sentence)
    half = MOST_SAID // 2
    return line if len(line) <= MOST_SAID else f"{line[:half]} ... {line[-half:]}"


def _whole_characters(text: str) -> str:
    """The text with ? for half a character, which JSON may hold and UTF-8 may not.

    >>> _whole_characters("A\\ud800")
    'A?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, Says):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _text(where: str, what: str) -> str:
    """What a file holds, or standard input for ``-``. Raises: NotationError."""
    try:
        if where != "-":
            return Path(where).read_text(encoding="utf-8-sig")
        if sys.stdin is None:
            raise NotationError("standard input is closed, expected JSON there: give a file, or leave it open", what)
        return sys.stdin.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise NotationError(f"{where} cannot be read ({why}), expected a JSON file or -", what) from error


def _json(text: str, where: str, what: str) -> Any:
    """The values in a JSON text; `where` is what errors call it. Raises: NotationError, also for a key given twice."""
    try:
        return json_of_text(text)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise NotationError(f"{where} is not JSON ({why}), expected what `companion rules` prints", what) from error


def _board(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise NotationError(f"{path} cannot be read ({why}), expected a board file", "--board") from error


def _pairs(given: Iterable[str]) -> dict[str, str]:
    pairs = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise NotationError(f"{pair!r} is no option, expected KEY=VALUE", "--option")
        pairs[key] = value
    return pairs


def _held(text: str | None) -> tuple[int, ...]:
    parts = [p for p in (text or "").replace(" ", "").split(",") if p]
    if any(p != "6" for p in parts):
        raise NotationError(f"--held is {text!r}, expected sixes such as 6,6", "--held")
    return tuple(6 for _ in parts)


def _counts(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for part in text.split():
        seat, equals, value = part.partition("=")
        points = whole_of(value)
        if not equals or not seat or points is None:
            raise NotationError(f"{_short(part)} does not parse, expected SEAT=POINTS such as A=4", "--points")
        _must_be_new(seat, counts, "--points")
        counts[seat] = points
    return counts


def _totals(text: str) -> dict[str, tuple[int, int]]:
    totals: dict[str, tuple[int, int]] = {}
    for part in text.split():
        seat, equals, value = part.partition("=")
        total, slash, rounds = value.partition("/")
        points, won = whole_of(total), whole_of(rounds)
        if not equals or not seat or not slash or points is None or won is None:
            raise NotationError(
                f"{_short(part)} does not parse, expected SEAT=TOTAL/ROUNDS such as A=152/3", "--totals"
            )
        _must_be_new(seat, totals, "--totals")
        totals[seat] = (points, won)
    return totals


def _must_be_new(seat: str, named: Mapping[str, Any], option: str) -> None:
    if seat in named:
        raise NotationError(f"{option} names {_short(seat)} twice, expected each player once", option)


def _short(text: str) -> str:
    """What was given, in quotes, at most `MOST_QUOTED` of it.

    >>> _short("A=4²"), len(_short("9" * 5000))
    ("'A=4²'", 45)
    """
    return repr(text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}...")
