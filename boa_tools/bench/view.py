# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time that the live view takes from the control loop."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from time import thread_time_ns

import numpy as np

from boa_control.experiments.build import build_controller
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.safety.supervisor import Supervisor
from boa_sim.factory import plant_from_experiment
from boa_tools.bench.launch import lateness, run_launch
from boa_tools.bench.result import Result
from boa_tools.runs.drive import drive
from boa_tools.runs.loop import Tick

SCENARIO = "boa_circle"
SECONDS = 3.0  # simulated, in real time
WINDOW = 100  # ticks over which CPU time is averaged; a snapshot goes out every 17 or so
SHARE = 0.05  # of the loop's CPU time that the view may take
LAUNCH_RATE = 200  # Hz, of the launch with a view attached


class _Metered:
    """A live run whose CPU time is counted, tick by tick; waiting costs none."""

    def __init__(self, live: object) -> None:
        from boa_tools.view.live_run import LiveRun

        assert isinstance(live, LiveRun)
        self._live = live
        self._last_ns = thread_time_ns()
        self._spent_ns = 0
        self.view_us: list[float] = []
        self.tick_us: list[float] = []

    def before_tick(self, supervisor: Supervisor) -> None:
        before = thread_time_ns()
        self._live.before_tick(supervisor)
        self._spent_ns += thread_time_ns() - before

    def add(self, tick: Tick) -> None:
        before = thread_time_ns()
        self._live.add(tick)
        now = thread_time_ns()
        self._spent_ns += now - before
        self.view_us.append(self._spent_ns * 1e-3)
        self.tick_us.append((now - self._last_ns - self._spent_ns) * 1e-3)
        self._last_ns, self._spent_ns = now, 0


def live_view() -> Iterator[Result]:
    """CPU time of a tick of `boa run`, and what `--view` adds to it; nothing without the extra."""
    if any(find_spec(name) is None for name in ("viser", "websockets", "uplot")):
        return
    from boa_tools.view.live_run import LiveRun

    loaded = load_scenario(SCENARIO)
    experiment = prepare(loaded.model_copy(update={"duration": SECONDS, "distance": None}))
    controller, plant = build_controller(experiment), plant_from_experiment(experiment)
    live = LiveRun(experiment, ("127.0.0.1", 0))
    try:
        live.begin(controller, lambda: False)
        metered = _Metered(live)
        drive(experiment, plant, controller, watchers=(metered,), before_tick=metered.before_tick)
    finally:
        live.close()
        plant.close()
    tick, view = (_windows(times) for times in (metered.tick_us, metered.view_us))
    share = float(np.median(view / tick))
    yield Result("view/tick", "CPU time of a tick of boa run", *_spread(tick))
    yield Result(
        "view/added",
        f"CPU time that the live view adds, {100 * share:.1f} % of a tick",
        *_spread(view),
        target_us=SHARE * float(np.median(tick)),
    )


def viewed_launch(seconds: float) -> Iterator[Result]:
    """How late the ticks of a launch in real time are, without a view and with one whose page is
    open. Raises BoaError without the extra.
    """
    from boa_tools.view.live_run import require_view

    require_view()
    from boa_tools.view.scene3d import free_port

    rate, run = f"{LAUNCH_RATE}", {"duration": f"{seconds}"}
    for name in ("without", "with"):
        address = f"localhost:{free_port()}"
        given = {"viewer": "web", "listen": address} if name == "with" else {}
        with _open_page(address) if given else nullcontext([0]) as messages:
            result = run_launch({"control_rate": rate, **run, **given})
        what = f"at {rate} Hz {name} a view attached, {messages[0]} messages read by a page"
        yield lateness(f"viewed/{name}", what, LAUNCH_RATE, result)


@contextmanager
def _open_page(address: str) -> Iterator[list[int]]:
    """A page that reads all it is sent as soon as it is served; how many messages it has read."""
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    done, messages = threading.Event(), [0]

    def read() -> None:
        while not done.wait(0.2):
            try:
                with connect(f"ws://{address}/live", max_size=None) as line:
                    while not done.is_set():
                        line.recv(timeout=1.0)
                        messages[0] += 1
            except (OSError, TimeoutError, WebSocketException):
                continue

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield messages
    finally:
        done.set()
        thread.join()


def _windows(times: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    whole = len(times) // WINDOW * WINDOW
    return np.array(times[:whole]).reshape(-1, WINDOW).mean(axis=1)


def _spread(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    p50, p99 = np.percentile(values, [50, 99])
    return float(p50), float(p99)
