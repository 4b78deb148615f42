"""The arguments of a verb of `companion rules`: the game, the state in one of its forms, and an action."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from companion.app.words import board_of, held_of, json_of, pairs_of, short, text_of
from companion.game.errors import ImpossibleError, NotationError
from companion.game.game import Game
from companion.game.shorthand import TakesPosition, TakesTable
from companion.game.values import Fault
from companion.game.written import action_of_json, state_of_json

AnyGame = Game[Any, Any]


def option(name: str, says: str, **more: Any) -> click.Option:
    """An option with its help."""
    return click.Option([name], help=says, **more)


def ways_to_give(*, takes_action: bool = False) -> list[click.Parameter]:
    """The ways to give a state, for every verb but `new`, and an action for those that take one."""
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
"""The ways to give the state, and the options that go with each."""


def way_of(options: Mapping[str, Any]) -> str:
    """The chosen way of `_BESIDE`. Raises: NotationError: two of them, or an option that goes with another."""
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
        if not isinstance(self.game.shorthand, TakesPosition):
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
        if not isinstance(self.game.shorthand, TakesTable):
            raise NotationError(f"{self.game.name} takes no --table, expected manipulation_rummy or STATE", "--table")
        return self.game.shorthand.state_of_table(
            options["table"], options["hand"] or "", options["packs"], self.options
        )

    def alone(self) -> Given:
        """Returns itself. Raises: NotationError if words are left over."""
        nothing_else(self.rest, self.way)
        return self

    def possible(self) -> Given:
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
