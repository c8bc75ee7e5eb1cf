# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller interface. A controller is pure: sensor frame in, torques and a debug record out.

Adding a controller is one class with a `Parameters` model, in a file beside the scenario or in a
package, and a `controller:` block in the scenario (docs/adding.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self, TypeGuard

import numpy as np

from boa_control.events import Event
from boa_control.paths.corrected_map import CorrectedMap
from boa_control.paths.goals import Goal
from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_control.plant.deferred import columns_of
from boa_description.arrays import Array, Flags, Indices
from boa_description.robot import Robot
from boa_description.scene import GroundFriction, Obstacle


class ContactEstimate(NamedTuple):
    """One contact as the controller believes it to be.

    Attributes:
        obstacle: index in the obstacle map; None where the map is not used.
        link: index of the link, 0 = tail.
        offset: position of the contact point along the link, from the link's tail-side joint, m.
        side: +1 obstacle on the left of the link, -1 on the right.
        force: estimated normal force, N, >= 0.
        force_std: standard deviation of `force`, N; NaN where unknown.
        reference: feasible reference of the normal force, N; NaN where there is none.
        established: the contact counts as established (a member of the active set at full
            activation).
    """

    obstacle: int | None
    link: int
    offset: float
    side: int
    force: float
    force_std: float = float("nan")
    reference: float = float("nan")
    established: bool = True


class EstimateColumns(NamedTuple):
    """Contacts of many reports as columns of shape (R,), named as in `ContactEstimate`.

    Attributes:
        report: index of the report that each contact belongs to.
        obstacle: -1 where the map is not used.
    """

    report: Indices
    obstacle: Indices
    link: Indices
    offset: Array
    side: Array
    force: Array
    force_std: Array
    reference: Array
    established: Flags

    def singles(self) -> list[ContactEstimate]:
        """The contacts one by one."""
        contacts = list(map(ContactEstimate, *(column.tolist() for column in self[1:])))
        return [one if one.obstacle != -1 else one._replace(obstacle=None) for one in contacts]


def estimate_columns(reports: Sequence[Sequence[ContactEstimate]]) -> EstimateColumns:
    """The contacts of many outputs as columns."""
    together: EstimateColumns | None = columns_of(reports)
    if together is not None:
        return together
    rows = [
        (k, -1 if one.obstacle is None else one.obstacle, *one[1:])
        for k, contacts in enumerate(reports)
        for one in contacts
    ]
    table = np.array(rows, dtype=np.float64).reshape(-1, len(EstimateColumns._fields)).T
    report, obstacle, link, offset, side, force, force_std, reference, established = table
    return EstimateColumns(
        report.astype(int),
        obstacle.astype(int),
        link.astype(int),
        offset,
        side.astype(int),
        force,
        force_std,
        reference,
        established != 0,
    )


class ControlOutput(NamedTuple):
    """Answer of a controller to one sensor frame.

    Attributes:
        torque: shape (n_joints,), N m.
        contacts: estimated contacts, published on /boa/contacts.
        events: of this tick, e.g. hybrid transitions; `EventKind.NOTE` for what has no kind.
        debug: scalars and small arrays for logs and plots; the key says the unit, e.g.
            "progress_m".
        ready: False while the controller refuses to move (e.g. start not found yet).
        corrected_map: the posts as it has found them, where there is news of them.
    """

    torque: Array
    contacts: Sequence[ContactEstimate] = ()
    events: tuple[Event, ...] = ()
    debug: Mapping[str, float | Array] = MappingProxyType({})
    ready: bool = True
    corrected_map: CorrectedMap | None = None


def debug_layout(output: ControlOutput) -> object:
    """Names and shapes of an output's debug values, to compare with those of others."""
    debug = output.debug
    arrays = [(name, value.shape) for name, value in debug.items() if type(value) is np.ndarray]
    return tuple(debug), arrays


def debug_columns(outputs: Sequence[ControlOutput]) -> dict[str, Array]:
    """The debug values of outputs with one layout, shape (T, ...) each."""
    records = [output.debug for output in outputs]
    return {name: np.array([record[name] for record in records], float) for name in records[0]}


class Controller(Protocol):
    """A control law. Holds its own state (integrals, progress); never reads a clock or a file."""

    def reset(self) -> None:
        """Forget everything; the next step starts a new run."""

    def step(self, frame: SensorFrame) -> ControlOutput:
        """Compute torques for one sensor frame.

        Ticks come at the control period in order of stamp.
        """


@dataclass(frozen=True, slots=True)
class SetPoint:
    """Set-points that may be changed while a controller runs.

    Attributes:
        speed: along the path, m/s; negative: back the way it came, 0: stop and hold. Cut to what
            the controller's own limits (speed profile, acceleration) allow.
        force: desired on every contact, N. force_floor: kept on every contact, N.
    """

    speed: float
    force: float
    force_floor: float


class Steerable(Controller, Protocol):
    """A controller that takes set-points while it runs."""

    @property
    def set_point(self) -> SetPoint:
        """The present one; at first that of the scenario."""

    def steer(self, set_point: SetPoint) -> None:
        """Take a new set-point, from the next step on.

        Raises:
            BoaError: a value that this controller cannot follow; the old set-point stays.
        """


def is_steerable(controller: Controller) -> TypeGuard[Steerable]:
    """Whether the controller takes set-points."""
    return callable(getattr(controller, "steer", None))


class Follower(Steerable, Protocol):
    """A controller that can go over to another path while the robot stands."""

    @property
    def place(self) -> float:
        """Arc length of the middle joint on the present path, as estimated, m."""

    @property
    def unrest(self) -> str:
        """Why no other path may be taken now; empty while the robot stands, held by its posts."""

    def tables(self, path: PlannedPath) -> Callable[[], Any]:
        """The slow part of a change of path: a task that can be pickled and called anywhere, and
        whose result can be pickled, too. It raises BoaError for a path that the robot cannot
        follow.
        """

    def on_path(self, path: PlannedPath, place: float, tables: Any = None) -> Self:
        """The controller that goes on from here, with the next step, on another path.

        This one has not changed, but is not to be stepped before its next reset.

        Args:
            place: arc length of the middle joint on that path, m.
            tables: result of the task for this path; None: it is done now.

        Raises:
            BoaError: the robot moves, or does not lie on that path there; or the robot cannot
                follow it.
        """


def is_follower(controller: Controller) -> TypeGuard[Follower]:
    """Whether the controller takes new paths."""
    return callable(getattr(controller, "on_path", None))


class Onlooker(Controller, Protocol):
    """A controller that goes by the place of the robot, which it also follows while another one
    drives.
    """

    def look_on(self, frame: SensorFrame) -> None:
        """Follow the robot by one frame that another controller answers."""


def is_onlooker(controller: Controller) -> TypeGuard[Onlooker]:
    """Whether the controller follows the robot before it drives it."""
    return callable(getattr(controller, "look_on", None))


@dataclass(frozen=True, slots=True)
class Briefing:
    """All that a controller knows before a run: the robot, the map and where it starts.

    Attributes:
        robot: the nominal description.
        obstacles: the map, as drawn or measured (true positions may differ).
        path: the planned path with its obstacles; None for scenarios without one.
        period: control period, s.
        start_base: nominal x, y, heading of link 1 at start; None when unknown.
        start_joints: nominal joint angles at start; None when unknown.
        start_progress: path coordinate of the reference joint at start, m; None when unknown or no
            path.
        ground: what is known of the ground friction.
        contact_friction: known friction coefficient between links and obstacles.
        goal: where to go without posts; None for scenarios without one.
        tracked_link: index of the link whose pose the samples of the sensor `tracker` tell; None
            where there is no tracker.
    """

    robot: Robot
    obstacles: tuple[Obstacle, ...]
    path: PlannedPath | None
    period: float
    start_base: Array | None
    start_joints: Array | None
    start_progress: float | None
    ground: GroundFriction
    contact_friction: float = 0.0
    goal: Goal | None = None
    tracked_link: int | None = None
