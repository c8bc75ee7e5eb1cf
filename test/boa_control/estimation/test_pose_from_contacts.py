# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pose of link 1 from contacts and IMU, against poses that are known."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.estimation.chain_sample import ChainSample
from boa_control.estimation.pose_from_contacts import (
    PoseNoise,
    base_acceleration,
    contact_measurement,
    correct,
    imu_measurement,
    predict,
    start_belief,
)
from boa_control.model.contact_geometry import (
    LinkContacts,
    ObstacleMap,
    chain_pose,
    find_contacts,
    gap_jacobian,
    measure_contacts,
)
from boa_description.load import load_robot
from boa_description.scene import Circle

ROBOT = load_robot("boa13", links=5)
PITCH, RADIUS = ROBOT.link.pitch, ROBOT.link.radius
TRUE = np.array([0.3, -0.2, 0.7])
JOINTS = np.array([0.3, -0.5, -0.2, 0.6])


def posts_touching(
    base: np.ndarray, joints: np.ndarray, where: list[tuple[int, float, int]]
) -> ObstacleMap:
    """Posts of 30 mm that touch link, at an offset, on a side."""
    chain = chain_pose(ROBOT, base, joints)
    posts = []
    for link, offset, side in where:
        along = np.array([chain.cos[link], chain.sin[link]])
        left = np.array([-along[1], along[0]])
        x, y = chain.axes[link] + offset * along + side * (RADIUS + 0.03) * left
        posts.append(Circle(x=x, y=y, radius=0.03))
    return ObstacleMap.of(posts)


FOUR = [(0, 0.05, 1), (1, 0.08, -1), (3, 0.03, 1), (4, 0.1, -1)]


def pairs_at(base: np.ndarray, posts: ObstacleMap) -> LinkContacts:
    return find_contacts(chain_pose(ROBOT, base, JOINTS), posts, 1e-6)


def test_correction_pulls_a_wrong_belief_onto_the_contacts() -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR)
    belief, noise = start_belief(TRUE + np.array([0.003, -0.002, 0.004])), PoseNoise()
    pairs = pairs_at(TRUE, posts)
    for _ in range(20):
        chain = chain_pose(ROBOT, belief.base, JOINTS)
        contacts = measure_contacts(chain, posts, pairs)
        rows = gap_jacobian(chain, contacts)
        touching = np.ones(len(contacts), dtype=bool)
        belief = correct(
            belief, contact_measurement(belief, contacts, rows, np.zeros(4), touching, noise)
        )
    np.testing.assert_allclose(belief.base, TRUE, atol=1e-4)
    assert np.all(np.linalg.eigvalsh(belief.covariance) > 0)
    assert np.sqrt(np.diag(belief.covariance))[0] < noise.gap  # more certain than one contact


def test_an_overlap_is_corrected_even_where_nothing_is_felt() -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR[:1])
    # link 1 moves into the post on its left
    inward = TRUE + np.array([-np.sin(0.7), np.cos(0.7), 0.0]) * 0.002
    belief = start_belief(inward)
    chain = chain_pose(ROBOT, inward, JOINTS)
    contacts = find_contacts(chain, posts, 0.02)
    assert contacts.gap[0] == pytest.approx(-0.002, abs=1e-5)
    nothing = np.zeros(1, dtype=bool)
    measured = contact_measurement(
        belief, contacts, gap_jacobian(chain, contacts), np.zeros(4), nothing, PoseNoise()
    )
    corrected = correct(belief, measured)
    assert find_contacts(chain_pose(ROBOT, corrected.base, JOINTS), posts, 0.02).gap[0] > -0.0002


def sample_of(
    acceleration: np.ndarray, yaw_rate: np.ndarray, joint_velocity: np.ndarray
) -> ChainSample:
    return ChainSample(
        JOINTS, joint_velocity, np.zeros(4), np.zeros((4, 2)), acceleration, yaw_rate
    )


def test_tail_acceleration_of_a_turning_link_by_hand() -> None:
    """Link 1 turns about its tail end at 2 rad/s, speeding up by 3 rad/s2: its centre feels both,
    the tail nothing.
    """
    half = PITCH / 2
    acceleration = np.zeros((5, 2))
    acceleration[0] = [-(2.0**2) * half, 3.0 * half]
    rate, alpha = np.full(5, 2.0), np.full(5, 3.0)
    found = base_acceleration(PITCH, 0.9, sample_of(acceleration, rate, np.zeros(4)), alpha)
    np.testing.assert_allclose(found, [0.0, 0.0, 3.0], atol=1e-12)


def test_missing_imu_means_no_acceleration() -> None:
    sample = sample_of(np.full((5, 2), np.nan), np.full(5, np.nan), np.zeros(4))
    np.testing.assert_array_equal(base_acceleration(PITCH, 0.0, sample, np.zeros(5)), 0.0)
    assert len(imu_measurement(start_belief(TRUE), sample, PoseNoise()).rows) == 0


def test_prediction_is_uniformly_accelerated_motion() -> None:
    belief = start_belief(TRUE)
    acceleration = np.array([0.5, -0.2, 1.0])
    for _ in range(100):
        belief = predict(belief, acceleration, 0.002, PoseNoise())
    np.testing.assert_allclose(belief.base, TRUE + acceleration * 0.2**2 / 2, atol=1e-12)
    np.testing.assert_allclose(belief.velocity, acceleration * 0.2, atol=1e-12)


def test_imu_fixes_the_turning_rate() -> None:
    joint_velocity = np.array([0.1, -0.2, 0.3, 0.0])
    rates = 0.5 + np.concatenate(([0.0], np.cumsum(joint_velocity)))
    sample, noise = sample_of(np.zeros((5, 2)), rates, joint_velocity), PoseNoise()
    belief = predict(start_belief(TRUE), np.zeros(3), 0.5, noise)
    corrected = correct(belief, imu_measurement(belief, sample, noise))
    assert corrected.velocity[2] == pytest.approx(0.5, abs=1e-3)
    assert corrected.covariance[5, 5] < belief.covariance[5, 5]
