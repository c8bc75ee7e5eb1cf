# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Losses that are learnt, against the closed forms of simulated gearboxes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.estimation.gearbox_losses import (
    LEAST,
    MOST,
    SPREAD,
    USUAL_RATE,
    GearboxLosses,
    LossEstimate,
    nominal_losses,
)
from boa_description.arrays import Array
from boa_description.gearbox import load_gearbox
from boa_description.gearbox_friction import GearboxFriction
from boa_description.load import load_robot
from boa_description.robot import Robot

JOINTS = 12
PRIOR, DOUBT = np.array([1.0, 0.75, 0.1]), np.array([0.1, 0.25, 0.1])
PERIOD = 0.02  # s between samples
BOA = load_robot("boa13")
GEARBOXES = ("g10", "g20", "g40")


def commanded(friction: GearboxFriction, load: Array, rate: Array) -> Array:
    """Commands u with which joints at these rates pass on a load, N m: the closed forms of
    `GearboxFriction`, solved by bisection, and the torque constant that the data sheet implies.
    """
    k = friction.calibration(BOA.actuator.torque_limit)
    size, low, high = np.abs(load), np.zeros(load.shape), np.full(load.shape, 50.0)
    for _ in range(50):
        middle = (low + high) / 2
        driven = friction.driving(middle, rate), friction.driven_back(middle, rate)
        less = np.where(load * rate > 0, *driven) < size
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.sign(load) * low / k


def learnt(
    friction: GearboxFriction, seconds: float, moving: Array | None = None, mirror: float = 1.0
) -> LossEstimate:
    """From joints that swing out of step under loads of 0.5 to 4 N m, with 0.05 N m of noise."""
    rng = np.random.default_rng(5)
    estimate = LossEstimate(JOINTS, PRIOR, DOUBT)
    moving = np.ones(JOINTS, bool) if moving is None else moving
    shape = (round(seconds / PERIOD), JOINTS)
    rates = 0.35 * np.sin(1.1 * PERIOD * np.arange(shape[0])[:, None] + np.arange(JOINTS))
    loads = rng.uniform(0.5, 4.0, shape) * rng.choice([-1.0, 1.0], shape)
    motors = commanded(friction, loads, rates) + rng.normal(0, 0.05, shape)
    for motor, load, rate in zip(motors, loads, rates, strict=True):
        surely = moving & (np.abs(rate) > 0.1)
        estimate.add(mirror * motor, mirror * load, mirror * rate, surely, PERIOD)
    estimate.solve()
    return estimate


def true_losses(friction: GearboxFriction, rate: float) -> tuple[float, float, float]:
    """a, c (1) and b (N m) through two points of each closed form, at 1 and 3 N m of load."""
    one, three = np.array([1.0, 1.0]), np.array([3.0, 3.0])
    way = np.array([rate, -rate])
    low, high = commanded(friction, one, way), commanded(friction, three, way)
    drive, back = (high - low) / 2.0
    return float(drive), float(back), float(low[0] - drive)


@pytest.mark.parametrize("name", GEARBOXES)
def test_losses_of_simulated_gearboxes_are_learnt(name: str) -> None:
    """From one prior for all, that of none of them. Each joint within three standard deviations as
    stated; the average, in which errors of single ones cancel, within what the Stribeck zone
    changes from 0.1 to 0.35 rad/s: 0.03 and 0.06 N m for `g40`.
    """
    friction = load_gearbox(name).friction
    estimate, true = learnt(friction, 30.0), np.array(true_losses(friction, 0.25))
    found, zone = np.array(estimate.losses), np.array([0.03, 0.03, 0.06])
    assert (np.abs(found.mean(axis=1) - true) < zone).all()
    assert (np.abs(found - true[:, None]) < 3 * estimate.std).all()


def test_what_is_known_of_a_joint_gets_surer_as_it_moves() -> None:
    friction = load_gearbox("g20").friction
    before, after = learnt(friction, 1.0).std, learnt(friction, 10.0).std
    assert (after < before).all()


def test_without_motion_the_prior_stays() -> None:
    estimate = learnt(load_gearbox("g40").friction, 5.0, moving=np.zeros(JOINTS, bool))
    for value, prior in zip(estimate.losses, PRIOR, strict=True):
        np.testing.assert_allclose(value, prior)
    start = np.hypot(DOUBT, SPREAD)
    np.testing.assert_allclose(estimate.std, start[:, None] * np.ones(JOINTS))


def test_a_joint_that_never_moved_is_taken_for_the_average_of_the_others() -> None:
    moving = np.arange(JOINTS) != 3
    estimate = learnt(load_gearbox("g40").friction, 20.0, moving)
    everywhere = learnt(load_gearbox("g40").friction, 20.0)
    for value, other in zip(estimate.losses, everywhere.losses, strict=True):
        assert value[3] == pytest.approx(np.delete(other, 3).mean(), abs=0.03)
    assert (estimate.std[:, 3] > np.delete(estimate.std, 3, axis=1).max(axis=1)).all()


def test_a_joint_that_differs_is_told_from_the_others() -> None:
    """One that loses 30 % more when driven back: more than half of that after 10 s."""
    estimate = LossEstimate(JOINTS, PRIOR, DOUBT)
    rng = np.random.default_rng(6)
    back = np.full(JOINTS, 0.59)
    back[4] = 0.45
    for k in range(500):
        rate = 0.3 * np.sin(1.1 * PERIOD * k + np.arange(JOINTS))
        load = rng.uniform(0.5, 4.0, JOINTS) * rng.choice([-1.0, 1.0], JOINTS)
        along = load * np.sign(rate)
        motor = np.where(along > 0, along, back * along) * np.sign(rate)
        estimate.add(motor, load, rate, np.abs(rate) > 0.1, PERIOD)
    estimate.solve()
    others = np.delete(estimate.losses.back, 4)
    assert others.mean() == pytest.approx(0.59, abs=0.03)
    assert estimate.losses.back[4] < 0.59 - 0.5 * (0.59 - 0.45)


def test_losses_that_change_are_followed() -> None:
    """By 1 - exp(-15 s / MEMORY) = 95 % within three memories of motion."""
    estimate = LossEstimate(JOINTS, PRIOR, DOUBT)
    rng = np.random.default_rng(7)
    for back in (0.8, 0.5):
        for _ in range(750):
            rate = rng.choice([-0.3, 0.3], JOINTS)
            load = rng.uniform(0.5, 4.0, JOINTS) * rng.choice([-1.0, 1.0], JOINTS)
            along = load * np.sign(rate)
            motor = np.where(along > 0, along, back * along) * np.sign(rate)
            estimate.add(motor, load, rate, np.ones(JOINTS, bool), PERIOD)
    estimate.solve()
    np.testing.assert_allclose(estimate.losses.back, 0.5, atol=0.3 * 0.05 + 0.03)


def test_the_mirror_image_has_the_same_losses() -> None:
    one = learnt(load_gearbox("g20").friction, 3.0)
    other = learnt(load_gearbox("g20").friction, 3.0, mirror=-1.0)
    for value, mirrored in zip(one.losses, other.losses, strict=True):
        np.testing.assert_allclose(value, mirrored)
    np.testing.assert_allclose(one.std, other.std)


def test_reset_forgets_what_was_learnt() -> None:
    estimate = learnt(load_gearbox("g40").friction, 3.0)
    estimate.reset()
    estimate.solve()
    np.testing.assert_allclose(np.array(estimate.losses), PRIOR[:, None] * np.ones(JOINTS))


@given(st.lists(st.tuples(*[st.floats(-60, 60)] * 2, st.floats(-5, 5)), min_size=1, max_size=20))
def test_losses_stay_within_what_a_gearbox_that_moves_can_have(
    samples: list[tuple[float, float, float]],
) -> None:
    estimate = LossEstimate(2, PRIOR, DOUBT)
    for motor, load, rate in samples:
        estimate.add(
            np.array([motor, -motor]), np.array([load, load]), np.full(2, rate), np.ones(2, bool), 1
        )
        estimate.solve()
        for value, least, most in zip(estimate.losses, LEAST, MOST, strict=True):
            assert ((value >= least) & (value <= most)).all()


def with_gearbox(model: str) -> Robot:
    return load_robot("boa13", override={"actuator": {"gearbox": {"model": model}}})


@pytest.mark.parametrize("name", GEARBOXES)
def test_nominal_losses_are_those_of_the_closed_forms(name: str) -> None:
    """Exact: at one rate the law is linear in the load."""
    expected = true_losses(load_gearbox(name).friction, USUAL_RATE)
    np.testing.assert_allclose(nominal_losses(with_gearbox(name)), expected, atol=1e-9)


def test_nominal_losses_without_a_law() -> None:
    assert nominal_losses(with_gearbox("none")) == (1.0, 1.0, 0.0)
    assert nominal_losses(with_gearbox("coulomb")) == (1.0, 1.0, BOA.actuator.coulomb)


@pytest.mark.parametrize("name", GEARBOXES)
@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_the_motor_torque_is_the_inverse_of_the_gearbox(name: str, direction: float) -> None:
    """Driving exactly. Driven back a gearbox takes b off as it is seen from the load, the linear
    model as seen from the motor: b (1/(1 + lm) - 1/(1 - lm)) / k apart at USUAL_RATE.
    """
    friction = load_gearbox(name).friction
    losses = GearboxLosses(*(np.full(6, value) for value in nominal_losses(with_gearbox(name))))
    load = np.array([0.7, 2.0, 5.0, -0.7, -2.0, -5.0])
    asked = losses.motor_torque(load, np.full(6, direction))
    true = commanded(friction, load, np.full(6, direction * USUAL_RATE))
    here = friction.at(USUAL_RATE)
    apart = here.base * (1 / (1 - here.motor) - 1 / (1 + here.motor))
    apart /= friction.calibration(BOA.actuator.torque_limit)
    drives = load * direction > 0
    np.testing.assert_allclose(asked[drives], true[drives], atol=1e-9)
    np.testing.assert_allclose(asked[~drives], true[~drives], atol=float(apart) + 1e-9)


def test_at_rest_the_motor_gives_the_middle_of_both_ways() -> None:
    losses = GearboxLosses(np.full(2, 1.0), np.full(2, 0.6), np.full(2, 0.1))
    load = np.array([2.0, -3.0])
    ways = [losses.motor_torque(load, np.full(2, way)) for way in (-1.0, 1.0)]
    np.testing.assert_allclose(losses.motor_torque(load, np.zeros(2)), np.mean(ways, axis=0))


def test_what_a_gearbox_eats_is_known_better_in_motion_and_the_less_it_carries() -> None:
    """At rest the torque may be held by friction anywhere between both ways of moving: uniform."""
    estimate = LossEstimate(JOINTS, PRIOR, DOUBT)
    drive, back, base = estimate.std
    load, ahead = np.full(JOINTS, 2.0), np.ones(JOINTS)
    np.testing.assert_allclose(estimate.doubt(load, ahead), np.hypot(2.0 * drive, base))
    np.testing.assert_allclose(estimate.doubt(load, -ahead), np.hypot(2.0 * back, base))
    np.testing.assert_allclose(estimate.doubt(0.0 * load, ahead), base)
    at_rest, either = estimate.doubt(load, 0.0 * load), estimate.losses.motor_torque
    band = (either(load, ahead) - either(load, -ahead)) / 2
    np.testing.assert_allclose(at_rest, np.sqrt((2.0 * drive) ** 2 + base**2 + band**2 / 3))


def test_samples_make_the_doubt_small() -> None:
    before = LossEstimate(JOINTS, PRIOR, DOUBT)
    after = learnt(load_gearbox("g20").friction, 20.0)
    load, ahead = np.full(JOINTS, 2.0), np.ones(JOINTS)
    for way in (ahead, -ahead):
        assert (after.doubt(load, way) < 0.6 * before.doubt(load, way)).all()
