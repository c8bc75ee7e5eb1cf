"""The controller interface. A controller is pure: sensor frame in, torques and a debug record out.

Adding a controller is one class with a `Parameters` model, in a file beside the scenario or in a
package, and a `controller:` block in the scenario (docs/adding.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeGuard

from boa_control.paths.path import PlannedPath
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.scene import Box, Circle, GroundFriction, Wall


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


@dataclass(frozen=True, slots=True)
class ControlOutput:
    """Answer of a controller to one sensor frame.

    Attributes:
        torque: shape (n_joints,), N m.
        contacts: estimated contacts, published on /boa/contacts.
        events: hybrid transitions of this tick, e.g. "gain obstacle 7 link 13", "pass obstacle 3
            link 4 to 5".
        debug: scalars and small arrays for logs and plots; the key says the unit, e.g.
            "progress_m".
        ready: False while the controller refuses to move (e.g. start not found yet).
    """

    torque: Array
    contacts: Sequence[ContactEstimate] = ()
    events: tuple[str, ...] = ()
    debug: Mapping[str, float | Array] = field(default_factory=dict)
    ready: bool = True


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
    """

    robot: Robot
    obstacles: tuple[Circle | Box | Wall, ...]
    path: PlannedPath | None
    period: float
    start_base: Array | None
    start_joints: Array | None
    start_progress: float | None
    ground: GroundFriction
    contact_friction: float = 0.0
