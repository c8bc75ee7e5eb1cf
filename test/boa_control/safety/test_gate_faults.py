# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults that latch in the torque gate: of measured values, of commands, reported by others."""

from __future__ import annotations

import numpy as np
import pytest

from boa_control.plant import ForceSample
from boa_control.safety.command import Command
from boa_control.safety.faults import Fault, FaultName, plant_fault
from boa_control.safety.gate import GateState, gate, initial_state
from test.boa_control.safety.gate_bench import (
    LIMITS,
    NOW,
    SETTINGS,
    SWEEP,
    armed,
    forces,
    frame,
    gated,
)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("start", [armed(3.0), initial_state(SETTINGS)], ids=["armed", "disarmed"])
def test_joint_force(share: float, axis: int, sign: int, start: GateState) -> None:
    value = share * LIMITS.joint_force_fault
    state, decision = gated(3.0, start, frame(joint_force=forces(2, axis, sign * value)))
    faulty = value >= LIMITS.joint_force_fault
    assert [fault.name for fault in state.faults] == [FaultName.JOINT_FORCE] * faulty
    assert bool(decision.warnings) == (value >= LIMITS.joint_force_warn)
    assert decision.torque == pytest.approx([3.0 if start.armed and not faulty else 0.0] * 3)


@pytest.mark.parametrize("share", SWEEP)
@pytest.mark.parametrize("start", [armed(3.0), initial_state(SETTINGS)], ids=["armed", "disarmed"])
def test_temperature(share: float, start: GateState) -> None:
    value = share * LIMITS.temperature_fault
    state, decision = gated(3.0, start, frame(temperature=np.array([30.0, value, 30.0])))
    faulty = value >= LIMITS.temperature_fault
    assert [(fault.name, fault.subject) for fault in state.faults] == [
        (FaultName.TEMPERATURE, "joint_02")
    ] * faulty
    assert bool(decision.warnings) == (value >= LIMITS.temperature_warn)
    assert decision.torque == pytest.approx([3.0 if start.armed and not faulty else 0.0] * 3)


def test_what_is_not_measured_is_no_fault() -> None:
    missing = ForceSample(NOW, np.full((3, 3), np.nan))
    for seen in (
        frame(joint_force=None),
        frame(joint_force=missing),
        frame(temperature=np.full(3, np.nan)),
    ):
        state, decision = gated(3.0, armed(3.0), seen)
        assert not state.faults
        assert decision.torque == pytest.approx([3.0] * 3)


def test_plant_faults_latch_once_even_when_reworded() -> None:
    state, decision = gated(
        3.0, armed(3.0), frame(faults=("servo 3 (joint_03): no reply for 3 ticks",))
    )
    assert not decision.torque.any()
    assert decision.trips == ("plant",)
    state, decision = gated(3.0, state, frame(faults=("servo 3 (joint_03): no reply for 4 ticks",)))
    assert decision.trips == ()
    assert [str(fault) for fault in state.faults] == [
        "plant: servo 3 (joint_03): no reply for 3 ticks"
    ]


def test_no_torque_passes_a_latched_fault() -> None:
    _, decision = gated(0.5, armed()._replace(faults=(plant_fault("gone"),)))
    assert not decision.torque.any()
    assert not decision.armed


def test_faults_do_not_fill_the_memory() -> None:
    state = armed()
    for number in range(100):
        state, _ = gated(0.0, state, frame(faults=(f"thing {number}: broken",)))
    assert len(state.faults) == 20
    assert state.faults[0].subject == "thing 0"


@pytest.mark.parametrize("shape", [(2,), (4,), (0,), (3, 1), (1, 3), ()])
def test_wrong_shape_latches(shape: tuple[int, ...]) -> None:
    state, decision = gate(armed(3.0), frame(), Command(np.ones(shape), NOW), NOW, SETTINGS)
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert state.faults[0].name == FaultName.COMMAND_SHAPE


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("joint", [0, 1, 2])
def test_not_finite_latches(bad: float, joint: int) -> None:
    wish = np.ones(3)
    wish[joint] = bad
    state, decision = gated(wish, armed(3.0))
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert (state.faults[0].name, state.faults[0].subject) == (
        FaultName.COMMAND_NOT_FINITE,
        f"joint_{joint + 1:02d}",
    )


def test_reported_faults_latch() -> None:
    fault = Fault(FaultName.TWO_TORQUE_SOURCES, "command", "two publishers; stop one")
    command = Command(np.ones(3), NOW)
    state, decision = gate(armed(1.0), frame(), command, NOW, SETTINGS, (fault,))
    assert decision.torque.tobytes() == np.zeros(3).tobytes()
    assert state.faults == decision.faults == (fault,)
