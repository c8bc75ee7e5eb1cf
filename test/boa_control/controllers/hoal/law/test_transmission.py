# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque that joints pass on, measured and controlled, against gearboxes that take a share."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.controllers.hoal.law.transmission import PassedOnTorques, Transmission, lever_arms
from boa_control.controllers.hoal.parameters import TransmissionSettings
from boa_control.controllers.hoal.tuning import SHIPPED
from boa_control.estimation.gearbox_losses import GearboxLosses
from boa_control.estimation.link_forces import neighbour_loads
from boa_control.model.contact_set import ContactSet
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.load import load_robot
from test.boa_control.estimation.moving_chain import INERTIA, LINKS, MASS, PITCH, moving_chain

FADE_TIME = SHIPPED.law.fade_time
LARGEST = SHIPPED.law.largest

BOA = load_robot("boa13")
JOINTS = BOA.joints
IDEAL, DATASHEET = (0.002, 0.002, 0.0), (0.005, 0.01, 0.005)  # s: tick, sample, age
ASKED = np.linspace(-3.0, 3.0, JOINTS)
RATE = np.where(np.arange(JOINTS) % 2, 0.3, -0.3)
STILL = np.zeros(JOINTS)
LOSSLESS = TransmissionSettings(prior=(1.0, 1.0, 0.0))

Gear = Callable[[Array], Array]  # torque that is passed on, of that of the motor


def frame(now: float, sampled: float, effort: Array, rate: Array = STILL) -> SensorFrame:
    stamp, sample = round(now * 1e9), round(sampled * 1e9)
    return SensorFrame(
        stamp_ns=stamp,
        position=STILL,
        velocity=rate,
        effort=effort,
        joint_force=ForceSample(sample, np.zeros((JOINTS, 3))),
        imu=None,
        temperature=np.full(JOINTS, 25.0),
        joint_age=STILL,
    )


class Rig:
    """Joints on a test rig: a transmission, gearboxes, and a sensor of what they pass on."""

    def __init__(
        self, gear: Gear, settings: TransmissionSettings, times: tuple[float, float, float]
    ) -> None:
        self.period, self._every, self._age = times
        self.transmission = Transmission(BOA, settings, 0.0, self.period)
        self._gear = gear
        self._motor = STILL
        self._passed: dict[int, Array] = {}  # by tick
        self._tick = 0
        self.broken = False

    def run(
        self, seconds: float, asked: Array = ASKED, direction: Array = STILL, rate: Array = STILL
    ) -> Array:
        """What the joints pass on at the end."""
        for _ in range(round(seconds / self.period)):
            loop, tick = self.transmission, self._tick
            self._passed[tick] = self._gear(self._motor)
            last = tick - round(self._age / self.period)
            last -= last % round(self._every / self.period)
            read = frame(tick * self.period, max(last, 0) * self.period, self._motor, rate)
            loop.record(read)
            if loop.due(read):
                passed = self._passed[max(last, 0)]
                if self.broken:
                    passed = np.where(np.arange(JOINTS) == 5, np.nan, passed)
                loop.update(read, passed, rate, moves=False)
            self._motor = loop.motor_torque(asked, direction, rate)
            self._tick += 1
        return self._gear(self._motor)


@pytest.mark.parametrize(("times", "w"), [(IDEAL, 50.0), (DATASHEET, 20.0)])
def test_a_constant_loss_is_made_up_for_within_the_time_constant(
    times: tuple[float, float, float], w: float
) -> None:
    """w = 0.3 over age and period of the samples. After the age of the first sample and 1/w, the
    joints pass on what is asked but for 37 % of the loss; after 10/w, all.
    """
    loss = np.linspace(-0.5, 0.5, JOINTS)
    rig = Rig(lambda motor: motor - loss, LOSSLESS, times)
    rig.run(0.1, asked=STILL)
    rig.transmission.release()
    left = (ASKED - rig.run(times[1] + times[2] + 1 / w)) / loss
    assert np.all((left > 0.2) & (left < 0.55))
    np.testing.assert_allclose(rig.run(10 / w), ASKED, atol=1e-3)
    np.testing.assert_allclose(rig.transmission.rest, loss, atol=1e-3)


@pytest.mark.parametrize("times", [IDEAL, DATASHEET])
def test_gearboxes_that_pass_on_far_less_or_more_do_not_make_it_swing(
    times: tuple[float, float, float],
) -> None:
    """Driving half, or driven back 1.6 times of what the motor gives: the gains of the loop."""
    share = np.where(np.arange(JOINTS) % 3, 0.5, 1.6)
    rig = Rig(lambda motor: share * motor, LOSSLESS, times)
    rig.run(1.0, asked=0.5 * ASKED)
    for _ in range(20):
        np.testing.assert_allclose(rig.run(times[1], asked=0.5 * ASKED), 0.5 * ASKED, atol=1e-3)


def test_what_was_passed_on_is_told_for_the_time_of_a_sample() -> None:
    """The torque changes from tick to tick; that of another tick makes a touch appear elsewhere."""
    loop = Transmission(BOA, LOSSLESS, 0.0, DATASHEET[0])
    newest = frame(0.0, 0.0, STILL)
    for tick in range(5):
        newest = frame(tick * DATASHEET[0], (tick - 3) * DATASHEET[0], ASKED * tick)
        loop.record(newest)
    np.testing.assert_array_equal(loop.passed_on_with(newest.joint_force).torque, ASKED)
    np.testing.assert_array_equal(loop.passed_on_with(None).torque, 4 * ASKED)


@pytest.mark.parametrize("times", [IDEAL, DATASHEET])
def test_what_is_fed_forward_is_not_compensated_twice(times: tuple[float, float, float]) -> None:
    """Losses and viscous friction as believed: right from the first tick on, and no rest."""
    direction, told = np.sign(RATE), (1.0, 0.6, 0.1)
    true = GearboxLosses(*(np.full(JOINTS, value) for value in told))

    def gear(motor: Array) -> Array:
        """What the losses, turned round, make of the motor's torque."""
        along = (motor - BOA.actuator.damping * RATE) * direction - true.base
        return np.where(along > 0, along / true.drive, along / true.back) * direction

    rig = Rig(gear, TransmissionSettings(prior=told), times)
    rig.run(times[1] + times[2] + 2 * times[0], direction=direction, rate=RATE)
    rig.transmission.release()
    rig.run(times[0], direction=direction, rate=RATE)
    for _ in range(100):
        passed = rig.run(times[0], direction=direction, rate=RATE)
        np.testing.assert_allclose(passed, ASKED, atol=1e-9)
    np.testing.assert_allclose(rig.transmission.rest, 0.0, atol=0.02)


def test_while_a_sensor_is_silent_the_rest_fades() -> None:
    """Of all joints: what the silent one hides is spread over them. By exp(-1) in `FADE_TIME`."""
    rig = Rig(lambda motor: motor - 0.4, LOSSLESS, IDEAL)
    rig.run(1.0)
    np.testing.assert_allclose(rig.transmission.rest, 0.4, atol=1e-6)
    rig.broken = True
    rig.run(FADE_TIME)
    np.testing.assert_allclose(rig.transmission.rest, 0.4 * np.exp(-1), rtol=0.02)
    rig.broken = False
    rig.run(1.0)
    np.testing.assert_allclose(rig.transmission.rest, 0.4, atol=1e-6)


@given(st.floats(-1e3, 1e3), st.booleans())
def test_a_broken_force_sensor_is_not_taken_for_much_loss(offset: float, moving: bool) -> None:
    """And no motor gets more than its limit."""
    loop, limit = Transmission(BOA, LOSSLESS, 0.0, 0.002), BOA.limits.torque
    for k in range(30):
        read = frame(0.002 * k, 0.002 * k, STILL, RATE)
        loop.record(read)
        loop.update(read, np.full(JOINTS, offset), RATE, moves=moving)
        motor = loop.motor_torque(ASKED, np.sign(RATE), RATE)
        assert np.abs(loop.rest).max() <= LARGEST * limit
        assert np.abs(motor).max() <= limit


@pytest.mark.parametrize("late", [0, 1, 2, 4])
def test_a_sample_is_compared_with_what_acted_at_its_time(late: int) -> None:
    """Motors whose torque jumps from tick to tick, and gearboxes that lose nothing."""
    loop, rng = Transmission(BOA, LOSSLESS, 0.0, 0.005), np.random.default_rng(3)
    sent: list[Array] = []
    for tick in range(60):
        sent.append(rng.uniform(-4.0, 4.0, JOINTS))
        read = frame(0.005 * tick, 0.005 * max(tick - late, 0), sent[-1])
        loop.record(read)
        if loop.due(read):
            loop.update(read, sent[max(tick - late, 0)], RATE, moves=False)
        loop.motor_torque(STILL, STILL, STILL)
    np.testing.assert_allclose(loop.rest, 0.0, atol=1e-12)


def test_a_sample_older_than_the_memory_changes_nothing_but_that_the_rest_fades() -> None:
    loop = Transmission(BOA, LOSSLESS, 0.0, 0.005)
    for tick in range(40):
        loop.record(frame(0.005 * tick, 0.0, STILL))
    loop.update(frame(0.2, 0.01, STILL), np.full(JOINTS, 2.0), RATE, moves=True)
    np.testing.assert_array_equal(loop.rest, STILL)


def test_what_is_learnt_stays_when_the_torque_was_away() -> None:
    rig = Rig(lambda motor: motor, TransmissionSettings(prior=(1.0, 0.6, 0.2)), IDEAL)
    loop = rig.transmission
    for k in range(2000):
        effort, now = 0.7 * ASKED, 0.002 * k
        read = frame(now, now, effort, RATE)
        loop.record(read)
        loop.update(read, ASKED, RATE, moves=True)
        loop.motor_torque(ASKED, np.sign(RATE), RATE)
    learnt = loop.losses
    assert not np.allclose(learnt.back, 0.6, atol=0.02)
    loop.release()
    np.testing.assert_array_equal(loop.rest, STILL)
    assert loop.losses is learnt
    loop.reset()
    np.testing.assert_allclose(loop.losses.back, 0.6)


@given(st.integers(0, 2**32 - 1))
def test_torques_that_a_moving_chain_passes_on_are_measured(seed: int) -> None:
    """Newton and Euler from the tail on; one post on every link."""
    chain = moving_chain(seed)
    robot = load_robot("boa13", links=LINKS)
    link = robot.link.model_copy(update={"pitch": PITCH, "inertia": INERTIA})
    robot = robot.model_copy(update={"link": link})
    contacts = cast(
        ContactSet, SimpleNamespace(link=np.arange(LINKS), offset=PITCH / 2 + chain.arm)
    )
    loads = neighbour_loads(chain.joint_force, chain.angles, PITCH / 2)
    across = MASS * chain.acceleration[:, 1] - loads.across
    torques = PassedOnTorques(robot, 0.0)
    measured = torques(across, loads.moment, contacts, 1.0)
    # of what turns the links, `spin` has the impulse: its rate is missing in the torques
    imu = cast(ImuSample, SimpleNamespace(yaw_rate=chain.alpha))
    turned = torques.spin(np.zeros(LINKS - 1), imu)
    np.testing.assert_allclose(measured + turned, chain.torque, atol=1e-9)


def test_links_and_rotors_that_are_turned_faster_are_not_taken_for_losses() -> None:
    """Free joints, no posts: all that the motors give goes into links and rotors."""
    loop, period, seconds = Transmission(BOA, LOSSLESS, 0.0, 0.002), 0.002, 0.4
    spin = PassedOnTorques(BOA, 0.0).spin
    before = STILL
    for tick in range(round(seconds / period)):
        velocity = RATE * np.sin(20.0 * period * tick)
        effort = (spin(velocity, None) - spin(before, None)) / period
        before = velocity
        read = frame(period * tick, period * tick, effort, velocity)
        loop.record(read)
        loop.update(read, STILL, RATE, moves=False)
        loop.motor_torque(STILL, STILL, STILL)
    largest = np.abs(spin(20.0 * RATE, None)).max()  # N m, that the motors give
    assert np.abs(loop.rest).max() < 0.05 * largest


@pytest.mark.parametrize(
    ("link", "offset", "expected"),
    [
        ([0, 2, 4], [0.005, 0.125, 0.06], [0.005, 0.065, 0.125, 0.0, 0.06]),
        ([1, 3], [0.005, 0.06], [0.13, 0.005, 0.065, 0.06, 0.065]),
        ([], [], [0.065] * 5),
    ],
)
def test_posts_push_where_the_map_says_and_near_a_joint_on_the_neighbour_too(
    link: list[int], offset: list[float], expected: list[float]
) -> None:
    np.testing.assert_allclose(
        lever_arms(np.array(link, np.intp), np.array(offset), 5, 0.13), expected
    )
