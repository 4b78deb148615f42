"""`companion rules`: exit statuses, JSON in and out, one sentence for bad input."""

from __future__ import annotations

import io
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


def test_actions_come_as_files_too(call: Call, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(call("rules", GAME, "new", "--option", "both_out=ever").out)
    (tmp_path / "action.json").write_text(json.dumps({"type": "edge_crossed", "thrower": "red"}))
    after = call("rules", GAME, "apply", str(tmp_path / "state.json"), str(tmp_path / "action.json"))
    assert after.json["edge"] == "red"
    assert after.json["options"]["both_out"] == "ever"


POSITION = ("--position", "r: A5 home*3", "--turn", "r")
DICE = f"throw {LANDS}E red.1 377.5,350; E red.2 377.5,350; E blue.1 746.4,350{{}}; E blue.2 800,350{{}}"
CENTER, BASIC, RUMMY = "center_point", "basic_manipulation", "manipulation_rummy"
HUNG = {"kind": "hung", "seat": "A", "color": "blue", "on": "occupied"}
MOVED = {"type": "marker_moved", "color": "red", "origin": "home", "to": "A5", "sends": []}
TOKEN = {"type": "token_moved", "color": "red", "origin": "O0", "to": "O1", "by": "W"}
HINT = ("hint", "--position", "r: O5 O7", "--turn", "r", "--die", "3", "--within")

WRONG = [
    ("chess", ("new",), ""),
    (GAME, ("cheat",), ""),
    (GAME, ("apply", "-", "jump"), "the action 'jump' does not parse"),
    (GAME, ("apply", "-"), "0 actions were given, expected one"),
    (GAME, ("apply", "-", "{bad"), "the action is not JSON (Expecting property name"),
    (GAME, ("apply", "-", "nowhere.json"), "nowhere.json cannot be read (No such file or directory)"),
    (GAME, ("legal", "nowhere.json"), "nowhere.json cannot be read"),
    (GAME, ("new", "--seats", "3"), "seats is 3, expected 2"),
    (GAME, ("new", "--option", "cocked_deg"), "is no option, expected KEY=VALUE"),
    (GAME, ("hint", "-", "--seat", "green"), "unknown seat 'green'"),
    # `--within nan` passed the check of the least time and the hint never came
    (BASIC, (*HINT, "nan"), "nan is not a number"),
    (BASIC, (*HINT, "inf"), "'--within'"),
    (BASIC, (*HINT, "0"), "'--within'"),
    # words and options were ignored in silence: `legal state.json --die 3` listed the moves of another die
    (CENTER, ("legal", "-", "extra"), "'extra' does not go with STATE, expected nothing else"),
    (CENTER, ("apply", "-", "d3", "d4"), "2 actions were given, expected one"),
    (CENTER, ("legal", "-", "--die", "3"), "--die does not go with STATE, expected it with --position"),
    (CENTER, ("legal", "-", *POSITION), "'-' does not go with --position, expected nothing else"),
    (CENTER, ("legal", *POSITION, "--table", "-"), "--position and --table do not go together"),
    (RUMMY, ("score", "-", "--knocked", "A"), "--knocked does not go with STATE, expected it with --points"),
    (
        RUMMY,
        ("score", "--points", "A=4 B=9", "--totals", "A=152/3 B=120/5"),
        "--points and --totals do not go together, expected one of them",
    ),
    (RUMMY, ("score", "--points", "A=4 B=9", "--option", "colors=rg"), "Manipulation Rummy has no option 'colors'"),
    # with a negative standard error a close call was decided: 'knocked out'
    (
        GAME,
        ("apply", "-", DICE.format("", "; ~ blue.1/blue -0.1+--1")),
        "the standard error in '~ blue.1/blue -0.1+--1' is -1, expected 0 or more",
    ),
    (
        GAME,
        ("apply", "-", DICE.format(" tilt 12+--5", "")),
        "the standard error in 'E blue.1 746.4,350 tilt 12+--5' is -5, expected 0 or more",
    ),
    (
        GAME,
        ("apply", "-", DICE.format(" tilt 500", "")),
        "the tilt in 'E blue.1 746.4,350 tilt 500' is 500, expected 0 to 90",
    ),
    (
        GAME,
        ("apply", "-", DICE.format(" c2", "")),
        "the confidence in 'E blue.1 746.4,350 c2' is 2, expected 0 to 1",
    ),
    # a rod hung `"on": "occupied"` was ruled legal: the word is `spot`, and what was not known counted for nothing
    ("suspend", ("explain", "-", json.dumps(HUNG)), "it has 'on', expected one of "),
    (CENTER, ("explain", "-", json.dumps(MOVED)), "it has 'sends', expected one of "),
    (BASIC, ("explain", "-", json.dumps(TOKEN)), "it has 'by', expected one of "),
    *(
        (
            BASIC,
            ("status", "--position", f"r: O0*{number}", "--turn", "r"),
            f"companion rules: the position has 'O0' {number} times, expected a number from 1 to 99 (position)\n",
        )
        for number in ("99999999999999", "100", "0")
    ),
    # `str.isdigit` takes a superscript, and `int` refused it, or 5000 digits, in a traceback
    *(
        (game, (*words, text.format(number)), "")
        for number in ("²", "4²", "٣²", "9" * 5000)
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


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        ("{", "is not JSON"),
        ('{"throw": 1, "throw": 2}', "- is not JSON (it has the key 'throw' twice)"),
        ('{"game": "suspend"}', "the state belongs to suspend"),
        ('{"throw": "many"}', "its throw is a text, expected a whole number"),
        ("[" * 100_000, "- is not JSON (it is nested too deeply)"),
    ],
)
def test_what_is_no_state_is_one_sentence_and_status_2(call: Call, stdin: str, said: str) -> None:
    ended = call("rules", GAME, "legal", "-", stdin=stdin)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--points", "A=4 A=12 C=30"), "--points names 'A' twice, expected each player once"),
        (("--points", "A=4 B=5 C=6 D=7 E=8 F=9"), "--points names 6 players, expected two to five such as 'A=4 B=12'"),
        (("--totals", "A=152/3"), "--totals names one player, expected two to five such as 'A=152/3 B=120/5'"),
    ],
)
def test_a_score_is_of_two_to_five_players_each_named_once(call: Call, given: tuple[str, str], said: str) -> None:
    """A seat named twice was scored with its last points, and six players as if they could play."""
    ended = call("rules", "manipulation_rummy", "score", *given)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err


def test_an_action_is_its_text_before_it_is_a_file_of_that_name(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file called `restart` in the working folder was once read in place of the action."""
    monkeypatch.chdir(tmp_path)
    state = call("rules", GAME, "new").out
    Path("restart").write_text("edge red")
    assert call("rules", GAME, "explain", "-", "restart", stdin=state).json["legal"] is False
    Path("action").write_text("edge red")
    assert call("rules", GAME, "explain", "-", "action", stdin=state).json["legal"] is True


def test_a_closed_standard_input_is_one_sentence(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.cli.conftest.io.StringIO", lambda _: None)
    ended = call("rules", GAME, "legal", "-")
    assert ended.status == 2
    assert "standard input is closed, expected JSON there" in ended.err


def test_standard_input_that_is_no_text_is_one_sentence(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.cli.conftest.io.StringIO", lambda _: io.TextIOWrapper(io.BytesIO(b"\xff{}"), "utf-8"))
    ended = call("rules", GAME, "legal", "-")
    assert ended.status == 2
    assert "- cannot be read (it is not UTF-8 text)" in ended.err


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


@pytest.mark.parametrize("verb", ["legal", "apply", "explain", "status", "score", "hint"])
def test_a_position_that_cannot_be_is_status_1_for_every_verb(call: Call, verb: str) -> None:
    # `status` ended with 1 and the other verbs with 2
    words = ("edge red",) if verb in ("apply", "explain") else ()
    ended = call("rules", GAME, verb, "-", *words, stdin='{"red": {"taken": ["red.1", "red.2"]}}')
    assert ended.status == 1
    assert ended.err.startswith("companion rules: this position cannot be: red is blind")
    assert len(ended.err.splitlines()) == 1


def test_a_rummy_table_that_cannot_be_is_status_1(call: Call) -> None:
    ended = call("rules", "manipulation_rummy", "hint", "--table", "[5C 5D 6H]", "--hand", "5S")
    assert (ended.status, ended.out) == (1, "")


@pytest.mark.parametrize("game", ["basic_manipulation", "center_point"])
@pytest.mark.parametrize("spot", ["", "!"])
def test_a_spot_without_a_name_is_a_fault(call: Call, game: str, spot: str) -> None:
    """In Basic Manipulation `status` found nothing and every other verb ended in an IndexError."""
    state = json.loads(call("rules", game, "new").out)
    state |= {"rolling": [], "turn": "red", "die": 3}
    state["pieces"]["red"][0] = spot
    found = call("rules", game, "status", "-", stdin=json.dumps(state))
    assert (found.status, found.lines[0]["message"][:26]) == (1, "red: the board has no spot")
    for verb in ("legal", "score", "hint"):
        ended = call("rules", game, verb, "-", stdin=json.dumps(state))
        assert (ended.status, ended.out) == (1, "")
        assert "this position cannot be: red: the board has no spot" in ended.err


def test_one_player_of_suspend_plays_the_solo_game(call: Call) -> None:
    alone = call("rules", "suspend", "new", "--seats", "1").json
    assert (alone["seats"], alone["house"]["mode"]) == (["A"], "solo")
    refused = call("rules", "suspend", "new", "--seats", "1", "--option", "mode=expert")
    assert refused.status == 2
    assert "this takes 2 to 4, not 1: one plays solo" in refused.err


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("one\ntwo", "turn names one?two, who is not a player"),
        ("\x1b[31mred", "turn names ?[31mred, who is not a player"),
        ("A" * 5000, "AAA ... AAA"),
    ],
)
def test_a_word_of_a_state_cannot_break_the_one_line_on_standard_error(call: Call, word: str, said: str) -> None:
    # a line break in a state made two lines of the sentence, an escape coloured the terminal, a long word filled it
    state = json.loads(call("rules", "suspend", "new").out)
    done = call("rules", "suspend", "status", "-", stdin=json.dumps(state | {"turn": word}))
    assert (done.status, done.err.count("\n")) == (1, 1)
    assert said in done.err
    assert done.err.rstrip().endswith("[Suspend, Setup] and 1 more")
    assert len(done.err) < 700


def test_the_packs_that_help_offers_are_those_that_are_played_with(call: Call) -> None:
    # it offered up to 8, and 3 were refused afterwards: two players take one pack, more take two
    assert "[1<=x<=2]" in call("rules", "manipulation_rummy", "hint", "--help").out
    for packs, status in (("1", 0), ("2", 0), ("3", 2)):
        hint = call("rules", "manipulation_rummy", "hint", "--table", "[5C 5D 5H]", "--hand", "5S", "--packs", packs)
        assert hint.status == status


def test_where_no_action_is_legal_that_is_said(call: Call) -> None:
    ended = call("rules", "center_point", "legal", "--position", "r: home*4", "--turn", "r", "--die", "4")
    assert (ended.status, ended.out) == (0, "")
    assert ended.err == "companion rules: no action is legal here\n"


@pytest.mark.parametrize(
    ("game", "action", "said"),
    [
        (
            "suspend",
            {"kind": "hung", "seat": "A", "color": "red", "spot": "x"},
            "its spot is 'x', expected one of open, ",
        ),
        ("center_point", {"type": "die_rolled", "seat": "red", "value": "3"}, "its value is a text, expected a whole "),
        ("manipulation_rummy", {}, "it has no 'kind', expected one of drew, melded, "),
    ],
)
def test_what_does_not_parse_is_told_in_words(call: Call, game: str, action: dict[str, object], said: str) -> None:
    """It was the parser's own text, with the path twice."""
    state = call("rules", game, "new").out
    done = call("rules", game, "apply", "-", json.dumps(action), stdin=state)
    assert done.status == 2
    assert done.err.startswith(f"companion rules: the action does not parse: {said}")
    assert "`" not in done.err
    assert "$" not in done.err


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
