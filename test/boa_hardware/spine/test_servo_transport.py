# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Servos over the spine (2022 Boa)."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Any

import can
import numpy as np
import pytest

from boa_control.plant import PlantError
from boa_hardware.servo.obedience import Disobedience, Reason
from boa_hardware.spine.servos import SpineServos
from boa_hardware.spine.settings import ServoWire, SpineSettings

MakeRig = Callable[..., Any]
JOINTS = 4


@pytest.fixture(params=[1, -1])
def rig(request: pytest.FixtureRequest, make_rig: MakeRig) -> Any:
    settings = SpineSettings(servo_frames=True, servo=ServoWire(sign=request.param))
    return make_rig(settings, links=JOINTS + 1, servos=True)


def constant(rig: Any) -> float:
    """Of every servo, N m/A."""
    return float(rig.robot.actuator.torque_constant)


def transport(rig: Any) -> SpineServos:
    return SpineServos(rig.spine, 2.4 * constant(rig))


def ticks(rig: Any, servos: SpineServos, count: int, goal: Any) -> Any:
    """`goal`: the torque that so many A give."""
    for _ in range(count):
        start = rig.clock.now_ns
        cycle = servos.cycle(None if goal is None else goal * constant(rig))
        rig.clock.now_ns = max(rig.clock.now_ns, start + 10_000_000)
    return cycle


def test_each_servo_gets_its_torque_and_answers_its_reading(rig: Any) -> None:
    servos = transport(rig)
    goal = np.array([0.3, -0.6, 0.0, 1.0])
    cycle = ticks(rig, servos, 4, goal)  # soon, the motors are too fast for this current
    assert cycle.valid.all() and (cycle.misses == 0).all() and (cycle.age == 0).all()
    np.testing.assert_allclose(cycle.current, goal, atol=33 / 2048)
    assert (np.sign(cycle.velocity) == np.sign(goal)).all()
    true = [joint.position - np.pi for joint in rig.joints]
    # the joints moved on after the sample
    np.testing.assert_allclose(cycle.position, true, atol=0.1)
    assert np.isnan(cycle.voltage).all()
    np.testing.assert_allclose(cycle.temperature, 25.0, atol=1.0)


def torques_sent(rig: Any) -> list[bytes]:
    """Data of every SET JOINT TORQUE."""
    return [bytes(one.data) for one in rig.bus.sent if one.arbitration_id >> 6 == 0x09]


def test_reading_without_a_goal_sends_zero_torque_every_time(rig: Any) -> None:
    cycle = ticks(rig, transport(rig), 5, None)
    assert cycle.valid.all()
    assert torques_sent(rig) == [b"\0\0"] * 5 * JOINTS


@pytest.mark.parametrize("lost", ["SET_JOINT_TORQUE", "SYNC_CONTROL"])
def test_a_zero_that_is_lost_at_disarming_is_sent_again(rig: Any, lost: str) -> None:
    """The boards' own time limit, 0.1 s, is not over by then: the test shows that of the Brain."""
    servos = transport(rig)
    ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    rig.fault("lose", frame=lost)
    servos.disarm()
    rig.faults.clear()
    cycle = ticks(rig, servos, 3, None)
    np.testing.assert_allclose(cycle.current, 0.0, atol=33 / 2048)


def test_a_frame_that_the_adapter_refuses_keeps_no_other_joint_from_its_zero(
    rig: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    servos, send = transport(rig), rig.bus.send
    ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    joint_2 = 0x09 << 6 | 3

    def full(frame: can.Message, timeout: float | None = None) -> None:
        if frame.arbitration_id == joint_2:
            raise can.CanOperationError("queue full", errno.ENOBUFS)
        send(frame, timeout)

    monkeypatch.setattr(rig.bus, "send", full)
    servos.disarm()
    ticks(rig, servos, 3, None)
    assert [joint.current != 0.0 for joint in rig.joints] == [False, True, False, False]


def test_zero_torque_is_the_last_that_is_sent_and_more_than_once(rig: Any) -> None:
    servos = transport(rig)
    ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    before = len(torques_sent(rig))
    servos.close()
    assert torques_sent(rig)[before:] == [b"\0\0"] * 3 * JOINTS


def test_torques_take_effect_together_at_sync_control(rig: Any) -> None:
    servos = transport(rig)
    ticks(rig, servos, 2, np.zeros(JOINTS))
    rig.fault("lose", frame="SYNC_CONTROL")
    ticks(rig, servos, 3, np.full(JOINTS, 0.5))
    assert all(joint.current == 0.0 for joint in rig.joints)
    rig.faults.clear()
    cycle = ticks(rig, servos, 3, np.full(JOINTS, 0.5))
    np.testing.assert_allclose(cycle.current, 0.5, atol=33 / 2048)


def test_boards_end_their_torque_when_commands_stay_away(rig: Any) -> None:
    servos = transport(rig)
    ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    rig.cycles(12)
    assert [joint.current for joint in rig.joints] == [0.0] * JOINTS


def test_torque_off_and_panic_stop_the_servos(rig: Any) -> None:
    servos = transport(rig)
    ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    servos.disarm()
    cycle = ticks(rig, servos, 2, None)
    np.testing.assert_allclose(cycle.current, 0.0, atol=33 / 2048)
    rig.spine.panic("test")
    cycle = ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    np.testing.assert_allclose(cycle.current, 0.0, atol=33 / 2048)
    # the Brain asks for none, and boards would not obey
    assert torques_sent(rig)[-5 * JOINTS :] == [b"\0\0"] * 5 * JOINTS
    rig.spine.reset()
    cycle = ticks(rig, servos, 5, np.full(JOINTS, 0.5))
    # boards stay off until a power cycle
    np.testing.assert_allclose(cycle.current, 0.0, atol=33 / 2048)


def test_servos_that_a_panic_of_before_keeps_off_are_named(rig: Any) -> None:
    """Another program has sent it; this one has heard nothing of it."""
    rig.spine.panic("test")
    rig.cycles(5)
    rig.spine.reset()
    servos = transport(rig)
    goal = np.full(JOINTS, 0.2 / constant(rig))
    assert ticks(rig, servos, 45, goal).disobedient == ()
    cycle = ticks(rig, servos, 15, goal)
    assert cycle.disobedient == tuple(Disobedience(k, Reason.NO_CURRENT, 0) for k in range(JOINTS))
    assert ticks(rig, servos, 1, None).disobedient == ()


def test_a_servo_that_is_pushed_to_and_fro_is_not_off(rig: Any) -> None:
    servos = transport(rig)
    for k in range(10):
        goal = np.full(JOINTS, (-1) ** k * 0.2 / constant(rig))
        assert ticks(rig, servos, 10, goal).disobedient == ()


def test_a_missing_answer_keeps_the_last_value_with_its_age(rig: Any) -> None:
    servos = transport(rig)
    before = ticks(rig, servos, 3, np.zeros(JOINTS))
    rig.fault("lose", frame="SERVO", link=3)  # joint 2
    after = ticks(rig, servos, 4, np.zeros(JOINTS))
    assert after.valid.tolist() == [True, False, True, True]
    assert after.misses.tolist() == [0, 4, 0, 0]
    assert after.age[1] > 0.03
    assert after.position[1] == before.position[1]


def test_before_the_first_answer_values_are_nan(rig: Any) -> None:
    rig.fault("lose", frame="SERVO", link=2)
    cycle = ticks(rig, transport(rig), 1, None)
    assert (
        np.isnan(cycle.position[0])
        and np.isinf(cycle.age[0])
        and np.isfinite(cycle.position[1:]).all()
    )


def test_torques_are_limited(rig: Any) -> None:
    cycle = ticks(rig, transport(rig), 3, np.array([50.0, -50.0, 0.0, 0.0]))
    assert np.abs(cycle.current).max() <= 2.4 + 33 / 2048


def test_torques_are_rounded_towards_zero_to_counts_of_the_wire(rig: Any) -> None:
    transport(rig).cycle(np.array([0.3, 0.2999, -0.2999, 0.0009]))
    counts = [int.from_bytes(raw, "little", signed=True) for raw in torques_sent(rig)]
    assert [rig.spine.settings.servo.sign * count for count in counts] == [300, 299, -299, 0]


def test_spine_must_ask_for_servo_frames(make_rig: MakeRig) -> None:
    with pytest.raises(PlantError, match="servo_frames: true"):
        SpineServos(make_rig(links=3).spine, 6.4)


def test_all_sensors_come_with_the_same_sync(rig: Any) -> None:
    cycle = ticks(rig, transport(rig), 3, np.zeros(JOINTS))
    reading = rig.spine.newest()
    assert reading is not None and reading.stamp_ns == cycle.stamp_ns
    assert np.isfinite(reading.force.sample.force[:, :2]).all()
