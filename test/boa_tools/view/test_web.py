# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The web server: addresses that cannot be used, and pages that are slow."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import ExitStack
from time import sleep
from unittest.mock import Mock

import numpy as np
import pytest
from browser import chromium, settled, watched
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.sync.client import connect

from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_description.errors import BoaError
from boa_tools.report.interactive.packed import exact
from boa_tools.view.doorkeeper import Doorkeeper
from boa_tools.view.snapshot import Snapshot, encoded
from boa_tools.view.state import scenery
from boa_tools.view.web import EVENTS, WebView

pytestmark = pytest.mark.realtime

PATIENCE = 240.0  # s for a message, of a busy machine
SCENERY = {"kind": "scenery", "name": "test", "simulated": True, "robot": {"planar": True}}


def served(host, port):
    return WebView(host, port, Doorkeeper(""), SCENERY, 1, lambda _: None)


@pytest.mark.parametrize("host", ["a..b", "x" * 64, "nowhere.invalid", "\ud800"])
def test_a_host_without_an_address_is_one_clear_error(host, monkeypatch):
    """An empty label and one of more than 63 characters are no names to getaddrinfo, which then
    raises UnicodeError; the top level domain `invalid` never has addresses (RFC 2606), whatever
    this network's name service says.
    """
    if host.endswith(".invalid"):
        unknown = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=unknown))
    with pytest.raises(BoaError, match=r"has no address .* --listen takes HOST:PORT"):
        served(host, 0)


def test_a_port_in_use_is_one_clear_error():
    first = served("127.0.0.1", 0)
    port = int(first.address.rstrip("/").rpartition(":")[2])
    with pytest.raises(BoaError, match="choose another port"):
        served("127.0.0.1", port)
    first.close()


def test_a_page_that_is_opened_meanwhile_misses_no_event_and_gets_none_twice():
    web = served("127.0.0.1", 0)
    said = [f"event {k}" for k in range(EVENTS - 1)]  # no more than are kept

    def say() -> None:
        for k, text in enumerate(said):
            content = Snapshot(0.01 * k, np.zeros(3), events=((0.01 * k, text),)).content()
            web.show(encoded(content), content)
            sleep(0.002)

    saying = threading.Thread(target=say)
    saying.start()
    address = web.address.replace("http", "ws") + "live"
    with ExitStack() as open_pages:
        pages = []
        while saying.is_alive() or not pages:
            page = open_pages.enter_context(connect(address, open_timeout=PATIENCE, max_queue=None))
            pages.append(page)
        for page in pages:
            told = []
            while said[-1] not in told:
                message = json.loads(page.recv(PATIENCE))
                if message["kind"] in ("scenery", "events"):
                    told += [text for _, text in message["events"]]
            assert told == said
    web.close()


def test_a_huge_message_ends_its_page_and_no_other():
    """49 MB once stopped all pages for six seconds; nothing that a page says needs 8 kB."""
    orders = []
    web = WebView("127.0.0.1", 0, Doorkeeper(""), SCENERY, 1, orders.append)
    address = web.address.replace("http", "ws") + "live"
    with ExitStack() as pages:
        rude, polite = (
            pages.enter_context(connect(address, open_timeout=PATIENCE)) for _ in range(2)
        )
        rude.recv(PATIENCE)
        with pytest.raises(ConnectionClosed):
            rude.send(json.dumps({"order": "stop", "value": "9" * 10_000}))
            while True:
                rude.recv(PATIENCE)
        assert rude.close_code == CloseCode.MESSAGE_TOO_BIG
        polite.send(json.dumps({"order": "stop"}))
        while not orders:
            sleep(0.01)
    web.close()
    assert [order.name for order in orders] == ["stop"]


def test_the_page_chooses_a_goal_and_shows_plan_and_corrected_map():
    """Click and drag on the floor; a page that is opened later gets plan and map, too."""
    orders = []
    scenario = load_scenario("boa_circle").model_copy(update={"duration": 1.0, "distance": None})
    experiment = prepare(scenario)
    web = WebView(
        "127.0.0.1",
        0,
        Doorkeeper(""),
        scenery(experiment, True, "test"),
        1,
        orders.append,
    )
    post = experiment.obstacles[3]
    place = {"number": 3, "x": post.x + 0.01, "y": post.y, "r": post.radius, "std": 0.002}
    corrected = {"kind": "map", "posts": [{**place, "kind": "touched"}], "missing": [5]}
    plan = {"kind": "plan", "path": exact(np.array([[0.0, 0.0], [1.0, 0.5]]))}
    waits = {"kind": "planner", "listens": True, "text": "waits for a goal"}
    for content in (corrected, plan, waits):
        web.keep(content["kind"], encoded(content))
    pose = np.concatenate((experiment.start_base, experiment.start_joints))
    content = Snapshot(0.1, pose).content()
    with chromium() as browser:
        opened = watched(browser, viewport={"width": 1400, "height": 1400})
        page = opened.page
        page.route("**/scene/**", lambda route: route.fulfill(body="", content_type="text/html"))
        page.goto(web.address)
        web.show(encoded(content), content)
        page.wait_for_selector("html[data-time]")
        page.wait_for_selector("#goal", state="visible")
        assert page.evaluate("boa.instant.map.posts[0].x") == pytest.approx(post.x + 0.01)
        assert list(page.evaluate("Array.from(boa.instant.plan)")) == [0.0, 0.0, 1.0, 0.5]
        assert page.locator("#map-key").is_visible()
        assert page.locator("#planner").inner_text() == "waits for a goal"
        page.click("#goal")
        page.wait_for_selector("#stage.picking")
        settled(page)
        box = page.locator("#stage").bounding_box()
        from_x, from_y = box["x"] + 0.25 * box["width"], box["y"] + 0.75 * box["height"]
        view = page.evaluate("boa.stage.window()")
        page.mouse.move(from_x, from_y)
        page.mouse.down()
        page.mouse.move(from_x, from_y - 40, steps=4)
        page.mouse.up()
        page.wait_for_selector("#stage:not(.picking)")
        scale = view["height"] / box["height"]
        while not orders:
            page.wait_for_timeout(20)
        (order,) = orders
        assert order.name == "goal"
        expected = (
            view["x"] - 0.25 * box["width"] * scale,
            view["y"] - 0.25 * box["height"] * scale,
            np.pi / 2,
        )
        assert order.goal == pytest.approx(expected, abs=2 * scale)
        page.click("#follow")
        while len(orders) < 2:
            page.wait_for_timeout(20)
        assert [one.name for one in orders] == ["goal", "follow"]
        assert opened.problems == []
    web.close()
