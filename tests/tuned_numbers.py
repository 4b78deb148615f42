"""Counts the tuned numbers of the readers: `python -m tests.tuned_numbers`.

A tuned number is a numeric literal in `vision` other than 0, 1, 2 and 0.5. An index or a slice is not counted.
The virtual table `vision/sim` and the generated models are left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

VISION = Path(__file__).resolve().parents[1] / "vision"
LEFT_OUT = ("sim", "models")
PLAIN = (0, 1, 2, 0.5)
"""Numbers that say nothing about a reader."""


def tuned(source: str) -> tuple[int, int]:
    """Tuned numbers in a module: within its `Limits`, and elsewhere.

    >>> tuned("class Limits:\\n    width_mm: float = 12.5\\nrow = rows[3] * 7")
    (1, 1)
    """
    tree = ast.parse(source)
    slices = [node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    skipped = {id(inner) for each in slices for inner in ast.walk(each)}
    limits = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Limits")
        for inner in ast.walk(node)
    }
    found = [
        id(node) in limits
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and id(node) not in skipped
        if node.value not in PLAIN
    ]
    return sum(found), len(found) - sum(found)


def counts() -> dict[str, tuple[int, int]]:
    """Tuned numbers per package of `vision`: within `Limits`, and elsewhere."""
    inside, outside = Counter[str](), Counter[str]()
    for path in sorted(VISION.rglob("*.py")):
        parts = path.relative_to(VISION).parts
        if parts[0] not in LEFT_OUT:
            package = "/".join(parts[:-1][:2]) or "vision"
            within, elsewhere = tuned(path.read_text(encoding="utf-8"))
            inside[package] += within
            outside[package] += elsewhere
    return {package: (inside[package], outside[package]) for package in sorted(inside)}


def main() -> None:
    """Prints a line per package, then the sum."""
    found = counts()
    for package, (within, elsewhere) in found.items():
        print(f"{within:5d} in Limits, {elsewhere:5d} elsewhere  {package}")
    within, elsewhere = (sum(column) for column in zip(*found.values(), strict=True))
    print(f"{within:5d} in Limits, {elsewhere:5d} elsewhere  in all: {within + elsewhere}")


if __name__ == "__main__":
    main()
