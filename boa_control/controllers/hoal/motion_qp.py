"""The QP of one tick: from where the robot is and how it shall move to torques and forces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from boa_control.controllers.hoal.checked_map import PROBE_FORCE
from boa_control.controllers.hoal.contact_plan import ContactPlan
from boa_control.controllers.hoal.friction import Friction
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.post_map import PostMap
from boa_control.controllers.hoal.startup import SETTLING_CORRECTION, StartUp
from boa_control.controllers.hoal.steering import Steering
from boa_control.controllers.hoal.wish import BalancedWish
from boa_control.estimation.progress import Progress
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import PathState
from boa_control.optimisation import contact_qp as qp
from boa_control.optimisation.kept_travel import kept_travel, turned
from boa_control.plant import SensorFrame
from boa_description.arrays import Array
from boa_description.robot import Robot
from boa_description.torque_speed import TorqueSpeedLine

# m, errors of the map up to which its balance is taken for that of the posts while they are taken
# hold of, and from which it is not
BALANCED_ERROR, EQUAL_ERROR = 0.0105, 0.014


class Location(NamedTuple):
    """Where the robot is in one tick.

    Attributes:
        frame: of the sensors.
        state: the chain on the path at the predicted place, fitted to the posts; until the next
            tick.
        velocity: of the joints, shape (n - 1,), rad/s, without that with which the fit changes.
        progress: estimated.
    """

    frame: SensorFrame
    state: PathState
    velocity: Array
    progress: Progress


class Motion(NamedTuple):
    """The demands of one tick on the QP.

    Attributes:
        rate: at which the robot moves along the path, m/s. desired: speed, m/s.
        target: desired deviation of the joint accelerations from those that the path demands, shape
            (n - 1,), rad/s2.
        torque: additional joint torques, shape (n - 1,), N m.
        planned: the part of `target` along the path with which the desired forces agree, m/s2.
    """

    rate: float
    desired: float
    target: Array
    torque: Array | float
    planned: float


class MotionQP:
    """`contact_qp` with what the controller knows of its posts, the floor and the servos."""

    def __init__(
        self,
        robot: Robot,
        chain: PlanarChain,
        contact_friction: float,
        parameters: Parameters,
        post_map: PostMap,
        steering: Steering,
    ) -> None:
        """`contact_friction`: coefficient of the posts, as briefed."""
        self._chain = chain
        self._contact_friction = contact_friction
        self._p = parameters
        self._map = post_map
        self._steering = steering
        self._wish = BalancedWish()
        self._servos = TorqueSpeedLine(
            robot.actuator, robot.joints, limit=robot.limits.torque, share=parameters.torque_share
        )
        self._solver = qp.Solver(post_map.weights, post_map.kernels)

    def solve(
        self,
        now: Location,
        plan: ContactPlan,
        share: Array,
        motion: Motion,
        friction: Friction,
        startup: StartUp,
    ) -> qp.Solution:
        """Torques and forces.

        Args:
            share: of its force that each contact carries, shape (nc,).
            friction, startup: as they are now; a controller takes those of the path before.
        """
        rate, state, contacts, steering = motion.rate, now.state, plan.contacts, self._steering
        ground = friction.ground_coefficient(rate)
        joint_rate = state.dq[3:] * rate
        bias = state.bias(rate, ground)
        joint_bias = bias[3:]
        joint_bias += friction.joint_torque(joint_rate, friction.direction(state, motion.desired))
        joint_bias += motion.torque
        gap, push = contacts.rows(self._chain, state, self._contact_friction * steering.resisting)
        push = plan.push(push)
        touching, target = plan.touching(gap), motion.target
        travel = kept_travel(touching, state.dq, self._map.kernels)
        if travel is not state.dq:
            target = turned(target, state.dq[3:], travel[3:])
        desired, floor = contacts.preload(share, steering.force, steering.force_floor)
        balance = self._wish_balance(plan, startup)
        if balance > 0:
            carried = bias[:3] + state.mass[:3].dot(travel) * motion.planned
            balanced = self._wish.forces(contacts, push, carried, state.mass, desired, floor)
            desired = desired + balance * (balanced - desired)
        most = self._p.correction if self._map.trusted else qp.UNBOUNDED
        if startup.resuming:
            most = min(most, SETTLING_CORRECTION)
        correction: Array | float = most
        probed = self._map.probed(contacts)
        if probed is not None:
            desired = np.where(probed, np.minimum(desired, PROBE_FORCE), desired)
            correction = np.where(probed, 0.0, correction)
        problem = qp.Problem(
            mass=state.mass,
            bias=bias,
            gap=gap,
            push=push,
            slip=self._map.slip(gap, plan, now.frame.velocity, startup.closing),
            redundant=contacts.left_out,
            target=target,
            along=travel[3:],
            desired=desired,
            floor=self._p.floor_share * floor,
            torque_bounds=self._servos.bounds(joint_rate),
            joint_forces=self._joint_forces(state, rate, ground, contacts),
            excess=correction,
        )
        return self._solver.solve(problem)

    def _wish_balance(self, plan: ContactPlan, startup: StartUp) -> float:
        """How far the desired forces are those in equilibrium, 0 to 1.

        Equal forces seldom are: they move the body. While posts are still taken hold of, all that
        are planned count as touched: what the others do not give takes the body to them, as long as
        the true posts stand near enough to those of the map.
        """
        if not startup.closing:
            return plan.held
        errors = BALANCED_ERROR, EQUAL_ERROR
        return float(np.interp(self._p.map_error, errors, (1.0, 0.0)))

    def _joint_forces(
        self, state: PathState, rate: float, ground: float, contacts: ContactSet
    ) -> qp.JointForces | None:
        if self._p.joint_force is None:
            return None
        return qp.JointForces(
            contacts.headward(self._chain),
            state.momentum,
            state.joint_force_bias(rate, ground),
            self._p.joint_force,
        )
