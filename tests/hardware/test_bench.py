"""Buttons, lamp and buzzer on gpiozero's mock pins, and one clear sentence where there are none."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory, MockPWMPin

from companion.game.errors import PinsError
from hardware.buttons import SETTLE_S, STUCK_S, Buttons, Debounce, Gesture
from hardware.pins import BEEPS, PATTERNS, Buzzer, Lamp, LampPins, Pins, Shows, Sound, load_pins, pins_of_text
from tests.clock import Clock


@pytest.fixture
def factory(monkeypatch):
    mock = MockFactory(pin_class=MockPWMPin)
    monkeypatch.setattr(Device, "pin_factory", mock)
    yield mock
    mock.reset()


class Bench:
    """Buttons wired as the house's own file says, and a finger."""

    def __init__(self, factory):
        self.factory, self.clock, self.pressed, self.stuck = factory, Clock(50.0), [], []
        self.pins = load_pins()
        for pin in self.pins.buttons.values():
            factory.pin(pin).drive_high()
        self.buttons = Buttons(self.pins, self.pressed.append, self.stuck.append, clock=self.clock, factory=factory)

    def press(self, name, for_s, bounces=0):
        pin = self.factory.pin(self.pins.buttons[name])
        for _ in range(bounces):
            pin.drive_low()
            self.clock.now_s += 0.001
            pin.drive_high()
            self.clock.now_s += 0.001
        pin.drive_low()
        self.after(for_s)
        pin.drive_high()
        self.after(2 * SETTLE_S)

    def after(self, s):
        self.clock.now_s += s
        self.buttons.advance()


@pytest.fixture
def bench(factory):
    bench = Bench(factory)
    yield bench
    bench.buttons.close()


def test_a_press_is_told_once_however_it_bounces(bench):
    bench.press("end_throw", for_s=0.2, bounces=5)
    assert bench.pressed == ["end_throw"]


def test_undo_needs_to_be_held(bench):
    bench.press("undo", for_s=bench.pins.undo_hold_s - 0.1)
    assert bench.pressed == []
    bench.press("undo", for_s=bench.pins.undo_hold_s)
    assert bench.pressed == ["undo"]


def test_a_stuck_button_is_told_and_the_others_work_on(bench):
    bench.factory.pin(bench.pins.buttons["end_throw"]).drive_low()
    bench.after(STUCK_S)
    bench.press("call_referee", for_s=0.1)
    assert bench.stuck == ["end_throw"]
    assert bench.pressed == ["end_throw", "call_referee"]


def test_an_ear_that_fails_leaves_the_buttons_working(factory, caplog):
    heard = threading.Semaphore(0)

    def fails(name):
        heard.release()
        raise ZeroDivisionError("in the match")

    factory.pin(5).drive_high()
    factory.pin(6).drive_high()
    buttons = Buttons(Pins(buttons={"end_throw": 5, "call_referee": 6}), fails, factory=factory)
    buttons.start()
    for pin in (5, 6):
        factory.pin(pin).drive_low()
        assert heard.acquire(timeout=10)
    buttons.close()
    assert "in the match" in caplog.text


def test_a_pin_that_is_taken_is_named_and_the_rest_let_go(bench, factory):
    taken = bench.pins.buttons["undo"]
    with pytest.raises(PinsError, match=f"the button undo on pin {taken} cannot be used"):
        Buttons(Pins(buttons={"end_throw": 5, "undo": taken}), print, factory=factory)
    Buzzer(5, factory=factory).close()


def test_the_lamp_tells_by_colour_and_by_blinking(factory):
    lamp = Lamp(load_pins().lamp, factory=factory)
    pins = [factory.pin(load_pins().lamp.pins[color]) for color in ("red", "green", "blue")]
    for shows in (Shows.SEES, Shows.ASKS, Shows.BLIND, Shows.OFF, Shows.SEES):
        lamp.show(shows)
        lamp.show(shows)
        if PATTERNS[shows].blink_s is None:
            assert tuple(pin.state for pin in pins) == PATTERNS[shows].color
    lamp.close()
    blinks = [pattern.blink_s for shows, pattern in PATTERNS.items() if shows is not Shows.OFF]
    assert len(set(blinks)) == 3


def test_three_lamps_show_one_at_a_time(factory):
    lamp = Lamp(LampPins(pins={"sees": 2, "asks": 3, "blind": 4}, active_high=False), factory=factory)
    lamp.show(Shows.SEES)
    assert [bool(factory.pin(pin).state) for pin in (2, 3, 4)] == [False, True, True]
    lamp.show(Shows.OFF)
    assert [bool(factory.pin(pin).state) for pin in (2, 3, 4)] == [True, True, True]
    lamp.close()


def test_the_buzzer_sounds_at_once(factory):
    buzzer = Buzzer(26, factory=factory)
    for sound in Sound:
        buzzer.sound(sound)
    assert any(state.state for state in factory.pin(26).states)
    assert len(set(BEEPS.values())) == len(Sound)
    buzzer.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("buttons = 3", "buttons is 3, expected a table"),
        ("[buttons]\nundo = 40", "buttons.undo is 40, expected a BCM number from 0 to 27"),
        ("[buttons]\nend_trow = 4", "buttons.end_trow is not a key of a file of pins: did you mean 'end_throw'"),
        ("[buttons]\nundo = 4\n[buzzer]\npin = 4", "buttons.undo and buzzer.pin are both 4"),
        ("[lamp]\nred = 4", "lamp names red, expected red, green and blue, or sees, asks and blind"),
        ("[lamp]\nred = 4\ngreen = 5\nblue = 6\nactive_high = 1", "lamp.active_high is 1, expected true or false"),
    ],
)
def test_a_bad_file_of_pins_is_refused_in_one_sentence(text, said):
    with pytest.raises(PinsError, match=said) as refused:
        pins_of_text(text)
    assert "\n" not in str(refused.value)


@pytest.fixture
def no_gpio(monkeypatch, tmp_path):
    monkeypatch.setattr(Device, "pin_factory", None)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.delenv("LG_WD", raising=False)
    for library in ("lgpio", "RPi", "pigpio"):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_machine_without_pins_says_one_sentence_and_leaves_nothing_behind(no_gpio):
    with pytest.raises(PinsError, match=r"no GPIO that gpiozero can use .*: run on a Raspberry Pi") as refused:
        Buttons(load_pins(), print, runtime=no_gpio / "runtime")
    assert "\n" not in str(refused.value)
    assert os.environ["LG_WD"] == str(no_gpio / "runtime")
    assert list(no_gpio.iterdir()) == []


PRESSED, HELD, RELEASED, STUCK = Gesture.PRESSED, Gesture.HELD, Gesture.RELEASED, Gesture.STUCK


def gestures(button, edges, until_s):
    """All gestures of a list of (is_down, at_s), asking only when something is due, as the thread does."""
    told = []
    for is_down, at_s in edges:
        while button.due_s is not None and button.due_s < at_s:
            told += button.advance(button.due_s)
        told += button.edge(is_down, at_s)
    while button.due_s is not None and button.due_s <= until_s:
        told += button.advance(button.due_s)
    return told


BOUNCY = [(True, 1.0), (False, 1.001), (True, 1.002), (False, 1.4), (True, 1.403), (False, 1.404)]
CHATTER = [(i % 2 == 0, 1.0 + 0.004 * i) for i in range(21)]


@pytest.mark.parametrize(
    ("edges", "until_s", "told"),
    [
        (BOUNCY, 2.0, [PRESSED, RELEASED]),
        ([*CHATTER, (False, 2.0)], 3.0, [PRESSED, Gesture.BOUNCED, RELEASED]),
        ([(True, 1.0), (False, 1.0 + 0.9 * SETTLE_S)], 2.0, []),
        ([(True, 1.0), (False, 2.4)], 9.0, [PRESSED, RELEASED]),
        ([(True, 1.0), (False, 2.0), (True, 2.005)], 2.5, [PRESSED, HELD]),
        ([(True, 1.0)], 1.0 + 10 * STUCK_S, [PRESSED, HELD, STUCK]),
    ],
    ids=["bounces", "chatters", "a spark", "undo let go too early", "a bounce while holding", "stuck"],
)
def test_what_a_finger_did_is_told(edges, until_s, told):
    assert gestures(Debounce(hold_s=1.5), edges, until_s) == told


def test_a_button_that_is_down_from_the_start_was_not_pressed_and_is_stuck_in_time():
    button = Debounce(hold_s=1.5, is_down=True, at_s=5.0)
    assert gestures(button, [], 5.0 + STUCK_S) == [STUCK]
    assert gestures(button, [(False, 50.0), (True, 51.0)], 51.5) == [PRESSED]
