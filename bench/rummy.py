"""Rummy's best play against `rummikub-solver` on the same tables in the same run, one thread.

Tables have about 60 cards in legal melds, two packs, and hands of 20. Both jokers are in play (on the table or in the
hand), without a high ace: then both programs may play the same melds. The peer runs in its own process. If it is not
installed here, the Python named by RUMMIKUB_PYTHON runs it (`pip install rummikub-solver==1.0.0 highspy` there).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from companion.game.cards import JOKER, NUMBER, PACK, RANKS, SUITS, is_joker, joker_as
from companion.games.manipulation_rummy import GAME
from companion.games.manipulation_rummy.hints import best_play
from companion.games.manipulation_rummy.melds import Table, table_text

TABLES = 200
TABLE_CARDS = 60
HAND_CARDS = 20
TARGET = 0.6
WITHIN_MS = 60_000.0
PEER = Path(__file__).with_name("rummikub_peer.py")
PEER_JOKER = 53


def position(rng: Random) -> tuple[Table, tuple[str, ...]]:
    """A table of legal melds and a hand. Each joker is either declared on the table or in the hand."""
    left = Counter(dict.fromkeys(PACK, 2))
    jokers = 2
    table: list[tuple[str, ...]] = []
    while sum(map(len, table)) < TABLE_CARDS:
        if rng.random() < 0.5:
            suit, size = rng.choice(SUITS), rng.choice((3, 3, 4, 5, 6))
            low = rng.randrange(len(RANKS) - size + 1)
            meld = [rank + suit for rank in RANKS[low : low + size]]
        else:
            rank = rng.choice(RANKS)
            meld = [rank + suit for suit in sorted(rng.sample(SUITS, rng.choice((3, 4))))]
        stands = rng.randrange(len(meld)) if jokers and rng.random() < 0.15 else None
        real = Counter(card for at, card in enumerate(meld) if at != stands)
        if real - left:
            continue
        left -= real
        if stands is not None:
            meld[stands] = joker_as(meld[stands])
            jokers -= 1
        table.append(tuple(meld))
    deck = list(left.elements())
    rng.shuffle(deck)
    return tuple(table), tuple([JOKER] * jokers + deck[: HAND_CARDS - jokers])


def run(shared: Path) -> int:
    """Prints medians, p95 and the ratio; returns 0 if the ratio is reached and every answer is proven."""
    rng = Random(1982)
    positions = [position(rng) for _ in range(TABLES)]
    ms, proven = [], 0
    best_play(GAME.shorthand.state_of_table("[5C 5D 5H]", "5S", 2, {}), "A", WITHIN_MS)  # loads highspy
    for table, hand in positions:
        state = GAME.shorthand.state_of_table(table_text(table), " ".join(hand), 2, {})
        begin = perf_counter()
        proven += best_play(state, "A", WITHIN_MS)[0].is_proven
        ms.append((perf_counter() - begin) * 1000)
    print(f"rummy: ours       median {median(ms):7.1f} ms  p95 {_p95(ms):7.1f}  max {max(ms):7.1f}", end="")
    print(f"   proven optimal {proven} of {TABLES}")
    peer = _peer(positions)
    if peer is None:
        print("rummy: rummikub-solver is not here: set RUMMIKUB_PYTHON to a Python that has it; nothing to compare")
        return 1
    theirs = peer["ms"]
    print(
        f"rummy: rummikub-solver {peer['version']} ({peer['backend']}) "
        f"median {median(theirs):7.1f} ms  p95 {_p95(theirs):7.1f}  max {max(theirs):7.1f}"
    )
    ratio = _p95(ms) / _p95(theirs)
    print(f"rummy: p95 ratio {ratio:.2f} (target <= {TARGET})")
    return 0 if ratio <= TARGET and proven == TABLES else 1


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def _peer(positions: list[tuple[Table, tuple[str, ...]]]) -> dict[str, Any] | None:
    given = [
        {"table": [_tile(card) for meld in table for card in meld], "hand": [_tile(card) for card in hand]}
        for table, hand in positions
    ]
    python = os.environ.get("RUMMIKUB_PYTHON", sys.executable)
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    found = subprocess.run([python, str(PEER)], input=json.dumps(given), capture_output=True, text=True, env=env)
    if found.returncode:
        print(found.stderr.strip().rsplit("\n", 1)[-1], file=sys.stderr)
        return None
    answer: dict[str, Any] = json.loads(found.stdout)
    return answer


def _tile(card: str) -> int:
    return PEER_JOKER if is_joker(card) else NUMBER[card] + 1
