"""Whole matches as text: the seats and options, every action in the game's notation, what the rules said, the state.

A file begins with ``# game NAME``, ``# seats N`` and a line ``# option KEY=VALUE`` for each house rule. Then come
``> ACTION``, indented lines ``SAYS [RULE]`` for the rulings, ``= STATE`` at the start, every tenth action and the end,
and ``! HOW IT ENDED``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from companion.game.game import Game
from companion.game.known import game_named

FOLDER = Path(__file__).resolve().parents[1] / "playthroughs"
STATE_EVERY = 10


def files() -> list[Path]:
    """All playthroughs, by name."""
    return sorted(FOLDER.glob("*.txt"))


def head(text: str) -> tuple[Game[Any, Any], int | None, dict[str, str]]:
    """The game, the number of seats (None: its default) and the options that a playthrough names."""
    name, seats, options = "", None, {}
    for line in text.splitlines():
        word, _, rest = line.removeprefix("# ").partition(" ")
        if not line.startswith("# "):
            break
        if word == "game":
            name = rest
        elif word == "seats":
            seats = int(rest)
        elif word == "option":
            key, _, value = rest.partition("=")
            options[key] = value
    return game_named(name), seats, options


def actions(text: str) -> Iterator[str]:
    """The actions' lines of a playthrough."""
    return (line[2:] for line in text.splitlines() if line.startswith("> "))


def told(game: Game[Any, Any], seats: int | None, options: dict[str, str], texts: Iterable[str]) -> str:
    """The playthrough of a match: its actions applied one after the other, with everything the rules said."""
    state = game.rules.start(seats, options)
    lines = [f"# game {game.name}"]
    lines += [f"# seats {seats}"] if seats is not None else []
    lines += [f"# option {key}={value}" for key, value in options.items()]
    lines.append(f"= {game.text.state(state)}")
    for n, text in enumerate(texts, 1):
        action = game.text.action_of(text, state)
        applied = game.rules.apply(state, action)
        state = applied.state
        lines.append(f"> {game.text.action(action)}")
        lines += [f"  {ruling.says} [{ruling.rule}]" for ruling in applied.rulings]
        if n % STATE_EVERY == 0:
            lines.append(f"= {game.text.state(state)}")
    lines.append(f"= {game.text.state(state)}")
    over = game.rules.outcome(state)
    lines.append(f"! {over.says} [{over.rule}]" if over is not None else "! goes on")
    return "\n".join(lines) + "\n"
