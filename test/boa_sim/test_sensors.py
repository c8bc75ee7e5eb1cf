# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensor models: every effect of the data sheets, one by one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boa_control.experiments.scenario import Effects
from boa_control.plant import ForceSample, PlantError
from boa_description.arrays import Array
from boa_description.load import load_robot
from boa_description.quaternion import (
    from_x_axis,
    rotated,
    turned_about_vertical,
    yaw_of,
    yaw_quaternion,
)
from boa_sim.sample_queue import SampleQueue
from boa_sim.sensors import (
    Encoders,
    ForceSensors,
    Imus,
    LinkMotion,
    PlanarMotion,
    quantise,
)

ROBOT = load_robot("boa13")
SENSOR, IMU, ENCODER = ROBOT.force_sensor, ROBOT.imu, ROBOT.encoder
MS = 1_000_000
PERIOD_NS = 10 * MS


def only(**on: bool) -> Effects:
    return Effects(**on)


# --- encoders -------------------------------------------------------------------------------------


@given(value=st.floats(-3.2, 3.2))
def test_position_is_the_nearest_of_4096_counts(value: float) -> None:
    count = 2 * np.pi / 4096
    read = Encoders(ENCODER, only(encoder_quantisation=True)).position(np.array([value]))[0]
    assert read / count == pytest.approx(round(read / count), abs=1e-6)
    assert abs(read - value) <= count / 2 + 1e-12
    assert Encoders(ENCODER, only()).position(np.array([value]))[0] == value


@given(value=st.floats(-6, 6))
def test_velocity_is_the_nearest_count_of_0_229_rpm(value: float) -> None:
    count = 0.229 * 2 * np.pi / 60
    read = Encoders(ENCODER, only(velocity_quantisation=True)).velocity(np.array([value]))[0]
    assert read / count == pytest.approx(round(read / count), abs=1e-6)
    assert abs(read - value) <= count / 2 + 1e-12


def test_no_quantum_leaves_the_value() -> None:
    assert quantise(np.array([0.123]), 0.0)[0] == 0.123


# --- when samples come ----------------------------------------------------------------------------


def arrivals(queue: SampleQueue[ForceSample], ticks: int, tick_ns: int) -> list[int | None]:
    """Stamp of the newest sample at every tick."""
    newest = []
    for number in range(ticks):
        now = number * tick_ns
        if queue.due(now):
            queue.push(ForceSample(now, np.zeros((1, 3))))
        sample = queue.newest(now)
        newest.append(None if sample is None else sample.stamp_ns)
    return newest


def test_ideal_samples_come_every_tick_at_once() -> None:
    queue = SampleQueue[ForceSample](100.0, 0.0053, only())
    assert arrivals(queue, 5, 2 * MS) == [0, 2 * MS, 4 * MS, 6 * MS, 8 * MS]


def test_samples_keep_their_own_rate() -> None:
    queue = SampleQueue[ForceSample](100.0, 0.0, only(sensor_rate=True))
    stamps = arrivals(queue, 500, 2 * MS)
    assert set(stamps) == {k * 10 * MS for k in range(100)}


def test_a_rate_that_does_not_divide_the_tick_keeps_its_mean() -> None:
    queue = SampleQueue[ForceSample](150.0, 0.0, only(sensor_rate=True))
    stamps = arrivals(queue, 500, 2 * MS)
    assert len(set(stamps)) == pytest.approx(150, abs=1)


def test_samples_arrive_after_the_latency() -> None:
    queue = SampleQueue[ForceSample](100.0, 0.0053, only(sensor_rate=True, sensor_latency=True))
    stamps = arrivals(queue, 20, MS)
    assert stamps == [None] * 6 + [0] * 10 + [10 * MS] * 4  # 5.3 ms: first seen at 6 ms


def test_several_samples_may_be_under_way() -> None:
    queue = SampleQueue[ForceSample](500.0, 0.0053, only(sensor_rate=True, sensor_latency=True))
    assert arrivals(queue, 12, 2 * MS)[5:] == [
        4 * MS,
        6 * MS,
        8 * MS,
        10 * MS,
        12 * MS,
        14 * MS,
        16 * MS,
    ]


# --- force sensors --------------------------------------------------------------------------------


def record(sensors: ForceSensors, force: Array, samples: int, start: int = 0) -> Array:
    return np.array([sensors.measure(force, (start + k) * PERIOD_NS).force for k in range(samples)])


def test_ideal_force_is_the_true_force() -> None:
    force = np.random.default_rng(0).uniform(-80, 80, (12, 3))
    assert np.array_equal(ForceSensors(SENSOR, 12, only(), 0).measure(force, 0).force, force)


def test_force_noise_has_the_standard_deviation_of_the_sheet() -> None:
    force = np.full((12, 3), 7.0)
    read = record(ForceSensors(SENSOR, 12, only(force_noise=True), 3), force, 500)
    assert read.std() == pytest.approx(SENSOR.noise, rel=0.02)
    assert read.mean() == pytest.approx(7.0, abs=4 * SENSOR.noise / np.sqrt(read.size))
    flat = read.reshape(500, -1) - 7.0
    assert np.abs(np.corrcoef(flat[:-1, 0], flat[1:, 0])[0, 1]) < 0.15  # white


def test_force_range_saturates_per_axis() -> None:
    force = np.array([[60.0, -70.0, 49.0]])
    assert ForceSensors(SENSOR, 1, only(force_range=True), 0).measure(force, 0).force.tolist() == [
        [50.0, -50.0, 49.0]
    ]


def test_force_counts() -> None:
    read = (
        ForceSensors(SENSOR, 1, only(force_quantisation=True), 0)
        .measure(np.array([[1.23449, -3.0, 0.0]]), 0)
        .force
    )
    assert read == pytest.approx(np.array([[1.234, -3.0, 0.0]]), abs=1e-9)


def test_crosstalk_shows_one_axis_on_the_others() -> None:
    sensors = ForceSensors(SENSOR, 12, only(force_crosstalk=True), 0)
    read = sensors.measure(np.tile([10.0, 0.0, 0.0], (12, 1)), 0).force
    assert read[:, 0] == pytest.approx(np.full(12, 10.0))
    assert np.abs(read[:, 1:]) == pytest.approx(np.full((12, 2), 10.0 * SENSOR.crosstalk))
    assert {-1.0, 1.0} == set(np.sign(read[:, 1]))  # every sensor its own sign


def test_drift_is_a_random_walk() -> None:
    """Standard deviation after time t: drift_rate sqrt(t)."""
    sensors = ForceSensors(SENSOR, 400, only(force_drift=True), 1)
    read = record(sensors, np.zeros((400, 3)), 901)
    for seconds in (1, 9):
        assert read[100 * seconds].std() == pytest.approx(
            SENSOR.drift_rate * np.sqrt(seconds), rel=0.08
        )


def test_tare_takes_the_mean_away() -> None:
    sensors = ForceSensors(SENSOR, 12, only(force_noise=True), 0)
    offset = np.random.default_rng(1).uniform(-2, 2, (12, 3))
    record(sensors, offset, 101)
    sensors.tare()
    assert np.abs(
        record(sensors, offset, 200, 101).mean(axis=0)
    ).max() < 5 * SENSOR.noise / np.sqrt(100)


@pytest.mark.parametrize(
    ("force", "samples", "reason"),
    [
        (lambda k: np.zeros((2, 3)), 50, "only 0.49 s at rest"),
        (lambda k: np.array([[0, 0, 0], [0, 6.0, 0]]), 101, "joint_02 carries 6.0 N"),
        (lambda k: np.array([[np.sin(k / 10), 0, 0], [0, 0, 0]]), 101, "joint_01 spreads"),
    ],
)
def test_tare_is_refused_with_the_reason(
    force: Callable[[int], Array], samples: int, reason: str
) -> None:
    sensors = ForceSensors(SENSOR, 2, only(force_noise=True), 0)
    for k in range(samples):
        sensors.measure(force(k), k * PERIOD_NS)
    with pytest.raises(PlantError, match=reason):
        sensors.tare()


# --- IMU ------------------------------------------------------------------------------------------


def motion(heading: Array, rate: float = 0.0, acceleration: float = 0.0) -> LinkMotion:
    flat = np.ones((heading.size, 3))
    return LinkMotion(heading, yaw_quaternion(heading), rate * flat, acceleration * flat)


def test_yaw_is_relative_to_the_start_and_wrapped() -> None:
    imus = Imus(IMU, only(), 0)
    start = np.array([0.4, -2.0])
    assert not imus.measure(motion(start), 0).yaw.any()
    assert imus.measure(motion(start + np.array([0.5, -0.25])), 1).yaw == pytest.approx(
        [0.5, -0.25]
    )
    assert imus.measure(motion(start + np.array([4.0, -4.0])), 2).yaw == pytest.approx(
        [4.0 - 2 * np.pi, 2 * np.pi - 4.0]
    )


def test_orientation_is_that_of_the_link_turned_by_what_the_yaw_misses() -> None:
    """A link that pitches and rolls: the vertical is measured, the heading counts from the start;
    for a link that lies flat the quaternion's yaw is the yaw.
    """
    imus = Imus(IMU, only(imu_quantisation=True), 0)
    tilted = from_x_axis(np.array([[0.6, 0.0, 0.8], [1.0, 0.0, 0.0]]))
    start, turn = np.array([0.4, -2.0]), 0.5
    still = motion(start)
    imus.measure(still._replace(orientation=turned_about_vertical(tilted, start)), 0)
    moved = motion(start + turn)._replace(orientation=turned_about_vertical(tilted, start + turn))
    sample = imus.measure(moved, 1)
    forward = rotated(sample.orientation, np.array([1.0, 0.0, 0.0]))
    yaw = sample.yaw
    assert yaw == pytest.approx(turn, abs=np.deg2rad(1 / 32) + 1e-12)
    level = np.array([0.6, 1.0])
    expected = np.column_stack((level * np.cos(yaw), level * np.sin(yaw), [0.8, 0.0]))
    assert forward == pytest.approx(expected, abs=1e-12)
    assert yaw_of(sample.orientation[1]) == pytest.approx(yaw[1], abs=1e-12)


def test_links_in_the_plane_have_the_orientation_of_links_in_space_that_lie_flat() -> None:
    """Two ways of computing; over several turns, with counts of the yaw."""
    heading, flat = np.linspace(-9.0, 9.0, 13), np.ones((13, 3))
    in_plane = PlanarMotion(heading, flat, flat)
    samples = []
    for moved in (in_plane, motion(heading)):
        imus = Imus(IMU, only(imu_quantisation=True), 0)
        imus.measure(motion(np.zeros(13)), 0)
        samples.append(imus.measure(moved, 1))
    np.testing.assert_allclose(samples[0].orientation, samples[1].orientation, atol=1e-14)


def test_imu_counts() -> None:
    imus = Imus(IMU, only(imu_quantisation=True), 0)
    imus.measure(motion(np.zeros(3)), 0)
    read = imus.measure(motion(np.full(3, 0.1234567), 0.333333, 1.23456), 1)
    for value, count in (
        (read.yaw, np.deg2rad(1 / 16)),
        (read.yaw_rate, np.deg2rad(1 / 16)),
        (read.acceleration, 0.01),
    ):
        assert value / count == pytest.approx(np.round(value / count), abs=1e-6)
    assert read.yaw == pytest.approx(np.full(3, 0.1234567), abs=np.deg2rad(1 / 32))


def test_imu_noise() -> None:
    imus = Imus(IMU, only(imu_noise=True), 0)
    reads = [imus.measure(motion(np.zeros(13), 0.5, 2.0), k * PERIOD_NS) for k in range(400)]
    rates = np.array([r.angular_velocity for r in reads])
    accelerations = np.array([r.linear_acceleration for r in reads])
    assert rates.std() == pytest.approx(IMU.rate_noise, rel=0.03)
    assert accelerations.std() == pytest.approx(IMU.acceleration_noise, rel=0.03)
    assert rates.mean() == pytest.approx(0.5, abs=1e-3)


def test_yaw_drift_is_a_random_walk() -> None:
    imus = Imus(IMU, only(imu_drift=True), 0)
    for k in range(401):
        yaw = imus.measure(motion(np.zeros(1000)), k * PERIOD_NS).yaw
    assert yaw.std() == pytest.approx(IMU.yaw_drift_rate * 2.0, rel=0.08)


# --- seeds ----------------------------------------------------------------------------------------


def test_one_effect_does_not_change_what_another_draws() -> None:
    force = np.full((12, 3), 3.0)
    alone = record(ForceSensors(SENSOR, 12, only(force_noise=True), 5), force, 20) - 3.0
    both = record(ForceSensors(SENSOR, 12, only(force_noise=True, force_drift=True), 5), force, 20)
    drift = record(ForceSensors(SENSOR, 12, only(force_drift=True), 5), force, 20)
    assert both == pytest.approx(drift + alone)


def test_reset_repeats_the_same_numbers() -> None:
    sensors = ForceSensors(SENSOR, 12, Effects(fidelity="datasheet"), 5)
    first = record(sensors, np.zeros((12, 3)), 20)
    sensors.reset()
    assert record(sensors, np.zeros((12, 3)), 20).tobytes() == first.tobytes()
    other = record(
        ForceSensors(SENSOR, 12, Effects(fidelity="datasheet"), 6), np.zeros((12, 3)), 20
    )
    assert not np.array_equal(other, first)
