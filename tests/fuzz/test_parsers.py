"""States, actions, notations, kits, boards, lens files, settings, logs, exports and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import click
import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.lens import load_lens, save_lens
from companion.cli.serve import _settings
from companion.cli.serve import command as serve
from companion.event.facts import settings_of
from companion.event.hub.export import log_of
from companion.event.refused import EventRefused
from companion.game.board import board_of_text
from companion.game.brought import board_text, boards
from companion.game.errors import CompanionError
from companion.game.game import action_json, action_of_json, state_json, state_of_json
from companion.game.kit import kit_of_text
from companion.game.known import GAMES, folder_of, game_named
from companion.record.check import verify
from companion.record.log import read_log
from hardware.picture_file import decoded
from hardware.pins import load_pins
from tests.companion.old_logs import LOGS
from tests.fuzz.odd import FUZZED, changed, cut, flipped
from tests.games.playthrough import files
from tests.games.test_every_game import folded
from tests.scenes import SMALL_LENS

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (ROOT / "docs" / "setup" / "companion.toml").read_text(encoding="utf-8") + '\nport = 80\nmains = "50"\n'
EXPORT = {
    "format": "companion event 1",
    "id": "cup",
    "entries": [{"seq": 1, "by": "x", "at_s": 1.0, "fact": {"kind": "began", "name": "Cup"}, "key": None}],
}


def taken_or_refused(reads: Callable[[Any], object], given: Any) -> None:
    """It is read, or somebody is told in one sentence what was found."""
    try:
        reads(given)
    except (CompanionError, EventRefused, click.BadParameter) as error:
        assert str(error).strip()
        assert "Traceback" not in str(error)


def picture_in(path: Path) -> object:
    return decoded(path, is_calibrated=False)


def settings_in(path: Path) -> object:
    return _settings(click.Context(serve), click.Option(["--config"]), path)


@cache
def states(name: str) -> tuple[Any, ...]:
    """Some states of a played match, with the action that came next."""
    path = next(path for path in files() if path.stem.startswith(name))
    found = folded(path.read_text(encoding="utf-8"))[:-1]
    return tuple(found[:: max(1, len(found) // 8)])


@pytest.mark.parametrize("name", GAMES)
def test_a_state_action_or_notation_that_is_none_is_refused(name: str) -> None:
    game = game_named(name)
    told = [(state_json(game, state), action_json(action)) for state, action in states(name)]

    def judged(given: tuple[Any, Any]) -> None:
        state = state_of_json(game, given[0])
        game.rules.status(state)
        action = action_of_json(game, given[1])
        if not game.rules.status(state):
            game.rules.explain(state, action)
            game.rules.legal(state)
            msgspec.json.encode(game.page.view(game.rules.apply(state, action).state, None), enc_hook=str)

    @FUZZED
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        taken_or_refused(judged, [data.draw(changed(one)) for one in data.draw(st.sampled_from(told))])
        state, action = data.draw(st.sampled_from(states(name)))
        taken_or_refused(lambda text: game.text.action_of(text, state), data.draw(cut(game.text.action(action))))
        taken_or_refused(game.text.state_of, data.draw(cut(game.text.state(state))))

    tried()


@FUZZED
@given(st.data())
def test_a_kit_or_board_that_is_none_is_refused(data: st.DataObject) -> None:
    name, board = data.draw(st.sampled_from(GAMES)), data.draw(st.sampled_from(sorted(boards())))
    taken_or_refused(kit_of_text, data.draw(cut((folder_of(name) / "kit.toml").read_text(encoding="utf-8"))))
    taken_or_refused(board_of_text, data.draw(cut(board_text(board))))


@FUZZED
@given(st.data())
def test_settings_pins_and_a_lens_file_that_are_none_are_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "a.toml"
    save_lens(SMALL_LENS, path)
    lens = path.read_text(encoding="utf-8")
    pins = (ROOT / "hardware" / "pins.toml").read_text(encoding="utf-8")
    told = data.draw(changed(json.loads(lens)).map(json.dumps))
    for reads, text in (
        (load_lens, told),
        (load_lens, data.draw(cut(lens))),
        (load_pins, data.draw(cut(pins))),
        (settings_in, data.draw(cut(SETTINGS))),
    ):
        path.write_text(text, encoding="utf-8", errors="replace")
        taken_or_refused(reads, path)


@FUZZED
@given(changed(EXPORT))
def test_an_export_that_is_none_is_refused(told: Any) -> None:
    for reads in (log_of, settings_of):
        taken_or_refused(reads, json.dumps(told).encode("utf-8", "replace"))


@FUZZED
@given(st.randoms(use_true_random=False))
def test_a_log_or_picture_that_is_none_is_refused(tmp_path: Path, chance: Random) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    log = min(LOGS.glob("unreleased/*.db"), key=lambda log: log.stat().st_size).read_bytes()
    for kind, raw, reads in (
        (".db", log, (read_log, verify)),
        (".png", cv2.imencode(".png", noise)[1].tobytes(), (picture_in,)),
        (".jpg", cv2.imencode(".jpg", noise)[1].tobytes(), (picture_in,)),
    ):
        path = tmp_path / f"a{kind}"
        path.write_bytes(flipped(raw, chance))
        for read in reads:
            taken_or_refused(read, path)
