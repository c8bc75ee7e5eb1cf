# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Orders, the line to the viewer, and who may pass."""

from __future__ import annotations

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_tools.view.address import open_page
from boa_tools.view.channel import Channel
from boa_tools.view.doorkeeper import COOKIE, Doorkeeper, is_local
from boa_tools.view.orders import NAMES, Order, read_order


@given(st.one_of(st.text(), st.binary(), st.from_regex(r'\{"order": .*\}')))
def test_anything_else_than_an_order_is_ignored(text):
    order = read_order(text)
    assert order is None or order.name in NAMES


def test_orders_are_read():
    assert read_order('{"order": "disarm"}') == Order("disarm")
    assert read_order(b'{"order": "speed", "value": -0.02}') == Order("speed", -0.02)
    for wrong in ('{"order": "speed", "value": NaN}', '{"order": "fly"}', '["arm"]', "1", "null"):
        assert read_order(wrong) is None


LOCAL = Doorkeeper.of("localhost")
OPEN = Doorkeeper.of("0.0.0.0", "secret")


def test_on_this_machine_no_token_is_needed_and_elsewhere_one_is_made():
    assert LOCAL.token == ""
    assert len(Doorkeeper.of("0.0.0.0").token) >= 16
    assert Doorkeeper.of("0.0.0.0").token != Doorkeeper.of("0.0.0.0").token
    assert is_local("127.0.0.1") and is_local("::1") and not is_local("192.168.0.2")


@pytest.mark.parametrize(
    ("door", "path", "headers", "said"),
    [
        (LOCAL, "/", {"Host": "localhost:8800"}, ""),
        (LOCAL, "/live", {"Host": "127.0.0.1:8800", "Origin": "http://127.0.0.1:8800"}, ""),
        (LOCAL, "/live", {"Host": "localhost:8800", "Origin": "http://evil.org"}, "origin"),
        (LOCAL, "/live", {"Host": "localhost:8800", "Origin": "http://localhost:1"}, "origin"),
        (LOCAL, "/", {"Host": "evil.org:8800"}, "not this machine"),
        (LOCAL, "/", {}, "not this machine"),
        (OPEN, "/", {"Host": "robot:8800"}, "token"),
        (OPEN, "/?token=guess", {"Host": "robot:8800"}, "token"),
        (OPEN, "/?token=secret", {"Host": "robot:8800"}, ""),
        (OPEN, "/live", {"Host": "robot:8800", "Cookie": f"a=b; {COOKIE}=secret"}, ""),
        (OPEN, "/live", {"Host": "robot:8800", "Cookie": f"{COOKIE}=wrong"}, "token"),
        (
            OPEN,
            "/live",
            {"Host": "robot:8800", "Cookie": f"{COOKIE}=secret", "Origin": "http://evil.org"},
            "origin",
        ),
    ],
)
def test_who_may_pass(door, path, headers, said):
    refusal = door.refusal(path, headers)
    assert said in refusal and bool(refusal) == bool(said)


def test_a_viewer_that_does_not_read_is_never_waited_for():
    """Ten thousand messages of 4 kB, fifty times what the line holds, none of them read."""
    ours, theirs = Channel.pair()
    sent = [ours.send(b"x" * 4000) for _ in range(10_000)]
    assert sent.count(False) > 5000
    assert ours.open
    theirs.close()
    ours.send(b"x")
    assert not ours.open
    assert ours.receive() is None


def test_whole_messages_come_in_order():
    ours, theirs = Channel.pair()
    other = Channel(theirs)
    other.send_json({"name": "arm"})
    other.send(b"second")
    assert ours.receive_json() == {"name": "arm"}
    assert ours.receive() == b"second"
    assert ours.receive() is None and ours.open
    if hasattr(socket, "SOCK_SEQPACKET"):
        other.close()
        assert ours.wait(5.0)
        assert ours.receive() is None and not ours.open


@pytest.mark.parametrize(("screen", "opened"), [({"DISPLAY": ":0"}, 1), ({}, 0)])
def test_a_page_is_opened_where_there_is_a_screen(monkeypatch, screen, opened):
    shown = []
    monkeypatch.setattr("boa_tools.view.address.webbrowser.open", shown.append)
    monkeypatch.setattr("boa_tools.view.address.sys.platform", "linux")
    monkeypatch.setattr("boa_tools.view.address.os.environ", screen)
    open_page("http://localhost:8800/")
    assert len(shown) == opened
