"""Writes companion/game/lookalikes.txt from two files of Unicode.

    python -m bench.lookalikes confusables.txt DerivedCoreProperties.txt > companion/game/lookalikes.txt

Download them from https://www.unicode.org/Public/security/latest/ and https://www.unicode.org/Public/UCD/latest/ucd/.
"""

from __future__ import annotations

import sys
from pathlib import Path

HEAD = """# Letters that look alike, and letters that nothing is drawn for.
# Made by `python -m bench.lookalikes` from Unicode's own files:
# {confusables}; {properties} (Default_Ignorable_Code_Point)
# (c) Unicode, Inc. Unicode License v3: https://www.unicode.org/license.txt
# `invisible` ranges first. Then what a letter looks like: the letters it stands for, `<`, and all that look so."""


def version(text: str, name: str) -> str:
    """The version in the first lines of a file of Unicode, else its first line."""
    told = [line.removeprefix("# ").strip() for line in text.splitlines()[:12]]
    number = next((line.removeprefix("Version: ") for line in told if line.startswith("Version: ")), None)
    return f"{name} {number}" if number else told[0]


def fields(text: str) -> list[list[str]]:
    """The fields of each line of a file of Unicode, without comments."""
    bare = (line.partition("#")[0] for line in text.lstrip("\ufeff").splitlines())
    return [[field.strip() for field in line.split(";")] for line in bare if ";" in line]


def made(confusables: str, properties: str) -> str:
    """The text of lookalikes.txt."""
    lines = [
        HEAD.format(
            confusables=version(confusables, "confusables.txt"),
            properties=version(properties, "DerivedCoreProperties.txt"),
        )
    ]
    ranges = [
        where.replace("..", "-") for where, what, *_ in fields(properties) if what == "Default_Ignorable_Code_Point"
    ]
    lines.append(f"invisible {' '.join(ranges)}")
    alike: dict[str, list[str]] = {}
    for letter, looks, *_ in fields(confusables):
        alike.setdefault(looks, []).append(letter)
    lines += [f"{looks} < {' '.join(letters)}" for looks, letters in alike.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    print(made(*(Path(path).read_text(encoding="utf-8") for path in sys.argv[1:3])))
