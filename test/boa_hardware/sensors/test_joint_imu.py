# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Encoders against IMUs: wrong ones are named within 0.1 s, right ones never."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest

from boa_description.load import load_robot
from boa_hardware.sensors.joint_imu import (
    FALSE_ALARMS,
    JointImuWatch,
    Margins,
    disagreement_texts,
)
from test.boa_hardware.sensors.moving_chain import MovingChain, Tick

ROBOT = load_robot("boa13")
ALL = np.ones(ROBOT.joints, bool)
ONSET = 2.0  # s
GAIT = {"swing": 0.15, "highest": 0.5}  # joints up to 0.8 rad/s, as on the way through posts
Fault = Callable[[Tick], Tick]


def first_text(chain: MovingChain, fault: Fault, seconds: float = 3.0) -> tuple[float, str]:
    """When the fault, which begins at `ONSET`, is told, s after it, and the line."""
    watch = JointImuWatch(ROBOT)
    for tick in chain.ticks(seconds):
        now = tick.stamp_ns * 1e-9
        seen = fault(tick) if now >= ONSET else tick
        found = watch.update(seen.stamp_ns, seen.position, seen.velocity, ALL, seen.imu)
        if texts := disagreement_texts(found, ROBOT.joint_names):
            return now - ONSET, texts[0]
    return np.inf, ""


def changed(column: str, change: Callable[[np.ndarray], np.ndarray]) -> Fault:
    return lambda tick: tick._replace(**{column: change(getattr(tick, column).copy())})


def at(joint: int, change: Callable[[float], float]) -> Callable[[np.ndarray], np.ndarray]:
    def act(values: np.ndarray) -> np.ndarray:
        values[joint] = change(values[joint])
        return values

    return act


@pytest.mark.parametrize("highest", [0.3, 1.5])
def test_right_sensors_are_never_doubted(highest: float) -> None:
    """A minute; what an hour gives is in the manual. The gyroscopes' zeros are off by up to 1
    deg/s, their gains by 1 %, headings drift, and samples are up to 10 ms old.
    """
    watch, chain = JointImuWatch(ROBOT), MovingChain(ROBOT, seed=11, highest=highest)
    for tick in chain.ticks(60.0):
        assert watch.update(tick.stamp_ns, tick.position, tick.velocity, ALL, tick.imu) == ()


@pytest.mark.parametrize(("delay", "doubted"), [(0.03, False), (0.0, True)])
def test_boards_may_sample_until_they_have_answered(delay: float, doubted: bool) -> None:
    """On a busy computer one request in fifty reaches the boards 25 ms late; whoever takes its
    answer for one in time sees joints that are elsewhere.
    """
    watch, ticks = JointImuWatch(ROBOT), list(MovingChain(ROBOT, seed=11).ticks(5.0))
    doubts = 0
    for index, tick in enumerate(ticks[:-6]):
        imu, late = tick.imu, index % 100 < 2
        younger = ticks[index + 6].imu
        assert imu is not None and younger is not None
        if late:
            imu = younger._replace(stamp_ns=imu.stamp_ns)
        found = watch.update(
            tick.stamp_ns, tick.position, tick.velocity, ALL, imu, delay if late else 0.005
        )
        doubts += any(one.confirmed for one in found)
    assert (doubts > 0) is doubted


def test_the_margins_follow_from_the_probability_of_a_false_alarm() -> None:
    """Of the noise alone: in an hour 12 joints are tested twice in each of 360 000 samples."""
    margins, imu = Margins.of(ROBOT), ROBOT.imu
    fixed = imu.rate_quantum + ROBOT.encoder.velocity_quantum / 2 + 2 * np.radians(1.0)
    sigma = np.sqrt(2) * imu.rate_noise
    tail = 2 * (1 - NormalDist().cdf((margins.rate - fixed) / sigma))
    assert tail * 360_000 * 12 * 2 == pytest.approx(FALSE_ALARMS, rel=1e-3)


@pytest.mark.parametrize("joint", [0, 4, 11])
@pytest.mark.parametrize("jump", [0.3, -0.3])
def test_an_encoder_that_jumps_is_named(joint: int, jump: float) -> None:
    fault = changed("position", at(joint, lambda angle: angle + jump))
    after, text = first_text(MovingChain(ROBOT, 3, **GAIT), fault)
    assert after <= 0.1
    assert text.startswith(f"joint_{joint + 1:02d}: encoder and IMUs")


@pytest.mark.parametrize("seed", range(6))
def test_a_servo_whose_direction_is_wrong_is_named(seed: int) -> None:
    """0.1 s from when the joint turns by 0.2 rad/s, so that there is something to see."""
    chain, joint = MovingChain(ROBOT, seed, **GAIT), 5

    def turns(tick: Tick) -> bool:
        return abs(chain.rates(tick.stamp_ns * 1e-9)[1 + joint]) > 0.2

    begin: list[float] = []

    def fault(tick: Tick) -> Tick:
        if turns(tick) and not begin:
            begin.append(tick.stamp_ns * 1e-9 - ONSET)
        flipped = changed("position", at(joint, lambda angle: -angle))(tick)
        flipped = changed("velocity", at(joint, lambda rate: -rate))(flipped)
        return flipped if begin else tick

    after, text = first_text(chain, fault, 5.0)
    assert after - begin[0] <= 0.1
    assert "joint_06" in text


@pytest.mark.parametrize("seed", range(6))
def test_a_frozen_servo_is_named(seed: int) -> None:
    chain, joint, kept = MovingChain(ROBOT, seed, **GAIT), 7, []

    def fault(tick: Tick) -> Tick:
        if not kept and abs(chain.rates(tick.stamp_ns * 1e-9)[1 + joint]) > 0.25:
            kept.append((tick.stamp_ns * 1e-9 - ONSET, tick))
        if not kept:
            return tick
        old = kept[0][1]
        seen = changed("position", at(joint, lambda _: old.position[joint]))(tick)
        return changed("velocity", at(joint, lambda _: old.velocity[joint]))(seen)

    after, text = first_text(chain, fault, 5.0)
    assert after - kept[0][0] <= 0.12
    assert "joint_08" in text


def swap_links(tick: Tick) -> Tick:
    order = list(range(ROBOT.links))
    order[4], order[5] = 5, 4
    assert tick.imu is not None
    imu = tick.imu
    return tick._replace(
        imu=imu._replace(heading=imu.heading[order], angular_velocity=imu.angular_velocity[order])
    )


def swap_joints(tick: Tick) -> Tick:
    order = list(range(ROBOT.joints))
    order[4], order[5] = 5, 4
    return tick._replace(position=tick.position[order], velocity=tick.velocity[order])


@pytest.mark.parametrize("swap", [swap_links, swap_joints])
def test_swapped_sensors_are_named(swap: Fault) -> None:
    after, text = first_text(MovingChain(ROBOT, 1, **GAIT), swap)
    assert after <= 0.1
    assert "joint_05" in text and "joint_06" in text
    assert "order of servos and IMUs" in text or "IMU of link" in text


def test_an_imu_that_turns_the_other_way_is_named_and_not_its_joints() -> None:
    def fault(tick: Tick) -> Tick:
        assert tick.imu is not None
        spin = tick.imu.angular_velocity.copy()
        spin[6] *= -1
        heading = tick.imu.heading.copy()
        heading[6] *= -1
        return tick._replace(imu=tick.imu._replace(heading=heading, angular_velocity=spin))

    after, text = first_text(MovingChain(ROBOT, 2, **GAIT), fault)
    assert after <= 0.1
    assert text.startswith("IMU of link 7: disagrees with joint_06 and joint_07")


def test_one_wrong_word_is_no_fault() -> None:
    def fault(tick: Tick) -> Tick:
        wrong = ONSET <= tick.stamp_ns * 1e-9 < ONSET + 0.02  # two samples of the IMUs
        if not wrong or tick.imu is None:
            return tick
        heading = tick.imu.heading.copy()
        heading[3] += 1.0
        return tick._replace(imu=tick.imu._replace(heading=heading))

    assert first_text(MovingChain(ROBOT, 4, **GAIT), fault)[1] == ""


def test_what_is_missing_is_not_judged() -> None:
    def fault(tick: Tick) -> Tick:
        assert tick.imu is not None
        heading = tick.imu.heading.copy()
        heading[3] = np.nan
        return tick._replace(imu=tick.imu._replace(heading=heading))

    assert first_text(MovingChain(ROBOT, 4, **GAIT), fault)[1] == ""


def test_a_joint_that_stands_cannot_tell_and_is_not_accused() -> None:
    chain = MovingChain(ROBOT, 5, swing=0.0)
    fault = changed("velocity", at(2, lambda rate: -rate))
    assert first_text(chain, fault)[1] == ""
