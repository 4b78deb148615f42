"""What the box answers to its buttons: a sound for what was taken, another for what was not, words for a stuck one."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from companion.app import box as boxes
from companion.app.matches import opened_match
from companion.game.known import game_named
from companion.game.says import Says
from companion.game.view import Sight
from hardware.pins import Pins, Sound


def test_a_refused_button_sounds_and_the_phones_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ended throw while blind, and an undo of nothing, were answered by silence everywhere. Of a stuck button a line
    in the log of the box told, which nobody at the table reads."""
    match = opened_match(tmp_path, game_named("eyes_of_the_emperor"))
    for name in ("Buttons", "Buzzer"):
        monkeypatch.setattr(boxes, name, mock.Mock())
    box = boxes.Box(match, Pins(buzzer=26))
    _, presses, is_stuck, _ = boxes.Buttons.call_args.args  # type: ignore[attr-defined]
    match.saw(Sight.BLIND, Says("it is too dark"), "too_dark")
    presses("end_throw")
    assert str(match.view().refused) == "no ruling: it is too dark"
    presses("undo")
    assert box.buzzer.sound.call_args_list == [mock.call(Sound.NOT_NOW)] * 2  # type: ignore[union-attr]
    is_stuck("end_throw")
    (call,) = match.view().calls
    assert str(call.words) == "the button end throw stays pressed: free it, or take off whatever is on it"
    assert call.by == "button"
    box.close()
    match.close()
