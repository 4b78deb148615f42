"""The household's book with 5,000 matches: its size, and the CPU of each page just after a match ended and later.

Peer: none is known.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from pathlib import Path

import msgspec
from flask.testing import FlaskClient

from companion.app.door import TableDoor
from companion.app.matches import MatchLibrary
from companion.book import book
from companion.book.play import Play, Sat
from companion.record.entry import Acted, MatchBegan, TookSeat, written
from companion.record.log import Log
from web.table.app import create_app
from web.table.book import book_pages

MATCHES = 5000
PEOPLE = tuple(f"Person {n}" for n in range(12))
GAMES = ("center_point", "basic_manipulation", "suspend", "manipulation_rummy", "eyes_of_the_emperor")
PAGES = (
    *("", "?game=suspend&person=person%201&year=2025", "/person/person%201", "/game/suspend", "/year/2025"),
    *("/evening", "/evening.json", "/people", "/leagues", "/add", "/exchange", "/export/bgstats"),
)


def main() -> None:
    """Prints a line for each page."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _filled(folder)
        library = MatchLibrary(folder)
        app = create_app(
            TableDoor(folder, lambda game, chosen: None),
            join_url="http://127.0.0.1/",
            more=[book_pages(library, lambda: 1.76e9)],
        )
        phone = app.test_client()
        _play(folder / "score_pad-9999.db", 1.765e9)
        for page in PAGES:  # the game's modules, templates, and ratings up to now
            phone.get(f"/book{page}")
        for n, page in enumerate(PAGES):
            _play(folder / f"score_pad-{n:04d}.db", 1.766e9 + 3600.0 * n)
            figures = [_asked(phone, page) for _ in range(2)]
            print(f"/book{page}: {figures[0]} just after a match, then {figures[1]}")
        print(f"{MATCHES} matches: {(folder / book.PLAYS).stat().st_size / 1e6:.1f} MB")


def _play(path: Path, at_s: float) -> None:
    """A match of the score pad, won by the first of four people."""
    log = Log(path)
    seated = [written("Ann", TookSeat(seat, name, "")) for seat, name in zip("ABCD", PEOPLE, strict=False)]
    began = written("Ann", MatchBegan("score_pad", {"preset": "race", "called": "Suspend"}, 4))
    won = b'{"type": "wrote", "seat": "A", "points": 1}'
    log.append_all(at_s, [began, *seated, written("Ann", Acted(msgspec.Raw(won)))])
    log.close()


def _asked(phone: FlaskClient, page: str) -> str:
    begun_s = time.process_time()
    answer = phone.get(f"/book{page}")
    cpu_ms = 1000 * (time.process_time() - begun_s)
    assert answer.status_code == 200
    return f"{cpu_ms:.0f} ms of CPU for {len(answer.get_data()) // 1000} KB"


def _filled(folder: Path) -> None:
    """A folder of empty logs whose numbers the book has already."""
    draw = random.Random(1)
    library = MatchLibrary(folder)
    library.book.known()
    told = []
    for n in range(MATCHES):
        path = folder / f"{GAMES[n % 5]}-{n // 5 + 1:04d}.db"
        path.touch()
        names = draw.sample(PEOPLE, 4)
        won = draw.choice(names)
        seats = tuple(Sat(k, k, draw.uniform(0, 200) + 300 * (k == won), 1 + (k != won), k == won) for k in names)
        dice = {k: {str(value): draw.randint(5, 20) for value in range(1, 7)} for k in names}
        title = GAMES[n % 5].replace("_", " ").title()
        play = Play(path.stem, GAMES[n % 5], title, 1.735e9 + 6000.0 * n, 3000.0, seats, dice=dice)
        told.append((path.stem, library.book._format(), book._mark(path), msgspec.json.encode(play)))
    with sqlite3.connect(folder / book.PLAYS) as db:
        db.executemany("INSERT INTO plays VALUES (?, ?, ?, ?)", told)


if __name__ == "__main__":
    main()
