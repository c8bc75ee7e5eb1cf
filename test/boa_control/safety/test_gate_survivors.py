"""What planted bugs showed to be untested in gate and faults; docs/mutation.md has the campaign."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.safety.faults import Fault, FaultName, latch, silence_fault
from boa_control.safety.gate import (
    GateSettings,
    GateState,
    Rule,
    disarm,
    initial_state,
    reset_fault,
)
from boa_description.load import load_robot

ROBOT = load_robot("boa13", links=4)
SETTINGS = GateSettings.of(ROBOT, 5_000_000)
USED = GateState(
    armed=True,
    torque=np.ones(SETTINGS.joints),
    last_command_ns=7,
    stale=frozenset({Rule.SENSOR_AGE}),
)


def test_the_period_of_the_rate_limit_is_in_seconds() -> None:
    assert SETTINGS.period == pytest.approx(0.005, rel=1e-12)


def test_the_first_state_is_disarmed() -> None:
    assert initial_state(SETTINGS).armed is False


def test_disarming_forgets_torque_and_command() -> None:
    state = disarm(USED)
    assert state.armed is False and state.last_command_ns is None
    assert state.torque.shape == USED.torque.shape and not state.torque.any()


def test_a_reset_forgets_which_rules_were_cutting() -> None:
    assert reset_fault(USED).stale == frozenset()


def test_silence_latches_only_when_longer_than_the_patience() -> None:
    assert silence_fault(0.5, 0.5) == ()
    (fault,) = silence_fault(0.501, 0.5)
    assert (fault.name, fault.subject) == (FaultName.COMMAND_LOST, "command")
    assert "0.501 s, limit 0.500 s; restart the controller" in fault.message


def test_the_same_fault_twice_in_one_tick_is_latched_once() -> None:
    first = Fault(FaultName.PLANT, "servo 3", "servo 3: hot")
    again = Fault(FaultName.PLANT, "servo 3", "servo 3: hotter")
    assert latch((), (first, again)) == (first,)
