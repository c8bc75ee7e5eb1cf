# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""One run as arrays: what the robot measured, what was commanded and applied, and what was true.

Filled in process by `boa_tools.runs.drive`, or read back from a bag by `boa_tools.bags.ticks`;
metrics, plots and reports read nothing else. Row k of every array with T rows belongs to tick k.
Things of which there are several per tick, or that come at their own rate, are tables with a `tick`
column.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from boa_control.event_text import brief_of, text_of
from boa_control.events import Event
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.safety.trips import Trip
from boa_description.arrays import Array, Flags, Integers

NO_OBSTACLE = -1


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event of the controller, and when it was."""

    stamp_ns: int
    event: Event

    @property
    def text(self) -> str:
        """The whole sentence."""
        return text_of(self.event)

    @property
    def brief(self) -> str:
        """For people."""
        return brief_of(self.event)


@dataclass(frozen=True, slots=True)
class MapNews:
    """The map as the controller had corrected it at one instant."""

    stamp_ns: int
    corrected: CorrectedMap


@dataclass(frozen=True, slots=True)
class GateTrip:
    """A protective event of the torque gate, and when it was."""

    stamp_ns: int
    trip: Trip

    @property
    def brief(self) -> str:
        """For people."""
        return str(self.trip)


@dataclass(frozen=True, slots=True)
class Truth:
    """True motion in the plane, known in simulation only; a bag has it in space.

    Attributes:
        base, base_velocity: shape (T, 3), x, y, heading of link 1 and their rates; m, rad.
        joint_position, joint_velocity: shape (T, n_joints), rad, rad/s.
        delivered: torque that the gearboxes pass on, under the torque applied one tick before,
            shape (T, n_joints), N m; NaN where unknown.
        pose: position and quaternion of link 1, shape (T, 7), of a robot that leaves the plane.
    """

    base: Array
    base_velocity: Array
    joint_position: Array
    joint_velocity: Array
    delivered: Array
    pose: Array | None = None

    def pose_at(self, tick: int) -> Array:
        """The pose that a picture of a tick shows: `pose`, or `base` in the plane."""
        return (self.base if self.pose is None else self.pose)[tick]


@dataclass(frozen=True, slots=True)
class FloorForces:
    """True forces of the floor on the links of a robot that lies on it, one row per link and tick.

    Attributes:
        tick, link: shape (K,), indices from 0.
        point: centre of pressure, shape (K, 3), m. force: on the link, shape (K, 3), N.
    """

    tick: Integers
    link: Integers
    point: Array
    force: Array


@dataclass(frozen=True, slots=True)
class TrueContacts:
    """True contacts in the plane, one row per touching pair of link and obstacle and tick;
    simulation only.

    Attributes:
        tick, link, obstacle: shape (K,), indices from 0.
        point, normal: shape (K, 2), world frame; the normal points from the obstacle to the link.
        normal_force, tangential_force: shape (K,), N.
    """

    tick: Integers
    link: Integers
    obstacle: Integers
    point: Array
    normal: Array
    normal_force: Array
    tangential_force: Array


@dataclass(frozen=True, slots=True)
class EstimatedContacts:
    """Contacts as the controller reported them, one row per contact and tick; columns as in
    `ContactEstimate`.

    `obstacle` is `NO_OBSTACLE` where the controller does not use the map. Unknown numbers are NaN.
    """

    tick: Integers
    obstacle: Integers
    link: Integers
    side: Integers
    established: Flags
    offset: Array
    force: Array
    force_std: Array
    reference: Array


@dataclass(frozen=True, slots=True)
class SensorSamples:
    """All samples of one sensor.

    Attributes:
        tick: shape (K,), tick at which the sample first reached the controller.
        stamp_ns: shape (K,), when it was taken.
        columns: shape (K, ...) each, named and shaped as the sensor table says
            (`boa_control.messages.sensors`); NaN where missing.
    """

    tick: Integers
    stamp_ns: Integers
    columns: Mapping[str, Array]

    def __getitem__(self, column: str) -> Array:
        """One column."""
        return self.columns[column]


@dataclass(frozen=True, slots=True)
class RunLog:
    """One run.

    Attributes:
        stamp_ns: shape (T,), times of the joint samples.
        position, velocity, effort: shape (T, n_joints), as measured.
        commanded: torque of the controller in answer to this tick, N m; NaN where no answer is
            known.
        applied: what the gate let through, N m.
        sensors: samples of every sensor in the sensor table, by its name, e.g. "joint_force".
        contacts: contacts as the controller believed them.
        truth, true_contacts: None on a robot.
        floor: forces of a solid floor, under a simulated robot that leaves the plane.
        debug: the controller's debug record, name -> (T,) or (T, k); NaN where it said nothing.
        control_step_us: shape (T,), duration of the controller's step; NaN where unknown.
        wall_s: shape (T,), wall-clock time since the first tick; NaN where unknown.
        events: of the controller.
        trips: protective events of the torque gate.
        maps: the posts as the controller found them, each time there was news.
    """

    stamp_ns: Integers
    position: Array
    velocity: Array
    effort: Array
    commanded: Array
    applied: Array
    sensors: Mapping[str, SensorSamples]
    contacts: EstimatedContacts
    control_step_us: Array
    wall_s: Array
    truth: Truth | None = None
    true_contacts: TrueContacts | None = None
    floor: FloorForces | None = None
    debug: Mapping[str, Array] = field(default_factory=dict)
    events: tuple[LoggedEvent, ...] = ()
    trips: tuple[GateTrip, ...] = ()
    maps: tuple[MapNews, ...] = ()

    @property
    def ticks(self) -> int:
        """Number of control ticks."""
        return self.stamp_ns.size

    @property
    def joints(self) -> int:
        """Number of joints."""
        return self.position.shape[1]

    @property
    def time(self) -> Array:
        """Seconds since the first tick, shape (T,)."""
        return (self.stamp_ns - self.stamp_ns[:1]) * np.float64(1e-9)

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Ticks to which the controller's answer is known, (T,); on a robot some come too late."""
        return np.asarray(np.isfinite(self.commanded).all(axis=1))

    def joint_angles(self) -> Array:
        """Joint angles, true where known, else measured; shape (T, n_joints), rad."""
        return self.position if self.truth is None else self.truth.joint_position

    def joint_speeds(self) -> Array:
        """Joint speeds, true where known, else measured; shape (T, n_joints), rad/s."""
        return self.velocity if self.truth is None else self.truth.joint_velocity


Table = TypeVar("Table", TrueContacts, EstimatedContacts)


def select(table: Table, rows: Flags | Integers) -> Table:
    """Return the given rows of a table."""
    return type(table)(**{name: getattr(table, name)[rows] for name in table.__slots__})


def held_force(log: RunLog) -> Array:
    """Joint forces as the controller had them at each tick, shape (T, n_joints, 3), N; NaN before
    the first sample.
    """
    samples = log.sensors["joint_force"]
    return _held(samples.tick, samples["force"], log.ticks)


def torque_lost(log: RunLog) -> Array:
    """Torque that was applied and not passed on by the gearboxes, shape (T, n_joints), N m: what is
    applied at a tick acts until the next one, so the last row is NaN, as everything unknown.
    """
    lost = np.full_like(log.applied, np.nan)
    if log.truth is not None:
        lost[:-1] = log.applied[:-1] - log.truth.delivered[1:]
    return lost


def _held(tick: Integers, values: Array, ticks: int) -> Array:
    """Hold samples from the tick at which they came until the next one."""
    newest = np.searchsorted(tick, np.arange(ticks), side="right") - 1
    if not len(values):
        return np.full((ticks, *values.shape[1:]), np.nan)
    return np.where(
        (newest >= 0).reshape(-1, *[1] * (values.ndim - 1)), values[np.maximum(newest, 0)], np.nan
    )
