"""Waiting times with four phones open: for a view, for hints, and for the answer to a tap.

The match has no camera and is played by taps. Two times start at the tap of a move: until the last phone has the view,
and until the last phone has its hints. The third time is the wait for the answer to another tap while the hints are
computed.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from pathlib import Path
from statistics import quantiles

from companion.game.game import seats_of
from companion.game.known import game_named
from companion.game.view import HintsView, MoveView
from companion.match.inputs import Act, RefereeCame, Subscription
from companion.match.match import Match
from companion.record.log import Log

SEATS = {"center_point": 4, "basic_manipulation": 4, "manipulation_rummy": 4, "suspend": 4}
MOVES = 40
WAIT_S = 2.0
TARGET_HINTS_MS, TARGET_TAP_MS = 300.0, 100.0


class HintPhone:
    """One open page: the times when it got its newest view and the hints for the newest state."""

    def __init__(self, stream: Subscription) -> None:
        self.viewed_s, self.hinted_s, self.judged = 0.0, 0.0, -1
        self._stream = stream
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while not self._stream.is_closed:
            news = self._stream.next(0.5)
            if isinstance(news, HintsView):
                self.hinted_s, self.judged = time.perf_counter(), news.judged
            elif news is not None:
                self.viewed_s = time.perf_counter()


def values(move: MoveView, rng: random.Random) -> dict[str, str]:
    """A random answer to each question of a move."""
    return {ask.key: rng.choice(ask.choices).key for ask in move.asks}


def played(name: str, seats: int) -> tuple[list[float], list[float], list[float]]:
    """For each move, milliseconds until the last phone has the view and until it has its hints, and of one tap
    meanwhile."""
    rng = random.Random(5)
    views, hints, taps = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder) / "match.db")
        match = Match(
            game_named(name), log, wall_s=time.time, monotonic_s=time.monotonic, players=seats, has_eyes=False
        )
        phones = {seat: HintPhone(match.subscribe(seat)) for seat in seats_of(game_named(name), match.state)}
        for _ in range(20 * MOVES):
            offered = [(s, m) for s in phones for m in match.view(s).moves if m.is_tapped]
            if not offered or len(hints) == MOVES:
                break
            seat, move = rng.choice(offered)
            start_s = time.perf_counter()
            if match.submit(Act(seat=seat, move=move.move, values=values(move, rng), by=seat)).refused is not None:
                continue
            tap_s = time.perf_counter()
            match.submit(RefereeCame(entry=0, by=seat))
            taps.append(1000 * (time.perf_counter() - tap_s))
            judged = match.view(None).judged
            while any(p.judged != judged for p in phones.values()) and time.perf_counter() - start_s < WAIT_S:
                time.sleep(0.002)
            views.append(1000 * (max(p.viewed_s for p in phones.values()) - start_s))
            last_s = max(p.hinted_s if p.judged == judged else start_s + WAIT_S for p in phones.values())
            hints.append(1000 * (last_s - start_s))
        match.close()
    return views, hints, taps


def run(shared: Path) -> int:
    """Prints a line per game; status 1 if a last phone or a tap waits too long."""
    worst = 0
    for name, seats in SEATS.items():
        views, hints, taps = played(name, seats)
        p95 = {what: quantiles(ms, n=20)[18] for what, ms in (("view", views), ("hints", hints), ("tap", taps))}
        print(
            f"hints {name}: {seats} seats, {len(hints)} moves: p95 ms "
            + ", ".join(f"{k} {v:.0f}" for k, v in p95.items())
        )
        worst = max(worst, int(p95["hints"] > TARGET_HINTS_MS or p95["tap"] > TARGET_TAP_MS))
    return worst
