"""Fill a `RunLog` tick by tick: a tick is one row, rows become columns block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, Self, TypeVar

import numpy as np

from boa_control.controller import ContactEstimate
from boa_control.controllers.contact_report import estimate_columns
from boa_control.messages import sensors
from boa_control.plant import ContactTruth, Sample, truth_columns
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_tools.runs.columns import Column
from boa_tools.runs.runlog import (
    EstimatedContacts,
    Event,
    GateTrip,
    RunLog,
    SensorSamples,
    TrueContacts,
    Truth,
)
from boa_tools.runs.tick import Tick

BLOCK = 512  # ticks that are put into columns, and whose contacts are worked out, together
DEBUG = "debug:"  # before the names of debug values among the columns
CONTACT_COLUMNS = 9


class Recording:
    """A run log under construction.

    `add` takes one control tick, `log` returns what there is so far.
    """

    def __init__(self, robot: Robot) -> None:
        self._joints = robot.joints
        self._count = 0
        self._stamps: list[int] = []
        self._rows: list[Array] = []  # of the last ticks, all with the layout below
        self._layout: _Layout | None = None
        self._stamp_column = Column((), np.int64)
        self._columns: dict[str, Column[np.float64]] = {}
        self._sensors = {sensor.name: _Samples(sensor.columns(robot)) for sensor in sensors.SENSORS}
        self._contacts = _Contacts(_estimates)
        self._true_contacts = _Contacts(_truths)
        self._has_truth = False
        self._events: list[Event] = []
        self._trips: list[GateTrip] = []

    def add(self, tick: Tick) -> None:
        """Add one tick."""
        k, frame, output, truth = self._count, tick.frame, tick.output, tick.truth
        if self._layout is None or not self._layout.fits(tick):
            self._flush()
            self._layout = _Layout.of(tick)
        self._stamps.append(frame.stamp_ns)
        self._rows.append(self._layout.row(tick))
        for name, samples in self._sensors.items():
            samples.add(k, frame.sample(name))
        self._contacts.add(k, output.contacts)
        if truth is not None:
            self._has_truth = True
            self._true_contacts.add(k, truth.contacts)
        if output.events:
            self._events.extend(Event(frame.stamp_ns, text) for text in output.events)
        if tick.trips:
            self._trips.extend(GateTrip(frame.stamp_ns, trip) for trip in tick.trips)
        self._count += 1
        if len(self._rows) == BLOCK:
            self._flush()

    def log(self) -> RunLog:
        """Return the ticks so far."""
        self._flush()
        for values in self._columns.values():
            values.pad(self._count)
        nothing = np.full((self._count, self._joints), np.nan)
        column = {name: values.array() for name, values in self._columns.items()}
        return RunLog(
            stamp_ns=self._stamp_column.array(),
            position=column.get("position", nothing),
            velocity=column.get("velocity", nothing),
            effort=column.get("effort", nothing),
            commanded=column.get("commanded", nothing),
            applied=column.get("applied", nothing),
            sensors={name: samples.table() for name, samples in self._sensors.items()},
            contacts=_estimated_contacts(self._contacts.table()),
            control_step_us=column.get("control_step_us", nothing[:, 0]),
            wall_s=column.get("wall_s", nothing[:, 0]),
            truth=self._truth(column),
            true_contacts=_true_contacts(self._true_contacts.table()) if self._has_truth else None,
            debug=_debug(column),
            events=tuple(self._events),
            trips=tuple(self._trips),
        )

    def _flush(self) -> None:
        """Put the rows into columns."""
        if self._layout is None or not self._rows:
            return
        start = self._count - len(self._rows)
        self._stamp_column.append(self._stamps)
        rows = np.array(self._rows)
        begin = 0
        for name, shape in self._layout.shapes.items():
            end = begin + math.prod(shape)
            column = self._columns.setdefault(name, Column(shape, np.float64))
            column.pad(start)
            column.append(rows[:, begin:end].reshape(-1, *shape))
            begin = end
        self._stamps.clear()
        self._rows.clear()

    def _truth(self, column: Mapping[str, Array]) -> Truth | None:
        if not self._has_truth:
            return None
        return Truth(
            base=column["truth:base"],
            base_velocity=column["truth:base_velocity"],
            joint_position=column["truth:joint_position"],
            joint_velocity=column["truth:joint_velocity"],
        )


class _Layout(NamedTuple):
    """Order of the numbers of a tick in its row.

    Attributes:
        shapes: names and shapes of its parts, in order.
        names: of the debug values, as they come.
        scalars, arrays: those that are one number, and the others.
        truth: whether the true state is known.
    """

    shapes: dict[str, tuple[int, ...]]
    names: tuple[str, ...]
    scalars: tuple[str, ...]
    arrays: tuple[str, ...]
    truth: bool

    @classmethod
    def of(cls, tick: Tick) -> Self:
        """The layout that fits a tick."""
        frame, debug, truth = tick.frame, tick.output.debug, tick.truth
        scalars = tuple(name for name, value in debug.items() if not np.ndim(value))
        arrays = tuple(name for name, value in debug.items() if np.ndim(value))
        parts: dict[str, Array | float] = {
            "position": frame.position,
            "velocity": frame.velocity,
            "effort": frame.effort,
            "commanded": tick.output.torque,
            "applied": tick.applied,
            "control_step_us": tick.control_step_us,
            "wall_s": tick.wall_s,
            **{DEBUG + name: debug[name] for name in (*scalars, *arrays)},
        }
        if truth is not None:
            parts |= {
                "truth:base": truth.base,
                "truth:base_velocity": truth.base_velocity,
                "truth:joint_position": truth.joint_position,
                "truth:joint_velocity": truth.joint_velocity,
            }
        shapes = {name: np.shape(value) for name, value in parts.items()}
        return cls(shapes, tuple(debug), scalars, arrays, truth is not None)

    def fits(self, tick: Tick) -> bool:
        """Whether a tick has the same parts."""
        debug = tick.output.debug
        return (
            tuple(debug) == self.names
            and all(np.shape(debug[name]) == self.shapes[DEBUG + name] for name in self.arrays)
            and (tick.truth is not None) == self.truth
        )

    def row(self, tick: Tick) -> Array:
        """The numbers of a tick."""
        frame, debug, truth = tick.frame, tick.output.debug, tick.truth
        parts = [
            frame.position,
            frame.velocity,
            frame.effort,
            tick.output.torque,
            tick.applied,
            np.array([tick.control_step_us, tick.wall_s, *[debug[name] for name in self.scalars]]),
            *[np.ravel(debug[name]) for name in self.arrays],
        ]
        if truth is not None:
            parts += (truth.base, truth.base_velocity, truth.joint_position, truth.joint_velocity)
        return np.concatenate(parts)


class _Samples:
    """Samples of one sensor that come at their own rate; one that repeats the last stamp is the
    same sample. `shapes` are those of its arrays.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._shapes = dict(shapes)
        self._last: int | None = None
        self._ticks: list[int] = []
        self._stamps: list[int] = []
        self._rows: list[Array] = []
        self._tick_column, self._stamp_column = Column((), np.int64), Column((), np.int64)
        self._columns = {name: Column(shape, np.float64) for name, shape in shapes.items()}

    def add(self, tick: int, sample: Sample | None) -> None:
        """Keep a new sample."""
        if sample is None or sample.stamp_ns == self._last:
            return
        self._last = sample.stamp_ns
        self._ticks.append(tick)
        self._stamps.append(sample.stamp_ns)
        self._rows.append(np.concatenate([getattr(sample, n) for n in self._shapes], axis=None))
        if len(self._rows) == BLOCK:
            self._flush()

    def table(self) -> SensorSamples:
        """The samples so far."""
        self._flush()
        return SensorSamples(
            self._tick_column.array(),
            self._stamp_column.array(),
            {name: column.array() for name, column in self._columns.items()},
        )

    def _flush(self) -> None:
        """Put the rows into columns."""
        if not self._rows:
            return
        self._tick_column.append(self._ticks)
        self._stamp_column.append(self._stamps)
        rows = np.array(self._rows)
        begin = 0
        for name, shape in self._shapes.items():
            end = begin + math.prod(shape)
            self._columns[name].append(rows[:, begin:end].reshape(-1, *shape))
            begin = end
        self._ticks.clear()
        self._stamps.clear()
        self._rows.clear()


Contact = TypeVar("Contact", ContactEstimate, ContactTruth)


class _Contacts(Generic[Contact]):
    """Contacts of ticks, worked out block by block into a table with the tick in front."""

    def __init__(self, rows: Callable[[Array, Sequence[Sequence[Contact]]], Array]) -> None:
        """`rows` makes rows (K, 9) of ticks and their contacts."""
        self._make: Callable[[Array, Sequence[Sequence[Contact]]], Array] = rows
        self._ticks: list[int] = []
        self._waiting: list[Sequence[Contact]] = []
        self._column = Column((CONTACT_COLUMNS,), np.float64)

    def add(self, tick: int, contacts: Sequence[Contact]) -> None:
        """Add the contacts of a tick."""
        self._ticks.append(tick)
        self._waiting.append(contacts)
        if len(self._waiting) == BLOCK:
            self._flush()

    def table(self) -> Array:
        """The rows so far, shape (K, 9)."""
        self._flush()
        return self._column.array()

    def _flush(self) -> None:
        if self._waiting:
            self._column.append(self._make(np.array(self._ticks, float), self._waiting))
            self._ticks.clear()
            self._waiting.clear()


def _estimates(ticks: Array, contacts: Sequence[Sequence[ContactEstimate]]) -> Array:
    given = estimate_columns(contacts)
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


def _estimated_contacts(table: Array) -> EstimatedContacts:
    tick, obstacle, link, side = table[:, :4].T.astype(np.int64)
    offset, force, force_std, reference = table[:, 5:].T
    return EstimatedContacts(
        tick, obstacle, link, side, table[:, 4] != 0, offset, force, force_std, reference
    )


def _truths(ticks: Array, contacts: Sequence[Sequence[ContactTruth]]) -> Array:
    given = truth_columns(contacts)
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
