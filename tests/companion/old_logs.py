"""Logs of released versions: `python -m tests.companion.old_logs 0.2.0` plays a match of each game and keeps it.

Run it once at a release, and never again for that version: tests/data/logs holds what boxes out there have written.
What `unreleased` holds may be made anew. `asked` holds questions, answers and secrets from before entries had types.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from companion.game.game import state_json
from companion.game.known import GAMES, game_named
from companion.match.people import question_of
from companion.match.present import history
from companion.record.fold import began, fold
from companion.record.log import read_log
from tests.faults.playing import play

LOGS = Path(__file__).resolve().parents[1] / "data" / "logs"
TURNS = 70
HINT_MS = 0.0
"""No time to think further: what a longer search finds differs from machine to machine."""


def told(path: Path) -> dict[str, Any]:
    """What this version makes of a log: the state, every ruling, the scores, hints for who moves, and the history."""
    entries = tuple(read_log(path))
    game = game_named(began(entries).game)
    folded = fold(game, entries)
    hints = {
        seat: [str(hint.text) if hint.action is None else game.text.action(hint.action) for hint in found[:3]]
        for seat in game.rules.to_move(folded.state)
        if (found := game.page.hints(folded.state, seat, within_ms=HINT_MS, seed=1))
    }
    found = question_of(game, folded)
    question = found and [
        found[0],
        *(f"{choice.key}: {[game.text.action(action) for action in choice.actions]}" for choice in found[1].choices),
    ]
    return {
        "game": game.name,
        "entries": len(entries),
        "state": state_json(game, folded.state),
        "scores": {seat: score.points for seat, score in game.rules.score(folded.state).items()},
        "rulings": [
            {
                "entry": step.entry.seq,
                "action": game.text.action(step.action),
                "says": str(ruling.says),
                "rule": ruling.rule,
            }
            for step in folded.steps
            for ruling in step.rulings
        ],
        "misfits": {str(seq): str(why) for seq, why in folded.misfits.items()},
        "retracted": sorted(folded.retracted),
        "hints": hints,
        "question": question,
        "history": [str(line.says) for line in history(game, folded)],
    }


def keep(log: Path, version: str) -> None:
    """Copies a log among the fixtures, with what is made of it."""
    game = told(log)["game"]
    folder = LOGS / version
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(log, folder / f"{game}.db")
    expected = json.dumps(told(log), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / f"{game}.json").write_text(f"{expected}\n", encoding="utf-8")


def main(version: str) -> None:
    """Plays and keeps one match of each game."""
    for number, name in enumerate(GAMES):
        with tempfile.TemporaryDirectory() as folder:
            play(Path(folder), name, 100 + number, TURNS).close()
            keep(max(Path(folder).glob("*.db"), key=lambda log: len(read_log(log))), version)


if __name__ == "__main__":
    main(sys.argv[1])
