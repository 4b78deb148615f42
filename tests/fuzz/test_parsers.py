"""States, actions, notations, kits, boards, lens files, settings, logs, exports and pictures."""

from __future__ import annotations

import json
import math
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
from tests.fuzz import FUZZED
from tests.fuzz.odd import VALUES, changed, cut, flipped
from tests.games import playthrough
from tests.scenes import SMALL_LENS

ROOT = Path(__file__).resolve().parents[2]


def refused(error: BaseException) -> bool:
    """Whether somebody is told what was found: one sentence."""
    return bool(str(error).strip()) and "Traceback" not in str(error)


@cache
def states(name: str) -> tuple[Any, ...]:
    """Some states of a played match, with the action that came next."""
    text = next(path for path in playthrough.files() if path.stem.startswith(name)).read_text(encoding="utf-8")
    game, seats, options = playthrough.head(text)
    state, found = game.rules.start(seats, options), []
    for line in playthrough.actions(text):
        action = game.text.action_of(line, state)
        found.append((state, action))
        state = game.rules.apply(state, action).state
    return tuple(found[:: max(1, len(found) // 8)])


@pytest.mark.parametrize("name", GAMES)
def test_a_state_or_action_that_is_none_is_refused(name: str) -> None:
    game = game_named(name)
    told = [(state_json(game, state), action_json(action)) for state, action in states(name)]

    @FUZZED
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        state_json, action_json = data.draw(st.sampled_from(told))
        try:
            state = state_of_json(game, data.draw(changed(state_json)))
            game.rules.status(state)
            action = action_of_json(game, data.draw(changed(action_json)))
            if not game.rules.status(state):
                game.rules.explain(state, action)
                game.rules.legal(state)
                msgspec.json.encode(game.page.view(game.rules.apply(state, action).state, None), enc_hook=str)
        except CompanionError as error:
            assert refused(error)

    tried()


@pytest.mark.parametrize("name", GAMES)
def test_a_notation_that_is_none_is_refused(name: str) -> None:
    game = game_named(name)

    @FUZZED
    @given(st.data())
    def tried(data: st.DataObject) -> None:
        state, action = data.draw(st.sampled_from(states(name)))
        try:
            game.text.action_of(data.draw(cut(game.text.action(action))), state)
            game.text.state_of(data.draw(cut(game.text.state(state))))
        except CompanionError as error:
            assert refused(error)

    tried()


@pytest.mark.parametrize("name", GAMES)
@FUZZED
@given(data=st.data())
def test_a_kit_that_is_none_is_refused(name: str, data: st.DataObject) -> None:
    text = (folder_of(name) / "kit.toml").read_text(encoding="utf-8")
    try:
        kit_of_text(data.draw(cut(text)))
    except CompanionError as error:
        assert refused(error)


@pytest.mark.parametrize("name", boards())
@FUZZED
@given(data=st.data())
def test_a_board_that_is_none_is_refused(name: str, data: st.DataObject) -> None:
    try:
        board_of_text(data.draw(cut(board_text(name))))
    except CompanionError as error:
        assert refused(error)


def test_a_lens_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lens.json"
    save_lens(SMALL_LENS, path)
    told = json.loads(path.read_text(encoding="utf-8"))

    @FUZZED
    @given(changed(told), st.booleans())
    def tried(lens: Any, is_text: bool) -> None:
        path.write_text(json.dumps(lens)[1:] if is_text else json.dumps(lens), encoding="utf-8", errors="replace")
        try:
            assert math.isfinite(load_lens(path).fx_px)
        except CompanionError as error:
            assert refused(error)

    tried()


def test_settings_and_pins_that_are_none_are_refused(tmp_path: Path) -> None:
    path, pins = tmp_path / "companion.toml", (ROOT / "hardware" / "pins.toml").read_text(encoding="utf-8")
    config = (ROOT / "docs" / "setup" / "companion.toml").read_text(encoding="utf-8") + '\nport = 80\nmains = "50"\n'

    @FUZZED
    @given(cut(pins), cut(config))
    def tried(pins: str, config: str) -> None:
        path.write_text(pins, encoding="utf-8", errors="replace")
        try:
            load_pins(path)
        except CompanionError as error:
            assert refused(error)
        path.write_text(config, encoding="utf-8", errors="replace")
        try:
            _settings(click.Context(click.Command("serve")), click.Option(["--config"]), path)
        except click.BadParameter as error:
            assert refused(error)

    tried()


def test_a_log_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    raw = min(LOGS.glob("unreleased/*.db"), key=lambda log: log.stat().st_size).read_bytes()

    @FUZZED
    @given(st.randoms(use_true_random=False))
    def tried(chance: Random) -> None:
        path.write_bytes(flipped(raw, chance))
        for reads in (read_log, verify):
            try:
                reads(path)
            except CompanionError as error:
                assert refused(error)

    tried()


@FUZZED
@given(
    changed(
        {
            "format": "companion event 1",
            "id": "cup",
            "entries": [{"seq": 1, "by": "x", "at_s": 1.0, "fact": {"kind": "began", "name": "Cup"}, "key": None}],
        }
    ),
    VALUES,
)
def test_an_export_that_is_none_is_refused(told: Any, settings: Any) -> None:
    for reads, value in ((log_of, told), (settings_of, settings)):
        try:
            reads(json.dumps(value).encode("utf-8", "replace"))
        except (EventRefused, CompanionError) as error:
            assert refused(error)


@pytest.mark.parametrize("kind", [".png", ".jpg"])
def test_a_picture_that_is_none_is_refused(kind: str, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    raw, path = cv2.imencode(kind, noise)[1].tobytes(), tmp_path / f"picture{kind}"

    @FUZZED
    @given(st.randoms(use_true_random=False))
    def tried(chance: Random) -> None:
        path.write_bytes(flipped(raw, chance))
        try:
            assert decoded(path, is_calibrated=False).ndim == 3
        except CompanionError as error:
            assert refused(error)

    tried()
