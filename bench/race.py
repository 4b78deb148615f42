"""The race games measured: decisions per second compared with OpenSpiel's backgammon, quality of hints, strength of
play.

`python -m bench.race --reference` adds missing parts of the reference (200 positions of each game, 10,000 playouts
each, hours on a slow core; it resumes where it stopped). `--matches N` plays N matches of each contest and adds them to
those in `build/bench/race_matches.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from companion.game.known import game_named
from companion.games.race.core import NOBODY, Core, Move
from companion.games.race.flow import action_of_move
from companion.games.race.guide import Guide, guide_of
from companion.games.race.hints import chances_of
from companion.games.race.states import core_of, move_text, state_after

REFERENCE = Path(__file__).parent / "race_reference.jsonl"
MATCHES = Path(__file__).parent.parent / "build" / "bench" / "race_matches.jsonl"
POSITIONS = 200
PLAYOUTS = 10_000
HINT_MS = 300.0
PLAY_MS = 20.0
SPEED_S = 4.0
ROLL_LIMIT = 20_000
GAMES = ("center_point", "basic_manipulation")
CONTESTS: dict[str, dict[str, tuple[int, dict[str, str]]]] = {
    "center_point": {str(n): (n, {}) for n in (4, 3, 2)},
    "basic_manipulation": {
        "four": (4, {"mode": "four"}),
        "partners": (4, {"mode": "partners"}),
        "two": (2, {"mode": "two"}),
    },
}
"""Each game's kinds of match: seats and options."""
Player = Callable[[Core[Any], Sequence[Move], int], Move]


def begin(game: Any, seats: int, options: dict[str, str]) -> tuple[Core[Any], Any]:
    """A core with the first seat to roll, and its state."""
    state = game.rules.start(seats, options)
    state = replace(state, rolling=(), turn=state.seats[0])
    return core_of(game.shorthand.sheet, state), state


def play(core: Core[Any], roll: Callable[[], int], choose: Player) -> int:
    """Plays until a side wins, or for ROLL_LIMIT rolls; the number of moves. `roll` gives 1 to 6."""
    made = 0
    for _ in range(ROLL_LIMIT):
        die = roll()
        moves = core.moves(die)
        if not moves:
            core.sit_out(die)
            continue
        move = moves[0] if len(moves) == 1 else choose(core, moves, die)
        core.make(move)
        made += 1
        if core.winner() != NOBODY:
            break
        core.after(move, die)
    return made


# decisions a second


def decisions_per_s(name: str) -> float:
    """Random four-player matches through the engine that also referees; moves made a second."""
    start, _ = begin(game_named(name), 4, {})
    rnd = random.Random(1).random
    made = 0
    began_s = time.perf_counter()
    while time.perf_counter() - began_s < SPEED_S:
        made += play(start.copy(), lambda: int(rnd() * 6) + 1, lambda _, moves, die: moves[int(rnd() * len(moves))])
    return made / (time.perf_counter() - began_s)


def backgammon_per_s() -> float | None:
    """OpenSpiel's backgammon with random moves, driven from Python; None where open-spiel is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("backgammon")
    rnd = random.Random(1)
    made = 0
    began_s = time.perf_counter()
    while time.perf_counter() - began_s < SPEED_S:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rnd.choices(outcomes, chances)[0])
            else:
                state.apply_action(rnd.choice(state.legal_actions()))
                made += 1
    return made / (time.perf_counter() - began_s)


# how right hints are


def positions(name: str) -> list[tuple[Any, str]]:
    """The fixed positions of a game: states with a roll that leaves a choice, and one of its moves."""
    game: Any = game_named(name)
    rnd = random.Random(f"positions of {name}")
    found: list[tuple[Any, str]] = []
    while len(found) < POSITIONS:
        core, state = begin(game, *list(CONTESTS[name].values())[len(found) % 3])
        guide = guide_of(game.shorthand.sheet, state)
        stop = rnd.random() * (0.006 if len(state.seats) == 2 else 0.004) + 0.003
        while core.winner() == NOBODY:
            die = rnd.randint(1, 6)
            moves = core.moves(die)
            if not moves:
                core.sit_out(die)
                continue
            if len(moves) > 1 and rnd.random() < stop:
                here = replace(state_after(game.shorthand.sheet, state, core), die=die)
                found.append((here, rnd.choice(game.rules.legal(here)).move))
                break
            move = guide.choose(core, moves)
            core.make(move)
            if core.winner() == NOBODY:
                core.after(move, die)
    return found


def reference() -> None:
    """Adds the missing positions to the reference file, one by one."""
    for name in GAMES:
        game: Any = game_named(name)
        known = {(row["state"], row["move"]) for row in _rows(REFERENCE) if row["game"] == name}
        for n, (state, text) in enumerate(positions(name)):
            key = (game.text.state(state), text)
            if key in known:
                continue
            chance = played_out(game, state, text, PLAYOUTS, n)
            row = {"game": name, "state": key[0], "move": text, "chance": round(chance, 4), "playouts": PLAYOUTS}
            with REFERENCE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def played_out(game: Any, state: Any, text: str, playouts: int, seed: int) -> float:
    """The chance of the seat to move after a move, by matches played to their end by the hints' player."""
    core = core_of(game.shorthand.sheet, state)
    guide: Guide = guide_of(game.shorthand.sheet, state)
    side = core.t.side_of_seat[core.turn]
    move = next(
        m
        for m in core.moves(state.die)
        if move_text(game.shorthand.sheet, core, action_of_move(game.shorthand.sheet, core, m)) == text
    )
    core.make(move)
    if core.winner() != NOBODY:
        return float(core.winner() == side)
    core.after(move, state.die)
    rnd = random.Random(seed).random
    won = 0
    for _ in range(playouts):
        now = core.copy()
        play(now, lambda: int(rnd() * 6) + 1, guide_player(guide))
        won += now.winner() == side
    return won / playouts


def accuracy(name: str) -> tuple[int, float, float]:
    """Positions measured, RMS error in points against the reference, share that the stated error covers."""
    game: Any = game_named(name)
    squares, covered, count = 0.0, 0, 0
    for row in _rows(REFERENCE):
        if row["game"] != name:
            continue
        state = game.text.state_of(row["state"])
        found = {hint.move: hint for hint in game.page.hints(state, state.turn, within_ms=HINT_MS)}
        hint = found[row["move"]]
        off = hint.chance - row["chance"]
        squares += off * off
        covered += abs(off) <= hint.error
        count += 1
    return count, 100 * math.sqrt(squares / max(1, count)), covered / max(1, count)


# how well hints play


def random_player(seed: int) -> Player:
    """Any legal move."""
    rnd = random.Random(seed)
    return lambda core, moves, die: rnd.choice(moves)


def guide_player(guide: Guide) -> Player:
    """The move that the guide judges best."""
    return lambda core, moves, die: guide.choose(core, moves)


def thumb_player(guide: Guide) -> Player:
    """A simple player: arrive, else send back, else to safety or a short cut, else bring out, else the foremost."""
    t: Any = guide.t

    def is_safe(color: int, place: int) -> bool:
        if hasattr(t, "special"):
            return bool(t.bit[place] & t.special[color]) or t.names[place].endswith("!")
        return t.circle(place) in t.safeties

    def rank(move: Move) -> tuple[bool, bool, bool, bool, float]:
        color, origin, to, sent = move
        arrives = t.arrives[to] and not t.arrives[origin]
        return arrives, bool(sent), is_safe(color, to), origin == t.home, -guide.turns[color][origin]

    return lambda core, moves, die: max(moves, key=rank)


def hint_player(guide: Guide) -> Player:
    """The best move of a hint that may take PLAY_MS."""
    seeds = random.Random(5)

    def choose(core: Core[Any], moves: Sequence[Move], die: int) -> Move:
        side = core.t.side_of_seat[core.turn]
        after = []
        for move in moves:
            then = core.copy()
            then.make(move)
            if then.winner() != NOBODY:
                return move
            then.after(move, die)
            after.append(then)
        chances = chances_of(guide, after, side, within_ms=PLAY_MS, seed=seeds.getrandbits(32))
        return moves[max(range(len(moves)), key=lambda i: chances[i])]

    return choose


def taking_turns(players: Sequence[Player]) -> Player:
    """The players of a match as one, by seats."""
    return lambda core, moves, die: players[core.turn](core, moves, die)


STRENGTH: dict[str, tuple[str, int, dict[str, str], str]] = {
    "center_point, four seats, against three at random": ("center_point", 4, {}, "random"),
    "center_point, two players, against a rule of thumb": ("center_point", 2, {}, "thumb"),
    "basic_manipulation, two players, against a rule of thumb": ("basic_manipulation", 2, {"mode": "two"}, "thumb"),
}


def matches(contest: str, count: int) -> None:
    """Plays on from the matches already in the file; seat and first turn go round."""
    name, seats, options, other = STRENGTH[contest]
    game: Any = game_named(name)
    core, state = begin(game, seats, options)
    guide = guide_of(game.shorthand.sheet, state)
    MATCHES.parent.mkdir(parents=True, exist_ok=True)
    done = sum(row["contest"] == contest for row in _rows(MATCHES))
    for n in range(done, done + count):
        rnd = random.Random(f"{contest} {n}")
        mine = n % seats
        them = random_player(n) if other == "random" else thumb_player(guide)
        players = [hint_player(guide) if seat == mine else them for seat in range(seats)]
        now = core.copy()
        now.turn = rnd.randrange(seats)
        play(now, partial(rnd.randint, 1, 6), taking_turns(players))
        row = {"contest": contest, "match": n, "won": now.winner() == core.t.side_of_seat[mine]}
        with MATCHES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def strength(contest: str) -> tuple[int, float, float]:
    """Number of matches played, share won, its standard error."""
    won = [row["won"] for row in _rows(MATCHES) if row["contest"] == contest]
    share = sum(won) / max(1, len(won))
    return len(won), share, math.sqrt(share * (1 - share) / max(1, len(won)))


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(shared: Path, each: int = 8) -> int:
    """Prints the three tables; status 1 where a target is missed."""
    ok = True
    peer = backgammon_per_s()
    for name in GAMES:
        rate = decisions_per_s(name)
        if peer is None:
            print(f"{name}: {rate:,.0f} decisions/s (open-spiel is not installed)")
        else:
            print(f"{name}: {rate:,.0f} decisions/s, {rate / peer:.1f} x open-spiel backgammon ({peer:,.0f})")
            ok &= rate >= peer
    for name in GAMES:
        count, rms, covered = accuracy(name)
        print(f"{name}: hints within {HINT_MS:.0f} ms, {count} positions: RMS {rms:.2f} points, covered {covered:.1%}")
        ok &= rms <= 4.0 and covered >= 0.95
    for contest in STRENGTH:
        matches(contest, each)
        count, share, error = strength(contest)
        print(f"{contest}: hints won {share:.1%} +- {error:.1%} of {count} matches")
    return 0 if ok else 1


def main() -> int:
    """The bench alone."""
    parser = argparse.ArgumentParser(prog="python -m bench.race", description=__doc__)
    parser.add_argument("--reference", action="store_true", help="add what is missing of the reference, then end")
    parser.add_argument("--matches", type=int, default=8, help="matches of each contest to add")
    asked = parser.parse_args()
    if asked.reference:
        reference()
        return 0
    return run(Path(), asked.matches)


if __name__ == "__main__":
    sys.exit(main())
