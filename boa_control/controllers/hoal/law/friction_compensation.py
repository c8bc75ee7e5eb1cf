# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction of the floor as the controller `hoal` knows it: as briefed at first, then as the joint
force sensors show it. That of the gearboxes is in `transmission`.
"""

import math

import numpy as np

from boa_control.compiled import friction as kernels
from boa_control.controller import Briefing
from boa_control.controllers.hoal.law.gravity import along_links
from boa_control.controllers.hoal.law.post_friction import PostFriction
from boa_control.controllers.hoal.parameters import Parameters
from boa_control.controllers.hoal.tick import Tick
from boa_control.estimation.friction import GroundFrictionObserver
from boa_control.estimation.link_forces import neighbour_loads
from boa_control.model.contact_set import ContactSet
from boa_control.model.path_model import PathState, Sideways
from boa_description.arrays import Array
from boa_description.scene import GRAVITY


class FrictionCompensation:
    """Floor friction, identified while moving, and the directions of the joints on their path.

    Attributes:
        ground: coefficient of the floor with which the control law counts: mu, or viscosity; it
            goes over to what is measured gradually, so that no force jumps.
        posts: friction of the posts, measured.
    """

    def __init__(self, briefing: Briefing, parameters: Parameters) -> None:
        """Start from what the briefing says."""
        robot = briefing.robot
        tuning = self._tuning = parameters.tuning.law
        floor = briefing.ground
        self._pitch, self._mass = robot.link.pitch, robot.link.mass
        self._floor = floor
        self._identify = parameters.identify_friction
        self._every = max(1, round(parameters.tuning.steering.ground_time / briefing.period))
        sample_time = self._every * briefing.period
        memory = tuning.memory / sample_time
        self._usual_speed = max(parameters.speed, tuning.least_speed)
        scale = robot.link.mass * GRAVITY / self._usual_speed if floor.model == "viscous" else 1.0
        doubt = tuning.ground_doubt * scale
        most = tuning.ground_most * scale
        self._step = tuning.adoption * sample_time * scale
        self._ground = GroundFrictionObserver(
            floor.coefficient, noise=tuning.force_noise, memory=memory, doubt=doubt, most=most
        )
        self.posts = PostFriction(briefing, parameters.tuning)
        self.reset()

    @property
    def debug(self) -> dict[str, float | Array]:
        """The present knowledge, for the log."""
        return {"ground_friction": self.ground} | self.posts.debug

    def reset(self) -> None:
        """Back to what was briefed."""
        self._ground.reset()
        self.ground = self._ground.coefficient
        self.posts.reset()
        self._ticks = 0
        self._seen = -1
        self._direction_at = (math.nan, math.nan)

    def ground_coefficient(self, rate: float) -> float:
        """Factor of `PathState.ground` at `rate`, m/s: mu, smooth around standstill, or
        viscosity times speed.
        """
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

    def direction(self, state: PathState, speed: float) -> Array:
        """Signs of the joint rates at `speed`, m/s, along the path; smooth where a joint turns
        round; (n - 1,).
        """
        if (state.s, speed) != self._direction_at:  # asked for several times a tick
            self._direction_at = state.s, speed
            self._direction: Array = np.tanh(state.dphi * (speed / self._tuning.turning_rate))
        return self._direction

    def distribute(self, force: float, state: PathState) -> Array:
        """Equal torques in all joints that together push with `force`, N, along the path; shape (n
        - 1,), N m.
        """
        if force == 0.0:
            return np.zeros(state.dphi.size)
        direction = self.direction(state, self._usual_speed)
        torque: Array = direction * (force / state.dphi.dot(direction))
        return torque

    def observe(self, tick: Tick, direction: int) -> float:
        """Use one tick; nothing happens without a new force sample. `direction`: 1 if the head
        leads, -1 if the tail does.

        Returns:
            By how much the known resistance along the path has grown, N.
        """
        self._ticks += 1
        due = self._identify and not self._ticks % self._every
        sample, state, rate = tick.frame.joint_force, tick.state, tick.progress.rate
        if not due or sample is None or sample.stamp_ns == self._seen:
            return 0.0
        self._seen, force = sample.stamp_ns, sample.force[:, :2]
        slow = not self._rubbing(rate) or direction * rate < self._tuning.least_speed
        if slow or np.isnan(force).any():
            return 0.0
        before = self._resistance(state, rate)
        self._learn(tick, force, direction)
        return self._resistance(state, rate) - before

    def observe_posts(self, tick: Tick, contacts: ContactSet, direction: int) -> None:
        """Use one tick for the friction of the posts; `direction` as of `observe`."""
        rate = tick.progress.rate
        if self.posts.advance(direction * rate):
            self.posts.observe(tick, contacts, self.sideways(tick.state, rate), direction)

    def _resistance(self, state: PathState, rate: float) -> float:
        """The floor's friction as a force along the path, N."""
        return float(-self.ground_coefficient(rate) * state.ground.dot(state.dq))

    def _learn(self, tick: Tick, force: Array, direction: int) -> None:
        """One sample of joint forces, shape (n - 1, 2), N."""
        state, rate = tick.state, tick.progress.rate
        weight = self._mass * along_links(state, tick.gravity)  # along and across the links, N
        square, rubbing = rate**2, self._rubbing(rate)
        loads = neighbour_loads(force, tick.frame.position, self._pitch / 2)
        post = (
            square * state.sideways_inertial
            - loads.across
            - self.ground * rubbing * state.sideways_ground
            - weight.imag
        )
        inertial = square * _along_links(state, state.inertial, state.momentum_bias)
        unit = rubbing * _along_links(state, state.ground, state.ground_headward)
        along = inertial - loads.along - weight.real
        rubbed = -direction * np.abs(post)  # towards the tail where the head leads
        self._ground.update(along, unit, rubbed, self.posts.estimate.posts)
        missing = self._ground.coefficient - self.ground
        self.ground += min(max(missing, -self._step), self._step)


def _along_links(state: PathState, total: Array, headward: Array) -> Array:
    """Parts along the links of forces on single links, shape (n,), N.

    They come as sums: on all links, shape (n + 2,), and on all beyond each joint, shape (2, n - 1),
    in the world.
    """
    along = np.empty(state.along.size)
    kernels.along_links(along, total, headward, state.along)
    return along
