"""`companion rules`: exit statuses, JSON in and out, one sentence for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

GAME = "eyes_of_the_emperor"
LANDS = "T red 377.5,350; T blue 622.5,350; "
THROW = f"throw {LANDS}E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.5,350; E blue.2 800,350"


def test_new_apply_and_score_pass_states_on_through_standard_input(call: Call) -> None:
    state = call("rules", GAME, "new").out
    after = call("rules", GAME, "apply", "-", THROW, stdin=state)
    assert after.status == 0
    assert after.json["red"]["phase"] == "II"
    assert after.json["rulings"][-1]["rule"] == "Eyes of the Emperor, Instructions 10"
    again = call("rules", GAME, "score", "-", stdin=after.out)
    assert again.json == {"scores": {"red": 0.0, "blue": 0.0}, "outcome": None}
    hint = call("rules", GAME, "hint", "-", "--seat", "red", stdin=after.out)
    assert hint.lines[0]["text"] == "throw a samurai"
    legal = call("rules", GAME, "legal", "-", stdin=after.out)
    assert [line["move"] for line in legal.lines] == ["throw", "edge", "haji"]


def test_an_illegal_action_is_status_1_with_the_rule(call: Call) -> None:
    state = call("rules", GAME, "new").out
    refused = call("rules", GAME, "apply", "-", "restart", stdin=state)
    assert refused.status == 1
    assert refused.json["error"]["code"] == "illegal"
    assert refused.json["error"]["rule"] == "Eyes of the Emperor, Rules 3"
    assert refused.err == f"companion rules: {refused.json['error']['message']} [{refused.json['error']['rule']}]\n"
    why = call("rules", GAME, "explain", "-", "restart", stdin=state)
    assert (why.status, why.json["legal"]) == (0, False)


POSITION = ("--position", "r: A5 home*3", "--turn", "r")
DICE = f"throw {LANDS}E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350{{}}; E blue.2 800,350{{}}"
CENTER, BASIC, RUMMY = "center_point", "basic_manipulation", "manipulation_rummy"
HUNG = {"kind": "hung", "seat": "A", "color": "blue", "on": "occupied"}
MOVED = {"type": "marker_moved", "color": "red", "origin": "home", "to": "A5", "sends": []}
HINT = ("hint", "--position", "r: O5 O7", "--turn", "r", "--die", "3", "--within")

WRONG = [
    ("chess", ("new",), ""),
    (GAME, ("cheat",), ""),
    (GAME, ("apply", "-", "jump"), "the action 'jump' does not parse"),
    (GAME, ("apply", "-", "{bad"), "the action is not JSON (Expecting property name"),
    (GAME, ("new", "--seats", "3"), "seats is 3, expected 2"),
    (GAME, ("hint", "-", "--seat", "green"), "unknown seat 'green'"),
    # `--within nan` passed the check of the least time and the hint never came
    (BASIC, (*HINT, "nan"), "nan is not a number"),
    # words and options were ignored in silence: `legal state.json --die 3` listed the moves of another die
    (CENTER, ("apply", "-", "d3", "d4"), "2 actions were given, expected one"),
    (CENTER, ("legal", "-", "--die", "3"), "--die does not go with STATE, expected it with --position"),
    (CENTER, ("legal", *POSITION, "--table", "-"), "--position and --table do not go together"),
    # a seat named twice was scored with its last points, and six players as if they could play
    (RUMMY, ("score", "--points", "A=4 A=12 C=30"), "--points names 'A' twice, expected each player once"),
    (RUMMY, ("score", "--points", "A=4 B=5 C=6 D=7 E=8 F=9"), "names 6 players, expected two to five such as 'A=4"),
    # with a negative standard error a close call was decided: 'knocked out'
    (
        GAME,
        ("apply", "-", DICE.format("", "; ~ blue.1/blue -0.1+--1")),
        "the standard error in '~ blue.1/blue -0.1+--1' is -1, expected 0 or more",
    ),
    (
        GAME,
        ("apply", "-", DICE.format(" c2", "")),
        "the confidence in 'E blue.1 746.4,350 c2' is 2, expected 0 to 1",
    ),
    # a rod hung `"on": "occupied"` was ruled legal: the word is `spot`, and what was not known counted for nothing
    ("suspend", ("explain", "-", json.dumps(HUNG)), "it has 'on', expected one of "),
    (
        BASIC,
        ("status", "--position", "r: O0*100", "--turn", "r"),
        "has 'O0*100', expected a spot and a number",
    ),
    # `str.isdigit` takes a superscript, and `int` refused it, or 5000 digits, in a traceback
    *(
        (game, (*words, text.format(number)), "")
        for number in ("4²", "9" * 5000)
        for game, *words, text in (
            (RUMMY, "score", "--points", "A={} B=5"),
            (RUMMY, "new", "--option", "max_jokers_per_meld={}"),
            ("suspend", "new", "--seats", "{}"),
            (GAME, "apply", "-", "throw ninjas {}"),
        )
    ),
]


@pytest.mark.parametrize(("game", "words", "said"), WRONG)
def test_a_wrong_call_is_one_sentence_and_status_2(call: Call, game: str, words: tuple[str, ...], said: str) -> None:
    ended = call("rules", game, *words, stdin=call("rules", game, "new").out)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err


def test_status_lists_every_reason_and_says_the_first_one(call: Call) -> None:
    state = call("rules", GAME, "new").out
    assert call("rules", GAME, "status", "-", stdin=state).status == 0
    broken = json.dumps(json.loads(state) | {"winner": "green", "red": {"phase": "II", "taken": ["red.1", "red.1"]}})
    found = call("rules", GAME, "status", "-", stdin=broken)
    assert {line["where"] for line in found.lines} == {"winner", "red.taken", "red.phase"}
    first = found.lines[0]
    more = f" and {len(found.lines) - 1} more"
    said = f"companion rules: this position cannot be: {first['message']} [{first['rule']}]{more}\n"
    assert (found.status, found.err) == (1, said)


def test_where_there_is_no_hint_that_is_said(call: Call, tmp_path: Path) -> None:
    """Nothing was printed, where `legal` had a sentence."""
    start = call("rules", "center_point", "new").out
    for position, seat, said in (
        (("-",), (), "there is no hint here"),
        (("--position", "r: A5", "--turn", "r", "--die", "4"), ("--seat", "y"), "there is no hint here for yellow"),
        (("--position", "r: IN*4", "--turn", "r"), (), "no action is legal: the game is over"),
    ):
        done = call("rules", "center_point", "hint", *position, *seat, "--within", "1", stdin=start)
        assert (done.status, done.out, done.err) == (0, "", f"companion rules: {said}\n")
