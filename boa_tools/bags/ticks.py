"""A run in a bag: written tick by tick with the messages that the nodes would publish, and read
back.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.experiments.experiment import Experiment
from boa_control.messages.cdr import MessageError, stamp_of
from boa_control.messages.control import (
    ControlDecoder,
    ControlEncoder,
    EventMessage,
    Outgoing,
    TorqueCodec,
    decode_event,
    encode_event,
)
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.markers import encode_obstacles
from boa_control.messages.plant_views import PlantViews
from boa_control.messages.sensors import (
    SensorDecoder,
    SensorEncoder,
    former_topics,
    sensor_topics,
)
from boa_control.messages.status import encode_clock
from boa_control.messages.topics import (
    CLOCK,
    CONTACT_FORCE_MARKERS,
    CONTACTS,
    CORRECTED_MAP,
    DEBUG,
    EVENTS,
    JOINT_FORCE_MARKERS,
    JOINT_STATES,
    LINK_POSES,
    OBSTACLES,
    PATH,
    ROBOT_DESCRIPTION,
    SIM_CONTACT_FORCE_MARKERS,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    TRANSFORMS,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.messages.views import encode_path, encode_text
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import SensorFrame, read_truths
from boa_control.safety.trips import Trip
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import BagWriter, Message, bag_messages, bag_summary
from boa_tools.bags.transforms import BagTransforms
from boa_tools.runs.block import Gathering, Sink, TickBlock
from boa_tools.runs.recording import Recording
from boa_tools.runs.runlog import RunLog
from boa_tools.runs.scenario_file import scenario_text
from boa_tools.runs.tick import Tick

CONTROLLER, GATE = "controller", "gate"
WALL = "wall_s"  # debug name under which an in-process run keeps its wall-clock time
PATIENCE = 500  # ticks that a late answer is waited for

ANSWERS = (TORQUE_COMMAND, TORQUE_APPLIED, CONTACTS, DEBUG)
TRUTH = (SIM_ODOMETRY, SIM_JOINT_STATES, SIM_CONTACTS)
ARROWS = (CONTACT_FORCE_MARKERS, JOINT_FORCE_MARKERS, SIM_CONTACT_FORCE_MARKERS)
VIEWS = (LINK_POSES, PATH, OBSTACLES, ROBOT_DESCRIPTION, *ARROWS, *TRANSFORMS)


def written_topics() -> tuple[Topic, ...]:
    """Topics of the bag of an in-process run."""
    return (CLOCK, *sensor_topics(), *ANSWERS, CORRECTED_MAP, EVENTS, *TRUTH, *VIEWS)


class BagSink:
    """Writes blocks of ticks into an open bag. The time of recording is the simulated time."""

    def __init__(self, bag: BagWriter, experiment: Experiment) -> None:
        robot = experiment.robot
        self._bag = bag
        self._sensors = SensorEncoder(robot)
        self._control = ControlEncoder(robot)
        self._applied = TorqueCodec(robot, TORQUE_APPLIED)
        self._truth = TruthCodec(robot)
        self._robot = robot
        self._views = PlantViews(robot)
        self._frames = BagTransforms(robot)
        self._experiment = experiment
        self._opened = False

    def add(self, block: TickBlock) -> None:
        """Write the messages of consecutive ticks."""
        stamps = block.stamps_ns
        if not self._opened:
            self._opened = True
            self._bag.write_all(stamps[:1], [self._first_views(stamps[0])])
        debug = {**block.debug, WALL: block.numbers["wall_s"]}
        control = self._control.encode_many(
            stamps, block.outputs, debug, block.estimates, block.numbers["control_step_us"]
        )
        applied = self._applied.encode_many(stamps, effort=block.numbers["applied"])
        truths: list[Outgoing] = [[] for _ in stamps]
        if block.truths:
            truths = self._truth.encode_many(block.truths, block.contacts)
        parts = zip(
            self._sensors.encode_many(block.frames),
            truths,
            self._plant_views(block),
            [[(CLOCK, encode_clock(stamp))] for stamp in stamps],
            control,
            [[(TORQUE_APPLIED, raw)] for raw in applied],
            map(_trip_events, block.ticks),
            strict=True,
        )
        self._bag.write_all(stamps, map(chain.from_iterable, parts))

    def _plant_views(self, block: TickBlock) -> list[Outgoing]:
        """Views of the plant at the ticks that are due; only where the truth is known."""
        due = [bool(block.truths) and self._views.due(stamp) for stamp in block.stamps_ns]
        read_truths([truth.contacts for truth, now in zip(block.truths, due, strict=False) if now])
        return [
            self._views_at(tick) if now else [] for tick, now in zip(block.ticks, due, strict=True)
        ]

    def _views_at(self, tick: Tick) -> Outgoing:
        truth = tick.truth
        assert truth is not None
        views = self._views.encode(
            tick.frame, truth.base_of(self._robot), truth.joint_position, truth
        )
        return self._with_transforms(views)

    def _first_views(self, stamp: int) -> Outgoing:
        """Robot, posts and path, once at the beginning."""
        from boa_description.urdf import build_urdf

        experiment = self._experiment
        views: Outgoing = [
            (ROBOT_DESCRIPTION, encode_text(build_urdf(experiment.robot))),
            (OBSTACLES, encode_obstacles(experiment.obstacles, stamp)),
        ]
        if experiment.curve is not None:
            views.append((PATH, encode_path(experiment.curve, stamp)))
        return self._with_transforms(views)

    def _with_transforms(self, views: Outgoing) -> Outgoing:
        return [
            item
            for topic, raw in views
            for item in ((topic, raw), *self._frames.beside(topic, raw))
        ]


def _trip_events(tick: Tick) -> Outgoing:
    stamp = tick.frame.stamp_ns
    return [(EVENTS, encode_event(EventMessage(stamp, GATE, trip.text()))) for trip in tick.trips]


@contextmanager
def bag_sink(path: Path | None, experiment: Experiment) -> Iterator[Sequence[Sink]]:
    """Open a bag for a run and close it at the end; yields the sinks to give to the run, none
    without a path.
    """
    if path is None:
        yield ()
        return
    with BagWriter(path, written_topics(), scenario_text(experiment.scenario)) as bag:
        yield (BagSink(bag, experiment),)


def read_run(path: Path, experiment: Experiment) -> RunLog:
    """Read a run back from its bag, up to the last tick that is whole: of a plant that was killed,
    the truth of the last ones may be missing.

    Raises:
        BoaError: the bag cannot be read, is of another robot, or has no joint states.
    """
    recording = Recording(experiment.robot)
    gathering = Gathering((recording,))
    for tick in _without_torn_end(bag_ticks(path, experiment)):
        gathering.add(tick)
    gathering.flush()
    return recording.log()


def _without_torn_end(ticks: Iterator[Tick]) -> Iterator[Tick]:
    """The same ticks without up to `PATIENCE` at the end that lack the truth of those before."""
    torn: list[Tick] = []
    simulated = False
    for tick in ticks:
        simulated = simulated or tick.truth is not None
        torn.append(tick)
        if tick.truth is not None or not simulated or len(torn) > PATIENCE:
            yield from torn
            torn.clear()


def bag_ticks(path: Path, experiment: Experiment) -> Iterator[Tick]:
    """Put the ticks of a bag together, in order.

    Answers that are missing are NaN; raises as `read_run`.
    """
    assembler = _Assembler(experiment)
    any_tick = False
    try:
        measured = (*former_topics(), *sensor_topics())
        for message in bag_messages(path, (*measured, *ANSWERS, CORRECTED_MAP, EVENTS, *TRUTH)):
            for tick in assembler.take(message):
                any_tick = True
                yield tick
        for tick in assembler.rest():
            any_tick = True
            yield tick
    except BoaError as error:
        raise BoaError(f"{error} (bag '{path}', robot {experiment.robot.name})") from error
    if not any_tick:
        topics = (
            ", ".join(topic.name for topic in bag_summary(path).topics if topic.count) or "none"
        )
        raise BoaError(
            f"bag '{path}' has no messages on {JOINT_STATES.name}; topics with messages: {topics}"
        )


@dataclass(slots=True)
class _Parts:
    """Messages of one tick so far."""

    frame: SensorFrame
    time_ns: int
    raw: dict[str, bytes] = field(default_factory=dict)
    events: list[EventMessage] = field(default_factory=list)


class _Assembler:
    """Sorts messages into ticks by their stamps: everything of a tick carries the stamp of its
    joint states.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._joints = experiment.robot.joints
        self._sensors = SensorDecoder(experiment.robot)
        self._samples = {topic.name for topic in (*former_topics(), *sensor_topics())}
        self._control = ControlDecoder(experiment.robot)
        self._truth = TruthCodec(experiment.robot)
        self._open: dict[int, _Parts] = {}
        self._order: deque[int] = deque()
        self._early: dict[tuple[int, str], bytes] = {}
        self._events: list[EventMessage] = []
        self._maps = CorrectedMapCodec()
        self._corrected: dict[int, CorrectedMap] = {}
        self._start_ns: int | None = None

    def take(self, message: Message) -> Iterator[Tick]:
        """Take a message; yields ticks that are as complete as they will get."""
        topic, raw = message.topic, message.raw
        if topic == JOINT_STATES.name:
            self._begin(self._sensors.joint_states(raw), message.time_ns)
        elif topic in self._samples:
            self._sensors.sample(topic, raw)
        elif topic == EVENTS.name:
            self._events.append(decode_event(raw))
        elif topic == CORRECTED_MAP.name:
            stamp, corrected = self._maps.decode(raw)
            self._corrected[stamp] = corrected
        else:
            stamp = stamp_of(raw)
            if stamp in self._open:
                self._open[stamp].raw[topic] = raw
            elif self._order and stamp > self._order[-1]:
                self._early[stamp, topic] = raw  # overtook the joint states of its tick
        while len(self._order) > PATIENCE:
            yield self._finish(self._order.popleft())

    def rest(self) -> Iterator[Tick]:
        """Yield what is left at the end of the bag."""
        while self._order:
            yield self._finish(self._order.popleft())

    def _begin(self, frame: SensorFrame, time_ns: int) -> None:
        stamp = frame.stamp_ns
        if self._order and stamp <= self._order[-1]:
            raise BoaError(
                f"{JOINT_STATES.name}: time goes back from {self._order[-1]} to {stamp} ns; "
                "record one run per bag, without resetting the simulation"
            )
        if self._start_ns is None:
            self._start_ns = time_ns
        parts = self._open[stamp] = _Parts(frame, time_ns)
        self._order.append(stamp)
        for key in [key for key in self._early if key[0] <= stamp]:
            raw = self._early.pop(key)
            if key[0] == stamp:
                parts.raw[key[1]] = raw

    def _finish(self, stamp: int) -> Tick:
        parts = self._open.pop(stamp)
        until = self._order[0] if self._order else math.inf
        events = [event for event in self._events if event.stamp_ns < until]
        self._events = [event for event in self._events if event.stamp_ns >= until]
        output, step_us, wall_s = self._output(
            parts, [event for event in events if event.source == CONTROLLER]
        )
        raw = parts.raw
        return Tick(
            frame=parts.frame,
            output=output._replace(corrected_map=self._corrected.pop(stamp, None)),
            applied=self._torque(parts, TORQUE_APPLIED),
            truth=self._truth.decode(*(raw[topic.name] for topic in TRUTH))
            if all(topic.name in raw for topic in TRUTH)
            else None,
            trips=tuple(_trip(event) for event in events if event.source == GATE),
            control_step_us=step_us,
            wall_s=wall_s,
        )

    def _torque(self, parts: _Parts, topic: Topic) -> Array:
        """Torque of a command or of what was applied; NaN where there is none."""
        raw = parts.raw.get(topic.name)
        if raw is None:
            return np.full(self._joints, np.nan)
        read = (
            self._control.torque_command
            if topic is TORQUE_COMMAND
            else self._control.torque_applied
        )
        return read(raw)[1]

    def _output(
        self, parts: _Parts, events: list[EventMessage]
    ) -> tuple[ControlOutput, float, float]:
        """The controller's answer, the duration of its step (us) and the wall-clock time (s)."""
        raw = parts.raw
        torque = self._torque(parts, TORQUE_COMMAND)
        texts = tuple(event.text for event in events)
        assert self._start_ns is not None
        recorded_s = (parts.time_ns - self._start_ns) * 1e-9
        if CONTACTS.name not in raw or DEBUG.name not in raw:
            return ControlOutput(torque, events=texts), math.nan, recorded_s
        output, step_us = self._control.output(torque, raw[CONTACTS.name], raw[DEBUG.name], events)
        debug = dict(output.debug)
        wall_s = float(debug.pop(WALL, recorded_s))
        return output._replace(debug=debug), step_us, wall_s


def _trip(event: EventMessage) -> Trip:
    try:
        return Trip.of_text(event.text)
    except ValueError as error:
        raise MessageError(f"{EVENTS.name}: '{event.text[:80]}' is no gate event") from error
