# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The torque gate with old commands, old frames and joints that answer late."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.safety.command import Command
from boa_control.safety.faults import FaultName
from boa_control.safety.gate import COMMAND_FADE, COMMAND_LOST, Rule, gate, initial_state
from test.boa_control.safety.gate_bench import LIMITS, MS, NOW, SETTINGS, SWEEP, armed, frame, gated


@pytest.mark.parametrize("share", SWEEP)
def test_command_age_ramps_to_zero(share: float) -> None:
    state, decision = gated(7.0, armed(7.0), age_ms=share * LIMITS.command_age * 1e3)
    expected = np.clip((1 - share) / (1 - COMMAND_FADE), 0, 1) * LIMITS.torque
    assert decision.torque == pytest.approx([expected] * 3, abs=1e-9)
    assert decision.armed
    assert (Rule.COMMAND_AGE in decision.trips) == (share > COMMAND_FADE + 1e-9)
    assert state.armed


@pytest.mark.parametrize("share", SWEEP)
def test_disarmed_stays_zero_at_any_command_age(share: float) -> None:
    _, decision = gated(7.0, initial_state(SETTINGS), age_ms=share * LIMITS.command_age * 1e3)
    assert not decision.torque.any() and decision.trips == ()


def test_no_command_is_no_torque() -> None:
    _, decision = gate(armed(7.0), frame(), None, NOW, SETTINGS)
    assert not decision.torque.any() and not decision.saturated.any()
    assert decision.armed


def test_a_command_from_the_future_is_no_command() -> None:
    _, decision = gated(7.0, armed(7.0), age_ms=-1.0)
    assert not decision.torque.any()


@pytest.mark.parametrize("share", [*SWEEP, -0.1])
@pytest.mark.parametrize("wish", [7.0, 8.0])  # with nothing else to cut, and with
def test_sensor_age(share: float, wish: float) -> None:
    old = frame(stamp_ns=NOW - round(share * LIMITS.sensor_age * 1e9))
    _, decision = gated(wish, armed(7.0), old)
    assert decision.torque == pytest.approx([7.0 if 0 <= share <= 1 else 0.0] * 3)
    assert (Rule.SENSOR_AGE in decision.trips) == (not 0 <= share <= 1)
    assert decision.armed


@pytest.mark.parametrize("share", SWEEP)
def test_joint_age_holds_and_then_latches(share: float) -> None:
    seen = frame(joint_age=np.array([0.0, share * LIMITS.sensor_age, 0.0]))
    state, decision = gated(3.0, armed(2.5), seen)
    if share > 1:
        assert not decision.torque.any()
        assert [fault.name for fault in state.faults] == [FaultName.JOINT_STALE]
        assert state.faults[0].subject == "joint_02"
    else:
        assert decision.torque == pytest.approx([3.0, 2.5 if share > 0 else 3.0, 3.0])
        assert not state.faults


def test_a_blind_joint_may_fall_but_not_turn_round() -> None:
    seen = frame(joint_age=np.full(3, 0.002))
    _, decision = gated(np.array([1.0, 0.0, -2.0]), armed(2.0), seen)
    assert decision.torque == pytest.approx([1.0, 0.0, 0.0])


def test_a_joint_that_never_answered_is_stale() -> None:
    state, _ = gated(1.0, armed(), frame(joint_age=np.array([np.nan, 0.0, 0.0])))
    assert state.faults[0].name == FaultName.JOINT_STALE


def test_trips_are_counted_once_at_their_onset() -> None:
    state, first = gated(7.0, armed(7.0), age_ms=60)
    state, second = gated(7.0, state, age_ms=60)
    state, _ = gated(7.0, state)
    state, again = gated(7.0, state, age_ms=60)
    assert (first.trips, second.trips, again.trips) == (("command_age",), (), ("command_age",))


def test_a_controller_that_falls_silent_latches() -> None:
    state, _ = gated(1.0, armed())
    assert state.last_command_ns == NOW
    lost = round(COMMAND_LOST * LIMITS.command_age * 1e9)
    old = Command(np.ones(3), NOW)
    for later, latched in ((lost - MS, False), (lost + MS, True)):
        after, decision = gate(state, frame(stamp_ns=NOW + later), old, NOW + later, SETTINGS)
        assert not decision.torque.any()
        assert bool(after.faults) == latched
    assert after.faults[0].name == FaultName.COMMAND_LOST


@pytest.mark.parametrize(
    ("late_ms", "says"),
    [
        (80, "answers come, but 0.080 s late, for 0.501 s"),
        (510, "answers come, but 0.510 s late, for 0.501 s"),
        (-1000, "answers come, but their stamps are 1.000 s ahead"),
    ],
)
def test_answers_that_come_late_are_called_late(late_ms: int, says: str) -> None:
    begun = armed()._replace(last_command_ns=NOW - 501 * MS)
    state, _ = gated(1.0, begun, age_ms=late_ms)
    assert says in state.faults[0].message and "restart" not in state.faults[0].message


def test_a_controller_that_has_not_begun_is_not_lost() -> None:
    later = NOW + 3600 * 1000 * MS
    state, decision = gate(
        armed(), frame(stamp_ns=later), Command(np.ones(3), NOW), later, SETTINGS
    )
    assert not decision.torque.any()
    assert not state.faults and state.last_command_ns is None


def test_only_fresh_commands_while_armed_are_remembered() -> None:
    limit = round(LIMITS.command_age * 1e3)
    assert gated(1.0, armed(), age_ms=limit)[0].last_command_ns == NOW - limit * MS
    assert gated(1.0, armed(), age_ms=limit + 1)[0].last_command_ns is None
    disarmed = initial_state(SETTINGS)._replace(last_command_ns=7)
    assert gated(1.0, disarmed)[0].last_command_ns is None


def test_a_controller_whose_commands_vanish_latches() -> None:
    begun = armed()._replace(last_command_ns=0)
    state, _ = gate(begun, frame(), None, NOW, SETTINGS)
    assert [fault.name for fault in state.faults] == [FaultName.COMMAND_LOST]
    assert not gated(1.0, begun)[0].faults, "a fresh command breaks the silence"
    fast = frame(velocity=np.full(3, LIMITS.velocity))
    assert not gated(1.0, begun, fast)[0].faults, "also where a rule cuts it"


def test_two_trips_at_once_are_in_alphabetical_order() -> None:
    old = frame(stamp_ns=NOW - 31 * MS)
    assert gated(1.0, armed(1.0), old, age_ms=60)[1].trips == ("command_age", "sensor_age")
