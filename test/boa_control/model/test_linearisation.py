# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Partial feedback linearisation against the closed form and against MuJoCo."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from boa_control.model.dynamics import PlanarChain, Posture
from boa_control.model.linearisation import BASE, floor_load, linearising_torque
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import GroundFriction
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics

from ..wang_chain import WangChain

WANG = load_robot("wang10")
BOA = load_robot("boa13")
SPREAD = {"wang10": 0.5, "boa13": 0.1}  # of rates, m/s and rad/s
FLOORS = [
    GroundFriction(model="mixed", viscous=0.5, viscous_normal=3.0),
    GroundFriction(model="components", mu=0.1, mu_normal=0.3, viscous=0.5, viscous_normal=2.0),
    GroundFriction(model="anisotropic", mu=0.05, mu_normal=0.3),
]


def state(robot: Robot, rng: np.random.Generator) -> tuple[Array, Array]:
    """A random posture and its rates; slow enough that the torques stay within the servos'."""
    n = robot.links
    q = np.concatenate((rng.uniform(-1, 1, 3), rng.uniform(-0.6, 0.6, n - 1)))
    return q, rng.normal(0, SPREAD[robot.name], n + 2)


def accelerations(
    chain: PlanarChain, load: Array, posture: Posture, qd: Array, torque: Array
) -> Array:
    """Accelerations of q under joint torques (n - 1,), N m, shape (n + 2,)."""
    force = load - chain.bias(posture, qd)
    force[BASE:] += torque - chain.damping * qd[BASE:]
    return np.linalg.solve(chain.mass_matrix(posture), force)


def moving(world: MujocoWorld, q: Array, qd: Array, torque: Array) -> Array:
    """MuJoCo's accelerations in a state, under joint torques."""
    world.place(q[:3], q[3:])
    world.data.qvel[:] = qd
    world.data.ctrl[:] = torque
    mujoco.mj_forward(world.model, world.data)
    world.refresh()
    return world.data.qacc.copy()


def test_closed_form_chain_and_mujoco_accelerate_alike() -> None:
    """20 random states and torques of Wang's robot on the viscous floor; facts: below 1e-7."""
    rng = np.random.default_rng(1)
    floor = FLOORS[0]
    link = WANG.link
    closed = WangChain(
        WANG.links, link.pitch, link.mass, link.yaw_inertia, floor.viscous, floor.viscous_normal
    )
    world, chain = MujocoWorld(WANG, physics=Physics(ground=floor)), PlanarChain(WANG)
    for _ in range(20):
        q, qd = state(WANG, rng)
        u = rng.normal(0, 0.5, WANG.joints)
        theta, turning = np.cumsum(q[2:]), np.cumsum(qd[2:])
        posture = chain.posture(q)
        velocity = chain.centre_velocities(posture, qd).mean(axis=0)
        angular, shift = closed.accelerations(theta, turning, velocity, u)
        simulated = moving(world, q, qd, u)
        assert np.abs(np.cumsum(simulated[2:]) - angular).max() < 1e-7
        ours = accelerations(chain, floor_load(chain, floor, posture, qd), posture, qd, u)
        assert np.abs(ours - simulated).max() < 1e-7
        before = chain.centre_velocities(posture, qd).mean(axis=0)
        step = 1e-6
        after = chain.centre_velocities(chain.posture(q + step * qd), qd + step * ours)
        assert (after.mean(axis=0) - before) / step == pytest.approx(shift, abs=1e-4)


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: floor.model)
@pytest.mark.parametrize("robot", [WANG, BOA], ids=lambda robot: robot.name)
def test_joints_answer_as_desired(robot: Robot, floor: GroundFriction) -> None:
    """The linearisation residual phi'' - u in MuJoCo, with armature and damping where there are."""
    rng = np.random.default_rng(2)
    world, chain = MujocoWorld(robot, physics=Physics(ground=floor)), PlanarChain(robot)
    for _ in range(20):
        q, qd = state(robot, rng)
        desired = 6 * rng.normal(0, SPREAD[robot.name] ** 2, robot.joints)
        load = floor_load(chain, floor, chain.posture(q), qd)
        torque = linearising_torque(chain, load, chain.posture(q), qd, desired)
        assert np.abs(torque).max() < robot.actuator.torque_limit
        own = accelerations(chain, load, chain.posture(q), qd, torque)
        assert np.abs(own[3:] - desired).max() < 1e-9
        assert np.abs(moving(world, q, qd, torque)[3:] - desired).max() < 1e-7


def test_torque_does_not_depend_on_where_and_how_the_robot_lies() -> None:
    rng = np.random.default_rng(3)
    floor, chain = FLOORS[0], PlanarChain(WANG)
    q, qd = state(WANG, rng)
    desired = rng.normal(0, 1.0, WANG.joints)
    angle = 0.7
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    moved, rates = q.copy(), qd.copy()
    moved[:2], rates[:2] = turn @ q[:2] + [3.0, -1.0], turn @ qd[:2]
    moved[2] += angle
    torques = [
        linearising_torque(
            chain, floor_load(chain, floor, chain.posture(a), b), chain.posture(a), b, desired
        )
        for a, b in ((q, qd), (moved, rates))
    ]
    assert torques[1] == pytest.approx(torques[0], abs=1e-11)


def test_the_difference_from_the_closed_form_halves_with_the_step() -> None:
    """8 s of Wang's gait (30 deg, 70 deg/s, 40 deg), law (32), controlled in every physics step:
    the engine's steps are of first order. Facts, of 20 s: 3.6 and 1.8 mm at 2 and 1 ms, here at 4
    and 2 ms.
    """
    seconds = 8.0
    floor, link, n = FLOORS[0], WANG.link, WANG.links
    chain = PlanarChain(WANG)
    phase = np.radians(40.0) * np.arange(WANG.joints)

    def law(time: float, q: Array, qd: Array) -> Array:
        reference = np.radians(30.0) * np.sin(np.radians(70.0) * time + phase)
        desired = 20.0 * (reference - q[3:]) - 10.0 * qd[3:]
        return linearising_torque(
            chain, floor_load(chain, floor, chain.posture(q), qd), chain.posture(q), qd, desired
        )

    def simulated(step: float) -> Array:
        world = MujocoWorld(WANG, physics=Physics(ground=floor, step=step))
        for k in range(round(seconds / step)):
            q, qd = world.data.qpos.copy(), world.data.qvel.copy()
            world.advance(law(k * step, q, qd))
        points = chain.joint_axes(world.data.qpos, chain.posture(world.data.qpos))
        return (points[1:] + points[:-1]).mean(axis=0) / 2

    closed = WangChain(
        n, link.pitch, link.mass, link.yaw_inertia, floor.viscous, floor.viscous_normal
    )
    state = np.zeros(2 * (n + 2))
    state[n] = n * link.pitch / 2
    step = 0.02
    for k in range(round(seconds / step)):
        state = closed.step(state, _Timed(law, k * step, step, n), step)
    errors = [float(np.hypot(*(simulated(dt) - state[n : n + 2]))) for dt in (0.004, 0.002)]
    assert state[n] > 1.0, "it swims"
    assert errors[1] < 0.0015
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.2)


class _Timed:
    """The control law as a function of the closed form's state, at the times of the four stages of
    a Runge-Kutta step.
    """

    def __init__(
        self, law: Callable[[float, Array, Array], Array], time: float, step: float, links: int
    ) -> None:
        self._law, self._links = law, links
        self._times = iter((time, time + step / 2, time + step / 2, time + step))

    def __call__(self, state: Array) -> Array:
        n = self._links
        theta, turning = state[:n], state[n + 2 : 2 * n + 2]
        # the torque does not depend on the place; the velocity of the centre of mass is that of
        # the tail end plus what turning adds
        q = np.concatenate(([0.0, 0.0], theta[:1], np.diff(theta)))
        qd = np.concatenate(([0.0, 0.0], turning[:1], np.diff(turning)))
        chain = PlanarChain(WANG)
        drift = chain.centre_velocities(chain.posture(q), qd).mean(axis=0)
        qd[:2] = state[2 * n + 2 :] - drift
        return self._law(next(self._times), q, qd)
