"""Counts the tuned numbers of the readers: `python -m bench.limits`.

Counted are the numbers in each reader's `Limits`, and those in module constants of the readers and of what they share.
Sizes of fonts, colors of drawings and the simulator are not readers.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

from docs.sections import as_table

VISION = Path(__file__).resolve().parents[1] / "vision"
FOLDERS = ("tables", "photo", "measure", "frame")


def numbers(node: ast.AST) -> int:
    """The number of numeric constants in a part of a program."""
    values = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return sum(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def counted(path: Path) -> Counter[str]:
    """The numbers of a module: in `Limits`, and in constants."""
    found: Counter[str] = Counter()
    for part in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(part, ast.ClassDef) and part.name == "Limits":
            fields = [field.value for field in part.body if isinstance(field, ast.AnnAssign) and field.value]
            found["thresholds"] += len(fields)
            found["numbers"] += sum(map(numbers, fields))
        elif isinstance(part, ast.Assign | ast.AnnAssign) and part.value is not None:
            found["constants"] += numbers(part.value)
    return found


def main() -> None:
    """Prints a row for each reader."""
    total: dict[str, Counter[str]] = {}
    for folder in FOLDERS:
        for path in sorted((VISION / folder).rglob("*.py")):
            parts = path.relative_to(VISION).parts
            name = "/".join(parts[:2]) if folder in ("tables", "photo") and len(parts) > 2 else folder
            total.setdefault(name, Counter()).update(counted(path))
    columns = ("thresholds", "numbers", "constants")
    total["all"] = sum(total.values(), Counter())
    rows: list[list[object]] = [[name, *(of[what] for what in columns)] for name, of in total.items()]
    print(as_table(["reader", "thresholds", "numbers in Limits", "numbers in constants"], rows))


if __name__ == "__main__":
    main()
