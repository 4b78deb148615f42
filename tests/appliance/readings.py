"""Ten pictures of all games, and what each reader reads in them, on any machine.

python -m tests.appliance.readings make FOLDER       draws the pictures
python tests/appliance/readings.py read FOLDER       prints each reading, one JSON object a line
python -m tests.appliance.readings compare A B       status 1 if two such outputs differ
"""

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
ROUNDED = 0.101, 0.00101  # mm or px, probability: readings are rounded to these steps, one apart is equal
# OpenCV on arm64 rounds 0.01 to 0.4 % of a resized picture to the next grey level. Networks of 8-bit numbers answer
# in steps of 1/128 of a layer's range. On equal input they differ by less than that rounding moves them.
NETWORKS = {"dice": (1.0, 0.04), "rods": (2.0, 0.01)}


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


def paired(a: list[Any], b: list[Any]) -> list[tuple[Any, Any]]:
    """Each object with the nearest of its colour. Their order, by confidence, may differ."""
    if not (a and all(isinstance(each, dict) and "x_mm" in each for each in (*a, *b))):
        return list(zip(a, b, strict=True))
    pairs, rest = [], list(b)
    for one in a:
        place = one["x_mm"], one["y_mm"]
        far = [(o.get("color") != one.get("color"), math.dist((o["x_mm"], o["y_mm"]), place)) for o in rest]
        pairs.append((one, rest.pop(far.index(min(far)))))
    return pairs


def differences(a: Any, b: Any, allowed: tuple[float, float] = ROUNDED, where: str = "") -> list[str]:
    """Where two readings differ: in words, in the number of objects, or by more than ``allowed``."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        ignored = {"image", "ms", "seconds"}
        allowed = NETWORKS.get(a.get("reader", ""), allowed)
        return [each for key in a.keys() - ignored for each in differences(a[key], b[key], allowed, f"{where}.{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        if where.endswith(".path_mm") and a and math.dist(a[0], b[-1]) < math.dist(a[0], b[0]):
            b = b[::-1]  # the same wire, from its other end
        return [
            each
            for i, (one, other) in enumerate(paired(a, b))
            for each in differences(one, other, allowed, f"{where}[{i}]")
        ]
    if isinstance(a, float) and isinstance(b, int | float):
        far = allowed["confidence" in where or "chances" in where]
        return [] if math.isclose(a, b, rel_tol=0, abs_tol=far) else [f"{where}: {a!r} and {b!r}"]
    if (
        where.endswith(".reason") and a and b
    ):  # not sure on both machines: which of its reasons is named first may differ
        return []
    return [] if a == b else [f"{where}: {a!r} and {b!r}"]


def compare(first: Path, second: Path) -> int:
    """Prints what differs between two outputs of `read`."""
    a, b = ([json.loads(line) for line in path.read_text().splitlines()] for path in (first, second))
    found = differences(a, b)
    for line in found[:20]:
        print(f"differs at {line}")
    print(f"{len(a)} readings compared, {len(found)} differences")
    return int(bool(found) or not a)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]))
    elif sys.argv[1] == "read":
        read(Path(sys.argv[2]))
    else:
        raise SystemExit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
