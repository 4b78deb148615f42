"""Ten pictures of all games, and what each reader reads in them, on any machine.

python -m tests.appliance.readings make FOLDER       draws the pictures
python tests/appliance/readings.py read FOLDER       prints each reading, one JSON object a line
python -m tests.appliance.readings compare A B       status 1 if two such outputs differ by more than 1e-3
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import sys
from pathlib import Path
from typing import Any

GAMES = {
    "eyes_of_the_emperor": "eyes",
    "basic_manipulation": "board",
    "center_point": "board",
    "manipulation_rummy": "rummy",
    "suspend": "rods",
}
TOLERANCE = 1.001e-3  # readings are rounded to thousandths: one step apart is equal


def make(folder: Path) -> None:
    """Two pictures of each game at the virtual table, with the camera's lens."""
    import cv2

    from calibration.lens import save_lens
    from companion.game.brought import default_kit
    from vision.sim.filled import filled_table

    folder.mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        for seed in (1, 2):
            table = filled_table(default_kit(game), seed)
            frame = table.frame()
            assert frame is not None
            cv2.imwrite(str(folder / f"{game}-{seed}.png"), frame)
            save_lens(table.lens, folder / f"{game}.json")


def read(folder: Path) -> None:
    """Reads each picture by the command line, as an owner would."""
    from companion.cli import main

    for path in sorted(folder.glob("*.png")):
        game = path.stem.partition("-")[0]
        readers = [[GAMES[game], "--lens", str(folder / f"{game}.json")]]
        if GAMES[game] == "board":
            readers[0] += ["--board", {"basic_manipulation": "BM-129", "center_point": "CP-120"}[game]]
            readers += [["tray", *readers[0][1:3]], ["dice"]]
        if GAMES[game] == "rummy":
            readers.append(["cards"])
        for words in readers:
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
                main(["read", *words, str(path)])
            for line in said.getvalue().splitlines():
                print(json.dumps({"picture": path.name, "reader": words[0], "reading": json.loads(line)}))


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """Where two readings differ: other keys, other words, or floats further apart than the tolerance."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        ignored = {"image", "ms", "seconds"}
        return [each for key in a if key not in ignored for each in differences(a[key], b[key], f"{where}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [each for i, pair in enumerate(zip(a, b, strict=True)) for each in differences(*pair, f"{where}[{i}]")]
    if isinstance(a, float) and isinstance(b, int | float) and math.isclose(a, b, rel_tol=0, abs_tol=TOLERANCE):
        return []
    return [] if a == b else [f"{where}: {a!r} and {b!r}"]


def compare(first: Path, second: Path) -> int:
    """Prints what differs between two outputs of `read`."""
    a, b = ([json.loads(line) for line in path.read_text().splitlines()] for path in (first, second))
    found = differences(a, b)
    for line in found[:20]:
        print(f"differs at {line}")
    print(f"{len(a)} readings compared, {len(found)} values differ by more than {TOLERANCE}")
    return int(bool(found) or not a)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    elif sys.argv[1] == "read":
        read(Path(sys.argv[2]))
    else:
        raise SystemExit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
