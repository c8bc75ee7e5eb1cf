"""Friction as the controller `hoal` knows it: as briefed at first, then as the joint
force sensors show it.

The direction of dry friction is taken from the reference, phi_ref' times the desired speed: it is
known before the joint turns round, has no noise, and gives the torque that breaks a joint loose
which has not moved yet.
"""

from __future__ import annotations

import math

import numpy as np

from boa_control.compiled import friction as kernels
from boa_control.controller import Briefing
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.estimation.friction import (
    GearboxFriction,
    GroundFrictionObserver,
    JointFrictionObserver,
    TransmittedTorques,
)
from boa_control.estimation.link_forces import neighbour_loads
from boa_control.estimation.sideways_balance import JOINT_ZONE
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState, Sideways
from boa_control.plant import SensorFrame
from boa_description.arrays import Array, Indices
from boa_description.scene import GRAVITY

TURNING_RATE = 0.01  # rad/s; over it, dry friction changes sign in the feedforward
CERTAIN_RATE = 0.15  # rad/s; above it, the direction of friction is certain
SAMPLE_TIME = 0.04  # s, between two samples; friction changes slowly, and every sample costs time
MEMORY = 20.0  # s of motion over which samples fade
TORQUE_NOISE = 0.15  # N m; errors of map and model make neighbouring samples alike
FORCE_NOISE = 1.5  # N; the same for the forces along the links
DOUBT = GearboxFriction(0.3, 0.1)  # N m, N m s: std of the average gearbox from the briefing
SPREAD = GearboxFriction(0.3, 0.1)  # std of single gearboxes, as a share of the average
GROUND_DOUBT = 0.3  # std of mu, or of the viscosity that brakes as much at the desired speed
GROUND_MOST = 2.0  # largest mu, or viscosity in the same sense
# share of the torque limit; where a joint seems to lose more, a sensor is broken or something hits
# the robot
LARGEST_SHARE = 0.2
LEAST_SPEED = 0.02  # m/s along the path; nothing is learnt below


class FrictionCompensation:
    """Joint and floor friction, identified while moving.

    Attributes:
        coulomb, damping: of the joints, shape (n - 1,), N m and N m s.
        ground: coefficient of the floor: mu, or viscosity.
    """

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Start from what the briefing and the parameters say."""
        robot = briefing.robot
        floor = briefing.ground
        self._pitch = robot.link.pitch
        self._inertia = robot.link.yaw_inertia
        self._armature = robot.actuator.armature
        self._floor = floor
        self._contact = briefing.contact_friction
        self._radius = robot.link.radius
        self._identify = parameters.identify_friction
        self._every = max(1, round(SAMPLE_TIME / briefing.period))
        memory = MEMORY / (self._every * briefing.period)
        self._joints = JointFrictionObserver(
            robot.joints,
            GearboxFriction(parameters.coulomb, robot.actuator.damping),
            doubt=DOUBT,
            spread=SPREAD,
            noise=TORQUE_NOISE,
            memory=memory,
        )
        self._usual_speed = max(parameters.speed, LEAST_SPEED)
        scale = robot.link.mass * GRAVITY / self._usual_speed if floor.model == "viscous" else 1.0
        doubt = GROUND_DOUBT * scale
        most = GROUND_MOST * scale
        self._ground = GroundFrictionObserver(
            floor.coefficient, noise=FORCE_NOISE, memory=memory, doubt=doubt, most=most
        )
        self._largest = LARGEST_SHARE * robot.limits.torque
        self._torques = TransmittedTorques(robot.links)
        self.reset()

    @property
    def coulomb(self) -> Array:
        return self._joints.coulomb

    @property
    def damping(self) -> Array:
        return self._joints.damping

    @property
    def ground(self) -> float:
        return self._ground.coefficient

    @property
    def debug(self) -> dict[str, float | Array]:
        """The present knowledge, for the log."""
        return {
            "joint_friction_nm": self.coulomb,
            "joint_damping_nms": self.damping,
            "ground_friction": self.ground,
        }

    def reset(self) -> None:
        """Back to what was briefed."""
        self._joints.reset()
        self._ground.reset()
        self._ticks = 0
        self._seen = -1
        self._direction_at = (math.nan, math.nan)

    def ground_coefficient(self, rate: float) -> float:
        """Factor of `PathState.ground` at `rate`, m/s: mu, smooth around standstill, or
        viscosity times speed.
        """
        if self._floor.model == "none":
            return 0.0
        return self.ground * self._rubbing(rate)

    def _rubbing(self, rate: float) -> float:
        """`ground_coefficient` per unit of the coefficient."""
        floor = self._floor
        if floor.model == "none":
            return 0.0
        return rate if floor.model == "viscous" else min(max(rate / floor.slip_speed, -1.0), 1.0)

    def sideways(self, state: PathState, rate: float) -> Sideways:
        """Forces across the links by inertia and floor on the way at `rate`, m/s."""
        return state.sideways(rate, self.ground_coefficient(rate))

    def joint_torque(self, joint_rate: Array, direction: Array) -> Array:
        """Torques that overcome joint friction, shape (n - 1,), N m; `joint_rate` in rad/s,
        `direction` as below.
        """
        known = self._joints
        torque: Array = known.damping * joint_rate + known.coulomb * direction
        return torque

    def passed_on(self, frame: SensorFrame, state: PathState, speed: float) -> Array:
        """Torques that the joints pass on at `speed`, m/s: measured less friction; shape (n - 1,),
        N m.
        """
        torque: Array = frame.effort - self.joint_torque(
            frame.velocity, self.direction(state, speed)
        )
        return torque

    def direction(self, state: PathState, speed: float) -> Array:
        """Signs of the joint rates at `speed`, m/s, along the path; smooth where a joint turns
        round; (n - 1,).
        """
        if (state.s, speed) != self._direction_at:  # asked for several times a tick
            self._direction_at = state.s, speed
            self._direction: Array = np.tanh(state.dphi * (speed / TURNING_RATE))
        return self._direction

    def distribute(self, force: float, state: PathState) -> Array:
        """Equal torques in all joints that together push with `force`, N, along the path; shape (n
        - 1,), N m.
        """
        if force == 0.0:
            return np.zeros(self.coulomb.size)
        direction = self.direction(state, self._usual_speed)
        torque: Array = direction * (force / state.dphi.dot(direction))
        return torque

    def observe(
        self,
        frame: SensorFrame,
        state: PathState,
        contacts: ContactSet,
        rate: float,
        desired: float,
        direction: int = 1,
    ) -> float:
        """Use one tick at speed `rate` where `desired` is desired, m/s; nothing happens without a
        new force sample. `direction`: 1 if the head leads, -1 if the tail does.

        Returns:
            By how much the known resistance along the path has grown, N.
        """
        self._ticks += 1
        sample = frame.joint_force
        if (
            not self._identify
            or self._ticks % self._every
            or sample is None
            or sample.stamp_ns == self._seen
        ):
            return 0.0
        self._seen, force = sample.stamp_ns, sample.force[:, :2]
        if direction * rate < LEAST_SPEED or np.isnan(force).any():
            return 0.0
        before = self._resistance(state, rate, desired)
        self._learn(force, frame, state, contacts, rate, direction)
        return self._resistance(state, rate, desired) - before

    def _resistance(self, state: PathState, rate: float, desired: float) -> float:
        """All known friction as a force along the path, N."""
        dphi = state.dphi
        joints = dphi.dot(self.joint_torque(dphi * rate, self.direction(state, desired)))
        return float(joints - self.ground_coefficient(rate) * state.ground.dot(state.dq))

    def _learn(
        self,
        force: Array,
        frame: SensorFrame,
        state: PathState,
        contacts: ContactSet,
        rate: float,
        direction: int,
    ) -> None:
        """One sample of joint forces, shape (n - 1, 2), N."""
        sliding = direction * self._contact  # friction of the posts, towards the tail if positive
        square, rubbing = rate**2, self._rubbing(rate)
        loads = neighbour_loads(force, frame.position, self._pitch / 2)
        post = (
            square * state.sideways_inertial
            - loads.across
            - self.ground * rubbing * state.sideways_ground
        )
        arm = lever_arms(contacts.link, contacts.offset, post.size, self._pitch)
        middle = self._pitch / 2 + sliding * self._radius
        kernels.add_turning(loads.moment, post, arm, state.ddq, middle, self._inertia * square)
        passed_on = self._torques(loads.moment)
        lost = frame.effort - passed_on - (self._armature * square) * state.ddq[3:]
        joint_rate = state.dphi * rate
        if not np.abs(lost).max() <= self._largest:  # nor when it is not a number
            return
        self._joints.update(joint_rate, lost, np.sign(joint_rate) * frame.velocity > CERTAIN_RATE)
        if rubbing:
            inertial = square * _along_links(state, state.inertial, state.momentum_bias)
            unit = rubbing * _along_links(state, state.ground, state.ground_headward)
            self._ground.update(inertial - loads.along + sliding * np.abs(post), unit)


def lever_arms(link: Indices, offset: Array, links: int, pitch: float) -> Array:
    """Where posts touch each of the `links`, from its tail-side axis, shape (n,), m; the middle
    where there is none.

    A post near a joint may still, or already, touch the neighbour there.

    Args:
        link, offset: of the contacts, shape (nc,); index, and place along that link from its
            tail-side axis, m.
    """
    arm = np.empty(links)
    kernels.lever_arms(arm, link, offset, JOINT_ZONE, pitch)
    return arm


def _along_links(state: PathState, total: Array, headward: Array) -> Array:
    """Parts along the links of forces on single links, shape (n,), N.

    They come as sums: on all links, shape (n + 2,), and on all beyond each joint, shape (2, n - 1),
    in the world.
    """
    along = np.empty(state.along.size)
    kernels.along_links(along, total, headward, state.along)
    return along
