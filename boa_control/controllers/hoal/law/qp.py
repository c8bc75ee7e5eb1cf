# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The QP of one tick: from where the robot is and how it shall move to torques and forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from boa_control.compiled.rows import MotionRows, ServoLine, motion_rows
from boa_control.controllers.hoal.law.desired_forces import DesiredForces
from boa_control.controllers.hoal.law.friction_compensation import FrictionCompensation
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map.interface import PostMap
from boa_control.controllers.hoal.set_points import Steering
from boa_control.controllers.hoal.tick import Tick
from boa_control.model.dynamics import PlanarChain
from boa_control.optimisation import contact_qp as qp
from boa_control.optimisation.compiled_solver import solver
from boa_control.optimisation.kept_travel import effective_mass
from boa_control.optimisation.terms.interface import Limit, Term
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.torque_speed import TorqueSpeedLine

ALL_DETECTED: Array = np.zeros(0)  # to the kernel, as `None` is in a plan


class Motion(NamedTuple):
    """The demands of one tick on the QP.

    Attributes:
        rate: at which the robot moves along the path, m/s. desired: speed, m/s.
        target: desired deviation of the joint accelerations from those that the path demands, shape
            (n - 1,), rad/s2.
        torque: additional joint torques, shape (n - 1,), N m.
        planned: the part of `target` along the path with which the desired forces agree, m/s2.
        sped_up: the part of `target` that shall make the robot faster, m/s2; at most 0: none.
    """

    rate: float
    desired: float
    target: Array
    torque: Array
    planned: float
    sped_up: float = 0.0


class MotionQP:
    """`contact_qp` with what the controller knows of its posts, the floor and the servos."""

    def __init__(
        self,
        robot: Robot,
        chain: PlanarChain,
        parameters: Parameters,
        post_map: PostMap,
        steering: Steering,
        terms: Sequence[Term] = (),
        limits: Sequence[Limit] = (),
    ) -> None:
        """`terms`, `limits`: further ones beside those of `contact_qp`, classes as in
        `optimisation.terms`; they find the record of the tick in `Problem.now`. With any, the
        general solver takes the place of the compiled one, at a fifteenth of its speed.
        """
        self._chain = chain
        self._p = parameters
        self._tuning = parameters.tuning
        self._map = post_map
        self._steering = steering
        self._forces = DesiredForces(parameters, post_map, steering)
        line = TorqueSpeedLine(
            robot.actuator, robot.joints, limit=robot.limits.torque, share=parameters.torque_share
        )
        self._servos = ServoLine(line.stall, line.slope, line.limit)
        self._solver = solver(post_map.weights, terms, limits)
        self._rows_of: dict[int, MotionRows] = {}  # by the number of contacts

    def solve(self, tick: Tick, motion: Motion, friction: FrictionCompensation) -> qp.Solution:
        """Torques and forces of a tick that is known up to the share of each contact.

        Args:
            friction: as it is now; a controller takes that of the path before.
        """
        rate, state, contacts = motion.rate, tick.state, tick.plan.contacts
        ground = friction.ground_coefficient(rate)
        rows = self._rows(tick, motion, ground, friction.posts.coefficient)
        self._spare_contacts(rows, tick, motion)
        desired, floor = self._forces.of(tick, rows)
        most = self._largest_correction(tick)
        probed = self._map.probed(contacts)
        if probed is not None:
            desired = np.where(
                probed, np.minimum(desired, self._tuning.post_map.probe_force), desired
            )
            most = np.where(probed, 0.0, most)
        slip, redundant = self._map.slip(rows.gap, tick), contacts.left_out
        limited = self._joint_forces(tick, rate, ground)
        return self._solver.solve(
            qp.Problem(  # with their names it would take three times as long
                *(state.mass, rows.bias, rows.gap, rows.push, slip, redundant),
                *(rows.target, rows.travel[3:], desired, floor),
                *(rows.torque_bounds, limited, most, tick),
            )
        )

    def _rows(self, tick: Tick, motion: Motion, ground: float, posts: float) -> MotionRows:
        """What the QP is made of, until the next tick; `ground`, `posts`: friction."""
        state, plan = tick.state, tick.plan
        contacts = plan.contacts
        size = contacts.link.size
        rows = self._rows_of.get(size)
        if rows is None:
            rows = self._rows_of[size] = empty_rows(size, state.dq.size)
        motion_rows(
            rows,
            (contacts.link, contacts.offset, contacts.side, contacts.normal),
            ALL_DETECTED if plan.level is None else plan.level,
            (state.across_rows, state.along_rows),
            (state.dq, state.mass, state.inertial, state.ground, tick.gravity),
            self._servos,
            (motion.torque, motion.target, motion.rate, ground, motion.planned),
            posts * self._steering.resisting,
            self._chain.radius,
        )
        return rows

    def _spare_contacts(self, rows: MotionRows, tick: Tick, motion: Motion) -> None:
        """Leave the robot slower where contacts can hardly push along the path.

        Pushed there with all that they can bear, some contacts are at their bounds, where they
        answer no error: the body bends, and those that carry least let go.
        """
        asked, always = motion.sped_up, self._tuning.law.always_asked
        if asked <= always or not self._map.trusted:
            return
        momentum = tick.state.mass[:3] @ rows.travel
        wrenches = np.sqrt(tick.plan.contacts.activation)[:, None] * rows.push[:, :3]
        push = self._tuning.law.push * self._p.correction
        most = max(push / effective_mass(wrenches, momentum), always)
        if asked > most:
            spared = self._steering.direction * (asked - most)
            np.subtract(rows.target, spared * rows.travel[3:], out=rows.target)

    def _largest_correction(self, tick: Tick) -> Array | float:
        """By how much a contact may carry more than is desired, N."""
        most = self._p.correction
        return min(most, self._tuning.start.settling_correction) if tick.resuming else most

    def _joint_forces(self, tick: Tick, rate: float, ground: float) -> qp.JointForces | None:
        if self._p.joint_force is None:
            return None
        state = tick.state
        bias = state.joint_force_bias(rate, ground)
        if np.count_nonzero(tick.gravity):
            bias -= state.momentum[..., :2] @ tick.gravity
        return qp.JointForces(tick.plan.contacts.link, state.momentum, bias, self._p.joint_force)


def empty_rows(contacts: int, size: int) -> MotionRows:
    """For so many contacts and coordinates."""
    gap, push = np.empty((2, contacts, size))
    bias, travel = np.empty((2, size))
    joints = size - 3
    bounds = np.empty((2, joints))
    return MotionRows(gap, push, bias, np.empty(3), travel, np.empty(joints), bounds)
