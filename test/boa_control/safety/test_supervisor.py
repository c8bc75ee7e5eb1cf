# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor: the only way to a plant's torque; whatever fails leaves the plant disarmed."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from boa_control.plant import PlantError, SensorFrame
from boa_control.safety.command import Command
from boa_control.safety.faults import Fault, FaultName
from boa_control.safety.supervisor import NO_CAP, Supervisor
from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_description.load import load_robot
from boa_description.robot import Robot

ROBOT = load_robot("boa3")
PERIOD_NS = 2_000_000


class RecordingPlant:
    """A plant that notes what is done to it and fails on demand."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.written: list[Array] = []
        self.fail: set[str] = set()
        self.faults: tuple[str, ...] = ()
        self.stamp_ns = 0
        self.behind_ns = 0  # how long ago the newest frame was measured
        self.armed = False
        self.simulation: Simulation | None = None

    def now_ns(self) -> int:
        return self.stamp_ns + self.behind_ns

    def counters(self) -> dict[str, float]:
        return {}

    def warnings(self) -> tuple[str, ...]:
        return ()

    @property
    def robot(self) -> Robot:
        return ROBOT

    @property
    def control_period_ns(self) -> int:
        return PERIOD_NS

    def _note(self, what: str) -> None:
        self.calls.append(what)
        if what in self.fail:
            raise PlantError(f"{what} failed")

    def read(self) -> SensorFrame:
        self._note("read")
        self.stamp_ns += PERIOD_NS
        zero = np.zeros(2)
        return SensorFrame(self.stamp_ns, zero, zero, zero, None, None, zero, zero, self.faults)

    def write(self, torque: Array) -> None:
        self._note("write")
        self.written.append(torque)

    def arm(self) -> None:
        self._note("arm")
        self.armed = True

    def disarm(self) -> None:
        self.armed = False
        self._note("disarm")

    def reset_fault(self) -> None:
        self.armed = False
        self._note("reset_fault")

    def tare(self) -> None:
        self._note("tare")

    def fault_latched(self, reason: str) -> None:
        self._note(f"fault_latched: {reason}")

    def close(self) -> None:
        self._note("close")


class Simulation:
    """Notes a reset with its plant."""

    def __init__(self, plant: RecordingPlant) -> None:
        self._plant = plant

    def reset(self) -> None:
        self._plant.calls.append("reset_simulation")


@pytest.fixture
def plant() -> RecordingPlant:
    return RecordingPlant()


def tick(supervisor: Supervisor, torque: float = 1.0) -> Array:
    frame = supervisor.read()
    return supervisor.apply(Command(np.full(2, torque), frame.stamp_ns)).torque


def test_takes_over_disarmed_and_writes_zero(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    assert plant.calls == ["disarm"]
    assert not tick(supervisor).any()
    assert not plant.written[-1].any()


def test_what_is_written_is_the_decision(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    out = tick(supervisor, 1.0)
    assert out == pytest.approx([1.0, 1.0])
    assert plant.written[-1] is out


def test_apply_before_read_is_refused(plant: RecordingPlant) -> None:
    with pytest.raises(PlantError, match="call read"):
        Supervisor(plant).apply(Command(np.zeros(2), 0))
    assert not plant.written


def test_arm_before_read_is_refused_and_does_not_reach_the_plant(plant: RecordingPlant) -> None:
    with pytest.raises(PlantError, match="no sensor frame"):
        Supervisor(plant).arm()
    assert "arm" not in plant.calls


def test_arm_refused_by_the_plant_stays_disarmed(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    plant.fail.add("arm")
    with pytest.raises(PlantError, match="arm failed"):
        supervisor.arm()
    assert not supervisor.status.armed
    assert not tick(supervisor).any()


def test_a_fault_disarms_the_plant_at_once(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    tick(supervisor)
    plant.faults = ("servo 1 (joint_01): overload", "servo 2 (joint_02): overload")
    plant.calls.clear()
    assert not tick(supervisor).any()
    story = "fault_latched: plant: servo 1 (joint_01): overload"
    assert plant.calls == ["read", "disarm", story, "write"], "told once, when it is off already"
    plant.calls.clear()
    tick(supervisor)
    assert story not in plant.calls
    assert not plant.written[-1].any()
    assert [fault.name for fault in supervisor.status.faults] == ["plant", "plant"]
    with pytest.raises(PlantError, match="overload"):
        supervisor.arm()


@pytest.mark.parametrize("what", ["read", "write"])
def test_a_plant_that_fails_is_disarmed(plant: RecordingPlant, what: str) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    tick(supervisor)
    plant.fail.add(what)
    plant.calls.clear()
    with pytest.raises(PlantError, match=f"{what} failed"):
        tick(supervisor)
    assert plant.calls[-1] == "disarm"
    assert not supervisor.status.armed
    plant.fail.clear()
    assert not tick(supervisor).any()


def test_a_bug_in_the_tick_disarms_too(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    with pytest.raises(AttributeError, match="shape"):
        supervisor.apply(Command(cast(Array, "much"), 0))
    assert plant.calls[-1] == "disarm"
    assert not supervisor.status.armed


def test_reset_fault_clears_plant_and_gate_and_stays_disarmed(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    supervisor.apply(Command(np.full(2, np.nan), plant.stamp_ns))
    assert supervisor.status.faults
    supervisor.reset_fault()
    assert not supervisor.status.faults
    assert not supervisor.status.armed
    assert not tick(supervisor).any()
    supervisor.arm()
    assert tick(supervisor).any()


def test_a_reset_that_the_plant_refuses_keeps_the_faults(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.apply(Command(np.full(2, np.nan), plant.stamp_ns))
    plant.fail.add("reset_fault")
    with pytest.raises(PlantError):
        supervisor.reset_fault()
    assert supervisor.status.faults


def test_tare_needs_disarmed(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    with pytest.raises(PlantError, match="disarm first"):
        supervisor.tare()
    assert "tare" not in plant.calls
    supervisor.disarm()
    supervisor.tare()
    assert plant.calls[-1] == "tare"


def test_leaving_the_context_disarms_and_closes(plant: RecordingPlant) -> None:
    with pytest.raises(RuntimeError), Supervisor(plant):
        raise RuntimeError
    assert plant.calls[-2:] == ["disarm", "close"]


def test_limits_can_be_tightened(plant: RecordingPlant) -> None:
    limits = ROBOT.limits.model_copy(update={"torque": 0.25})
    supervisor = Supervisor(plant, limits)
    supervisor.read()
    supervisor.arm()
    assert tick(supervisor) == pytest.approx([0.25, 0.25])


def test_status_counts_trips(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    frame = supervisor.read()
    supervisor.arm()
    late = frame.stamp_ns + round(ROBOT.limits.command_age * 1e9)
    supervisor.apply(Command(np.ones(2), frame.stamp_ns))
    for _ in range(3):
        plant.stamp_ns = late - PERIOD_NS
        supervisor.read()
        supervisor.apply(Command(np.ones(2), frame.stamp_ns))
    assert supervisor.status.trips == {"command_age": 1}
    assert supervisor.status.ticks == 4


def test_faults_that_the_sender_shows_latch(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    frame = supervisor.read()
    supervisor.arm()
    fault = Fault(FaultName.TWO_TORQUE_SOURCES, "command", "two publishers; stop one")
    decision = supervisor.apply(Command(np.ones(2), frame.stamp_ns), (fault,))
    assert decision.faults == (fault,) and not plant.written[-1].any()
    assert not supervisor.status.armed


def test_warnings_are_those_of_the_last_tick(
    plant: RecordingPlant, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor = Supervisor(plant)
    read = plant.read
    hot = np.array([ROBOT.limits.temperature_warn, 20.0])
    monkeypatch.setattr(plant, "read", lambda: read()._replace(temperature=hot))
    tick(supervisor)
    (warning,) = supervisor.status.warnings
    assert warning.startswith("joint_01: temperature")
    monkeypatch.undo()
    tick(supervisor)
    assert supervisor.status.warnings == ()


def test_plant_and_robot_are_those_taken_over(plant: RecordingPlant) -> None:
    with Supervisor(plant) as supervisor:
        assert supervisor.plant is plant and supervisor.robot is ROBOT


@pytest.mark.parametrize("leave", ["reset_fault", "reset_simulation", "close"])
def test_every_way_out_disarms_first(plant: RecordingPlant, leave: str) -> None:
    supervisor = Supervisor(plant)
    plant.simulation = Simulation(plant)
    supervisor.read()
    supervisor.arm()
    plant.calls.clear()
    getattr(supervisor, leave)()
    assert plant.calls == ["disarm", leave]
    assert not supervisor.status.armed


def test_a_reset_simulation_begins_anew(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    plant.simulation = Simulation(plant)
    supervisor.read()
    supervisor.apply(Command(np.full(2, np.nan), plant.stamp_ns))
    supervisor.reset_simulation()
    assert not supervisor.status.faults
    with pytest.raises(PlantError, match="no sensor frame"):
        supervisor.arm()


def test_arming_twice_reaches_the_plant_once(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    supervisor.arm()
    assert plant.calls.count("arm") == 1


def test_the_robot_cannot_be_reset_like_a_simulation(plant: RecordingPlant) -> None:
    with pytest.raises(PlantError, match="not a simulation"):
        Supervisor(plant).reset_simulation()


def test_armed_is_what_the_plant_says(plant: RecordingPlant) -> None:
    """A plant that has switched itself off gets no torque, whatever was armed before."""
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    assert tick(supervisor).any()
    plant.armed = False
    plant.calls.clear()
    assert not supervisor.status.armed
    assert not tick(supervisor).any()
    assert plant.calls == ["read", "disarm", "write"], "told once more: a packet may have been lost"
    tick(supervisor)
    assert plant.calls.count("disarm") == 1


def test_the_age_of_a_command_is_measured_on_the_plants_clock(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.read()
    supervisor.arm()
    assert tick(supervisor).any()
    plant.behind_ns = round(ROBOT.limits.command_age * 1e9)
    assert not tick(supervisor).any()


def test_the_torque_cap_cuts_and_is_only_lowered_while_armed(plant: RecordingPlant) -> None:
    supervisor = Supervisor(plant)
    supervisor.cap_torque(2.0)
    supervisor.read()
    supervisor.arm()
    supervisor.cap_torque(1.5)
    with pytest.raises(PlantError, match=r"torque_cap 2 N m is above the present 1\.5 N m"):
        supervisor.cap_torque(2.0)
    for _ in range(10):
        frame = supervisor.read()
        decision = supervisor.apply(Command(np.array([5.0, -0.5]), frame.stamp_ns))
    assert decision.torque == pytest.approx([1.5, -0.5])
    supervisor.disarm()
    supervisor.cap_torque(NO_CAP)


@pytest.mark.parametrize("cap", [0.0, -2.0, 1e9, float("nan"), "2"])
def test_a_torque_cap_is_a_torque(cap: object) -> None:
    with pytest.raises(BoaError, match=r"torque_cap is .*expected above 0 to"):
        Supervisor(RecordingPlant()).cap_torque(cast(float, cap))
