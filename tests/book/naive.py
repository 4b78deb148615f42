"""A second, plain way from the logs to every figure of the book: no code of `companion.book`, and no shared table.

It reads the tables of the logs, and asks the games themselves for outcome and points. Definitions: docs/book.md.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from companion.game.game import action_of_json
from companion.game.known import game_named

Plays = list[dict[str, Any]]


def plays(folder: Path) -> Plays:
    """All plays of a folder, the newest first."""
    found = [played(path) for path in folder.glob("*-[0-9][0-9][0-9][0-9].db")]
    with sqlite3.connect(folder / "book.db") as db:
        for (body,) in db.execute("SELECT body FROM entries WHERE kind = 'play'"):
            told = json.loads(body)["play"]
            seats = [
                {"name": one.get("name"), "seat": one["seat"], "points": one.get("points"), "place": one.get("place"),
                 "won": one.get("has_won", False)} for one in told["seats"]
            ]  # fmt: skip
            found.append(
                {"name": told["name"], "title": told["title"], "began": told["began_s"], "time": told["played_s"],
                 "over": told.get("is_over", True), "seats": seats, "dice": Counter(), "asked": 0, "log": False}
            )  # fmt: skip
    return sorted(found, key=lambda play: (-play["began"], play["name"]))


def played(path: Path) -> dict[str, Any]:
    """One match."""
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT seq, at_s, kind, body FROM entries ORDER BY seq").fetchall()
    told = [(seq, kind, json.loads(body)) for seq, _, kind, body in rows]
    gone = {body["entry"] for _, kind, body in told if kind == "retracted"}
    began = told[0][2]
    game = game_named(began["game"])
    state = game.rules.start(began.get("seats"), began.get("options", {}))
    names: dict[str, str] = {}
    dice: Counter[tuple[str, int]] = Counter()
    for seq, kind, body in told:
        if kind == "took_seat":
            names[body["seat"]] = body["name"]
        elif kind == "action" and seq not in gone:
            after = game.rules.apply(state, action_of_json(game, body["action"])).state
            thrower = body["action"].get("seat") or (game.rules.to_move(state) or ("",))[0]
            if body["action"].get("type") == "die_rolled":
                dice[names[thrower], body["action"]["value"]] += 1
            elif after != state:
                dice.update(
                    (names[thrower], value) for value in body["action"].get("dice", []) if isinstance(value, int)
                )
            state = after
    outcome = game.rules.outcome(state)
    seats = [
        {"seat": seat, "name": names.get(seat), "points": float(score.summed.points),
         "won": outcome is not None and seat in outcome.winners} for seat, score in game.rules.score(state).items()
    ]  # fmt: skip
    won, lost = ([seat["points"] for seat in seats if seat["won"] is is_won] for is_won in (True, False))
    way = sum(won) / len(won) - sum(lost) / len(lost) if won and lost else 0.0
    for seat in seats:

        def worth(one: dict[str, Any]) -> tuple[float, float]:
            share = outcome.points.get(one["seat"], float(one["won"]))
            return share, 0.0 if one["won"] else way * one["points"]

        seat["place"] = 1 + sum(worth(one) > worth(seat) for one in seats) if won else None
    times = [at_s for _, at_s, kind, _ in rows if kind != "given_up"]
    return {
        "name": path.stem,
        "title": getattr(state, "title", None) or game.title,
        "began": times[0],
        "time": sum(min(b - a, 900.0) for a, b in itertools.pairwise(times)),
        "over": outcome is not None,
        "seats": seats,
        "dice": dice,
        "asked": sum(kind == "asked" for _, kind, _ in told),
        "log": True,
    }


def who(play: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The people of a play; of two seats of one person the better."""
    best: dict[str, dict[str, Any]] = {}
    for seat in play["seats"]:
        if seat["name"] and (seat["name"] not in best or (seat["won"] and not best[seat["name"]]["won"])):
            best[seat["name"]] = seat
    return best


def is_contest(play: dict[str, Any]) -> bool:
    """Whether there is a winner and another seat."""
    return play["over"] and len(play["seats"]) > 1 and any(seat["won"] for seat in play["seats"])


def day(play: dict[str, Any]) -> str:
    """The first day of the evening."""
    return str((datetime.fromtimestamp(play["began"]) - timedelta(hours=6)).date())


def leaders(all_plays: Plays) -> list[tuple[str, int, int, str]]:
    """Name, wins, plays, share of wins as the page writes it."""
    names = sorted({name for play in all_plays if is_contest(play) for name in who(play)}, key=str.casefold)
    lines = [(name, *tally(all_plays, name)) for name in names]
    lines.sort(key=lambda line: (-line[1], line[2]))
    return [(name, wins, count, f"{100 * wins / count:.0f} %") for name, wins, count in lines]


def tally(all_plays: Plays, name: str) -> tuple[int, int]:
    """Wins and contests of a person."""
    mine = [who(play)[name]["won"] for play in all_plays if is_contest(play) and name in who(play)]
    return sum(mine), len(mine)


def met(all_plays: Plays, name: str) -> dict[str, tuple[int, int]]:
    """By other person: contests that one of the two won, and how many of them the other did; three at least."""
    found: dict[str, list[bool]] = {}
    for play in filter(is_contest, all_plays):
        people = who(play)
        for other in people.keys() - {name} if name in people else ():
            if people[other]["won"] != people[name]["won"]:
                found.setdefault(other, []).append(people[other]["won"])
    return {other: (len(won), sum(won)) for other, won in found.items() if len(won) >= 3}
