"""Phones stay in a network without internet when their own question is answered."""

from __future__ import annotations

import pytest

from companion.cli.network import dns_text
from tests.cli.conftest import Call, call  # noqa: F401
from tests.web.fake_door import FakeDoor
from web.site.captive import PROBES, SUCCESS, captive
from web.table.app import create_app


def test_each_makers_probe_is_answered_and_nothing_else_under_its_name(door: FakeDoor) -> None:
    asked = create_app(door, join_url="http://10.42.0.1/", more=(captive(),)).test_client()
    for name, paths in PROBES.items():
        answers = {path: asked.get(path, headers={"Host": name}) for path in paths}
        assert {path: (answer.status_code, answer.text) for path, answer in answers.items()} == paths
        assert asked.get("/state", headers={"Host": name}).status_code == 400
        assert f"address=/{name}/10.42.0.1" in dns_text()
    assert "address=/dns.msftncsi.com/131.107.255.255\n" in dns_text()  # the one that Windows expects


@pytest.mark.parametrize(
    ("url", "status", "body"),
    [
        ("connectivitycheck.platform.hicloud.com/generate_204", 204, ""),
        ("connect.rom.miui.com/generate_204", 204, ""),
        ("conn1.oppomobile.com/generate_204", 204, ""),
        ("conn2.oppomobile.com/generate_204", 204, ""),
        ("wifi.vivo.com.cn/generate_204", 204, ""),
        ("www.google.com/gen_204", 204, ""),
        ("play.googleapis.com/generate_204", 204, ""),
        ("www.apple.com/library/test/success.html", 200, SUCCESS),
        ("www.msftncsi.com/ncsi.txt", 200, "Microsoft NCSI"),
    ],
)
def test_the_second_names_of_makers_are_answered_too(door: FakeDoor, url: str, status: int, body: str) -> None:
    """Phones of Huawei, Xiaomi, Oppo and Vivo got 404 and left the box's network."""
    name, _, path = url.partition("/")
    asked = create_app(door, join_url="http://10.42.0.1/", more=(captive(),)).test_client()
    answer = asked.get(f"/{path}", headers={"Host": name})
    assert (answer.status_code, answer.text) == (status, body)


def test_without_networkmanager_one_sentence_is_said(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("PATH", "/none")
    ended = call("network", "status")
    assert ended.status == 1
    assert "there is no NetworkManager (nmcli)" in ended.err
    assert "expected 8 to 63" in call("network", "on", "--password", "short").err
