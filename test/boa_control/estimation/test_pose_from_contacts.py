"""Pose of link 1 from contacts and IMU, against poses that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.contact_geometry import (
    LinkContacts,
    ObstacleMap,
    chain_pose,
    find_contacts,
    gap_jacobian,
    measure_contacts,
)
from boa_control.estimation.contact_forces import ChainSample
from boa_control.estimation.pose_from_contacts import (
    PoseNoise,
    base_acceleration,
    contact_measurement,
    correct,
    fit_pose,
    imu_measurement,
    predict,
    start_belief,
)
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.scene import Circle

ROBOT = load_robot("boa13", links=5)
PITCH, RADIUS = ROBOT.link.pitch, ROBOT.link.radius
TRUE = np.array([0.3, -0.2, 0.7])
JOINTS = np.array([0.3, -0.5, -0.2, 0.6])


def posts_touching(base: np.ndarray, joints: np.ndarray, where: list[tuple[int, float, int]]) -> ObstacleMap:
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


@given(st.floats(-0.01, 0.01), st.floats(-0.01, 0.01), st.floats(-0.05, 0.05))
def test_fit_finds_the_pose_from_anywhere_near(dx: float, dy: float, turn: float) -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR)
    found = fit_pose(ROBOT, JOINTS, posts, pairs_at(TRUE, posts), TRUE + np.array([dx, dy, turn]))
    np.testing.assert_allclose(found, TRUE, atol=1e-7)


def test_fit_with_two_contacts_stays_near_the_start() -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR[:2])
    start = TRUE + np.array([0.004, -0.003, 0.01])
    found = fit_pose(ROBOT, JOINTS, posts, pairs_at(TRUE, posts), start)
    chain = chain_pose(ROBOT, found, JOINTS)
    np.testing.assert_allclose(find_contacts(chain, posts, 1e-3).gap, 0.0, atol=1e-7)
    assert np.linalg.norm(found - start) < np.linalg.norm(TRUE - start) * 1.5


def test_fit_says_when_the_start_is_hopeless() -> None:
    """Posts that no pose can touch at once: one link between posts that are too far apart."""
    posts = ObstacleMap.of([Circle(x=0.0, y=y, radius=0.03) for y in (-2.0, 2.0)])
    chain = chain_pose(ROBOT, np.zeros(3), JOINTS)
    pairs = find_contacts(chain, posts, 10.0)
    with pytest.raises(BoaError, match="start nearer or drop a contact"):
        fit_pose(ROBOT, JOINTS, posts, pairs, np.array([5.0, 3.0, 2.0]))


def test_fit_does_not_pass_off_a_false_minimum_as_a_pose() -> None:
    """From here Gauss-Newton settles 0.4 rad away with gaps of 30 mm."""
    posts = posts_touching(TRUE, JOINTS, FOUR)
    with pytest.raises(BoaError, match="mm remains"):
        fit_pose(ROBOT, JOINTS, posts, pairs_at(TRUE, posts), TRUE + np.array([0.015625, -0.015625, -0.09375]))


def test_correction_pulls_a_wrong_belief_onto_the_contacts() -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR)
    belief, noise = start_belief(TRUE + np.array([0.003, -0.002, 0.004])), PoseNoise()
    pairs = pairs_at(TRUE, posts)
    for _ in range(20):
        chain = chain_pose(ROBOT, belief.base, JOINTS)
        contacts = measure_contacts(chain, posts, pairs)
        rows = gap_jacobian(chain, contacts)
        touching = np.ones(len(contacts), dtype=bool)
        belief = correct(belief, contact_measurement(belief, contacts, rows, np.zeros(4), touching, noise))
    np.testing.assert_allclose(belief.base, TRUE, atol=1e-4)
    assert np.all(np.linalg.eigvalsh(belief.covariance) > 0)
    assert np.sqrt(np.diag(belief.covariance))[0] < noise.gap  # more certain than one contact


def test_an_overlap_is_corrected_even_where_nothing_is_felt() -> None:
    posts = posts_touching(TRUE, JOINTS, FOUR[:1])
    inward = TRUE + np.array([-np.sin(0.7), np.cos(0.7), 0.0]) * 0.002  # link 1 moves into the post on its left
    belief = start_belief(inward)
    chain = chain_pose(ROBOT, inward, JOINTS)
    contacts = find_contacts(chain, posts, 0.02)
    assert contacts.gap[0] == pytest.approx(-0.002, abs=1e-5)
    nothing = np.zeros(1, dtype=bool)
    measured = contact_measurement(belief, contacts, gap_jacobian(chain, contacts), np.zeros(4), nothing, PoseNoise())
    corrected = correct(belief, measured)
    assert find_contacts(chain_pose(ROBOT, corrected.base, JOINTS), posts, 0.02).gap[0] > -0.0002


def sample_of(acceleration: np.ndarray, yaw_rate: np.ndarray, joint_velocity: np.ndarray) -> ChainSample:
    return ChainSample(JOINTS, joint_velocity, np.zeros(4), np.zeros((4, 2)), acceleration, yaw_rate)


def test_tail_acceleration_of_a_turning_link_by_hand() -> None:
    """Link 1 turns about its tail end at 2 rad/s, speeding up by 3 rad/s2: its centre feels both, the tail nothing."""
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


def test_imu_fixes_turning_rate_and_heading() -> None:
    joint_velocity = np.array([0.1, -0.2, 0.3, 0.0])
    rates = 0.5 + np.concatenate(([0.0], np.cumsum(joint_velocity)))
    sample, noise = sample_of(np.zeros((5, 2)), rates, joint_velocity), PoseNoise(yaw=0.01)
    belief = predict(start_belief(TRUE), np.zeros(3), 0.5, noise)
    corrected = correct(belief, imu_measurement(belief, sample, noise, heading=0.75))
    assert corrected.velocity[2] == pytest.approx(0.5, abs=1e-3)
    assert corrected.base[2] == pytest.approx(0.75, abs=0.02)  # two standard deviations of the heading
    without = correct(belief, imu_measurement(belief, sample, PoseNoise(), heading=0.75))
    assert without.covariance[2, 2] > corrected.covariance[2, 2]
