"""Fill a `RunLog` tick by tick, in preallocated arrays that grow when a run turns out longer."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.messages import sensors
from boa_control.plant import GroundTruth, Sample
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_tools.runs.runlog import (
    NO_OBSTACLE,
    EstimatedContacts,
    Event,
    GateTrip,
    RunLog,
    SensorSamples,
    TrueContacts,
    Truth,
)
from boa_tools.runs.tick import Tick


class Recording:
    """A run log under construction.

    `add` takes one control tick, `log` returns what there is so far.
    """

    def __init__(self, robot: Robot, expected_ticks: int) -> None:
        self._joints = robot.joints
        self._capacity = max(1, expected_ticks)
        self._count = 0
        self._stamps = np.zeros(self._capacity, dtype=np.int64)
        self._columns: dict[str, Array] = {}
        self._sensors = {sensor.name: _Samples(sensor.columns(robot)) for sensor in sensors.SENSORS}
        self._contacts = array("d")
        self._true_contacts = array("d")
        self._has_truth = False
        self._events: list[Event] = []
        self._trips: list[GateTrip] = []

    def add(self, tick: Tick) -> None:
        """Add one tick."""
        if self._count == self._capacity:
            self._grow()
        k, frame, output = self._count, tick.frame, tick.output
        self._stamps[k] = frame.stamp_ns
        self._put("position", frame.position)
        self._put("velocity", frame.velocity)
        self._put("effort", frame.effort)
        self._put("commanded", output.torque)
        self._put("applied", tick.applied)
        self._put("control_step_us", tick.control_step_us)
        self._put("wall_s", tick.wall_s)
        for key, value in output.debug.items():
            self._put("debug:" + key, value)
        for name, samples in self._sensors.items():
            samples.add(k, frame.sample(name))
        for contact in output.contacts:
            self._contacts.extend(_estimate_row(k, contact))
        if tick.truth is not None:
            self._put_truth(k, tick.truth)
        self._events.extend(Event(frame.stamp_ns, text) for text in output.events)
        self._trips.extend(GateTrip(frame.stamp_ns, trip) for trip in tick.trips)
        self._count += 1

    def log(self) -> RunLog:
        """Return the ticks so far."""
        nothing = np.full((self._count, self._joints), np.nan)
        column = {name: values[: self._count] for name, values in self._columns.items()}
        return RunLog(
            stamp_ns=self._stamps[: self._count],
            position=column.get("position", nothing),
            velocity=column.get("velocity", nothing),
            effort=column.get("effort", nothing),
            commanded=column.get("commanded", nothing),
            applied=column.get("applied", nothing),
            sensors={name: samples.table() for name, samples in self._sensors.items()},
            contacts=_estimates(self._contacts),
            control_step_us=column.get("control_step_us", nothing[:, 0]),
            wall_s=column.get("wall_s", nothing[:, 0]),
            truth=self._truth(column),
            true_contacts=_true_contacts(self._true_contacts) if self._has_truth else None,
            debug=_debug(column),
            events=tuple(self._events),
            trips=tuple(self._trips),
        )

    def _put(self, name: str, value: float | Array) -> None:
        if name not in self._columns:
            self._columns[name] = np.full((self._capacity, *np.shape(value)), np.nan)
        self._columns[name][self._count] = value

    def _put_truth(self, k: int, truth: GroundTruth) -> None:
        self._has_truth = True
        self._put("truth:base", truth.base)
        self._put("truth:base_velocity", truth.base_velocity)
        self._put("truth:joint_position", truth.joint_position)
        self._put("truth:joint_velocity", truth.joint_velocity)
        for contact in truth.contacts:
            self._true_contacts.extend(
                (
                    k,
                    contact.link,
                    contact.obstacle,
                    *contact.point[:2],
                    *contact.normal[:2],
                    contact.normal_force,
                    contact.tangential_force,
                )
            )

    def _grow(self) -> None:
        self._capacity *= 2
        self._stamps = np.concatenate((self._stamps, np.zeros_like(self._stamps)))
        for name, values in self._columns.items():
            self._columns[name] = np.concatenate((values, np.full_like(values, np.nan)))

    def _truth(self, column: Mapping[str, Array]) -> Truth | None:
        if not self._has_truth:
            return None
        return Truth(
            base=column["truth:base"],
            base_velocity=column["truth:base_velocity"],
            joint_position=column["truth:joint_position"],
            joint_velocity=column["truth:joint_velocity"],
        )


class _Samples:
    """Samples of one sensor that come at their own rate; one that repeats the last stamp is the
    same sample. `columns` are the shapes of its arrays.
    """

    def __init__(self, columns: Mapping[str, tuple[int, ...]]) -> None:
        self._columns = dict(columns)
        self._ticks = array("q")
        self._stamps = array("q")
        self._values = {name: array("d") for name in columns}

    def add(self, tick: int, sample: Sample | None) -> None:
        """Keep a new sample."""
        if sample is None or (self._stamps and self._stamps[-1] == sample.stamp_ns):
            return
        self._ticks.append(tick)
        self._stamps.append(sample.stamp_ns)
        for name, values in self._values.items():
            values.frombytes(np.asarray(getattr(sample, name), dtype=np.float64).tobytes())

    def table(self) -> SensorSamples:
        """The samples so far."""
        return SensorSamples(
            np.array(self._ticks, dtype=np.int64),
            np.array(self._stamps, dtype=np.int64),
            {
                name: np.array(self._values[name]).reshape(-1, *shape)
                for name, shape in self._columns.items()
            },
        )


def _estimate_row(tick: int, contact: ContactEstimate) -> tuple[float, ...]:
    obstacle = NO_OBSTACLE if contact.obstacle is None else contact.obstacle
    return (
        tick,
        obstacle,
        contact.link,
        contact.side,
        contact.established,
        contact.offset,
        contact.force,
        contact.force_std,
        contact.reference,
    )


def _estimates(rows: array[float]) -> EstimatedContacts:
    table = np.array(rows).reshape(-1, 9)
    tick, obstacle, link, side = table[:, :4].T.astype(np.int64)
    offset, force, force_std, reference = table[:, 5:].T
    return EstimatedContacts(
        tick, obstacle, link, side, table[:, 4] != 0, offset, force, force_std, reference
    )


def _true_contacts(rows: array[float]) -> TrueContacts:
    table = np.array(rows).reshape(-1, 9)
    tick, link, obstacle = table[:, :3].T.astype(np.int64)
    return TrueContacts(
        tick, link, obstacle, table[:, 3:5], table[:, 5:7], table[:, 7], table[:, 8]
    )


def _debug(column: Mapping[str, Array]) -> dict[str, Array]:
    return {
        name.removeprefix("debug:"): values
        for name, values in column.items()
        if name.startswith("debug:")
    }
