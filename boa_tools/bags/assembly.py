# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ticks of a bag, put together from its messages block by block."""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TypeVar

import numpy as np

from boa_control.controller import ControlOutput
from boa_control.events import Event, EventKind
from boa_control.experiments.experiment import Experiment
from boa_control.messages.cdr import MessageError, stamp_of
from boa_control.messages.control import ControlDecoder
from boa_control.messages.corrected_map import CorrectedMapCodec
from boa_control.messages.events import (
    CONTROLLER,
    EventMessage,
    SentenceMessage,
    decode_events,
    decode_sentence,
)
from boa_control.messages.legacy_events import event_of
from boa_control.messages.sensors import SensorDecoder, former_topics, sensor_topics
from boa_control.messages.topics import (
    CONTACTS,
    CORRECTED_MAP,
    DEBUG,
    EVENT_STATUS,
    EVENTS,
    JOINT_STATES,
    SIM_CONTACTS,
    SIM_JOINT_STATES,
    SIM_ODOMETRY,
    TORQUE_APPLIED,
    TORQUE_COMMAND,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.plant import GroundTruth
from boa_control.safety.trips import Trip
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.bags.rosbag import Message
from boa_tools.runs.block import BLOCK
from boa_tools.runs.loop import Tick

WALL = "wall_s"  # debug name under which an in-process run keeps its wall-clock time
PATIENCE = 500  # ticks that a late answer is waited for, at least

ANSWERS = (TORQUE_COMMAND, TORQUE_APPLIED, CONTACTS, DEBUG)
Stamped = TypeVar("Stamped", EventMessage, SentenceMessage)
TRUTH = (SIM_ODOMETRY, SIM_JOINT_STATES, SIM_CONTACTS)


def measured_topics() -> tuple[Topic, ...]:
    """Topics of everything measured, in bags of today and of former versions."""
    return (*former_topics(), *sensor_topics())


@dataclass(slots=True)
class _Parts:
    """Messages of one tick so far.

    Attributes:
        stamp_ns, time_ns: of its joint states, and when these were recorded.
        measured: topics and messages since the tick before, the joint states last.
        raw: what carries the stamp of the tick, by topic.
    """

    stamp_ns: int
    time_ns: int
    measured: list[tuple[str, bytes]]
    raw: dict[str, bytes] = field(default_factory=dict)

    def has(self, topics: Sequence[Topic]) -> bool:
        """Whether there is a message of each of these topics."""
        return all(topic.name in self.raw for topic in topics)


def _tick_stamp(raw: bytes) -> int:
    """Stamp of joint states, ns."""
    try:
        return stamp_of(raw)
    except MessageError as error:
        raise MessageError(f"{len(raw)} bytes are not a {JOINT_STATES.msgtype}: {error}") from error


class Assembler:
    """Sorts messages into ticks by their stamps: everything of a tick carries the stamp of its
    joint states. Messages of many ticks are read together, which takes a fifth of the time.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._joints = experiment.robot.joints
        self._sensors = SensorDecoder(experiment.robot)
        self._samples = {topic.name for topic in measured_topics()} - {JOINT_STATES.name}
        self._stamped = {topic.name for topic in (*ANSWERS, *TRUTH)}
        self._control = ControlDecoder(experiment.robot)
        self._truth = TruthCodec(experiment.robot)
        self._measured: list[tuple[str, bytes]] = []
        self._open: dict[int, _Parts] = {}
        self._order: deque[_Parts] = deque()
        self._early: dict[tuple[int, str], bytes] = {}
        self._events: list[EventMessage] = []
        self._sentences: list[SentenceMessage] = []
        self._maps = CorrectedMapCodec()
        self._corrected: dict[int, CorrectedMap] = {}
        self._start_ns: int | None = None

    def ticks(self, messages: Iterable[Message]) -> Iterator[Tick]:
        """The ticks of all messages, in order, each as complete as it will get."""
        parts_of, order, early = self._open, self._order, self._early
        for topic, time_ns, raw in messages:
            if topic in self._stamped:
                stamp = stamp_of(raw)
                parts = parts_of.get(stamp)
                if parts is not None:
                    parts.raw[topic] = raw
                elif not order or stamp > order[-1].stamp_ns:
                    early[stamp, topic] = raw  # overtook the joint states of its tick
            elif topic in self._samples:
                self._measured.append((topic, raw))
            elif topic == JOINT_STATES.name:
                self._begin(raw, time_ns)
                if len(order) >= PATIENCE + BLOCK:
                    yield from self._finish(BLOCK)
            elif topic == EVENTS.name:
                self._sentences.append(decode_sentence(raw))
            elif topic == EVENT_STATUS.name:
                self._events.extend(decode_events(raw))
            elif topic == CORRECTED_MAP.name:
                stamp, corrected = self._maps.decode(raw)
                self._corrected[stamp] = corrected
        while order:
            yield from self._finish(BLOCK)

    def _begin(self, raw: bytes, time_ns: int) -> None:
        stamp = _tick_stamp(raw)
        if self._order and stamp <= self._order[-1].stamp_ns:
            raise BoaError(
                f"{JOINT_STATES.name}: time goes back from {self._order[-1].stamp_ns} to {stamp} "
                "ns; record one run per bag, without resetting the simulation"
            )
        if self._start_ns is None:
            self._start_ns = time_ns
        measured, self._measured = [*self._measured, (JOINT_STATES.name, raw)], []
        parts = self._open[stamp] = _Parts(stamp, time_ns, measured)
        self._order.append(parts)
        for key in [key for key in self._early if key[0] <= stamp]:
            early = self._early.pop(key)
            if key[0] == stamp:
                parts.raw[key[1]] = early

    def _finish(self, count: int) -> list[Tick]:
        """Put the oldest ticks together, at most `count`."""
        parts = list(islice(self._order, count))
        for part in parts:
            self._order.popleft()
            del self._open[part.stamp_ns]
        events = [self._events_before(part.stamp_ns) for part in [*parts[1:], *self._next()]]
        if len(events) < len(parts):
            events.append(self._events_before(math.inf))
        told = [tuple(one.event for one in given if one.source == CONTROLLER) for given in events]
        return [
            Tick(
                frame=frame,
                output=output._replace(corrected_map=self._corrected.pop(part.stamp_ns, None)),
                applied=applied,
                truth=truth,
                trips=tuple(
                    _trip(one.event) for one in given if one.event.kind is EventKind.GATE_TRIP
                ),
                control_step_us=step_us,
                wall_s=wall_s,
            )
            for part, frame, (output, step_us, wall_s), applied, truth, given in zip(
                parts,
                self._sensors.frames(list(chain.from_iterable(part.measured for part in parts))),
                self._outputs(parts, told),
                self._torques(parts, TORQUE_APPLIED),
                self._truths(parts),
                events,
                strict=True,
            )
        ]

    def _next(self) -> list[_Parts]:
        """The oldest tick that is still open, if there is one."""
        return [self._order[0]] if self._order else []

    def _events_before(self, until: float) -> list[EventMessage]:
        """Take the events before a time, ns. Sentences count where nobody tells more."""
        if not self._events and not self._sentences:
            return []
        events, self._events = _parted(self._events, until)
        sentences, self._sentences = _parted(self._sentences, until)
        typed = {(one.stamp_ns, one.source) for one in events}
        untold = (one for one in sentences if (one.stamp_ns, one.source) not in typed)
        return [*events, *map(event_of, untold)]

    def _torques(self, parts: Sequence[_Parts], topic: Topic) -> Array:
        """Torques of commands or of what was applied, (T, n_joints); NaN where there is none."""
        torques = np.full((len(parts), self._joints), np.nan)
        given = [k for k, part in enumerate(parts) if part.has((topic,))]
        if given:
            read = (
                self._control.torque_commands
                if topic is TORQUE_COMMAND
                else self._control.torques_applied
            )
            torques[given] = read([parts[k].raw[topic.name] for k in given])
        return torques

    def _truths(self, parts: Sequence[_Parts]) -> list[GroundTruth | None]:
        truths: list[GroundTruth | None] = [None] * len(parts)
        given = [k for k, part in enumerate(parts) if part.has(TRUTH)]
        if given:
            raws = ([parts[k].raw[topic.name] for k in given] for topic in TRUTH)
            for k, truth in zip(given, self._truth.decode_many(*raws), strict=True):
                truths[k] = truth
        return truths

    def _outputs(
        self, parts: Sequence[_Parts], told: Sequence[tuple[Event, ...]]
    ) -> list[tuple[ControlOutput, float, float]]:
        """The controller's answers, the durations of its steps (us) and wall-clock times (s)."""
        assert self._start_ns is not None
        torques = self._torques(parts, TORQUE_COMMAND)
        answers = [
            (ControlOutput(torque, events=events), math.nan, (part.time_ns - self._start_ns) * 1e-9)
            for torque, events, part in zip(torques, told, parts, strict=True)
        ]
        given = [k for k, part in enumerate(parts) if part.has((CONTACTS, DEBUG))]
        if given:
            outputs = self._control.outputs(
                torques[given],
                [parts[k].raw[CONTACTS.name] for k in given],
                [parts[k].raw[DEBUG.name] for k in given],
                [told[k] for k in given],
            )
            for k, (output, step_us) in zip(given, outputs, strict=True):
                debug = dict(output.debug)
                wall_s = float(debug.pop(WALL, answers[k][2]))
                answers[k] = output._replace(debug=debug), step_us, wall_s
        return answers


def _parted(items: list[Stamped], until: float) -> tuple[list[Stamped], list[Stamped]]:
    """Those before a time, ns, and the others."""
    before = [one for one in items if one.stamp_ns < until]
    return before, [one for one in items if one.stamp_ns >= until]


def _trip(event: Event) -> Trip:
    try:
        return Trip.of_event(event)
    except ValueError as error:
        raise MessageError(f"{EVENT_STATUS.name}: {event.given()} is no gate event") from error
