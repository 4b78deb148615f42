"""A second, slow and obvious reading of Center Point's moves, written apart from the engine.

It knows board CP-120 by arithmetic and not by its file, keeps markers as a dictionary from spot to colour, and walks
one step at a time.
"""

from __future__ import annotations

RINGS = {"A": 56, "B": 40, "C": 24}
START = {"r": 5, "y": 19, "g": 33, "b": 47}
SAFETY = {"r": "A38 B27 C16", "y": "A52 B37 C22", "g": "A10 B7 C4", "b": "A24 B17 C10"}
BYPASS = {
    "r": {"A0": "B5", "B0": "C3", "C0": "IN"},
    "y": {"A14": "B15", "B10": "C9", "C6": "IN"},
    "g": {"A28": "B25", "B20": "C15", "C12": "IN"},
    "b": {"A42": "B35", "B30": "C21", "C18": "IN"},
}
EVERY_BYPASS = {spot: entry for own in BYPASS.values() for spot, entry in own.items()}


def is_special(color: str, spot: str) -> bool:
    return spot in BYPASS[color] or spot in SAFETY[color].split()


def next_spot(color: str, spot: str) -> str:
    if spot in BYPASS[color]:
        return BYPASS[color][spot]
    ring, number = spot[0], int(spot[1:])
    return f"{ring}{(number + 1) % RINGS[ring]}"


def blocks(board: dict[str, str], spot: str, mover: str) -> bool:
    there = board.get(spot)
    return there is not None and there != mover and is_special(there, spot)


def walk(color: str, spot: str, steps: int, first: str | None) -> list[str]:
    """The spots of a way, shorter where it ends in the inner circle."""
    way: list[str] = []
    here = spot
    while len(way) < steps and here != "IN":
        here = first if first is not None and not way else next_spot(color, here)
        way.append(here)
    return way


def tries(color: str, spot: str, die: int, may_turn_in: bool) -> list[list[str]]:
    """Each way a roll may take the marker, ended on the last bypass where the number is too high."""
    found = []
    firsts = [None, EVERY_BYPASS[spot]] if may_turn_in else [None]
    for first in firsts:
        way = walk(color, spot, die, first)
        if len(way) < die:  # the inner circle came too soon
            way = way[:-1]
        if way:
            found.append(way)
    return found


def moves(pieces: dict[str, list[str]], mover: str, die: int, held: int = 0, strict: bool = True) -> set[str]:
    board = {spot.rstrip("!"): color for color, spots in pieces.items() for spot in spots if spot not in ("home", "IN")}
    found: set[str] = set()
    mine = [spot for spot in pieces[mover] if spot not in ("home", "IN")]
    for marked in mine:
        spot = marked.rstrip("!")
        for way in tries(mover, spot, die, marked.endswith("!")):
            if any(board.get(step) == mover for step in way):
                continue
            if any(blocks(board, step, mover) for step in way):
                continue
            passed = [board[s] for s in way[:-1] if s in board and is_special(mover, s)]
            landed = [board[way[-1]]] if way[-1] in board else []
            base = f"{spot}-{way[-1]}"
            found.add(base + "".join(f" x({c})" for c in landed))
            if passed:
                found.add(base + "".join(f" x({c})" for c in passed + landed))
    start = f"A{START[mover]}"
    if "home" in pieces[mover] and die in (1, 6) and board.get(start) != mover:
        found.add(f"enter {start}" + (f" x({board[start]})" if start in board else ""))
    ordinary = bool(found)
    if not ordinary or (held and not strict):
        for marked in mine:
            spot = marked.rstrip("!")
            lengths = {die, die + 6 * held} if not ordinary else {die + 6 * held}
            for length in lengths:
                way = walk(mover, spot, length, None)
                if len(way) < length or not is_special(mover, way[-1]):
                    continue
                if any(board.get(step) == mover for step in way):
                    continue
                if any(blocks(board, step, mover) for step in way):
                    found.add(f"{spot}-{way[-1]}" + (f" x({board[way[-1]]})" if way[-1] in board else ""))
    return found
