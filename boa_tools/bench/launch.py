# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the launch: plant, controller and recorder as three processes, or as two."""

import selectors
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path

import numpy as np

from boa_control.events import EventKind
from boa_control.experiments.experiment import prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages.events import decode_events
from boa_control.messages.forces import ForceCodec
from boa_control.messages.joints import ScalarsCodec
from boa_control.messages.progress import read_progress
from boa_control.messages.topics import DEBUG, EVENT_STATUS, JOINT_FORCES, Topic
from boa_control.safety.trips import Trip
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_tools.bags.assembly import WALL
from boa_tools.bags.rosbag import bag_messages
from boa_tools.bench.control import DEFAULT_SCENARIO
from boa_tools.bench.result import Result, from_times
from boa_tools.bringup.child import Child, start
from boa_tools.bringup.description import NodeSpec
from boa_tools.bringup.hoal import HOAL
from boa_tools.bringup.runner import ros_environment
from boa_tools.runs import results
from boa_tools.runs.block import BLOCK

FIRST_TICK_TARGET = 3e6  # us
LOCKSTEP_SECONDS = 6.0  # s of simulated time
RATES = (500, 1000)  # Hz, in real time
LOADS = ("quiet", "busy")  # of the machine beside the emulated robot
BUSY_PROGRAMS = 2
ROBOT_RATE = 200  # Hz
WARM_UP = 0.5  # s of the run that are not counted
EXTRA_WAIT = 300.0  # s beyond the duration of a run
CPUCLOCK_SCHED = 2  # of clockid_t, linux/posix-timers_types.h: time on a processor


@dataclass(frozen=True, slots=True)
class Launch:
    """One run of the nodes.

    Attributes:
        first_tick_s: from the start of the first process to the plant's first tick, s.
        wall_us: wall-clock time between two control steps, us, one per tick after the warm-up.
        processor_us: mean processor time of a tick, by process, us.
        largest_force: of any joint, N; NaN without force samples.
        trips: of the torque gate, by name.
    """

    first_tick_s: float
    wall_us: Array
    processor_us: Mapping[str, float]
    largest_force: float
    trips: Mapping[str, int]


def lockstep() -> Iterator[Result]:
    """The launch in lockstep, as fast as it goes, recording, as it is and with a process for every
    node.
    """
    yield from _lockstep("launch", {})
    yield from _lockstep("launch_apart", {"use_composition": "false"})


def _lockstep(group: str, given: Mapping[str, str]) -> Iterator[Result]:
    run = run_launch({"duration": f"{LOCKSTEP_SECONDS}", "speed": "max", **given})
    what = f"wall-clock time of a tick, speed:=max, recording; mean {np.mean(run.wall_us):.0f} us"
    yield from_times(f"{group}/tick", what, run.wall_us)
    for process, spent in run.processor_us.items():
        what = f"processor time of a tick in {process}, mean"
        yield Result(f"{group}/{process}", what, spent, np.nan)
    total = sum(run.processor_us.values())
    yield Result(f"{group}/processor", "processor time of a tick, all processes", total, np.nan)
    first_us = run.first_tick_s * 1e6
    what = "from the start of the processes to the first tick"
    yield Result(f"{group}/first_tick", what, first_us, np.nan, FIRST_TICK_TARGET)


def real_time(seconds: float, rates: Sequence[int] = RATES) -> Iterator[Result]:
    """The launch in real time, recording: how late its ticks are."""
    for rate in rates:
        run = run_launch({"duration": f"{seconds}", "control_rate": f"{rate}"})
        yield lateness(f"real_time/{rate}", f"at {rate} Hz", rate, run)


def robot(seconds: float, loads: Sequence[str] = LOADS) -> Iterator[Result]:
    """The emulated robot, alone (quiet) and beside programs that never wait."""
    for name in loads:
        with _emulated_robot() as ports, _busy_programs() if name == "busy" else nullcontext():
            run = run_launch({"duration": f"{seconds}", "control_rate": f"{ROBOT_RATE}", **ports})
        trips = ", ".join(f"{count} {trip}" for trip, count in run.trips.items()) or "no trips"
        what = f"emulated robot, {name}: joint forces up to {run.largest_force:.1f} N, {trips}"
        yield lateness(f"robot/{name}", what, ROBOT_RATE, run)


def lateness(name: str, what: str, rate: float, run: Launch) -> Result:
    """How much later than its period a tick is."""
    period = 1e6 / rate
    late = float(np.mean(run.wall_us > 2 * period))
    median, rare = np.percentile(np.abs(run.wall_us - period), [50, 99])
    shown = f"{what}; {late:.3%} of {run.wall_us.size} ticks late by more than a period"
    return Result(name, shown, float(median), float(rare))


@contextmanager
def _emulated_robot() -> Iterator[dict[str, str]]:
    """An emulated robot in a process of its own; the launch arguments that reach it."""
    command = [sys.executable, "-m", "boa_tools.cli", "emulate", DEFAULT_SCENARIO]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port, channel, _ = (process.stdout.readline().strip() for _ in range(3))
            if not channel:
                raise BoaError("boa emulate did not start; run it by itself to see why")
            yield {
                "sim": "false",
                "arm": "true",
                "allow_uncalibrated": "true",
                "serial_port": port,
                "can_channel": channel,
            }
        finally:
            process.terminate()


@contextmanager
def _busy_programs() -> Iterator[None]:
    """Other programs that never wait."""
    command = [sys.executable, "-I", "-c", "while True: pass"]
    with ExitStack() as running:
        for _ in range(BUSY_PROGRAMS):
            process = running.enter_context(subprocess.Popen(command))
            running.callback(process.kill)
        yield


def run_launch(given: Mapping[str, str]) -> Launch:
    """Run the launch file's nodes to the end of their run, without report.

    Raises:
        BoaError: a node failed, or the run took too long.
    """
    with tempfile.TemporaryDirectory(prefix="boa-bench-") as scratch:
        out = Path(scratch) / "run"
        values = HOAL.resolve({"scenario": DEFAULT_SCENARIO, "out": str(out), **given})
        specs = [
            replace(spec, parameters={**spec.parameters, "report": False})
            if spec.name == "recorder"
            else spec
            for spec in HOAL.nodes(values)
        ]
        experiment = prepare(load_scenario(DEFAULT_SCENARIO))
        rate = values["control_rate"]
        period = experiment.control_period if rate == "scenario" else 1 / float(rate)
        observer = _Observer(specs, ros_environment(scratch), Path(scratch))
        try:
            observer.run_to_the_end(float(values["duration"]) + EXTRA_WAIT)
        finally:
            observer.close()
        bag = out / results.BAG
        return Launch(
            observer.first_tick_s,
            np.diff(_wall_times(bag)[round(WARM_UP / period) :]) * 1e6,
            observer.processor_us(period),
            _largest_force(bag, experiment.robot),
            _trips(bag),
        )


class _Observer:
    """Starts nodes, and notes their processor times whenever the plant tells its progress."""

    def __init__(
        self, specs: list[NodeSpec], environment: Mapping[str, str], scratch: Path
    ) -> None:
        self.first_tick_s = float("nan")
        self._marks: list[tuple[float, dict[str, int]]] = []
        self._lines: list[str] = []
        self._selector = selectors.DefaultSelector()
        self._children: list[Child] = []
        self._begin = time.monotonic()
        for spec in specs:
            child = start(spec, environment, scratch)
            self._children.append(child)
            self._selector.register(child.output, selectors.EVENT_READ, child)

    def run_to_the_end(self, patience: float) -> None:
        """Wait for the plant's end, `patience` s, then stop the others one after the other."""
        while all(child.running for child in self._children):
            self._listen()
            if time.monotonic() - self._begin > patience:
                raise BoaError(f"the launch did not end within {patience:g} s; {self._last()}")
        for child in self._children:
            while child.running:
                child.insist()
                self._listen()
        for child in self._children:
            if child.failed:
                raise BoaError(f"node {child.spec.title} failed; {self._last()}")

    def _last(self) -> str:
        return f"last line: {self._lines[-1]}" if self._lines else "it said nothing"

    def _listen(self) -> None:
        for key, _ in self._selector.select(timeout=0.02):
            lines = key.data.lines()
            if lines is None:
                self._selector.unregister(key.fileobj)
            for line in lines or ():
                self._note(line)

    def _note(self, line: str) -> None:
        progress = read_progress(line)
        if progress is None:
            self._lines.append(line)
            return
        if np.isnan(self.first_tick_s):
            self.first_tick_s = time.monotonic() - self._begin
        if progress.time >= WARM_UP and all(child.running for child in self._children):
            spent = {c.spec.title: processor_time(c.process.pid) for c in self._children}
            self._marks.append((progress.time, spent))

    def processor_us(self, period: float) -> dict[str, float]:
        """Processor time of a tick by process, between the first mark and the last."""
        (begin, before), (end, after) = self._marks[0], self._marks[-1]
        ticks = (end - begin) / period
        return {name: (after[name] - before[name]) * 1e-3 / ticks for name in before}

    def close(self) -> None:
        """Leave no process."""
        for child in self._children:
            if child.running:
                child.process.kill()
            child.process.wait()


def processor_time(pid: int) -> int:
    """Processor time that all threads of a process have had, ns; Linux's clock of that process."""
    return time.clock_gettime_ns((~pid << 3) | CPUCLOCK_SCHED)


def _wall_times(bag: Path) -> Array:
    """Wall-clock time of every control step in a bag, s."""
    codec = ScalarsCodec()
    runs = chain.from_iterable(map(codec.decode_many, _blocks(bag, DEBUG)))
    return np.concatenate([run.values[:, run.names.index(WALL)] for run in runs])


def _largest_force(bag: Path, robot: Robot) -> float:
    """Largest horizontal force of any joint in a bag, N; NaN without samples."""
    codec = ForceCodec(robot)
    largest = np.nan
    for raws in _blocks(bag, JOINT_FORCES):
        force = np.array([sample.force for sample in codec.decode_many(raws)])
        norm = np.linalg.norm(force[..., :2], axis=2)
        largest = float(np.fmax(largest, np.fmax.reduce(norm, axis=None)))
    return largest


def _trips(bag: Path) -> Counter[str]:
    """Protective events of the torque gate in a bag, by name."""
    events = (
        told.event
        for message in bag_messages(bag, (EVENT_STATUS,))
        for told in decode_events(message.raw)
    )
    trips = (event for event in events if event.kind is EventKind.GATE_TRIP)
    return Counter(Trip.of_event(event).name for event in trips)


def _blocks(bag: Path, topic: Topic) -> Iterator[list[bytes]]:
    """The messages of one topic, many at a time."""
    raws = (message.raw for message in bag_messages(bag, (topic,)))
    while block := list(islice(raws, BLOCK)):
        yield block
