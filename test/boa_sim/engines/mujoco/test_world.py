# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rigid-body world against closed forms and conservation laws."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.robot import Robot
from boa_description.scene import Circle, ContactModel, GroundFriction, Wall
from boa_sim.engines.mujoco.world import MujocoWorld
from boa_sim.world import Physics

GRAVITY = 9.81


def push(world: MujocoWorld, velocity: Array) -> None:
    """Give the chain generalised velocities (n + 2,) and bring everything up to date."""
    world.data.qvel[:] = velocity
    mujoco.mj_step1(world.model, world.data)
    world.refresh()


def link_motion(robot: Robot, world: MujocoWorld) -> tuple[Array, Array, Array]:
    """Centres (n, 2), their velocities (n, 2) and yaw rates (n,), from q and its rates by hand."""
    heading, rate = np.cumsum(world.data.qpos[2:]), np.cumsum(world.data.qvel[2:])
    along = robot.link.pitch * np.column_stack((np.cos(heading), np.sin(heading)))
    across = robot.link.pitch * rate[:, None] * np.column_stack((-np.sin(heading), np.cos(heading)))
    place = world.data.qpos[:2] + np.cumsum(along, axis=0) - along / 2
    velocity = world.data.qvel[:2] + np.cumsum(across, axis=0) - across / 2
    return place, velocity, rate


def momentum(robot: Robot, world: MujocoWorld) -> Array:
    """Linear momentum and angular momentum about the origin, shape (3,)."""
    place, velocity, rate = link_motion(robot, world)
    linear = robot.link.mass * velocity
    spin = robot.link.yaw_inertia * rate + place[:, 0] * linear[:, 1] - place[:, 1] * linear[:, 0]
    return np.array([*linear.sum(axis=0), spin.sum()])


def shake(time: float, joints: int, size: float = 0.5) -> Array:
    return size * np.sin(9.0 * time + np.arange(joints))


# --- everything read belongs to one instant -------------------------------------------------------


def test_sensors_and_forces_belong_to_the_present_position(boa3: Robot, arch: Any) -> None:
    """A fresh MjData at the same state, computed by one mj_forward, must read the same."""
    world = MujocoWorld(boa3, arch.posts)
    world.place(arch.base, arch.joints)
    for number in range(200):
        world.advance(1.0 + shake(number * 1e-3, 2))
    stale = world.data.sensordata.copy()
    world.refresh()
    fresh = mujoco.MjData(world.model)
    fresh.qpos[:] = world.data.qpos
    fresh.qvel[:] = world.data.qvel
    fresh.ctrl[:] = world.data.ctrl
    mujoco.mj_forward(world.model, fresh)
    assert world.data.sensordata == pytest.approx(fresh.sensordata, abs=1e-6)
    # without refresh it would be the step before
    assert np.abs(world.data.sensordata - stale).max() > 1e-3
    assert sum(c.normal_force for c in world.contacts()) == pytest.approx(
        float(fresh.efc_force.sum()), abs=1e-6
    )


def test_refresh_does_not_change_the_motion(boa3: Robot, arch: Any) -> None:
    runs = []
    for refreshing in (False, True):
        world = MujocoWorld(boa3, arch.posts, Physics(contact=ContactModel(friction=0.2)))
        world.place(arch.base, arch.joints)
        for number in range(300):
            world.advance(1.0 + shake(number * 1e-3, 2))
            if refreshing:
                world.refresh()
        runs.append(world.data.qpos.tobytes())
    assert runs[0] == runs[1]


# --- conservation ---------------------------------------------------------------------------------


def test_no_torque_means_no_motion(boa13: Robot) -> None:
    world = MujocoWorld(boa13)
    world.place(np.array([0.3, -0.2, 0.7]), np.linspace(-1, 1, 12))
    start = world.data.qpos.copy()
    for _ in range(500):
        world.advance(np.zeros(12))
    assert world.data.qpos.tobytes() == start.tobytes()


def test_a_free_chain_keeps_its_momentum(boa13: Robot) -> None:
    """Joint torques are internal, so linear and angular momentum stay zero; the error falls with
    the step.
    """
    errors = []
    for step in (0.001, 0.0005):
        world = MujocoWorld(boa13, physics=Physics(step=step))
        for number in range(round(0.5 / step)):
            world.advance(shake(number * step, 12))
        _, velocity, _ = link_motion(boa13, world)
        scale = boa13.link.mass * np.abs(velocity).sum()
        errors.append(np.abs(momentum(boa13, world)).max() / scale)
    assert errors[0] < 0.01
    assert errors[1] < 0.7 * errors[0]


def test_motor_work_becomes_kinetic_energy_and_friction_loss(boa13: Robot) -> None:
    """Sum of tau phi' dt = kinetic energy + viscous loss; the rotors' energy counts."""
    step = 0.00025
    world = MujocoWorld(boa13, physics=Physics(step=step))
    actuator, work, loss = boa13.actuator, 0.0, 0.0
    for number in range(2000):
        before = world.joint_velocity
        torque = shake(number * step, 12)
        world.advance(torque)
        mean = (before + world.joint_velocity) / 2
        work += float(torque @ mean) * step
        loss += actuator.damping * float(mean @ mean) * step
    _, velocity, rate = link_motion(boa13, world)
    energy = (
        boa13.link.mass * np.sum(velocity**2)
        + boa13.link.yaw_inertia * np.sum(rate**2)
        + actuator.armature * np.sum(world.joint_velocity**2)
    ) / 2
    assert work == pytest.approx(energy + loss, rel=0.01)
    assert loss > 0.02 * work  # the balance is not trivial


def test_contact_and_friction_forces_are_the_rate_of_change_of_momentum(
    boa3: Robot, arch: Any
) -> None:
    """Impulse of all reported contact forces over a second = change of momentum, linear and
    angular.
    """
    contact = ContactModel(friction=0.3)
    world = MujocoWorld(boa3, arch.posts, Physics(contact=contact, step=0.00025))
    world.place(arch.base, arch.joints)
    impulse, largest = np.zeros(3), 0.0
    friction = 0.0
    start = momentum(boa3, world)
    for number in range(1500):
        torque = 1.0 + shake(number * 0.00025, 2, 1.5)  # now and then a post is left and hit again
        world.data.ctrl[:] = torque
        world.refresh()  # forces that act during the coming step
        for c in world.contacts():
            force = c.force[:2]
            turn = c.point[0] * force[1] - c.point[1] * force[0]
            impulse += np.array([*force, turn]) * 0.00025
            largest = max(largest, c.normal_force)
            friction = max(friction, abs(c.tangential_force))
        world.advance(torque)
    change = momentum(boa3, world) - start
    assert largest > 10
    assert friction > 0.5
    assert impulse == pytest.approx(change, abs=0.01 * largest * 0.375)


# --- statics --------------------------------------------------------------------------------------


@pytest.mark.parametrize("torque", [0.5, 1.0, 4.0])
def test_arch_forces_are_those_of_statics(boa3: Robot, arch: Any, torque: float) -> None:
    """End posts carry tau / d, the middle pair sqrt(2) of that together; joint forces follow by
    hand.
    """
    world = MujocoWorld(boa3, arch.posts)
    world.place(arch.base, arch.joints)
    for _ in range(1500):
        world.advance(np.array([torque, torque]))
    world.refresh()
    contacts = {c.obstacle: c for c in world.contacts()}
    assert {k: c.link for k, c in contacts.items()} == {0: 0, 1: 1, 2: 1, 3: 2}
    end = torque / arch.reach
    assert contacts[0].normal_force == pytest.approx(end, rel=0.01)
    assert contacts[3].normal_force == pytest.approx(end, rel=0.01)
    assert contacts[1].normal_force == pytest.approx(end / np.sqrt(2), rel=0.01)
    assert contacts[2].normal_force == pytest.approx(end / np.sqrt(2), rel=0.01)
    # the post pushes link 1 to the lower right, so link 2 must push it to the upper left; the
    # frame of link 2 is level
    c = end * np.sqrt(0.5)
    assert world.joint_force[0, :2] == pytest.approx([-c, c], rel=0.02)
    # link 3 passes on the push of its post, straight across itself
    assert world.joint_force[1, :2] == pytest.approx([0.0, -end], rel=0.01, abs=0.01 * end)


def test_stiction_holds_the_torque_it_should(boa3: Robot, arch: Any) -> None:
    """Loading a joint with dry friction: only tau - coulomb reaches the posts, and it stays so."""
    world = MujocoWorld(boa3, arch.posts, Physics(coulomb=0.3))
    world.place(arch.base, arch.joints)
    for _ in range(2000):
        world.advance(np.array([1.0, 1.0]))
    world.refresh()
    ends = [c.normal_force for c in world.contacts() if c.link != 1]
    assert ends == pytest.approx([0.7 / arch.reach] * 2, rel=0.02)


def test_dry_joint_friction_is_coulomb_when_sliding_and_holds_at_rest(boa3: Robot) -> None:
    """With friction c, torque tau moves the joints as tau - c would without; below c nothing
    moves.
    """
    sliding = MujocoWorld(boa3, physics=Physics(coulomb=0.2))
    ideal = MujocoWorld(boa3)
    holding = MujocoWorld(boa3, physics=Physics(coulomb=0.2))
    for _ in range(100):
        sliding.advance(np.array([0.7, 0.7]))
        ideal.advance(np.array([0.5, 0.5]))
        holding.advance(np.array([0.15, -0.15]))
    assert sliding.joint_velocity == pytest.approx(ideal.joint_velocity, rel=0.01)
    assert np.abs(holding.joint_position).max() < 1e-4


# --- contacts -------------------------------------------------------------------------------------


def test_contact_geometry_and_signs(boa3: Robot, arch: Any) -> None:
    world = MujocoWorld(boa3, arch.posts)
    world.place(arch.base, arch.joints)
    for _ in range(500):
        world.advance(np.array([1.0, 1.0]))
    world.refresh()
    place, _, _ = link_motion(boa3, world)
    for c in world.contacts():
        post = arch.posts[c.obstacle]
        outward = c.point[:2] - [post.x, post.y]
        assert np.linalg.norm(c.normal) == pytest.approx(1.0)
        assert np.hypot(*outward) == pytest.approx(post.radius, abs=1e-3)
        assert outward / np.hypot(*outward) == pytest.approx(c.normal[:2], abs=1e-3)
        assert (place[c.link] - [post.x, post.y]) @ c.normal[:2] > 0
        assert c.normal_force > 0


def test_a_post_at_a_joint_touches_both_links_and_the_sum_is_right(boa3: Robot) -> None:
    """A straight chain squeezed at its first joint by two posts: each side's contacts add up to the
    same force.
    """
    pitch, gap = boa3.link.pitch, boa3.link.radius + 0.05 - 2e-4
    posts = [Circle(x=pitch, y=gap, radius=0.05), Circle(x=pitch, y=-gap, radius=0.05)]
    world = MujocoWorld(boa3, posts)
    for _ in range(300):
        world.advance(np.zeros(2))
    world.refresh()
    contacts = world.contacts()
    assert sorted((c.link, c.obstacle) for c in contacts) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    above = sum(c.normal_force * c.normal for c in contacts if c.obstacle == 0)
    below = sum(c.normal_force * c.normal for c in contacts if c.obstacle == 1)
    assert above[1] < -0.5
    assert above == pytest.approx(-below, rel=1e-6, abs=1e-9)


def test_a_link_flat_on_a_wall_is_one_contact_in_its_middle(boa3: Robot) -> None:
    pitch, radius = boa3.link.pitch, boa3.link.radius
    y = radius + 0.01 - 2e-4
    walls = [
        Wall(x1=-1, y1=y, x2=2, y2=y, thickness=0.02),
        Wall(x1=-1, y1=-y, x2=2, y2=-y, thickness=0.02),
    ]
    world = MujocoWorld(boa3, walls)
    for _ in range(300):
        world.advance(np.zeros(2))
    world.refresh()
    contacts = world.contacts()
    assert sorted((c.link, c.obstacle) for c in contacts) == [
        (i, k) for i in range(3) for k in range(2)
    ]
    for c in contacts:
        assert c.normal == pytest.approx([0.0, -1.0 if c.obstacle == 0 else 1.0, 0.0], abs=1e-9)
        if c.link == 1:
            assert c.point[0] == pytest.approx(1.5 * pitch, abs=1e-6)


@pytest.mark.parametrize(
    ("contact", "chatters"),
    [(ContactModel(), False), (ContactModel(solref=(0.02, 1.0), solimp=(0.9, 0.95, 0.001)), True)],
    ids=["ours", "MuJoCo's default"],
)
def test_our_contact_settings_do_not_chatter(
    boa3: Robot, arch: Any, contact: ContactModel, chatters: bool
) -> None:
    """Torque noise that never comes near zero: statics keeps all four contacts pressed, the default
    loses them.
    """
    world = MujocoWorld(boa3, arch.posts, Physics(contact=contact))
    world.place(arch.base, arch.joints)
    for _ in range(500):
        world.advance(np.ones(2))
    noise = np.random.default_rng(1).uniform(-0.425, 0.425, (500, 2))
    held = []
    for dither in noise:
        for _ in range(2):
            world.advance(1.0 + dither)
        world.refresh()
        held.append(len(world.contacts()) == 4)
    if chatters:
        assert np.mean(held) < 0.95
    else:
        assert all(held)


# --- friction -------------------------------------------------------------------------------------


@pytest.mark.parametrize("heading", [0.0, 0.5 * np.pi, 2.0])
def test_coulomb_ground_friction_stops_a_chain_as_it_should(boa3: Robot, heading: float) -> None:
    """v = v0 - mu g t, whatever the direction; then it stands still."""
    mu, speed = 0.1, 0.5
    world = MujocoWorld(boa3, physics=Physics(ground=GroundFriction(model="coulomb", mu=mu)))
    direction = np.array([np.cos(heading), np.sin(heading)])
    push(world, np.array([*(speed * direction), 0, 0, 0]))
    for _ in range(400):
        world.advance(np.zeros(2))
    assert world.base_velocity[:2] == pytest.approx(
        (speed - mu * GRAVITY * 0.4) * direction, abs=1e-3
    )
    for _ in range(600):
        world.advance(np.zeros(2))
    stop = speed**2 / (2 * mu * GRAVITY)
    assert world.base[:2] == pytest.approx(stop * direction, abs=1e-3)
    assert np.abs(world.base_velocity).max() < 1e-9


def test_viscous_ground_friction_decays_exponentially(boa3: Robot) -> None:
    rate = 2.0
    world = MujocoWorld(boa3, physics=Physics(ground=GroundFriction(model="viscous", viscous=rate)))
    push(world, np.array([0.3, 0.4, 0, 0, 0]))
    for _ in range(1000):
        world.advance(np.zeros(2))
    decay = np.exp(-rate / boa3.link.mass)
    assert world.base_velocity[:2] == pytest.approx(np.array([0.3, 0.4]) * decay, rel=2e-3)


@pytest.mark.parametrize(("direction", "mu"), [((1.0, 0.0), 0.05), ((0.0, 1.0), 0.3)])
def test_anisotropic_ground_friction_along_and_across(
    boa3: Robot, direction: tuple[float, float], mu: float
) -> None:
    ground = GroundFriction(model="anisotropic", mu=0.05, mu_normal=0.3)
    world = MujocoWorld(boa3, physics=Physics(ground=ground))
    push(world, np.array([*direction, 0, 0, 0]))
    for _ in range(200):
        world.advance(np.zeros(2))
    assert world.base_velocity[:2] == pytest.approx(
        (1 - mu * GRAVITY * 0.2) * np.array(direction), abs=1e-6
    )


@pytest.mark.parametrize("rubs", [False, True])
def test_viscous_ground_friction_stops_turning(boa3: Robot, rubs: bool) -> None:
    """A straight chain that turns about its centre, held stiff by symmetry: the outer links move
    across, all links turn; also where the friction of contacts is switched on.
    """
    ground = GroundFriction(model="mixed", viscous=1.0, viscous_normal=4.0)
    contact = ContactModel(friction=0.2 if rubs else 0.0)
    world = MujocoWorld(boa3, physics=Physics(ground=ground, contact=contact))
    pitch, mass, turning = boa3.link.pitch, boa3.link.mass, 0.5
    push(world, np.array([0.0, -1.5 * pitch * turning, turning, 0, 0]))
    drag = 3 * 4.0 * pitch**2 / 12 + 2 * 4.0 * pitch**2
    inertia = 3 * boa3.link.yaw_inertia + 2 * mass * pitch**2
    # angular momentum about the centre, whatever the joints do
    before = inertia * turning
    world.advance(np.zeros(2))
    velocity = np.cumsum(world.data.qvel[2:])
    arm = pitch * (velocity[1] + (velocity[0] + velocity[2]) / 2)
    after = boa3.link.yaw_inertia * velocity.sum() + mass * pitch * arm
    assert (after - before) / world.step == pytest.approx(-drag * turning, rel=1e-3)


def test_ground_friction_reaches_the_force_sensors(boa3: Robot) -> None:
    """Only two of three links have weight on the floor worth speaking of: the joint carries the
    difference by hand.
    """
    scale = np.array([1.0, 1.0, 2.0])
    world = MujocoWorld(
        boa3, physics=Physics(ground=GroundFriction(model="viscous", viscous=4.0), mass_scale=scale)
    )
    push(world, np.array([0.5, 0, 0, 0, 0]))
    mass = boa3.link.mass
    acceleration = -3 * 4.0 * 0.5 / (4 * mass)
    # what link 2 must give link 3: m a minus the floor's force
    pull = 2 * mass * acceleration + 4.0 * 0.5
    assert world.joint_force[1, 0] == pytest.approx(-pull, rel=1e-6)
    assert abs(pull) > 0.1


def test_contact_friction_slows_by_mu_times_normal_force(boa3: Robot) -> None:
    """A chain sliding through a tight corridor: m a = -mu times all normal forces."""
    y = boa3.link.radius + 0.01 - 5e-5
    walls = [Wall(x1=-2, y1=side * y, x2=3, y2=side * y, thickness=0.02) for side in (1, -1)]
    mu, step = 0.2, 0.001
    world = MujocoWorld(boa3, walls, Physics(contact=ContactModel(friction=mu), step=step))
    for _ in range(200):
        world.advance(np.zeros(2))
    world.refresh()
    normal = sum(c.normal_force for c in world.contacts())
    push(world, np.array([0.6, 0, 0, 0, 0]))
    for _ in range(100):
        world.advance(np.zeros(2))
    assert normal > 5
    expected = 0.6 - mu * normal / boa3.mass * 0.1
    assert world.base_velocity[0] == pytest.approx(expected, rel=1e-3)
    world.refresh()
    for c in world.contacts():
        backwards = c.tangential_force * np.array([c.normal[1], -c.normal[0]])
        assert backwards[0] == pytest.approx(-mu * c.normal_force, rel=1e-3)


def test_contact_friction_reaches_the_force_sensors(boa3: Robot) -> None:
    """Only the tail link is braked; joint 1 must carry what slows the two links before it."""
    gap = boa3.link.radius + 0.05 - 3e-4
    posts = [Circle(x=0.1, y=side * gap, radius=0.05) for side in (1, -1)]
    world = MujocoWorld(boa3, posts, Physics(contact=ContactModel(friction=0.3)))
    for _ in range(200):
        world.advance(np.zeros(2))
    push(world, np.array([0.2, 0, 0, 0, 0]))
    for _ in range(50):
        world.advance(np.zeros(2))
    world.refresh()
    braking = 0.3 * sum(c.normal_force for c in world.contacts())
    assert {c.link for c in world.contacts()} == {0}
    assert world.joint_force[0, 0] == pytest.approx(braking * 2 / 3, rel=1e-3)
    assert world.joint_force[1, 0] == pytest.approx(braking * 1 / 3, rel=1e-3)


def test_friction_too_steep_for_the_step_is_refused(boa3: Robot) -> None:
    with pytest.raises(BoaError, match=r"slip_speed.*physics_step"):
        MujocoWorld(
            boa3, physics=Physics(ground=GroundFriction(model="coulomb", mu=1.0), step=0.01)
        )
    with pytest.raises(BoaError, match="viscous"):
        MujocoWorld(boa3, physics=Physics(ground=GroundFriction(model="viscous", viscous=5000.0)))
