# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contact force estimation against hand calculation, an independent force recursion and the
simulation's truth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boa_control.estimation.chain_sample import ChainSample, noise_of, sample_from_frame
from boa_control.estimation.contact_forces import ContactForceEstimator
from boa_control.model.contact_geometry import LinkContacts, ObstacleMap, chain_pose, find_contacts
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Robot
from boa_description.scene import Circle

Array = np.ndarray
BOA = load_robot("boa13")
SIGMA = 0.2  # N, of the joint force sensors


@dataclass(frozen=True)
class Motion:
    """A random motion of a chain: what its sensors measure without noise, and what pushes it."""

    sample: ChainSample
    contacts: LinkContacts
    force: Array


def turn(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def random_motion(robot: Robot, seed: int, friction: float = 0.0, spread: float = 0.5) -> Motion:
    """Kinematics by walking along the chain, joint forces and torques by Newton and Euler from the
    tail.

    Contacts: one on every third link, either side.
    """
    rng = np.random.default_rng(seed)
    n, half = robot.links, robot.link.pitch / 2
    joints = spread * rng.uniform(-1, 1, n - 1)
    theta = np.concatenate(([0.3], 0.3 + np.cumsum(joints)))
    rate, alpha = rng.normal(size=n), 3 * rng.normal(size=n)
    link = np.arange(0, n, 3)
    side = rng.choice([-1.0, 1.0], link.size)
    offset = rng.uniform(0.02, robot.link.pitch - 0.02, link.size)
    normal = np.column_stack((np.zeros(link.size), -side))
    contacts = LinkContacts(
        link, np.arange(link.size), offset, normal, np.zeros(link.size), robot.link.radius
    )
    pressing = rng.uniform(1, 20, link.size)
    rubbing = friction * pressing * rng.uniform(-1, 1, link.size)

    axis = rng.normal(size=2)  # acceleration of the tail-side axis of the present link
    beyond = np.zeros(2)  # force that the links so far need from the next one
    torque_before = 0.0
    joint_force, torque, acceleration = np.zeros((n - 1, 2)), np.zeros(n - 1), np.zeros((n, 2))
    for i in range(n):
        along, across = turn(theta[i]) @ [1.0, 0.0], turn(theta[i]) @ [0.0, 1.0]
        swing = half * (alpha[i] * across - rate[i] ** 2 * along)
        centre, axis = axis + swing, axis + 2 * swing
        push, moment = np.zeros(2), 0.0
        for k in np.flatnonzero(link == i):
            inward = turn(theta[i]) @ normal[k]
            force = pressing[k] * inward + rubbing[k] * np.array([inward[1], -inward[0]])
            arm = turn(theta[i]) @ np.array([offset[k] - half, 0.0]) - robot.link.radius * inward
            push, moment = push + force, moment + arm[0] * force[1] - arm[1] * force[0]
        acceleration[i] = turn(-theta[i]) @ centre
        if i == n - 1:
            break
        # what the tail-side neighbour does to this link is -beyond, at its tail-side axis
        needed = robot.link.mass * centre - push + beyond
        arm = half * along
        ends = (arm[0] * needed[1] - arm[1] * needed[0]) + (arm[0] * beyond[1] - arm[1] * beyond[0])
        transmitted = torque_before - robot.link.yaw_inertia * alpha[i] + moment + ends
        joint_force[i] = turn(-theta[i + 1]) @ needed
        joint_rate, joint_alpha = rate[i + 1] - rate[i], alpha[i + 1] - alpha[i]
        torque[i] = (
            transmitted
            + robot.actuator.armature * joint_alpha
            + robot.actuator.damping * joint_rate
        )
        beyond, torque_before = needed, transmitted
    # nothing makes the head link balance: `without_last_link` gives it what it needs
    sample = ChainSample(joints, np.diff(rate), torque, joint_force, acceleration, rate)
    return Motion(sample, contacts, pressing)


def without_last_link(motion: Motion, robot: Robot) -> LinkContacts:
    """The recursion runs from the tail and does not close at the head: let an extra contact there
    take the rest.
    """
    extra = LinkContacts(
        np.full(3, robot.links - 1),
        np.arange(90, 93),
        np.array([0.02, 0.06, 0.1]),
        np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]),
        np.zeros(3),
        robot.link.radius,
    )
    keep = motion.contacts.select(motion.contacts.link < robot.links - 1)
    return LinkContacts(
        np.concatenate((keep.link, extra.link)),
        np.concatenate((keep.obstacle, extra.obstacle)),
        np.concatenate((keep.offset, extra.offset)),
        np.vstack((keep.normal, extra.normal)),
        np.concatenate((keep.gap, extra.gap)),
        robot.link.radius,
    )


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_exact_sensors_give_exact_forces(seed: int) -> None:
    motion = random_motion(BOA, seed)
    contacts = without_last_link(motion, BOA)
    estimate = ContactForceEstimator(BOA, noise_of(BOA, torque=1e-3)).forces(
        motion.sample, contacts
    )
    count = int((motion.contacts.link < BOA.links - 1).sum())
    np.testing.assert_allclose(estimate.force[:count], motion.force[:count], atol=0.02)


def test_sensor_noise_of_02_n_gives_at_most_03_n_and_no_bias() -> None:
    motion = random_motion(BOA, 3)
    contacts = without_last_link(motion, BOA)
    count = int((motion.contacts.link < BOA.links - 1).sum())
    estimator = ContactForceEstimator(BOA, noise_of(BOA, joint_force=SIGMA))
    rng = np.random.default_rng(0)
    errors, stds = [], []
    for _ in range(2000):
        sample = replace(
            motion.sample,
            joint_force=motion.sample.joint_force + SIGMA * rng.normal(size=(12, 2)),
            acceleration=motion.sample.acceleration
            + BOA.imu.acceleration_noise * rng.normal(size=(13, 2)),
        )
        estimate = estimator.forces(sample, contacts)
        errors.append(estimate.force[:count] - motion.force[:count])
        stds.append(estimate.std[:count])
    error, std = np.array(errors), np.array(stds)
    rms = np.sqrt((error**2).mean(axis=0))
    assert rms.max() <= 0.3
    # unbiased: within four standard errors
    assert np.abs(error.mean(axis=0)).max() < 4 * 0.3 / np.sqrt(2000)
    assert np.all(rms < 1.2 * std.mean(axis=0))  # the stated uncertainty covers the error
    assert np.all(rms > 0.6 * std.mean(axis=0))  # and does not exaggerate


def three_link_pinch() -> tuple[Robot, ChainSample, LinkContacts]:
    """A straight chain at rest: 6 N up on the middle of link 2, 3 N down on the middle of links 1
    and 3, by hand.

    Joint 1 carries 3 N (link 2 pulls link 1 up), joint 2 carries 3 N the other way. Link 1 would
    turn by 3 N times half a link; both joints hold that torque.
    """
    robot = load_robot("boa3")
    half = robot.link.pitch / 2
    sample = ChainSample(
        np.zeros(2),
        np.zeros(2),
        np.array([3 * half, 3 * half]),
        np.array([[0.0, 3.0], [0.0, -3.0]]),
        np.zeros((3, 2)),
        np.zeros(3),
    )
    normal = np.array([[0.0, -1.0], [0.0, 1.0], [0.0, -1.0]])
    contacts = LinkContacts(
        np.arange(3), np.arange(3), np.full(3, half), normal, np.zeros(3), robot.link.radius
    )
    return robot, sample, contacts


def test_pinched_straight_chain_by_hand() -> None:
    robot, sample, contacts = three_link_pinch()
    estimate = ContactForceEstimator(robot, noise_of(robot)).forces(sample, contacts)
    np.testing.assert_allclose(estimate.force, [3.0, 6.0, 3.0], atol=1e-6)


def test_point_away_from_the_middle_shows_in_the_moment() -> None:
    robot, sample, _ = three_link_pinch()
    wrenches = ContactForceEstimator(robot, noise_of(robot)).link_wrenches(sample)
    np.testing.assert_allclose(wrenches.value[:6], [0, -3, 0, 6, 0, -3], atol=1e-12)
    # all three act at the link centres
    np.testing.assert_allclose(wrenches.value[6:], 0.0, atol=1e-12)


@pytest.mark.parametrize("missing", ["joint_force", "acceleration"])
def test_missing_sensors_cost_certainty_not_truth(missing: str) -> None:
    robot, sample, contacts = three_link_pinch()
    values = getattr(sample, missing).copy()
    values[1] = np.nan
    estimator = ContactForceEstimator(robot, noise_of(robot, torque=0.01))
    with_gap = estimator.forces(replace(sample, **{missing: values}), contacts)
    complete = estimator.forces(sample, contacts)
    assert np.isfinite(with_gap.force).all()
    assert np.all(with_gap.std >= complete.std - 1e-12)
    # at rest the others still tell
    np.testing.assert_allclose(with_gap.force, [3.0, 6.0, 3.0], atol=0.01)


def test_friction_forces_do_not_leak_into_normal_forces() -> None:
    motion = random_motion(BOA, 5, friction=0.5)
    contacts = without_last_link(motion, BOA)
    count = int((motion.contacts.link < BOA.links - 1).sum())
    noise = noise_of(BOA, torque=1e-3)
    aware = ContactForceEstimator(BOA, noise, friction=0.5).forces(motion.sample, contacts)
    np.testing.assert_allclose(aware.force[:count], motion.force[:count], atol=0.05)
    blind = ContactForceEstimator(BOA, noise).forces(motion.sample, contacts)
    assert np.abs(blind.force[:count] - motion.force[:count]).max() > 0.2


def test_sample_takes_dry_friction_off_the_motor_torque() -> None:
    _, sample, _ = three_link_pinch()
    frame = SensorFrame(
        stamp_ns=0,
        position=sample.joints,
        velocity=np.array([1.0, -1.0]),
        effort=sample.torque,
        joint_force=ForceSample(0, np.zeros((2, 3))),
        imu=ImuSample.planar(0, np.zeros(3), np.zeros(3), np.zeros((3, 2))),
        temperature=np.zeros(2),
        joint_age=np.zeros(2),
    )
    found = sample_from_frame(frame, dry_friction=0.1)
    assert found is not None
    np.testing.assert_allclose(found.torque, sample.torque - [0.1, -0.1], atol=1e-9)
    assert sample_from_frame(frame._replace(joint_force=None)) is None
    at_rest = sample_from_frame(frame._replace(imu=None))
    assert at_rest is not None
    assert not at_rest.acceleration.any()


def test_wrong_shapes_are_named() -> None:
    _, sample, contacts = three_link_pinch()
    with pytest.raises(BoaError, match="boa13 with 13 links needs 12 joints"):
        ContactForceEstimator(BOA, noise_of(BOA)).forces(sample, contacts)


def test_no_contacts() -> None:
    robot, sample, contacts = three_link_pinch()
    estimate = ContactForceEstimator(robot, noise_of(robot)).forces(
        sample, contacts.select(np.zeros(3, dtype=bool))
    )
    assert estimate.force.shape == (0,)


def test_contacts_found_on_the_map_serve_as_input() -> None:
    robot, sample, _ = three_link_pinch()
    pitch, away = robot.link.pitch, robot.link.radius + 0.02
    posts = [
        Circle(x=(0.5 + i) * pitch, y=-away if i == 1 else away, radius=0.02) for i in range(3)
    ]
    found = find_contacts(
        chain_pose(robot, np.zeros(3), sample.joints), ObstacleMap.of(posts), 1e-6
    )
    estimate = ContactForceEstimator(robot, noise_of(robot)).forces(sample, found)
    np.testing.assert_allclose(estimate.force, [3.0, 6.0, 3.0], atol=1e-6)
