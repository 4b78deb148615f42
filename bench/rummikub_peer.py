"""The peer of the rummy bench: `rummikub-solver` in a process of its own, tables in by JSON, milliseconds out.

It must not share a process with our highspy (undefined HiGHS symbols), and may run under another Python: so this file
imports none of our modules. Input: a list of {"table": [card numbers], "hand": [card numbers]}, with tiles counted from
1, suit by suit, and 53 the joker. Output: {"version", "backend", "ms": [...], "tiles": [tiles laid, ...]}.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter
from typing import Any


def main() -> int:
    """Reads, solves the tables one after the other on one thread, and prints. The rule set is built and warmed up
    first."""
    from rummikub_solver import GameState, MILPSolver, RuleSet

    tables: list[dict[str, Any]] = json.load(sys.stdin)
    has_highspy = find_spec("highspy") is not None
    rules = RuleSet(solver_backend=MILPSolver.HIGHS if has_highspy else None)
    rules.solve(GameState((rules.tiles[0], *rules.tiles), [1, 2, 3], [4], initial=False))
    backend = str(rules.backend)
    ms, tiles = [], []
    for one in tables:
        state = rules.new_game()
        state.add_table(*one["table"])
        state.add_rack(*one["hand"])
        state.initial = False
        begin = perf_counter()
        found = rules.solve(state)
        ms.append((perf_counter() - begin) * 1000)
        tiles.append(len(found.tiles) if found else 0)
    json.dump({"version": version("rummikub-solver"), "backend": backend, "ms": ms, "tiles": tiles}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
