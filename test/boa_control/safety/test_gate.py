# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque gate's limits on torque, rate, range and velocity, swept to 1.5 times their value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boa_control.safety.command import Command
from boa_control.safety.gate import (
    COMMAND_FADE,
    COMMAND_LOST,
    VELOCITY_FADE,
    GateSettings,
    Rule,
    gate,
)
from boa_description.load import load_robot
from test.boa_control.safety.gate_bench import (
    LIMITS,
    NOW,
    SETTINGS,
    STEP,
    SWEEP,
    armed,
    frame,
    gated,
)


def test_settings_are_those_of_the_robot_in_si_units() -> None:
    robot = load_robot("boa13", links=4)
    settings = GateSettings.of(robot, 5_000_000)
    assert settings.period == pytest.approx(0.005, rel=1e-12)
    assert settings.limits is robot.limits
    assert (settings.lower, settings.upper) == (robot.joint.lower, robot.joint.upper)
    assert settings.joint_names == robot.joint_names and settings.joints == 3
    assert GateSettings.of(robot, 5_000_000, LIMITS).limits is LIMITS


def test_the_constants_are_those_of_the_manual() -> None:
    assert (VELOCITY_FADE, COMMAND_FADE, COMMAND_LOST) == (0.2, 0.5, 10)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_torque_limit(share: float, sign: int) -> None:
    wish = sign * share * LIMITS.torque
    _, decision = gated(wish, armed(wish))
    assert decision.torque == pytest.approx([sign * min(share, 1.0) * LIMITS.torque] * 3, abs=1e-12)
    assert decision.saturated.all() == (share > 1)
    assert (Rule.TORQUE in decision.rules) == (share > 1)


def test_beyond_the_torque_limit_only_that_rule_is_named_and_nothing_trips() -> None:
    _, decision = gated(3 * LIMITS.torque, armed(LIMITS.torque))
    assert decision.rules == (Rule.TORQUE,)
    assert decision.trips == ()


def test_a_rule_is_named_when_it_cuts_one_joint() -> None:
    _, decision = gated(1.0, armed(1.0), frame(velocity=np.array([LIMITS.velocity, 0.0, 0.0])))
    assert decision.rules == (Rule.VELOCITY,)
    assert decision.saturated.tolist() == [True, False, False]


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_rate_limit_per_tick_and_joint(share: float, sign: int) -> None:
    last = sign * np.array([0.0, 2.0, 4.0])
    wish = last + sign * share * STEP
    _, decision = gated(wish, armed(last))
    assert decision.torque == pytest.approx(last + sign * min(share, 1.0) * STEP)
    assert (Rule.RATE in decision.rules) == (share > 1 + 1e-9)


def test_rate_limit_from_tick_to_tick() -> None:
    state = armed()
    outputs = []
    for _ in range(9):
        state, decision = gated(7.0, state)
        outputs.append(decision.torque[0])
    assert outputs == pytest.approx([1, 2, 3, 4, 5, 6, 7, 7, 7])


def test_towards_zero_is_immediate_and_the_other_sign_starts_at_zero() -> None:
    _, decision = gated(np.array([0.0, 1.0, -7.0]), armed(7.0))
    assert decision.torque == pytest.approx([0.0, 1.0, -STEP])
    assert gated(-7.0, armed(0.5))[1].torque == pytest.approx([-STEP] * 3)


@pytest.mark.parametrize("last", [0.0, 0.4])
@pytest.mark.parametrize("sign", [1, -1])
def test_from_and_through_zero_a_torque_grows_by_one_step(last: float, sign: int) -> None:
    _, decision = gated(1.2 * sign * STEP, armed(-sign * last))
    assert decision.torque == pytest.approx([sign * STEP] * 3)
    assert decision.rules == (Rule.RATE,)


def test_what_passes_has_no_negative_zero_and_flags_that_are_booleans() -> None:
    _, decision = gated(-0.0, armed())
    assert not np.signbit(decision.torque).any()
    assert decision.saturated.dtype == np.bool_


@pytest.mark.parametrize("share", [*(-share for share in SWEEP[:0:-1]), *SWEEP])
def test_soft_joint_range(share: float) -> None:
    position = share * (SETTINGS.upper if share > 0 else -SETTINGS.lower)
    seen = frame(position=np.full(3, position))
    up = np.clip((SETTINGS.upper - position) / LIMITS.joint_margin, 0, 1) * LIMITS.torque
    down = np.clip((position - SETTINGS.lower) / LIMITS.joint_margin, 0, 1) * LIMITS.torque
    assert gated(7.0, armed(7.0), seen)[1].torque == pytest.approx([up] * 3)
    assert gated(-7.0, armed(-7.0), seen)[1].torque == pytest.approx([-down] * 3)


@pytest.mark.parametrize("sign", [1, -1])
def test_small_torques_obey_joint_range_and_velocity_too(sign: int) -> None:
    outside = sign * (max(SETTINGS.upper, -SETTINGS.lower) + 0.1)
    for seen in (
        frame(position=np.full(3, outside)),
        frame(velocity=np.full(3, sign * LIMITS.velocity)),
    ):
        assert not gated(sign * 0.5, armed(sign * 0.5), seen)[1].torque.any()
        back = gated(-sign * 0.5, armed(-sign * 0.5), seen)[1].torque
        assert back == pytest.approx([-sign * 0.5] * 3)


def test_joint_range_without_margin_is_a_hard_stop() -> None:
    hard = replace(SETTINGS, limits=LIMITS.model_copy(update={"joint_margin": 0.0}))
    seen = frame(position=np.array([1.19, 1.2, 1.3]))
    command = Command(np.full(3, 7.0), NOW)
    assert gate(armed(7.0), seen, command, NOW, hard)[1].torque == pytest.approx([7.0, 0.0, 0.0])
    back = Command(np.full(3, -7.0), NOW)
    assert gate(armed(-7.0), seen, back, NOW, hard)[1].torque == pytest.approx([-7.0] * 3)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("sign", [1, -1])
def test_velocity_limit(share: float, sign: int) -> None:
    seen = frame(velocity=np.full(3, sign * share * LIMITS.velocity))
    allowed = np.clip((1 - share) / VELOCITY_FADE, 0, 1) * LIMITS.torque
    faster = gated(sign * 7.0, armed(sign * 7.0), seen)[1]
    slower = gated(-sign * 7.0, armed(-sign * 7.0), seen)[1]
    assert faster.torque == pytest.approx([sign * allowed] * 3, abs=1e-12)
    assert slower.torque == pytest.approx([-sign * 7.0] * 3)


def test_a_joint_of_unknown_position_or_velocity_coasts_alone() -> None:
    for unknown in (
        frame(position=np.array([0, np.nan, 0])),
        frame(velocity=np.array([0, np.nan, 0])),
    ):
        _, decision = gated(3.0, armed(3.0), unknown)
        assert decision.torque == pytest.approx([3.0, 0.0, 3.0])
        assert decision.armed
