"""Friction observers against chains whose loads are worked out link by link in the world frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.estimation.friction import (
    GearboxFriction,
    GroundFrictionObserver,
    JointFrictionObserver,
    TransmittedTorques,
)
from boa_control.estimation.link_forces import neighbour_loads
from boa_description.arrays import Array

LINKS, PITCH, MASS, INERTIA = 9, 0.13, 1.7, 0.005


@dataclass(frozen=True)
class Chain:
    """A moving chain, pushed at one place of every link, with what its sensors measure.

    Attributes:
        angles: of the joints. push: force of a post on each link, across it. arm: where, from the
            link centre.
        drag: force of the floor on each centre along it. acceleration: of the centres, in link
            frames.
        alpha: angular accelerations. joint_force: as the sensors measure it. torque: that the
            joints pass on.
    """

    angles: Array
    push: Array
    arm: Array
    drag: Array
    acceleration: Array
    alpha: Array
    joint_force: Array
    torque: Array


def cross(a: Array, b: Array) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def moving_chain(seed: int) -> Chain:
    """Newton and Euler from the tail on, forces in the world and moments about its origin."""
    rng = np.random.default_rng(seed)
    angles, heading = rng.uniform(-1, 1, LINKS - 1), rng.uniform(-3, 3)
    theta = heading + np.concatenate([[0.0], np.cumsum(angles)])
    along = np.stack([np.cos(theta), np.sin(theta)], 1)
    across = np.stack([-np.sin(theta), np.cos(theta)], 1)
    axes = rng.normal(size=2) + PITCH * np.vstack([np.zeros(2), np.cumsum(along, axis=0)])
    centres = 0.5 * (axes[1:] + axes[:-1])
    push, drag = rng.normal(0, 5, LINKS), rng.normal(0, 1, LINKS)
    arm = rng.uniform(-PITCH / 2, PITCH / 2, LINKS)
    acceleration, alpha = rng.normal(0, 1, (LINKS, 2)), rng.normal(0, 3, LINKS)
    world = np.zeros((LINKS, 2))
    torque, joint_force = np.zeros(LINKS - 1), np.zeros((LINKS - 1, 2))
    # of the links behind on this one; moment about the origin
    behind_force = np.zeros(2)
    behind_moment = 0.0
    for i in range(LINKS):
        place = centres[i] + arm[i] * along[i]
        force = push[i] * across[i] + drag[i] * along[i] + behind_force
        moment = (
            cross(place, push[i] * across[i])
            + cross(centres[i], drag[i] * along[i])
            + behind_moment
        )
        if i == LINKS - 1:  # nothing ahead of the head: it moves as the forces say
            world[i] = force / MASS
            alpha[i] = (moment - cross(centres[i], force)) / INERTIA
            break
        world[i] = acceleration[i, 0] * along[i] + acceleration[i, 1] * across[i]
        ahead = MASS * world[i] - force  # force of the next link on this one
        needed = INERTIA * alpha[i] + cross(centres[i], MASS * world[i]) - moment
        torque[i] = -(needed - cross(axes[i + 1], ahead))  # of this link on the next one
        joint_force[i] = ahead @ along[i + 1], ahead @ across[i + 1]
        behind_force, behind_moment = -ahead, -needed
    local = np.stack([np.sum(world * along, axis=1), np.sum(world * across, axis=1)], 1)
    return Chain(angles, push, arm, drag, local, alpha, joint_force, torque)


@given(st.integers(0, 2**32 - 1))
def test_forces_of_posts_and_floor_are_what_neighbours_leave_open(seed: int) -> None:
    chain = moving_chain(seed)
    loads = neighbour_loads(chain.joint_force, chain.angles, PITCH / 2)
    np.testing.assert_allclose(
        MASS * chain.acceleration[:, 1] - loads.across, chain.push, atol=1e-9
    )
    np.testing.assert_allclose(MASS * chain.acceleration[:, 0] - loads.along, chain.drag, atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_transmitted_torques_follow_from_forces_and_contact_points(seed: int) -> None:
    chain = moving_chain(seed)
    loads = neighbour_loads(chain.joint_force, chain.angles, PITCH / 2)
    moment = loads.moment + chain.arm * chain.push - INERTIA * chain.alpha
    np.testing.assert_allclose(TransmittedTorques(LINKS)(moment), chain.torque, atol=1e-9)


def observer(joints: int, memory: float = 1000.0, noise: float = 0.05) -> JointFrictionObserver:
    known = GearboxFriction(0.0, 0.1)
    doubt = GearboxFriction(0.3, 0.1)
    spread = GearboxFriction(1.0, 1.0)
    return JointFrictionObserver(
        joints, known, doubt=doubt, spread=spread, noise=noise, memory=memory
    )


def feed(
    watch: JointFrictionObserver,
    coulomb: Array,
    damping: Array,
    samples: int,
    noise: float,
    seed: int,
) -> None:
    """Joints that swing out of step; samples count where the rate is above 0.15 rad/s."""
    rng = np.random.default_rng(seed)
    for k in range(samples):
        rate = np.sin(0.05 * k + np.arange(coulomb.size))
        friction = coulomb * np.sign(rate) + damping * rate + rng.normal(0, noise, rate.size)
        watch.update(rate, friction, np.abs(rate) > 0.15)


def test_every_joint_is_identified_within_its_statistical_error() -> None:
    rng = np.random.default_rng(1)
    coulomb, damping = rng.uniform(0.05, 0.6, 12), rng.uniform(0.02, 0.3, 12)
    watch = observer(12)
    feed(watch, coulomb, damping, 1000, noise=0.05, seed=2)
    # covariance of the least squares solution: noise^2 (X'X)^-1, X = [1, |rate|] of 900 samples, is
    # (6 mN m)^2
    size = np.abs(np.sin(0.05 * np.arange(1000)))
    regressors = np.column_stack([np.ones(1000), size])[size > 0.15]
    deviation = 0.05 * np.sqrt(np.diag(np.linalg.inv(regressors.T @ regressors)))
    assert np.abs(watch.coulomb - coulomb).max() < 4 * deviation[0]
    assert np.abs(watch.damping - damping).max() < 4 * deviation[1]


def test_nothing_is_learnt_without_motion() -> None:
    watch = observer(4)
    for _ in range(50):
        watch.update(
            np.array([0.1, -0.1, 0.0, 0.05]), np.array([0.3, -0.3, 0.2, 0.1]), np.zeros(4, bool)
        )
    np.testing.assert_array_equal(watch.coulomb, np.zeros(4))
    np.testing.assert_allclose(watch.damping, np.full(4, 0.1))


def test_a_joint_that_never_moved_is_taken_for_the_average_of_the_others() -> None:
    watch = observer(3)
    moving = np.array([True, True, False])
    for k in range(2000):
        rate = np.array([0.2 + 0.001 * (k % 800), -0.2 - 0.001 * (k % 700), 0.0])
        watch.update(rate, np.array([0.2, 0.4, 0.0]) * np.sign(rate) + 0.1 * rate, moving)
    np.testing.assert_allclose(watch.coulomb, [0.2, 0.4, 0.3], atol=0.01)


def test_a_joint_at_rest_keeps_its_own_value() -> None:
    watch = observer(2, memory=50.0)
    feed(watch, np.array([0.2, 0.4]), np.array([0.1, 0.1]), 400, noise=0.0, seed=0)
    known = watch.coulomb[1]
    assert known == pytest.approx(0.4, abs=0.01)
    for k in range(400):
        rate = np.array([np.sin(0.05 * k), 0.0])
        watch.update(rate, 0.2 * np.sign(rate) + 0.1 * rate, np.array([abs(rate[0]) > 0.15, False]))
    assert watch.coulomb[1] == pytest.approx(known, abs=0.01)


def test_friction_that_changes_is_followed() -> None:
    watch = observer(2, memory=100.0)
    feed(watch, np.full(2, 0.5), np.full(2, 0.1), 600, noise=0.0, seed=0)
    feed(watch, np.full(2, 0.2), np.full(2, 0.1), 600, noise=0.0, seed=0)
    np.testing.assert_allclose(watch.coulomb, 0.2, atol=0.01)


def test_the_mirror_image_has_the_same_friction() -> None:
    rng = np.random.default_rng(3)
    one, other = observer(5), observer(5)
    for _ in range(30):
        rate, torque, certain = rng.normal(size=5), rng.normal(size=5), rng.random(5) > 0.3
        one.update(rate, torque, certain)
        other.update(-rate, -torque, certain)
    np.testing.assert_allclose(one.coulomb, other.coulomb)
    np.testing.assert_allclose(one.damping, other.damping)


@given(
    st.lists(
        st.tuples(
            st.floats(-5, 5),
            st.floats(-50, 50),
            st.floats(-5, 5),
            st.floats(-50, 50),
            st.booleans(),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_friction_is_never_negative_and_always_a_number(
    samples: list[tuple[float, float, float, float, bool]],
) -> None:
    watch = observer(2)
    for rate_1, torque_1, rate_2, torque_2, certain in samples:
        watch.update(
            np.array([rate_1, rate_2]), np.array([torque_1, torque_2]), np.array([True, certain])
        )
        for value in (watch.coulomb, watch.damping):
            assert np.isfinite(value).all()
            assert (value >= 0).all()


def test_reset_forgets_what_was_learnt() -> None:
    watch = observer(2)
    floor = GroundFrictionObserver(0.1, noise=0.1, memory=100.0, doubt=0.3, most=2.0)
    feed(watch, np.full(2, 0.5), np.full(2, 0.3), 100, noise=0.0, seed=0)
    floor.update(np.full(3, -9.0), np.full(3, -10.0))
    watch.reset()
    floor.reset()
    watch.update(np.ones(2), np.ones(2), np.zeros(2, bool))
    np.testing.assert_array_equal(watch.coulomb, np.zeros(2))
    assert floor.coefficient == 0.1


def test_floor_friction_is_the_regularised_least_squares_solution() -> None:
    rng = np.random.default_rng(4)
    unit, mu = rng.uniform(-17, 17, (200, LINKS)), 0.12
    force = mu * unit + rng.normal(0, 0.2, unit.shape)
    watch = GroundFrictionObserver(0.3, noise=2.0, memory=1e12, doubt=0.3, most=2.0)
    for row, measured in zip(unit, force, strict=True):
        watch.update(measured, row)
    rows = np.append(unit.ravel() / 2.0, 1 / 0.3)
    values = np.append(force.ravel() / 2.0, 0.3 / 0.3)
    expected = np.linalg.lstsq(rows[:, None], values, rcond=None)[0][0]
    assert watch.coefficient == pytest.approx(expected, rel=1e-6)
    assert watch.coefficient == pytest.approx(mu, abs=4 * 0.2 / np.sqrt(np.sum(unit**2)))


@pytest.mark.parametrize(("force", "expected"), [(5.0, 0.0), (-50.0, 2.0)])
def test_floor_friction_stays_within_what_is_possible(force: float, expected: float) -> None:
    watch = GroundFrictionObserver(0.1, noise=0.1, memory=100.0, doubt=0.3, most=2.0)
    for _ in range(20):
        watch.update(np.full(4, force), np.full(4, -10.0))
    assert watch.coefficient == expected
