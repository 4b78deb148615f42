"""A second, slow and obvious reading of Basic Manipulation's moves, written apart from the engine.

It knows boards BM-129 and BM-133 by arithmetic and not by their files, keeps tokens as a dictionary from spot to
colour, and tries every way one step at a time.
"""

from __future__ import annotations

START = {"r": 0, "y": 12, "g": 24, "b": 36}
CORNER = {0: "r", 12: "y", 24: "g", 36: "b"}
MATE = {"r": "g", "g": "r", "y": "b", "b": "y"}


def number(spot: str) -> int | None:
    return int(spot[1:]) if spot[0] == "O" else None


def is_safety(spot: str) -> bool:
    return spot.startswith("SB") or (spot[0] == "O" and int(spot[1:]) % 12 == 6)


def steps(color: str, spot: str, rested: bool, side: int, leaves: bool) -> list[str]:
    if spot == "W":
        return []
    if spot.startswith("SB"):
        k = int(spot[2:])
        out = [f"O{6 + 12 * k}"] if leaves else []
        return [f"D{k}.1", f"W{k}.1", *out]
    if spot[0] == "D":
        k, j = int(spot[1]), int(spot[3:])
        return [f"D{k}.{j + 1}" if j + 1 < side else f"SB{(k + 1) % 4}"]
    if spot[0] == "W":
        k, j = int(spot[1]), int(spot[3:])
        return [f"W{k}.{j + 1}" if j < 4 else "W"]
    if spot.endswith(".hre"):
        owner = spot[0]
        return [f"{owner}.r1"] if owner == color else [f"O{START[owner] + 1}"]
    if ".r" in spot:
        j = int(spot[3:])
        return [f"{color}.r{j + 1}"] if j < 4 else []
    here = int(spot[1:])
    ahead = (here + 1) % 48
    found = [f"{color}.hre" if ahead == START[color] else f"O{ahead}"]
    if here % 12 == 6 and rested:
        found.append(f"SB{here // 12}")
    return found


def ways(color: str, spot: str, die: int, side: int, leaves: bool) -> list[list[str]]:
    if die == 0:
        return [[]]
    found = []
    for way in ways(color, spot, die - 1, side, leaves):
        for ahead in steps(color, way[-1] if way else spot, not way, side, leaves):
            found.append([*way, ahead])
    return found


def passes_own(board: dict[str, str], color: str, spot: str) -> bool:
    """Whether passing a spot passes an own token; a foreign corner is one step with two circles."""
    here = number(spot)
    circles = [spot, f"{CORNER[here]}.hre"] if here in CORNER else [spot]
    return any(board.get(circle) == color for circle in circles)


class Slow:
    """One position, one mode, one set of house rules."""

    def __init__(self, pieces: dict[str, list[str]], mode: str = "four", **options: str) -> None:
        self.pieces = pieces
        self.mode = mode
        self.side = int(options.get("diamond_steps", "7"))
        self.leaves = options.get("diamond_exit", "false") == "true"
        self.exact = options.get("refuge_exact_from_world", "false") == "true"
        self.once = options.get("retake", "while_there") == "next_turn"
        self.board = {spot.rstrip("!"): c for c, spots in pieces.items() for spot in spots if spot != "hold"}

    def friend(self, color: str) -> str | None:
        return None if self.mode == "four" else MATE[color]

    def land(self, color: str, spot: str) -> list[tuple[str, str, str]]:
        """What comes of ending on a spot: (kind, spot, who is sent back); kind `move` or `set-back`."""
        if spot == "W":
            return self.meet(color, f"{color}.hre")
        there = self.board.get(spot)
        if is_safety(spot) and there is not None:
            if there == color or (self.mode == "two" and there == self.friend(color)):
                return []
            beyond = steps(color, spot, False, self.side, self.leaves)
            return [result for ahead in beyond for result in self.land(color, ahead)]
        found = self.meet(color, spot)
        corner = CORNER.get(number(spot)) if number(spot) is not None else None
        if corner is not None:
            door = f"{corner}.hre"
            if self.mode == "partners" and corner == self.friend(color):
                if door not in self.board:
                    found.append(("move", door, ""))
            elif corner != self.friend(color) and self.board.get(door) == corner:
                found.append(("move", door, corner))
        return found

    def meet(self, color: str, spot: str) -> list[tuple[str, str, str]]:
        there = self.board.get(spot)
        if there is None:
            return [("move", spot, "")]
        if there == color:
            return []
        if there == self.friend(color):
            return [] if self.mode == "two" else [("set-back", spot, there)]
        return [("move", spot, there)]

    def moves(self, seat: str, die: int) -> set[str]:
        colors = [seat]
        if self.mode == "two":
            colors.append(MATE[seat])
        elif self.mode == "partners" and all(".r" in spot for spot in self.pieces[seat]):
            colors = [MATE[seat]]
        found: dict[str, set[str]] = {"move": set(), "set-back": set()}
        for color in colors:
            prefix = f"{color} " if self.mode == "two" else ""
            for kind, text in self.of_color(color, die):
                found[kind].add(prefix + text)
        return found["move"] or found["set-back"]

    def of_color(self, color: str, die: int) -> list[tuple[str, str]]:
        found = []
        for marked in self.pieces[color]:
            if marked == "hold":
                continue
            spot = marked.rstrip("!")
            if self.exact and marked == f"{color}.hre!":
                free = next((j for j in range(4) if self.board.get(f"{color}.r{j + 1}")), 4)
                if free == die:
                    found.append(("move", f"{spot}-{color}.r{free}"))
                continue
            for way in ways(color, spot, die, self.side, self.leaves):
                if any(passes_own(self.board, color, step) for step in way[:-1]):
                    continue
                for kind, to, sent in self.land(color, way[-1]):
                    found.append((kind, f"{spot}-{to}" + (f" x({sent})" if sent else "")))
        if "hold" in self.pieces[color] and die in (1, 6):
            start = f"O{START[color]}"
            for kind, to, sent in self.meet(color, start):
                found.append((kind, f"enter {to}" + (f" x({sent})" if sent else "")))
            door = f"{color}.hre"
            there = self.board.get(door)
            if die == 1 and there not in (None, color, self.friend(color)):
                fresh = f"{door}!" in self.pieces[there]
                if fresh or not self.once:
                    found.append(("move", f"retake {door} x({there})"))
        return found
