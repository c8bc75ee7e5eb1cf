# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid position and force control of the planar arm that grinds a wall (thesis section 3.1).

The task space of the tip has two directions: along the wall the position is controlled, into the
  wall the force. tau = J_p' u_p + J_f' u_f,  J_p = t' J,  J_f = -n' J     (t along the wall, n out
  of it)
is the thesis's law. On its own it leaves inertia to couple the two: accelerating along the wall
changes the force. With `decouple` the motion part is computed torque instead, tau = M qdd + h +
J_f' u_f with n' (J qdd + J' qd) = 0 and t' (J qdd + J' qd) = u_p, so that the force is u_f whatever
the motion (Yoshikawa 1987).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from boa_control.controller import Briefing, ControlOutput
from boa_control.controllers.common import seconds
from boa_control.controllers.thesis.two_link import TwoLinkArm
from boa_control.estimation.chain_sample import noise_of, sample_from_frame
from boa_control.estimation.contact_forces import ContactForceEstimator
from boa_control.estimation.contact_observer import contact_estimates
from boa_control.events import Event, EventKind
from boa_control.model.contact_geometry import LinkContacts, ObstacleMap, chain_pose, find_contacts
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Block, Metre, Newton, Ratio, Second

REACH = 0.02  # m, from the tip, within which the wall is searched


class WallGrinding:
    """Strokes along a wall under constant contact force."""

    class Parameters(Block):
        """The task and its gains. Positions along the wall count from where the tip starts."""

        force: Newton = Field(default=0.5, gt=0, description="contact force, F_c")
        offset: Metre = Field(
            default=0.05, description="first reference, ahead of where the tip starts"
        )
        travel: Metre = Field(default=0.6, description="from one end of a stroke to the other")
        strokes: float = Field(default=1.5, gt=0, description="back and forth, then hold")
        period: Second = Field(default=4.0, gt=0, description="of one stroke back and forth")
        kp: float = Field(default=100.0, ge=0, description="1/s2 (N/m without decouple)")
        kd: float = Field(default=20.0, ge=0, description="1/s (N s/m without decouple)")
        force_kp: Ratio = Field(default=0.0, ge=0)
        force_ki: float = Field(default=5.0, ge=0, description="1/s")
        integral_limit: Newton = Field(default=0.5, ge=0)
        decouple: bool = True

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        robot = briefing.robot
        if (
            robot.mount != "fixed"
            or robot.links != 3
            or briefing.start_base is None
            or briefing.start_joints is None
        ):
            raise BoaError(
                f"controller wall_grinding drives an arm of two rods on a fixed base, not "
                f"robot {robot.name} "
                f"(mount {robot.mount}, {robot.links} links); use robot: {{name: rods2}} with "
                f"initial: {{base, joints}}"
            )
        self._parameters = parameters
        self._period = briefing.period
        self._robot = robot
        self._base = briefing.start_base
        self._map = ObstacleMap.of(briefing.obstacles)
        self._arm = _arm_of(briefing)
        self._forces = ContactForceEstimator(robot, noise_of(robot, 1e-3), fixed_base=True)
        if not len(self._contact(briefing.start_joints)):
            raise BoaError(
                "controller wall_grinding: the tip does not touch any wall at the start; move "
                "the wall or the arm"
            )
        self.reset()

    def reset(self) -> None:
        """Start at the first stroke."""
        self._start_ns: int | None = None
        self._origin = np.zeros(2)
        self._integral = 0.0

    def step(self, frame: SensorFrame) -> ControlOutput:
        """One step of the law."""
        q = frame.position + np.array([self._base[2], 0.0])
        if self._start_ns is None:
            self._start_ns, self._origin = frame.stamp_ns, self._arm.tip(q)
        contacts = self._contact(frame.position)
        if not len(contacts):
            lost = Event(kind=EventKind.WALL_LOST)
            return ControlOutput(np.zeros(2), events=(lost,), ready=False)
        out_of_wall = _in_world(contacts, self._base[2] + frame.position.sum())
        along = np.array([out_of_wall[1], -out_of_wall[0]])
        reference = _stroke(self._parameters, seconds(frame.stamp_ns, self._start_ns))
        measured, std = self._measured(frame, contacts)
        force = self._force_command(measured)
        torque = self._torque(q, frame.velocity, along, out_of_wall, reference, force)
        tip = self._arm.tip(q)
        estimates = contact_estimates(
            contacts, *np.array([[measured], [std], [self._parameters.force]])
        )
        debug: dict[str, float | Array] = {
            "along_m": float(along @ (tip - self._origin)),
            "along_reference_m": reference.position,
            "tip_m": tip,
            "integral_n": self._integral,
        }
        return ControlOutput(torque, contacts=estimates, debug=debug)

    def _contact(self, joints: Array) -> LinkContacts:
        """The wall nearest to the tip."""
        near = find_contacts(chain_pose(self._robot, self._base, joints), self._map, REACH)
        at_tip = np.flatnonzero(near.link == 2)
        return near.select(at_tip[np.argsort(near.gap[at_tip])][:1])

    def _measured(self, frame: SensorFrame, contacts: LinkContacts) -> tuple[float, float]:
        sample = sample_from_frame(frame)
        if sample is None:
            return float("nan"), float("inf")
        estimate = self._forces.forces(sample, contacts)
        return float(estimate.force[0]), float(estimate.std[0])

    def _force_command(self, measured: float) -> float:
        """Feedforward of the reference force with PI correction, N."""
        error = self._parameters.force - measured
        if not math.isfinite(error):
            return self._parameters.force
        limit = self._parameters.integral_limit
        integral = self._integral + self._parameters.force_ki * self._period * error
        self._integral = min(max(integral, -limit), limit)
        return self._parameters.force + self._parameters.force_kp * error + self._integral

    def _torque(
        self,
        q: Array,
        qd: Array,
        along: Array,
        out_of_wall: Array,
        reference: _Stroke,
        force: float,
    ) -> Array:
        jacobian = self._arm.jacobian(q)
        pressing: Array = -jacobian.T @ out_of_wall * force
        error = reference.position - along @ (self._arm.tip(q) - self._origin)
        effort = self._parameters.kp * error + self._parameters.kd * (
            reference.speed - along @ (jacobian @ qd)
        )
        if not self._parameters.decouple:
            moving: Array = jacobian.T @ along * effort
            return moving + pressing
        acceleration = (
            along * (reference.acceleration + effort) - self._arm.jacobian_rate(q, qd) @ qd
        )
        qdd = np.linalg.solve(jacobian, acceleration)
        computed: Array = self._arm.mass_matrix(q) @ qdd + self._arm.bias(q, qd)
        return computed + pressing


@dataclass(frozen=True, slots=True)
class _Stroke:
    """Reference along the wall: m, m/s, m/s2."""

    position: float
    speed: float
    acceleration: float


def _stroke(parameters: WallGrinding.Parameters, time: float) -> _Stroke:
    """A cosine between both ends, for the given number of strokes."""
    omega = 2 * math.pi / parameters.period
    end = parameters.strokes * parameters.period
    angle = omega * min(time, end)
    half = parameters.travel / 2
    position = parameters.offset + half * (1 - math.cos(angle))
    if time >= end:
        return _Stroke(position, 0.0, 0.0)
    return _Stroke(position, half * omega * math.sin(angle), half * omega**2 * math.cos(angle))


def _in_world(contacts: LinkContacts, heading: float) -> Array:
    """Normal of the first contact, out of the wall, in the world frame."""
    cos, sin = math.cos(heading), math.sin(heading)
    x, y = contacts.normal[0]
    return np.array([cos * x - sin * y, sin * x + cos * y])


def _arm_of(briefing: Briefing) -> TwoLinkArm:
    link, actuator = briefing.robot.link, briefing.robot.actuator
    return TwoLinkArm(
        (link.pitch, link.pitch),
        (link.pitch / 2, link.pitch / 2),
        (link.mass, link.mass),
        (link.yaw_inertia, link.yaw_inertia),
        actuator.damping,
        actuator.armature,
    )
