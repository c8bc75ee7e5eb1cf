# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run with a live view: the same torques as without, and orders act at the next tick."""

from __future__ import annotations

import json
import signal
import threading
from contextlib import ExitStack
from time import monotonic

import numpy as np
import pytest
from browser import watched
from run_fakes import Held, Steady, path_experiment
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from boa_control.controller import ControlOutput
from boa_control.events import Event, EventKind
from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_sim.factory import plant_from_experiment
from boa_tools.runs.drive import drive
from boa_tools.view.live_run import LiveRun

pytestmark = pytest.mark.realtime

ANY_PORT = ("127.0.0.1", 0)
PATIENCE = 240.0  # s for a message, of a busy machine


@pytest.fixture
def live():
    experiment = path_experiment(duration=3600.0)  # longer than any test, in real time
    live = LiveRun(experiment, ANY_PORT)
    yield live, experiment
    live.close()


def page_line(address, **options):
    """What a page opens to get snapshots and give orders."""
    line = address.replace("http", "ws") + "live"
    return connect(line, max_size=None, ping_interval=None, open_timeout=PATIENCE, **options)


class Telling(Steady):
    """Says the number of every fiftieth tick."""

    ticks = -1

    def step(self, frame):
        self.ticks += 1
        said = Event(kind=EventKind.NOTE, note=f"tick {self.ticks}")
        return ControlOutput(self.torque, events=() if self.ticks % 50 else (said,))


class Running:
    """A run in a thread, with its page's line open."""

    def __init__(self, live, experiment, paused=False, controller=Steady):
        """`paused`: by an order that is there before the first tick."""
        self.controller = controller(np.linspace(-1, 1, 12))
        self.live, self.done = live, threading.Event()
        self.plant = Held(experiment)
        self.line = page_line(live.address)
        self.scenery = json.loads(self.line.recv())
        self.events = []
        live.begin(None, self.done.is_set)
        if paused:
            self.line.send(json.dumps({"order": "pause", "value": 0.0}))
            live._channel.wait(PATIENCE)
        self.thread = threading.Thread(target=self._drive, args=(experiment,))
        self.thread.start()

    def _drive(self, experiment):
        self.result = drive(
            experiment,
            self.plant,
            self.controller,
            watchers=(self.live,),
            stop=self.done.is_set,
            before_tick=self.live.before_tick,
        )

    def order(self, name, value=0.0):
        """Give an order and return its answer."""
        self.line.send(json.dumps({"order": name, "value": value}))
        return self.until(lambda m: m["kind"] == "answer" and m["order"] == name)

    def until(self, awaited):
        """The first message that is awaited; a snapshot may be left out, an event never."""
        end = monotonic() + PATIENCE
        while monotonic() < end:
            message = json.loads(self.line.recv(timeout=PATIENCE))
            if message["kind"] == "events":
                self.events += message["events"]
            if awaited(message):
                return message
        raise AssertionError(f"what is awaited did not come within {PATIENCE:g} s")

    def end(self):
        self.done.set()
        self.thread.join()
        self.line.close()
        return self.result.log


def test_the_page_sees_the_run_and_disarm_acts_at_the_next_tick(live):
    running = Running(*live)
    assert running.scenery["robot"]["links"] == 13
    snapshot = running.until(lambda m: m["kind"] == "snapshot" and m["time"] > 0.1)
    assert snapshot["armed"] and len(snapshot["torque"]) == 12
    answer = running.order("disarm")
    assert answer["done"]
    running.until(lambda m: m["kind"] == "snapshot" and not m["armed"])
    log = running.end()
    event = next(t for t, text in running.events if text == "disarmed from the page")
    tick = int(np.searchsorted(log.time, event - 1e-6))
    assert np.abs(log.applied[tick]).max() > 0
    assert not log.applied[tick + 1 :].any()
    shown = int(np.searchsorted(log.time, snapshot["time"] - 1e-6))
    pose = [*log.truth.base[shown], *log.truth.joint_position[shown]]
    assert snapshot["pose"] == pytest.approx(pose, abs=1e-4)


def test_pause_step_and_go_on(live):
    running = Running(*live)
    assert running.order("pause")["done"]
    paused = running.until(lambda m: m["kind"] == "snapshot" and m["paused"])["time"]
    assert running.order("step", 5.0)["done"]
    stepped = running.until(lambda m: m["kind"] == "snapshot" and m["time"] > paused)["time"]
    assert stepped - paused <= 5 * 0.002 + 0.002
    assert not running.order("speed", 0.1)["done"]  # this controller takes none
    assert running.order("resume")["done"]
    running.until(lambda m: m["kind"] == "snapshot" and m["time"] > paused + 0.1)
    running.end()


def test_a_run_that_is_paused_before_its_first_tick_stands_at_it(live):
    running = Running(*live, paused=True)
    first = running.until(lambda m: m["kind"] == "snapshot" and m["paused"])
    assert first["time"] == 0.0
    assert running.order("resume")["done"]
    running.until(lambda m: m["kind"] == "snapshot" and m["time"] > 0.1)
    running.end()


def test_a_viewer_that_is_killed_ends_nothing(live):
    running = Running(*live)
    running.until(lambda m: m["kind"] == "snapshot")
    live[0].process.kill()
    live[0].process.wait()
    ticks = running.plant.tick
    while running.plant.tick < ticks + 200:
        assert running.thread.is_alive()
    running.end()


def test_a_viewer_that_stands_still_holds_up_no_tick(live):
    """Stopped by a signal, it reads nothing: the line fills up, and the run goes on."""
    running = Running(*live)
    running.until(lambda m: m["kind"] == "snapshot")
    process = live[0].process
    process.send_signal(signal.SIGSTOP)
    try:
        ticks = running.plant.tick
        while running.plant.tick < ticks + 1000:
            assert running.thread.is_alive()
    finally:
        process.send_signal(signal.SIGCONT)
    assert running.order("disarm")["done"]
    running.end()


def test_no_event_is_lost_while_the_line_is_full(live, monkeypatch):
    """A viewer that stands still for long enough; its pages get what they have missed."""
    running = Running(*live, controller=Telling)
    running.until(lambda m: m["kind"] == "events")
    process, channel = live[0].process, live[0]._channel
    process.send_signal(signal.SIGSTOP)
    try:
        while channel.send_object({"kind": "filling", "text": 10_000 * "x"}):
            pass
        sent, send, ticks = [], channel.send, running.plant.tick
        monkeypatch.setattr(channel, "send", lambda message: sent.append(send(message)) or sent[-1])
        while sent.count(False) < 3 or running.plant.tick < ticks + 100:
            assert running.thread.is_alive()
    finally:
        process.send_signal(signal.SIGCONT)
    last = 50 * (running.plant.tick // 50 + 2)
    running.until(lambda m: f"tick {last}" in [text for _, text in running.events])
    running.end()
    told = [text for _, text in running.events]
    assert told[: told.index(f"tick {last}") + 1] == [f"tick {k}" for k in range(0, last + 1, 50)]


def test_an_answer_for_which_there_is_no_room_is_given_when_there_is(live, monkeypatch):
    run, _ = live
    orders, told, room = [{"name": "pause", "value": 0.0}], [], [False, True]

    def send(content):
        if room.pop(0):
            told.append(content)
            return True
        return False

    monkeypatch.setattr(run._channel, "receive_json", lambda: orders.pop() if orders else None)
    monkeypatch.setattr(run._channel, "send_object", send)
    run._follow_orders(None)
    assert told == []
    run._follow_orders(None)
    assert [content["text"] for content in told] == ["paused"]


def test_ten_pages_see_the_newest_though_an_eleventh_reads_nothing(live):
    """The frozen one's line is filled with whatever fits into it; that is nobody else's line. After
    `pause` the newest snapshot is one and the same for all.
    """
    running = Running(*live)
    address = live[0].address
    with ExitStack() as open_pages:
        frozen = open_pages.enter_context(page_line(address, max_queue=1))
        pages = [open_pages.enter_context(page_line(address)) for _ in range(10)]
        ticks = running.plant.tick
        while running.plant.tick < ticks + 1000:
            assert running.thread.is_alive()
        assert running.order("pause")["done"]
        paused = running.until(lambda m: m["kind"] == "snapshot" and m["paused"])["time"]
        for page in (*pages, frozen):
            assert newest(page)["time"] == paused
    running.end()


def newest(page):
    """The first snapshot of the standing time."""
    while True:
        message = json.loads(page.recv(timeout=PATIENCE))
        if message["kind"] == "snapshot" and message["paused"]:
            return message


def test_a_stranger_is_refused(live):
    with pytest.raises(InvalidStatus):
        page_line(live[0].address, origin="http://evil.org")


def test_the_torques_of_a_viewed_run_are_those_of_any_other():
    scenario = load_scenario("boa_noise").model_copy(update={"duration": 0.3, "distance": None})
    experiment = prepare(scenario)
    torques = []
    for viewed in (False, True):
        controller, plant = build_controller(experiment), plant_from_experiment(experiment, 1)
        if not viewed:
            log = drive(experiment, plant, controller).log
        else:
            live = LiveRun(experiment, ANY_PORT)
            live.begin(controller, lambda: False)
            log = drive(
                experiment, plant, controller, watchers=(live,), before_tick=live.before_tick
            ).log
            live.close()
        plant.close()
        torques.append(log.applied.tobytes())
    assert torques[0] == torques[1]


def test_in_a_browser_the_page_shows_the_run_and_catches_up_after_a_reload(live, browser):
    """Paused before and after: it has the same past however long the browser takes."""
    running = Running(*live, paused=True)
    opened = opened_page(browser, live[0].address)
    page = opened.page
    assert running.order("resume")["done"]
    page.wait_for_function("document.documentElement.dataset.time > 0.5")
    assert running.order("pause")["done"]
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("boa.curves && boa.curves.points.length > 3")
    assert page.evaluate("boa.curves.points[0][0]") < 0.5  # of before the reload
    assert opened.problems == []
    page.close()
    running.end()


def test_the_button_disarms_within_one_tick(live, browser):
    running = Running(*live)
    page = opened_page(browser, live[0].address).page
    page.wait_for_selector("#state.armed")
    page.click("[data-order=disarm]")
    page.wait_for_selector("#state.disarmed")
    assert not running.plant.armed
    event = page.locator("#event-list li", has_text="disarmed from the page").inner_text()
    page.close()
    log = running.end()
    tick = int(np.searchsorted(log.time, float(event.split()[0]) - 1e-6))
    assert np.abs(log.applied[tick]).max() > 0
    assert not log.applied[tick + 1 :].any()


def test_at_no_width_does_anything_stand_outside_the_page(live, browser):
    running = Running(*live, paused=True)
    page = opened_page(browser, live[0].address).page
    page.wait_for_selector("#state.armed")
    for width in (1400, 900, 400):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
        assert page.locator("[data-order=disarm]").is_visible()
    page.close()
    running.end()


def opened_page(browser, address, **options):
    """The live page without its scene in three dimensions, which takes a browser without a GPU all
    its time.
    """
    opened = watched(browser, **options)
    opened.page.route("**/scene/**", lambda route: route.fulfill(body="", content_type="text/html"))
    opened.page.goto(address)
    return opened
