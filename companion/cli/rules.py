"""`companion rules GAME VERB`: the games without a camera, JSON in and out."""

import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from companion.app.playing import game_called
from companion.cli.options import FiniteRange
from companion.cli.words import board_of, counts_of, held_of, json_of, pairs_of, short, text_of, totals_of
from companion.game.errors import CompanionError, ImpossibleError, NotationError
from companion.game.game import action_json, action_of_json, begun, seats_of, state_json, state_of_json
from companion.game.known import game_named, names
from companion.game.registry import AnyGame
from companion.game.says import Says
from companion.game.values import Fault, Illegal, Ruling


def option(name: str, says: str, **more: Any) -> click.Option:
    return click.Option([name], help=says, **more)


def ways_to_give(*, takes_action: bool = False) -> list[click.Parameter]:
    """Options for the state, for every verb but `new`, and for the action, for verbs with one."""
    return [
        click.Argument(["given"], nargs=-1, metavar="[STATE] ACTION" if takes_action else "[STATE]"),
        option("--position", "Race games: where the markers are, in place of STATE."),
        option("--turn", "With --position: whose turn it is."),
        option("--die", "With --position: the number rolled.", type=click.IntRange(1, 6)),
        option("--held", "With --position: sixes held in this turn, such as 6,6."),
        option("--mode", "With --position: four, partners or two."),
        option("--board", "A board file.", type=click.Path(path_type=Path, dir_okay=False)),
        option("--table", "Manipulation Rummy: the melds on the table, in place of STATE."),
        option("--hand", "With --table: the cards in the hand."),
        option("--packs", "With --table: packs of 53 in play.", type=click.IntRange(1, 2)),
        option("--option", "A house rule, KEY=VALUE.", multiple=True),
    ]


_BESIDE: Mapping[str, tuple[str, ...]] = {
    "STATE": (),
    "--position": ("--turn", "--die", "--held", "--mode", "--board", "--option"),
    "--table": ("--hand", "--packs", "--option"),
    "--points": ("--knocked", "--out", "--option"),
    "--totals": ("--option",),
}
"""The forms of the state, with the options that belong to each."""


def way_of(options: Mapping[str, Any]) -> str:
    """The chosen form in `_BESIDE`. Raises: NotationError: two of them, or an option that goes with another."""
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


def nothing_else(words: tuple[str, ...], way: str) -> None:
    """Raises: NotationError if words are left over."""
    if words:
        raise NotationError(f"{short(words[0])} does not go with {way}, expected nothing else", words[0])


class Given:
    """The parsed arguments of a verb: the game, the state, and the remaining words for an action."""

    def __init__(self, game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
        self.game = game
        self.way = way_of(options)
        self.options = pairs_of(options["option"])
        if options["position"] is not None:
            self.state = self._of_position(options)
            self.rest = given
        elif options["table"] is not None:
            self.state = self._of_table(options)
            self.rest = given
        else:
            if not given:
                raise NotationError("no state was given, expected a JSON file, - or one of the short forms", "STATE")
            self.state = state_of_json(game, json_of(text_of(given[0], "STATE"), given[0], "STATE"))
            self.rest = given[1:]

    def _of_position(self, options: Mapping[str, Any]) -> Any:
        if not hasattr(self.game.shorthand, "state_of_position"):
            raise NotationError(f"{self.game.name} takes no --position, expected a race game or STATE", "--position")
        held = held_of(options["held"])
        turn = options["turn"]
        if turn is None:
            raise NotationError("--position needs --turn: say whose turn it is", "--turn")
        return self.game.shorthand.state_of_position(
            options["position"],
            turn=turn,
            die=options["die"],
            held=held,
            mode=options["mode"],
            options=self.options,
            board=board_of(options["board"]),
        )

    def _of_table(self, options: Mapping[str, Any]) -> Any:
        if not hasattr(self.game.shorthand, "state_of_table"):
            raise NotationError(f"{self.game.name} takes no --table, expected manipulation_rummy or STATE", "--table")
        return self.game.shorthand.state_of_table(
            options["table"], options["hand"] or "", options["packs"], self.options
        )

    def alone(self) -> "Given":
        """Returns itself. Raises: NotationError if words are left over."""
        nothing_else(self.rest, self.way)
        return self

    def possible(self) -> "Given":
        """Returns itself. Raises: ImpossibleError if the position is impossible."""
        faults = self.game.rules.status(self.state)
        if faults:
            raise ImpossibleError(cannot_be(faults), faults[0].where)
        return self

    def action(self) -> Any:
        """The action in the remaining words. Raises: NotationError."""
        if len(self.rest) != 1:
            raise NotationError(
                f"{len(self.rest)} actions were given, expected one: a JSON file, - or its text", "ACTION"
            )
        given = self.rest[0]
        if given == "-" or given.endswith(".json"):
            return self._action_in(text_of(given, "ACTION"), given)
        try:
            return self._action_in(given, "the action")
        except NotationError:
            # the text is tried first: a file that happens to be called `restart` is not meant
            if not os.path.exists(given) or os.path.isdir(given):
                raise
        return self._action_in(text_of(given, "ACTION"), given)

    def _action_in(self, text: str, where: str) -> Any:
        """The action in a text: JSON begins with a brace or a quote, anything else is the short notation."""
        text = text.strip()
        if text.startswith(("{", '"')):
            return action_of_json(self.game, json_of(text, where, "ACTION"))
        return self.game.text.action_of(text, self.state)


def cannot_be(faults: Sequence[Fault]) -> str:
    """One sentence with the first reason."""
    more = "" if len(faults) == 1 else f" and {len(faults) - 1} more"
    return f"this position cannot be: {faults[0].says} [{faults[0].rule}]{more}"


WITHIN_MS = 300.0
MOST_WITHIN_MS = 600_000.0
WRONG_CALL, REFUSED = 2, 1
NO_MORE = "no action is legal: the game is over"
MOST_SAID = 600
"""Maximum length of a sentence on standard error: a state may hold words of any length."""


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
            field = (isinstance(error, NotationError) and error.field) or ""
            field = f" ({field})" if field and not field.startswith("$") else ""  # the sentence itself names a path
            _say(f"{error}{field}")
            return REFUSED if isinstance(error, ImpossibleError) else WRONG_CALL


def _new(game: AnyGame, seats: int | None, option: tuple[str, ...], board: Path | None) -> None:
    _print(state_json(game, begun(game, seats, pairs_of(option), board_of(board))))


def _legal(game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
    it = Given(game, given, **options).alone().possible()
    moves = tuple(game.rules.legal(it.state))
    for move in moves:
        action = None if move.action is None else action_json(move.action)
        effects = [str(says) for says in move.effects]
        _print({"action": action, "move": move.move, "text": str(move.text), "effects": effects, "rule": move.rule})
    if not moves:
        _say("no action is legal here" if game.rules.outcome(it.state) is None else NO_MORE)


def _apply(game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
    it = Given(game, given, **options).possible()
    applied = game.rules.apply(it.state, it.action())
    _print({**state_json(game, applied.state), "rulings": [_ruling(r) for r in applied.rulings]})


def _explain(game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
    it = Given(game, given, **options).possible()
    why = game.rules.explain(it.state, it.action())
    _print({"legal": why.is_legal, "message": str(why.says), "rule": why.rule})


def _status(game: AnyGame, given: tuple[str, ...], **options: Any) -> int:
    it = Given(game, given, **options).alone()
    faults = game.rules.status(it.state)
    for fault in faults:
        _print({"message": str(fault.says), "rule": fault.rule, "where": fault.where})
    if faults:
        _say(cannot_be(faults))
    return REFUSED if faults else 0


def _score(game: AnyGame, given: tuple[str, ...], **options: Any) -> None:
    way = way_of(options)
    if way in ("--points", "--totals"):
        if not hasattr(game.shorthand, "state_of_table"):
            raise NotationError(f"{game.name} takes no {way}, expected manipulation_rummy", way)
        nothing_else(given, way)
        chosen = pairs_of(options["option"])
        if way == "--points":
            counts, knocked, out = counts_of(options["points"]), options["knocked"], options["out"]
            _print({"scores": game.shorthand.round_scores(counts, knocked=knocked, out=out, options=chosen)})
        else:
            _print({"scores": game.shorthand.final_scores(totals_of(options["totals"]), options=chosen)})
        return
    it = Given(game, given, **options).alone().possible()
    outcome = game.rules.outcome(it.state)
    ended: dict[str, Any] | None = None
    if outcome is not None:
        ended = {"winners": list(outcome.winners), "message": str(outcome.says), "rule": outcome.rule}
        ended["points"] = dict(outcome.points)
    scores = {seat: score.points for seat, score in game.rules.score(it.state).items()}
    _print({"scores": scores, "outcome": ended})


def _hint(game: AnyGame, given: tuple[str, ...], seat: str | None, within: float, seed: int, **options: Any) -> None:
    if way_of(options) == "--table" and hasattr(game.shorthand, "state_of_table"):
        nothing_else(given, "--table")
        if seat is not None:
            raise NotationError(
                "--seat does not go with --table, expected it with STATE: the hand is that of one seat", "--seat"
            )
        chosen = pairs_of(options["option"])
        _print(
            game.shorthand.best_play(
                options["table"], options["hand"] or "", options["packs"], chosen, within_ms=within
            )
        )
        return
    it = Given(game, given, **options).alone().possible()
    seat = next(
        (s for s in seats_of(game, it.state) if seat is not None and len(seat) == 1 and s.startswith(seat)), seat
    )
    seats = (seat,) if seat is not None else game.rules.to_move(it.state)
    if seat is not None and seat not in seats_of(game, it.state):
        raise NotationError(f"unknown seat {seat!r}, expected one of {', '.join(seats_of(game, it.state))}", "--seat")
    is_any = False
    for who in seats:
        for hint in game.page.hints(it.state, who, within_ms=within, seed=seed):
            is_any = True
            action = None if hint.action is None else action_json(hint.action)
            why = [str(says) for says in hint.why]
            line = {"seat": hint.seat, "action": action, "move": hint.move, "text": str(hint.text), "why": why}
            _print({**line, "rule": hint.rule, "chance": hint.chance, "error": hint.error})
    if game.rules.outcome(it.state) is not None and not is_any:
        _say(NO_MORE)
    elif not is_any:
        _say("there is no hint here" + (f" for {seat}" if seat is not None else ""))


_VERBS: tuple[tuple[str, str, Any, list[click.Parameter]], ...] = (
    (
        "new",
        "A start state, as JSON.",
        _new,
        [
            option("--seats", "How many play.", type=int),
            option("--option", "A house rule, KEY=VALUE.", multiple=True),
            option("--board", "A board file.", type=click.Path(path_type=Path, dir_okay=False)),
        ],
    ),
    ("legal", "The legal actions, as JSON Lines.", _legal, ways_to_give()),
    ("apply", "The state after an action.", _apply, ways_to_give(takes_action=True)),
    ("explain", "Why an action is illegal, or that it is legal.", _explain, ways_to_give(takes_action=True)),
    ("status", "Every reason why this position cannot be; none: status 0.", _status, ways_to_give()),
    (
        "score",
        "Score and outcome.",
        _score,
        [
            *ways_to_give(),
            option("--points", "Manipulation Rummy: points left in the hands of a round, 'A=4 B=12'."),
            option("--knocked", "With --points: who knocked."),
            option("--out", "With --points: who played all his cards."),
            option("--totals", "Manipulation Rummy: total/rounds won at the end, 'A=152/3 B=120/5'."),
        ],
    ),
    (
        "hint",
        "Ranked actions with why, seen from one seat only.",
        _hint,
        [
            *ways_to_give(),
            option("--seat", "From whose seat; default: whoever is to move."),
            option(
                "--within",
                "Time limit in ms.",
                type=FiniteRange(min=1, max=MOST_WITHIN_MS),
                default=WITHIN_MS,
                show_default=True,
            ),
            option("--seed", "The seed of the playouts.", type=int, default=0, show_default=True),
        ],
    ),
)


class Games(click.Group):
    """A group for each game, made on the first use of its name or its folder."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in names() and not Path(cmd_name).is_dir():
            return None
        try:
            game = game_called(cmd_name)
        except NotationError as error:
            raise click.UsageError(str(error), ctx) from error
        group = click.Group(cmd_name, help=f"{game.title}: rules, reasons, hints.")
        for name, says, run, params in _VERBS:
            group.add_command(Verb(name, params=list(params), callback=partial(run, game), help=says))
        return group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Games"):
            formatter.write_dl([(name, game_named(name).title) for name in names()])


command = Games("rules", help="Judge a game without a camera: new, legal, apply, explain, status, score, hint.")


def _ruling(ruling: Ruling) -> dict[str, Any]:
    said: dict[str, Any] = {"seat": ruling.seat, "message": str(ruling.says), "rule": ruling.rule}
    said["piece"] = ruling.piece
    if ruling.pieces:
        said["pieces"] = ruling.pieces
    if ruling.margin is not None:
        said |= {"margin_mm": ruling.margin.margin_mm, "sigma_mm": ruling.margin.sigma_mm}
    return said


def _print(value: Any) -> None:
    # JSON may hold a lone surrogate, which UTF-8 may not
    click.echo(json.dumps(value, default=_plain, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))


def _say(sentence: str) -> None:
    click.echo(_one_line(f"companion rules: {sentence}"), err=True)


def _one_line(sentence: str) -> str:
    """The sentence as one line of at most about `MOST_SAID` characters, with ? for unprintable ones.

    The expectation stands last, so a long sentence is cut in the middle.

    >>> _one_line("unknown seat A\\nB, expected A")
    'unknown seat A?B, expected A'
    """
    line = "".join(character if character.isprintable() else "?" for character in sentence)
    half = MOST_SAID // 2
    return line if len(line) <= MOST_SAID else f"{line[:half]} ... {line[-half:]}"


def _plain(value: Any) -> Any:
    if isinstance(value, Says):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
