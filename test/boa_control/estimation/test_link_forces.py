"""Forces across links from joint force sensors, against those that really act in a simulation."""

from __future__ import annotations

import numpy as np

from boa_control.estimation.link_forces import lateral_forces
from boa_control.model.dynamics import PlanarChain
from boa_control.plant import ForceSample
from boa_description.floor import ground_force
from boa_description.load import load_robot
from boa_description.scene import Circle, GroundFriction
from boa_sim.plant import SimulatedPlant

ROBOT = load_robot("boa13", links=6)
FLOOR = GroundFriction(model="mixed", viscous=1.0, viscous_normal=6.0)
POST = Circle(x=0.4, y=0.0898, radius=0.05)  # presses the fourth link by 0.05 mm


def after(ticks: int, posts: tuple[Circle, ...]) -> SimulatedPlant:
    plant = SimulatedPlant(ROBOT, ground=FLOOR, obstacles=posts)
    plant.arm()
    for k in range(ticks):
        plant.write(0.3 * np.sin(0.02 * k + np.arange(5)))
    return plant


def true_forces(plant: SimulatedPlant) -> np.ndarray:
    """Floor and posts across every link, N."""
    truth = plant.truth()
    chain = PlanarChain(ROBOT)
    q = np.concatenate((truth.base, truth.joint_position))
    posture = chain.posture(q)
    velocity = chain.centre_velocities(
        posture, np.concatenate((truth.base_velocity, truth.joint_velocity))
    )
    outside = ground_force(FLOOR, np.full(6, ROBOT.link.mass), velocity, posture.theta)
    for contact in truth.contacts:
        outside[contact.link] += contact.force[:2]
    across: np.ndarray = posture.cos * outside[:, 1] - posture.sin * outside[:, 0]
    return across


def test_floor_and_posts_across_every_link() -> None:
    plant = after(150, (POST,))
    true, measured = true_forces(plant), lateral_forces(plant.read(), ROBOT.link.mass)
    assert np.abs(true).max() > 0.2
    np.testing.assert_allclose(measured, true, atol=1e-6)
    pressed = after(2, (POST,))
    assert [contact.link for contact in pressed.truth().contacts] == [3] or true[3] < 0
    np.testing.assert_allclose(
        lateral_forces(pressed.read(), ROBOT.link.mass), true_forces(pressed), atol=1e-6
    )


def test_silent_sensors_count_as_nothing() -> None:
    frame = after(20, ()).read()
    assert not lateral_forces(frame._replace(joint_force=None), ROBOT.link.mass).any()
    force = frame.joint_force.force.copy()
    force[2] = np.nan
    broken = frame._replace(joint_force=ForceSample(frame.stamp_ns, force))
    told = lateral_forces(broken, ROBOT.link.mass)
    assert not told[2:4].any()
    whole = lateral_forces(frame, ROBOT.link.mass)
    np.testing.assert_array_equal(told[[0, 1, 4, 5]], whole[[0, 1, 4, 5]])
