# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run in a bag: written tick by tick with the messages that the nodes would publish, and read
back.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from boa_control.experiments.experiment import Experiment
from boa_control.messages.control import ControlEncoder, TorqueCodec
from boa_control.messages.events import GATE, encode_events
from boa_control.messages.markers import encode_obstacles
from boa_control.messages.message_columns import MessageColumn, by_topics
from boa_control.messages.plant_views import PlantViews
from boa_control.messages.sensors import SensorEncoder, sensor_topics
from boa_control.messages.status import encode_clock
from boa_control.messages.topics import (
    CLOCK,
    CONTACT_FORCE_MARKERS,
    CORRECTED_MAP,
    EVENT_STATUS,
    EVENTS,
    JOINT_FORCE_MARKERS,
    JOINT_STATES,
    LINK_POSES,
    OBSTACLES,
    PATH,
    ROBOT_DESCRIPTION,
    SIM_CONTACT_FORCE_MARKERS,
    TORQUE_APPLIED,
    TRANSFORMS,
    Outgoing,
    Topic,
)
from boa_control.messages.truth import TruthCodec
from boa_control.messages.views import encode_path, encode_text
from boa_control.plant import base_of, put_together
from boa_description.errors import BoaError
from boa_tools.bags.assembly import ANSWERS, PATIENCE, TRUTH, WALL, Assembler, measured_topics
from boa_tools.bags.rosbag import BagError, BagWriter, bag_messages, bag_summary
from boa_tools.bags.transforms import BagTransforms
from boa_tools.runs.block import Gathering, Sink, TickBlock
from boa_tools.runs.loop import Tick
from boa_tools.runs.recording import Recording
from boa_tools.runs.results import scenario_text
from boa_tools.runs.runlog import RunLog

ARROWS = (CONTACT_FORCE_MARKERS, JOINT_FORCE_MARKERS, SIM_CONTACT_FORCE_MARKERS)
VIEWS = (LINK_POSES, PATH, OBSTACLES, ROBOT_DESCRIPTION, *ARROWS, *TRANSFORMS)


def written_topics() -> tuple[Topic, ...]:
    """Topics of the bag of an in-process run."""
    return (CLOCK, *sensor_topics(), *ANSWERS, CORRECTED_MAP, EVENT_STATUS, EVENTS, *TRUTH, *VIEWS)


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
            first = [MessageColumn(topic, [raw]) for topic, raw in self._first_views(stamps[0])]
            self._bag.write_all(stamps[:1], first)
        debug = {**block.debug, WALL: block.numbers["wall_s"]}
        columns = [
            *self._sensors.encode_many(block.frames),
            *self._truth.encode_many(block.truths, block.contacts),
            *self._plant_views(block),
            MessageColumn(CLOCK, list(map(encode_clock, stamps))),
            *self._control.encode_many(
                stamps, block.outputs, debug, block.estimates, block.numbers["control_step_us"]
            ),
            MessageColumn(
                TORQUE_APPLIED, self._applied.encode_many(stamps, effort=block.numbers["applied"])
            ),
            *by_topics((EVENT_STATUS, EVENTS), _trip_events(block)),
        ]
        self._bag.write_all(stamps, columns)

    def _plant_views(self, block: TickBlock) -> list[MessageColumn]:
        """Views of the plant at the ticks that are due; only where the truth is known."""
        if not block.truths:
            return []
        due = [tick for tick, stamp in enumerate(block.stamps_ns) if self._views.due(stamp)]
        if not due:
            return []
        truths = [block.truths[tick] for tick in due]
        put_together([truth.contacts for truth in truths])
        base = np.array([base_of(truth, self._robot) for truth in truths])
        joints = np.array([truth.joint_position for truth in truths])
        frames = [block.frames[tick] for tick in due]
        poses, *arrows = self._views.encode_many(due, frames, base, joints, truths)
        return [poses, self._frames.beside_all(poses), *arrows]

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


def _trip_events(block: TickBlock) -> Iterator[tuple[int, Outgoing]]:
    """Events of the gate, by tick."""
    for number, tick in enumerate(block.ticks):
        if tick.trips:
            stamp = tick.frame.stamp_ns
            yield number, encode_events(stamp, GATE, [trip.event() for trip in tick.trips])


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
    assembler = Assembler(experiment)
    any_tick = False
    try:
        topics = (*measured_topics(), *ANSWERS, CORRECTED_MAP, EVENT_STATUS, EVENTS, *TRUTH)
        for tick in assembler.ticks(bag_messages(path, topics)):
            any_tick = True
            yield tick
    except BagError:
        raise
    except BoaError as error:
        raise BoaError(f"{error} (bag '{path}', robot {experiment.robot.name})") from error
    if not any_tick:
        names = ", ".join(topic.name for topic in bag_summary(path).topics if topic.count)
        raise BoaError(
            f"bag '{path}' has no messages on {JOINT_STATES.name}; topics with messages: "
            f"{names or 'none'}"
        )
