# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rigid world against MuJoCo where both must agree, and against laws of mechanics."""

from __future__ import annotations

from itertools import pairwise

import mujoco
import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Box, Circle, ContactModel, Wall
from boa_sim.engines.moreau.world import MoreauWorld
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics

READINGS = ("joint_force", "angular_velocity", "acceleration")


def shaken(step: int, joints: int) -> Array:
    return 0.3 * np.cos(0.01 * step + np.arange(joints))


def thrown(world: MoreauWorld | MujocoWorld) -> Array:
    """Put a free chain bent and in motion; its constant torques."""
    joints = world.joint_position.size
    world.place(np.array([0.3, -0.2, 0.7]), 0.3 * np.sin(np.arange(joints)))
    world.data.qvel[:3] = 0.1, 0.4, 0.3
    return 0.3 * np.cos(np.arange(joints))


def momentum(world: MoreauWorld | MujocoWorld) -> Array:
    """Of the whole chain in the plane and about its centre, shape (3,)."""
    mujoco.mj_kinematics(world.model, world.data)
    mujoco.mj_comPos(world.model, world.data)
    mujoco.mj_comVel(world.model, world.data)
    mujoco.mj_subtreeVel(world.model, world.data)
    linear, angular = world.data.subtree_linvel[1], world.data.subtree_angmom[1]
    return np.append(world.model.body_subtreemass[1] * linear[:2], angular[2])


def test_free_motion_is_of_second_order() -> None:
    """A thrown chain under constant torques, against MuJoCo's Runge-Kutta steps of fourth order: a
    step of half the length leaves a fourth of the error in positions, velocities and momentum. At
    1 ms momentum is kept to 5e-6 of itself; MuJoCo's Euler steps, of first order, to 1.6e-3.
    """
    robot, seconds = load_robot("boa13"), 0.4
    exact = MujocoWorld(robot, physics=Physics(step=0.0002))
    exact.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    exact.data.ctrl[:] = thrown(exact)
    kept = momentum(exact)
    mujoco.mj_step(exact.model, exact.data, nstep=round(seconds / exact.step))
    goal = exact.data.qpos.copy(), exact.data.qvel.copy(), kept
    errors = []
    for step in (0.002, 0.001, 0.0005):
        world = MoreauWorld(robot, physics=Physics(step=step))
        torque = thrown(world)
        for _ in range(round(seconds / step)):
            world.advance(torque)
        world.refresh()
        found = world.data.qpos, world.data.qvel, momentum(world)
        errors.append([np.abs(a - b).max() for a, b in zip(found, goal, strict=True)])
    coarse, middle, fine = np.array(errors)
    np.testing.assert_allclose(coarse / middle, 4.0, atol=0.2)
    np.testing.assert_allclose(middle / fine, 4.0, atol=0.2)
    assert middle[2] < 1e-5 * np.abs(kept).max()
    soft = MujocoWorld(robot)
    torque = thrown(soft)
    for _ in range(round(seconds / soft.step)):
        soft.advance(torque)
    assert np.abs(momentum(soft) - kept).max() > 1e-3 * np.abs(kept).max()


def test_sensors_agree_with_mujoco() -> None:
    """Without contacts, after 0.2 s; means of the last step here, of the instant there."""
    robot = load_robot("boa13")
    ours, other = MoreauWorld(robot), MujocoWorld(robot)
    for world in (ours, other):
        world.place(np.array([0.3, -0.2, 0.7]), 0.3 * np.sin(np.arange(robot.joints)))
        for k in range(200):
            world.advance(shaken(k, robot.joints))
        world.refresh()
    for reading in READINGS:
        scale = np.abs(getattr(other, reading)).max()
        np.testing.assert_allclose(
            getattr(ours, reading), getattr(other, reading), atol=0.02 * scale
        )


@pytest.mark.parametrize("obstacle", ["post", "box", "wall"])
def test_a_pushed_chain_comes_to_rest_against_an_obstacle(obstacle: str) -> None:
    """Link 1 is pushed with 5 N against an obstacle in the way of its centre: at rest the contact
    carries the 5 N (Newton), nothing overlaps, and the joint forces are those of a body at rest.
    """
    robot = load_robot("boa3", override={"actuator": {"damping": 0.5}})
    radius, half = robot.link.radius, robot.link.pitch / 2
    obstacles = {
        "post": Circle(x=half, y=-radius - 0.052, radius=0.05),
        "box": Box(x=half, y=-radius - 0.052, length=0.05, width=0.1),
        "wall": Wall(x1=-1, y1=-radius - 0.012, x2=2, y2=-radius - 0.012),
    }
    world = MoreauWorld(robot, (obstacles[obstacle],))
    world.push({0: np.array([0.0, -5.0, 0.0])})
    deepest = 0.0
    for _ in range(3000):
        world.advance(np.zeros(2))
        mujoco.mj_collision(world.model, world.data)
        if world.data.ncon:
            deepest = min(deepest, float(world.data.contact.dist.min()))
    world.refresh()
    assert deepest > -2e-6
    total = sum((contact.force for contact in world.contacts()), np.zeros(3))
    if obstacle == "wall":  # the whole chain leans on it
        assert total == pytest.approx([0, 5.0, 0], abs=0.05)
        assert np.abs(world.joint_velocity).max() < 1e-3
    assert world.residual < 1e-9


def test_a_bouncing_chain_leaves_with_its_share_of_the_speed() -> None:
    """A straight chain that hits a wall with its whole flank: e = 0.5 halves the speed, with the
    wall as with 13 points at once.
    """
    robot = load_robot("boa13")
    wall = Wall(x1=-1, y1=-robot.link.radius - 0.02, x2=3, y2=-robot.link.radius - 0.02)
    for e in (0.0, 0.5, 0.8):
        world = MoreauWorld(robot, (wall,), Physics(contact=ContactModel(restitution=e)))
        world.data.qvel[1] = -0.4
        for _ in range(60):
            world.advance(np.zeros(robot.joints))
        speeds = world._velocity(world.data.xipos[world._links, :2])[:, 1]
        assert speeds == pytest.approx(np.full(13, 0.4 * e), abs=2e-3)


def test_viscous_friction_brakes_by_its_coefficient() -> None:
    """A straight chain pressed against a wall slides along it, without touching in the first step:
    its n pressed points brake with c times the velocity in the middle of a step, v + (v - v-) / 2,
    to rounding, and the recorded forces take the momentum that the chain loses (Newton).
    """
    robot, viscous = load_robot("boa3"), 4.0
    wall = Wall(x1=-1, y1=-robot.link.radius - 0.01, x2=3, y2=-robot.link.radius - 0.01)
    world = MoreauWorld(robot, (wall,), Physics(contact=ContactModel(viscous=viscous)))
    world.push(dict.fromkeys(range(3), np.array([0.0, -5.0, 0.0])))
    world.data.qvel[0] = 0.3
    pressed, taken, speeds = robot.links + 1, 0.0, [0.3, 0.3]
    for _ in range(300):
        world.advance(np.zeros(2))
        world.refresh()
        taken -= world.step * sum(contact.force[0] for contact in world.contacts())
        lost = viscous * pressed * (1.5 * speeds[-1] - 0.5 * speeds[-2]) / robot.mass
        speeds.append(speeds[-1] - world.step * lost)
    assert world.base_velocity[0] == pytest.approx(speeds[-2], rel=1e-9)
    assert taken == pytest.approx(robot.mass * (0.3 - world.base_velocity[0]), rel=1e-9)
    assert taken > 0.5 * robot.mass * 0.3


def energy(world: MoreauWorld) -> float:
    world.refresh()
    mujoco.mj_makeM(world.model, world.data)
    inertia = np.zeros((world.model.nv, world.model.nv))
    mujoco.mj_fullM(world.model, world.data, inertia)
    return float(0.5 * world.data.qvel @ inertia @ world.data.qvel)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_limp_chain_thrown_among_posts_never_gains_energy(mu: float) -> None:
    """Impacts, friction and damping only take: energy rises in no step."""
    robot = load_robot("boa3")
    posts = tuple(Circle(x=x, y=y, radius=0.03) for x, y in ((0.1, 0.2), (0.4, 0.25), (0.7, 0.2)))
    world = MoreauWorld(robot, posts, Physics(contact=ContactModel(friction=mu), step=0.0005))
    world.data.qvel[:] = [0.1, 0.8, 0.3, 0.5, -0.5]
    values, touched = [energy(world)], 0
    for _ in range(1600):
        world.advance(np.zeros(2))
        values.append(energy(world))
        touched += len(world.contacts()) > 0
    assert touched > 3
    rise = max(after - before for before, after in pairwise(values))
    assert rise < 1e-9 * values[0]
    assert values[-1] < 0.7 * values[0]


def test_dry_gears_hold_what_they_hold_and_no_more() -> None:
    """0.3 N m of dry friction hold 0.29 N m for ever, without creep."""
    robot = load_robot("boa13")
    world = MoreauWorld(robot, physics=Physics(coulomb=0.3))
    for _ in range(500):
        world.advance(np.full(robot.joints, 0.29))
    assert np.abs(world.joint_position).max() < 1e-9
    for _ in range(100):
        world.advance(np.full(robot.joints, 0.6))
    assert np.abs(world.joint_position).max() > 1e-3


def test_joints_end_at_their_stops() -> None:
    robot = load_robot("boa3")
    world = MoreauWorld(robot)
    for _ in range(4000):
        world.advance(np.array([1.0, 0.0]))
    assert world.joint_position[0] == pytest.approx(robot.joint.upper, abs=1e-6)


def test_the_same_run_twice_has_the_same_bits() -> None:
    robot = load_robot("boa3")
    posts = (Circle(x=0.3, y=0.11, radius=0.03), Circle(x=0.3, y=-0.11, radius=0.03))
    runs = []
    for _ in range(2):
        world = MoreauWorld(robot, posts, Physics(contact=ContactModel(friction=0.3)))
        for k in range(300):
            world.advance(2.0 * shaken(k, 2))
        runs.append(world.data.qpos.copy())
    assert np.array_equal(*runs)


@pytest.mark.parametrize("law", ["restitution", "viscous"])
def test_mujoco_lacks_laws_of_rigid_contact_and_says_so(law: str) -> None:
    with pytest.raises(BoaError, match=rf"{law} 0\.5.*plant\.engine: moreau"):
        MujocoWorld(load_robot("boa3"), physics=Physics(contact=ContactModel(**{law: 0.5})))
