"""A hand is a secret: its own phone alone shows it, the log holds a salted hash, and it is forgotten with the round."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.game.known import game_named
from companion.match.inputs import Act, Receipt, TakeSeat, Tell, Undo
from companion.match.match import Match
from companion.record.log import Log
from tests.clock import Clock
from web.table.app import create_app
from web.words import encoded

HAND = "4S 4D 4H 9C 9D QC QD KH 2H 7C"
"""A's, none of which lies anywhere else; spelled so that nothing else in a page or a log is."""
CARDS = HAND.split()
HOST = "http://localhost"


@pytest.fixture
def match(tmp_path: Path) -> Iterator[Match[Any, Any]]:
    clock = Clock()
    made = Match(
        game_named("manipulation_rummy"),
        Log(tmp_path / "rummy-1.db"),
        wall_s=clock,
        monotonic_s=clock,
        players=2,
        options={"first_dealer": "B"},
        has_eyes=False,
    )
    yield made
    made.close()


def do(match: Match[Any, Any], given: Any) -> Receipt:
    receipt = match.submit(given)
    assert receipt.refused is None, str(receipt.refused)
    return receipt


def act(match: Match[Any, Any], seat: str, move: str, **values: str) -> None:
    do(match, Act(seat=seat, move=move, by=seat, values=values))


def hand_in(match: Match[Any, Any], of: str, seen_by: str | None) -> list[str] | None:
    players = match.view(seen_by).table["players"]
    found: list[str] | None = next(p["hand"] for p in players if p["seat"] == of)
    return found


def holds(text: str) -> list[str]:
    """Which cards of the hand a text tells of, as a card is written anywhere: alone, quoted or in a list."""
    return [card for card in CARDS if f'"{card}"' in text or f" {card} " in text or f"[{card}" in text]


def test_no_response_stream_log_row_or_file_of_others_tells_a_hand(
    match: Match[Any, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    app = create_app(match, join_url=HOST)
    phones = {seat: app.test_client() for seat in ("A", "B")}
    for seat, phone in phones.items():
        phone.get("/state")
        sent = {"do": "take_seat", "seat": seat, "name": seat.lower()}
        assert phone.post("/do", json=sent, headers={"Origin": HOST}).status_code == 200
    tell = {"do": "tell", "seat": "A", "text": HAND}
    assert phones["B"].post("/do", json=tell, headers={"Origin": HOST}).status_code == 403
    assert phones["A"].post("/do", json=tell, headers={"Origin": HOST}).status_code == 200
    streams = {seat: match.subscribe(seat) for seat in ("B",)}
    act(match, "A", "A draws")
    act(match, "A", "A melds ...", table="[4D 4H 4S]")
    laid = {"4S", "4D", "4H"}
    stranger = app.test_client()
    texts = [stream.next(0.0) for stream in streams.values()]
    texts_of_others = [encoded(news).decode() for news in texts if news is not None]
    pages = {str(rule) for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ()) and not rule.arguments}
    assert pages >= {"/", "/state", "/board", "/match.pdf"}
    for path in sorted(pages - {"/events"}):  # a stream without end: what it sends was taken above
        for asked in (path, f"{path}?seat=A", f"{path}?seat=B"):
            for phone in (phones["B"], stranger):
                texts_of_others.append(phone.get(asked).get_data().decode("latin-1"))
    texts_of_others.append(caplog.text)
    texts_of_others += [path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file()]
    for text in texts_of_others:
        assert set(holds(text)) <= laid
    assert set(holds(phones["A"].get("/state?seat=A").get_data(as_text=True))) == set(CARDS)


def test_the_log_holds_a_salted_hash(match: Match[Any, Any], tmp_path: Path) -> None:
    do(match, Tell(seat="A", by="Ann", text=HAND))
    do(match, Tell(seat="A", by="Ann", text=HAND))
    sealed = [entry for entry in match._log.entries() if entry.kind == "sealed"]
    assert [entry.body.seat for entry in sealed] == ["A", "A"]
    assert sealed[0].body.seal != sealed[1].body.seal  # the same hand, and nobody can tell that it is
    assert match.view("B").history[0].says.template == "{seat} keeps the hand on the phone"


def test_what_is_laid_leaves_the_hand_and_comes_back_with_an_undo(match: Match[Any, Any]) -> None:
    do(match, Tell(seat="A", by="Ann", text=HAND))
    act(match, "A", "A draws")
    act(match, "A", "A melds ...", table="[4D 4H 4S]")
    assert set(hand_in(match, "A", "A") or ()) == set(CARDS) - {"4S", "4D", "4H"}
    do(match, Undo(entry=match.view("A").undo.entry, by="Ann"))
    assert set(hand_in(match, "A", "A") or ()) == set(CARDS)


def test_it_is_forgotten_after_the_round_and_with_the_phone(match: Match[Any, Any]) -> None:
    do(match, Tell(seat="A", by="Ann", text=HAND))
    do(match, TakeSeat(seat="A", name="Bob", phone="another phone"))
    assert hand_in(match, "A", "A") == []
    do(match, Tell(seat="A", by="Bob", text=HAND))
    do(match, Tell(seat="A", by="Bob", text=""))
    assert hand_in(match, "A", "A") == []


def test_a_whole_round_is_played_by_taps(match: Match[Any, Any]) -> None:
    do(match, Tell(seat="A", by="Ann", text="4S 4D 4H 9C 9D 9H KC KD KS AH"))
    act(match, "A", "A draws")
    do(match, Tell(seat="A", by="Ann", text="4S 4D 4H 9C 9D 9H KC KD KS AH 2C"))
    act(match, "A", "A melds ...", table="[4D 4H 4S] [9C 9D 9H] [KC KD KS]")
    act(match, "A", "A knocks")
    for seat in ("A", "B"):
        wrong = match.submit(Act(seat=seat, move=f"{seat} shows ...", by=seat, values={"cards": "2C"}))
        assert wrong.refused is not None  # not the number of cards that are held
        cards = "AH 2C" if seat == "A" else "3C 5C 6C 8C 10C JC QC 3D 5D 8D"
        act(match, seat, f"{seat} shows ...", cards=cards)
    assert [p["scored"] for p in match.view(None).table["players"]] == [68 - 3, 0]
    assert match._secrets.held == {}
    act(match, "A", "deal")  # B dealt the first round
    assert match.view(None).table["round"] == 2


def test_a_hand_that_cannot_be_is_refused_and_not_kept(match: Match[Any, Any]) -> None:
    for text, why in (
        (f"{HAND} AS", "you hold 10 cards, not 11"),
        ("4S 4S", "there are 2 of the 4S, and one pack"),
        ("5X", "'5X' is not a card"),
    ):
        refused = match.submit(Tell(seat="A", by="Ann", text=text)).refused
        assert refused is not None
        assert why in str(refused)
    assert json.dumps(hand_in(match, "A", "A")) == "[]"
    shown = match.submit(Act(seat="A", move="A shows ...", by="Ann", values={"cards": HAND}))
    assert shown.refused is not None  # it would stand in the log


MELDS = "[4D 4H 4S] [9C 9D 9H] [KC KD KS]"
HIGH = "QC 8D"
"""All that A holds after them, and too many points to knock with."""
OTHER = "3C 5C 6C 8C 10C JC QD 3D 5D 7D"


def offered(match: Match[Any, Any], seat: str) -> set[str]:
    return {move.move for move in match.view(seat).moves}


def melded(match: Match[Any, Any]) -> None:
    act(match, "A", "A draws")
    act(match, "A", "A melds ...", table=MELDS)


def test_a_knock_that_the_phone_knows_to_be_too_high_is_neither_offered_nor_taken(match: Match[Any, Any]) -> None:
    """29 points were told, "Knock" was offered and taken, and "Show it" was refused for ever."""
    melded(match)
    assert offered(match, "A") == {"A knocks", "A ends", "A shows ...", "A holds ..."}
    do(match, Tell(seat="A", by="Ann", text=HIGH))
    assert offered(match, "A") == {"A ends", "A shows ...", "A holds ..."}
    assert "may knock with 5 or fewer" in str(match.submit(Act(seat="A", move="A knocks", by="Ann")).refused)
    assert match.view("A").table["phase"] == "end"
    do(match, Tell(seat="A", by="Ann", text="2C AC"))
    act(match, "A", "A knocks")


@pytest.mark.parametrize(("last", "can_lay"), [("4H", True), ("8C", True), ("JK", True), ("2C", False)])
def test_laying_is_offered_only_to_a_hand_that_can_lay_a_card(match: Match[Any, Any], last: str, can_lay: bool) -> None:
    act(match, "A", "A draws")
    do(match, Tell(seat="A", by="Ann", text="4S 4D 9C 9D QC QD KH 2H 7C 5S"))
    assert "A melds ..." in offered(match, "A")  # one card is not known yet
    do(match, Tell(seat="A", by="Ann", text=f"4S 4D 9C 9D QC QD KH 2H 7C 5S {last}"))
    assert ("A melds ..." in offered(match, "A")) is can_lay
    assert "A draws" in offered(match, "A")
    assert "A melds ..." not in offered(match, "B")


def test_cards_that_the_phone_knows_not_to_be_held_are_not_laid(match: Match[Any, Any]) -> None:
    act(match, "A", "A draws")
    do(match, Tell(seat="A", by="Ann", text=f"{HAND} 8S"))
    refused = match.submit(Act(seat="A", move="A melds ...", by="Ann", values={"table": "[5C 5D 5H]"})).refused
    assert "A does not hold 5C 5D 5H" in str(refused)
    act(match, "A", "A melds ...", table="[4D 4H 4S]")


def test_a_knock_that_is_too_high_is_taken_back_with_the_hands_shown_since(match: Match[Any, Any]) -> None:
    melded(match)
    act(match, "A", "A knocks")
    do(match, Tell(seat="B", by="Bo", text=OTHER))
    act(match, "B", "B shows ...", cards=OTHER)
    shown = Act(seat="A", move="A shows ...", by="Ann", values={"cards": HIGH})
    assert "may knock with 5 or fewer" in str(match.submit(shown).refused)
    assert "A shows ..." in offered(match, "A")
    do(match, Tell(seat="A", by="Ann", text=HIGH))
    assert "A shows ..." not in offered(match, "A")
    act(match, "A", "A withdraws")
    table = match.view(None).table
    assert (table["phase"], table["knocked"]) == ("end", None)
    assert offered(match, "A") == {"A ends", "A shows ...", "A holds ..."}
    assert set(hand_in(match, "B", "B") or ()) == set(OTHER.split())  # his phone knows it still
    assert hand_in(match, "A", "B") is None
    act(match, "A", "A ends")


def test_a_refusal_names_the_player_and_not_the_seat(match: Match[Any, Any]) -> None:
    client = create_app(match, join_url=HOST).test_client()
    client.get("/state")
    sent = {"do": "take_seat", "seat": "A", "name": "Ann"}
    assert client.post("/do", json=sent, headers={"Origin": HOST}).status_code == 200
    melded(match)
    act(match, "A", "A knocks")
    shown = {"do": "act", "seat": "A", "move": "A shows ...", "values": {"cards": HIGH}}
    answer = client.post("/do", json=shown, headers={"Origin": HOST})
    assert answer.status_code == 409
    assert answer.json["error"]["message"].startswith("Ann holds ")
