"""Evenings of a household: match logs made from the playthroughs, with people in the seats."""

from __future__ import annotations

import json
import random
from pathlib import Path

from msgspec import Raw

from companion.game.game import action_json, begun, seats_of
from companion.record.entry import Acted, MatchBegan, TookSeat, sha256_of, written
from companion.record.log import Log
from tests.games.playthrough import actions, files, head

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
    """Evenings of four people: two matches on each, drawn from the playthroughs of all games."""
    draw, texts = random.Random(seed), [path.read_text(encoding="utf-8") for path in files()]
    for evening in range(count):
        for n, text in enumerate(draw.sample(texts, 2)):
            play(folder, text, BEGAN_S + DAY_S * 7 * evening + 3600.0 * n, tuple(draw.sample(PEOPLE, 4)))
