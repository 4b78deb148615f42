"""Evenings of a household: match logs made from the playthroughs, with people in the seats."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

from msgspec import Raw
from werkzeug.datastructures import MultiDict

from companion.app.matches import MatchLibrary
from companion.book.facts import PlayTold
from companion.book.figures import evening_of
from companion.game.game import action_json, begun, seats_of
from companion.record.entry import Acted, MatchBegan, TookSeat, sha256_of, written
from companion.record.log import Log
from tests.games.playthrough import actions, files, head
from web.table.book import _typed

PEOPLE = ("Ann", "Ben", "Cem", "Dana")
DAY_S, BEGAN_S = 86_400.0, 1_750_017_600.0
"""A day, and the first evening: 15 June 2025, 20:00 UTC."""


BATCH = 25
"""Entries of one moment: each moment costs a sync of the disk."""


def play(folder: Path, text: str, at_s: float, names: tuple[str, ...]) -> Path:
    """The log of a played match: 20 s for each entry; the people in the order of the seats."""
    game, count, options = head(text)
    state = begun(game, count, options, None)
    seats = seats_of(game, state)
    number = 1 + len(list(folder.glob(f"{game.name}-*.db")))
    log = Log(folder / f"{game.name}-{number:04d}.db")
    entries = [written("Ann", MatchBegan(game.name, options, count))]
    entries += [
        written(name, TookSeat(seat, name, sha256_of(name.encode()))) for seat, name in zip(seats, names, strict=False)
    ]
    for line in actions(text):
        action = game.text.action_of(line, state)
        state = game.rules.apply(state, action).state
        entries.append(written("camera", Acted(Raw(json.dumps(action_json(action)).encode()))))
    try:
        for n in range(0, len(entries), BATCH):
            log.append_all(at_s + 20.0 * n, entries[n : n + BATCH])
    finally:
        log.close()
    return log.path


def evenings(folder: Path, count: int, seed: int = 1) -> None:
    """Evenings of four people: on each four matches of the games in turn, and a play that is typed into the book."""
    draw = random.Random(seed)
    texts: dict[str, list[str]] = {}
    for path in files():
        texts.setdefault(path.name.partition("-")[0], []).append(path.read_text(encoding="utf-8"))
    games = itertools.cycle(name for name in sorted(texts))
    library = MatchLibrary(folder)
    for evening in range(count):
        begins_s = BEGAN_S + DAY_S * 7 * evening
        for n in range(4):
            play(folder, draw.choice(texts[next(games)]), begins_s + 1800.0 * n, tuple(draw.sample(PEOPLE, 4)))
        told = {"name": draw.sample(PEOPLE, 3), "points": [str(draw.randint(0, 9)) for _ in range(3)]}
        form = MultiDict(
            {"game": draw.choice(("Uno", "Race")), "day": str(evening_of(begins_s)), "minutes": "25", **told}
        )
        library.book.tell("Ann", [PlayTold(_typed(form, begins_s + 7200.0))])
