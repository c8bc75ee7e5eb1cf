# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fill a `RunLog` block by block."""

from array import array
from collections.abc import Mapping
from typing import cast

import numpy as np

from boa_control.controller import EstimateColumns
from boa_control.events import Event
from boa_control.messages import sensors
from boa_control.plant import (
    FLOOR,
    GroundTruth,
    ImuSample,
    SensorFrame,
    TruthColumns,
    new_samples,
    orientations,
    planar_motions,
    pose_of,
)
from boa_description.arrays import Array, Integers
from boa_description.robot import Robot
from boa_tools.runs.block import Column, TickBlock
from boa_tools.runs.runlog import (
    EstimatedContacts,
    FloorForces,
    GateTrip,
    LoggedEvent,
    MapNews,
    RunLog,
    SensorSamples,
    TrueContacts,
    Truth,
)

DEBUG, TRUTH = "debug:", "truth:"  # before names among the columns
CONTACT_COLUMNS = 9
FLOOR_COLUMNS = 8


class Recording:
    """A run log under construction; a sink.

    `add` takes a block of ticks, `log` returns what there is so far.
    """

    def __init__(self, robot: Robot) -> None:
        self._joints = robot.joints
        self._in_space = not robot.planar
        self._floor = Column((FLOOR_COLUMNS,), np.float64)
        self._count = 0
        self._stamps = Column((), np.int64)
        self._columns: dict[str, Column[np.float64]] = {}
        self._sensors = {sensor.name: _Samples(sensor.columns(robot)) for sensor in sensors.SENSORS}
        self._contacts = Column((CONTACT_COLUMNS,), np.float64)
        self._true_contacts = Column((CONTACT_COLUMNS,), np.float64)
        self._has_truth = False
        # five events a second as objects would be 5 MB in an hour; they come back lap by lap
        self._event_stamps = array("q")
        self._event_numbers = array("q")  # in the following
        self._events: dict[Event, int] = {}
        self._trips: list[GateTrip] = []
        self._maps: list[MapNews] = []

    def add(self, block: TickBlock) -> None:
        """Add consecutive ticks."""
        ticks = self._count + np.arange(len(block.ticks))
        self._stamps.append(block.stamps_ns)
        self._append(block.numbers)
        self._append({DEBUG + name: values for name, values in block.debug.items()})
        for name, samples in self._sensors.items():
            samples.add(self._count, name, block.frames)
        self._contacts.append(_estimates(ticks, block.estimates))
        if block.truths:
            self._has_truth = True
            self._append(_motion(block.truths))
            if self._in_space:
                self._append({TRUTH + "pose": np.array([pose_of(truth) for truth in block.truths])})
                self._floor.append(_floor_rows(ticks, block.contacts))
            else:
                self._true_contacts.append(_truths(ticks, block.contacts))
        for tick in block.ticks:
            stamp = tick.frame.stamp_ns
            if tick.output.events:
                known = self._events
                for event in tick.output.events:
                    self._event_stamps.append(stamp)
                    self._event_numbers.append(known.setdefault(event, len(known)))
            if tick.trips:
                self._trips.extend(GateTrip(stamp, trip) for trip in tick.trips)
            if tick.output.corrected_map is not None:
                self._maps.append(MapNews(stamp, tick.output.corrected_map))
        self._count += len(block.ticks)

    def _append(self, parts: Mapping[str, Array]) -> None:
        """Add the values (T, ...) of the next ticks; NaN for earlier ones that had none."""
        for name, values in parts.items():
            column = self._columns.setdefault(name, Column(values.shape[1:], np.float64))
            column.pad(self._count)
            column.append(values)

    def log(self) -> RunLog:
        """Return the ticks so far."""
        for values in self._columns.values():
            values.pad(self._count)
        nothing = np.full((self._count, self._joints), np.nan)
        column = {name: values.array() for name, values in self._columns.items()}
        return RunLog(
            stamp_ns=self._stamps.array(),
            position=column.get("position", nothing),
            velocity=column.get("velocity", nothing),
            effort=column.get("effort", nothing),
            commanded=column.get("commanded", nothing),
            applied=column.get("applied", nothing),
            sensors={name: samples.table() for name, samples in self._sensors.items()},
            contacts=_estimated_contacts(self._contacts.array()),
            control_step_us=column.get("control_step_us", nothing[:, 0]),
            wall_s=column.get("wall_s", nothing[:, 0]),
            truth=self._truth(column),
            true_contacts=self._contacts_with_posts(),
            floor=_floor_forces(self._floor.array()) if self._in_space else None,
            debug=_debug(column),
            events=self._logged_events(),
            trips=tuple(self._trips),
            maps=tuple(self._maps),
        )

    def _logged_events(self) -> tuple[LoggedEvent, ...]:
        events = list(self._events)
        return tuple(
            LoggedEvent(stamp, events[number])
            for stamp, number in zip(self._event_stamps, self._event_numbers, strict=True)
        )

    def _truth(self, column: Mapping[str, Array]) -> Truth | None:
        if not self._has_truth:
            return None
        return Truth(
            base=column[TRUTH + "base"],
            base_velocity=column[TRUTH + "base_velocity"],
            joint_position=column[TRUTH + "joint_position"],
            joint_velocity=column[TRUTH + "joint_velocity"],
            delivered=column[TRUTH + "delivered"],
            pose=column.get(TRUTH + "pose"),
        )

    def _contacts_with_posts(self) -> TrueContacts | None:
        """None where nobody knows them, and for a robot that has a floor and no posts."""
        known = self._has_truth and not self._in_space
        return _true_contacts(self._true_contacts.array()) if known else None


class _Samples:
    """Samples of one sensor that come at their own rate; one that repeats the last stamp is the
    same sample. `shapes` are those of its arrays.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._last: int | None = None
        self._ticks, self._stamps = Column((), np.int64), Column((), np.int64)
        self._columns = {name: Column(shape, np.float64) for name, shape in shapes.items()}

    def add(self, first: int, sensor: str, frames: list[SensorFrame]) -> None:
        """Keep the new samples of ticks from `first` on."""
        places, new = new_samples(frames, sensor, self._last)
        if not new:
            return
        self._last = new[-1].stamp_ns
        self._ticks.append(first + np.array(places))
        self._stamps.append([sample.stamp_ns for sample in new])
        for name, column in self._columns.items():
            if sensor == "imu" and name == "orientation":
                column.append(orientations(cast(list[ImuSample], new)))
            else:
                column.append([getattr(sample, name) for sample in new])

    def table(self) -> SensorSamples:
        """The samples so far."""
        return SensorSamples(
            self._ticks.array(),
            self._stamps.array(),
            {name: column.array() for name, column in self._columns.items()},
        )


def _motion(truths: list[GroundTruth]) -> dict[str, Array]:
    """True motion in the plane, shape (T, ...)."""
    base, base_velocity = planar_motions(truths)
    return {
        TRUTH + "base": base,
        TRUTH + "base_velocity": base_velocity,
        TRUTH + "joint_position": np.array([truth.joint_position for truth in truths]),
        TRUTH + "joint_velocity": np.array([truth.joint_velocity for truth in truths]),
        TRUTH + "delivered": np.array([truth.delivered for truth in truths]),
    }


def _estimates(ticks: Integers, given: EstimateColumns) -> Array:
    return np.column_stack(
        (
            ticks[given.report],
            given.obstacle,
            given.link,
            given.side,
            given.established,
            given.offset,
            given.force,
            given.force_std,
            given.reference,
        )
    )


def _truths(ticks: Integers, given: TruthColumns) -> Array:
    return np.column_stack(
        (
            ticks[given.report],
            given.link,
            given.obstacle,
            given.point[:, :2],
            given.normal[:, :2],
            given.normal_force,
            given.tangential_force,
        )
    )


def _estimated_contacts(table: Array) -> EstimatedContacts:
    tick, obstacle, link, side = table[:, :4].T.astype(np.int64)
    offset, force, force_std, reference = table[:, 5:].T
    return EstimatedContacts(
        tick, obstacle, link, side, table[:, 4] != 0, offset, force, force_std, reference
    )


def _floor_rows(ticks: Integers, given: TruthColumns) -> Array:
    given = given.select(np.flatnonzero(given.obstacle == FLOOR))
    return np.column_stack((ticks[given.report], given.link, given.point, given.force))


def _floor_forces(table: Array) -> FloorForces:
    tick, link = table[:, :2].T.astype(np.int64)
    return FloorForces(tick, link, table[:, 2:5], table[:, 5:8])


def _true_contacts(table: Array) -> TrueContacts:
    tick, link, obstacle = table[:, :3].T.astype(np.int64)
    return TrueContacts(
        tick, link, obstacle, table[:, 3:5], table[:, 5:7], table[:, 7], table[:, 8]
    )


def _debug(column: Mapping[str, Array]) -> dict[str, Array]:
    return {
        name.removeprefix(DEBUG): values
        for name, values in column.items()
        if name.startswith(DEBUG)
    }
