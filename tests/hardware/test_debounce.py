"""A finger's gestures from a contact that bounces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardware.buttons import SETTLE_S, STUCK_S, Debounce, Gesture

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


BOUNCY = [(True, 1.0), (False, 1.001), (True, 1.002), (False, 1.005), (True, 1.006)]
BOUNCY_UP = [(False, 1.4), (True, 1.403), (False, 1.404), (True, 1.41), (False, 1.411)]


def test_a_bouncy_press_is_one_press():
    assert gestures(Debounce(), BOUNCY + BOUNCY_UP, 2.0) == [PRESSED, RELEASED]


def test_a_spark_on_the_wire_is_no_press():
    assert gestures(Debounce(), [(True, 1.0), (False, 1.0 + 0.9 * SETTLE_S)], 2.0) == []


def test_a_contact_that_chatters_is_told_beside_its_press():
    chatter = [(i % 2 == 0, 1.0 + 0.004 * i) for i in range(21)]
    assert gestures(Debounce(), [*chatter, (False, 2.0)], 3.0) == [PRESSED, Gesture.BOUNCED, RELEASED]


def test_a_tap_that_is_just_long_enough_is_a_press():
    assert gestures(Debounce(), [(True, 1.0), (False, 1.0 + 1.2 * SETTLE_S)], 2.0) == [PRESSED, RELEASED]


def test_a_press_is_known_after_the_contact_settled_and_not_after_it_was_let_go():
    button = Debounce()
    button.edge(True, 1.0)
    assert button.advance(1.0 + SETTLE_S / 2) == ()
    assert button.advance(1.0 + SETTLE_S) == (PRESSED,)


def test_undo_is_held_for_the_named_time_from_the_first_contact():
    button = Debounce(hold_s=1.5)
    button.edge(True, 1.0)
    assert button.advance(2.49) == (PRESSED,)
    assert button.advance(2.5) == (HELD,)
    assert button.advance(9.0) == ()


def test_undo_that_is_let_go_too_early_is_not_held():
    assert gestures(Debounce(hold_s=1.5), [(True, 1.0), (False, 2.4)], 9.0) == [PRESSED, RELEASED]


def test_a_bounce_while_holding_does_not_begin_the_hold_anew():
    edges = [(True, 1.0), (False, 2.0), (True, 2.005)]
    assert gestures(Debounce(hold_s=1.5), edges, 2.5) == [PRESSED, HELD]


def test_a_stuck_button_is_told_once():
    assert gestures(Debounce(), [(True, 1.0)], 1.0 + 10 * STUCK_S) == [PRESSED, STUCK]


def test_a_button_that_is_down_from_the_start_was_not_pressed_and_is_stuck_in_time():
    button = Debounce(hold_s=1.5, is_down=True, at_s=5.0)
    assert gestures(button, [], 5.0 + STUCK_S) == [STUCK]
    assert gestures(button, [(False, 50.0), (True, 51.0)], 51.5) == [PRESSED]


@given(st.lists(st.floats(0.0001, 3.0), min_size=1, max_size=30))
def test_presses_and_releases_take_turns_whatever_the_contact_does(pauses):
    at_s, is_down, edges = 0.0, False, []
    for pause_s in pauses:
        at_s, is_down = at_s + pause_s, not is_down
        edges.append((is_down, at_s))
    told = [g for g in gestures(Debounce(hold_s=0.5), edges, at_s + 1.0) if g in (PRESSED, RELEASED)]
    assert told == ([PRESSED, RELEASED] * len(told))[: len(told)]
    assert told[-1:] != ([RELEASED] if is_down else [PRESSED])


@given(st.lists(st.floats(0.001, 0.2), min_size=1, max_size=20))
def test_how_often_it_is_asked_does_not_matter(pauses):
    edges = [(i % 2 == 0, sum(pauses[: i + 1])) for i in range(len(pauses))]
    seldom = Debounce(hold_s=0.1)
    told = [g for edge in edges for g in seldom.edge(*edge)] + list(seldom.advance(99.0))
    assert told == gestures(Debounce(hold_s=0.1), edges, 99.0)
