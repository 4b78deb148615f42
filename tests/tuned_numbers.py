"""Counts the tuned numbers of the readers: `python -m tests.tuned_numbers`.

A tuned number is a numeric literal in `vision` that somebody chose. These are not counted: 0, 1, 2 and 0.5; indices,
shapes, axes, kernel sizes and rounding digits; full scales and turns (`SCALES`); guards against division by zero. The
drawing of readings, the virtual table `vision/sim` and the generated models are left out.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

VISION = Path(__file__).resolve().parents[1] / "vision"
LEFT_OUT = ("sim", "models", "drawing.py")
PLAIN = (0, 1, 2, 0.5)
"""Numbers that say nothing about a reader."""
SCALES = (90, 180, 255, 256, 360, 1000, 65535)
"""Turns in degrees, levels of a byte and of 16 bits, units."""
GUARD = 1e-5
"""Smaller numbers keep a division from failing."""
SHAPED = ("reshape", "transpose", "zeros", "ones", "empty", "eye", "range")
"""Calls whose arguments are shapes."""
KERNELS = {"blur": 1, "GaussianBlur": 1, "boxFilter": 2, "distanceTransform": 2}
"""OpenCV's filters, and which argument is the size of their kernel or mask: as `ksize`, it is no threshold."""
REDUCED = ("sum", "mean", "max", "min", "any", "all", "argmax", "argmin", "std", "split", "repeat", "tile", "full")
"""Calls whose whole numbers are axes or counts."""


def structure(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of a module whose numbers are its structure."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.keyword) and node.arg in ("axis", "ksize", "maxsize", "shift", "connectivity"):
            yield node.value
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in SHAPED:
                yield from node.args
            elif name in KERNELS:
                yield from node.args[KERNELS[name] : KERNELS[name] + 1]
            elif name == "round" or (name == "full" and isinstance(node.func, ast.Attribute)):
                yield from node.args[1:] if name == "round" else node.args[:1]
            elif name in REDUCED and isinstance(node.func, ast.Attribute):
                yield from (part for part in node.args if isinstance(part, ast.Constant) and type(part.value) is int)


def tuned(source: str) -> tuple[int, int]:
    """Tuned numbers in a module: within its `Limits`, and elsewhere.

    >>> tuned("class Limits:\\n    width_mm: float = 12.5\\nrow = rows[3] * 7")
    (1, 1)
    """
    tree = ast.parse(source)
    skipped = {id(inner) for each in structure(tree) for inner in ast.walk(each)}
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
        if node.value not in (*PLAIN, *SCALES) and node.value >= GUARD
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
