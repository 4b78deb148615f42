"""A wrong call is status 2 and one sentence wherever it is made, and nothing was done.

The same mistake once had another status in each command, and some mistakes were passed over in silence.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.game.known import folder_of
from tests.cli.conftest import Call

CENTER = ("--game", "center_point")
ONE = ("--autoplay", "1")
SUSPEND = str(folder_of("suspend") / "kit.toml")
GONE = "does not exist"
NO_GAME = "unknown game 'chess', expected one of eyes_of_the_emperor"
NAN = "nan is not a number, expected one of the range"

WRONG = [
    # files that are not there
    (("read", "eyes", "--lens", "nope.json", "x.png"), GONE),
    (("print", "board", "--board", "nope"), "nope cannot be read (No such file"),
    (("print", "mat", "--kit", "nope.toml"), GONE),
    (("demo", *CENTER, *ONE, "--board", "nope"), GONE),
    (("serve", "--pins", "nope.toml"), GONE),
    (("serve", "--hub", "nope.json"), GONE),
    (("hub", "--mqtt", "nope.json"), GONE),
    # addresses that lead nowhere
    (("hub", "--url", "nonsense"), "'nonsense' is no address, expected such as http://"),
    (("print", "cards", "--url", "my table"), "'my table' is no address"),
    # what there is not
    (("doctor", "--game", "chess"), NO_GAME),
    (("check", "chess"), ""),
    (("serve", "--game", "chess"), NO_GAME),
    (("print", "charuco", "--charuco", "foo"), "the board is 'foo', expected a text such as charuco:7x5"),
    (("demo", *CENTER, "--seats", "7", *ONE), "expected"),
    (("demo", *CENTER, "--option", "foo=1", *ONE), "has no option 'foo'"),
    (("demo", "--seats", "2"), "go with --game"),
    # numbers that are none
    (("tournament", "simulate", "--late", "nan"), NAN),
    (("serve", "--fps", "inf"), "inf is not in the range"),
    (("tournament", "simulate", "--players", "1"), "--players"),
    (("demo", "--port", "x"), "Invalid value for '--port': 'x' is not a valid integer: `companion"),
    # words that there are not, and options that lack theirs
    (("read", "eyes", "x.png"), "companion read eyes: Missing option '--lens': `companion read eyes --help` says"),
    (("raed", "x.png"), "companion: there is no command 'raed', expected one of calibrate, read, demo, serve, "),
    (("read", "bord"), "companion read: there is no command 'bord', expected one of "),
    (("serve", "--hots"), "companion serve: there is no option --hots: did you mean --h"),
    # what would be passed over
    (("demo", *CENTER, "--disturb"), "--disturb goes with --autoplay"),
    *(
        (("demo", *CENTER, *ONE, *given), f"{told} does not go with --autoplay, whose matches have no pages")
        for told, *given in (
            ("--port", "--port", "8000"),
            ("--hub", "--hub", SUSPEND),
            ("--hints/--no-hints", "--no-hints"),
        )
    ),
    (("print", "fiducials", *CENTER, "--kit", SUSPEND), "is a kit of suspend, expected one of center_point"),
    (("rules", "center_point", "new", "--option", "mode=two", "--option", "mode=four"), "'mode' is given twice"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=lambda each: " ".join(each)[:60])
def test_a_wrong_call_is_one_sentence_and_nothing_is_done(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    ended = call(*arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err
    assert not list(tmp_path.iterdir())
