# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Common part of the simple path-following controllers: estimated progress, a reference ahead of
it, contacts of the map.

They differ from `hoal` in how they turn this into torques; progress, model and contacts are the
same, so a comparison compares laws and nothing else. Floor friction is not modelled.
"""

from dataclasses import dataclass

from pydantic import Field

from boa_control.controller import Briefing
from boa_control.controllers.contact_report import transitions
from boa_control.controllers.speed_reference import SpeedReference
from boa_control.estimation.progress import Progress, ProgressObserver, require_visible_progress
from boa_control.events import Event, named
from boa_control.model.contact_schedule import ContactSchedule
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathModel, PathState
from boa_control.model.reference import ReferenceTable
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre, NewtonMetreSecond, Second


class PathParameters(Block):
    """How the reference moves, and how stiffly joints follow it."""

    speed: float = Field(
        default=0.1, ge=0, le=2, description="of the reference along the path, m/s"
    )
    acceleration: float = Field(default=0.1, gt=0, description="of the reference, m/s2")
    lead: Metre = Field(
        default=0.02, gt=0, description="most that the reference runs ahead of the robot"
    )
    wait: Second = Field(
        default=2.0, ge=0, description="before the reference moves; forces rise in this time"
    )
    kp: float = Field(default=60.0, ge=0, description="N m/rad")
    kd: NewtonMetreSecond = Field(default=3.0, ge=0)
    contact_ramp: Metre = Field(
        default=0.03, gt=0, description="path over which a contact is taken on or released"
    )


@dataclass(frozen=True, slots=True)
class Following:
    """One tick of following the path.

    Attributes:
        progress: estimated from the joint angles.
        state: the chain on the path at the estimated progress; valid until the next tick.
        contacts: planned there.
        phi, phi_dot: joint reference at the place where the reference is, shape (n - 1,), rad and
            rad/s.
        rate, acceleration: of the reference along the path, m/s and m/s2.
        share: of the desired contact force, 0 to 1, at the start.
        events: hybrid transitions of the contact set.
    """

    progress: Progress
    state: PathState
    contacts: ContactSet
    phi: Array
    phi_dot: Array
    rate: float
    acceleration: float
    share: float
    events: tuple[Event, ...]

    @property
    def debug(self) -> dict[str, float | Array]:
        """Values that every such controller records."""
        return {
            "progress_m": self.progress.s,
            "progress_rate_mps": self.progress.rate,
            "shape_error_rad": self.progress.residual,
            "speed_reference_mps": self.rate,
            "reference_rad": self.phi,
        }


class PathFollower:
    """Keeps progress and the reference, which moves at the desired speed but never far ahead of the
    robot.
    """

    def __init__(self, briefing: Briefing, parameters: PathParameters, where: str) -> None:
        """Build the tables (a few tenths of a second). `where`: name of the controller, for errors.

        Raises:
            BoaError: no path, one that hides how far the robot is, or an unknown start.
        """
        if briefing.path is None:
            raise BoaError(f"controller {where} follows a path; give the scenario a path block")
        if briefing.start_progress is None:
            raise BoaError(
                f"controller {where} must know where it starts; take out unknown_start, or use hoal"
            )
        robot = briefing.robot
        self.chain = PlanarChain(robot)
        self._reference = ReferenceTable(briefing.path.curve, robot.links, robot.link.pitch)
        require_visible_progress(self._reference)
        self._state_at = PathModel(self.chain, self._reference, briefing.ground).cursor()
        self._schedule = ContactSchedule(
            briefing.path, self._reference, robot.link.radius, parameters.contact_ramp
        )
        self._observer = ProgressObserver(briefing.start_progress, briefing.period)
        self._speed = SpeedReference(
            parameters.speed, parameters.acceleration, briefing.period, self._reference.end
        )
        self._names = briefing.path.names
        self._p = parameters
        self._period = briefing.period
        self._start = briefing.start_progress
        self.reset()

    def reset(self) -> None:
        """Back to the start."""
        self._observer.reset()
        self._speed.stop()
        self._s_reference, self._time = self._start, 0.0
        self._contacts: ContactSet | None = None

    def follow(self, frame: SensorFrame) -> Following:
        """Update with one sensor frame and advance the reference."""
        state = self._state_at(self._observer.predict())
        progress = self._observer.correct(frame.position, frame.velocity, state.q[3:], state.dphi)
        contacts = self._schedule.at(state)
        events = named(transitions(self._contacts, contacts), self._names)
        self._contacts = contacts
        self._time += self._period
        before = self._speed.speed
        if self._time >= self._p.wait:
            self._speed.advance(progress.s)
        rate = self._speed.speed
        self._s_reference = min(self._s_reference + rate * self._period, progress.s + self._p.lead)
        at = self._reference.at(self._s_reference)
        share = min(self._time / self._p.wait, 1.0) if self._p.wait > 0 else 1.0
        acceleration = (rate - before) / self._period
        return Following(
            progress, state, contacts, at.phi, at.dphi * rate, rate, acceleration, share, events
        )
