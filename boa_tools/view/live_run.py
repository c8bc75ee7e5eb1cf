# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""`boa run --view`: the run tells its viewer what happens, and does what the pages say."""

import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from time import perf_counter, sleep, thread_time
from typing import Any

from boa_control.controller import Controller
from boa_control.event_text import brief_of
from boa_control.experiments.experiment import Experiment
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import PlantError
from boa_control.ros.controller.operator import Operator, operator_of
from boa_control.safety.supervisor import Supervisor
from boa_description.errors import BoaError
from boa_tools.runs.loop import Tick
from boa_tools.view.channel import Channel
from boa_tools.view.orders import Order, answer
from boa_tools.view.state import map_content, scenery, snapshot_of
from boa_tools.view.travel import travel_of

RATE = 20.0  # snapshots per second of wall-clock time, where they cost no more than
LONGEST = 0.2  # s between two snapshots on a slow machine
SHARE = 0.02  # of the loop's CPU time that snapshots may take
FALLEN_BEHIND = 0.2  # s; a run that is later than this does not catch up
PACE_STEP = 0.008  # s that a run may be ahead of real time: to sleep costs, too
START_SECONDS = 120.0  # that the viewer may take to start
PAUSED_WAIT = 0.05  # s between two readings of orders while time stands
UNTOLD = 300  # events and answers that wait for a viewer that stands still


def require_view() -> None:
    """Raise BoaError, naming the extra, where the live view is not installed."""
    missing = [name for name in ("viser", "websockets", "uplot") if find_spec(name) is None]
    if missing:
        raise BoaError(
            f"the live view needs {', '.join(missing)}; install it with: pip install "
            f"'boa_control[view]'"
        )


class LiveRun:
    """A sink of ticks that also attends to a run: orders, pace, pause.

    Attributes:
        address: of the page.
        process: the viewer's.
        restart: a page wants the run from its beginning.
    """

    def __init__(self, experiment: Experiment, listen: tuple[str, int]) -> None:
        """Start the viewer's process and wait for its page. Raises BoaError where it cannot."""
        require_view()
        self._experiment = experiment
        self._channel, theirs = Channel.pair()
        host, port = listen
        with theirs:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "boa_tools.view.viewer",
                    *(str(theirs.fileno()), host, str(port)),
                ],
                pass_fds=(theirs.fileno(),),
                stdout=subprocess.DEVNULL,
            )
        self._channel.send_object(scenery(experiment, True, "boa run"))
        self._answers: deque[Mapping[str, Any]] = deque(maxlen=UNTOLD)
        self.address = self._address()
        self.begin(None, lambda: False)

    def _address(self) -> str:
        self._channel.wait(START_SECONDS)
        reply = self._channel.receive_json() or {}
        if "address" not in reply:
            self.close()
            raise BoaError(reply.get("error", "the live view did not start; its error is above"))
        return str(reply["address"])

    def begin(self, controller: Controller | None, stop: Callable[[], bool]) -> None:
        """A run begins, or begins again.

        Args:
            controller: to be steered.
            stop: whether the user wants the run to end; also ends a pause.
        """
        name = self._experiment.scenario.controller.name
        self._operator: Operator | None = (
            None if controller is None else operator_of(controller, name)
        )
        self._stop = stop
        self.restart = False
        self._paused, self._steps = False, 0
        self._events: deque[tuple[float, str]] = deque(maxlen=UNTOLD)
        self._supervisor: Supervisor | None = None
        self._start_ns: int | None = None
        self._next = 0.0
        self._rate_wall, self._rate_time, self._rate_cpu = perf_counter(), 0.0, thread_time()
        self._realtime: float | None = None
        self._load = 1.0  # CPU time per wall-clock time
        self._pace_wall: float | None = None
        self._pace_time = self._time = 0.0
        self._travel = travel_of(self._experiment)
        self._last: Tick | None = None
        self._map: CorrectedMap | None = None  # that the viewer does not know yet

    def add(self, tick: Tick) -> None:
        """Note the events of a tick, and tell the viewer when it is time."""
        if self._start_ns is None:
            self._start_ns = tick.frame.stamp_ns
        self._time = (tick.frame.stamp_ns - self._start_ns) * 1e-9
        if tick.output.events or tick.trips:
            self._events.extend((self._time, brief_of(event)) for event in tick.output.events)
            self._events.extend((self._time, brief_of(trip.event())) for trip in tick.trips)
        if tick.output.corrected_map is not None:
            self._map = tick.output.corrected_map
        self._last = tick
        if perf_counter() >= self._next:
            self._tell()

    def before_tick(self, supervisor: Supervisor) -> None:
        """Do what the pages have said; keep to real time; stand still while paused."""
        self._supervisor = supervisor
        self._follow_orders(supervisor)
        if self._operator is not None and self._last is not None:
            self._operator.tick(self._last.frame.stamp_ns)
        if self._paused and not self._steps and self._last is not None:  # there is one to show
            self._stand(supervisor)
        self._steps = max(0, self._steps - 1)
        self._keep_pace()

    def close(self) -> None:
        """End the viewer."""
        self._channel.close()
        try:
            self.process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _tell(self) -> None:
        now, spent = perf_counter(), thread_time()
        self._next = now + 1.0 / RATE
        if self._last is None or self._supervisor is None or self._start_ns is None:
            return
        if now - self._rate_wall > 1.0:
            passed = now - self._rate_wall
            self._realtime = (self._time - self._rate_time) / passed
            self._load = min((spent - self._rate_cpu) / passed, 1.0) or 1.0
            self._rate_wall, self._rate_time, self._rate_cpu = now, self._time, spent
        speed = None if self._operator is None else self._operator.set_point.speed
        snapshot = snapshot_of(
            self._last,
            self._start_ns,
            self._supervisor.status,
            self._travel,
            set_speed=speed,
            paused=self._paused,
            events=self._events,
            realtime=self._realtime,
        )
        # what only one message has waits for room; the next snapshot is as good as this one
        if self._channel.send_object(snapshot):
            self._events.clear()
        if self._map is not None and self._channel.send_object(map_content(self._map)):
            self._map = None
        pause = max(1.0 / RATE, (thread_time() - spent) / (SHARE * self._load))
        self._next = now + min(pause, LONGEST)

    def _stand(self, supervisor: Supervisor) -> None:
        self._tell()
        while self._paused and not self._steps and not self._stop() and not self.restart:
            self._channel.wait(PAUSED_WAIT)
            self._follow_orders(supervisor)
            if not self._channel.open:  # nobody could let it go on
                self._paused = False
        self._pace_wall = None

    def _follow_orders(self, supervisor: Supervisor) -> None:
        while (content := self._channel.receive_json()) is not None:
            order = Order(content["name"], content["value"])
            try:
                done, text = True, self._follow(order, supervisor)
            except (BoaError, PlantError) as error:
                done, text = False, " ".join(str(error).split())
            self._answers.append(answer(order.name, done, text))
            self._next = 0.0  # the pages shall see at once what has become of it
            if self._paused:
                self._tell()
        while self._answers and self._channel.send_object(self._answers[0]):
            self._answers.popleft()

    def _follow(self, order: Order, supervisor: Supervisor) -> str:
        match order.name:
            case "arm":
                supervisor.arm()
                return "armed"
            case "disarm":
                supervisor.disarm()
                self._events.append((self._time, "disarmed from the page"))
                return "disarmed"
            case "reset_fault":
                supervisor.reset_fault()
                return "faults cleared; disarmed"
            case "pause":
                self._paused = True
                return "paused"
            case "resume":
                self._paused = False
                return "time goes on"
            case "step":
                self._steps = max(1, round(order.value)) if self._paused else 0
                return "stepped" if self._paused else "step works while paused only"
            case "reset":
                self.restart, self._paused = True, False
                return "the run begins again"
            case "speed" | "stop" | "start" if self._operator is not None:
                if order.name == "speed":
                    self._operator.change({"speed": order.value})
                    return f"speed {order.value:g} m/s"
                return self._operator.stop() if order.name == "stop" else self._operator.start()
        raise BoaError(f"order {order.name} means nothing here")

    def _keep_pace(self) -> None:
        now = perf_counter()
        if self._pace_wall is None:
            self._pace_wall, self._pace_time = now, self._time
            return
        ahead = (self._time - self._pace_time) - (now - self._pace_wall)
        if ahead > PACE_STEP:
            sleep(ahead)
        elif ahead < -FALLEN_BEHIND:
            self._pace_wall, self._pace_time = now, self._time
