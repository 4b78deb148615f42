"""The dice reader on strangers' photographs: `python -m bench --shared DIR --only dice`.

Prints score.py's table per source for the shipped networks, for networks that never saw the source, and for the
tutorial approach. The unseen figures come from dice_unseen.jsonl, recorded with the date by `python -m bench.dice
--shared DIR --record SOURCE=MODELS ...`. Also prints how often a confidence is right, false detections in pictures
without dice, and milliseconds on one core.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path

import click
import cv2

from bench import harness, tutorial_dice
from bench.drawn import leaning_dice, notdice
from bench.harness import Line
from calibration.arrays import Picture
from companion.game.readings import SURE, DiceReading
from docs.sections import as_table
from vision.measure.networks import Network
from vision.photo.dice.face import ContextReader, FaceReader
from vision.photo.dice.find import DiceFinder
from vision.photo.dice.reader import DiceEye, open_eye

UNSEEN = Path(__file__).with_name("dice_unseen.jsonl")
Read = Callable[[Picture], DiceReading]


def table(said: Line) -> str:
    """Markdown: a line a source."""
    shown = {"exact": "picture_exact", "recall": "recall", "precision": "precision", "sure": "sure"}
    rows: list[list[object]] = []
    for name, row in [("all", said["all"]), *said["by_source"].items()]:
        shares = [f"{row[key] or 0:.4f}" for key in shown.values()]
        faces = [f"{row['recall_by_value'][str(value)]:.3f}" for value in range(1, 7)]
        rows.append([name, row["pictures"], row["dice"], *shares, row["sure_but_wrong"], *faces])
    return as_table(["source", "pictures", "dice", *shown, "sure but wrong", *"123456"], rows)


def is_right(die: Line, truth: list[Line]) -> bool:
    """Whether the labelled die under the middle of this box has this value."""
    x, y = (die["box"][0] + die["box"][2]) / 2, (die["box"][1] + die["box"][3]) / 2
    under = [t for t in truth if t["box"][0] <= x <= t["box"][2] and t["box"][1] <= y <= t["box"][3]]
    near = min(
        under,
        key=lambda t: abs(t["box"][0] + t["box"][2] - 2 * x) + abs(t["box"][1] + t["box"][3] - 2 * y),
        default=None,
    )
    return near is not None and near["value"] == die["value"]


def reliability(lines: list[Line], got: list[Line]) -> str:
    """Markdown: the share of correct values in each band of confidence."""
    truth = {line["image"]: line["dice"] for line in lines}
    said = [
        (die["confidence"], is_right(die, truth[reading["image"]]))
        for reading in got
        for die in reading.get("dice", [])
        if die["value"] is not None
    ]
    return harness.reliability(said, "values")


def made_up(read: Read, first_seed: int = notdice.FIRST_SEED) -> tuple[int, int, list[str]]:
    """On pictures without dice: dice found, sure ones, the pictures' names."""
    found = sure = 0
    names = []
    for name, picture in notdice.pictures(first_seed):
        dice = read(picture).dice
        found += len(dice)
        sure += sum(d.value is not None and d.confidence >= SURE for d in dice)
        names += [name] * bool(dice)
    return found, sure, names


def made_up_of_cards(shared: Path, read: Read) -> tuple[int, int, int]:
    """On photographs of cards that no network learned from (no licence stated): pictures, dice found, sure ones."""
    folder = shared / "photos" / "cards"
    lines = harness.label_lines(folder)
    mine = [line for line in lines if line["license"] == "none stated"]
    found = [die for line in mine for die in read(harness.picture_at(folder / line["image"])).dice]
    return len(mine), len(found), sum(d.value is not None and d.confidence >= SURE for d in found)


def run(shared: Path) -> int:
    """Prints all tables and writes them to docs/accuracy.md; status 0."""
    cv2.setNumThreads(1)
    folder = shared / "photos" / "dice"
    lines = harness.label_lines(folder)
    eye = open_eye()
    recorded = [json.loads(line) for line in UNSEEN.read_text(encoding="utf-8").splitlines()]

    def figures(got: list[Line]) -> str:
        return table(harness.score(shared, "dice", folder, got))

    found, sure, names = made_up(eye.read)
    others = [made_up(eye.read, seed) for seed in notdice.OTHER_SEEDS]
    cards, on_cards, sure_on_cards = made_up_of_cards(shared, eye.read)
    tilted = leaning_dice.said_of(eye.read)
    timed = [folder / line["image"] for line in lines[:: max(1, len(lines) // 25)]]
    harness.record(
        "dice",
        "## Dice",
        "### Photographs of a source that the networks never saw",
        f"Recorded on {recorded[0]['read_on']} with four sets of networks: each source was read by networks that "
        "learned from scenes and the three other sources, made by the program that made the shipped ones, in the same "
        "hour. How dice lie is told by a network that has seen no photograph.",
        figures(recorded),
        reliability(lines, recorded),
        "Of nell-byler_090, wrong and sure, the label is wrong: the die shows what is read.",
        "### The shipped networks",
        "Trained on these photographs too: no measure of how they read others.",
        figures(harness.readings(folder, lines, eye.read)),
        "### The tutorial approach",
        "Round blobs, clustered and counted (bench/tutorial_dice.py), same pictures, same run.",
        figures(harness.readings(folder, lines, tutorial_dice.read)),
        "### Pictures without dice",
        f"{notdice.PICTURES} drawn pictures (bench/drawn/notdice.py): {found} dice made up, {sure} of them sure"
        f"{''.join(f', {name}' for name in names)}.",
        f"In {len(others)} times {notdice.PICTURES} others, drawn alike from other seeds: "
        f"{', '.join(str(count) for count, _, _ in others)} dice made up, {sum(s for _, s, _ in others)} of them sure. "
        "The rule of what is a die was chosen on yet other seeds.",
        f"In {cards} photographs of playing cards that no network learned from: {on_cards} dice made up, "
        f"{sure_on_cards} of them sure.",
        "### Dice that lean",
        f"{leaning_dice.PICTURES} rendered dice that lean by 20 to 45 degrees beside two that lie "
        f"(bench/drawn/leaning_dice.py): no value said of {tilted['null']}, not found {tilted['missed']}, "
        f"a value that is not sure {tilted['not sure']}, a sure one {tilted['sure']}.",
        "### Time",
        f"Median {harness.milliseconds(timed, eye.read):.0f} ms for a picture of {harness.TIMED_LONG_SIDE_PX} px "
        "of processor time, one thread, on the machine that ran this.",
    )
    return 0


def networks_of(models: Path) -> tuple[DiceFinder, FaceReader, ContextReader]:
    """The networks of a folder."""
    find, face, inks, context = (Network(models / f"dice_{name}.onnx") for name in ("find", "face", "inks", "context"))
    return DiceFinder(find), FaceReader(face, inks), ContextReader(context)


@click.command()
@click.option("--shared", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--record", "pairs", multiple=True, metavar="SOURCE=MODELS", required=True)
def record(shared: Path, pairs: tuple[str, ...]) -> None:
    """Reads each source with networks that never saw it and writes dice_unseen.jsonl."""
    cv2.setNumThreads(1)
    folder = shared / "photos" / "dice"
    lines = harness.label_lines(folder)
    got, sources = [], {line["source"] for line in lines}
    for pair in pairs:
        source, _, models = pair.partition("=")
        if source not in sources or not Path(models).is_dir():
            raise click.UsageError(
                f"--record {pair}: expected SOURCE=FOLDER, a source of {', '.join(sorted(sources))}."
            )
        mine = [line for line in lines if line["source"] == source]
        got += harness.readings(folder, mine, DiceEye(*networks_of(Path(models))).read)
    today = datetime.date.today().isoformat()
    with UNSEEN.open("w", encoding="utf-8") as out:
        out.write("".join(json.dumps(line | {"read_on": today}) + "\n" for line in got))


if __name__ == "__main__":
    record()
