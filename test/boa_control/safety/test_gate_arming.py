# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque gate armed and disarmed: what acts, and when arming is refused."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant import PlantError, SensorFrame
from boa_control.safety.gate import GateState, Rule, arm, disarm, initial_state, reset_fault
from test.boa_control.safety.gate_bench import (
    LIMITS,
    MS,
    NOW,
    SETTINGS,
    STEP,
    SWEEP,
    armed,
    forces,
    frame,
    gated,
)

USED = GateState(
    armed=True, torque=np.ones(3), last_command_ns=7, stale=frozenset({Rule.SENSOR_AGE})
)


@pytest.mark.parametrize("share", SWEEP)
def test_disarmed_gives_exactly_zero(share: float) -> None:
    for sign in (1, -1):
        state, decision = gated(sign * share * LIMITS.torque, initial_state(SETTINGS))
        assert not decision.armed
        assert decision.torque.tobytes() == np.zeros(3).tobytes()
        assert not state.armed


def test_arm_then_torque_acts_and_disarm_ends_it() -> None:
    state = arm(initial_state(SETTINGS), frame(), NOW, SETTINGS)
    state, decision = gated(0.5, state)
    assert decision.torque == pytest.approx([0.5] * 3)
    state = disarm(state)
    state, decision = gated(0.5, state)
    assert not decision.torque.any()
    assert not state.faults


def test_the_first_state_is_disarmed() -> None:
    assert initial_state(SETTINGS).armed is False


def test_disarming_forgets_torque_and_command() -> None:
    state = disarm(USED)
    assert state.armed is False and state.last_command_ns is None
    assert state.torque.tobytes() == np.zeros(3).tobytes()


def test_a_reset_forgets_which_rules_were_cutting() -> None:
    assert reset_fault(USED).stale == frozenset()


def test_arming_twice_keeps_the_torque() -> None:
    state = armed(3.0)
    assert arm(state, frame(), NOW, SETTINGS) is state


def test_rearming_starts_from_zero() -> None:
    state = arm(disarm(armed(7.0)), frame(), NOW, SETTINGS)
    _, decision = gated(7.0, state)
    assert decision.torque == pytest.approx([STEP] * 3)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (None, "no sensor frame"),
        (frame(stamp_ns=NOW - 31 * MS), "0.031 s old"),
        (frame(stamp_ns=NOW + MS), "s old"),
        (frame(position=np.array([0, np.nan, 0])), "joint_02"),
        (frame(velocity=np.array([0, 0, np.nan])), "joint_03"),
        (frame(joint_age=np.array([0.031, 0, 0])), "joint_01"),
        (frame(faults=("servo 3 (joint_03): overload",)), "overload"),
        (frame(joint_force=forces(1, 0, 50.0)), "joint_02: joint force 50.000 N, limit 50.0 N"),
        (frame(temperature=np.array([30, 75.0, 30])), "temperature 75.000 degC, limit 75.0 degC"),
    ],
)
def test_arm_is_refused_with_the_reason(seen: SensorFrame | None, reason: str) -> None:
    with pytest.raises(PlantError, match="cannot arm") as refusal:
        arm(initial_state(SETTINGS), seen, NOW, SETTINGS)
    assert reason in str(refusal.value)


@pytest.mark.parametrize("age_ms", [0, 30])
def test_arming_accepts_a_frame_up_to_its_age_limit(age_ms: int) -> None:
    assert arm(initial_state(SETTINGS), frame(stamp_ns=NOW - age_ms * MS), NOW, SETTINGS).armed


def test_a_refusal_says_how_many_faults_there_are() -> None:
    one, two = frame(faults=("a: 1",)), frame(faults=("a: 1", "b: 2"))
    for seen, text in ((one, "cannot arm, fault plant: a: 1"), (two, "a: 1 (and 1 more)")):
        with pytest.raises(PlantError) as refusal:
            arm(initial_state(SETTINGS), seen, NOW, SETTINGS)
        assert str(refusal.value).endswith(text)


def test_a_latched_fault_stays_until_reset_and_reset_leaves_disarmed() -> None:
    state, _ = gated(np.nan, armed(3.0))
    for _ in range(5):
        state, decision = gated(3.0, state)
        assert not decision.torque.any()
    with pytest.raises(PlantError, match="command_not_finite"):
        arm(state, frame(), NOW, SETTINGS)
    state = reset_fault(state)
    assert not state.armed
    assert not gated(3.0, state)[1].torque.any()
    state = arm(state, frame(), NOW, SETTINGS)
    assert gated(0.5, state)[1].torque == pytest.approx([0.5] * 3)


def test_reset_disarms_even_without_a_fault() -> None:
    state = reset_fault(armed(3.0))
    assert not state.armed
    assert not gated(3.0, state)[1].torque.any()
